# SPDX-License-Identifier: GPL-2.0
# A tool of one directory: set TOOL, OBJECTS and LIB (objects of ../lib), then
# include this. make; make install [DESTDIR=] [PREFIX=]
PREFIX ?= /usr/local
SBINDIR ?= $(PREFIX)/sbin
MANDIR ?= $(PREFIX)/share/man
COMPLETIONS ?= $(PREFIX)/share/bash-completion/completions
CFLAGS ?= -O2 -g
CFLAGS += -std=gnu11 -Wall -Wextra -Wshadow -Wmissing-prototypes
CPPFLAGS += -D_GNU_SOURCE -I../../include/uapi -I../lib
LDLIBS += -lmnl

HEADERS := $(wildcard *.h ../lib/*.h ../../include/uapi/linux/smc*.h) \
	   ../../net/smc/base/version.h

all: $(TOOL)

$(TOOL): $(OBJECTS) $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(OBJECTS) $(LIB): $(HEADERS)

# Built here, so that tools can be built side by side.
lib-%.o: ../lib/%.c
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

install: all
	install -d $(DESTDIR)$(SBINDIR) $(DESTDIR)$(MANDIR)/man8 \
		$(DESTDIR)$(COMPLETIONS)
	install -m 755 $(TOOL) $(DESTDIR)$(SBINDIR)/
	install -m 644 ../$(TOOL).8 $(DESTDIR)$(MANDIR)/man8/
	install -m 644 ../completion/$(TOOL) $(DESTDIR)$(COMPLETIONS)/

clean:
	rm -f $(TOOL) $(OBJECTS) $(LIB) ../lib/tests/*.so

.PHONY: all install clean
