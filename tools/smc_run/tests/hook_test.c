// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the BPF program of "smc_run --bpf" with an interpreter of the few
 * instructions that it has, and the search in type information with the bytes
 * of a small kernel, cut at each length.
 */
#include <errno.h>
#include <linux/btf.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/smc.h>

#include "hook.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MAP 77	/* number of the map in the program */

static int failures;

static void expect(const char *what, long long wanted, long long got)
{
	if (wanted == got)
		return;
	printf("%s: %lld, not %lld\n", what, got, wanted);
	failures++;
}

/* ---- the program ---- */

static uint64_t jump(const struct bpf_insn *in, const uint64_t *r)
{
	uint64_t left = r[in->dst_reg];
	uint64_t right = BPF_SRC(in->code) == BPF_X ? r[in->src_reg] :
						      (uint64_t)in->imm;
	int equal = BPF_CLASS(in->code) == BPF_JMP32 ?
		    (uint32_t)left == (uint32_t)right : left == right;

	return BPF_OP(in->code) == BPF_JEQ ? equal : !equal;
}

static void compute(const struct bpf_insn *in, uint64_t *r)
{
	uint64_t v = BPF_SRC(in->code) == BPF_X ? r[in->src_reg] :
						  (uint64_t)in->imm;

	if (BPF_OP(in->code) == BPF_AND)
		v &= r[in->dst_reg];
	else if (BPF_OP(in->code) != BPF_MOV)
		expect("operation", BPF_MOV, BPF_OP(in->code));
	r[in->dst_reg] = BPF_CLASS(in->code) == BPF_ALU ? (uint32_t)v : v;
}

/* Calls the program. @under: what the kernel says about the cgroup. */
static int run(const uint64_t *args, int64_t under)
{
	struct bpf_insn insn[HOOK_INSNS];
	unsigned int n = hook_program(insn, MAP);
	uint64_t r[11] = { [1] = (uintptr_t)args };
	unsigned int i, reg;

	expect("room", 1, n <= HOOK_INSNS);
	for (i = 0; i < n; i++) {
		const struct bpf_insn *in = &insn[i];

		switch (BPF_CLASS(in->code)) {
		case BPF_ALU:
		case BPF_ALU64:
			compute(in, r);
			break;
		case BPF_LDX:
			memcpy(&r[in->dst_reg], (char *)r[in->src_reg] + in->off,
			       sizeof(uint64_t));
			break;
		case BPF_LD:
			expect("map", BPF_PSEUDO_MAP_FD, in->src_reg);
			r[in->dst_reg] = (uint32_t)in->imm;
			i++;
			break;
		default:
			if (BPF_OP(in->code) == BPF_EXIT)
				return r[0];
			if (BPF_OP(in->code) != BPF_CALL) {
				if (jump(in, r))
					i += in->off;
				break;
			}
			expect("function", BPF_FUNC_current_task_under_cgroup,
			       in->imm);
			expect("its map", MAP, r[1]);
			expect("its element", 0, r[2]);
			r[0] = under;
			/* a call destroys these registers */
			for (reg = 1; reg <= 5; reg++)
				r[reg] = 0xdead;
		}
	}
	expect("exit", 1, 0);
	return -1;
}

