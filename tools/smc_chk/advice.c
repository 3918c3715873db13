// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "genl.h"
#include "smc_chk.h"

static const struct advice table[] = {
	{ 0x01010000, "memory",
	  "Free memory, or raise net.smc.max_conns and net.smc.hs_max_net (sysctl)." },
	{ 0x02010000, "link confirmation",
	  "RDMA packets do not pass: let UDP port 4791 through every firewall, and look at the MTU of all devices on the path." },
	{ 0x02020000, "second link",
	  "RDMA packets pass on one path and not on the other: let UDP port 4791 through on both." },
	{ 0x03000000, "terms of the link",
	  "The two hosts disagree on the MTU or the GID of the link: update the older one. If both are up to date, report it (smc_dbg)." },
	{ 0x03010000, "SMC on the peer",
	  "On the peer: modprobe smc, and start the server with smc_run. If both is so, something on the path takes TCP option 254 away." },
	{ 0x03020000, "IPsec policy",
	  "SMC does not run under IPsec. Take the connection out of the policy (ip xfrm policy), or use TLS instead." },
	{ 0x03030000, "RDMA device or UEID in common",
	  "Stock Linux says this for either: no device for SMC on the path (see smc_rnics; if TCP and RDMA use different adapters, put both on one network with smc_pnet), or no UEID in common (compare smcr ueid on both, and add the same one: smcr ueid add SMCV2-DEFAULT-UEID)." },
	{ 0x03030002, "RDMA device",
	  "No active RDMA device on the interface of the path: see smc_rnics and ip route get. If the interface has a PNETID (smc_pnet), a port of an RDMA device needs the same one. If TCP and RDMA use different adapters, give both the same PNETID. In a container, run smc_chk --local there." },
	{ 0x03030004, "version 2",
	  "The client did not offer version 2. Give both hosts a UEID in common: smcr ueid add NAME." },
	{ 0x03030008, "UEID in common",
	  "The two hosts have no UEID in common: compare smcr ueid on both, and add the same one: smcr ueid add NAME." },
	{ 0x03030009, "release",
	  "The two hosts speak no release of version 2 in common: update the older one." },
	{ 0x0303000a, "connections per group",
	  "The peer wants fewer than 16 connections per link group: change that on the peer." },
	{ 0x0303000b, "links per group",
	  "The peer's number of links per group is out of range: change that on the peer." },
	{ 0x03040000, "kind of SMC",
	  "One host offers SMC-R only and the other SMC-D only." },
	{ 0x03050000, "eye catchers",
	  "Only one of the hosts wants them: give net.smc.smcr_eyecatcher the same value on both (sysctl)." },
	{ 0x03060000, "socket option",
	  "The program uses TCP fast open, keys for TCP or another option that only TCP has: turn it off in the program. A rule of /etc/smc.conf that keeps a connection on TCP shows as this, too." },
	{ 0x03070000, "same subnet",
	  "The two addresses are not in the same subnet, which version 1 wants. Give both hosts a UEID in common, so that they use version 2: smcr ueid add NAME." },
	{ 0x03080000, "VLAN",
	  "The VLAN of the path is not known to the RDMA device: make the VLAN interface on the adapter that has RDMA." },
	{ 0x030a0000, "link",
	  "The link group lost its last link: see smcr link on both hosts." },
	{ 0x030b0000, "link",
	  "The client does not know the server's link: try again, it is made anew." },
	{ 0x030c0000, "version in common",
	  "The two hosts have no version in common: update the older one." },
	{ 0x030e0000, "route of the RDMA path",
	  "There is no route from the RDMA device's address to the peer's: compare ip route get for both addresses." },
	{ 0x030f0000, "gateway",
	  "One host sees a gateway on the RDMA path and the other does not: compare netmasks and routes." },
	{ 0x04000000, "link groups",
	  "The two hosts disagree on link groups: try again, they are made anew. If it comes again, RDMA packets do not pass (UDP port 4791)." },
	{ 0x05000000, "peer",
	  "The peer has declined, and its code tells why: smcss shows it behind the slash, smcr stats on the peer counts it." },
	{ 0x05010000, "SMC on the peer",
	  "The peer, or something on the path, echoes TCP options that it does not know; it is remembered (/proc/net/smc_echo, net.smc.echo_memory). Load the SMC module there, or change what echoes." },
	{ 0x05010001, "SYN cookies",
	  "TCP of the server was flooded with SYNs, or its queue is short, and it answered by a SYN cookie, which has no place for SMC. Give listen() a longer backlog (net.core.somaxconn bounds it), or turn off net.ipv4.tcp_syncookies." },
	{ 0x05010002, "client and server",
	  "Both programs have called connect(), and neither listens. SMC needs a server: let one of them listen." },
	{ 0x05010003, "handshake program",
	  "The administrator has loaded a BPF program that leaves this connection to TCP: see net.smc.hs_ctrl." },
	{ 0x05010004, "RDMA path",
	  "An earlier connection has waited for RDMA to this peer in vain. Let UDP port 4791 through every firewall, and look at the MTU of all devices on the path. After net.smc.dead_path_memory seconds one connection tries again. /proc/net/smc_dead_paths lists such peers." },
	{ 0x09990000, "inner error", "See the kernel log of both hosts." },
	{ 0x09990001, "memory keys", "See the kernel log of both hosts." },
	{ 0x09990002, "link",
	  "The link could not be made: RDMA packets do not pass (UDP port 4791), or the device is out of queue pairs; see the kernel log." },
	{ 0x09990003, "memory registration",
	  "The RDMA device could not register the buffer: lower net.smc.rmem, or free memory." },
};

const struct advice *advice_for(uint32_t code)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i].code == code)
			return &table[i];
	}
	return NULL;
}

const char *advice_for_tcp(int err)
{
	switch (err) {
	case EHOSTUNREACH:
	case ENETUNREACH:
	case ENETDOWN:
		return "Packets do not reach the peer: look at ip route get with its address, at ip neigh, and whether the interfaces of both hosts are up.";
	case ETIMEDOUT:
		return "Nothing answers: the peer may be down, or a firewall drops the packets.";
	default:
		return "Run smc_chk -S on the peer, or name the port of a server that runs there; let its port through the firewalls.";
	}
}

const char *advice_for_devices(bool active, bool here, const char *mode)
{
	if (here)
		return "The PNETIDs put the interfaces and the RDMA ports on different networks: compare smc_pnet and smc_rnics, and give an interface and a port of one network the same PNETID, or none.";
	if (active)
		return "There are devices, but their network interfaces belong to other network namespaces. Give this container an interface of the adapter: a virtual function, macvlan, ipvlan, or the network of the host.";
	if (mode && !strcmp(mode, "exclusive"))
		return "RDMA devices belong to one network namespace each (rdma system). Give this one a device of its own: rdma dev set DEVICE netns NAME.";
	return "There is no RDMA device with an active port: see smc_rnics and rdma link.";
}
