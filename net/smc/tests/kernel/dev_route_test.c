// SPDX-License-Identifier: GPL-2.0
/*
 * Tests a port whose GIDs of RoCEv1 and RoCEv2 belong to different net devices.
 * Each version of the protocol must use the VLAN and the MAC of its own GID.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/string.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

/* The adapter of this test. */
static const struct ib_gid_attr *own_get(struct ib_device *ibdev, u32 port,
					 int idx);
static void own_put(const struct ib_gid_attr *attr);
static int own_l2_fields(const struct ib_gid_attr *attr, u16 *vlan, u8 *mac);

static struct net_device *own_device;

static struct net_device *own_ndev(const struct ib_gid_attr *attr)
{
	return own_device;
}

static bool own_access(struct ib_device *ibdev, const struct net *net)
{
	return true;
}

#define rdma_get_gid_attr		own_get
#define rdma_put_gid_attr		own_put
#define rdma_read_gid_l2_fields		own_l2_fields
#define rdma_read_gid_attr_ndev_rcu	own_ndev
#define rdma_dev_access_netns		own_access

/* These names lead to the functions of the test, because the files that
 * dev_route.c calls are not built in.
 */
#define smc_port_get		own_port_get
#define smc_port_put		own_port_put
#define smc_port_gone		own_port_gone
#define smc_port_use		own_port_use
#define smc_port_unuse		own_port_unuse
#define smc_pnet_port		own_pnet_port
#define smc_pnet_ndev		own_pnet_ndev
#define smc_dev_first_port	own_dev_first_port

#include "../../transport/dev_route.c"

/* ---- functions that this file calls ---- */

struct smc_port *own_port_get(struct smc_port *port, enum smc_port_ref why)
{
	return port;
}

void own_port_put(struct smc_port *port, enum smc_port_ref why)
{
}

bool own_port_gone(const struct smc_port *port)
{
	return false;
}

bool own_port_use(struct smc_port *port)
{
	return true;
}

void own_port_unuse(struct smc_port *port)
{
}

bool own_pnet_port(const struct smc_port *port, struct smc_pnet_name *name)
{
	return false;
}

bool own_pnet_ndev(const struct net_device *ndev, struct smc_pnet_name *name)
{
	return false;
}

struct smc_port *
own_dev_first_port(bool (*fn)(struct smc_port *port, void *arg), void *arg)
{
	return NULL;
}

/* ---- the adapter ---- */

#define V4	{ [10] = 0xff, 0xff, 10, 77, 0, 1 }
#define LOCAL	{ 0xfe, 0x80, [15] = 1 }

static const struct entry {
	struct ib_gid_attr attr;
	u16 vlan;
	u8 mac[ETH_ALEN];
} entries[] = {
	{ { .gid.raw = LOCAL, .gid_type = IB_GID_TYPE_ROCE },
	  VLAN_N_VID, { 2, 0, 0, 0, 0, 1 } },
	{ { .gid.raw = V4, .gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP },
	  7, { 2, 0, 0, 0, 0, 7 } },
};

/* number of entries that the caller holds */
static int held;

static const struct ib_gid_attr *own_get(struct ib_device *ibdev, u32 port,
					 int idx)
{
	if (idx >= ARRAY_SIZE(entries))
		return ERR_PTR(-ENODATA);
	held++;
	return &entries[idx].attr;
}

static void own_put(const struct ib_gid_attr *attr)
{
	held--;
}

static int own_l2_fields(const struct ib_gid_attr *attr, u16 *vlan, u8 *mac)
{
	const struct entry *e = container_of(attr, struct entry, attr);

	if (e->vlan < VLAN_N_VID)
		*vlan = e->vlan;
	memcpy(mac, e->mac, ETH_ALEN);
	return 0;
}

static void each_has_its_own(struct kunit *test)
{
	struct ib_device *ibdev = kunit_kzalloc(test, sizeof(*ibdev), GFP_KERNEL);
	struct smc_port *port = kunit_kzalloc(test, sizeof(*port), GFP_KERNEL);
	struct smc_dev_choice choice = {};
	struct search s = { .choice = &choice };
	struct smc_gid_pick pick;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, ibdev);
	KUNIT_ASSERT_NOT_NULL(test, port);
	port->ibdev = ibdev;
	ibdev->attrs.max_recv_sge = 2;
	smc_gid_pick_init(&pick, entries[1].attr.gid.raw, true);
	for (i = 0; i < ARRAY_SIZE(entries); i++)
		smc_gid_pick_look(&pick, i, entries[i].attr.gid.raw, !i);
	KUNIT_EXPECT_TRUE(test, take_gids(port, &s, &pick));
	KUNIT_EXPECT_EQ(test, choice.gid_idx, 0);
	KUNIT_EXPECT_EQ(test, choice.vlan, 0);
	KUNIT_EXPECT_MEMEQ(test, choice.mac, entries[0].mac, ETH_ALEN);
	KUNIT_EXPECT_FALSE(test, choice.v2);
	smc_dev_choice_use_v2(&choice);
	KUNIT_EXPECT_EQ(test, choice.gid_idx, 1);
	KUNIT_EXPECT_EQ(test, choice.vlan, 7);
	KUNIT_EXPECT_MEMEQ(test, choice.mac, entries[1].mac, ETH_ALEN);
	KUNIT_EXPECT_TRUE(test, choice.v2);
}

