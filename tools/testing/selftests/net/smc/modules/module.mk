# SPDX-License-Identifier: GPL-2.0
#
#	make LAB_KERNEL=NAME			for a kernel of the lab
#	make LAB_KERNEL=NAME KDIR=DIRECTORY	for any other
#
# The module of a directory next to this file has its name and is
# build/$(LAB_KERNEL)/NAME/NAME.ko of the tree; nothing is written here.
# "make -s path" prints its path.

LAB_KERNEL ?= uml-debug
name	:= $(notdir $(CURDIR))
top	:= $(realpath $(CURDIR)/../../../../../../..)
out	:= $(top)/build/$(LAB_KERNEL)/$(name)
sources	:= Kbuild $(notdir $(wildcard $(CURDIR)/*.[ch]))

ifeq ($(filter 6.%,$(LAB_KERNEL)),)
KDIR	?= $(shell $(top)/scripts/kernel/build $(LAB_KERNEL))
args	:= $(shell $(top)/scripts/kernel/build --arch $(LAB_KERNEL))
else
ifndef KDIR
KDIR	:= /lib/modules/$(shell $(top)/scripts/kernel/newest $(LAB_KERNEL))/build
endif
endif

# Kbuild needs seconds to find out that nothing has changed, so "built" tells.
built	:= $(out)/built
ifneq ($(shell cat '$(out)/kdir' 2>/dev/null),$(KDIR))
.PHONY: $(built)
endif

module: $(built)

$(built): $(sources:%=$(CURDIR)/%) $(wildcard $(KDIR)/Module.symvers)
	@test -f '$(KDIR)/Makefile' || \
		{ echo '$(name): no kernel $(LAB_KERNEL) to build for' >&2; exit 1; }
	@mkdir -p '$(out)'
	@exec 9> '$(out)/.lock'; flock 9; \
	if [ "$$(cat '$(out)/kdir' 2>/dev/null)" != '$(KDIR)' ]; then \
		rm -f '$(out)'/*.o '$(out)'/.*.cmd; \
		echo '$(KDIR)' > '$(out)/kdir'; \
	fi; \
	ln -sf $(sources:%='$(CURDIR)/%') '$(out)/'; \
	$(MAKE) -s -C '$(KDIR)' M='$(out)' W=1 $(args) modules > '$(out)/log' 2>&1 || \
		{ cat '$(out)/log' >&2; exit 1; }; \
	touch '$(built)'

path: module
	@echo '$(out)/$(name).ko'

clean:
	rm -rf '$(top)'/build/*/$(name)

.PHONY: module path clean
