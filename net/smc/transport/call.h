/* SPDX-License-Identifier: GPL-2.0 */
/* Calls that execute commands of a device, with a limited wait. See call.c. */
#ifndef _SMC_TRANSPORT_CALL_H
#define _SMC_TRANSPORT_CALL_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/workqueue.h>

struct smc_port;

/**
 * struct smc_call - a call, embedded in a struct with its arguments and result
 * @run:	makes the call; may sleep. Return: 0 or a negative errno
 * @free:	frees the embedding struct, and the result if nobody has taken
 *		it; may sleep
 * @ref:	held by the caller and by the work item
 * @port:	port of the device, reference held
 * @work:	runs the call
 * @done:	completed when @err is valid
 * @err:	result of @run
 */
struct smc_call {
	int (*run)(struct smc_call *call);
	void (*free)(struct smc_call *call);
	struct kref ref;
	struct smc_port *port;
	struct work_struct work;
	struct completion done;
	int err;
};

void smc_call_init(struct smc_call *call, struct smc_port *port,
		   int (*run)(struct smc_call *call),
		   void (*free)(struct smc_call *call));
int smc_call_run(struct smc_call *call, unsigned int ms);
bool smc_call_crowded(const struct smc_port *port);
bool smc_call_hangs(const struct smc_port *port);
void smc_call_put(struct smc_call *call);

#endif
