# SPDX-License-Identifier: GPL-2.0
#
#	make modules [KDIR=]	smc.ko and smc_diag.ko, for the running kernel
#	make tools		smc_run, smcss, smcr, smc_pnet, smc_rnics, smc_chk,
#				smc_dbg, smc_advise, smc_ctl
#	make install		modules to updates/, tools to /usr/local
#	make uninstall		remove the files of "make install"
#	make deb rpm		packages of both kinds, into build/
#	make check		the tests; STAGE= runs some of them
#	make check-deep		all tests in full size, which takes hours
#	make bench		the benchmarks; BENCH_ARGS= chooses among them
#	make html		all pages with pictures, into build/html
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
	   tools/smc_chk tools/smc_dbg tools/smc_advise tools/smc_ctl \
	   tools/wireshark tools/observability tools/smc_conf
TESTS	:= tools/testing/smc tools/testing/bench tools/testing/selftests/net/smc

# The name of the kernel that KDIR is for, and the directory of the built
# modules.
release	= $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' \
	  '$(KDIR)/include/generated/utsrelease.h' 2>/dev/null)
built	= build/$(release)/net/smc
updates	= $(DESTDIR)/lib/modules/$(release)/updates

# Installs the packages for a purpose, or prints their names. On systems other
# than Debian the user installs them.
prepare	= ! command -v dpkg-query > /dev/null || \
	  KDIR='$(KDIR)' scripts/prepare $(1)

# The builds of packages install tools, headers and the source of the modules.
# The result does not depend on this machine.
# make install-tools [DESTDIR=] [PREFIX=] [LIBDIR=]
PREFIX	?= /usr/local
version	= $(shell packaging/version)
source	= $(DESTDIR)/usr/src/smcr-$(version)
headers	= $(DESTDIR)$(PREFIX)/include/smcr/linux

all: modules tools

modules:
	@$(call prepare,modules)
	@echo "building the modules (a minute or so)"
	@scripts/kernel/module --kdir '$(KDIR)' >/dev/null
	@echo "modules are in $(built)"

tools:
	@$(call prepare,tools)
	@$(MAKE) --no-print-directory build-tools

install: modules tools
	install -d '$(updates)'
	install -m 644 '$(built)/smc.ko' '$(built)/smc_diag.ko' '$(updates)/'
	[ -n '$(DESTDIR)' ] || depmod '$(release)'
	@$(MAKE) --no-print-directory install-tools

build-tools:
	@set -e; for dir in $(TOOLS); do $(MAKE) -C $$dir; done

install-tools:
	@set -e; for dir in $(TOOLS); do $(MAKE) -C $$dir install; done

# After this call, depmod finds the kernel's own modules again. Without the headers
# of the kernel its name is unknown.
# A service that preloads a missing library starts with an error of the loader.
uninstall:
	@! grep -ls '$(PREFIX)/lib/libsmc-preload.so' \
		'$(DESTDIR)'/etc/systemd/system/*.service.d/smc.conf || \
		{ echo "These services use the library. Run: smc_ctl disable --all" >&2; \
		  exit 1; }
	rm -f '$(updates)/smc.ko' '$(updates)/smc_diag.ko'
	[ ! -d '$(updates)' ] || rmdir --ignore-fail-on-non-empty '$(updates)'
	[ -n '$(DESTDIR)' ] || [ -z '$(release)' ] || depmod '$(release)'
	@set -e; for tool in $(notdir $(TOOLS)); do \
		rm -f '$(DESTDIR)$(PREFIX)'/bin/$$tool \
			'$(DESTDIR)$(PREFIX)'/sbin/$$tool \
			'$(DESTDIR)$(PREFIX)'/share/man/man8/$$tool.8 \
			'$(DESTDIR)$(PREFIX)'/share/bash-completion/completions/$$tool; \
	done
	rm -f '$(DESTDIR)$(PREFIX)/lib/libsmc-preload.so' \
		'$(DESTDIR)$(PREFIX)/lib/smc_run_bpf' \
		'$(DESTDIR)$(PREFIX)/share/man/man7/smc_counters.7' \
		'$(DESTDIR)$(PREFIX)/share/man/man7/af_smc.7'
	@$(MAKE) -s -C tools/wireshark uninstall
	@$(MAKE) -s -C tools/observability uninstall
	@$(MAKE) -s -C tools/smc_conf uninstall

clean-tools:
	@set -e; for dir in $(TOOLS); do $(MAKE) -s -C $$dir clean; done

# The source for DKMS: only files that the build reads, without tests.
install-source:
	install -d '$(source)'
	find net/smc include -type f -not -path 'net/smc/tests/*' \
		\( -name '*.[ch]' -o -name probe.sh -o -name Makefile \) \
		-exec cp --parents '{}' '$(source)' ';'
	sed 's/#MODULE_VERSION#/$(version)/' packaging/dkms/dkms.conf \
		> '$(source)/dkms.conf'
	install -m 755 packaging/dkms/loaded '$(source)/'
	install -d '$(DESTDIR)/etc/modprobe.d'
	install -m 644 packaging/dkms/modprobe.conf \
		'$(DESTDIR)/etc/modprobe.d/smcr-dkms.conf'

install-headers:
	install -d '$(headers)' '$(DESTDIR)$(PREFIX)/share/pkgconfig'
	install -m 644 include/uapi/linux/smc*.h '$(headers)/'
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(version)|' \
		packaging/headers/smcr.pc.in \
		> '$(DESTDIR)$(PREFIX)/share/pkgconfig/smcr.pc'

deb:
	@$(call prepare,deb)
	@packaging/build-deb

rpm:
	@$(call prepare,rpm)
	@packaging/build-rpm

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

# A warning is an error.
html:
	@$(call prepare,html)
	@sphinx-build -q -W --keep-going -b html -c Documentation \
		-d build/doctrees . build/html
	@echo "the pages are in build/html/Documentation/networking/smc/index.html"

kernel-doc:
	@$(call prepare,uml)
	@scripts/kernel/doc

demo:
	@scripts/demo

clean: clean-tools
	@set -e; for dir in $(TESTS); do \
		[ ! -e $$dir/Makefile ] || $(MAKE) -s -C $$dir clean; done
	rm -rf build

.PHONY: all modules tools install uninstall lab kernels check check-deep bench demo \
	html kernel-doc clean build-tools install-tools clean-tools install-source \
	install-headers deb rpm
