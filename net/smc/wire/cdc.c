// SPDX-License-Identifier: GPL-2.0
/* CDC message (RFC 7609 A.4, R-A.4-01). */
#include "bytes.h"
#include "cdc.h"

/**
 * smc_cdc_encode() - write a CDC message
 * @buf: 44 bytes; the function writes all of them
 * @c: content; if it has the flag SMC_CDC_F, cursors and other flags are sent
 *	as zero
 *
 * Reserved bytes are sent as zero. Context: any.
 */
void smc_cdc_encode(u8 buf[SMC_CDC_LEN], const struct smc_cdc *c)
{
	bool validation = c->prod_flags & SMC_CDC_F;
	struct smc_wr w;

	smc_wr_init(&w, buf, SMC_CDC_LEN);
	smc_wr_u8(&w, SMC_CDC_TYPE);
	smc_wr_u8(&w, SMC_CDC_LEN);
	smc_wr_be16(&w, c->seq);
	smc_wr_be32(&w, c->token);
	if (validation) {
		smc_wr_zero(&w, 16);
		smc_wr_u8(&w, SMC_CDC_F);
		smc_wr_u8(&w, 0);
	} else {
		smc_wr_zero(&w, 2);
		smc_wr_be16(&w, c->prod_wrap);
		smc_wr_be32(&w, c->prod);
		smc_wr_zero(&w, 2);
		smc_wr_be16(&w, c->cons_wrap);
		smc_wr_be32(&w, c->cons);
		smc_wr_u8(&w, c->prod_flags & SMC_CDC_PROD_FLAGS);
		smc_wr_u8(&w, c->conn_flags & SMC_CDC_CONN_FLAGS);
	}
	smc_wr_zero(&w, 18);
}

/**
 * smc_cdc_decode() - read a CDC message
 * @buf: the message
 * @n: number of received bytes; the function refuses fewer than 44 bytes
 *	and ignores the bytes behind them
 * @c: output: content; reserved flag bits read as zero
 *
 * The function does not check cursors, because only the connection knows their
 * bounds; see smc_stream_expand(). Context: any.
 *
 * Return: 0, or -EBADMSG.
 */
int smc_cdc_decode(const u8 *buf, size_t n, struct smc_cdc *c)
{
	struct smc_cdc out = {};
	struct smc_rd r;
	u8 type, len;

	smc_rd_init(&r, buf, n);
	type = smc_rd_u8(&r);
	len = smc_rd_u8(&r);
	out.seq = smc_rd_be16(&r);
	out.token = smc_rd_be32(&r);
	smc_rd_skip(&r, 2);
	out.prod_wrap = smc_rd_be16(&r);
	out.prod = smc_rd_be32(&r);
	smc_rd_skip(&r, 2);
	out.cons_wrap = smc_rd_be16(&r);
	out.cons = smc_rd_be32(&r);
	out.prod_flags = smc_rd_u8(&r) & SMC_CDC_PROD_FLAGS;
	out.conn_flags = smc_rd_u8(&r) & SMC_CDC_CONN_FLAGS;
	smc_rd_skip(&r, 18);
	if (r.bad || type != SMC_CDC_TYPE || len != SMC_CDC_LEN)
		return -EBADMSG;

	if (out.prod_flags & SMC_CDC_F)
		out = (struct smc_cdc){
			.seq = out.seq,
			.token = out.token,
			.prod_flags = SMC_CDC_F,
		};
	*c = out;
	return 0;
}
