// SPDX-License-Identifier: GPL-2.0
/* Urgent bytes in a stream. See urgent.h. */
#include "cdc.h"
#include "urgent.h"

/**
 * smc_urg_tx_mark() - mark the last queued byte as urgent
 * @u: urgent bytes of the stream
 * @sent: position behind the last byte sent
 * @prep: position behind the last byte queued
 *
 * An older urgent byte that was not sent yet becomes an ordinary byte, as with
 * TCP's urgent pointer.
 */
void smc_urg_tx_mark(struct smc_urg_tx *u, u64 sent, u64 prep)
{
	if (u->end && sent >= u->end) {
		u->next = prep;
		return;
	}
	if (!u->end)
		u->told = false;
	u->end = prep;
	/* after a change of links @sent may be before a byte that was urgent */
	u->next = 0;
}

/**
 * smc_urg_tx_passed() - take the peer's consumer position
 * @u: urgent bytes of the stream
 * @peer_cons: consumer position of the peer
 *
 * When the peer has passed the urgent byte, the stream continues up to the next
 * urgent byte (R-4.7.5-06). Records in frames do not stop there, so the peer
 * may have passed the next one, too.
 */
void smc_urg_tx_passed(struct smc_urg_tx *u, u64 peer_cons)
{
	while (u->end && peer_cons >= u->end) {
		u->end = u->next;
		u->next = 0;
		u->told = false;
	}
}

/**
 * smc_urg_tx_cut() - note that the queue was truncated
 * @u: urgent bytes of the stream
 * @prep: position behind the last byte that remains
 */
void smc_urg_tx_cut(struct smc_urg_tx *u, u64 prep)
{
	u->next = 0;
	if (u->end > prep)
		u->end = 0;
}

/**
 * smc_urg_tx_flags() - get the flags P and U of a message
 * @u: urgent bytes of the stream
 * @end: producer position of the message, not beyond smc_urg_tx_limit()
 *
 * Return: P until the peer has passed the urgent byte, and U if the byte before
 * @end is the urgent byte (R-A.4-09, R-A.4-15).
 */
u8 smc_urg_tx_flags(const struct smc_urg_tx *u, u64 end)
{
	if (!u->end)
		return 0;
	return end == u->end ? SMC_CDC_P | SMC_CDC_U : SMC_CDC_P;
}

/*
 * An old urgent byte that is next in the stream must be skipped and not read as
 * data.
 */
static u8 urgent_replace(const struct smc_urg_rx *u, u64 cons, bool in_line)
{
	return !in_line && smc_urg_rx_mark(u) == cons ? SMC_URG_SKIP : 0;
}

/**
 * smc_urg_rx_hear() - handle the urgent flags of a message
 * @u: state of the receiver, updated
 * @flags: producer flags of the message
 * @prod: producer position of the message
 * @cons: position behind the last byte read
 * @in_line: the application reads urgent bytes in the stream (SO_OOBINLINE)
 *
 * Every message repeats the flags, and messages are repeated over another link
 * (4.6.2). So no event follows for a byte that is already known, for an earlier
 * byte, or for a byte that was read as ordinary data. P without U announces a
 * byte that is still under way (R-4.7.6-02).
 *
 * Return: bits of enum smc_urg_news.
 */
u8 smc_urg_rx_hear(struct smc_urg_rx *u, u8 flags, u64 prod, u64 cons,
		   bool in_line)
{
	u8 news;

	if (flags & SMC_CDC_U) {
		if (prod <= u->end || prod <= cons)
			return 0;
		news = SMC_URG_BYTE | urgent_replace(u, cons, in_line);
		if (u->state != SMC_URG_PENDING)
			news |= SMC_URG_SIGNAL;
		u->end = prod;
		u->state = SMC_URG_VALID;
		return news;
	}
	if (!(flags & SMC_CDC_P) || u->state == SMC_URG_PENDING ||
	    prod < u->end)
		return 0;
	news = SMC_URG_SIGNAL | urgent_replace(u, cons, in_line);
	u->state = SMC_URG_PENDING;
	return news;
}

/**
 * smc_urg_rx_inq() - value of SIOCINQ
 * @u: state of the receiver
 * @prod: position behind the last byte that has arrived
 * @cons: position behind the last byte read
 * @in_line: the application reads urgent bytes in the stream (SO_OOBINLINE)
 *
 * Return: number of readable bytes, up to the urgent byte if it is not yet
 * read.
 */
u64 smc_urg_rx_inq(const struct smc_urg_rx *u, u64 prod, u64 cons,
		   bool in_line)
{
	u64 mark = smc_urg_rx_mark(u);

	if (in_line || mark < cons || mark >= prod)
		return prod - cons;
	return mark - cons;
}
