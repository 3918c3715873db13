/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of a link group. Pure code, which tests also build in user space.
 */
#ifndef _SMC_GROUP_LGR_FSM_H
#define _SMC_GROUP_LGR_FSM_H

#include "../base/fsm.h"

enum smc_lgr_state {
	SMC_LGR_FORMING,	/* first contact runs */
	SMC_LGR_ACTIVE,
	SMC_LGR_LINGER,		/* no user; ends after the linger time */
	SMC_LGR_ENDING,		/* the worker takes the group down */
	SMC_LGR_DEAD,
	SMC_LGR_NR_STATES,
};

enum smc_lgr_event {
	SMC_LGR_EV_FORMED,	/* first contact succeeded */
	SMC_LGR_EV_USER,	/* a contact or connection uses the group */
	SMC_LGR_EV_NO_USER,	/* the last user has left */
	SMC_LGR_EV_END,		/* any reason to take the group down */
	SMC_LGR_EV_ENDED,	/* the last message has left or cannot */
	SMC_LGR_NR_EVENTS,
};

extern const struct smc_fsm smc_lgr_fsm;

#endif
