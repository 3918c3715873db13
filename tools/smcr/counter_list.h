/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every counter of the module, explained once. "smcr counters", the help texts
 * of "smcr metrics" and the page smc_counters(7) come from this file. The file
 * has no include guard, because several files include it, each with its own
 * definitions of
 *
 * SMC_COUNTER(name, metric, type, help)	a line of /proc/net/smc_mib
 * SMC_METRIC(symbol, metric, type, labels, help)	what netlink shows
 */

/* Handshakes and fallbacks. */
SMC_COUNTER("ClientHandshakes", "smc_client_handshakes_total", COUNTER, "Connections that this host opened and that use SMC.")
SMC_COUNTER("ServerHandshakes", "smc_server_handshakes_total", COUNTER, "Connections that this host accepted and that use SMC.")
SMC_COUNTER("ClientFallbacks", "smc_client_fallbacks_total", COUNTER, "Connections that this host opened on an SMC socket and that use TCP.")
SMC_COUNTER("ServerFallbacks", "smc_server_fallbacks_total", COUNTER, "Connections that this host accepted on an SMC socket and that use TCP.")
SMC_COUNTER("ClientHandshakeFailures", "smc_client_handshake_failures_total", COUNTER, "Connections that this host opened and that ended during the SMC handshake.")
SMC_COUNTER("ServerHandshakeFailures", "smc_server_handshake_failures_total", COUNTER, "Connections from peers that ended during the SMC handshake.")
SMC_COUNTER("FirstContacts", "smc_first_contacts_total", COUNTER, "Handshakes that began a new link group. They cost a queue pair and memory.")
SMC_COUNTER("ContactsWaited", "smc_contacts_waited_total", COUNTER, "First contacts that waited because too many others were under way.")
SMC_COUNTER("ContactsOverCap", "smc_contacts_over_cap_total", COUNTER, "First contacts that waited too long for others, and were declined.")
SMC_COUNTER("GroupReuses", "smc_group_reuses_total", COUNTER, "Handshakes that found a link group to the peer.")
SMC_COUNTER("HandshakesOverCap", "smc_handshakes_over_cap_total", COUNTER, "Connections that got no handshake, because the listener or the namespace had too many pending ones.")
SMC_COUNTER("HandshakesPendingMax", "smc_handshakes_pending_max", GAUGE, "The largest number of handshakes that were pending at one time.")
SMC_COUNTER("HandshakeWorkersWaiting", "smc_handshake_workers_waiting_total", COUNTER, "Workers that waited for a peer. Always 0, because handshakes are events.")
SMC_COUNTER("ClcMalformed", "smc_clc_malformed_total", COUNTER, "Handshakes that ended because the peer sent a message that is not valid.")
SMC_COUNTER("ClcTimeouts", "smc_clc_timeouts_total", COUNTER, "Handshakes that ended because the peer did not answer in time.")
SMC_COUNTER("DeclinesSent", "smc_declines_sent_total", COUNTER, "Handshakes that this host declined. The connection uses TCP.")
SMC_COUNTER("DeclinesReceived", "smc_declines_received_total", COUNTER, "Handshakes that the peer declined. The connection uses TCP.")
SMC_COUNTER("OptionEchoes", "smc_option_echoes_total", COUNTER, "Times that a peer was found to echo TCP options that it does not know.")
SMC_COUNTER("OptionEchoesAvoided", "smc_option_echoes_avoided_total", COUNTER, "Connections that were opened without the SMC option, because the peer echoes it.")
SMC_COUNTER("ExtensionMismatches", "smc_extension_mismatches_total", COUNTER, "Answers about the extension between two hosts with this module that did not fit the offer, or that the client did not repeat.")

