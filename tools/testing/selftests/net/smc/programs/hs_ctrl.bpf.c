// SPDX-License-Identifier: GPL-2.0
/*
 * Decides about handshakes for hs_ctrl.sh: clients do not ask for SMC if the
 * peer's port is REFUSED_CLIENT or its address REFUSED_ADDR, and servers on
 * port REFUSED_SERVER do not grant it. With SLEEPS the program may sleep, which
 * the module must refuse.
 */
#include <linux/types.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define REFUSED_CLIENT	7631
#define REFUSED_SERVER	7632
#define REFUSED_ADDR	0x7f000009

#ifdef SLEEPS
#define ASK_SECTION	"struct_ops.s"
#define NAME		"sleeps"
#else
#define ASK_SECTION	"struct_ops"
#define NAME		"by_port"
#endif

/* The verifier finds the members by their names. */
#define OF_KERNEL __attribute__((preserve_access_index))

struct sock_common {
	__be32 skc_daddr;
	__be16 skc_dport;
	__u16 skc_num;
} OF_KERNEL;

struct sock {
	struct sock_common __sk_common;
} OF_KERNEL;

struct inet_sock {
	struct sock sk;
} OF_KERNEL;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
} OF_KERNEL;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
} OF_KERNEL;

struct inet_request_sock;

struct smc_hs_ctrl {
	char name[16];
	int flags;
	int (*syn_option)(struct tcp_sock *tp);
	int (*synack_option)(const struct tcp_sock *tp,
			     struct inet_request_sock *ireq);
} OF_KERNEL;

SEC(ASK_SECTION)
int BPF_PROG(ask, struct tcp_sock *tp)
{
	struct sock_common *sk = &tp->inet_conn.icsk_inet.sk.__sk_common;

	return sk->skc_dport != bpf_htons(REFUSED_CLIENT) &&
	       sk->skc_daddr != bpf_htonl(REFUSED_ADDR);
}

SEC("struct_ops")
int BPF_PROG(grant, const struct tcp_sock *tp, struct inet_request_sock *ireq)
{
	return tp->inet_conn.icsk_inet.sk.__sk_common.skc_num != REFUSED_SERVER;
}

SEC(".struct_ops")
struct smc_hs_ctrl by_port = {
	.name = NAME,
	.syn_option = (void *)ask,
	.synack_option = (void *)grant,
};

char _license[] SEC("license") = "GPL";
