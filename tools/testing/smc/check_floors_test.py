#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Self-test of check_floors.py: every rule can fail, and only when it should.

Each case is a small tree that is right but for one thing. Prints KTAP.
"""

import contextlib
import io
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import check_floors  # noqa: E402  (no bytecode into the tree)

# A tree without fault: two rooms, a use downwards, a callback upwards.
GOOD = {
    "net/smc/base/low.h": "extern int smc_low_count;\n"
                          "int smc_low_get(int x);\n"
                          "#define SMC_LOW_TWICE(x) ((x) + (x))\n",
    "net/smc/base/low.c": "#include \"low.h\"\n"
                          "int smc_low_count;\n"
                          "static int helper(int x)\n{\n\treturn x;\n}\n"
                          "int smc_low_get(int x)\n{\n"
                          "\treturn helper(x);\n}\n",
    "net/smc/conn/high.h": "#include \"../base/low.h\"\n"
                           "struct ops {\n\tint (*smc_high_ask)(int x);\n};\n"
                           "extern const struct ops smc_high_ops[2];\n"
                           "int smc_high_ask(int x);\n"
                           "static inline int smc_high_one(void)\n{\n"
                           "\treturn 1;\n}\n"
                           "#define SMC_HIGH_MAC(x) (x)\n",
    "net/smc/conn/high.c": "#include \"high.h\"\n"
                           "/* smc_diag_dump() is only named here */\n"
                           "int smc_high_ask(int x)\n{\n"
                           "\treturn smc_low_get(x);\n}\n"
                           "int smc_high_hidden(void)\n{\n\treturn 2;\n}\n",
    "net/smc/diag/dump.h": "void smc_diag_dump(void);\n",
    "net/smc/conn/x_fsm.c": "SMC_FSM_DEFINE(a, \"a\", b, c, d);\n",
    "net/smc/main.c": "#include \"diag/dump.h\"\n"
                      "int init(void)\n{\n\tsmc_diag_dump();\n"
                      "\treturn 0;\n}\n",
    "net/smc/tests/t.c": "#include \"../conn/high.h\"\n"
                         "struct kunit_suite smc_t_suite = {\n};\n",
    "net/smc/tests/main.c": "kunit_test_suites(&smc_t_suite);\n",
}

LOW = "net/smc/base/low.c"
LONG_BODY = "void f(void)\n{\n" + "\tx++;\n" * 77 + "}\n"

# name, files changed, allow list, rules that must fail
CASES = (
    ("good_tree", {}, "", []),
    ("include_up", {LOW: "#include \"../conn/high.h\"\n"}, "", ["includes"]),
    ("include_up_from_root", {LOW: "#include \"conn/high.h\"\n"}, "",
     ["includes"]),
    ("include_up_commented", {LOW: "/*\n#include \"../conn/high.h\"\n*/\n"},
     "", []),
    ("include_tests", {LOW: "#include \"../tests/t.h\"\n",
                       "net/smc/tests/t.h": "int t;\n"}, "", ["includes"]),
    ("include_wire_from_base",
     {LOW: "#include \"../wire/w.h\"\n", "net/smc/wire/w.h": "int w;\n"}, "",
     ["includes"]),
    ("call_up", {LOW: "int smc_low_get(int x)\n{\n"
                      "\treturn smc_high_ask(x);\n}\n"}, "", ["calls"]),
    ("call_up_own_prototype",
     {LOW: "int smc_high_hidden(void);\nint smc_low_get(int x)\n{\n"
           "\treturn smc_high_hidden();\n}\n"}, "", ["calls"]),
    ("call_up_by_address",
     {LOW: "int (*p)(int) = smc_high_ask;\n"}, "", ["calls"]),
    ("call_up_declared_low",
     {"net/smc/base/low.h": "int smc_high_hidden(void);\n"}, "", ["calls"]),
    ("inline_up", {LOW: "int a(void)\n{\n\treturn smc_high_one();\n}\n"}, "",
     ["calls"]),
    ("macro_up", {LOW: "int a(void)\n{\n\treturn SMC_HIGH_MAC(1);\n}\n"}, "",
     ["calls"]),
    ("call_up_in_macro", {LOW: "#define ASK(x) \\\n\tsmc_high_ask(x)\n"}, "",
     ["calls"]),
    ("variable_up", {LOW: "const void *p = smc_high_ops;\n"}, "", ["calls"]),
    ("call_by_table", {LOW: "int a(struct ops *o)\n{\n"
                            "\treturn o->smc_high_ask(1);\n}\n"}, "", []),
    ("same_name_static", {LOW: "static int smc_high_ask(int x)\n{\n"
                               "\treturn x;\n}\n"
                               "int a(void)\n{\n"
                               "\treturn smc_high_ask(1);\n}\n"}, "", []),
    ("name_in_string", {LOW: "const char *s = \"smc_high_ask(\";\n"}, "", []),
    ("file_700", {LOW: "int x;\n" * 700}, "", []),
    ("file_701", {LOW: "int x;\n" * 701}, "", ["files"]),
    ("header_200", {"net/smc/base/h.h": "int x;\n" * 200}, "", []),
    ("header_201", {"net/smc/base/h.h": "int x;\n" * 201}, "", ["headers"]),
    ("function_80", {LOW: LONG_BODY}, "", []),
    ("function_81", {LOW: LONG_BODY.replace("}", "\tx++;\n}")}, "",
     ["functions"]),
    ("function_81_attribute",
     {LOW: LONG_BODY.replace("}", "\tx++;\n}").replace(
         "void f(void)", "static void f(int a,\n\tint b) __releases(&l)")},
     "", ["functions"]),
    ("long_table", {LOW: "static const int t[] = {\n" + "\t1,\n" * 200 +
                         "};\n"}, "", []),
    ("function_81_tools",
     {"tools/x/x.c": LONG_BODY.replace("}", "\tx++;\n}")}, "",
     ["functions"]),
    ("table_elsewhere", {LOW: "SMC_FSM_DEFINE(a, \"a\", b, c, d);\n"}, "",
     ["tables"]),
    ("suite_forgotten",
     {"net/smc/tests/u.c": "struct kunit_suite smc_u_suite = {\n};\n"}, "",
     ["suites"]),
    ("braces", {LOW: "int f(void)\n{\n"}, "", ["sources"]),
    ("allowed", {LOW: "int x;\n" * 701},
     "files net/smc/base/low.c one list that belongs together\n", []),
    ("allowed_function", {LOW: LONG_BODY.replace("}", "\tx++;\n}")},
     "functions net/smc/base/low.c:f steps of one protocol exchange\n", []),
    ("allowed_other", {LOW: LONG_BODY.replace("}", "\tx++;\n}")},
     "functions net/smc/base/low.c:g steps of one protocol exchange\n",
     ["functions", "allow_list"]),
    ("allow_no_reason", {LOW: "int x;\n" * 701},
     "files net/smc/base/low.c\n", ["files", "allow_list"]),
    ("allow_stale", {}, "files net/smc/base/low.c was too long before\n",
     ["allow_list"]),
    ("allow_bad_rule", {}, "size net/smc/base/low.c was too long before\n",
     ["allow_list"]),
)


def run_case(changes, allow):
    """Returns (exit status, rules that failed)."""
    with tempfile.TemporaryDirectory() as top:
        files = dict(GOOD, **changes)
        files["tools/testing/smc/floors_allow.txt"] = allow
        for path, text in files.items():
            path = os.path.join(top, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = check_floors.main(["check_floors.py", top])
    return status, [line.split()[3] for line in out.getvalue().splitlines()
                    if line.startswith("not ok")]


def empty_tree():
    """A tree without any floor must not pass for a clean one."""
    with tempfile.TemporaryDirectory() as top:
        os.makedirs(os.path.join(top, "net/smc"))
        with contextlib.redirect_stdout(io.StringIO()):
            return check_floors.main(["check_floors.py", top])


def main():
    bad = 0
    print("KTAP version 1")
    print(f"1..{len(CASES) + 1}")
    for number, (name, changes, allow, want) in enumerate(CASES, 1):
        status, failed = run_case(changes, allow)
        good = failed == want and status == (1 if want else 0)
        bad += not good
        if not good:
            print(f"# status {status}, failed {failed}, want {want}")
        print(f"{'ok' if good else 'not ok'} {number} {name}")
    good = empty_tree() == 1
    bad += not good
    print(f"{'ok' if good else 'not ok'} {len(CASES) + 1} empty_tree")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
