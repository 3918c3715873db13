/* SPDX-License-Identifier: GPL-2.0 */
/* Generic netlink: what the rooms of the two families share. */
#ifndef _SMC_DIAG_GENL_H
#define _SMC_DIAG_GENL_H

#include <net/genetlink.h>
#include <net/sock.h>
#include "../../../include/uapi/linux/smc.h"
#include "../../../include/uapi/linux/smc_stats.h"

extern struct genl_family smc_genl_family;

/* Longest name that a dump shows, with its NUL. */
#define SMC_GENL_GID_LEN	40

/**
 * struct smc_genl_pos - where a dump goes on, in cb->ctx
 * @id:		number of the last object told in full
 * @part_of:	object of which part was told
 * @part:	how many messages of it were
 * @done:	all was told
 */
struct smc_genl_pos {
	u32 id;
	u32 part_of;
	u32 part;
	bool done;
};

static inline struct smc_genl_pos *smc_genl_pos(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct smc_genl_pos) > sizeof(cb->ctx));
	return (struct smc_genl_pos *)cb->ctx;
}

/** smc_genl_put - begin a message of a dump; NULL: no room */
static inline void *smc_genl_put(struct sk_buff *skb,
				 struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &smc_genl_family, NLM_F_MULTI, cmd);
}

/** smc_genl_result - what a dump returns; @err: what the last message said */
static inline int smc_genl_result(const struct sk_buff *skb, int err)
{
	/* no room: the message comes first in the next part of the dump */
	return err && !skb->len ? err : skb->len;
}

/* dumps */
int smc_genl_lgrs(struct sk_buff *skb, struct netlink_callback *cb);
int smc_genl_links(struct sk_buff *skb, struct netlink_callback *cb);
int smc_genl_devs(struct sk_buff *skb, struct netlink_callback *cb);
int smc_genl_stats(struct sk_buff *skb, struct netlink_callback *cb);
int smc_genl_fallbacks(struct sk_buff *skb, struct netlink_callback *cb);
int smc_genl_ueids(struct sk_buff *skb, struct netlink_callback *cb);

/* commands */
int smc_genl_ueid_add(struct sk_buff *skb, struct genl_info *info);
int smc_genl_ueid_remove(struct sk_buff *skb, struct genl_info *info);
int smc_genl_ueid_flush(struct sk_buff *skb, struct genl_info *info);

/* family SMC_PNETID */
int smc_genl_pnet_init(void);
void smc_genl_pnet_exit(void);

int smc_genl_init(void);
void smc_genl_exit(void);

#endif
