// SPDX-License-Identifier: GPL-2.0
/* The statistics of the module, as netlink shows them. */
#include <string.h>

#include "genl.h"
#include "stats.h"

const char * const stats_size_names[STATS_SIZES] = {
	"8KB", "16KB", "32KB", "64KB", "128KB", "256KB", "512KB", "1024KB",
	">1024KB",
};

const char * const stats_buf_names[STATS_BUFS] = {
	"peer_too_small", "too_small", "peer_full", "full", "reused",
	"allocated", "downgraded",
};

const char * const stats_special_names[STATS_SPECIAL] = {
	"sendpage", "splice", "cork", "nodelay", "urgent",
};

static void row(const struct smc_attrs *tech, unsigned int type,
		unsigned long long *to, unsigned int n)
{
	struct smc_attrs inner;
	unsigned int i;

	smc_attr_nest(tech, type, &inner);
	for (i = 0; i < n; i++)
		to[i] = smc_attr_number(&inner, i + 1);
}

static void take_tech(const struct smc_attrs *t, struct stats *s)
{
	unsigned int i;

	row(t, SMC_A_TECH_TX_RMB_SIZE, s->size[0], STATS_SIZES);
	row(t, SMC_A_TECH_RX_RMB_SIZE, s->size[1], STATS_SIZES);
	row(t, SMC_A_TECH_TXPLOAD_SIZE, s->pload[0], STATS_SIZES);
	row(t, SMC_A_TECH_RXPLOAD_SIZE, s->pload[1], STATS_SIZES);
	row(t, SMC_A_TECH_TX_RMB_STATS, s->buf[0], STATS_BUFS);
	row(t, SMC_A_TECH_RX_RMB_STATS, s->buf[1], STATS_BUFS);
	for (i = 0; i < STATS_COUNTS; i++)
		s->count[i] = smc_attr_number(t, SMC_A_TECH_CLNT_V1_SUCC + i);
	s->usage[0] = smc_attr_number(t, SMC_A_TECH_TX_RMB_USAGE);
	s->usage[1] = smc_attr_number(t, SMC_A_TECH_RX_RMB_USAGE);
}

static void take_stats(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	struct smc_attrs all, tech;
	struct stats *s = arg;

	(void)cmd;
	if (!smc_attr_nest(top, SMC_A_STATS, &all))
		return;
	s->errors[0] = smc_attr_number(&all, SMC_A_STATS_CLNT_HS_ERR_CNT);
	s->errors[1] = smc_attr_number(&all, SMC_A_STATS_SRV_HS_ERR_CNT);
	if (smc_attr_nest(&all, SMC_A_STATS_SMCR_TECH, &tech))
		take_tech(&tech, s);
}

static void take_fallback(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	struct stats *s = arg;
	struct smc_attrs f;
	struct reason *r;

	(void)cmd;
	if (!smc_attr_nest(top, SMC_A_FBACK_STATS, &f))
		return;
	if (f.a[SMC_A_FBACK_SRV_CNT]) {
		s->fallbacks[0] = smc_attr_number(&f, SMC_A_FBACK_CLNT_CNT);
		s->fallbacks[1] = smc_attr_number(&f, SMC_A_FBACK_SRV_CNT);
	}
	if (s->n_reasons == STATS_REASONS)
		return;
	r = &s->reason[s->n_reasons++];
	r->server = !!smc_attr_number(&f, SMC_A_FBACK_TYPE);
	r->code = smc_attr_number(&f, SMC_A_FBACK_RSN_CODE);
	/* stock SMC has the short count only */
	r->n = smc_attr_number(&f, f.a[SMC_A_FBACK_RSN_CNT_ALL] ?
			       SMC_A_FBACK_RSN_CNT_ALL : SMC_A_FBACK_RSN_CNT);
}

int stats_ask(struct stats *s)
{
	int err;

	memset(s, 0, sizeof(*s));
	err = smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_FBACK_STATS,
			    take_fallback, s);
	return err ?: smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_STATS,
				    take_stats, s);
}

unsigned long long stats_reason(const struct stats *s,
				const struct reason *wanted)
{
	unsigned int i;

	for (i = 0; i < s->n_reasons; i++) {
		if (s->reason[i].server == wanted->server &&
		    s->reason[i].code == wanted->code)
			return s->reason[i].n;
	}
	return 0;
}

unsigned long long stats_won(const struct stats *s)
{
	return STATS_COUNT(s, CLNT_V1_SUCC) + STATS_COUNT(s, CLNT_V2_SUCC) +
	       STATS_COUNT(s, SRV_V1_SUCC) + STATS_COUNT(s, SRV_V2_SUCC);
}
