// SPDX-License-Identifier: GPL-2.0
/*
 * A module cannot keep a BPF program alive. So a namespace refers to a name,
 * and the name refers to the program while it is loaded.
 */
#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/ctype.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nsproxy.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include "../base/compat.h"
#include "../base/pernet.h"
#include "hs_ctrl.h"

/*
 * One name. @refs: one for each namespace that has chosen it, and one while a
 * program has it. @ops: the program, or NULL; read under RCU.
 */
struct smc_hs_choice {
	struct list_head list;
	char name[SMC_HS_CTRL_NAME_MAX];
	struct smc_hs_ctrl __rcu *ops;
	unsigned int refs;
	struct rcu_head rcu;
};

/*
 * Protects the list of names, their references and ->ops, and the choices of
 * the namespaces, against other writers. A leaf.
 */
static DEFINE_MUTEX(choices_mutex);

static LIST_HEAD(choices);

static struct smc_hs_choice *choice_find(const char *name)
{
	struct smc_hs_choice *c;

	lockdep_assert_held(&choices_mutex);
	list_for_each_entry(c, &choices, list)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static void choice_put(struct smc_hs_choice *c)
{
	lockdep_assert_held(&choices_mutex);
	if (!c || --c->refs)
		return;
	list_del(&c->list);
	/* readers: hs_ctrl_of() */
	kfree_rcu(c, rcu);
}

static struct smc_hs_choice *choice_of(struct net *net)
{
	return rcu_dereference_protected(smc_pernet(net)->hs_choice,
					 lockdep_is_held(&choices_mutex));
}

static void choice_set(struct net *net, struct smc_hs_choice *c)
{
	struct smc_hs_choice *old = choice_of(net);

	if (c)
		c->refs++;
	/* partner: hs_ctrl_of() */
	rcu_assign_pointer(smc_pernet(net)->hs_choice, c);
	choice_put(old);
}

/* Return: the program of the namespace, or NULL. */
static const struct smc_hs_ctrl *hs_ctrl_of(struct net *net)
{
	struct smc_hs_choice *c = rcu_dereference(smc_pernet(net)->hs_choice);

	return c ? rcu_dereference(c->ops) : NULL;
}

/* The peer of a socket, as connect() writes it and programs read it. */
struct peer {
	struct in6_addr addr6;
	__be32 addr;
	__be16 port;
};

/* 127.0.0.1, mapped into IPv6 */
static const struct in6_addr loopback_mapped = {
	.s6_addr = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 },
};

/*
 * As in connect(), an address of 0 means the local host: the address to which
 * the socket is bound, or the loopback address. SO_BINDTODEVICE may make
 * connect() choose another one.
 */
static void peer_set_ipv4(struct peer *p, const struct sock *sk, __be32 addr)
{
	p->addr = addr ?: inet_sk(sk)->inet_saddr ?:
			  loopback_mapped.s6_addr32[3];
	ipv6_addr_set_v4mapped(p->addr, &p->addr6);
}

static bool bound_to_ipv4(const struct sock *sk)
{
#if IS_ENABLED(CONFIG_IPV6)
	return ipv6_addr_v4mapped(&sk->sk_v6_rcv_saddr);
#else
	return false;
#endif
}

static void peer_set_ipv6(struct peer *p, const struct sock *sk,
			  const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		peer_set_ipv4(p, sk, addr->s6_addr32[3]);
	else if (!ipv6_addr_any(addr))
		p->addr6 = *addr;
	else if (bound_to_ipv4(sk))
		peer_set_ipv4(p, sk, loopback_mapped.s6_addr32[3]);
	else
		p->addr6 = in6addr_loopback;
}

static struct peer peer_named(const struct sock *sk,
			      const struct sockaddr *addr, int len)
{
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *sin = (const struct sockaddr_in *)addr;
	struct peer p = {};

	/* connect() itself refuses other addresses */
	if (len >= (int)sizeof(*sin) && addr->sa_family == AF_INET) {
		peer_set_ipv4(&p, sk, sin->sin_addr.s_addr);
		p.port = sin->sin_port;
	} else if (len >= SIN6_LEN_RFC2133 && addr->sa_family == AF_INET6) {
		peer_set_ipv6(&p, sk, &sin6->sin6_addr);
		p.port = sin6->sin6_port;
	}
	return p;
}

/* Return: the peer that the socket had. */
static struct peer peer_swap(struct sock *sk, struct peer p)
{
	struct peer old = { .addr = sk->sk_daddr, .port = sk->sk_dport };

