/* SPDX-License-Identifier: GPL-2.0 */
/* How smcss shows sockets: as a table or as JSON. */
#ifndef SMCSS_PRINT_H
#define SMCSS_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "sockdiag.h"

struct print {
	FILE *out;
	bool details;		/* buffers and cursors */
	bool lgr;		/* link group */
	bool conn_columns;	/* the same two as columns */
	bool lgr_columns;
	int addr;		/* widths of columns: addresses */
	int uid;
	int intf;
	int ibdev;
	unsigned int shown;
};

/* Makes room for the cells of a socket; for all before the table. */
void print_table_fit(struct print *p, const struct smc_socket *s);
void print_table_head(struct print *p);
void print_table_row(struct print *p, const struct smc_socket *s);

void print_json_head(struct print *p);
void print_json_row(struct print *p, const struct smc_socket *s);
void print_json_tail(struct print *p);

/* "10.77.0.1:80", "[fd77::1]:80" */
void print_addr(const struct smc_sockaddr *a, char *buf, size_t size);
/* "eth0", "7" if it has no name, "-" for 0 */
void print_interface(unsigned int ifindex, char *buf, size_t size);

#endif
