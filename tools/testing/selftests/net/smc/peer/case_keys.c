// SPDX-License-Identifier: GPL-2.0
/*
 * Tests sockets with keys for TCP (TCP_MD5SIG and TCP-AO). TCP signs only its
 * own segments, so data on another path would not be authentic. Both ends are
 * in one process.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

#ifndef TCP_AO_ADD_KEY
#define TCP_AO_ADD_KEY 38
#endif

/* struct tcp_ao_add of linux/tcp.h; older headers do not have it. */
struct ao_key {
	struct sockaddr_storage addr;
	char alg_name[64];
	int32_t ifindex;
	uint32_t flags;
	uint16_t reserved;
	uint8_t prefix, sndid, rcvid, maclen, keyflags, keylen;
	uint8_t key[80];
} __attribute__((aligned(8)));

enum {
	REASON_PEER_NO_SMC = 0x03010000,
	REASON_OPTION = 0x03060000,
};

static void set_address(struct sockaddr_storage *to, const char *peer)
{
	struct sockaddr_in *sin = (struct sockaddr_in *)to;
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)to;

	if (family_is_v6(cfg.family)) {
		sin6->sin6_family = AF_INET6;
		RETURNS(1, inet_pton(AF_INET6, peer, &sin6->sin6_addr));
	} else {
		sin->sin_family = AF_INET;
		RETURNS(1, inet_pton(AF_INET, peer, &sin->sin_addr));
	}
}

static void set_key(int fd, int option, const void *key, socklen_t len)
{
	if (!setsockopt(fd, IPPROTO_TCP, option, key, len))
		return;
	CHECK(errno == ENOPROTOOPT, "option %d: %s", option, strerrorname(errno));
	skip_case("this kernel has no such keys for TCP");
}

static void set_md5_key(int fd, const char *peer)
{
	struct tcp_md5sig key = { .tcpm_keylen = 6, .tcpm_key = "secret" };

	set_address((struct sockaddr_storage *)&key.tcpm_addr, peer);
	set_key(fd, TCP_MD5SIG, &key, sizeof(key));
}

static void set_ao_key(int fd, const char *peer)
{
	struct ao_key key = { .alg_name = "hmac(sha1)", .sndid = 100,
			      .rcvid = 100, .keylen = 6, .key = "secret" };

	set_address(&key.addr, peer);
	key.prefix = family_is_v6(cfg.family) ? 128 : 32;
	set_key(fd, TCP_AO_ADD_KEY, &key, sizeof(key));
}

static const char *other(void)
{
	return family_is_v6(cfg.family) ? "2001:db8::1" : "198.51.100.1";
}

static void md5_for_peer(int fd)
{
	set_md5_key(fd, cfg.host);
}

static void ao_for_peer(int fd)
{
	set_ao_key(fd, cfg.host);
}

static void md5_for_other(int fd)
{
	if (cfg.server)
		set_md5_key(fd, other());
}

static void ao_for_other(int fd)
{
	if (cfg.server)
		set_ao_key(fd, other());
}

static void exchange(int fd)
{
	if (cfg.server) {
		send_all(fd, "x", 1);
		expect_end(fd);
	} else {
		recv_text(fd, "x");
		close(fd);
	}
}

static void expect_tcp(int fd, uint32_t reason)
{
	cfg.own = (struct expect){ .mode = MODE_TCP, .check_reason = true,
				   .reason = reason };
	check_mode(fd);
}

static void signed_by(void (*set)(int fd))
{
	int fd = meet_with(set);

	expect_tcp(fd, cfg.server ? REASON_PEER_NO_SMC : REASON_OPTION);
	exchange(fd);
}

static void signed_end(void)
{
	signed_by(md5_for_peer);
}

static void signed_ao_end(void)
{
	signed_by(ao_for_peer);
}

/* Checks that a key that a listener has for one peer does not affect the
 * connections of other peers.
 */
static void unsigned_by(void (*set)(int fd))
{
	int fd = meet_with(set);

	cfg.own = (struct expect){ .mode = MODE_INHOST };
	check_mode(fd);
	exchange(fd);
}

static void unsigned_end(void)
{
	unsigned_by(md5_for_other);
}

static void unsigned_ao_end(void)
{
	unsigned_by(ao_for_other);
}

static const struct peer_case keys_cases[] = {
	{ "signed", signed_end, signed_end },
	{ "not_signed", unsigned_end, unsigned_end },
	{ "signed_ao", signed_ao_end, signed_ao_end },
	{ "not_signed_ao", unsigned_ao_end, unsigned_ao_end },
};

const struct case_group group_keys = {
	"keys", keys_cases, ARRAY_SIZE(keys_cases), .by_name_only = true
};