/* The entry of the GID table may change between the choice and its use. */
static void changed_entry(struct kunit *test)
{
	struct ib_device *ibdev = kunit_kzalloc(test, sizeof(*ibdev), GFP_KERNEL);
	struct smc_port *port = kunit_kzalloc(test, sizeof(*port), GFP_KERNEL);
	struct smc_dev_choice choice = { .port = port, .gid_idx = 1 };

	KUNIT_ASSERT_NOT_NULL(test, ibdev);
	KUNIT_ASSERT_NOT_NULL(test, port);
	port->ibdev = ibdev;
	choice.gid_type = entries[1].attr.gid_type;
	memcpy(choice.gid, entries[1].attr.gid.raw, sizeof(choice.gid));
	held = 0;
	KUNIT_EXPECT_PTR_EQ(test, smc_dev_choice_gid(&choice), &entries[1].attr);
	KUNIT_EXPECT_EQ(test, held, 1);
	held = 0;
	/* the same address, for the other version */
	choice.gid_type = entries[0].attr.gid_type;
	KUNIT_EXPECT_EQ(test, PTR_ERR(smc_dev_choice_gid(&choice)),
			-EADDRNOTAVAIL);
	/* another address */
	choice.gid_type = entries[1].attr.gid_type;
	choice.gid[15]++;
	KUNIT_EXPECT_EQ(test, PTR_ERR(smc_dev_choice_gid(&choice)),
			-EADDRNOTAVAIL);
	/* no entry */
	choice.gid_idx = ARRAY_SIZE(entries);
	KUNIT_EXPECT_EQ(test, PTR_ERR(smc_dev_choice_gid(&choice)),
			-EADDRNOTAVAIL);
	KUNIT_EXPECT_EQ(test, held, 0);
}

/* A container must not use a GID of the host, though its interface is a macvlan
 * on the host's.
 */
static void own_namespace(struct kunit *test)
{
	struct net *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct search s = { .net = &init_net };

	if (!IS_ENABLED(CONFIG_NET_NS))
		kunit_skip(test, "there is one namespace");
	own_device = kunit_kzalloc(test, sizeof(*own_device), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, own_device);
	KUNIT_ASSERT_NOT_NULL(test, other);
	write_pnet(&own_device->nd_net, &init_net);
	KUNIT_EXPECT_TRUE(test, on_path(&s, &entries[0].attr));
	s.ndev = own_device;
	KUNIT_EXPECT_TRUE(test, on_path(&s, &entries[0].attr));
	write_pnet(&own_device->nd_net, other);
	KUNIT_EXPECT_FALSE(test, on_path(&s, &entries[0].attr));
	own_device = NULL;
	KUNIT_EXPECT_FALSE(test, on_path(&s, &entries[0].attr));
}

/* F-35: a route leads from an address to one of the same family. */
static void one_family(struct kunit *test)
{
	static const u8 v4[16] = V4, v6[16] = { 0xfd, 0x77, [15] = 1 };
	struct smc_dev_choice choice = {};
	struct smc_dev_path path = {};

	memcpy(choice.gid, v6, sizeof(v6));
	/* F-35 */
	KUNIT_EXPECT_EQ(test, smc_dev_route(&init_net, &choice, v4, &path),
			-EAFNOSUPPORT);
	memcpy(choice.gid, v4, sizeof(v4));
	/* F-35 */
	KUNIT_EXPECT_EQ(test, smc_dev_route(&init_net, &choice, v6, &path),
			-EAFNOSUPPORT);
	KUNIT_EXPECT_FALSE(test, path.known);
}

#if IS_ENABLED(CONFIG_IPV6)

/* F-35: a peer may send any GID, but a route leads only to a host. */
static void only_to_hosts(struct kunit *test)
{
	static const struct {
		struct in6_addr addr;
		bool routable;
	} t[] = {
		{ { .s6_addr = { 0xfd, 0x77, [15] = 1 } }, true },
		{ { .s6_addr = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 } }, true },
		{ {}, false },
		{ { .s6_addr = { [15] = 1 } }, false },
		{ { .s6_addr = LOCAL }, false },
		{ { .s6_addr = { 0xff, 0x02, [15] = 1 } }, false },
		{ { .s6_addr = { 0xff, 0x05, [15] = 2 } }, false },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		/* F-35 */
		KUNIT_EXPECT_EQ_MSG(test, routable_v6(&t[i].addr),
				    t[i].routable, "row %d", i);
}

#else

static void only_to_hosts(struct kunit *test)
{
	kunit_skip(test, "no IPv6");
}

#endif

static struct kunit_case cases[] = {
	KUNIT_CASE(each_has_its_own),
	KUNIT_CASE(changed_entry),
	KUNIT_CASE(own_namespace),
	KUNIT_CASE(one_family),
	KUNIT_CASE(only_to_hosts),
	{}
};

static struct kunit_suite smc_dev_route_suite = {
	.name = "smc-dev-route",
	.test_cases = cases,
};

kunit_test_suite(smc_dev_route_suite);
