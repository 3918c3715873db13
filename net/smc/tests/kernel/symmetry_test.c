// SPDX-License-Identifier: GPL-2.0
/*
 * Tests which links of a group are symmetric, by adapter and age (RFC 7609
 * 2.2.1, 2.2.2), which links are too many, and which links may be added.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/string.h>
#include "../../group/symmetry.c"

/* ---- array of links, which symmetry.c and link_num.h use ---- */

struct smc_link *smc_link_next(struct smc_lgr *lgr, int *slot)
{
	while (*slot < SMC_LINK_SLOTS && !lgr->links[*slot])
		++*slot;
	return *slot < SMC_LINK_SLOTS ? lgr->links[*slot] : NULL;
}

unsigned int smc_links_active(struct smc_lgr *lgr)
{
	struct smc_link *link;
	unsigned int n = 0;
	int i;

	smc_link_for_each(lgr, i, link)
		n += link->state == SMC_LINK_ACTIVE;
	return n;
}

/* ---- rows ---- */

/*
 * "01" stands for a link between our adapter 0 and the peer's adapter 1. All
 * links work, and the first is the oldest. The letters are s(ymmetric),
 * a(symmetric) and n(eedless).
 */
struct row {
	const char *id;
	const char *links[SMC_LINK_SLOTS];
	const char *kinds;
	/* a link that is being set up */
	const char *fresh;
	bool fits;
};

static const struct row rows[] = {
	{ "the first", {}, "", "00", true },
	{ "both differ", { "00" }, "s", "11", true },
	{ "own shared", { "00" }, "s", "01", true },
	{ "the peer's shared", { "00" }, "s", "10", true },
	{ "parallel", { "00" }, "s", "00", false },
	{ "a second asymmetric one, the peer's", { "00", "10" }, "sa", "20",
	  false },
	{ "a second asymmetric one, own", { "00", "10" }, "sa", "01", false },
	{ "parallel to the asymmetric one", { "00", "10" }, "sa", "10",
	  false },
	{ "in its place, the peer's new", { "00", "10" }, "sa", "11", true },
	{ "in its place, own new", { "00", "01" }, "sa", "11", true },
	{ "in its place, both new", { "00", "01" }, "sa", "22", true },
	{ "there before it goes", { "00", "10", "11" }, "sns" },
	{ "there before it goes, both new", { "00", "10", "22" }, "sns" },
	{ "the one that is left over", { "10" }, "s", "00", true },
	{ "beside it the older one counts", { "10", "11" }, "sa", "01",
	  true },
	{ "shared with a symmetric one of two", { "00", "11" }, "ss", "21",
	  false },
	{ "shared with both", { "00", "11" }, "ss", "01", false },
	{ "a third", { "00", "11" }, "ss", "22", true },
	{ "crosswise", { "01", "10" }, "ss", "22", true },
	{ "three", { "00", "11", "22" }, "sss" },
	{ "three, crosswise", { "01", "12", "20" }, "sss" },
	{ "the youngest of three shares", { "00", "11", "21" }, "ssn" },
};

static char ports[4];

static struct smc_port *port(char digit)
{
	return (struct smc_port *)&ports[digit - '0'];
}

static struct smc_ep_addr peer(char digit)
{
	return (struct smc_ep_addr){ .gid = { [15] = digit },
				     .mac = { [5] = digit } };
}

static struct smc_link *put_link(struct kunit *test, struct smc_lgr *lgr,
				 int slot, const char *ends, u32 uid)
{
	struct smc_link *link = kunit_kzalloc(test, sizeof(*link), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, link);
	link->state = SMC_LINK_ACTIVE;
	link->uid = uid;
	link->choice.port = port(ends[0]);
	link->peer = peer(ends[1]);
	/* the result must not depend on an earlier call */
	link->asymmetric = uid & 1;
	lgr->links[slot] = link;
	return link;
}

/*
 * Puts the links of @row into the slots from @slot on. The link user IDs start
 * at U32_MAX - 1, so the ID of a third link wraps to 0. Return: number of
 * links.
 */
static int put_links(struct kunit *test, struct smc_lgr *lgr,
		     const struct row *row, int slot, struct smc_link **link)
{
	int n;

	memset(lgr->links, 0, sizeof(lgr->links));
	for (n = 0; n < SMC_LINK_SLOTS && row->links[n]; n++)
		link[n] = put_link(test, lgr, (slot + n) % SMC_LINK_SLOTS,
				   row->links[n], U32_MAX - 1 + n);
	return n;
}

