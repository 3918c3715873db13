// SPDX-License-Identifier: GPL-2.0
/* Tests of counters: sums, and high-water marks. Raising a high-water mark must
 * not read the counters of other CPUs.
 */
#include <kunit/test.h>
#include <linux/percpu.h>

/* Other suites of this module define functions with these names. */
#define smc_mib_add	own_mib_add
#define smc_mib_add_net	own_mib_add_net
#define smc_mib_of_init	own_mib_of_init
#define smc_mib_read	own_mib_read
#define smc_mib_start	own_mib_start
#define smc_pernet_of_init own_pernet
#define smc_pernet_id	own_pernet_id
#include "../../base/pernet.h"

/* Number of loops over all CPUs. */
static unsigned int cpus;

static const struct cpumask *all_cpus(void)
{
	cpus++;
	return cpu_possible_mask;
}

#undef for_each_possible_cpu
#define for_each_possible_cpu(cpu)	for_each_cpu(cpu, all_cpus())

#include "../../base/mib.c"

static struct smc_pernet here;

struct smc_pernet *smc_pernet_of_init = &here;
unsigned int smc_pernet_id;

static int init(struct kunit *test)
{
	memset(&here, 0, sizeof(here));
	here.mib = alloc_percpu(struct smc_mib_cpu);
	cpus = 0;
	if (!here.mib)
		return -ENOMEM;
	smc_mib_start();
	return 0;
}

static void tidy(struct kunit *test)
{
	free_percpu(here.mib);
}

static void sum(struct kunit *test)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		per_cpu_ptr(here.mib, cpu)->val[SMC_MIB_CDC_TX] = 10;
	smc_mib_inc(NULL, SMC_MIB_CDC_TX);
	smc_mib_add(NULL, SMC_MIB_CDC_RX, 3);
	KUNIT_EXPECT_EQ(test, smc_mib_read(NULL, SMC_MIB_CDC_TX),
			10 * num_online_cpus() + 1);
	KUNIT_EXPECT_EQ(test, smc_mib_read(NULL, SMC_MIB_CDC_RX), 3);
	KUNIT_EXPECT_GT(test, cpus, 0);
}

static void high_water(struct kunit *test)
{
	static const u64 seen[] = { 3, 1, 7, 7, 2 };
	int i;

	for (i = 0; i < ARRAY_SIZE(seen); i++)
		smc_mib_max(NULL, SMC_MIB_HS_PENDING_MAX, seen[i]);
	KUNIT_EXPECT_EQ(test, cpus, 0);
	KUNIT_EXPECT_EQ(test, smc_mib_read(NULL, SMC_MIB_HS_PENDING_MAX), 7);
	KUNIT_EXPECT_EQ(test, smc_mib_read(NULL, SMC_MIB_HS_CAPPED), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(sum),
	KUNIT_CASE(high_water),
	{}
};

static struct kunit_suite smc_mib_suite = {
	.name = "smc-mib",
	.init = init,
	.exit = tidy,
	.test_cases = cases,
};

kunit_test_suite(smc_mib_suite);
