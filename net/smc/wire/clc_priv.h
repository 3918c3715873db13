/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations for the files that encode and decode CLC messages. */
#ifndef SMC_WIRE_CLC_PRIV_H
#define SMC_WIRE_CLC_PRIV_H

#include "bytes.h"
#include "clc.h"

/* Functions of clc_v2.c. The functions expect the read cursor behind the
 * preceding fields of the message.
 */
bool smc_clc_v2_offer_valid(const struct smc_clc_proposal *p);
u16 smc_clc_v2_offer_len(const struct smc_clc_proposal *p);
void smc_clc_v2_put_locator(struct smc_wr *w, const struct smc_clc_proposal *p);
void smc_clc_v2_put_offer(struct smc_wr *w, const struct smc_clc_offer_v2 *o);
int smc_clc_v2_get_offer(const u8 *buf, size_t n, u16 iparea,
			 struct smc_clc_proposal *p);
u16 smc_clc_v2_accept_len(enum smc_clc_type type,
			  const struct smc_clc_accept *a);
bool smc_clc_v2_accept_valid(const struct smc_clc_accept *a);
void smc_clc_v2_put_accept(struct smc_wr *w, enum smc_clc_type type,
			   const struct smc_clc_accept *a);
int smc_clc_v2_get_accept(struct smc_rd *r, enum smc_clc_type type,
			  struct smc_clc_accept *a);

#endif /* SMC_WIRE_CLC_PRIV_H */
