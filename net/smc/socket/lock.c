// SPDX-License-Identifier: GPL-2.0
/* Takes the lock of a socket in contexts that must not sleep for it. See
 * lock.h.
 */
#include <net/sock.h>
#include "../base/later.h"
#include "lock.h"
#include "sock.h"

static int leave_note(struct smc_sock *smc, struct smc_later *later)
{
	lockdep_assert_held(&smc->sk.sk_lock.slock);
	if (!later || !list_empty(&later->list))
		return -EALREADY;
	list_add_tail(&later->list, &smc->later);
	return -EINPROGRESS;
}

int smc_lock_try(struct smc_sock *smc, struct smc_later *later)
{
	struct sock *sk = &smc->sk;
	int err = 0;

	spin_lock_bh(&sk->sk_lock.slock);
	if (sk->sk_lock.owned)
		err = leave_note(smc, later);
	else
		sk->sk_lock.owned = 1;
	spin_unlock_bh(&sk->sk_lock.slock);
	/* for lockdep, as in lock_sock(); release_sock() does the
	 * counterpart
	 */
	if (!err)
		mutex_acquire(&sk->sk_lock.dep_map, 0, 1, _RET_IP_);
	return err;
}

void smc_lock_prepare(struct smc_sock *smc)
{
	INIT_LIST_HEAD(&smc->later);
}

void smc_lock_released(struct smc_sock *smc)
{
	struct smc_later *later, *next;

	lockdep_assert_held(&smc->sk.sk_lock.slock);
	list_for_each_entry_safe(later, next, &smc->later, list) {
		list_del_init(&later->list);
		later->run(later);
	}
}
