// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of devices that the worker of a group waits for, when it adds a link
 * or the keys of an RMB. If the device hangs, the functions return an error
 * soon (call.c), and the command goes on without the worker. So each command
 * works on a link or a region that nobody else uses, and its result is freed if
 * the worker has not taken it. Creators of groups do not use these functions:
 * they serve no other link.
 */
#include <linux/kref.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "../base/mib.h"
#include "../transport/call.h"
#include "../transport/dev.h"
#include "../transport/mr.h"
#include "device.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "link_end.h"
#include "link_types.h"

enum {
	/*
	 * Limit of the time for which one run of the worker waits for slow
	 * commands. Deployed peers wait for 2 s for an answer of the worker.
	 */
	RUN_WAIT_MS	= 1500,
	/*
	 * A new link may need hundreds of commands, so quick ones do not count.
	 */
	QUICK_MS	= 10,
	/* A device that works registers a region within this time. */
	AWAIT_MIN_MS	= 100,
	/*
	 * After its first link, a group opens at most OPENS_MAX links in each
	 * period of OPENS_SECS. Each costs a queue pair. A client may delete
	 * each new link at once, or refuse each offer and ask for the next one.
	 * A server may delete each link that the client has accepted. Without
	 * such a peer a group opens one link for each port at most, unless a
	 * port often fails and comes back.
	 */
	OPENS_MAX	= 2 * SMC_FLOW_TRIED_MAX,
	OPENS_SECS	= 16,
};

static void device_waited(struct smc_lgr *lgr, unsigned long since)
{
	unsigned int ms = jiffies_to_msecs(jiffies - since);

	if (ms > QUICK_MS)
		lgr->mail.waited_ms += ms;
}

/*
 * Return: as smc_call_run(). -EAGAIN also if this run of the worker has waited
 * long enough, perhaps for another device.
 */
static int device_call(struct smc_lgr *lgr, struct smc_call *call)
{
	unsigned long before = jiffies;
	int err;

	if (lgr->mail.waited_ms >= RUN_WAIT_MS)
		return -EAGAIN;
	err = smc_call_run(call, RUN_WAIT_MS - lgr->mail.waited_ms);
	device_waited(lgr, before);
	return err;
}

/* A command keeps its link, and so its group. */
static struct smc_link *device_hold(struct smc_link *link)
{
	smc_lgr_get(link->lgr, SMC_LGR_REF_CALL);
	return smc_link_get(link, SMC_LINK_REF_CALL);
}

static void device_release(struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;

	smc_link_put(link, SMC_LINK_REF_CALL);
	smc_lgr_put(lgr, SMC_LGR_REF_CALL);
}

/* ---- a new link ---- */

struct device_open {
	struct smc_call call;
	struct smc_lgr *lgr;		/* reference */
	struct smc_dev_choice choice;	/* reference */
	struct smc_link *link;		/* the result, until it is taken */
};

static int open_run(struct smc_call *call)
{
	struct device_open *o = container_of(call, struct device_open, call);
	struct smc_link *link = smc_link_open(o->lgr, &o->choice);

	if (IS_ERR(link))
		return PTR_ERR(link);
	o->link = link;
	return 0;
}

static void open_free(struct smc_call *call)
{
	struct device_open *o = container_of(call, struct device_open, call);

	if (o->link) {
		smc_link_bury(o->link);
		smc_link_put(o->link, SMC_LINK_REF_GROUP);
	}
	smc_dev_choice_put(&o->choice);
	smc_lgr_put(o->lgr, SMC_LGR_REF_CALL);
	kfree(o);
}

/* Returns the age of the period in which links are counted, in seconds. */
static u32 device_open_age(const struct smc_flow *f)
{
	return (u32)ktime_get_seconds() - f->opens_since;
}

/**
 * smc_device_open_wait - time until the group may open another link
 * @lgr: group
 *
 * Context: worker. Return: milliseconds; 0: smc_device_open() does not refuse
 * with -EDQUOT.
 */
unsigned int smc_device_open_wait(const struct smc_lgr *lgr)
{
	const struct smc_flow *f = &lgr->flow;
	u32 age = device_open_age(f);

	if (f->opens < OPENS_MAX || age >= OPENS_SECS)
		return 0;
	return (OPENS_SECS - age) * MSEC_PER_SEC;
}

static void device_count_open(struct smc_flow *f)
{
	u32 age = device_open_age(f);

	if (age >= OPENS_SECS) {
		f->opens_since += age;
		f->opens = 0;
	}
	f->opens++;
}

/**
 * smc_device_open - smc_link_open(), but do not wait for a device that hangs
 * @lgr: group
 * @choice: as in smc_link_open()
 *
 * Context: worker. Return: link with one reference (SMC_LINK_REF_GROUP), or
 * ERR_PTR: also the errors of smc_call_run(), and -EDQUOT (the group has opened
 * too many links lately).
 */
