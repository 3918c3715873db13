// SPDX-License-Identifier: GPL-2.0
/* Takes the lock of a socket in contexts that must not sleep for it. See
 * lock.h.
 */
#include <net/sock.h>
#include "../base/on_unlock.h"
#include "lock.h"
#include "sock.h"

static int leave_note(struct smc_sock *smc, struct smc_on_unlock *on_unlock)
{
	lockdep_assert_held(&smc->sk.sk_lock.slock);
	if (!on_unlock || !list_empty(&on_unlock->list))
		return -EALREADY;
	list_add_tail(&on_unlock->list, &smc->on_unlock);
	return -EINPROGRESS;
}

int smc_lock_try(struct smc_sock *smc, struct smc_on_unlock *on_unlock)
{
	struct sock *sk = &smc->sk;
	int err = 0;

	spin_lock_bh(&sk->sk_lock.slock);
	if (sk->sk_lock.owned)
		err = leave_note(smc, on_unlock);
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
	INIT_LIST_HEAD(&smc->on_unlock);
}

void smc_lock_released(struct smc_sock *smc)
{
	struct smc_on_unlock *on_unlock, *next;

	lockdep_assert_held(&smc->sk.sk_lock.slock);
	list_for_each_entry_safe(on_unlock, next, &smc->on_unlock, list) {
		list_del_init(&on_unlock->list);
		on_unlock->run(on_unlock);
	}
}
