/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of a connection's membership in a group. The module and
 * user-space tests build the same source.
 */
#ifndef _SMC_CONN_PLACE_FSM_H
#define _SMC_CONN_PLACE_FSM_H

#include "../base/fsm.h"

enum smc_conn_place {
	SMC_PLACE_OUT,		/* the connection has not joined a group */
	/* the connection is a member; it sends and receives */
	SMC_PLACE_IN,
	/* the connection is a member of a group that has ended */
	SMC_PLACE_CUT,
	/* the close state is CLOSED, and the step leave is queued */
	SMC_PLACE_LEAVING,
	/* the connection is not a member any more, and the step reap follows */
	SMC_PLACE_LEFT,
	/* the step reap waits until a reader has finished copying */
	SMC_PLACE_HELD,
	SMC_PLACE_DONE,		/* closed() follows, or was called */
	SMC_PLACE_NR_STATES,
};

enum smc_conn_place_event {
	SMC_PLACE_EV_JOIN,	/* the connection receives from now on */
	/* the group or the connection ended before the connection joined */
	SMC_PLACE_EV_REFUSED,
	SMC_PLACE_EV_ENDED,	/* the group has ended */
	SMC_PLACE_EV_CLOSED,	/* nothing keeps the connection in its group */
	SMC_PLACE_EV_LEFT,	/* the group does not know the connection any more */
	SMC_PLACE_EV_READING,	/* the step reap has found a reader */
	SMC_PLACE_EV_READ,	/* the reader has finished */
	SMC_PLACE_EV_REAPED,	/* nobody finds the connection any more */
	SMC_PLACE_EV_NR,
};

extern const struct smc_fsm smc_place_fsm;

#endif