	sk->sk_daddr = p.addr;
	sk->sk_dport = p.port;
#if IS_ENABLED(CONFIG_IPV6)
	old.addr6 = sk->sk_v6_daddr;
	sk->sk_v6_daddr = p.addr6;
#endif
	return old;
}

bool smc_hs_ctrl_syn(struct net *net, struct tcp_sock *tp,
		     const struct sockaddr *addr, int len)
{
	struct sock *sk = (struct sock *)tp;
	const struct smc_hs_ctrl *ops;
	struct peer old;
	bool may = true;

	/* most systems have no program */
	if (!rcu_access_pointer(smc_pernet(net)->hs_choice))
		return true;
	lock_sock(sk);
	rcu_read_lock();
	ops = hs_ctrl_of(net);
	if (ops && ops->syn_option) {
		old = peer_swap(sk, peer_named(sk, addr, len));
		may = ops->syn_option(tp);
		peer_swap(sk, old);
	}
	rcu_read_unlock();
	release_sock(sk);
	return may;
}

bool smc_hs_ctrl_synack(struct net *net, const struct tcp_sock *tp)
{
	const struct smc_hs_ctrl *ops;
	bool may;

	rcu_read_lock();
	ops = hs_ctrl_of(net);
	may = !ops || !ops->synack_option || ops->synack_option(tp, NULL);
	rcu_read_unlock();
	return may;
}

void smc_hs_ctrl_chosen(struct net *net, char name[SMC_HS_CTRL_NAME_MAX])
{
	struct smc_hs_choice *c;

	rcu_read_lock();
	c = rcu_dereference(smc_pernet(net)->hs_choice);
	strscpy(name, c ? c->name : "", SMC_HS_CTRL_NAME_MAX);
	rcu_read_unlock();
}

/* ---- programs ---- */

#if SMC_HAVE_MODULE_STRUCT_OPS && IS_ENABLED(CONFIG_DEBUG_INFO_BTF_MODULES)

static bool hs_ctrl_may_access(int off, int size, enum bpf_access_type type,
			       const struct bpf_prog *prog,
			       struct bpf_insn_access_aux *info)
{
	if (off < 0 || off >= (int)sizeof(u64) * MAX_BPF_FUNC_ARGS ||
	    type != BPF_READ || off % size)
		return false;
	return btf_ctx_access(off, size, type, prog, info);
}

static const struct bpf_verifier_ops hs_ctrl_verifier = {
	.get_func_proto = bpf_base_func_proto,
	.is_valid_access = hs_ctrl_may_access,
};

static int hs_ctrl_btf_init(struct btf *btf)
{
	return 0;
}

/* A program must not sleep: it runs in softirq, or in an RCU read section. */
static int hs_ctrl_check_member(const struct btf_type *t,
				const struct btf_member *member,
				const struct bpf_prog *prog)
{
	return prog->sleepable ? -EINVAL : 0;
}

/*
 * BPF allows these characters in names, too. smcr can save and apply such a
 * name.
 */
static bool name_valid(const char *name)
{
	size_t len = strnlen(name, SMC_HS_CTRL_NAME_MAX);
	size_t i;

	for (i = 0; i < len; i++)
		if (!isascii(name[i]) ||
		    (!isalnum(name[i]) && name[i] != '_' && name[i] != '.'))
			return false;
	return len && len < SMC_HS_CTRL_NAME_MAX;
}

/* Return: 1: the member was copied; 0: the core handles it. */
static int hs_ctrl_init_member(const struct btf_type *t,
			       const struct btf_member *member,
			       void *kdata, const void *udata)
{
	const struct smc_hs_ctrl *from = udata;
	struct smc_hs_ctrl *to = kdata;

	switch (__btf_member_bit_offset(t, member) / 8) {
	case offsetof(struct smc_hs_ctrl, name):
		if (!name_valid(from->name))
			return -EINVAL;
		strscpy(to->name, from->name, sizeof(to->name));
		return 1;
	case offsetof(struct smc_hs_ctrl, flags):
		if (from->flags & ~SMC_HS_CTRL_FLAG_INHERITABLE)
			return -EINVAL;
		to->flags = from->flags;
		return 1;
	default:
		return 0;
	}
}

static int hs_ctrl_reg(void *kdata, struct bpf_link *link)
{
	struct smc_hs_ctrl *ops = kdata;
	struct smc_hs_choice *c;
	int err = 0;

	mutex_lock(&choices_mutex);
	c = choice_find(ops->name);
	if (!c) {
		c = kzalloc(sizeof(*c), GFP_KERNEL);
		if (c) {
			strscpy(c->name, ops->name, sizeof(c->name));
			list_add(&c->list, &choices);
		}
	} else if (rcu_access_pointer(c->ops)) {
		err = -EEXIST;
	}
	if (!c)
		err = -ENOMEM;
	if (!err) {
		c->refs++;
		/* partner: hs_ctrl_of() */
		rcu_assign_pointer(c->ops, ops);
	}
	mutex_unlock(&choices_mutex);
	return err;
}

