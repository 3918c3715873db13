/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_PEER_GROUPS_H
#define SMC_PEER_GROUPS_H

#include "peer.h"

extern const struct case_group group_data;
extern const struct case_group group_close;
extern const struct case_group group_abort;
extern const struct case_group group_flow;
extern const struct case_group group_epoll;
extern const struct case_group group_busy;
extern const struct case_group group_share;
extern const struct case_group group_connect;
extern const struct case_group group_flags;
extern const struct case_group group_hold;
extern const struct case_group group_splice;
extern const struct case_group group_opts;
extern const struct case_group group_wait;
extern const struct case_group group_info;
extern const struct case_group group_zerocopy;
extern const struct case_group group_stamp;
extern const struct case_group group_signal;
extern const struct case_group group_urgent;
extern const struct case_group group_oob;
extern const struct case_group group_alive;
extern const struct case_group group_api;
extern const struct case_group group_fallback;
extern const struct case_group group_aid;
extern const struct case_group group_fault;
extern const struct case_group group_stuck;
extern const struct case_group group_keys;
extern const struct case_group group_room;
extern const struct case_group group_burst;
extern const struct case_group group_failover;
extern const struct case_group group_crossed;

#endif
