// SPDX-License-Identifier: GPL-2.0
/*
 * Start and end of the module: floors start from bottom to top and end in
 * reverse order.
 */
#include <linux/module.h>
#include <linux/net.h>
#include "base/fsm.h"
#include "base/mib.h"
#include "base/pernet.h"
#include "base/trace.h"
#include "base/version.h"
#include "conn/framed_rx.h"
#include "conn/life.h"
#include "conn/rfc_rx.h"
#include "diag/views.h"
#include "group/groups.h"
#include "group/link.h"
#include "socket/history.h"
#include "socket/hs_ctrl.h"
#include "socket/socket.h"
#include "transport/transport.h"

static void trace_step(const struct smc_fsm *f, const u8 *state, u8 from,
		       u8 event, const struct smc_fsm_cell *cell)
{
	if (!trace_smc_fsm_enabled())
		return;
	trace_smc_fsm(f->name, state, smc_fsm_state_name(f, from),
		      smc_fsm_event_name(f, event),
		      smc_fsm_state_name(f, *state));
}

static const struct smc_link_user group_user = {
	.cdc = smc_rfc_rx_cdc,
	.record = smc_framed_rx_record,
};

static int __init smc_init(void)
{
	int err;

	err = smc_pernet_init();
	if (err)
		return err;
	smc_mib_start();
	smc_fsm_set_trace(trace_step);
	err = smc_transport_init();
	if (err)
		goto err_pernet;
	err = smc_life_init();
	if (err)
		goto err_transport;
	err = smc_groups_init(&group_user);
	if (err)
		goto err_life;
	err = smc_history_init();
	if (err)
		goto err_group;
	err = smc_hs_ctrl_init();
	if (err)
		goto err_history;
	err = smc_views_init();
	if (err)
		goto err_hs_ctrl;
	/* last, because applications can create sockets from here on */
	err = smc_socket_init();
	if (err)
		goto err_views;
	return 0;

err_views:
	smc_views_exit();
err_hs_ctrl:
	smc_hs_ctrl_exit();
err_history:
	smc_history_exit();
err_group:
	smc_groups_exit();
err_life:
	smc_life_exit();
err_transport:
	smc_transport_exit();
err_pernet:
	smc_pernet_exit();
	return err;
}

static void __exit smc_exit(void)
{
	smc_socket_exit();
	smc_views_exit();
	smc_hs_ctrl_exit();
	smc_history_exit();
	smc_groups_exit();
	smc_life_exit();
	smc_transport_exit();
	smc_pernet_exit();
}

module_init(smc_init);
module_exit(smc_exit);

MODULE_DESCRIPTION("SMC-R: shared memory communications over RDMA");
MODULE_LICENSE("GPL");
MODULE_VERSION(SMC_VERSION);
MODULE_ALIAS_NETPROTO(PF_SMC);
/* socket(AF_INET or AF_INET6, SOCK_STREAM (1), SMCPROTO_INET (256)) */
MODULE_ALIAS_NET_PF_PROTO_TYPE(PF_INET, 256, 1);
MODULE_ALIAS_NET_PF_PROTO_TYPE(PF_INET6, 256, 1);
