/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_PEER_THREAD_SLEEPS_H
#define SMC_PEER_THREAD_SLEEPS_H

#include <stdbool.h>

/* Is this thread of the process in an interruptible sleep, as in a system call
 * that waits for a socket?
 */
bool thread_sleeps(int tid);

#endif
