// SPDX-License-Identifier: GPL-2.0
/*
 * Reads frames with the module's codec, one per line, in hexadecimal digits.
 * For each frame the program prints "malformed", or the number of SENDs in the
 * header and all records: their values, and "wrong" or "sane". If all records
 * are sane, the frame follows that the codec writes of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../net/smc/wire/frame.h"

enum { MESSAGE_MAX = 65535 };

static size_t parse(const char *line, u8 *buf)
{
	unsigned int byte;
	size_t n = 0;

	while (n < MESSAGE_MAX && sscanf(line + 2 * n, "%2x", &byte) == 1)
		buf[n++] = (u8)byte;
	return n;
}

static void print_record(const struct smc_frame_record *r)
{
	printf("%u %u %u %u %llu %llu %u %u ", r->token, r->flags, r->parts,
	       r->len, (unsigned long long)r->prod, (unsigned long long)r->cons,
	       r->window, r->heard);
	if (r->parts & SMC_FRAME_OFFER)
		printf("%u %u %u %u ", r->offer.number, r->offer.rkey,
		       r->offer.offset, r->offer.size);
	if (r->parts & SMC_FRAME_MOVE)
		printf("%u ", r->move);
	if (r->parts & SMC_FRAME_ANSWER)
		printf("%u %llu ", r->answer, (unsigned long long)r->arrived);
	if (r->parts & SMC_FRAME_URGENT)
		printf("%llu ", (unsigned long long)r->urgent);
	printf("%s|", smc_frame_sane(r) ? "sane" : "wrong");
}

static void print_frame(const u8 *buf, size_t n)
{
	static u8 copy[MESSAGE_MAX];
	struct smc_frame_record r;
	struct smc_frame_hdr hdr;
	struct smc_frame_out out;
	struct smc_frame_in in;
	bool sane = true;
	u8 *data;
	size_t i;

	if (smc_frame_open(&in, buf, n, &hdr)) {
		puts("malformed");
		return;
	}
	printf("%u|%u|", hdr.taken, hdr.waited);
	smc_frame_begin(&out, copy, sizeof(copy));
	while (smc_frame_next(&in, &r)) {
		print_record(&r);
		data = smc_frame_add(&out, &r);
		if (data)
			memcpy(data, r.data, r.len);
		else
			sane = false;
	}
	if (sane) {
		n = smc_frame_end(&out, hdr.taken, hdr.waited);
		for (i = 0; i < n; i++)
			printf("%02x", copy[i]);
	}
	putchar('\n');
}

int main(void)
{
	static char line[2 * MESSAGE_MAX + 2];
	static u8 buf[MESSAGE_MAX];

	while (fgets(line, sizeof(line), stdin))
		print_frame(buf, parse(line, buf));
	return 0;
}
