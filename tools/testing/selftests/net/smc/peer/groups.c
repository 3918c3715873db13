// SPDX-License-Identifier: GPL-2.0
#include "groups.h"

const struct case_group *const case_groups[] = {
	&group_data,
	&group_close,
	&group_abort,
	&group_flow,
	&group_epoll,
	&group_busy,
	&group_share,
	&group_connect,
	&group_flags,
	&group_hold,
	&group_splice,
	&group_opts,
	&group_wait,
	&group_info,
	&group_zerocopy,
	&group_stamp,
	&group_signal,
	&group_urgent,
	&group_oob,
	&group_api,
	&group_fallback,
	&group_alive,
	&group_aid,
	&group_fault,
	&group_stuck,
	&group_keys,
	&group_room,
	&group_burst,
	&group_failover,
	&group_crossed,
};

const size_t nr_case_groups = ARRAY_SIZE(case_groups);
