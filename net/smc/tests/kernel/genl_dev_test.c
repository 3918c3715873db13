// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that the view of devices visits each group once, however many devices
 * there are, and visits no connection.
 */
#include <kunit/test.h>
#include <linux/skbuff.h>
#include <net/sock.h>

/* These names lead to the groups and devices of the test. */
#define smc_info_next		own_info_next
#define smc_dev_info_next	own_dev_info_next
#include "../../diag/genl_dev.c"

enum {
	DEVS	= 10,
	GROUPS	= 100,
};

struct genl_family smc_genl_msg_family = { .name = "test", .maxattr = 1 };

static unsigned int visited;
static unsigned int summed;	/* groups whose members are also visited */

/* Each group has a link on the first device, and is used. */
bool own_info_next(const struct net *net, u32 *id, struct smc_lgr_info *info,
		   bool memory)
{
	if (*id == GROUPS)
		return false;
	++*id;
	visited++;
	summed += memory;
	memset(info, 0, sizeof(*info));
	info->conns = 1;
	info->n_links = 1;
	info->link[0].state = SMC_LINK_INFO_ACTIVE;
	info->link[0].ibport = 1;
	snprintf(info->link[0].ibname, sizeof(info->link[0].ibname), "dev1");
	return true;
}

bool own_dev_info_next(const struct net *net, u32 *id,
		       struct smc_dev_info *info)
{
	if (*id == DEVS)
		return false;
	memset(info, 0, sizeof(*info));
	snprintf(info->ibname, sizeof(info->ibname), "dev%u", ++*id);
	info->port[0].num = 1;
	return true;
}

static void each_group_once(struct kunit *test)
{
	struct sock *sk = kunit_kzalloc(test, sizeof(*sk), GFP_KERNEL);
	struct sk_buff *request = alloc_skb(64, GFP_KERNEL);
	struct sk_buff *skb = alloc_skb(32768, GFP_KERNEL);
	struct nlmsghdr nlh = {};
	struct netlink_callback cb = { .skb = request, .nlh = &nlh };

	KUNIT_ASSERT_NOT_NULL(test, sk);
	KUNIT_ASSERT_NOT_NULL(test, request);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	sock_net_set(sk, &init_net);
	skb->sk = sk;
	visited = 0;
	KUNIT_EXPECT_GT(test, smc_genl_devs(skb, &cb), 0);
	KUNIT_EXPECT_EQ(test, smc_genl_msg_pos(&cb)->id, DEVS);
	KUNIT_EXPECT_EQ(test, visited, GROUPS);
	/* the call that ends the dump visits no group */
	skb_trim(skb, 0);
	KUNIT_EXPECT_EQ(test, smc_genl_devs(skb, &cb), 0);
	KUNIT_EXPECT_EQ(test, visited, GROUPS);
	KUNIT_EXPECT_EQ(test, summed, 0);
	skb->sk = NULL;
	kfree_skb(skb);
	kfree_skb(request);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(each_group_once),
	{}
};

static struct kunit_suite smc_genl_dev_suite = {
	.name = "smc-genl-dev",
	.test_cases = cases,
};

kunit_test_suite(smc_genl_dev_suite);
