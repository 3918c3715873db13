/* SPDX-License-Identifier: GPL-2.0 */
/* Generic netlink: messages of dumps, and the position of a dump. */
#ifndef _SMC_DIAG_GENL_MSG_H
#define _SMC_DIAG_GENL_MSG_H

#include <net/genetlink.h>
#include <net/sock.h>
#include "../../../include/uapi/linux/smc.h"
#include "../../../include/uapi/linux/smc_stats.h"

/* Family SMC_GEN_NETLINK. genl.c sets its commands. */
extern struct genl_family smc_genl_msg_family;

/* Longest name that a dump shows, with its NUL. */
#define SMC_GENL_GID_LEN	40

/**
 * struct smc_genl_msg_pos - position of a dump, in cb->ctx
 * @id:		number of the last object that was sent completely
 * @part_of:	number of an object that was sent in part
 * @part:	number of messages of this object that were sent
 * @done:	the dump is complete
 */
struct smc_genl_msg_pos {
	u32 id;
	u32 part_of;
	u32 part;
	bool done;
};

static inline struct smc_genl_msg_pos *
smc_genl_msg_pos(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct smc_genl_msg_pos) > sizeof(cb->ctx));
	return (struct smc_genl_msg_pos *)cb->ctx;
}

/** smc_genl_msg_put - start a message of a dump; NULL if it has no room */
static inline void *smc_genl_msg_put(struct sk_buff *skb,
				     struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &smc_genl_msg_family, NLM_F_MULTI, cmd);
}

/** smc_genl_msg_result - return value of a dump; @err: of the last message */
static inline int smc_genl_msg_result(const struct sk_buff *skb, int err)
{
	/* without room, the next part of the dump starts with this message */
	return err && !skb->len ? err : skb->len;
}

#endif