static void check_row(struct kunit *test, struct smc_lgr *lgr,
		      const struct row *row, int slot)
{
	struct smc_link *link[SMC_LINK_SLOTS], *needless = NULL, *fresh;
	int i, n = put_links(test, lgr, row, slot, link);
	unsigned int symmetric = 0;

	smc_symmetry_classify(lgr);
	for (i = 0; i < n; i++) {
		symmetric += row->kinds[i] == 's';
		if (row->kinds[i] == 'n')
			needless = link[i];
		/* R-2.2.1-01 */
		KUNIT_EXPECT_EQ_MSG(test, link[i]->asymmetric,
				    row->kinds[i] != 's', "%s, link %d",
				    row->id, i);
	}
	/* R-2.2.1-04 */
	KUNIT_EXPECT_PTR_EQ_MSG(test, smc_symmetry_needless(lgr), needless, "%s",
				row->id);
	/* R-2.2.2-10, -11 */
	for (lgr->numbers.max_links = 2; lgr->numbers.max_links <= 3; lgr->numbers.max_links++)
		KUNIT_EXPECT_EQ_MSG(test, smc_symmetry_missing(lgr),
				    symmetric < lgr->numbers.max_links, "%s of %u",
				    row->id, lgr->numbers.max_links);
	if (!row->fresh)
		return;
	fresh = put_link(test, lgr, (slot + n) % SMC_LINK_SLOTS, row->fresh,
			 U32_MAX - 1 + n);
	fresh->state = SMC_LINK_SETUP;
	/* R-2.2.1-03, R-2.2.2-12 */
	KUNIT_EXPECT_EQ_MSG(test, smc_symmetry_unfit(lgr, fresh), !row->fits,
			    "%s", row->id);
}

static struct smc_lgr *new_lgr(struct kunit *test)
{
	struct smc_lgr *lgr = kunit_kzalloc(test, sizeof(*lgr), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, lgr);
	return lgr;
}

/* R-2.2.1-01, R-2.2.1-03, R-2.2.1-04, R-2.2.2-10, R-2.2.2-11, R-2.2.2-12 */
static void kinds(struct kunit *test)
{
	struct smc_lgr *lgr = new_lgr(test);
	size_t i;
	int slot;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (slot = 0; slot < SMC_LINK_SLOTS; slot++)
			check_row(test, lgr, &rows[i], slot);
}

/*
 * Checks that a link that is down makes no other link asymmetric, and counts as
 * missing only once.
 */
static void link_down(struct kunit *test)
{
	struct smc_lgr *lgr = new_lgr(test);
	struct smc_link *first, *second;

	lgr->numbers.max_links = 2;
	first = put_link(test, lgr, 0, "00", 1);
	second = put_link(test, lgr, 1, "01", 2);
	smc_symmetry_classify(lgr);
	KUNIT_EXPECT_TRUE(test, second->asymmetric);
	first->state = SMC_LINK_DOWN;
	smc_symmetry_classify(lgr);
	KUNIT_EXPECT_FALSE(test, second->asymmetric);
	KUNIT_EXPECT_TRUE(test, smc_symmetry_missing(lgr));
	put_link(test, lgr, 2, "10", 3);
	KUNIT_EXPECT_FALSE(test, smc_symmetry_missing(lgr));
	KUNIT_EXPECT_NULL(test, smc_symmetry_needless(lgr));
}

/* Tests which adapters a new link may use, at either end. */
static void ends(struct kunit *test)
{
	static const struct row row = { "", { "00", "10" } };
	struct smc_link *link[SMC_LINK_SLOTS];
	struct smc_lgr *lgr = new_lgr(test);
	struct smc_ep_addr there = peer('0');

	put_links(test, lgr, &row, 0, link);
	smc_symmetry_classify(lgr);
	KUNIT_EXPECT_TRUE(test, smc_symmetry_on_port(lgr, port('0'), false));
	KUNIT_EXPECT_TRUE(test, smc_symmetry_on_port(lgr, port('1'), true));
	KUNIT_EXPECT_FALSE(test, smc_symmetry_on_port(lgr, port('1'), false));
	KUNIT_EXPECT_FALSE(test, smc_symmetry_on_port(lgr, port('2'), true));
	KUNIT_EXPECT_TRUE(test, smc_symmetry_to_adapter(lgr, &there));
	/* GID and MAC must both match for the same adapter */
	there.mac[5] = '1';
	KUNIT_EXPECT_FALSE(test, smc_symmetry_to_adapter(lgr, &there));
	there = peer('0');
	there.gid[15] = '1';
	KUNIT_EXPECT_FALSE(test, smc_symmetry_to_adapter(lgr, &there));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(kinds),
	KUNIT_CASE(link_down),
	KUNIT_CASE(ends),
	{}
};

static struct kunit_suite smc_symmetry_suite = {
	.name = "smc-symmetry",
	.test_cases = cases,
};

kunit_test_suite(smc_symmetry_suite);