/* Link groups and links. */
SMC_COUNTER("GroupsCreated", "smc_groups_created_total", COUNTER, "Link groups that were created, by first contacts of both roles.")
SMC_COUNTER("GroupsEnded", "smc_groups_ended_total", COUNTER, "Link groups that ended, for any reason.")
SMC_COUNTER("GroupsEvicted", "smc_groups_evicted_total", COUNTER, "Idle link groups that ended early, because there were more than net.smc.lgr_idle_max.")
SMC_COUNTER("LinksDown", "smc_links_down_total", COUNTER, "Links that the adapter reported as dead.")
SMC_COUNTER("LlcSent", "smc_llc_sent_total", COUNTER, "Messages that link groups sent about links and keys (LLC).")
SMC_COUNTER("LlcReceived", "smc_llc_received_total", COUNTER, "Messages that link groups received about links and keys (LLC).")
SMC_COUNTER("LlcViolations", "smc_llc_violations_total", COUNTER, "Link groups that ended because the peer broke the protocol.")
SMC_COUNTER("LlcDiscarded", "smc_llc_discarded_total", COUNTER, "Messages of links that were dropped, because their type is not known or their content is not valid.")
SMC_COUNTER("LlcTimeouts", "smc_llc_timeouts_total", COUNTER, "Messages of link groups that the peer did not answer in time.")
SMC_COUNTER("LlcTestLinks", "smc_llc_test_links_total", COUNTER, "Probes of links (TEST LINK) that this host sent.")
SMC_COUNTER("LinkRequestsPutOff", "smc_link_requests_put_off_total", COUNTER, "Requests of a client for another link that the server answers later.")
SMC_COUNTER("LinksAdded", "smc_links_added_total", COUNTER, "Second and later links that were added to link groups.")
SMC_COUNTER("LinkFailovers", "smc_link_failovers_total", COUNTER, "Links that failed or were deleted while their group had another one.")
SMC_COUNTER("ConnectionsMoved", "smc_connections_moved_total", COUNTER, "Connections that moved to another link of their group.")

/* Data. */
SMC_COUNTER("CdcSent", "smc_cdc_sent_total", COUNTER, "Control messages of connections (CDC) that this host sent.")
SMC_COUNTER("CdcSentWindowUpdates", "smc_cdc_sent_window_updates_total", COUNTER, "Control messages that carried no data and no change of state, only what the application has read.")
SMC_COUNTER("CdcReceived", "smc_cdc_received_total", COUNTER, "Control messages of connections (CDC) that this host received.")
SMC_COUNTER("CdcUnknownToken", "smc_cdc_unknown_token_total", COUNTER, "Control messages that were dropped, because no connection of their group has their token.")
SMC_COUNTER("CdcOutdated", "smc_cdc_outdated_total", COUNTER, "Control messages that were dropped, because a later one of the connection came first.")
SMC_COUNTER("CdcViolations", "smc_cdc_violations_total", COUNTER, "Connections that were reset because the peer broke the protocol.")
SMC_COUNTER("RdmaWrites", "smc_rdma_writes_total", COUNTER, "RDMA writes that were posted.")
SMC_COUNTER("RdmaSends", "smc_rdma_sends_total", COUNTER, "RDMA sends that were posted.")
SMC_COUNTER("RdmaReceives", "smc_rdma_receives_total", COUNTER, "RDMA sends of peers that arrived.")
SMC_COUNTER("Doorbells", "smc_doorbells_total", COUNTER, "Posts to the adapter. A post may contain several writes and a send.")
SMC_COUNTER("MemoryRegistrations", "smc_memory_registrations_total", COUNTER, "Registrations of receive buffers with an adapter.")
SMC_COUNTER("RmbsAllocated", "smc_rmbs_allocated_total", COUNTER, "Receive buffers (RMBs) that were allocated. Each has elements for many connections.")
SMC_COUNTER("RmbsFreed", "smc_rmbs_freed_total", COUNTER, "Receive buffers (RMBs) that were freed.")
SMC_COUNTER("ElementsQuarantined", "smc_elements_quarantined_total", COUNTER, "Elements of connections that ended before the peer did. The peer may still write to them, so they wait.")
SMC_COUNTER("ElementsReclaimed", "smc_elements_reclaimed_total", COUNTER, "Elements in quarantine that are free again, because the peer has ended the connection.")
SMC_COUNTER("SendsCoalesced", "smc_sends_coalesced_total", COUNTER, "Small sends that waited for a control message in flight, to leave together.")
SMC_COUNTER("SendsWaitedForSlot", "smc_sends_waited_for_slot_total", COUNTER, "Times that a connection waited because the queue of its link was full.")
SMC_COUNTER("SendsWaitedForMapping", "smc_sends_waited_for_mapping_total", COUNTER, "Times that a link waited because memory could not be mapped for the adapter.")
SMC_COUNTER("BytesSent", "smc_sent_bytes_total", COUNTER, "Bytes that were written to peers, within this host too.")
SMC_COUNTER("BytesReceived", "smc_received_bytes_total", COUNTER, "Bytes that applications have read.")

