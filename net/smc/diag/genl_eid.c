// SPDX-License-Identifier: GPL-2.0
/* Commands and view of the user EIDs. */
#include "../base/pernet.h"
#include "../base/ueid.h"
#include "genl.h"
#include "genl_msg.h"

static struct smc_ueids *ueids_of(const struct net *net)
{
	return &smc_pernet(net)->ueids;
}

/* Existing tools send exactly SMC_EID_LEN bytes, padded with blanks. */
static const u8 *eid_of(struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[SMC_A_UEID_ENTRY];

	if (!attr) {
		GENL_SET_ERR_MSG(info, "the EID is missing");
		return NULL;
	}
	if (nla_len(attr) != SMC_MAX_EID_LEN + 1) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "an EID is 32 characters, padded with blanks, and a NUL");
		return NULL;
	}
	return nla_data(attr);
}

/* Adds a message in words to an error of the table. */
static void explain_error(struct genl_info *info, int err)
{
	switch (err) {
	case -EINVAL:
		GENL_SET_ERR_MSG(info, "an EID is A-Z, 0-9, '.', '-'; first a letter or digit");
		break;
	case -ERANGE:
		GENL_SET_ERR_MSG(info, "the table has no room for another EID");
		break;
	case -EEXIST:
		GENL_SET_ERR_MSG(info, "this EID is in the table already");
		break;
	case -ENOENT:
		GENL_SET_ERR_MSG(info, "this EID is not in the table");
		break;
	}
}

int smc_genl_ueid_add(struct sk_buff *skb, struct genl_info *info)
{
	const u8 *eid = eid_of(info);
	int err;

	if (!eid)
		return -EINVAL;
	err = smc_ueid_add(ueids_of(genl_info_net(info)), eid);
	explain_error(info, err);
	return err;
}

int smc_genl_ueid_remove(struct sk_buff *skb, struct genl_info *info)
{
	const u8 *eid = eid_of(info);
	int err;

	if (!eid)
		return -EINVAL;
	err = smc_ueid_remove(ueids_of(genl_info_net(info)), eid);
	explain_error(info, err);
	return err;
}

int smc_genl_ueid_flush(struct sk_buff *skb, struct genl_info *info)
{
	smc_ueid_flush(ueids_of(genl_info_net(info)));
	return 0;
}

static int put_eid(struct sk_buff *skb, struct netlink_callback *cb,
		   const u8 *eid)
{
	char text[SMC_MAX_EID_LEN + 1] = {};
	void *msg;

	msg = smc_genl_msg_put(skb, cb, SMC_CMD_UEID_DUMP);
	if (!msg)
		return -EMSGSIZE;
	memcpy(text, eid, SMC_MAX_EID_LEN);
	if (nla_put_string(skb, SMC_A_UEID_ENTRY, text)) {
		genlmsg_cancel(skb, msg);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, msg);
	return 0;
}

int smc_genl_ueids(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smc_genl_msg_pos *pos = smc_genl_msg_pos(cb);
	struct smc_eids table;
	int err = 0;

	smc_ueid_snapshot(ueids_of(sock_net(skb->sk)), &table);
	while (pos->id < table.n) {
		err = put_eid(skb, cb, table.eid[pos->id]);
		if (err)
			break;
		pos->id++;
	}
	return smc_genl_msg_result(skb, err);
}
