#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Self-test of check_floors.py: every rule can fail, and only when it should.

Each case is a small tree with exactly one fault. Prints KTAP.
"""

import contextlib
import io
import os
import sys
import tempfile

import check_floors
import ktap
from floors import words

# A tree without fault: it has two rooms, a call to the floor below, and a
# callback to the floor above.
GOOD = {
    "net/smc/base/low.h": "extern int smc_low_count;\n"
                          "int smc_low_get(int x);\n"
                          "#define SMC_LOW_TWICE(x) ((x) + (x))\n",
    "net/smc/base/low.c": "#include \"low.h\"\n"
                          "int smc_low_count;\n"
                          "static int low_same(int x)\n{\n\treturn x;\n}\n"
                          "int smc_low_get(int x)\n{\n"
                          "\treturn low_same(x);\n}\n",
    "net/smc/conn/high.h": "#include \"../base/low.h\"\n"
                           "struct ops {\n\tint (*smc_high_ask)(int x);\n};\n"
                           "extern const struct ops smc_high_ops[2];\n"
                           "int smc_high_ask(int x);\n"
                           "static inline int smc_high_one(void)\n{\n"
                           "\treturn 1;\n}\n"
                           "#define SMC_HIGH_MAC(x) (x)\n",
    "net/smc/conn/high.c": "#include \"high.h\"\n"
                           "/* smc_diag_dump() is only named here */\n"
                           "const struct ops smc_high_ops[2] = {\n};\n"
                           "int smc_high_ask(int x)\n{\n"
                           "\treturn smc_low_get(x + smc_low_count);\n}\n"
                           "int smc_high_hidden(void)\n{\n\treturn 2;\n}\n",
    "net/smc/diag/dump.h": "void smc_dump_all(void);\n",
    "net/smc/diag/dump.c": "void smc_dump_all(void)\n{\n"
                           "\tsmc_high_ask(smc_high_one());\n"
                           "\tuse(smc_high_ops, SMC_HIGH_MAC(1),\n"
                           "\t    SMC_LOW_TWICE(1));\n}\n"
                           "static int smc_diag_dump;\n",
    "net/smc/conn/x_fsm.c": "SMC_FSM_DEFINE(a, \"a\", b, c, d);\n",
    "net/smc/main.c": "#include \"diag/dump.h\"\n"
                      "int init(void)\n{\n\tsmc_dump_all();\n"
                      "\treturn 0;\n}\n",
    "net/smc/tests/t.c": "#include \"../conn/high.h\"\n"
                         "struct kunit_suite smc_t_suite = {\n};\n",
    "net/smc/tests/main.c": "kunit_test_suites(&smc_t_suite);\n",
    "Documentation/networking/smc/choices.rst":
        "X-01\n  One thing, see smc_low_get() in low.c.\n\n"
        "Y-02\n  Another, see X-01.\n",
}

LOW = "net/smc/base/low.c"
HIGH = "net/smc/conn/high.c"
HEADER = "net/smc/base/low.h"
TALL = "net/smc/group/tall.h"
LONG_BODY = "void smc_low_f(void)\n{\n" + "\tx++;\n" * 77 + "}\n"
TOO_LONG = LONG_BODY.replace("}", "\tx++;\n}")


def plus(path, text, **more):
    """Returns the good tree with some text added to a file."""
    return {path: GOOD.get(path, "") + text, **more}


def room(name, body, header=""):
    """Returns a room of transport/ that exports smc_NAME_do(), which main.c
    uses."""
    path = f"net/smc/transport/{name}"
    return {path + ".h": f"void smc_{name}_do(void);\n{header}",
            path + ".c": f"void smc_{name}_do(void)\n{{\n{body}}}\n"}


def rooms(*made, extra=None):
    """Returns these rooms together, with a main.c that uses what
    they export."""
    tree = {}
    for one in made:
        tree.update(one)
    called = [path.split("/")[-1][:-2] for path in tree if path.endswith(".c")]
    tree["net/smc/main.c"] = GOOD["net/smc/main.c"].replace(
        "\treturn 0;", "".join(f"\tsmc_{name}_do();\n" for name in called) +
        "\treturn 0;")
    tree.update(extra or {})
    return tree


TWO = rooms(room("one", "\tsmc_two_do();\n"), room("two", "\tsmc_one_do();\n"))
# One room declares a table and calls through it; two other rooms fill in the
# table.
TABLE = rooms(
    room("one", "\ttable->act(1);\n",
         "struct acts {\n\tvoid (*act)(int x);\n};\n"),
    {"net/smc/transport/two.h": "void smc_two_do(void);\n",
     "net/smc/transport/two.c":
         "static void two_act(int x)\n{\n\tx++;\n}\n"
         "static const struct acts two_acts = {\n\t.act = two_act,\n};\n"
         "void smc_two_do(void)\n{\n\tsmc_one_do();\n\tuse(&two_acts);\n}\n"})
SAME_MEMBER = {path: text.replace("int x)\n{\n\tx++", "long y)\n{\n\ty++")
               for path, text in TABLE.items()}
RING = plus(LOW, "static void low_a(void)\n{\n\tlow_b();\n}\n"
                 "static void low_b(void)\n{\n\tlow_a();\n}\n")
RING3 = plus(LOW, "static void low_a(void)\n{\n\tlow_b();\n}\n"
                  "static void low_b(void)\n{\n\tlow_c();\n}\n"
                  "static void low_c(void)\n{\n\tlow_a();\n}\n")
RING_ARRAY = plus(LOW, "static void low_b(void);\n"
                       "static void low_a(void)\n{\n\tlow_all[0]();\n}\n"
                       "static void (*const low_all[])(void) = {\n"
                       "\tlow_b,\n};\n"
                       "static void low_b(void)\n{\n\tlow_c();\n}\n"
                       "static void low_c(void)\n{\n\tlow_a();\n}\n")
FAMILY = rooms(room("one", "\tsmc_one_more_do();\n",
                    "void smc_one_more_do(void);\n"),
               {"net/smc/transport/one_more.c":
                "void smc_one_more_do(void)\n{\n}\n"})
STRANGER = rooms(room("one", "\tsmc_two_do();\n",
                      "void smc_two_do(void);\n"),
                 {"net/smc/transport/two.c": "void smc_two_do(void)\n{\n}\n"})
FLOORS_OWN = {**STRANGER,
              "net/smc/transport/one.h": "void smc_one_do(void);\n",
              "net/smc/transport/transport.h": "void smc_two_do(void);\n"}
PRIVATE = {**FLOORS_OWN, "net/smc/main.c": GOOD["net/smc/main.c"].replace(
    "\treturn 0;", "\tsmc_one_do();\n\treturn 0;")}
OBJECT = "struct smc_tall {\n" + "\tint m%d;\n" * 24
OBJECT %= tuple(range(24))

# Each row has a name, changed files, an allow list, and the rules that must
# fail.
CASES = (
    ("good_tree", {}, "", []),
    ("include_up", plus(LOW, "#include \"../conn/high.h\"\n"), "",
     ["includes"]),
    ("include_up_from_root", plus(LOW, "#include \"conn/high.h\"\n"), "",
     ["includes"]),
    ("include_up_commented", plus(LOW, "/*\n#include \"../conn/high.h\"\n*/\n"),
     "", []),
    ("include_tests", plus(LOW, "#include \"../tests/t.h\"\n",
                           **{"net/smc/tests/t.h": "int t;\n"}), "",
     ["includes"]),
    ("include_wire_from_base",
     plus(LOW, "#include \"../wire/w.h\"\n",
          **{"net/smc/wire/w.h": "int w;\n"}), "", ["includes"]),
    *((f"bytes_{name}", plus(path, f"static int {path[13:14]}_x(u8 *buf)\n{{\n"
                             f"\treturn {text};\n}}\n"), "", ["bytes"])
      for path in (LOW, HIGH)
      for name, text in (("order", "be32_to_cpu(1)"),
                         ("unaligned", "get_unaligned_be16(buf)"),
                         ("subscript", "buf[3] & 0x80"),
                         ("member", "lgr->in.buf[AT_FLAGS]"),
                         ("codec", "smc_llc_v2_rkey(1)"))),
    ("bytes_allowed", plus(HIGH, "static int high_x(void)\n{\n"
                                 "\treturn ntohl(1);\n}\n"),
     f"bytes {HIGH}:ntohl an address of the kernel\n", []),
    ("bytes_declared", plus(HIGH, "static int high_x(void)\n{\n"
                                  "\tu8 buf[3];\n\n\treturn use(buf);\n}\n"),
     "", []),
    ("bytes_in_wire", plus("net/smc/wire/w.c",
                           "static int wire_x(u8 *buf)\n{\n"
                           "\treturn be32_to_cpu(buf[1]);\n}\n"), "", []),
    ("call_up", plus(LOW, "static int low_up(int x)\n{\n"
                          "\treturn smc_high_ask(x);\n}\n"), "", ["calls"]),
    ("call_up_own_prototype",
     plus(LOW, "int smc_high_hidden(void);\nstatic int low_up(int x)\n{\n"
               "\treturn smc_high_hidden();\n}\n"), "", ["calls"]),
    ("call_up_by_address",
     plus(LOW, "static int (*p)(int) = smc_high_ask;\n"), "", ["calls"]),
    ("call_up_declared_low",
     plus(HEADER, "int smc_high_hidden(void);\n"), "",
     ["calls", "homes", "dead"]),
    ("inline_up", plus(LOW, "static int low_a(void)\n{\n"
                            "\treturn smc_high_one();\n}\n"), "", ["calls"]),
    ("macro_up", plus(LOW, "static int low_a(void)\n{\n"
                           "\treturn SMC_HIGH_MAC(1);\n}\n"), "", ["calls"]),
    ("call_up_in_macro", plus(LOW, "#define ASK(x) \\\n\tsmc_high_ask(x)\n"),
     "", ["calls"]),
    ("variable_up", plus(LOW, "static const void *p = smc_high_ops;\n"), "",
     ["calls"]),
    ("call_by_table", plus(LOW, "static int low_a(struct ops *o)\n{\n"
                                "\treturn o->smc_high_ask(1);\n}\n"), "", []),
    ("same_name_static", plus(LOW, "static int smc_high_ask(int x)\n{\n"
                                   "\treturn x;\n}\n"
                                   "static int low_a(void)\n{\n"
                                   "\treturn smc_high_ask(1);\n}\n"), "", []),
    ("name_in_string",
     plus(LOW, "static const char *s = \"smc_high_ask(\";\n"), "", []),

    ("cycle_of_2", TWO, "", ["cycles"]),
    ("cycle_allowed", TWO, "cycles net/smc/transport =2 not yet in order\n",
     []),
    ("cycle_larger_than_allowed",
     rooms(room("one", "\tsmc_two_do();\n"), room("two", "\tsmc_six_do();\n"),
           room("six", "\tsmc_one_do();\n")),
     "cycles net/smc/transport =2 not yet in order\n", ["cycles", "rings"]),
    ("cycle_smaller_than_allowed", TWO,
     "cycles net/smc/transport =3 not yet in order\n", ["allow_list"]),
    ("no_cycle", rooms(room("one", "\tsmc_two_do();\n"), room("two", "")), "",
     []),
    ("cycle_by_variable",
     rooms(room("one", "\tsmc_two_do();\n", "extern int smc_one_count;\n"),
           room("two", "\tsmc_one_count++;\n"),
           extra={"net/smc/transport/one.c":
                  "int smc_one_count;\nvoid smc_one_do(void)\n{\n"
                  "\tsmc_two_do();\n}\n"}), "", ["cycles"]),
    ("cycle_by_inline",
     rooms(room("one", "\tsmc_two_do();\n"),
           room("two", "", "static inline void smc_two_in(void)\n{\n"
                           "\tsmc_one_do();\n}\n"),
           extra={"net/smc/conn/y.c": "static void y_in(void)\n{\n"
                                      "\tsmc_two_in();\n}\n"}), "",
     ["cycles"]),
    ("cycle_by_table", TABLE, "", ["cycles"]),
    ("cycle_by_table_assigned",
     {**TABLE, "net/smc/transport/two.c":
      TABLE["net/smc/transport/two.c"].replace(
          "static const struct acts two_acts = {\n\t.act = two_act,\n};\n",
          "").replace("use(&two_acts)", "x->act = two_act")}, "", ["cycles"]),
    ("cycle_by_table_listed", TABLE,
     "callbacks net/smc/transport/one.h:acts what each kind does\n", []),
    ("callbacks_stale", {},
     "callbacks net/smc/transport/one.h:acts what each kind does\n",
     ["allow_list"]),
    ("member_of_another_struct", SAME_MEMBER, "", []),
    ("ring_of_2", RING, "", []),
    ("ring_of_3", RING3, "", ["rings"]),
    ("ring_of_3_allowed", RING3, "rings net/smc/base =3 steps of one walk\n",
     []),
    ("ring_by_array", RING_ARRAY, "", ["rings"]),

    ("home_of_family", FAMILY, "", []),
    ("home_is_a_stranger", STRANGER, "", ["homes"]),
    ("home_of_floor", FLOORS_OWN, "", []),
    ("home_of_floor_private", PRIVATE, "", ["homes"]),
    ("two_homes", {**FAMILY, "net/smc/transport/one_more.h":
                   "void smc_one_more_do(void);\n"}, "", ["homes"]),
    ("declared_only", plus(HEADER, "int smc_low_never(void);\n"), "",
     ["homes"]),
    ("home_of_variable", plus(TALL, "extern int smc_tall_x;\n",
                              **{"net/smc/group/small.c":
                                 "int smc_tall_x;\n",
                                 "net/smc/conn/y.c":
                                 "static int y_get(void)\n{\n"
                                 "\treturn smc_tall_x;\n}\n"}), "",
     ["homes", "names"]),
    ("name_without_room", plus(LOW, "int low_x(void)\n{\n\treturn 1;\n}\n"),
     "", ["names"]),
    ("name_of_another",
     rooms(room("one", ""), extra={
         "net/smc/transport/one.h": "void smc_two_do(void);\n",
         "net/smc/transport/one.c": "void smc_two_do(void)\n{\n}\n",
         "net/smc/main.c": GOOD["net/smc/main.c"].replace(
             "\treturn", "\tsmc_two_do();\n\treturn")}), "", ["names"]),
    ("name_listed",
     rooms(room("one", ""), extra={
         "net/smc/transport/one.h": "void smc_two_do(void);\n",
         "net/smc/transport/one.c": "void smc_two_do(void)\n{\n}\n",
         "net/smc/main.c": GOOD["net/smc/main.c"].replace(
             "\treturn", "\tsmc_two_do();\n\treturn")}),
     "names net/smc/transport/one:smc_two_ the two are its object\n", []),
    ("dead_function", {"net/smc/main.c": ""}, "", ["dead"]),
    ("used_by_test_only",
     {"net/smc/main.c": "", "net/smc/tests/t.c": GOOD["net/smc/tests/t.c"] +
      "void smc_t_case(void)\n{\n\tsmc_dump_all();\n}\n"}, "", ["dead"]),
    ("used_by_tool", {"net/smc/main.c": "", "tools/x/x.c":
                      "int main(void)\n{\n\tsmc_dump_all();\n}\n"}, "", []),
    ("dead_inline", plus(HEADER, "static inline int smc_low_one(void)\n{\n"
                                 "\treturn 1;\n}\n"), "", ["dead"]),
    ("dead_macro", plus(HEADER, "#define SMC_LOW_ONE(x) (x)\n"), "", ["dead"]),
    ("dead_limit", {"net/smc/base/limits.h": "enum {\n\tSMC_MAX = 1,\n};\n"},
     "", ["dead"]),
    ("static_without_noun",
     plus(LOW, "static int run(void)\n{\n\treturn 1;\n}\n"), "", ["statics"]),
    ("static_twice", plus(HIGH, "static int low_same(int x)\n{\n"
                                "\treturn x;\n}\n"), "", ["statics"]),
    ("static_under_if", plus(LOW, "#if A\nstatic int low_x(void)\n{\n"
                                  "\treturn 1;\n}\n#else\n"
                                  "static int low_x(void)\n{\n"
                                  "\treturn 2;\n}\n#endif\n"), "", []),

    ("file_900", {LOW: GOOD[LOW] + "static int x;\n" * 890}, "", []),
    ("file_901", {LOW: GOOD[LOW] + "static int x;\n" * 891}, "", ["files"]),
    ("header_400", {"net/smc/base/h.h": "int x;\n" * 400}, "", []),
    ("header_401", {"net/smc/base/h.h": "int x;\n" * 401}, "", ["headers"]),
    ("function_80", plus(LOW, LONG_BODY), "", []),
    ("function_81", plus(LOW, TOO_LONG), "", ["functions"]),
    ("function_81_attribute",
     plus(LOW, TOO_LONG.replace(
         "void smc_low_f(void)",
         "static void low_f(int a,\n\tint b) __releases(&l)")), "",
     ["functions"]),
    ("long_table", plus(LOW, "static const int t[] = {\n" + "\t1,\n" * 200 +
                        "};\n"), "", []),
    ("function_81_tools", {"tools/x/x.c": TOO_LONG}, "", ["functions"]),
    ("members_25", plus(TALL, OBJECT + "\tint z;\n};\n"), "", []),
    ("members_26", plus(TALL, OBJECT + "\tint y, z;\n};\n"), "", ["members"]),
    ("members_nested",
     plus(TALL, OBJECT + "\tstruct {\n\t\tint a;\n\t\tint b;\n\t} z;\n};\n"),
     "", []),
    ("members_anonymous",
     plus(TALL, OBJECT + "\tstruct {\n\t\tint a;\n\t\tint b;\n\t};\n};\n"),
     "", ["members"]),
    ("members_allowed", plus(TALL, OBJECT + "\tint y, z;\n};\n"),
     "members net/smc/group/tall.h:smc_tall =26 not yet in two\n", []),
    ("flags_10", {"net/smc/group/f.h": "struct f {\n" +
                  "".join(f"\tbool f{n};\n" for n in range(10)) + "};\n"},
     "", []),
    ("flags_11", {"net/smc/group/f.h": "struct f {\n" +
                  "".join(f"\tbool f{n};\n" for n in range(9)) + "};\n",
                  "net/smc/group/g.h": "struct g {\n\tbool a, b;\n};\n"},
     "", ["flags"]),
    ("flags_of_a_view",
     {"net/smc/group/f.h": "struct f {\n" +
      "".join(f"\tbool f{n};\n" for n in range(11)) + "};\n"},
     "flags net/smc/group/f.h:f snapshot for the views\n", []),
    ("table_elsewhere", plus(LOW, "SMC_FSM_DEFINE(a, \"a\", b, c, d);\n"), "",
     ["tables"]),
    ("suite_forgotten",
     {"net/smc/tests/u.c": "struct kunit_suite smc_u_suite = {\n};\n"}, "",
     ["suites"]),

    ("cites_choice", plus(LOW, "/* as X-01 and Y-02 say */\n"), "", []),
    ("cites_no_choice", plus(LOW, "/* as X-02 says */\n"), "", ["cites"]),
    ("cites_no_choice_page",
     {"Documentation/networking/smc/other.rst": "See Y-03.\n"}, "",
     ["cites"]),
    ("cites_no_choice_script", {"tools/x.sh": "# see X-03\n"}, "", ["cites"]),
    ("cites_rule_tested",
     {"Documentation/networking/smc/other.rst": "F-01\n  A rule.\n",
      **plus("net/smc/tests/t.c", "/* F-01 */\n")}, "", []),
    ("cites_rule_untested",
     {"Documentation/networking/smc/other.rst": "F-01\n  A rule.\n"}, "",
     ["cites"]),
    ("cites_decision", plus(LOW, "/* lent, never copied (D6) */\n"), "",
     ["cites"]),
    ("cites_function", plus(LOW, "/* see smc_low_gone() */\n"), "",
     ["cites"]),
    ("cites_function_page",
     {"Documentation/networking/smc/other.rst": "smc_low_gone() does.\n"}, "",
     ["cites"]),
    ("cites_name_of_string",
     plus(LOW, "/* sysctl smc_low_knob */\n"
               "static const char *s = \"smc_low_knob\";\n"), "", []),
    ("cites_file", plus(LOW, "/* see gone.c */\n"), "", ["cites"]),
    ("cites_document", plus(LOW, "/* see plan.md */\n"), "", ["cites"]),
    ("cites_file_markdown", {"HOWTO.md": "Add it in net/smc/base/gone.c.\n"},
     "", ["cites"]),
    ("cites_file_there", plus(LOW, "/* see conn/high.c, choices.rst */\n"),
     "", []),
    ("cites_allowed", plus(LOW, "/* see gone.c and lost.c */\n"),
     "cites net/smc/base =2 not yet mended here\n", []),
    ("cites_more_than_allowed", plus(LOW, "/* see gone.c and lost.c */\n"),
     "cites net/smc/base =1 not yet mended here\n", ["cites"]),
    ("cites_fewer_than_allowed", plus(LOW, "/* see gone.c */\n"),
     "cites net/smc/base =2 not yet mended here\n", ["allow_list"]),
    ("kernel_doc", plus(HEADER, "/** smc_low_get - KDOC warns */\n"), "",
     ["kernel-doc"]),
    ("kernel_doc_allowed", plus(HEADER, "/** smc_low_get - KDOC warns */\n"),
     "kernel-doc net/smc/base =1 not yet mended here\n", []),

    ("braces", {"net/smc/base/h.c": "int f(void)\n{\n"}, "", ["sources"]),
    ("allowed", {LOW: GOOD[LOW] + "static int x;\n" * 892},
     "files net/smc/base/low.c one list that belongs together\n", []),
    ("allowed_function", plus(LOW, TOO_LONG),
     "functions net/smc/base/low.c:smc_low_f steps of one exchange\n", []),
    ("allowed_other", plus(LOW, TOO_LONG),
     "functions net/smc/base/low.c:g steps of one protocol exchange\n",
     ["functions", "allow_list"]),
    ("allow_no_reason", plus(LOW, TOO_LONG),
     "functions net/smc/base/low.c:smc_low_f\n", ["functions", "allow_list"]),
    ("allow_no_reason_number", TWO, "cycles net/smc/transport =2\n",
     ["cycles", "allow_list"]),
    ("allow_stale", {}, "files net/smc/base/low.c was too long before\n",
     ["allow_list"]),
    ("allow_stale_number", {}, "cites net/smc/base =1 was one before\n",
     ["allow_list"]),
    ("allow_bad_rule", {}, "size net/smc/base/low.c was too long before\n",
     ["allow_list"]),
)

# Replaces scripts/kernel-doc, and prints a warning for each line with KDOC.
KERNEL_DOC = ("#!/bin/sh\nshift\n"
              "grep -Hn KDOC \"$@\" | sed 's/:\\([0-9]*\\):.*/:\\1: warning: "
              "undescribed/' >&2\nexit 0\n")


def plant(top, changes, allow):
    files = dict(GOOD, **changes)
    files["tools/testing/smc/floors_allow.txt"] = allow
    for path, text in files.items():
        path = os.path.join(top, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


def check(*args):
    """Returns (exit status, output)."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = check_floors.main(["check_floors.py", *args])
    return status, out.getvalue()


