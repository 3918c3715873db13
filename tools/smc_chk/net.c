// SPDX-License-Identifier: GPL-2.0
/* Sockets, and the kernel's data about them. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/smc.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "genl.h"
#include "names.h"
#include "pnet.h"
#include "smc_chk.h"

int chk_socket(int family, bool smc)
{
	const struct timeval limit = { .tv_sec = CHK_TIMEOUT_S };
	int protocol = family == AF_INET6 ? SMCPROTO_SMC6 : SMCPROTO_SMC;
	int fd;

	fd = socket(smc ? AF_SMC : family, SOCK_STREAM | SOCK_CLOEXEC,
		    smc ? protocol : 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

/* Asks the socket itself. Only our module answers, and it needs no smc_diag. */
static bool ask_socket(int fd, struct smc_socket *found)
{
	struct smc_info info = {};
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SMC, SMC_INFO, &info, &len) ||
	    info.mode == SMC_INFO_MODE_NONE)
		return false;
	memset(found, 0, sizeof(*found));
	found->state = SMC_STATE_ACTIVE;
	found->mode = info.mode == SMC_INFO_MODE_TCP ?
		      SMC_DIAG_MODE_FALLBACK_TCP : SMC_DIAG_MODE_SMCR;
	found->fallback.reason = info.reason;
	found->fallback.peer_diagnosis = info.peer_reason;
	if (info.path == SMC_INFO_PATH_INHOST)
		strcpy(found->transport, "in-host");
	found->has_lgr = info.path == SMC_INFO_PATH_RDMA;
	snprintf((char *)found->lgr.ibname, sizeof(found->lgr.ibname), "%.63s",
		 info.device);
	found->lgr.ibport = info.port;
	return true;
}

int chk_find(int fd, struct smc_socket *found)
{
	struct smc_socket *list = NULL;
	size_t i, nr = 0;
	struct stat st;
	int err;

	if (ask_socket(fd, found))
		return 0;
	if (fstat(fd, &st))
		return -errno;
	err = smc_sockdiag_list(SMC_DIAG_EXT(SMC_DIAG_LGRINFO), &list, &nr);
	if (err)
		return err;
	err = -ESRCH;
	for (i = 0; i < nr && err; i++) {
		if (list[i].inode != st.st_ino)
			continue;
		*found = list[i];
		err = 0;
	}
	free(list);
	return err;
}

static const void *ip_of(const struct sockaddr_storage *addr, size_t *len)
{
	const struct sockaddr_in6 *in6 = (const void *)addr;
	const struct sockaddr_in *in = (const void *)addr;

	*len = addr->ss_family == AF_INET6 ? 16 : 4;
	return *len == 16 ? (const void *)&in6->sin6_addr :
			    (const void *)&in->sin_addr;
}

void chk_address(const struct sockaddr_storage *addr, char *buf, size_t size)
{
	size_t len;

	inet_ntop(addr->ss_family, ip_of(addr, &len), buf, size);
}

/* Which source address does this host choose for packets to @addr? */
static bool source_of(const struct sockaddr_storage *addr,
		      struct sockaddr_storage *src)
{
	int fd = socket(addr->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*src);
	bool ok;

	if (fd < 0)
		return false;
	ok = !connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) &&
	     !getsockname(fd, (struct sockaddr *)src, &len);
	close(fd);
	return ok;
}

void chk_interface(const struct sockaddr_storage *addr, char *buf, size_t size)
{
	struct sockaddr_storage src, own;
	struct ifaddrs *all, *i;
	const void *ip;
	size_t len, n;

	buf[0] = '\0';
	if (!source_of(addr, &src) || getifaddrs(&all))
		return;
	ip = ip_of(&src, &len);
	for (i = all; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != src.ss_family)
			continue;
		memset(&own, 0, sizeof(own));
		memcpy(&own, i->ifa_addr, len == 16 ?
		       sizeof(struct sockaddr_in6) :
		       sizeof(struct sockaddr_in));
		if (!memcmp(ip_of(&own, &n), ip, len))
			snprintf(buf, size, "%s", i->ifa_name);
	}
	freeifaddrs(all);
}

struct search {
	unsigned int ifindex;
	const char *network;	/* PNETID of the interface; empty: none */
	bool active;		/* only a port that is active */
	char *device;
	size_t size;
	char pnetid[SMC_MAX_PNETID_LEN + 1];
	int found;
};

static void take_device(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	static const unsigned int ports[] = { SMC_A_DEV_PORT, SMC_A_DEV_PORT2 };
	struct search *s = arg;
	struct smc_attrs d, p;
	unsigned int i;

	(void)cmd;
	if (!smc_attr_nest(top, SMC_A_DEV_SMCR, &d))
		return;
	for (i = 0; i < 2; i++) {
		if (!smc_attr_nest(&d, ports[i], &p) ||
		    (s->active && !smc_attr_number(&p, SMC_A_PORT_STATE)) ||
		    !smc_pnet_serves(s->network,
				     smc_attr_text(&p, SMC_A_PORT_PNETID),
				     smc_attr_number(&p, SMC_A_PORT_NETDEV) ==
				     s->ifindex))
			continue;
		s->found = 1;
		snprintf(s->device, s->size, "%s port %u",
			 smc_attr_text(&d, SMC_A_DEV_IB_NAME), i + 1);
		snprintf(s->pnetid, sizeof(s->pnetid), "%s",
			 smc_attr_text(&p, SMC_A_PORT_PNETID));
	}
}

int chk_rnic(const char *interface, char *device, size_t size,
	     char network[SMC_MAX_PNETID_LEN + 1])
{
	struct search s = { .device = device, .size = size, .active = true };
	static struct smc_pnet_table nets;
	int err;

	s.ifindex = if_nametoindex(interface);
	if (!s.ifindex)
		return 0;
	err = smc_pnet_read(&nets);
	if (err)
		return err;
	s.network = smc_pnet_of(&nets, interface);
	strcpy(network, s.network);
	err = smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_DEV_SMCR,
			    take_device, &s);
	return err ?: s.found;
}

/* The table of the user comes first, then the PNETIDs that devices report. */
int chk_pnetid(const char *interface, char *pnetid, size_t size)
{
	char device[IF_NAMESIZE + 64];
	struct search s = { .device = device, .size = sizeof(device),
			    .network = "" };
	static struct smc_pnet_table nets;
	int err;

	err = smc_pnet_read(&nets);
	snprintf(pnetid, size, "%s", smc_pnet_of(&nets, interface));
	if (err || *pnetid)
		return err ?: 1;
	s.ifindex = if_nametoindex(interface);
	if (s.ifindex)
		err = smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_DEV_SMCR,
				    take_device, &s);
	snprintf(pnetid, size, "%s", s.pnetid);
	return err ?: s.found;
}
