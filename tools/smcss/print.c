// SPDX-License-Identifier: GPL-2.0
#include "print.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>

#include "names.h"
#include "sysfs.h"

#define PORT_DIR "/sys/class/infiniband/%.64s/ports/%u"

enum {
	/* "[", an IPv6 address with a v4 tail, "]:", five digits, NUL */
	ADDR_TEXT_BYTES = INET6_ADDRSTRLEN + 10,
	PHRASE_BYTES = 128,
	MIN_ADDR = 23,
	MIN_UID = 5,
	MIN_INTF = 8,
	MIN_IBDEV = 15,
	GID_BYTES = 48,
	GIDS = 256,	/* a port has no more */
	CONN_COLUMNS = 150,	/* behind the first */
	LGR_COLUMNS = 98,	/* without the name of the device */
};

void print_addr(const struct smc_sockaddr *a, char *buf, size_t size)
{
	char ip[INET6_ADDRSTRLEN];

	inet_ntop(a->ipv6 ? AF_INET6 : AF_INET, a->addr, ip, sizeof(ip));
	snprintf(buf, size, a->ipv6 ? "[%s]:%u" : "%s:%u", ip, a->port);
}

void print_interface(unsigned int ifindex, char *buf, size_t size)
{
	char name[IF_NAMESIZE];

	if (!ifindex)
		snprintf(buf, size, "-");
	else if (if_indextoname(ifindex, name))
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "%u", ifindex);
}

/*
 * Finds the interface of a socket: the interface to which the socket is bound,
 * or else the interface with the link's address.
 */
