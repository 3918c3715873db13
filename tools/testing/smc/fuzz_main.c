// SPDX-License-Identifier: GPL-2.0
/*
 * Driver of the fuzz target with a fixed seed, for machines without libFuzzer
 * and for runs that must repeat.
 *
 *	fuzz_main ROUNDS [SEED]		mutate and run
 *	fuzz_main --seeds DIR		write the messages mutation starts from
 *	fuzz_main --file FILE		run one input, to repeat a finding
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../net/smc/wire/cdc.h"
#include "../../../net/smc/wire/clc.h"
#include "../../../net/smc/wire/frame.h"
#include "../../../net/smc/wire/llc.h"
#include "../../../net/smc/wire/llc_v2.h"
#include "fuzz.h"

enum { SEEDS_MAX = 32, INPUT_MAX = 1024 };

struct input {
	u8 b[INPUT_MAX];
	size_t n;
};

static struct input seeds[SEEDS_MAX];
static unsigned int n_seeds;

static u64 state;

/* xorshift64 */
static u32 rnd(u32 below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (u32)((state >> 16) % below);
}

static void add(enum fuzz_target target, const u8 *msg, int len)
{
	struct input *in = &seeds[n_seeds];

	if (len <= 0 || n_seeds == SEEDS_MAX) {
		fprintf(stderr, "seed %u does not encode\n", n_seeds);
		exit(2);
	}
	in->b[0] = (u8)target;
	memcpy(in->b + 1, msg, (size_t)len);
	in->n = (size_t)len + 1;
	n_seeds++;
}

static void add_clc(void)
{
	struct smc_clc_proposal p = { .version = SMC_CLC_V1,
				      .ipv4_net = 0x0a4d0100, .ipv4_len = 24 };
	struct smc_clc_accept a = { .version = SMC_CLC_V1,
				    .first_contact = true, .qpn = 17,
				    .rmbe_idx = 1, .mtu_code = 3,
				    .rmb_addr = 0x1000 };
	struct smc_clc_decline_msg d = { .version = SMC_CLC_V1,
					 .diagnosis = SMC_DECL_MEM };
	u8 b[SMC_CLC_MAX_LEN] = {};
	size_t len = 80 + 8 + 72 + 4;

	add(FUZZ_PROPOSAL, b, smc_clc_encode_proposal(b, sizeof(b), &p));
	/* Builds a version 2 message with this content, a gap and an
	 * extension.
	 */
	memmove(b + 80, b + 40, 8);
	memmove(b + len - 4, b, 4);
	b[6] = (u8)len;
	b[7] = 0x23;
	b[39] = 40;
	add(FUZZ_PROPOSAL, b, (int)len);
	p.ipv4_net = 0;
	p.ipv4_len = 0;
	p.n6 = 8;
	add(FUZZ_PROPOSAL, b, smc_clc_encode_proposal(b, sizeof(b), &p));
	add(FUZZ_ACCEPT, b, smc_clc_encode_accept(b, sizeof(b),
						  SMC_CLC_ACCEPT, &a));
	add(FUZZ_CONFIRM, b, smc_clc_encode_accept(b, sizeof(b),
						   SMC_CLC_CONFIRM, &a));
	add(FUZZ_DECLINE, b, smc_clc_encode_decline(b, sizeof(b), &d));
}

static void add_clc_v2(void)
{
	struct smc_clc_proposal p = { .version = SMC_CLC_V2, .has_v2 = true,
				      .v2 = { .release = 1, .n_eids = 2 } };
	struct smc_clc_accept a = { .version = SMC_CLC_V2, .qpn = 17,
				    .rmbe_idx = 1, .mtu_code = 3,
				    .first = { .release = 1, .n_gids = 2 } };
	struct smc_clc_decline_msg d = { .version = SMC_CLC_V2 };
	u8 b[SMC_CLC_MAX_LEN] = {};

	add(FUZZ_PROPOSAL, b, smc_clc_encode_proposal(b, sizeof(b), &p));
	p.typev1 = SMC_CLC_OFFER_NONE;
	add(FUZZ_PROPOSAL, b, smc_clc_encode_proposal(b, sizeof(b), &p));
	add(FUZZ_ACCEPT, b, smc_clc_encode_accept(b, sizeof(b),
						  SMC_CLC_ACCEPT, &a));
	a.first_contact = true;
	add(FUZZ_ACCEPT, b, smc_clc_encode_accept(b, sizeof(b),
						  SMC_CLC_ACCEPT, &a));
	add(FUZZ_CONFIRM, b, smc_clc_encode_accept(b, sizeof(b),
						   SMC_CLC_CONFIRM, &a));
	add(FUZZ_DECLINE, b, smc_clc_encode_decline(b, sizeof(b), &d));
}

static void add_llc_v2(void)
{
	struct smc_llc_v2_delete_rkey d = { .n = 20 };
	struct smc_llc_add_link a = { .qpn = 17, .link_num = 2 };
	struct smc_llc_rtok_pair pair[3] = {};
	struct smc_llc_v2_add x = { .n = 3 };
	struct smc_llc_v2_req q = { .n = 3 };
	u8 gids[3 * SMC_GID_LEN] = {};
	u8 b[512];
	u32 rkey[20] = {};

	add(FUZZ_LLC_V2, b, smc_llc_v2_encode_add(b, sizeof(b), &a, &x, pair));
	add(FUZZ_LLC_V2, b, smc_llc_v2_encode_req(b, sizeof(b), &q, gids));
	add(FUZZ_LLC_V2, b, smc_llc_v2_encode_delete_rkey(b, sizeof(b), &d,
							  rkey));
}

