// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: a TCP ULP that makes a socket show TCP option 254. A program
 * sets the ULP with setsockopt(TCP_ULP, "smc_opt") before connect() or
 * listen(). The program controls all bytes of the connection, so it can act as
 * any peer of an SMC implementation, even a broken one.
 *
 * This module needs the hooks in TCP (CONFIG_SMC) but no SMC module. The module
 * works with or without a loaded SMC module.
 */
#include <linux/module.h>
#include <linux/static_key.h>
#include <net/tcp.h>

static int arm(struct sock *sk)
{
	if (sk->sk_state != TCP_CLOSE && sk->sk_state != TCP_LISTEN)
		return -EISCONN;
	tcp_sk(sk)->syn_smc = 1;
	return 0;
}

/*
 * The child of a listener has the ULP but no reference to the module. When the
 * child ends, a reference is dropped all the same. So take one here. TCP itself
 * clears syn_smc of a child whose peer did not offer the option.
 */
static void clone(const struct request_sock *req, struct sock *child,
		  const gfp_t priority)
{
	__module_get(THIS_MODULE);	/* the listener holds a reference */
}

static struct tcp_ulp_ops smc_opt_ulp __read_mostly = {
	.name	= "smc_opt",
	.owner	= THIS_MODULE,
	.init	= arm,
	.clone	= clone,
};

static int __init smc_opt_init(void)
{
	int err = tcp_register_ulp(&smc_opt_ulp);

	if (!err)
		static_branch_inc(&tcp_have_smc);
	return err;
}

static void __exit smc_opt_exit(void)
{
	static_branch_dec(&tcp_have_smc);
	tcp_unregister_ulp(&smc_opt_ulp);
}

module_init(smc_opt_init);
module_exit(smc_opt_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test-only: TCP option 254 for user space");
MODULE_ALIAS_TCP_ULP("smc_opt");
