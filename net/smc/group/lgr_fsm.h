/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of a link group. Tests also build this code in user space.
 */
#ifndef _SMC_GROUP_LGR_FSM_H
#define _SMC_GROUP_LGR_FSM_H

#include "../base/fsm.h"

enum smc_lgr_state {
	SMC_LGR_FORMING,	/* first contact runs */
	SMC_LGR_ACTIVE,
	/* the group has no user and ends after a time */
	SMC_LGR_LINGER,
	SMC_LGR_ENDING,		/* the worker takes the group down */
	SMC_LGR_DEAD,
	SMC_LGR_NR_STATES,
};

enum smc_lgr_event {
	SMC_LGR_EV_FORMED,	/* first contact succeeded */
	/* a contact or a connection begins to use the group */
	SMC_LGR_EV_USER,
	SMC_LGR_EV_NO_USER,	/* the last user has left */
	SMC_LGR_EV_END,		/* the group must end, for any reason */
	SMC_LGR_EV_ENDED,	/* the last message has left or cannot leave */
	SMC_LGR_NR_EVENTS,
};

extern const struct smc_fsm smc_lgr_fsm;

#endif