/* Ends of connections. */
SMC_COUNTER("AbortsSent", "smc_aborts_sent_total", COUNTER, "Connections that this host reset.")
SMC_COUNTER("AbortsReceived", "smc_aborts_received_total", COUNTER, "Connections that the peer reset.")
SMC_COUNTER("CloseTimeouts", "smc_close_timeouts_total", COUNTER, "Closed connections that were given up, because the peer did not take the data or did not close in time.")
SMC_COUNTER("OrphansAborted", "smc_orphans_aborted_total", COUNTER, "Closed connections that were reset with data in flight, because there were too many (net.smc.max_orphans) or no memory.")

/* What netlink shows. The names are those of metrics only. */
SMC_METRIC(UP, "smc_up", GAUGE, "", "1: the module is loaded, 0: it is not.")
SMC_METRIC(INFO, "smc_info", GAUGE, "version, release", "Always 1. The labels are the highest version of the protocol and its release.")
SMC_METRIC(CONNECTIONS, "smc_connections_total", COUNTER, "role, version", "Connections that use SMC, by role of this host and version of the handshake.")
SMC_METRIC(FALLBACKS, "smc_fallbacks_total", COUNTER, "role", "Connections on SMC sockets that use TCP, by role of this host.")
SMC_METRIC(FALLBACK_REASONS, "smc_fallback_reasons_total", COUNTER, "role, code, reason", "Connections on SMC sockets that use TCP, by the reason. The kernel counts each reason to 65535.")
SMC_METRIC(HANDSHAKE_ERRORS, "smc_handshake_errors_total", COUNTER, "role", "Connections that ended during the SMC handshake, by role of this host.")
SMC_METRIC(SEND_CALLS, "smc_send_call_bytes", HISTOGRAM, "", "Calls that send, by the length that they asked for. The sum is that of the bytes which they queued.")
SMC_METRIC(RECV_CALLS, "smc_receive_call_bytes", HISTOGRAM, "", "Calls that receive, by the length that they returned.")
SMC_METRIC(BUFFERS, "smc_buffers_total", COUNTER, "direction, size", "Connections, counted by the size of the buffer that each of them has.")
SMC_METRIC(BUFFER_EVENTS, "smc_buffer_events_total", COUNTER, "direction, event", "Events of buffers: full, too_small, reused, allocated, downgraded (smaller than wanted), and the same of the peer.")
SMC_METRIC(BUFFER_BYTES, "smc_buffer_bytes", GAUGE, "direction", "Bytes in send queues (tx), and of receive buffers (rx), now.")
SMC_METRIC(SPECIAL_CALLS, "smc_special_calls_total", COUNTER, "call", "Uses of sendpage, splice, cork, nodelay and urgent data.")
SMC_METRIC(GROUP_CONNECTIONS, "smc_group_connections", GAUGE, "group, role, type", "Connections of a link group now.")
SMC_METRIC(GROUP_SEND_BYTES, "smc_group_send_queue_bytes", GAUGE, "group", "Bytes in the send queues of a link group now.")
SMC_METRIC(GROUP_RMB_BYTES, "smc_group_receive_buffer_bytes", GAUGE, "group", "Bytes of the receive buffers of a link group now, in use or not.")
SMC_METRIC(LINK_ACTIVE, "smc_link_active", GAUGE, "group, link, device, port, interface", "1: the link is active, 0: it is in another state.")
SMC_METRIC(LINK_CONNECTIONS, "smc_link_connections", GAUGE, "group, link, device, port, interface", "Connections that send on a link now.")
SMC_METRIC(PORT_ACTIVE, "smc_port_active", GAUGE, "device, port, interface", "1: the port of the RDMA device is active, 0: it is not.")
SMC_METRIC(PORT_LINKS, "smc_port_links", GAUGE, "device, port, interface", "Links that use a port of an RDMA device now.")
SMC_METRIC(DEVICE_CRITICAL, "smc_device_critical", GAUGE, "device", "1: connections end if the RDMA device goes away, 0: none do.")
