// SPDX-License-Identifier: GPL-2.0
/*
 * The program is so small that it is written here as instructions. So building
 * it needs no compiler for BPF, and loading it needs no library.
 */
#include "hook.h"

#include <linux/btf.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/smc.h>

/* ---- type information ---- */

/* Number of bytes that follow struct btf_type, or -1. */
static long tail_of(const struct btf_type *t)
{
	unsigned int n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return n * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	default:
		return -1;
	}
}

/* Is there the string @name, with its end, at @off of the strings? */
static bool is_named(const char *strings, uint32_t len, uint32_t off,
		     const char *name)
{
	size_t n = strlen(name) + 1;

	return off < len && n <= len - off && !memcmp(strings + off, name, n);
}

int hook_find(const void *btf, size_t size, const char *name)
{
	const struct btf_header *h = btf;
	const char *types, *strings;
	size_t at = 0;
	int id = 1;

	if (size < sizeof(*h) || h->magic != BTF_MAGIC ||
	    h->hdr_len < sizeof(*h) || h->hdr_len > size)
		return -1;
	size -= h->hdr_len;
	if (h->type_off > size || h->type_len > size - h->type_off ||
	    h->str_off > size || h->str_len > size - h->str_off)
		return -1;
	types = (const char *)btf + h->hdr_len + h->type_off;
	strings = (const char *)btf + h->hdr_len + h->str_off;
	for (; h->type_len - at >= sizeof(struct btf_type); id++) {
		struct btf_type t;
		long tail;

		memcpy(&t, types + at, sizeof(t));
		tail = tail_of(&t);
		at += sizeof(t);
		if (tail < 0 || (size_t)tail > h->type_len - at)
			return -1;
		if (BTF_INFO_KIND(t.info) == BTF_KIND_FUNC &&
		    is_named(strings, h->str_len, t.name_off, name))
			return id;
		at += tail;
	}
	return 0;
}

/* ---- the program ---- */

/*
 * Instructions are numbered, so that jumps to the end can be completed later.
 */
struct program {
	struct bpf_insn *insn;
	unsigned int n;
};

static void add(struct program *p, uint8_t code, uint8_t dst, uint8_t src,
		int16_t off, int32_t imm)
{
	p->insn[p->n++] = (struct bpf_insn){
		.code = code, .dst_reg = dst, .src_reg = src, .off = off,
		.imm = imm,
	};
}

/* Loads argument @i of the function; the last one is the result so far. */
static void load(struct program *p, uint8_t dst, int i)
{
	add(p, BPF_LDX | BPF_MEM | BPF_DW, dst, BPF_REG_6, 8 * i, 0);
}

/* The offset of a jump to the end is set by finish(). */
#define TO_END INT16_MAX

static void finish(struct program *p)
{
	unsigned int i;

	for (i = 0; i < p->n; i++)
		if (p->insn[i].off == TO_END)
			p->insn[i].off = p->n - i - 1;
	/* the protocol that the program asked for */
	add(p, BPF_ALU | BPF_MOV | BPF_X, BPF_REG_0, BPF_REG_7, 0, 0);
	add(p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

unsigned int hook_program(struct bpf_insn insn[HOOK_INSNS], int map)
{
	const uint8_t equal = BPF_JMP32 | BPF_JEQ | BPF_K;
	const uint8_t other = BPF_JMP32 | BPF_JNE | BPF_K;
	struct program p = { .insn = insn };

	add(&p, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0);
	load(&p, BPF_REG_7, 2);
	/* family */
	load(&p, BPF_REG_8, 0);
	add(&p, equal, BPF_REG_8, 0, 1, AF_INET);
	add(&p, other, BPF_REG_8, 0, TO_END, AF_INET6);
	/* type; the flags SOCK_NONBLOCK and SOCK_CLOEXEC are above */
	load(&p, BPF_REG_8, 1);
	add(&p, BPF_ALU | BPF_AND | BPF_K, BPF_REG_8, 0, 0, 0xf);
	add(&p, other, BPF_REG_8, 0, TO_END, SOCK_STREAM);
	/* protocol */
	add(&p, equal, BPF_REG_7, 0, 1, 0);
	add(&p, other, BPF_REG_7, 0, TO_END, IPPROTO_TCP);
	/* cgroup */
	add(&p, BPF_LD | BPF_IMM | BPF_DW, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map);
	add(&p, 0, 0, 0, 0, 0);
	add(&p, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, 0);
	add(&p, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_current_task_under_cgroup);
	add(&p, other, BPF_REG_0, 0, TO_END, 1);
	add(&p, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, SMCPROTO_INET);
	add(&p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	finish(&p);
	return p.n;
}
