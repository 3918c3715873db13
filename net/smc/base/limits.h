/* SPDX-License-Identifier: GPL-2.0 */
/*
 * This file has the limits of the protocol and the limits that this
 * implementation chooses. The name of each limit ends with its unit, and a
 * comment gives the reason. If a sysctl can change a value, this file has the
 * default. This header includes no header of another floor.
 */
#ifndef SMC_BASE_LIMITS_H
#define SMC_BASE_LIMITS_H

/* RFC 7609 fixes these limits. */
enum {
	/* limit of RMBs that one side has in a group (R-2.1-02) */
	SMC_RMBS_PER_LGR_MAX		= 255,

	/* limit of elements of an RMB: the index is one byte, and 0 is invalid
	 * (R-2.1-06)
	 */
	SMC_RMBES_PER_RMB_MAX		= 255,

	/* Size of the smallest element. The smallest element has size code 0,
	 * and each higher code doubles the size (R-A.2.3-06).
	 */
	SMC_RMBE_MIN_BYTES		= 16384,

	/* Eye catcher at the start of an element, R-4.2-02. */
	SMC_RMBE_EYE_LEN		= 4,

	/*
	 * Largest size code that we send. The RFC defines sizes up to 512 KiB
	 * (X-06).
	 */
	SMC_RMBE_CODE_SENT_MAX		= 5,

	/* Largest size code of an element that we accept. Deployed peers have
	 * elements of up to 512 MiB.
	 */
	SMC_RMBE_CODE_MAX		= 15,

	/* QP numbers and packet sequence numbers are 24 bits on the wire. */
	SMC_QPN_MAX			= 0xffffff,
	SMC_PSN_MAX			= 0xffffff,

	/* Limit of rounds of ADD LINK CONTINUATION in one exchange. Each round
	 * carries the keys of two RMBs, and there are at most 255 RMBs.
	 */
	SMC_ADD_LINK_CONT_ROUNDS_MAX	= 128,
};

/* This implementation chooses these limits. */
enum {
	/* Limit of links that CONFIRM LINK states and version 2 offers. CONFIRM
	 * RKEY has room for the keys of three links: its own link and two
	 * others. Deployed Linux states 2, X-22.
	 */
	SMC_LINKS_LOCAL_MAX		= 3,

	/* The smallest limit that version 1 may state, R-2.2.2-08. */
	SMC_LINKS_STATED_MIN		= 2,

	/* Bounds of the number of connections of a group, which version 2
	 * negotiates.
	 */
	SMC_LGR_CONNS_MIN		= 16,
	SMC_LGR_CONNS_MAX		= 255,

	/* Limit of connections of a group with WIDE (frames.rst, F-36). */
	SMC_LGR_CONNS_WIDE		= 65535,

	/*
	 * After a group beside wide groups could not be made, the server uses
	 * the wide groups for this long before it tries again.
	 */
	SMC_LGR_BESIDE_MS		= 5000,

	/* A group has up to three working links, including an asymmetric link
	 * and one more slot. The link that replaces a failed link takes
	 * a different slot, because handshakes may still name the keys of the
	 * failed link.
	 */
	SMC_LINK_SLOTS			= 4,

	/* LLC requests that wait while an exchange runs (R-3.5.5.3.1-04). The
	 * limit allows one request of each kind per link slot, and some more. A
	 * peer that exceeds the limit breaks the protocol.
	 */
	SMC_LLC_QUEUE_MSGS		= 16,
};

/* Timers. */
enum {
	/*
	 * Wait for one CLC message (C.5). Deployed Linux waits equally long, so
	 * our own steps must take much less time, R-L-25.
	 */
	SMC_CLC_WAIT_MS			= 6000,

	/* Wait for a Decline after an LLC timeout in first contact, X-12. */
	SMC_DECLINE_WAIT_MS		= 1000,

	/* Wait for an LLC reply in an established group, C.7, X-10. */
	SMC_LLC_WAIT_MS			= 2000,

