// SPDX-License-Identifier: GPL-2.0
/* getsockopt(SOL_SMC, SMC_INFO): describes a socket to its application. */
#include <linux/slab.h>
#include <linux/string.h>
#include "../../../include/uapi/linux/smc.h"
#include "opt_info.h"
#include "sock.h"
#include "sock_info.h"

static void opt_fill_conn(const struct smc_sock_info *info, struct smc_info *out)
{
	out->token = info->conn.token;
	out->rcv_element = info->conn.rmbe_size;
	out->snd_element = info->conn.peer_rmbe_size;
}

static void fill_group(const struct smc_sock_info *info, struct smc_info *out)
{
	const struct smc_lgr_info *lgr = &info->lgr;
	const struct smc_link_info *link = &info->link;

	out->version = lgr->version;
	out->group = lgr->id;
	out->role = lgr->role == SMC_SERV;
	out->ext_version = lgr->ext.version;
	out->ext_caps = lgr->ext.caps;
	if (lgr->in_host) {
		out->path = SMC_INFO_PATH_INHOST;
		return;
	}
	out->path = SMC_INFO_PATH_RDMA;
	out->link = link->num;
	out->port = link->ibport;
	out->ifindex = link->ifindex;
	strscpy(out->device, link->ibname, sizeof(out->device));
	memcpy(out->gid, link->gid, sizeof(out->gid));
	memcpy(out->peer_gid, link->peer_gid, sizeof(out->peer_gid));
}

int smc_opt_info(struct smc_sock *smc, struct smc_info *out)
{
	struct smc_sock_info *info = kmalloc(sizeof(*info), GFP_KERNEL);

	if (!info)
		return -ENOMEM;
	smc_sock_info_get(smc, info);
	memset(out, 0, sizeof(*out));
	out->reason = info->reason;
	out->peer_reason = info->peer_reason;
	if (info->tcp)
		out->mode = SMC_INFO_MODE_TCP;
	else if (info->has_conn)
		out->mode = SMC_INFO_MODE_SMC;
	if (info->has_conn)
		opt_fill_conn(info, out);
	if (info->has_lgr)
		fill_group(info, out);
	kfree(info);
	return 0;
}
