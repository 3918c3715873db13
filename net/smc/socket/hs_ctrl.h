/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs that decide which connections show the TCP option, and so which
 * connections can use SMC. The names of the struct and of its members are those
 * of newer kernels' SMC, so the same programs work here.
 */
#ifndef _SMC_SOCKET_HS_CTRL_H
#define _SMC_SOCKET_HS_CTRL_H

#include <linux/types.h>

struct inet_request_sock;
struct net;
struct sockaddr;
struct tcp_sock;

/* bytes of a name, with the final 0 */
#define SMC_HS_CTRL_NAME_MAX	16

/* a new namespace takes the choice of the namespace that creates it */
#define SMC_HS_CTRL_FLAG_INHERITABLE	0x1

/**
 * struct smc_hs_ctrl - decisions about handshakes, a struct_ops of BPF
 * @name:	net.smc.hs_ctrl chooses it by this name: letters, digits, "_"
 *		and "."
 * @flags:	SMC_HS_CTRL_FLAG_INHERITABLE
 * @syn_option:	may the SYN of this socket show the option? 0: no. Without this
 *		function, all may. The socket is locked, and has the address
 *		and port that the application names, with the loopback address
 *		in place of 0. A BPF program at the hooks connect4 and connect6
 *		of the cgroup may replace them later. The local address and port
 *		may not be chosen yet.
 * @synack_option: may the answer to a SYN that shows the option show it, too?
 *		0: no. Context: softirq; the socket is the listener and not
 *		locked. The kernel does not tell which request it is, so the
 *		second argument is NULL.
 */
struct smc_hs_ctrl {
	char name[SMC_HS_CTRL_NAME_MAX];
	int flags;
	int (*syn_option)(struct tcp_sock *tp);
	int (*synack_option)(const struct tcp_sock *tp,
			     struct inet_request_sock *ireq);
};

/**
 * smc_hs_ctrl_syn - may the SYN of this socket show the option?
 * @net:	namespace of the socket
 * @tp:		socket, which is not connected
 * @addr:	address that connect() names
 * @len:	its length
 *
 * Context: takes the lock of the socket.
 */
bool smc_hs_ctrl_syn(struct net *net, struct tcp_sock *tp,
		     const struct sockaddr *addr, int len);

/**
 * smc_hs_ctrl_synack - may this listener answer with the option?
 * @net:	namespace of the listener
 * @tp:		listener
 *
 * Context: softirq.
 */
bool smc_hs_ctrl_synack(struct net *net, const struct tcp_sock *tp);

/**
 * smc_hs_ctrl_choose - choose the program of a namespace
 * @net:	namespace
 * @name:	name of a program that is loaded; "": none
 *
 * If the program ends, the namespace is as without one, until there is a
 * program with this name again. Context: may sleep. Return: 0, -ENOENT (no such
 * program), -EOPNOTSUPP (this module has no BTF, or the kernel cannot load such
 * programs).
 */
int smc_hs_ctrl_choose(struct net *net, const char *name);

/**
 * smc_hs_ctrl_chosen - read the choice of a namespace
 * @net:	namespace
 * @name:	result, "" for none
 */
void smc_hs_ctrl_chosen(struct net *net, char name[SMC_HS_CTRL_NAME_MAX]);

int smc_hs_ctrl_init(void);
void smc_hs_ctrl_exit(void);

#endif