	/*
	 * Wait for an LLC reply while links change. All connections may have
	 * moved to the link that carries the exchange, and they repeat lost
	 * data there. Deployed Linux waits equally long for the confirmation of
	 * an added link.
	 */
	SMC_LLC_FLOW_WAIT_MS		= 5000,

	/*
	 * Longest wait for one LLC reply while other messages of the peer
	 * arrive on the link. Such a link works, and the peer is only busy: in
	 * the send queue of either side the message waits behind the data of
	 * all connections. Deployed Linux waits up to 20 s for the end of an
	 * exchange before it begins one of its own.
	 */
	SMC_LLC_BUSY_WAIT_MS		= 15000,

	/*
	 * Limit of the time for all keys of a new link. Without it, a peer
	 * could send one ADD LINK CONTINUATION before each timeout, and hold up
	 * other exchanges of the group for minutes.
	 */
	SMC_LLC_KEYS_WAIT_MS		= 10000,

	/*
	 * Wait for an LLC reply in first contact. The time must cover the
	 * peer's send timeout and two or three TCP retransmissions of a Decline
	 * (R-C.7-02, X-10).
	 */
	SMC_LLC_FIRST_WAIT_MS		= 8000,

	/*
	 * Interval between repetitions of CONFIRM LINK. Deployed Linux drops a
	 * CONFIRM LINK that arrives too early. Without another CONFIRM LINK,
	 * deployed Linux falls back to TCP two seconds later.
	 */
	SMC_LLC_FIRST_AGAIN_MS		= 500,

	/*
	 * A link on which no message arrives fails if TEST LINK has no answer
	 * for this long, R-4.5.3-06.
	 */
	SMC_TEST_LINK_WAIT_MS		= 2000,

	/*
	 * A link whose peer takes no message for this long has failed, even if
	 * the peer sends some.
	 */
	SMC_EP_STUCK_MS			= 10000,

	/* The worker looks at each link at least this often. */
	SMC_LINK_CHECK_MS		= 30000,

	/*
	 * Time that a link stays up at the end of a group, so that the peer's
	 * last messages on its connections can arrive.
	 */
	SMC_LGR_LAST_WORDS_MS		= 300,

	/*
	 * An idle group ends this much later on the client than on the server,
	 * because the server may still name the group until the server ends it.
	 */
	SMC_LGR_LINGER_CLIENT_MS	= 10000,

	/*
	 * Wait for the peer's flag C (connection closed) after the application
	 * has closed the socket (R-4.8.1-06). TCP keeps an orphan in FIN_WAIT2
	 * for the same time.
	 */
	SMC_CLOSE_WAIT_MS		= 60000,

	/*
	 * Wait for the peer's flag A (abnormal close) after we have sent ours
	 * (R-4.8.2-06). Deployed Linux answers only when its application closes
	 * so a longer wait does not help. The element stays quarantined
	 * until its keys are revoked.
	 */
	SMC_ABORT_WAIT_MS		= 5000,

	/*
	 * Abort a closed socket if queued data is left and the peer has taken
	 * none of it for this long. TCP gives up on an orphan after a similar
	 * time.
	 */
	SMC_CLOSE_DRAIN_MS		= 120000,

	/*
	 * Wait after the peer has moved to another link, for messages that the
	 * adapter has received on the old link but no CPU has processed yet.
	 */
	SMC_VALIDATE_WAIT_MS		= 500,

	/* Limit of the time that a corked socket delays a partial burst
	 * (R-4.5.2-02). TCP has the same limit.
	 */
	SMC_CORK_MS			= 200,

