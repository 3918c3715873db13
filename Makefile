# SPDX-License-Identifier: GPL-2.0
#
#	make modules [KDIR=]	smc.ko and smc_diag.ko, for the running kernel
#	make tools		smc_run, smcss, smcr, smc_pnet, smc_rnics, smc_chk
#	make install		modules to updates/, tools to /usr/local
#	make check		the tests; STAGE= runs some of them
#	make check-deep		all that there is, in full size: hours
#	make bench		the benchmarks; BENCH_ARGS= chooses among them
#	make kernel-doc		the functions of net/smc, into build/kernel-doc
#	make demo		two hosts, an unmodified web server, verified
#	make kernels		the test kernels, into the cache
#	make lab		prepare this machine for scripts/lab
#	make clean

KDIR	?= /lib/modules/$(shell uname -r)/build
DESTDIR	?=
STAGE	?=
BENCH_ARGS ?=

TOOLS	:= tools/smc_run tools/smcss tools/smcr tools/smc_pnet tools/smc_rnics \
	   tools/smc_chk
TESTS	:= tools/testing/smc tools/testing/bench tools/testing/selftests/net/smc

# The name and the built modules of the kernel that KDIR is for.
release	= $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' \
	  '$(KDIR)/include/generated/utsrelease.h' 2>/dev/null)
built	= build/$(release)/net/smc
updates	= $(DESTDIR)/lib/modules/$(release)/updates

# Packages for a purpose are installed or named. Elsewhere than on Debian they
# are the user's matter.
prepare	= ! command -v dpkg-query > /dev/null || \
	  KDIR='$(KDIR)' scripts/prepare $(1)

all: modules tools

modules:
	@$(call prepare,modules)
	@echo "building the modules (a minute or so)"
	@scripts/kernel/module --kdir '$(KDIR)' >/dev/null
	@echo "modules are in $(built)"

tools:
	@$(call prepare,tools)
	@set -e; for dir in $(TOOLS); do $(MAKE) -C $$dir; done

install: modules tools
	install -d '$(updates)'
	install -m 644 '$(built)/smc.ko' '$(built)/smc_diag.ko' '$(updates)/'
	[ -n '$(DESTDIR)' ] || depmod '$(release)'
	@set -e; for dir in $(TOOLS); do $(MAKE) -C $$dir install; done

lab:
	scripts/prepare
	$(MAKE) kernels

kernels:
	scripts/prepare uml
	scripts/kernel/build uml
	scripts/kernel/build uml-debug

check:
	@scripts/check $(STAGE)

check-deep:
	@scripts/check --deep $(STAGE)

bench:
	@$(call prepare,bench)
	@tools/testing/bench/run $(BENCH_ARGS)

kernel-doc:
	@$(call prepare,uml)
	@scripts/kernel/doc --page > Documentation/networking/smc/functions.rst
	@scripts/kernel/doc

demo:
	@scripts/demo

clean:
	@set -e; for dir in $(TOOLS) $(TESTS); do \
		[ ! -e $$dir/Makefile ] || $(MAKE) -s -C $$dir clean; done
	rm -rf build

.PHONY: all modules tools install lab kernels check check-deep bench demo \
	kernel-doc clean