static void add_msgs(void)
{
	static const u8 opcodes[] = { 1, 2, 3, 4, 6, 7, 8, 9, 0x0a, 0x80 };
	struct smc_cdc c = { .seq = 1, .token = 7, .prod = 100 };
	u8 b[SMC_LLC_LEN];
	size_t i;

	for (i = 0; i < sizeof(opcodes); i++) {
		memset(b, 1, sizeof(b));
		b[0] = opcodes[i];
		b[1] = SMC_LLC_LEN;
		add(FUZZ_LLC_ANY, b, sizeof(b));
	}
	smc_cdc_encode(b, &c);
	add(FUZZ_CDC, b, sizeof(b));
	/* ref, size 10,000, wrap 1, cursor 5, grant 10,000 */
	memcpy(b, "\0\0\0\0\0\x26\0\0\0\0\x27\x10\0\1\0\0\0\5\0\0\x27\x10\1",
	       23);
	add(FUZZ_STREAM, b, 23);
}

static void add_frames(void)
{
	struct smc_frame_record r = { .token = 7, .prod = 500, .len = 40 };
	struct smc_frame_out f;
	u8 b[256] = {};

	smc_frame_begin(&f, b, sizeof(b));
	add(FUZZ_FRAME, b, (int)smc_frame_end(&f, 16, false));
	smc_frame_begin(&f, b, sizeof(b));
	smc_frame_add(&f, &r);
	r.len = 0;
	r.parts = SMC_FRAME_PARTS;
	r.offer = (struct smc_frame_offer){ 1, 2, 0x10000, 0x10000 };
	r.move = 1;
	r.answer = 1;
	r.urgent = 400;
	smc_frame_add(&f, &r);
	r.parts = SMC_FRAME_ANSWER;
	r.flags = SMC_FRAME_D;
	smc_frame_add(&f, &r);
	add(FUZZ_FRAME, b, (int)smc_frame_end(&f, 16, false));
	/* two records with short heads */
	smc_frame_begin(&f, b, sizeof(b));
	r.parts = SMC_FRAME_PARTS | SMC_FRAME_SHORT;
	r.flags = 0;
	smc_frame_add(&f, &r);
	r.parts = SMC_FRAME_SHORT;
	r.len = 40;
	smc_frame_add(&f, &r);
	add(FUZZ_FRAME, b, (int)smc_frame_end(&f, 16, false));
	memcpy(b, "\x72\xd4\x9b\x1c\xf0\0\7\0\x1c\xf0\0\7", 12);
	add(FUZZ_EXT, b, 12);
}

/* Makes one change of a kind that often breaks parsers. */
static void mutate(struct input *in)
{
	static const u8 magic[] = { 0, 1, 2, 7, 8, 9, 40, 44, 127, 128, 255 };
	size_t at = rnd((u32)in->n);

	switch (rnd(7)) {
	case 0:
		in->b[at] ^= (u8)(1 << rnd(8));
		break;
	case 1:
		in->b[at] = (u8)rnd(256);
		break;
	case 2:
		in->b[at] = magic[rnd(sizeof(magic))];
		break;
	case 3:		/* cut short */
		in->n = 1 + rnd((u32)in->n);
		break;
	case 4:		/* make longer */
		at = rnd(64);
		if (in->n + at > INPUT_MAX)
			break;
		memset(in->b + in->n, (int)rnd(256), at);
		in->n += at;
		break;
	case 5:		/* copy one byte over another */
		in->b[at] = in->b[rnd((u32)in->n)];
		break;
	default:	/* may add a proper frame */
		in->b[0] ^= 0x80;
		break;
	}
}

static int run(unsigned long rounds)
{
	static struct input in;
	unsigned long i;
	u32 k;

	for (k = 0; k < n_seeds; k++)
		LLVMFuzzerTestOneInput(seeds[k].b, seeds[k].n);
	for (i = 0; i < rounds; i++) {
		in = seeds[rnd(n_seeds)];
		for (k = rnd(8); k; k--)
			mutate(&in);
		LLVMFuzzerTestOneInput(in.b, in.n);
	}
	return 0;
}

static int write_seeds(const char *dir)
{
	unsigned int i;
	char name[512];
	FILE *f;

	for (i = 0; i < n_seeds; i++) {
		snprintf(name, sizeof(name), "%s/seed-%02u", dir, i);
		f = fopen(name, "wb");
		if (!f || fwrite(seeds[i].b, seeds[i].n, 1, f) != 1 ||
		    fclose(f)) {
			perror(name);
			return 2;
		}
	}
	return 0;
}

static int run_file(const char *name)
{
	static struct input in;
	FILE *f = fopen(name, "rb");

	if (!f) {
		perror(name);
		return 2;
	}
	in.n = fread(in.b, 1, sizeof(in.b), f);
	fclose(f);
	LLVMFuzzerTestOneInput(in.b, in.n);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long rounds;
	char *end;

	add_clc();
	add_clc_v2();
	add_llc_v2();
	add_msgs();
	add_frames();
	if (argc == 3 && !strcmp(argv[1], "--seeds"))
		return write_seeds(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "--file"))
		return run_file(argv[2]);

	errno = 0;
	rounds = argc > 1 ? strtoul(argv[1], &end, 10) : 0;
	if (argc < 2 || argc > 3 || errno || *end || !rounds) {
		fprintf(stderr, "usage: %s ROUNDS [SEED]\n", argv[0]);
		return 2;
	}
	state = argc == 3 ? strtoull(argv[2], NULL, 0) : 0;
	if (!state)
		state = 0x5eed5eed5eedULL;
	return run(rounds);
}