	/* Defaults and bounds of net.smc.*, per namespace. */
	/*
	 * The send queue may be long, because an empty queue costs nothing. A
	 * connection holds its receive element for its whole life. An element
	 * of 256 KiB keeps one stream busy while the reader copies. With 64 KiB
	 * the sender waits half of the time.
	 */
	SMC_WMEM_DEFAULT_BYTES		= 524288,
	SMC_RMEM_DEFAULT_BYTES		= 262144,
	/*
	 * The element of a connection without frames, as deployed. If the peer
	 * fills most of it this often, the next connections with this peer and
	 * port get a larger one, for a day.
	 */
	SMC_RMEM_FIRST_BYTES		= 65536,
	SMC_BULK_FILLS			= 8,
	SMC_BULK_SECS			= 24 * 60 * 60,
	/* The first element that a connection with ELASTIC is offered. */
	SMC_RMBE_OFFERED_BYTES		= 65536,
	SMC_AUTOCORK_DEFAULT_BYTES	= 65536,
	SMC_TESTLINK_DEFAULT_SECS	= 30,
	SMC_LGR_IDLE_DEFAULT_SECS	= 600,
	SMC_TCLASS_OF_SOCKET		= -1,
	/* one bit for each capability of the extension of frames.rst */
	SMC_EXTENSION_ALL		= 15,
	/* each idle group keeps an RMB of 256 KiB: 64 MiB in all */
	SMC_LGR_IDLE_MAX		= 256,
	SMC_HS_MAX_LISTENER		= 4096,	/* a silent client stays 6 s */
	SMC_HS_MAX_NET			= 16384,
	/*
	 * First contacts that run at the same time on the server. Each costs a
	 * queue pair and an element, together less than a megabyte, before the
	 * peer has proved anything. A host needs more than one only when it
	 * fills several groups at once.
	 */
	SMC_FIRST_MAX_SOURCE		= 32,
	SMC_FIRST_MAX_LISTENER		= 64,
	SMC_FIRST_MAX_NET		= 128,
	SMC_FIRST_MAX_PORT		= 256,	/* per adapter */
	/*
	 * Limit of handshakes at a listener with SMC_LIMIT_HS. This many keep
	 * the workers busy. More would only wait, although TCP could carry
	 * their data.
	 */
	SMC_HS_LIMITED			= 64,
	/*
	 * Time to remember an address that has echoed the TCP option, and an
	 * address that may have echoed it.
	 */
	SMC_ECHO_DEFAULT_SECS		= 600,
	SMC_ECHO_UNSURE_SECS		= 60,
	/*
	 * DEFAULT: how long a client uses TCP to an address that RDMA does not
	 * reach. TRIAL: how long it does so while one connection tries again; a
	 * handshake does not wait longer for the peer, its group and its link
	 * together. WAIT: a client that uses TCP after it has waited for its
	 * first link for this time takes the path for dead. A link that works
	 * is up in milliseconds, and other failures show at once.
	 */
	SMC_DEAD_PATH_DEFAULT_SECS	= 60,
	SMC_DEAD_PATH_TRIAL_SECS	= 30,
	SMC_DEAD_PATH_WAIT_MS		= 1000,
	/* default of net.smc.mem_share: percent of the memory limit
	 * ("pressure") that the elements of a namespace may take; 100 in the
	 * initial namespace
	 */
	SMC_MEM_SHARE_PERCENT		= 50,
	SMC_CONNS_MAX_NET		= 1 << 20,
	/*
	 * Limit of closed sockets whose connection has not ended. By default
	 * each may hold 768 KiB, and a peer can keep the socket alive if it
	 * reads a byte now and then.
	 */
	SMC_ORPHANS_MAX_NET		= 16384,

	/*
	 * Limit of a peer's requests that wait for the group's worker. If more
	 * arrive, the group ends.
	 */
	SMC_LLC_BACKLOG_MSGS		= 64,
	/* An RMB that has been idle for this long is freed. */
	SMC_RMB_IDLE_MS			= 30000,
	/*
	 * In a group without connections, an RMB that has been idle for this
	 * long is freed. Programs that reconnect still find their elements, and
	 * the RMBs of a burst of connections do not stay.
	 */
	SMC_RMB_LEFT_MS			= 2000,
};

#endif /* SMC_BASE_LIMITS_H */
