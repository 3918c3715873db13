/* SPDX-License-Identifier: GPL-2.0 */
/* Registry of RDMA ports that SMC-R can use, and the choice among them. */
#ifndef _SMC_TRANSPORT_DEV_H
#define _SMC_TRANSPORT_DEV_H

#include <linux/types.h>
#include "port.h"

struct ib_gid_attr;
struct net;
struct net_device;
struct sock;
struct smc_port;

/**
 * struct smc_dev_gid - an entry of a port's GID table
 * @usable:	the table has such an entry
 * @idx:	its index
 * @vlan:	VLAN ID of its net device, or 0
 * @gid:	its GID
 * @mac:	MAC of its net device
 */
struct smc_dev_gid {
	bool usable;
	u8 idx;
	u16 vlan;
	u8 gid[16];
	u8 mac[6];
};

/**
 * struct smc_dev_choice - the RDMA port and GID for one connection
 * @port:	port, one reference held for the caller; NULL: none
 * @gid_idx:	index in the port's GID table
 * @vlan:	VLAN ID of the path, or 0 (R-2-02); goes with @gid
 * @gid_type:	enum ib_gid_type of that entry
 * @v2:		version 2 can use it, see @of_v2
 * @gid:	the GID at @gid_idx, for version 1 until smc_dev_choice_use_v2()
 * @mac:	MAC of the port; goes with @gid
 * @tclass:	traffic class of RoCEv2 packets
 * @sl:		service level, 0 to 7: the priority of frames
 * @of_v2:	the GID for version 2: of RoCEv2, with an IPv4 address or, for a
 *		connection between IPv6 addresses, an IPv6 address that may be
 *		routed, of a device that receives messages in two pieces. It may
 *		be the same
 */
struct smc_dev_choice {
	struct smc_port *port;
	u8 gid_idx;
	u16 vlan;
	u8 gid_type;
	bool v2;
	u8 gid[16];
	u8 mac[6];
	u8 tclass;
	u8 sl;
	struct smc_dev_gid of_v2;
};

/**
 * struct smc_dev_path - the path of frames from a port to the peer's port
 * @known:	the other members are valid
 * @gateway:	the path goes through a gateway
 * @mac:	MAC of the first gateway, if @gateway is true
 */
struct smc_dev_path {
	bool known;
	bool gateway;
	u8 mac[6] __aligned(2);
};

/**
 * smc_dev_choose - choose the RDMA port for the route of a connected TCP socket
 * @sk:		the hidden TCP socket (its dst names the net device)
 * @choice:	filled on success
 *
 * Follows the net device of the route (and its lower devices, VLAN included) to
 * an active RoCE port whose GID table has an entry for it. Version 1 uses
 * RoCEv1 if the port has it, as deployed peers do, and otherwise RoCEv2;
 * version 2 uses RoCEv2. If the PNETID table names the network of one of those
 * net devices, only ports of that network qualify, on any net device. Honours
 * rdma_dev_access_netns(). Traffic class and service level are those of the
 * socket, unless net.smc.tclass says otherwise. Context: may sleep (no socket
 * lock needed; the dst is read under RCU). Return: 0, -ENODEV.
 */
int smc_dev_choose(struct sock *sk, struct smc_dev_choice *choice);
/**
 * smc_dev_route - find the path to a peer's RoCEv2 address
 * @net:	namespace of the route
 * @choice:	own port, with a GID that version 2 can use
 * @peer_gid:	the peer's GID
 * @path:	filled on success
 *
 * Return: 0, -EAFNOSUPPORT (the addresses are of different families),
 * -EHOSTUNREACH (no route leads to the peer through that port), -EAGAIN (the
 * gateway's MAC is still unknown; a request for it is sent). Context: may
 * sleep.
 */
int smc_dev_route(struct net *net, const struct smc_dev_choice *choice,
		  const u8 *peer_gid, struct smc_dev_path *path);
/**
 * smc_dev_choose_other - choose a port for another link of a group
 * @like:	choice of a link of the group; the new port gets the same type
 *		of GID, and the same VLAN, traffic class and service level
 * @net_cookie:	namespace
 * @peer_gid:	choose only a port in the subnet of this GID; NULL: in any
 *		subnet
 * @fit:	returns true if a port qualifies; called under RCU, must not
 *		sleep
 * @arg:	argument of @fit
 * @choice:	filled on success
 *
 * Context: any. Return: 0, -ENODEV.
 */
int smc_dev_choose_other(const struct smc_dev_choice *like, u64 net_cookie,
			 const u8 *peer_gid,
			 bool (*fit)(const struct smc_port *port, void *arg),
			 void *arg, struct smc_dev_choice *choice);
/**
 * smc_dev_on_link - can a peer's GID be reached through that port directly?
 * @choice:	port and own GID; the device of @choice->port may be gone
 * @peer_gid:	the peer's GID
 *
 * The function compares only the addresses (R-5.2-01). Context: may sleep.
 */
bool smc_dev_on_link(const struct smc_dev_choice *choice, const u8 *peer_gid);
const struct ib_gid_attr *
smc_dev_choice_gid(const struct smc_dev_choice *choice);
/** smc_dev_choice_use_v2 - version 2 is used, so use the GID for it */
void smc_dev_choice_use_v2(struct smc_dev_choice *choice);
/** smc_dev_choice_get - take a reference for a copy of @choice */
void smc_dev_choice_get(const struct smc_dev_choice *choice);
/** smc_dev_choice_put - drop the port reference */
void smc_dev_choice_put(struct smc_dev_choice *choice);

/** smc_dev_peer_id - peer ID of this host (R-A.2.1-01..03), 8 bytes */
const u8 *smc_dev_peer_id(void);

/**
 * struct smc_dev_user - device events for the floor above
 * @port_leaving: the device is being removed. The endpoints of the device still
 *		work, so the callee can tell the peers. The callee must start to
 *		end every endpoint on the port, because the registry then waits
 *		until all references to it are dropped.
 * @port_ready:	the port has started to work (@net_cookie is 0), or has a new
 *		address in this namespace
 * @port_gone:	the port and its endpoints do not work any more (port down)
 *
 * Context: all callbacks may sleep.
 */
struct smc_dev_user {
	void (*port_leaving)(struct smc_port *port);
	void (*port_gone)(struct smc_port *port);
	void (*port_ready)(struct smc_port *port, u64 net_cookie);
};

/**
 * smc_dev_first_port - find the first port for which @fn returns true
 * @fn:		called under RCU for each port, in the order of registration;
 *		must not sleep
 * @arg:	argument of @fn
 *
 * Return: the port with a reference (SMC_PORT_REF_CHOICE), or NULL. Context:
 * any.
 */
struct smc_port *
smc_dev_first_port(bool (*fn)(struct smc_port *port, void *arg), void *arg);

int smc_dev_init(const struct smc_dev_user *user);
void smc_dev_exit(void);

#endif