static void socket_interface(const struct smc_socket *s, char *buf,
			     size_t size)
{
	const struct smc_diag_lgrinfo *l = &s->lgr;
	char text[GID_BYTES];
	unsigned int i;

	print_interface(s->ifindex, buf, size);
	if (s->ifindex || !s->has_lgr || strchr((const char *)l->ibname, '/'))
		return;
	for (i = 0; i < GIDS; i++) {
		if (!smc_read_line(text, sizeof(text), PORT_DIR "/gids/%u",
				   (const char *)l->ibname, l->ibport, i) ||
		    strcmp(text, (const char *)l->gid))
			continue;
		smc_read_line(text, sizeof(text),
			      PORT_DIR "/gid_attrs/ndevs/%u",
			      (const char *)l->ibname, l->ibport, i);
		if (*text)
			snprintf(buf, size, "%.*s", IF_NAMESIZE - 1, text);
		return;
	}
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

void print_table_fit(struct print *p, const struct smc_socket *s)
{
	char text[ADDR_TEXT_BYTES];

	print_addr(&s->local, text, sizeof(text));
	p->addr = larger(p->addr, strlen(text));
	print_addr(&s->peer, text, sizeof(text));
	p->addr = larger(p->addr, strlen(text));
	snprintf(text, sizeof(text), "%u", s->uid);
	p->uid = larger(p->uid, strlen(text));
	socket_interface(s, text, sizeof(text));
	p->intf = larger(p->intf, strlen(text));
	if (p->lgr_columns && s->has_lgr)
		p->ibdev = larger(p->ibdev, strnlen((const char *)s->lgr.ibname,
						    sizeof(s->lgr.ibname)));
}

void print_table_head(struct print *p)
{
	p->addr = larger(p->addr, MIN_ADDR);
	p->uid = larger(p->uid, MIN_UID);
	p->intf = larger(p->intf, MIN_INTF);
	p->ibdev = larger(p->ibdev, MIN_IBDEV);
	fprintf(p->out, "%-16s %*s %10s %-*s %-*s %-*s %-7s ", "State", p->uid,
		"UID", "Inode", p->addr, "Local Address", p->addr,
		"Peer Address", p->intf, "Intf", "Mode");
	if (p->conn_columns) {
		fprintf(p->out, "%-5s %-8s %-8s %-8s %-8s ", "Shutd", "Token",
			"Sndbuf", "Rcvbuf", "Peerbuf");
		fprintf(p->out, "%-13s %-13s %-7s %-13s %-13s %-7s ",
			"rxprod-Cursor", "rxcons-Cursor", "rxFlags",
			"txprod-Cursor", "txcons-Cursor", "txFlags");
		fprintf(p->out, "%-13s %-13s %-13s ", "txprep-Cursor",
			"txsent-Cursor", "txfin-Cursor");
	}
	if (p->lgr_columns)
		fprintf(p->out, "%-4s %-*s %-4s %-6s %-39s %-39s ", "Role",
			p->ibdev, "IB-device", "Port", "Linkid", "GID",
			"Peer-GID");
	fputs("Reason\n", p->out);
}

static void cursor_column(FILE *out, const struct smc_diag_cursor *c)
{
	fprintf(out, "%04x:%08x ", c->wrap, c->count);
}

static const char *shutdown_name(unsigned int mask)
{
	static const char * const names[] = { "<->", "R->", "<-W", "R-W" };

	return names[mask & 3];
}

/* A socket without these values has empty columns. */
static void conn_columns(FILE *out, const struct smc_socket *s)
{
	const struct smc_diag_conninfo *c = &s->conn;

	fprintf(out, "%-5s ", shutdown_name(s->shutdown));
	if (!s->has_conn) {
		fprintf(out, "%*s", CONN_COLUMNS, "");
		return;
	}
	fprintf(out, "%08x %08x %08x %08x ", c->token, c->sndbuf_size,
		c->rmbe_size, c->peer_rmbe_size);
	cursor_column(out, &c->rx_prod);
	cursor_column(out, &c->rx_cons);
	fprintf(out, "%02x:%02x   ", c->rx_prod_flags, c->rx_conn_state_flags);
	cursor_column(out, &c->tx_prod);
	cursor_column(out, &c->tx_cons);
	fprintf(out, "%02x:%02x   ", c->tx_prod_flags, c->tx_conn_state_flags);
	cursor_column(out, &c->tx_prep);
	cursor_column(out, &c->tx_sent);
	cursor_column(out, &c->tx_fin);
}

static void lgr_columns(const struct print *p, const struct smc_socket *s)
{
	const struct smc_diag_lgrinfo *l = &s->lgr;

	if (!s->has_lgr) {
		fprintf(p->out, "%*s", LGR_COLUMNS + p->ibdev, "");
		return;
	}
	fprintf(p->out, "%-4s %-*.64s %02x   %02x     %-39.40s %-39.40s ",
		l->role == SMC_DIAG_ROLE_SERVER ? "SERV" : "CLNT", p->ibdev,
		(const char *)l->ibname, l->ibport, l->link_id,
		(const char *)l->gid, (const char *)l->peer_gid);
}

static void print_cursor(FILE *out, const char *name,
			 const struct smc_diag_cursor *c)
{
	fprintf(out, " %s %u:%u", name, c->wrap, c->count);
}

static void print_conn(FILE *out, const struct smc_diag_conninfo *c)
{
	fprintf(out, "    token %08x sndbuf %u rmbe %u peer-rmbe %u\n", c->token,
		c->sndbuf_size, c->rmbe_size, c->peer_rmbe_size);
	fprintf(out, "    received:");
	print_cursor(out, "prod", &c->rx_prod);
	print_cursor(out, "cons", &c->rx_cons);
	fprintf(out, " flags %02x:%02x\n", c->rx_prod_flags,
		c->rx_conn_state_flags);
	fprintf(out, "    sent:");
	print_cursor(out, "prod", &c->tx_prod);
	print_cursor(out, "cons", &c->tx_cons);
	fprintf(out, " flags %02x:%02x\n", c->tx_prod_flags,
		c->tx_conn_state_flags);
	fprintf(out, "    send queue:");
	print_cursor(out, "queued", &c->tx_prep);
	print_cursor(out, "written", &c->tx_sent);
	print_cursor(out, "delivered", &c->tx_fin);
	fputc('\n', out);
}

static const char *role_name(const struct smc_diag_lgrinfo *l)
{
	return l->role == SMC_DIAG_ROLE_SERVER ? "server" : "client";
}

static void print_lgr(FILE *out, const struct smc_diag_lgrinfo *l)
{
	fprintf(out, "    link group: %s link %02x device %.64s port %u gid %.40s peer-gid %.40s\n",
		role_name(l), l->link_id, (const char *)l->ibname, l->ibport,
		(const char *)l->gid, (const char *)l->peer_gid);
}

void print_table_row(struct print *p, const struct smc_socket *s)
{
	char local[ADDR_TEXT_BYTES], peer[ADDR_TEXT_BYTES] = "";
	char phrase[PHRASE_BYTES] = "";
	char intf[IF_NAMESIZE];

	print_addr(&s->local, local, sizeof(local));
	if (s->state != SMC_STATE_LISTEN && s->state != SMC_STATE_INIT)
		print_addr(&s->peer, peer, sizeof(peer));
	socket_interface(s, intf, sizeof(intf));
	fprintf(p->out, "%-16s %0*u %010llu %-*s %-*s %-*s %-7s ",
		smc_state_name(s->state), p->uid, s->uid,
		(unsigned long long)s->inode, p->addr, local, p->addr, peer,
		p->intf, intf, smc_mode_name(s));
	if (p->conn_columns)
		conn_columns(p->out, s);
	if (p->lgr_columns)
		lgr_columns(p, s);
	if (s->mode == SMC_DIAG_MODE_FALLBACK_TCP && s->fallback.reason) {
		smc_reason_phrase(&s->fallback, phrase, sizeof(phrase));
		fprintf(p->out, "0x%08x", s->fallback.reason);
		if (s->fallback.peer_diagnosis)
			fprintf(p->out, "/0x%08x", s->fallback.peer_diagnosis);
		fprintf(p->out, " %s", phrase);
	}
	fputc('\n', p->out);
	if (p->lgr && s->has_lgr)
		print_lgr(p->out, &s->lgr);
	if (p->details && s->has_conn)
		print_conn(p->out, &s->conn);
	p->shown++;
}

/* Returns at most @max bytes, or the bytes up to a NUL. */
static void json_string(FILE *out, const void *text, size_t max)
{
	const unsigned char *c = text;
	size_t i;

	fputc('"', out);
	for (i = 0; i < max && c[i]; i++) {
		if (c[i] == '"' || c[i] == '\\')
			fprintf(out, "\\%c", c[i]);
		else if (c[i] < 0x20 || c[i] >= 0x7f)
			fprintf(out, "\\u%04x", c[i]);
		else
			fputc(c[i], out);
	}
	fputc('"', out);
}

static void json_addr(FILE *out, const char *name, const struct smc_sockaddr *a)
{
	char ip[INET6_ADDRSTRLEN];

	inet_ntop(a->ipv6 ? AF_INET6 : AF_INET, a->addr, ip, sizeof(ip));
	fprintf(out, ", \"%s\": {\"address\": \"%s\", \"port\": %u}", name, ip,
		a->port);
}

static void json_number(FILE *out, const char *name, unsigned int value)
{
	fprintf(out, ", \"%s\": %u", name, value);
}

static void json_cursor(FILE *out, const char *name,
			const struct smc_diag_cursor *c)
{
	fprintf(out, ", \"%s\": {\"wrap\": %u, \"count\": %u}", name, c->wrap,
		c->count);
}

static void json_conn(FILE *out, const struct smc_diag_conninfo *c)
{
	fprintf(out, ", \"connection\": {\"token\": %u", c->token);
	json_number(out, "sndbuf", c->sndbuf_size);
	json_number(out, "rmbe", c->rmbe_size);
	json_number(out, "peer_rmbe", c->peer_rmbe_size);
	json_cursor(out, "rx_prod", &c->rx_prod);
	json_cursor(out, "rx_cons", &c->rx_cons);
	json_cursor(out, "tx_prod", &c->tx_prod);
	json_cursor(out, "tx_cons", &c->tx_cons);
	json_cursor(out, "tx_prep", &c->tx_prep);
	json_cursor(out, "tx_sent", &c->tx_sent);
	json_cursor(out, "tx_fin", &c->tx_fin);
	json_number(out, "rx_prod_flags", c->rx_prod_flags);
	json_number(out, "rx_conn_flags", c->rx_conn_state_flags);
	json_number(out, "tx_prod_flags", c->tx_prod_flags);
	json_number(out, "tx_conn_flags", c->tx_conn_state_flags);
	fputc('}', out);
}

static void json_lgr(FILE *out, const struct smc_diag_lgrinfo *l)
{
	fprintf(out, ", \"link_group\": {\"role\": \"%s\", \"link_id\": %u, \"device\": ",
		role_name(l), l->link_id);
	json_string(out, l->ibname, sizeof(l->ibname));
	fprintf(out, ", \"port\": %u, \"gid\": ", l->ibport);
	json_string(out, l->gid, sizeof(l->gid));
	fprintf(out, ", \"peer_gid\": ");
	json_string(out, l->peer_gid, sizeof(l->peer_gid));
	fputc('}', out);
}

static void json_reason(FILE *out, const struct smc_diag_fallback *f)
{
	char phrase[PHRASE_BYTES];

	smc_reason_phrase(f, phrase, sizeof(phrase));
	fprintf(out, ", \"reason\": {\"code\": \"0x%08x\", \"peer_code\": \"0x%08x\", \"text\": ",
		f->reason, f->peer_diagnosis);
	json_string(out, phrase, sizeof(phrase));
	fputc('}', out);
}

void print_json_head(struct print *p)
{
	fputc('[', p->out);
}

void print_json_row(struct print *p, const struct smc_socket *s)
{
	char intf[IF_NAMESIZE];
	FILE *out = p->out;

	socket_interface(s, intf, sizeof(intf));
	fprintf(out, "%s\n  {\"state\": \"%s\", \"uid\": %u, \"inode\": %llu",
		p->shown++ ? "," : "", smc_state_name(s->state), s->uid,
		(unsigned long long)s->inode);
	json_addr(out, "local", &s->local);
	if (s->state != SMC_STATE_LISTEN && s->state != SMC_STATE_INIT)
		json_addr(out, "peer", &s->peer);
	if (strcmp(intf, "-")) {
		fprintf(out, ", \"interface\": ");
		json_string(out, intf, sizeof(intf));
	}
	if (strcmp(smc_mode_name(s), "-"))
		fprintf(out, ", \"mode\": \"%s\"", smc_mode_name(s));
	fprintf(out, ", \"shutdown\": %u", s->shutdown);
	if (s->mode == SMC_DIAG_MODE_FALLBACK_TCP)
		json_reason(out, &s->fallback);
	if ((p->lgr || p->lgr_columns) && s->has_lgr)
		json_lgr(out, &s->lgr);
	if ((p->details || p->conn_columns) && s->has_conn)
		json_conn(out, &s->conn);
	fputc('}', out);
}

void print_json_tail(struct print *p)
{
	fputs(p->shown ? "\n]\n" : "]\n", p->out);
}
