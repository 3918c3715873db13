/* SPDX-License-Identifier: GPL-2.0 */
/* One end of a case in a process of its own. */
#ifndef SMC_PEER_RUN_H
#define SMC_PEER_RUN_H

#include <stdatomic.h>
#include <sys/types.h>

#include "peer.h"

/* The processes of the end write this structure. The process that started them
 * reads it.
 */
struct report {
	/* The first process with a result fills in the members below. */
	atomic_int claimed;
	atomic_int verdict;	/* enum verdict + 1 once @text is complete */
	char text[400];
	char note[80];
	const char *file;	/* where the case is */
	int line;
};

struct end {
	const char *name;
	pid_t pid;
	struct report *report;
	bool over;
	bool late;
	int status;
};

/* Starts one end of @c; its control channel is @ctl, which is closed here. */
void end_start(struct end *e, const struct peer_case *c, int ctl, bool server);
/* Waits until all processes have ended, one has failed, or the time is over;
 * leaves no process.
 */
void ends_wait(struct end *ends, size_t nr, unsigned int limit_s);
/* Returns the verdict of one end. */
enum verdict end_verdict(const struct end *e, char *text, size_t size);
void end_release(struct end *e);

unsigned int case_limit_s(const struct peer_case *c);

#endif
