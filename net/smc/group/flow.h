/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links are added and deleted: flow.c (driver), flow_want.c (when), add.c
 * (messages of ADD LINK).
 */
#ifndef _SMC_GROUP_FLOW_H
#define _SMC_GROUP_FLOW_H

#include <linux/types.h>
#include "../base/limits.h"
#include "flow_fsm.h"

#define SMC_FLOW_TRIED_MAX	8

struct smc_lgr;
struct smc_link;
struct smc_port;
struct smc_rmb;
struct smc_dev_choice;
struct smc_llc_add_link;
struct smc_llc_add_link_cont;

/**
 * struct smc_flow - the exchange that changes the links of a group; worker
 * @state:	enum smc_flow_state
 * @want:	a link is to be added if one is missing
 * @notice:	client: a port has come, and the server is to be told
 * @port_came:	a port has come while the group was forming
 * @carrier:	user ID of the link that carries the exchange
 * @link:	user ID of the link that is added or deleted
 * @past:	number of the link of the last exchange that ended; late messages
 *		about it are no violation
 * @deleted:	numbers of the links that were deleted last, newest first; answers to
 *		that may come any time
 * @left:	own keys that were not sent, the peer's count before
 * @peer_left:	see @left
 * @rounds:	continuations so far
 * @asked:	client: as many REQUEST ADD LINK may still be answered (version 2)
 * @wishes:	server: as many of the client's were followed, see flow_want.c
 * @not_before:	and the next one is followed then
 * @more:	all of the message that is being handled, where it is longer than 44
 *		bytes, or NULL
 * @more_len:	its length
 * @retry_ms:	last wait for another attempt
 * @avoid:	port of the link that failed last: others come first
 * @tried:	ports that were offered in vain since @want was set
 * @n_tried:	entries of @tried
 */
struct smc_flow {
	u8 state;
	bool want;
	bool notice;
	bool port_came;
	u32 carrier;
	u32 link;
	u8 past;
	u8 deleted[SMC_LINK_SLOTS];
	unsigned int left;
	unsigned int peer_left;
	unsigned int rounds;
	u8 asked;
	u8 wishes;
	unsigned long not_before;
	struct page *more;
	u16 more_len;
	unsigned int retry_ms;
	const struct smc_port *avoid;
	const struct smc_port *tried[SMC_FLOW_TRIED_MAX];
	unsigned int n_tried;
};

/* flow.c */
bool smc_flow_idle(const struct smc_lgr *lgr);
bool smc_flow_unheard(const struct smc_lgr *lgr);
void smc_flow_step(struct smc_lgr *lgr, enum smc_flow_event ev);
void smc_flow_next(struct smc_lgr *lgr);
bool smc_flow_first(struct smc_lgr *lgr);
void smc_flow_timeout(struct smc_lgr *lgr);
void smc_flow_link_down(struct smc_lgr *lgr, struct smc_link *link);
bool smc_flow_offer(struct smc_link *carrier, const u8 *msg);
void smc_flow_llc(struct smc_link *link, const u8 *msg);

/* flow_want.c */
void smc_flow_try_later(struct smc_lgr *lgr);
void smc_flow_no_path(struct smc_lgr *lgr);
bool smc_flow_may_try(const struct smc_lgr *lgr);
void smc_flow_want(struct smc_lgr *lgr);
void smc_flow_asked(struct smc_lgr *lgr);
void smc_flow_tell_of_port(struct smc_lgr *lgr);
void smc_flow_ports(struct smc_lgr *lgr);

/* add.c */
struct smc_link *smc_add_open_server(struct smc_lgr *lgr);
struct smc_link *smc_add_open_client(struct smc_link *carrier,
				     const struct smc_llc_add_link *m,
				     u8 *reason);
int smc_add_send(struct smc_link *carrier, struct smc_link *link, bool reply);
void smc_add_reject(struct smc_link *carrier, u8 link_num, u8 reason);
bool smc_add_notice(struct smc_lgr *lgr);
int smc_add_map_keys(struct smc_lgr *lgr, struct smc_link *link);
int smc_add_open_keys(struct smc_lgr *lgr, struct smc_link *link);
int smc_add_send_keys(struct smc_link *carrier, struct smc_link *link,
		      bool reply);
int smc_add_take_keys(struct smc_link *carrier, struct smc_link *link,
		      const struct smc_llc_add_link_cont *m);
bool smc_add_known_rmb(const struct smc_rmb *rmb);

/* add_v2.c */
bool smc_add_is_v2(const struct smc_lgr *lgr);
int smc_add_v2_send(struct smc_link *carrier, struct smc_link *link,
		    const struct smc_llc_add_link *a);
int smc_add_v2_take_keys(struct smc_link *carrier, struct smc_link *link);
int smc_add_v2_request(struct smc_link *carrier,
		       const struct smc_dev_choice *choice);
void smc_add_v2_on_request(struct smc_link *link, bool reply);

#endif
