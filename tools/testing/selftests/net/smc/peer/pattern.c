// SPDX-License-Identifier: GPL-2.0
/*
 * Every 8 bytes of a stream are its block number, multiplied by an odd constant
 * and mixed with the stream's seed. The multiplication and the mixing can be
 * reversed, so wrong data shows its origin.
 */
#include "util.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#define MULTIPLIER	0x9e3779b97f4a7c15ULL
#define INVERSE		0xf1de83e19937733dULL

enum {
	/* Streams are shorter than this many blocks of 8 bytes. */
	MAX_BLOCK_BITS = 40,
};

void stream_init(struct stream *s, unsigned int id)
{
	s->seed = (id + 1) * 0xd1342543de82ef95ULL;
	s->pos = 0;
}

static uint64_t block_content(const struct stream *s, uint64_t block)
{
	return htole64(block * MULTIPLIER ^ s->seed);
}

/* Writes the content from @pos on, at most to the end of the block. */
static size_t part_of_block(const struct stream *s, uint64_t pos, uint8_t *to,
			    size_t len)
{
	uint64_t content = block_content(s, pos / 8);
	size_t from = pos % 8;
	size_t n = min_of(len, 8 - from);

	memcpy(to, (uint8_t *)&content + from, n);
	return n;
}

static void fill(const struct stream *s, uint64_t pos, uint8_t *to, size_t len)
{
	uint64_t content;
	size_t n;

	if (pos % 8) {
		n = part_of_block(s, pos, to, len);
		pos += n;
		to += n;
		len -= n;
	}
	for (; len >= 8; len -= 8, pos += 8, to += 8) {
		content = block_content(s, pos / 8);
		memcpy(to, &content, 8);
	}
	if (len)
		part_of_block(s, pos, to, len);
}

void stream_fill(struct stream *s, void *buf, size_t len)
{
	fill(s, s->pos, buf, len);
	s->pos += len;
}

/* Finds the stream position of these bytes. Returns false if there is none. */
static bool locate(const struct stream *s, const uint8_t *at, size_t len,
		   uint64_t *pos)
{
	uint64_t first, second;
	size_t shift;

	for (shift = 0; shift < 8 && shift + 16 <= len; shift++) {
		memcpy(&first, at + shift, 8);
		memcpy(&second, at + shift + 8, 8);
		first = (le64toh(first) ^ s->seed) * INVERSE;
		second = (le64toh(second) ^ s->seed) * INVERSE;
		if (second != first + 1 || first >> MAX_BLOCK_BITS)
			continue;
		*pos = first * 8 - shift;
		return true;
	}
	return false;
}

__attribute__((noreturn))
static void complain(const struct stream *s, const uint8_t *at, size_t len,
		     uint64_t pos)
{
	unsigned long long want = pos;
	uint64_t got;

	if (locate(s, at, len, &got) && got != pos)
		fail("at byte %llu: data of byte %llu (%llu %s)", want,
		     (unsigned long long)got,
		     (unsigned long long)(got > pos ? got - pos : pos - got),
		     got > pos ? "lost" : "repeated");
	fail("at byte %llu: foreign data %02x %02x %02x %02x", want, at[0],
	     len > 1 ? at[1] : 0, len > 2 ? at[2] : 0, len > 3 ? at[3] : 0);
}

void stream_check(struct stream *s, const void *buf, size_t len)
{
	const uint8_t *at = buf;
	uint8_t want[4096];
	size_t i, n, left;

	for (left = len; left; left -= n, at += n) {
		n = min_of(left, sizeof(want));
		fill(s, s->pos, want, n);
		if (memcmp(at, want, n)) {
			for (i = 0; at[i] == want[i]; i++)
				;
			complain(s, at + i, left - i, s->pos + i);
		}
		s->pos += n;
	}
}