def run_case(changes, allow):
    """Returns (exit status, rules that failed, whole output)."""
    with tempfile.TemporaryDirectory() as top:
        plant(top, changes, allow)
        status, said = check(top)
    return status, [line.split()[3] for line in said.splitlines()
                    if line.startswith("not ok")], said


def empty_tree():
    """A tree without floors must not pass."""
    with tempfile.TemporaryDirectory() as top:
        os.makedirs(os.path.join(top, "net/smc"))
        return check(top)[0] == 1


def lowered():
    """--lower decreases the numbers and removes unneeded entries."""
    with tempfile.TemporaryDirectory() as top:
        plant(top, plus(LOW, "/* see gone.c */\n"),
              "# what is left\n"
              "cites net/smc/base =3 not yet mended here\n"
              "cites net/smc/conn =3 not yet mended here\n"
              "files net/smc/base/low.c was too long before\n")
        check("--lower", top)
        with open(os.path.join(top, "tools/testing/smc/floors_allow.txt"),
                  encoding="utf-8") as f:
            return f.read() == ("# what is left\n"
                                "cites net/smc/base =1 not yet mended here\n")


def listed():
    """--list shows the findings that an entry hides."""
    with tempfile.TemporaryDirectory() as top:
        plant(top, plus(LOW, "/* see gone.c */\n"),
              "cites net/smc/base =1 not yet mended here\n")
        return "low.c:11: gone.c" in check("--list", "cites:net/smc/base",
                                           top)[1]


