#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Tests which statements count as assertions in conformance.py, and which page
it writes; and which failures mutate_rows.py accepts."""

import subprocess
import unittest

import conformance
import conformance_cites as cites
import mutate_rows
from conformance import Requirement

PYTHON = '''\
"""R-1-01: the head of a file is a mention."""

# R-1-02: so is a comment in front of a function
def check(condition, text):
    if not condition:
        raise Failure(text)


def _deep(got):
    check(got, "nothing")


class Peer:
    """R-1-03"""

    def expect(self):
        # R-1-04, -06
        check(self, "no peer")
        self.other()        # R-1-07: calls nothing that fails


def _walk(peer):
    # R-1-08: behind it a line is empty

    _deep(peer)
    # R-1-09: in front of a compound statement
    with peer:
        # R-1-10: in two
        # lines
        _deep(peer)
        check(peer, "R-1-11: in the message")
    check(peer,
          "a statement")  # R-1-12
    print("R-1-13")
    # rows of TABLE
    _deep(peer)


TABLE = (
    ("one", "R-1-14", 1),
    ("two", "R-1-15", 2),
)
UNUSED = (
    ("three", "R-1-16", 3),
)


def _later(make):
    # R-1-17: what it defines is not what it does
    return lambda: check(make, "")


def cases():
    yield Case("name", "R-1-18", check(1, ""))
'''

C_TEXT = '''\
// SPDX-License-Identifier: GPL-2.0
/* R-2-01 */
#include <kunit/test.h>

#define GOLDEN(test, x)						\\
do {								\\
	KUNIT_EXPECT_EQ(test, x, 1);				\\
} while (0)

/* R-2-02 */
static void helper(struct kunit *test, int x)
{
	/* R-2-03, -05 */
	KUNIT_EXPECT_EQ(test, x, 1);
	/* R-2-06 */
	x = other(x);
	/*
	 * R-2-07: in
	 * some lines
	 */
	GOLDEN(test, x);
	/* R-2-08 */

	GOLDEN(test, x);
	GOLDEN(test, x);	/* R-2-09: behind it */
	x = 1;
	if (x)
		/* R-2-10 */
		KUNIT_FAIL(test, "%d", x);
}

static const struct row walks[] = {
	{ "R-2-11, -12: a way", 1 },
};

static void test(struct kunit *test)
{
	size_t i;

	/* R-2-13 */
	for (i = 0; i < 3; i++)
		helper(test, i);
	/* R-2-14 */
	for (i = 0; i < 3; i++) {
		helper(test, i);
	}
	/* rows of walks */
	helper(test, 5);
	KUNIT_EXPECT_EQ_MSG(test, i, 3, "R-2-15");
}
'''

SHELL = '''\
#!/bin/bash
# R-3-01
# shellcheck disable=SC2317
flows() {
	# R-3-02
	echo some
}

ended() {
	# R-3-03
	check "it ends" flows
}

# R-3-04
ended
# R-3-05
flows
check "right $one (R-3-06)" test \\
	"R-3-07" = "$x"
to=3 ended	# R-3-08
sh_on a "check is here; R-3-09"
# R-3-10
wait; echo check
case $said in
# R-3-11
*)	fail "no" ;;
esac
'''


def shown(path, text):
    """Returns (numbers that are shown, numbers that are mentioned, errors)."""
    found, wrong = cites.read({path: text})
    numbers = {True: set(), False: set()}
    for one in found:
        numbers[one.shows].add(int(one.id[-2:]))
    return sorted(numbers[True]), sorted(numbers[False]), wrong


class Citations(unittest.TestCase):
    """Tests which statements count, by language."""

    def test_ids(self):
        got = [name for name, _ in cites.ids_in(
            "R-A.3.5-01, -03 and R-2-01..03, XR-1-01, R-1-1, R-C.7.1-14:")]
        self.assertEqual(got, ["R-A.3.5-01", "R-A.3.5-03", "R-2-01", "R-2-02",
                               "R-2-03", "R-C.7.1-14"])

    def test_python(self):
        got, mentioned, wrong = shown("a.py", PYTHON)
        self.assertEqual(wrong, [])
        self.assertEqual(got, [4, 6, 10, 11, 12, 14, 15])
        self.assertEqual(mentioned, [1, 2, 3, 7, 8, 9, 13, 16, 17, 18])

    def test_c(self):
        got, mentioned, wrong = shown("a.c", C_TEXT)
        self.assertEqual(wrong, [])
        self.assertEqual(got, [3, 5, 7, 9, 10, 11, 12, 13, 15])
        self.assertEqual(mentioned, [1, 2, 6, 8, 14])

    def test_shell(self):
        got, mentioned, wrong = shown("a.sh", SHELL)
        self.assertEqual(wrong, [])
        self.assertEqual(got, [3, 4, 6, 7, 8, 11])
        self.assertEqual(mentioned, [1, 2, 5, 9, 10])

    def test_names(self):
        found, _ = cites.read({"a.py": PYTHON, "a.c": C_TEXT, "a.sh": SHELL})
        names = {one.id: one.test for one in found if one.shows}
        self.assertEqual(names["R-1-04"], "Peer.expect")
        self.assertEqual(names["R-1-14"], "_walk")
        self.assertEqual(names["R-2-03"], "helper")
        self.assertEqual(names["R-2-11"], "test")
        self.assertEqual(names["R-3-06"], "right .. (R-3-06)")

    def test_other_file(self):
        """A function name of one file may be a failing function in another
        file."""
        found, _ = cites.read({
            "a.py": "def sure(x):\n    assert x\n",
            "b.py": "def run():\n    # R-1-01\n    sure(1)\n"
                    "    # R-1-02\n    unsure(1)\n"})
        self.assertEqual([(one.id, one.shows) for one in found],
                         [("R-1-01", True), ("R-1-02", False)])

    def test_tables(self):
        text = PYTHON.replace("rows of TABLE", "rows of NONE, UNUSED")
        got, _, wrong = shown("a.py", text)
        self.assertIn(16, got)
        self.assertNotIn(14, got)
        self.assertEqual(len(wrong), 1)
        self.assertIn("NONE", wrong[0])
        _, _, wrong = shown("a.py", PYTHON.replace('"R-1-14"', '""').replace(
            '"R-1-15"', '""'))
        self.assertIn("no ID in TABLE", wrong[0])


def row(number, level="MUST"):
    return Requirement(f"R-1-{number:02}", "1", level, "both", "what")


def cited(number, shows=True):
    return cites.Citation(f"R-1-{number:02}", "tools/testing/a.py", 5, shows,
                          "_case", 4, 6)


class Page(unittest.TestCase):
    """Tests counts and complaints."""

    rows = [row(1), row(2), row(3), row(4), row(5, "MAY")]
    reasons = {"R-1-02": ("deviation", "it cannot"),
               "R-1-03": ("by design", "it is so")}
    found = [cited(1), cited(2), cited(4), cited(4, False)]

    def test_clean(self):
        self.assertEqual(list(conformance.complaints(
            self.rows, self.found, self.reasons)), [])

    def test_deviation_counts_as_one(self):
        """The page has an error also if a test cites the ID."""
        text = conformance.page(self.rows, {"1": "Title"},
                                conformance.tests(self.found), self.reasons)
        self.assertIn("Of 4 requirements that are a MUST, 2 are shown by "
                      "tests, 1 are deviations, 1 are met by design.", text)
        self.assertIn("| MUST | 4 | 2 | 1 | 1 | 0 | 0 |", text)
        self.assertIn("| MAY | 1 | 0 | 0 | 0 | 0 | 1 |", text)
        self.assertIn("*deviation:* it cannot<br>in part: `a.py` (_case) |",
                      text)
        self.assertIn("| R-1-01 | MUST | what | `a.py` (_case) |", text)
        self.assertIn("| R-1-05 | MAY | what | - |", text)

    def wrong(self, found=None, reasons=None):
        return "\n".join(conformance.complaints(
            self.rows, self.found if found is None else found,
            self.reasons if reasons is None else reasons))

    def test_mention_is_not_enough(self):
        said = self.wrong([cited(1), cited(4, False)])
        self.assertIn("R-1-04 is mentioned", said)
        self.assertIn("R-1-04 is a MUST with neither", said)

    def test_must_without_anything(self):
        self.assertEqual(self.wrong([cited(1)]),
                         "R-1-04 is a MUST with neither test nor reason")

    def test_unknown(self):
        self.assertIn("R-1-09: no such", self.wrong([*self.found, cited(9)]))
        self.assertIn("R-1-08: no such", self.wrong(
            reasons={**self.reasons, "R-1-08": ("deviation", "x")}))

    def test_shown_and_excused(self):
        self.assertIn("R-1-03 is \"by design\", and shown",
                      self.wrong([*self.found, cited(3)]))


UNIT = """\
    # ../../../net/smc/tests/llc_test.c:55: bytes differ
    # have: 01 02
    not ok 3 add_link
