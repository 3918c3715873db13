// SPDX-License-Identifier: GPL-2.0
#include "genl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "netlink.h"

enum {
	BUFFER_BYTES	= 64 * 1024,
	REQUEST_BYTES	= 512,
	RECV_TIMEOUT_S	= 10,
	WORDS_BYTES	= 256,
};

struct run {
	smc_genl_cb cb;
	void *arg;
};

static char words[WORDS_BYTES];

const char *smc_genl_words(void)
{
	return words;
}

/* ---- attributes ---- */

static void keep(const struct nlattr *attr, struct smc_attrs *found)
{
	if (mnl_attr_get_type(attr) < SMC_GENL_ATTRS)
		found->a[mnl_attr_get_type(attr)] = attr;
}

void smc_attrs_of(const struct nlattr *nest, struct smc_attrs *found)
{
	const struct nlattr *attr;

	memset(found, 0, sizeof(*found));
	mnl_attr_for_each_nested(attr, nest)
		keep(attr, found);
}

uint64_t smc_attr_number(const struct smc_attrs *t, unsigned int type)
{
	const struct nlattr *attr = t->a[type];

	if (!attr)
		return 0;
	switch (mnl_attr_get_payload_len(attr)) {
	case sizeof(uint8_t):
		return mnl_attr_get_u8(attr);
	case sizeof(uint16_t):
		return mnl_attr_get_u16(attr);
	case sizeof(uint32_t):
		return mnl_attr_get_u32(attr);
	case sizeof(uint64_t):
		return mnl_attr_get_u64(attr);
	default:
		return 0;
	}
}

const char *smc_attr_text(const struct smc_attrs *t, unsigned int type)
{
	const struct nlattr *attr = t->a[type];

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
		return "";
	return mnl_attr_get_str(attr);
}

bool smc_attr_nest(const struct smc_attrs *t, unsigned int type,
		   struct smc_attrs *found)
{
	memset(found, 0, sizeof(*found));
	if (!t->a[type])
		return false;
	smc_attrs_of(t->a[type], found);
	return true;
}

/* ---- messages ---- */

static int take_message(const struct nlmsghdr *nlh, void *data)
{
	const struct genlmsghdr *head = mnl_nlmsg_get_payload(nlh);
	const struct run *run = data;
	const struct nlattr *attr;
	struct smc_attrs top = {};

	mnl_attr_for_each(attr, nlh, sizeof(*head))
		keep(attr, &top);
	if (run->cb)
		run->cb(head->cmd, &top, run->arg);
	return MNL_CB_OK;
}

static void take_words(const struct nlmsghdr *nlh, size_t offset)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, offset) {
		if (mnl_attr_get_type(attr) != NLMSGERR_ATTR_MSG ||
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
			continue;
		snprintf(words, sizeof(words), "%s", mnl_attr_get_str(attr));
	}
}

static int take_error(const struct nlmsghdr *nlh, void *data)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t offset = sizeof(*err);

	if (mnl_nlmsg_get_payload_len(nlh) >= sizeof(*err) && err->error) {
		if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
			offset += err->msg.nlmsg_len - sizeof(err->msg);
		if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
			take_words(nlh, offset);
	}
	return smc_netlink_error(nlh, data);
}

static int read_answers(struct mnl_socket *nl, unsigned int seq,
			struct run *run)
{
	mnl_cb_t control[] = {
		[NLMSG_ERROR] = take_error,
		[NLMSG_DONE] = smc_netlink_done,
	};
	char *buf = malloc(BUFFER_BYTES);
	int err = buf ? 0 : -ENOMEM;
	ssize_t n;

	while (!err) {
		n = mnl_socket_recvfrom(nl, buf, BUFFER_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n >= 0)
			n = mnl_cb_run2(buf, n, seq, mnl_socket_get_portid(nl),
					take_message, run, control,
					ARRAY_SIZE(control));
		if (n < 0)
			err = errno == EAGAIN ? -ETIMEDOUT : -errno;
		else if (n == MNL_CB_STOP)
			break;
	}
	free(buf);
	return err;
}

static struct nlmsghdr *request(char *buf, uint16_t type, uint8_t cmd,
				uint16_t flags, unsigned int seq)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *head;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = seq;
	head = mnl_nlmsg_put_extra_header(nlh, sizeof(*head));
	head->cmd = cmd;
	head->version = 1;
	return nlh;
}

