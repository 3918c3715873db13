/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_CHK_H
#define SMC_CHK_H

#include <linux/smc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "sockdiag.h"

#ifndef AF_SMC
#define AF_SMC 43
#endif

enum {
	CHK_PORT	= 37373,
	CHK_TIMEOUT_S	= 20,
	CHK_LINE_BYTES	= 128,
};

#define CHK_HELLO	"smc_chk 1\n"

/* advice.c: cause and remedy of a diagnosis code; NULL: no advice */
struct advice {
	uint32_t code;
	const char *step;	/* the failed step, in two or three words */
	const char *todo;
};

const struct advice *advice_for(uint32_t code);
/* what to do if a TCP connection fails with this errno */
const char *advice_for_tcp(int err);
/*
 * what to do if no device can be used here. @active: there are devices with
 * active ports; @here: and their interfaces are here; @mode: of RDMA
 * namespaces, or NULL
 */
const char *advice_for_devices(bool active, bool here, const char *mode);

/*
 * report.c: prints the steps of a check and its conclusion. In JSON, the end
 * has the exit status.
 */
void chk_report_as(bool json, bool times);
void chk_report_begin(const char *address, const char *port); /* NULL: local */
void chk_step(const char *name, const char *result);
/* what came out, and what to do or NULL */
void chk_verdict(const char *what, const char *todo);
/* returns @status, or an exit status of its own if stdout cannot be written */
int chk_report_end(int status);

/* local.c: the steps that need no other host; both return an exit status */
int chk_module(void);
int chk_local(void);

/* net.c */

/* returns a stream socket with time limits; @smc: AF_SMC; -1 and errno */
int chk_socket(int family, bool smc);
/* describes a connected socket; 0, or a negative errno */
int chk_find(int fd, struct smc_socket *found);
/* "10.77.0.1", "fd77::1" */
void chk_address(const struct sockaddr_storage *addr, char *buf, size_t size);
/* returns the name of the interface on the route, empty if not known */
void chk_interface(const struct sockaddr_storage *addr, char *buf,
		   size_t size);
/*
 * 1: connections of @interface can use an active port, 0: none, negative errno.
 * @network: its PNETID, or empty
 */
int chk_rnic(const char *interface, char *device, size_t size,
	     char network[SMC_MAX_PNETID_LEN + 1]);

/* the PNETID of @interface; 1: found, 0: none, negative errno */
int chk_pnetid(const char *interface, char *pnetid, size_t size);

/*
 * serve.c: serves until a signal stops it; returns an exit status. @any: if the
 * port is in use, the next free one.
 */
int chk_serve(unsigned int port, bool any);

#endif