static void hs_ctrl_unreg(void *kdata, struct bpf_link *link)
{
	struct smc_hs_ctrl *ops = kdata;
	struct smc_hs_choice *c;

	mutex_lock(&choices_mutex);
	c = choice_find(ops->name);
	/* the name is there, because the program had a reference */
	RCU_INIT_POINTER(c->ops, NULL);
	choice_put(c);
	mutex_unlock(&choices_mutex);
	/* handshakes may still call the program */
	synchronize_rcu();
}

/*
 * The verifier takes the types of the arguments from these functions, and "may
 * be NULL" from the name of an argument.
 */
static int smc_hs_ctrl__syn_option(struct tcp_sock *tp)
{
	return 1;
}

static int smc_hs_ctrl__synack_option(const struct tcp_sock *tp,
				      struct inet_request_sock *ireq__nullable)
{
	return 1;
}

static struct smc_hs_ctrl hs_ctrl_stubs = {
	.syn_option = smc_hs_ctrl__syn_option,
	.synack_option = smc_hs_ctrl__synack_option,
};

static struct bpf_struct_ops hs_ctrl_ops = {
	.name = "smc_hs_ctrl",
	.owner = THIS_MODULE,
	.verifier_ops = &hs_ctrl_verifier,
	.init = hs_ctrl_btf_init,
	.check_member = hs_ctrl_check_member,
	.init_member = hs_ctrl_init_member,
	.reg = hs_ctrl_reg,
	.unreg = hs_ctrl_unreg,
	.cfi_stubs = &hs_ctrl_stubs,
};

/* partner: smc_hs_ctrl_choose() */
static bool programs_load;

/* Without BTF of this module the core would print a warning. */
static void programs_init(void)
{
	int err;

	if (!THIS_MODULE->btf_data_size)
		return;
	err = register_bpf_struct_ops(&hs_ctrl_ops, smc_hs_ctrl);
	if (err)
		pr_notice("smc: the kernel refuses programs for net.smc.hs_ctrl: %d\n",
			  err);
	else
		WRITE_ONCE(programs_load, true);
}

#else

static const bool programs_load;

static void programs_init(void)
{
}

#endif

/* ---- choices ---- */

int smc_hs_ctrl_choose(struct net *net, const char *name)
{
	struct smc_hs_choice *c = NULL;
	int err = 0;

	mutex_lock(&choices_mutex);
	if (*name) {
		c = choice_find(name);
		if (c && !rcu_access_pointer(c->ops) && c != choice_of(net))
			c = NULL;
		if (!c)
			err = READ_ONCE(programs_load) ? -ENOENT : -EOPNOTSUPP;
	}
	if (!err)
		choice_set(net, c);
	mutex_unlock(&choices_mutex);
	if (err == -EOPNOTSUPP)
		pr_notice_once("smc: net.smc.hs_ctrl needs Linux 6.10 and a module that was built with BTF\n");
	return err;
}

/* A new namespace takes the choice of its creator, if the program allows it. */
static int __net_init hs_ctrl_net_init(struct net *net)
{
	struct net *from = current->nsproxy->net_ns;
	const struct smc_hs_ctrl *ops;

	if (net_eq(net, &init_net) || net_eq(net, from))
		return 0;
	mutex_lock(&choices_mutex);
	rcu_read_lock();
	ops = hs_ctrl_of(from);
	if (ops && ops->flags & SMC_HS_CTRL_FLAG_INHERITABLE)
		choice_set(net, choice_of(from));
	rcu_read_unlock();
	mutex_unlock(&choices_mutex);
	return 0;
}

static void __net_exit hs_ctrl_net_exit(struct net *net)
{
	mutex_lock(&choices_mutex);
	choice_set(net, NULL);
	mutex_unlock(&choices_mutex);
}

static struct pernet_operations hs_ctrl_net_ops = {
	.init = hs_ctrl_net_init,
	.exit = hs_ctrl_net_exit,
};

int smc_hs_ctrl_init(void)
{
	int err;

	err = register_pernet_subsys(&hs_ctrl_net_ops);
	if (!err)
		programs_init();
	return err;
}

/* A program has a reference to this module, so none is loaded any more. */
void smc_hs_ctrl_exit(void)
{
	unregister_pernet_subsys(&hs_ctrl_net_ops);
}
