/* SPDX-License-Identifier: GPL-2.0 */
/* State table of a link group. Pure: also built in user space. */
#ifndef _SMC_GROUP_LGR_FSM_H
#define _SMC_GROUP_LGR_FSM_H

#include "../base/fsm.h"

enum smc_lgr_state {
	SMC_LGR_FORMING,	/* first contact runs */
	SMC_LGR_ACTIVE,
	SMC_LGR_LINGER,		/* no user; ends when the linger time is over */
	SMC_LGR_ENDING,		/* being taken down by the worker */
	SMC_LGR_DEAD,
	SMC_LGR_NR_STATES,
};

enum smc_lgr_event {
	SMC_LGR_EV_FORMED,	/* first contact succeeded */
	SMC_LGR_EV_USER,	/* a contact or connection came */
	SMC_LGR_EV_NO_USER,	/* the last one went */
	SMC_LGR_EV_END,		/* any reason to take the group down */
	SMC_LGR_EV_ENDED,	/* its last message left or cannot leave */
	SMC_LGR_NR_EVENTS,
};

extern const struct smc_fsm smc_lgr_fsm;

#endif
