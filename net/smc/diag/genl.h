/* SPDX-License-Identifier: GPL-2.0 */
/* Generic netlink: the commands of both families. */
#ifndef _SMC_DIAG_GENL_H
#define _SMC_DIAG_GENL_H

struct genl_info;
struct netlink_callback;
struct sk_buff;

/* dumps */
int smc_genl_lgrs(struct sk_buff *skb, struct netlink_callback *cb);
int smc_genl_links(struct sk_buff *skb, struct netlink_callback *cb);
int smc_genl_devs(struct sk_buff *skb, struct netlink_callback *cb);
int smc_genl_stats(struct sk_buff *skb, struct netlink_callback *cb);
int smc_genl_fallbacks(struct sk_buff *skb, struct netlink_callback *cb);
int smc_genl_ueids(struct sk_buff *skb, struct netlink_callback *cb);

/* commands */
int smc_genl_lgr_end(struct sk_buff *skb, struct genl_info *info);
int smc_genl_ueid_add(struct sk_buff *skb, struct genl_info *info);
int smc_genl_ueid_remove(struct sk_buff *skb, struct genl_info *info);
int smc_genl_ueid_flush(struct sk_buff *skb, struct genl_info *info);

/* family SMC_PNETID */
int smc_genl_pnet_init(void);
void smc_genl_pnet_exit(void);

int smc_genl_init(void);
void smc_genl_exit(void);

#endif
