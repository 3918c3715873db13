// SPDX-License-Identifier: GPL-2.0
/*
 * This code runs before and after a measured phase. The code reads the counts
 * of both sides, and checks that SMC connections really use SMC.
 */
#include <stdlib.h>
#include <string.h>

#include "sockbench.h"

/**
 * measure_open() - connect the control channel
 * @m: set up
 * @o: options; must outlive @m
 */
void measure_open(struct measure *m, const struct opts *o)
{
	memset(m, 0, sizeof(*m));
	m->o = o;
	m->ctl.fd = connect_tcp(o->host, o->port, 500);
}

/**
 * measure_begin() - take the counts of both sides and start the clock
 * @m: the measurement
 */
void measure_begin(struct measure *m)
{
	bool memory = m->o->mode == MODE_IDLE;

	ctl_ask(&m->ctl, memory ? "membegin" : "begin");
	counts_take(&m->cli, memory ? COUNTS_MEMORY : COUNTS_RUN, m->o->mib);
	m->start = now_ns();
}

/**
 * measure_end() - stop the clock, then turn the counts into differences
 * @m: the measurement
 */
void measure_end(struct measure *m)
{
	bool memory = m->o->mode == MODE_IDLE;
	static struct counts after;

	m->secs = (now_ns() - m->start) / 1e9;
	counts_take(&after, memory ? COUNTS_MEMORY : COUNTS_RUN, m->o->mib);
	counts_subtract(&after, &m->cli);
	m->cli = after;
	ctl_ask(&m->ctl, memory ? "memend" : "end");
	counts_parse(&m->srv, m->ctl.line);
}

static void tally_both(struct measure *m, struct diag_tally *cli,
		       struct diag_tally *srv)
{
	int port = family_port(m->o->port, m->o->family);
	int rc = diag_count(port, DIAG_PEER_PORT, cli);

	if (rc)
		die("sock_diag: %s", strerror(-rc));
	ctl_ask(&m->ctl, "modes %d", port);
	if (sscanf(m->ctl.line, "%u %u %u %u", &srv->rdma, &srv->inhost,
		   &srv->tcp, &srv->other) != 4)
		die("server: %s", m->ctl.line);
}

static void refuse(const char *side, const struct diag_tally *t,
		   unsigned int conns)
{
	die("%s not in the wanted mode: %u SMC-R, %u in-host, %u TCP, %u other of %u connections",
	    side, t->rdma, t->inhost, t->tcp, t->other, conns);
}

static unsigned int wanted(const struct measure *m, const struct diag_tally *t)
{
	return m->o->inhost ? t->inhost : t->rdma;
}

/**
 * measure_modes() - require that all open connections are in SMC mode
 * @m: the measurement
 * @conns: number of open connections, all established and idle
 *
 * If a connection of either side has another mode, the program ends without a
 * result.
 */
void measure_modes(struct measure *m, unsigned int conns)
{
	struct diag_tally cli, srv;

	if (!family_is_smc(m->o->family))
		return;
	tally_both(m, &cli, &srv);
	if (cli.tcp || wanted(m, &cli) != conns)
		refuse("client side", &cli, conns);
	if (srv.tcp || wanted(m, &srv) != conns)
		refuse("server side", &srv, conns);
}

/**
 * measure_sample() - look at connections that come and go
 * @m: the measurement
 *
 * Ends the program when a connection uses TCP. @m->seen counts the samples in
 * which both sides had measured connections in SMC mode.
 */
void measure_sample(struct measure *m)
{
	struct diag_tally cli, srv;

	if (!family_is_smc(m->o->family))
		return;
	tally_both(m, &cli, &srv);
	if (cli.tcp)
		refuse("client side", &cli, m->o->conns);
	if (srv.tcp)
		refuse("server side", &srv, m->o->conns);
	if (wanted(m, &cli) > m->others && wanted(m, &srv) > m->others)
		m->seen++;
}

/* Has a side sent enough? Several records share a frame, which is a packet. */
static bool carried(const struct counts *c, unsigned long long ops)
{
	return counts_get(c, "rxe_sent_pkts") >= (long long)(2 * ops) ||
	       counts_get(c, "mib_RecordsSent") >= (long long)ops;
}

/**
 * measure_floor() - require at least the RDMA packets that the messages need
 * @m: the measurement, ended
 * @ops: messages that each side sent, one WRITE and one SEND each, or one
 *	record of a frame
 *
 * So the sum also includes connections that were too short for a sample.
 */
void measure_floor(struct measure *m, unsigned long long ops)
{
	if (!family_is_smc(m->o->family) || m->o->inhost)
		return;
	if (!carried(&m->cli, ops) || !carried(&m->srv, ops))
		die("fewer RDMA packets than %llu messages need: client sent %lld, server %lld",
		    ops, counts_get(&m->cli, "rxe_sent_pkts"),
		    counts_get(&m->srv, "rxe_sent_pkts"));
}

/**
 * measure_print() - print the counts of both sides, and end the result line
 * @m: the measurement, ended
 * @ops: number of operations, for ratios
 */
void measure_print(struct measure *m, unsigned long long ops)
{
	static char buf[32768];

	printf(" ops=%llu secs=%.6f", ops, m->secs);
	if (counts_format(&m->cli, "cli_", buf, sizeof(buf)))
		printf(" %s", buf);
	if (counts_format(&m->srv, "srv_", buf, sizeof(buf)))
		printf(" %s", buf);
	putchar('\n');
	if (fflush(stdout))
		die("cannot write the result");
}