static void program(void)
{
	/* the kernel passes int, so the upper halves may be anything */
	const uint64_t junk = 0xabcd00000000;
	static const struct {
		int family, type, protocol;
		int64_t under;
		int result;
	} rows[] = {
		{ AF_INET, SOCK_STREAM, 0, 1, 256 },
		{ AF_INET, SOCK_STREAM, IPPROTO_TCP, 1, 256 },
		{ AF_INET6, SOCK_STREAM, 0, 1, 256 },
		{ AF_INET6, SOCK_STREAM, IPPROTO_TCP, 1, 256 },
		{ AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0, 1, 256 },
		{ AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 6, 1, 256 },
		{ AF_INET, SOCK_STREAM, 0, 0, 0 },
		{ AF_INET, SOCK_STREAM, IPPROTO_TCP, 0, 6 },
		{ AF_INET, SOCK_STREAM, IPPROTO_TCP, -EAGAIN, 6 },
		{ AF_INET, SOCK_STREAM, IPPROTO_SCTP, 1, IPPROTO_SCTP },
		{ AF_INET, SOCK_STREAM, 262, 1, 262 },
		{ AF_INET, SOCK_STREAM, -1, 1, -1 },
		{ AF_INET, SOCK_DGRAM, 0, 1, 0 },
		{ AF_INET, SOCK_DGRAM, IPPROTO_UDP, 1, IPPROTO_UDP },
		{ AF_INET, SOCK_SEQPACKET, 0, 1, 0 },
		{ AF_UNIX, SOCK_STREAM, 0, 1, 0 },
		{ 43, SOCK_STREAM, 1, 1, 1 },
		{ -1, SOCK_STREAM, 0, 1, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t args[4] = {
			junk | (uint32_t)rows[i].family,
			junk | (uint32_t)rows[i].type,
			junk | (uint32_t)rows[i].protocol,
		};
		char what[32];

		snprintf(what, sizeof(what), "row %zu", i);
		expect(what, rows[i].result, run(args, rows[i].under));
	}
}

/* ---- type information ---- */

static const char strings[] = "\0int\0struct_with_member\0wanted\0wanted_too";

enum { NAME_INT = 1, NAME_STRUCT = 5, NAME_WANTED = 24, NAME_TOO = 31 };

struct kernel {
	struct btf_header h;
	struct btf_type integer;
	uint32_t bits;
	struct btf_type structure;
	struct btf_member member;
	struct btf_type proto;
	struct btf_param param;
	struct btf_type variable;	/* has the name of the function */
	struct btf_var linkage;
	struct btf_type other;
	struct btf_type function;
	char strings[sizeof(strings)];
};

#define INFO(kind, n) ((uint32_t)(kind) << 24 | (n))

/* without the padding at the end */
#define BYTES (offsetof(struct kernel, strings) + sizeof(strings))

static const struct kernel kernel = {
	.h = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(struct btf_header),
		.type_len = offsetof(struct kernel, strings) -
			    sizeof(struct btf_header),
		.str_off = offsetof(struct kernel, strings) -
			   sizeof(struct btf_header),
		.str_len = sizeof(strings),
	},
	.integer = { NAME_INT, INFO(BTF_KIND_INT, 0), { 4 } },
	.structure = { NAME_STRUCT, INFO(BTF_KIND_STRUCT, 1), { 4 } },
	.proto = { 0, INFO(BTF_KIND_FUNC_PROTO, 1), { 1 } },
	.variable = { NAME_WANTED, INFO(BTF_KIND_VAR, 0), { 1 } },
	.other = { NAME_TOO, INFO(BTF_KIND_FUNC, 1), { 3 } },
	.function = { NAME_WANTED, INFO(BTF_KIND_FUNC, 1), { 3 } },
	.strings = "\0int\0struct_with_member\0wanted\0wanted_too",
};

/* hook_find() with memory of exactly this size, so that each read behind it is
 * noticed
 */
static int find(const struct kernel *k, size_t size, const char *name)
{
	void *copy = malloc(size ? size : 1);
	int id;

	memcpy(copy, k, size);
	id = hook_find(copy, size, name);
	free(copy);
	return id;
}

static void search(void)
{
	struct kernel k = kernel;
	size_t n;

	expect("string", 0, strcmp(strings + NAME_WANTED, "wanted"));
	expect("found", 6, find(&k, BYTES, "wanted"));
	expect("found, longer", 5, find(&k, BYTES, "wanted_too"));
	expect("absent", 0, find(&k, BYTES, "want"));
	expect("no function", 0, find(&k, BYTES, "int"));
	expect("longer than all strings", 0,
	       find(&k, BYTES, "a name that is longer than all strings of the kernel"));
	for (n = 0; n < BYTES; n++)
		expect("cut", -1, find(&k, n, "wanted"));
	k.h.magic++;
	expect("magic", -1, find(&k, BYTES, "wanted"));
	k = kernel;
	k.structure.info = INFO(BTF_KIND_STRUCT, 0xffff);
	expect("too many members", -1, find(&k, BYTES, "wanted"));
	k = kernel;
	k.structure.info = INFO(31, 0);
	expect("unknown kind", -1, find(&k, BYTES, "wanted"));
	k = kernel;
	k.other.name_off = UINT32_MAX;
	k.function.name_off = UINT32_MAX - 2;
	expect("wrong names", 0, find(&k, BYTES, "wanted"));
	k = kernel;
	k.h.hdr_len = UINT32_MAX;
	expect("header", -1, find(&k, BYTES, "wanted"));
}

int main(void)
{
	program();
	search();
	if (failures)
		printf("%d failed\n", failures);
	else
		printf("passed\n");
	return failures != 0;
}