static int transact(struct mnl_socket *nl, const struct nlmsghdr *nlh,
		    struct run *run)
{
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	return read_answers(nl, nlh->nlmsg_seq, run);
}

static void take_id(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	(void)cmd;
	*(uint16_t *)arg = smc_attr_number(top, CTRL_ATTR_FAMILY_ID);
}

/* This request makes the kernel load the module. */
static int find_family(struct mnl_socket *nl, const char *family, uint16_t *id)
{
	struct run run = { .cb = take_id, .arg = id };
	char buf[REQUEST_BYTES];
	struct nlmsghdr *nlh;

	nlh = request(buf, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK, 1);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, family);
	return transact(nl, nlh, &run);
}

static int call(struct mnl_socket *nl, const char *family, uint8_t cmd,
		uint16_t flags, const struct smc_param *p, unsigned int n,
		struct run *run)
{
	char buf[REQUEST_BYTES];
	struct nlmsghdr *nlh;
	uint16_t id = 0;
	int err;

	err = find_family(nl, family, &id);
	if (err)
		return err;
	words[0] = '\0';
	nlh = request(buf, id, cmd, flags, 2);
	for (; n--; p++) {
		bool ok;

		if (p->text)
			ok = mnl_attr_put_strz_check(nlh, sizeof(buf), p->type,
						     p->text);
		else if (p->wide)
			ok = mnl_attr_put_u32_check(nlh, sizeof(buf), p->type,
						    p->number);
		else
			ok = mnl_attr_put_u8_check(nlh, sizeof(buf), p->type,
						   p->number);
		if (!ok)
			return -EINVAL;
	}
	return transact(nl, nlh, run);
}

static int with_socket(const char *family, uint8_t cmd, uint16_t flags,
		       const struct smc_param *p, unsigned int n,
		       struct run *run)
{
	const struct timeval timeout = { .tv_sec = RECV_TIMEOUT_S };
	struct mnl_socket *nl = mnl_socket_open(NETLINK_GENERIC);
	const int on = 1;
	int err;

	if (!nl)
		return -errno;
	setsockopt(mnl_socket_get_fd(nl), SOL_SOCKET, SO_RCVTIMEO, &timeout,
		   sizeof(timeout));
	mnl_socket_setsockopt(nl, NETLINK_EXT_ACK, (void *)&on, sizeof(on));
	err = mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0 ? -errno : 0;
	if (!err)
		err = call(nl, family, cmd, flags, p, n, run);
	mnl_socket_close(nl);
	return err;
}

int smc_genl_dump(const char *family, uint8_t cmd, smc_genl_cb cb, void *arg)
{
	struct run run = { .cb = cb, .arg = arg };

	return with_socket(family, cmd, NLM_F_DUMP, NULL, 0, &run);
}

int smc_genl_ask(const char *family, uint8_t cmd,
		 const struct smc_param *params, unsigned int n,
		 smc_genl_cb cb, void *arg)
{
	struct run run = { .cb = cb, .arg = arg };

	/* Messages of the kernel end with a newline of their own. */
	return with_socket(family, cmd, cb ? 0 : NLM_F_ACK, params, n, &run);
}

const char *smc_genl_why(int err)
{
	if (err == -ENOENT && !words[0])
		return "the SMC module is not loaded: modprobe smc";
	if (err == -EPERM)
		return "this needs the privilege CAP_NET_ADMIN";
	return words[0] ? words : strerror(-err);
}

int smc_genl_fail(const char *tool, int err)
{
	fprintf(stderr, "%s: %s\n", tool, smc_genl_why(err));
	return EXIT_FAILURE;
}

int smc_flush(const char *tool)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_SUCCESS;
	fprintf(stderr, "%s: cannot write: %s\n", tool, strerror(errno));
	return EXIT_FAILURE;
}

void smc_json_string(const char *text)
{
	const unsigned char *c;

	putchar('"');
	for (c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			printf("\\%c", *c);
		else if (*c < 0x20 || *c >= 0x7f)
			printf("\\u%04x", *c);
		else
			putchar(*c);
	}
	putchar('"');
}
