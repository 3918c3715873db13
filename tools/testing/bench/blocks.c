// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU that counts how often a host runs each block of its code. A
 * block is what QEMU translates at once. The host enters a block at its first
 * instruction, and leaves it at its last one unless there is an exception.
 *
 * The plugin listens on the socket blocks-PID in the directory of QEMU. Each
 * process that connects gets the counts since the start of the host:
 *
 *	lost INSTRUCTIONS
 *	ADDRESS INSTRUCTIONS RUNS	for each block; ADDRESS is hexadecimal
 *	end
 *
 * "lost" are the executed instructions of the blocks that do not fit the table.
 * All blocks of user space with the same number of instructions are one block
 * with address 0, because user space would fill the table.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "qemu_plugin.h"

#define KERNEL		0x8000000000000000ULL	/* a bit of its addresses */
#define BLOCKS		524288	/* a host needs a fifth of them */
#define BUCKET_BITS	18

struct block {
	uint64_t address;
	uint64_t insns;
	uint64_t runs;
	uint32_t next;		/* of the same bucket, 0: there is none */
};

int qemu_plugin_version = QEMU_PLUGIN_API;

/* Protects all that follows, except for what the host's processor adds */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block blocks[BLOCKS];
static uint32_t used = 1;	/* blocks[0] is no block */
static uint32_t buckets[1 << BUCKET_BITS];
static uint64_t lost;

/* Finds a block, or adds it. Returns NULL if the table is full. */
static struct block *find(uint64_t address, uint64_t insns)
{
	uint64_t hash = (address * 512 + insns) * 0x9e3779b97f4a7c15ULL;
	uint32_t *bucket = &buckets[hash >> (64 - BUCKET_BITS)];
	struct block *block;
	uint32_t i;

	for (i = *bucket; i; i = block->next) {
		block = &blocks[i];
		if (block->address == address && block->insns == insns)
			return block;
	}
	if (used == BLOCKS)
		return NULL;
	block = &blocks[used];
	block->address = address;
	block->insns = insns;
	block->next = *bucket;
	*bucket = used++;
	return block;
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	uint64_t insns = qemu_plugin_tb_n_insns(tb);
	struct block *block;

	(void)id;
	pthread_mutex_lock(&lock);
	block = find(address & KERNEL ? address : 0, insns);
	pthread_mutex_unlock(&lock);
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
						 block ? &block->runs : &lost,
						 block ? 1 : insns);
}

/* Copies the counts first, because the host goes on and changes them. */
static void dump(FILE *out)
{
	static struct block copy[BLOCKS];
	uint32_t i, n;

	pthread_mutex_lock(&lock);
	n = used;
	memcpy(copy, blocks, n * sizeof(*copy));
	pthread_mutex_unlock(&lock);
	fprintf(out, "lost %" PRIu64 "\n", lost);
	for (i = 1; i < n; i++)
		if (copy[i].runs)
			fprintf(out, "%" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
				copy[i].address, copy[i].insns, copy[i].runs);
	fprintf(out, "end\n");
}

static void *serve(void *arg)
{
	int sock = (intptr_t)arg;
	FILE *out;
	int fd;

	while ((fd = accept(sock, NULL, NULL)) >= 0 || errno == ECONNABORTED) {
		if (fd < 0)
			continue;
		out = fdopen(fd, "w");
		if (!out) {
			close(fd);
			continue;
		}
		dump(out);
		fclose(out);
	}
	perror("blocks: accept");
	return NULL;
}

static int listening(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "blocks-%d", getpid());
	if (sock < 0 || bind(sock, (struct sockaddr *)&addr, sizeof(addr)) ||
	    listen(sock, 8)) {
		perror("blocks: socket");
		return -1;
	}
	return sock;
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	sigset_t all, before;
	pthread_t thread;
	int sock, err;

	(void)info;
	(void)argc;
	(void)argv;
	sock = listening();
	if (sock < 0)
		return -1;
	/* The new thread blocks all signals; the threads of QEMU get them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, serve, (void *)(intptr_t)sock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		fprintf(stderr, "blocks: no thread: %s\n", strerror(err));
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
