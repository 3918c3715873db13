/* SPDX-License-Identifier: GPL-2.0 */
/* The ends of netlink answers. */
#ifndef SMC_TOOLS_NETLINK_H
#define SMC_TOOLS_NETLINK_H

#include <errno.h>
#include <string.h>
#include <libmnl/libmnl.h>
#include <linux/netlink.h>

/* callback of libmnl for NLMSG_DONE: a dump that fails ends with its error */
static inline int smc_netlink_done(const struct nlmsghdr *nlh, void *data)
{
	int err = 0;

	(void)data;
	if (mnl_nlmsg_get_payload_len(nlh) >= sizeof(err))
		memcpy(&err, mnl_nlmsg_get_payload(nlh), sizeof(err));
	if (err >= 0)
		return MNL_CB_STOP;
	errno = -err;
	return MNL_CB_ERROR;
}

/*
 * callback of libmnl for NLMSG_ERROR, which also ends an acknowledged request
 */
static inline int smc_netlink_error(const struct nlmsghdr *nlh, void *data)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);

	(void)data;
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*err)) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	if (!err->error)
		return MNL_CB_STOP;
	errno = -err->error;
	return MNL_CB_ERROR;
}

/* like mnl_cb_run(), but a dump that fails is an error */
static inline int smc_netlink_run(const void *buf, size_t n, unsigned int seq,
				  unsigned int portid, mnl_cb_t cb, void *data)
{
	mnl_cb_t control[] = {
		[NLMSG_ERROR] = smc_netlink_error,
		[NLMSG_DONE] = smc_netlink_done,
	};

	return mnl_cb_run2(buf, n, seq, portid, cb, data, control,
			   NLMSG_DONE + 1);
}

#endif