struct smc_link *smc_device_open(struct smc_lgr *lgr,
				 const struct smc_dev_choice *choice)
{
	struct smc_link *link = NULL;
	struct device_open *o;
	int err;

	/* a new link can come later; its other steps wait for their turn */
	if (smc_call_crowded(choice->port))
		return ERR_PTR(-EAGAIN);
	if (smc_device_open_wait(lgr)) {
		smc_mib_inc(NULL, SMC_MIB_LINK_PUT_OFF);
		return ERR_PTR(-EDQUOT);
	}
	device_count_open(&lgr->flow);
	o = kzalloc(sizeof(*o), GFP_KERNEL);
	if (!o)
		return ERR_PTR(-ENOMEM);
	o->lgr = smc_lgr_get(lgr, SMC_LGR_REF_CALL);
	o->choice = *choice;
	smc_dev_choice_get(&o->choice);
	smc_call_init(&o->call, choice->port, open_run, open_free);
	err = device_call(lgr, &o->call);
	if (!err)
		swap(link, o->link);
	smc_call_put(&o->call);
	return err ? ERR_PTR(err) : link;
}

/* ---- steps of a link that is being set up ---- */

struct device_step {
	struct smc_call call;
	struct smc_link *link;		/* device_hold() */
	int (*step)(struct smc_link *link);
};

static int step_run(struct smc_call *call)
{
	struct device_step *s = container_of(call, struct device_step, call);

	return s->step(s->link);
}

static void step_free(struct smc_call *call)
{
	struct device_step *s = container_of(call, struct device_step, call);

	device_release(s->link);
	kfree(s);
}

static int device_step(struct smc_link *link, int (*step)(struct smc_link *link))
{
	struct device_step *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return -ENOMEM;
	s->link = device_hold(link);
	s->step = step;
	smc_call_init(&s->call, link->choice.port, step_run, step_free);
	err = device_call(link->lgr, &s->call);
	smc_call_put(&s->call);
	return err;
}

/**
 * smc_device_bind - smc_link_bind(), but do not wait for a device that hangs
 * @link: link, which must be removed after an error
 *
 * Context: worker. Return: as smc_link_bind(), or as smc_call_run().
 */
int smc_device_bind(struct smc_link *link)
{
	return device_step(link, smc_link_bind);
}

/**
 * smc_device_start - smc_link_start(), but do not wait for a device that hangs
 * @link: link, which must be given up after an error
 *
 * Context: worker. Return: as smc_link_start(), or as smc_call_run().
 */
int smc_device_start(struct smc_link *link)
{
	return device_step(link, smc_link_start);
}

/* ---- a region ---- */

struct device_map {
	struct smc_call call;
	struct smc_link *link;		/* device_hold() */
	struct smc_mem *mem;		/* reference */
	struct smc_mr *mr;		/* the result, until it is taken */
};

static int map_run(struct smc_call *call)
{
	struct device_map *m = container_of(call, struct device_map, call);
	struct smc_mr *mr = smc_mr_alloc(m->link->ep, m->mem);

	if (IS_ERR(mr))
		return PTR_ERR(mr);
	m->mr = mr;
	return 0;
}

static void map_free(struct smc_call *call)
{
	struct device_map *m = container_of(call, struct device_map, call);

	if (m->mr)
		smc_mr_free(m->mr);
	kref_put(&m->mem->ref, m->mem->release);
	device_release(m->link);
	kfree(m);
}

/**
 * smc_device_map - smc_mr_alloc(), but do not wait for a device that hangs
 * @link: link
 * @mem: as in smc_mr_alloc()
 *
 * Context: worker. Return: as smc_mr_alloc(), or ERR_PTR as smc_call_run().
 */
struct smc_mr *smc_device_map(struct smc_link *link, struct smc_mem *mem)
{
	struct device_map *m = kzalloc(sizeof(*m), GFP_KERNEL);
	struct smc_mr *mr = NULL;
	int err;

	if (!m)
		return ERR_PTR(-ENOMEM);
	m->link = device_hold(link);
	kref_get(&mem->ref);
	m->mem = mem;
	smc_call_init(&m->call, link->choice.port, map_run, map_free);
	err = device_call(link->lgr, &m->call);
	if (!err)
		swap(mr, m->mr);
	smc_call_put(&m->call);
	return err ? ERR_PTR(err) : mr;
}

/**
 * smc_device_await - smc_mr_wait() for the time that this run may wait
 * @link: link of the region
 * @mr: region
 *
 * If none of that time is left, the function waits for 100 ms. Context: worker.
 * Return: as smc_mr_wait().
 */
int smc_device_await(struct smc_link *link, struct smc_mr *mr)
{
	struct smc_lgr *lgr = link->lgr;
	unsigned long before = jiffies;
	int err;

	err = smc_mr_wait(mr, max_t(int, AWAIT_MIN_MS,
				    RUN_WAIT_MS - (int)lgr->mail.waited_ms));
	device_waited(lgr, before);
	return err;
}
