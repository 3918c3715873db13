// SPDX-License-Identifier: GPL-2.0
/* TCP_INFO has the window that the peer may use. */
#include <linux/tcp.h>

static inline u32 smc_probe_tcp_rcv_wnd(const struct tcp_info *info)
{
	return info->tcpi_rcv_wnd;
}
