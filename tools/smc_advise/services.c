// SPDX-License-Identifier: GPL-2.0
/* Computes the sums of each service, and the effect of SMC-R on it. */
#include <stdlib.h>
#include <string.h>

#include "advise.h"

struct service *services_get(struct services *all, bool server, uint16_t port)
{
	struct service *list;
	size_t i;

	for (i = 0; i < all->nr; i++) {
		if (all->list[i].server == server && all->list[i].port == port)
			return &all->list[i];
	}
	list = reallocarray(all->list, all->nr + 1, sizeof(*list));
	if (!list)
		return NULL;
	all->list = list;
	list += all->nr++;
	memset(list, 0, sizeof(*list));
	list->server = server;
	list->port = port;
	return list;
}

static struct peer *find_peer(struct service *s, const struct address *a)
{
	struct peer *p;

	for (p = s->peer; p < s->peer + s->peers; p++) {
		if (p->address.ipv6 == a->ipv6 &&
		    !memcmp(p->address.bytes, a->bytes, sizeof(a->bytes)))
			return p;
	}
	return NULL;
}

void services_peer(struct service *s, const struct address *peer,
		   enum reach reach)
{
	struct peer *p = find_peer(s, peer);

	if (!p && s->peers == SERVICE_PEERS)
		return;
	if (!p) {
		p = &s->peer[s->peers++];
		p->address = *peer;
		p->reach = REACH_NONE;
		p->smc = false;
	}
	if (reach != REACH_NONE && p->reach == REACH_NONE) {
		p->reach = reach;
		s->reached_peers++;
	}
}

void services_smc(struct services *all, const struct address *peer)
{
	struct peer *p;
	size_t i;

	for (i = 0; i < all->nr; i++) {
		p = find_peer(&all->list[i], peer);
		if (p && !p->smc) {
			p->smc = true;
			all->list[i].smc_peers++;
		}
	}
}

enum {
	SHORT_LIFE_S		= 1,
	SMALL_BYTES		= 16 * 1024,	/* of an exchange */
	BULK_BYTES		= 1024 * 1024,	/* of a connection */
	BULK_BYTES_PER_S	= 1024 * 1024,	/* of a connection */
	LIVELY_TURNS_PER_S	= 10,		/* of a connection */
};

enum effect service_effect(const struct service *s)
{
	unsigned long long able = s->reach[REACH_RDMA] + s->reach[REACH_HOST];
	double bytes, life;

	if (!able || !s->conns)
		return EFFECT_NONE;
	bytes = (double)(s->sent + s->received) / s->conns;
	life = s->life_s / s->conns;
	if (life >= SHORT_LIFE_S && s->turns / s->conns / life >= LIVELY_TURNS_PER_S &&
	    (s->sent + s->received) / s->turns < SMALL_BYTES)
		return EFFECT_LATENCY;
	if (bytes >= BULK_BYTES || (life >= SHORT_LIFE_S &&
				    bytes / life >= BULK_BYTES_PER_S))
		return EFFECT_BULK;
	if (life < SHORT_LIFE_S && s->ended * 2 > s->conns)
		return EFFECT_SHORT;
	return EFFECT_IDLE;
}

unsigned long long service_memory(const struct services *all, const struct service *s)
{
	if (service_effect(s) == EFFECT_NONE)
		return 0;
	return s->peak * all->rmem;
}