def no_kernel_doc():
    """Without the kernel-doc script, the program skips the rule and keeps its
    numbers."""
    real = words.kernel_doc_script
    words.kernel_doc_script = lambda: None
    try:
        status, _, said = run_case(
            {}, "kernel-doc net/smc/base =4 not yet mended here\n")
    finally:
        words.kernel_doc_script = real
    return status == 0 and "kernel-doc # SKIP" in said


def real_kernel_doc():
    """The program understands the output of the real script, if
    there is one."""
    del os.environ["KERNEL_DOC"]
    if words.kernel_doc_script() is None:
        return True
    return run_case(plus(HEADER, "/**\n * smc_low_get - x\n */\n"
                                 "int smc_low_get(int x);\n"), "")[1] == \
        ["kernel-doc"]


def main():
    others = (empty_tree, lowered, listed, no_kernel_doc, real_kernel_doc)
    report = ktap.Report(len(CASES) + len(others))
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "kernel-doc")
        with open(script, "w", encoding="utf-8") as f:
            f.write(KERNEL_DOC)
        os.chmod(script, 0o755)
        os.environ["KERNEL_DOC"] = script
        for name, changes, allow, want in CASES:
            status, failed, said = run_case(changes, allow)
            good = failed == want and status == (1 if want else 0)
            report.result(good, name, "" if good else "\n".join(
                [f"status {status}, failed {failed}, want {want}",
                 *("  " + line for line in said.splitlines())]))
        for test in others:
            report.result(test(), test.__name__)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