"""
SCRIPT = """\
ok 1 another
# LLC 0203 is not of kind 6 (_attempt:43, _case:9, <lambda>:77)
not ok 2 name of it (R-1-01)
#   File "/tmp/contact.py", line 29, in echo
"""


class Mutations(unittest.TestCase):
    """Tests which failures count as the expected failure, and what the patches
    contain."""

    def test_places(self):
        self.assertEqual(mutate_rows.failed_at(UNIT),
                         ({("llc_test.c", 55)}, {"add_link"}))
        self.assertEqual(mutate_rows.failed_at(SCRIPT), (
            {("_attempt", 43), ("_case", 9), ("<lambda>", 77),
             ("echo", 29)}, {"name"}))

    def test_verdict(self):
        def judge(line, test, said):
            one = cites.Citation("R-1-01", "net/smc/tests/llc_test.c", line,
                                 True, test, line, line + 2)
            return mutate_rows.judge("R-1-01", said, [one], lambda *_: False)

        self.assertIsNone(judge(54, "other", UNIT))
        self.assertIn("55", judge(56, "other", UNIT))
        self.assertIsNone(judge(5, "add_link", UNIT))   # called by the case
        self.assertIsNone(judge(8, "Class._case", SCRIPT))
        self.assertIsNotNone(judge(10, "_case", SCRIPT))
        self.assertEqual(judge(54, "other", "    ok 3 add_link\n"),
                         "the test passes")

    def test_patches(self):
        rows = {one.id for one in cites.citations()[0] if one.shows}
        for name, path, test in mutate_rows.mutations(()):
            self.assertIn(name, rows)
            self.assertTrue(path.endswith(f"/{name}.patch"))
            self.assertIn(test[0], {"unit", "to_stock",
                                    *mutate_rows.SCRIPTS})
            tried = subprocess.run(
                ["patch", "-p1", "-s", "--dry-run", "-i", path],
                cwd=mutate_rows.TREE, capture_output=True, check=False)
            self.assertEqual((tried.returncode, tried.stdout), (0, b""), name)


if __name__ == "__main__":
    unittest.main()
