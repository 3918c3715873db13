/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits: what the protocol allows and what we choose, each with its unit in
 * the name and its reason beside it.  Values that a sysctl can change are the
 * defaults here.  No other floor's header is needed to read this one.
 */
#ifndef SMC_BASE_LIMITS_H
#define SMC_BASE_LIMITS_H

/* Fixed by RFC 7609. */
enum {
	/* RMBs of one side in a group, R-2.1-02. */
	SMC_RMBS_PER_LGR_MAX		= 255,

	/* Elements of an RMB: the index is one byte and 0 is invalid, R-2.1-06. */
	SMC_RMBES_PER_RMB_MAX		= 255,

	/* Smallest element, Bsize code 0; code c is this << c, R-A.2.3-06. */
	SMC_RMBE_MIN_BYTES		= 16384,

	/* Largest code we send: the RFC ends at 512 KiB, X-06. */
	SMC_RMBE_CODE_SENT_MAX		= 5,

	/* Largest code we accept: deployed peers go to 512 MiB, X-06. */
	SMC_RMBE_CODE_MAX		= 15,

	/* QP numbers and packet sequence numbers are 24 bits on the wire. */
	SMC_QPN_MAX			= 0xffffff,
	SMC_PSN_MAX			= 0xffffff,

	/* Rounds of ADD LINK CONTINUATION for 255 RMBs, two each, X-27. */
	SMC_ADD_LINK_CONT_ROUNDS_MAX	= 128,
};

/* Chosen by us. */
enum {
	/* Stated in CONFIRM LINK, and offered by version 2.  CONFIRM RKEY
	 * carries the keys of no more: of the link that it travels on and of
	 * two others.  Deployed Linux states 2, X-22.
	 */
	SMC_LINKS_LOCAL_MAX		= 3,

	/* The smallest limit that version 1 may state, R-2.2.2-08. */
	SMC_LINKS_STATED_MIN		= 2,

	/* Connections of a group; version 2 negotiates them. */
	SMC_LGR_CONNS_MIN		= 16,
	SMC_LGR_CONNS_MAX		= 255,

	/* One more than links that work, an asymmetric one among them: a
	 * link that replaces one that has failed does not take its place, whose
	 * keys handshakes may still name.
	 */
	SMC_LINK_SLOTS			= 4,

	/* LLC requests kept for later while an exchange runs (R-3.5.5.3.1-04):
	 * one of each kind per link slot and some; more is a violation.
	 */
	SMC_LLC_QUEUE_MSGS		= 16,
};

/* Timers. */
enum {
	/*
	 * Wait for one CLC message (C.5).  Deployed Linux waits as long; our own
	 * steps have to stay well below, R-L-25.
	 */
	SMC_CLC_WAIT_MS			= 6000,

	/* Look for a Decline after an LLC timeout in first contact, X-12. */
	SMC_DECLINE_WAIT_MS		= 1000,

	/* Wait for an LLC reply in an established group, C.7, X-10. */
	SMC_LLC_WAIT_MS			= 2000,

	/*
	 * The same while links change: all connections have moved to the link
	 * that carries it, and send again what was lost.  Deployed Linux gives
	 * the confirmation of an added link as long.
	 */
	SMC_LLC_FLOW_WAIT_MS		= 5000,

	/*
	 * The same in first contact: the peer's send timeout and two or three
	 * TCP retransmissions of a Decline have to fit (R-C.7-02, X-10).
	 */
	SMC_LLC_FIRST_WAIT_MS		= 8000,

	/*
	 * CONFIRM LINK is repeated then. Deployed Linux drops one that arrives
	 * before it waits for it, and is on TCP two seconds later.
	 */
	SMC_LLC_FIRST_AGAIN_MS		= 500,

	/* A probe unanswered for so long takes the link down, R-4.5.3-06. */
	SMC_TEST_LINK_WAIT_MS		= 2000,

	/* The link stays so long for what the peer says of its connections. */
	SMC_LGR_LAST_WORDS_MS		= 300,

	/*
	 * The client keeps a group without connections so much longer than
	 * the server, which may name it again as long as it has it.
	 */
	SMC_LGR_LINGER_CLIENT_MS	= 10000,

	/*
	 * Wait for the peer's C with the application gone (R-4.8.1-06).  As long
	 * as TCP keeps an orphan in FIN_WAIT2.
	 */
	SMC_CLOSE_WAIT_MS		= 60000,

	/*
	 * Wait for the peer's A after ours (R-4.8.2-06).  Deployed Linux answers
	 * only when its application closes: waiting longer gains nothing,
	 * the element stays quarantined until its keys are revoked.
	 */
	SMC_ABORT_WAIT_MS		= 5000,

	/*
	 * Application gone, queued data left, and the peer took nothing of it
	 * for so long: abort.  TCP gives up on an orphan after about as long.
	 */
	SMC_CLOSE_DRAIN_MS		= 120000,

	/*
	 * After the peer's move to another link: for messages that the adapter
	 * has received on the old one and nobody has looked at yet.
	 */
	SMC_VALIDATE_WAIT_MS		= 500,

	/* A partial burst is kept back no longer (R-4.5.2-02); TCP's ceiling. */
	SMC_CORK_MS			= 200,

	/* Defaults and bounds of net.smc.*, per namespace. */
	/*
	 * A queue that is empty costs nothing, so it may be long.  An element
	 * is there from the first byte to the last: 256 KiB keep one stream
	 * busy while its reader copies (with 64 KiB it waits half of the time).
	 */
	SMC_WMEM_DEFAULT_BYTES		= 524288,
	SMC_RMEM_DEFAULT_BYTES		= 262144,
	SMC_AUTOCORK_DEFAULT_BYTES	= 65536,
	SMC_TESTLINK_DEFAULT_SECS	= 30,
	SMC_LGR_IDLE_DEFAULT_SECS	= 600,
	SMC_LGR_IDLE_MAX		= 256,	/* with 64 MiB in their RMBs */
	SMC_HS_MAX_LISTENER		= 4096,	/* pending; a mute one lives 6 s */
	SMC_HS_MAX_NET			= 16384,
	/*
	 * Handshakes at a listener with SMC_LIMIT_HS. So many keep the workers
	 * busy; more would only wait, while TCP could carry their data.
	 */
	SMC_HS_LIMITED			= 64,
	/* An address that echoed the TCP option; one that may have. */
	SMC_ECHO_DEFAULT_SECS		= 600,
	SMC_ECHO_UNSURE_SECS		= 60,
	SMC_CONNS_MAX_NET		= 1 << 20,

	/* Requests of a peer that wait for the group's worker; more ends it. */
	SMC_LLC_BACKLOG_MSGS		= 64,
	/* An RMB that nobody used for this long is given back. */
	SMC_RMB_IDLE_MS			= 30000,
};

#endif /* SMC_BASE_LIMITS_H */
