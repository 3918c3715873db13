/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CDC message (RFC 7609 A.4): cursors and flags of one connection, 44 bytes.
 * The codec allocates no memory, takes no lock, and runs in any context.
 */
#ifndef SMC_WIRE_CDC_H
#define SMC_WIRE_CDC_H

#include <linux/types.h>

enum {
	SMC_CDC_LEN	= 44,
	SMC_CDC_TYPE	= 0xfe,

	/* byte 24, producer flags */
	SMC_CDC_B	= 0x80,		/* writer blocked */
	SMC_CDC_P	= 0x40,		/* urgent data pending */
	SMC_CDC_U	= 0x20,		/* urgent data present */
	SMC_CDC_R	= 0x10,		/* cursor update requested */
	SMC_CDC_F	= 0x08,		/* failover validation */
	SMC_CDC_PROD_FLAGS = 0xf8,

	/*
	 * Connection flags, byte 25. After a message with such a flag, all
	 * later messages also have the flag.
	 */
	SMC_CDC_D	= 0x80,		/* sending done */
	SMC_CDC_C	= 0x40,		/* connection closed */
	SMC_CDC_A	= 0x20,		/* abnormal close */
	SMC_CDC_CONN_FLAGS = 0xe0,
};

/**
 * struct smc_cdc - one CDC message
 * @seq: sequence number; the first is 1, and it wraps through 0
 * @token: alert token of the receiver's connection
 * @prod_wrap: wraps of the producer cursor, modulo 65536
 * @prod: next byte that the sender will write into the receiver's element
 * @cons_wrap: wraps of the consumer cursor, modulo 65536
 * @cons: next byte that the sender will read from its own element
 * @prod_flags: SMC_CDC_B, P, U, R, F
 * @conn_flags: SMC_CDC_D, C, A
 *
 * With F only @seq and @token have a meaning (R-4.6.1-08). The encoder then
 * sends zero cursors and no other flag, and the decoder returns the same.
 * stream.h converts cursors to positions.
 */
struct smc_cdc {
	u16 seq;
	u32 token;
	u16 prod_wrap;
	u32 prod;
	u16 cons_wrap;
	u32 cons;
	u8 prod_flags;
	u8 conn_flags;
};

void smc_cdc_encode(u8 buf[SMC_CDC_LEN], const struct smc_cdc *c);
int smc_cdc_decode(const u8 *buf, size_t n, struct smc_cdc *c);

/**
 * smc_cdc_seq_newer() - compare two sequence numbers (Y-18, R-A.4-04)
 * @a: sequence number
 * @b: sequence number
 *
 * Return: true if @a is 1 to 32767 steps after @b. If the numbers are 32768
 * apart, the function returns false for both orders, because the order is
 * unknown.
 */
static inline bool smc_cdc_seq_newer(u16 a, u16 b)
{
	unsigned int ahead = (a - b) & 0xffff;

	return ahead && ahead < 0x8000;
}

/**
 * smc_cdc_seq_covers() - check the sequence number of a failover validation,
 * RFC 7609 4.6.1
 * @sr: sequence number of the last CDC message that has arrived
 * @ss: sequence number in the validation message
 *
 * Return: true if nothing was lost (SR >= SS, R-4.6.1-06), false if data is
 * missing and the connection has to be reset (R-4.6.1-07).
 */
static inline bool smc_cdc_seq_covers(u16 sr, u16 ss)
{
	return ((sr - ss) & 0xffff) < 0x8000;
}

#endif /* SMC_WIRE_CDC_H */
