/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Urgent bytes in a stream (RFC 7609 4.7.5, 4.7.6): where the sender stops,
 * which flags its messages carry, and how the receiver interprets them. The
 * application sees the behaviour of Linux TCP: there is one urgent byte at a
 * time, a newer urgent byte replaces an older one, and reading stops before the
 * urgent byte.
 *
 * stream.h explains positions. The functions only calculate, and run in any
 * context, under the caller's locks.
 */
#ifndef SMC_WIRE_URGENT_H
#define SMC_WIRE_URGENT_H

#include <linux/types.h>

/* ---- sender ---- */

/**
 * struct smc_urg_tx - urgent bytes that the peer has not passed
 * @end:	position behind the urgent byte that the peer has not passed; 0:
 *		none. Without frames the stream stops there
 * @next:	position behind a newer urgent byte that was queued after the
 *		first one was sent, or 0
 * @told:	the peer was told that @end is pending
 */
struct smc_urg_tx {
	u64 end;
	u64 next;
	bool told;
};

void smc_urg_tx_mark(struct smc_urg_tx *u, u64 sent, u64 prep);
void smc_urg_tx_passed(struct smc_urg_tx *u, u64 peer_cons);
void smc_urg_tx_cut(struct smc_urg_tx *u, u64 prep);
u8 smc_urg_tx_flags(const struct smc_urg_tx *u, u64 end);

/** smc_urg_tx_limit() - end of the bytes that may be sent, at most @prep */
static inline u64 smc_urg_tx_limit(const struct smc_urg_tx *u, u64 prep)
{
	return u->end && u->end < prep ? u->end : prep;
}

/** smc_urg_tx_due() - must a message announce an urgent byte (R-4.7.6-01)? */
static inline bool smc_urg_tx_due(const struct smc_urg_tx *u)
{
	return u->end && !u->told;
}

/**
 * smc_urg_tx_said() - a message with the flags of smc_urg_tx_flags() was posted
 * @u: urgent data
 */
static inline void smc_urg_tx_said(struct smc_urg_tx *u)
{
	u->told = true;
}

/* ---- receiver ---- */

enum smc_urg_state {
	SMC_URG_NONE,		/* no urgent byte, or reading has passed it */
	/* announced, but its position is not known yet */
	SMC_URG_PENDING,
	SMC_URG_VALID,		/* has arrived */
	/* the application has taken the byte; reading has not passed
	 * its place
	 */
	SMC_URG_READ,
};

/* News that a message brings, as bits. */
enum smc_urg_news {
	SMC_URG_SIGNAL	= 1,	/* a new urgent byte: tell the application */
	/* the byte has arrived as last byte of the stream */
	SMC_URG_BYTE	= 2,
	/* the old byte is next in the stream and is skipped */
	SMC_URG_SKIP	= 4,
};

/**
 * struct smc_urg_rx - the newest urgent byte
 * @end:	position behind the last urgent byte that has arrived, even if
 *		reading has passed it
 * @state:	enum smc_urg_state
 */
struct smc_urg_rx {
	u64 end;
	u8 state;
};

#define SMC_URG_NO_MARK	(~0ULL)

u8 smc_urg_rx_hear(struct smc_urg_rx *u, u8 flags, u64 prod, u64 cons,
		   bool in_line);
u64 smc_urg_rx_inq(const struct smc_urg_rx *u, u64 prod, u64 cons,
		   bool in_line);

/** smc_urg_rx_mark() - position of the urgent byte, or SMC_URG_NO_MARK */
static inline u64 smc_urg_rx_mark(const struct smc_urg_rx *u)
{
	return u->state >= SMC_URG_VALID ? u->end - 1 : SMC_URG_NO_MARK;
}

/** smc_urg_rx_passed() - note that all bytes before @cons were read */
static inline void smc_urg_rx_passed(struct smc_urg_rx *u, u64 cons)
{
	if (u->state >= SMC_URG_VALID && cons >= u->end)
		u->state = SMC_URG_NONE;
}

#endif /* SMC_WIRE_URGENT_H */
