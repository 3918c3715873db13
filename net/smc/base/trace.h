/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints. The arguments of tracepoints are numbers and names, never
 * structs of a floor.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM smc

#if !defined(_SMC_BASE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _SMC_BASE_TRACE_H

#include <linux/tracepoint.h>
#include "compat.h"

/* A state machine made one step. The event shows the object, the old state, the
 * state machine's event and the new state.
 */
TRACE_EVENT(smc_fsm,
	    TP_PROTO(const char *machine, const void *obj, const char *from,
		     const char *event, const char *to),
	    TP_ARGS(machine, obj, from, event, to),
	    TP_STRUCT__entry(__field(const void *, obj)
			     __array(char, machine, 16)
			     __array(char, from, 24)
			     __array(char, event, 24)
			     __array(char, to, 24)),
	    TP_fast_assign(__entry->obj = obj;
			   strscpy(__entry->machine, machine, 16);
			   strscpy(__entry->from, from, 24);
			   strscpy(__entry->event, event, 24);
			   strscpy(__entry->to, to, 24);),
	    TP_printk("%s %p: %s + %s -> %s", __entry->machine, __entry->obj,
		      __entry->from, __entry->event, __entry->to)
);

/* A connection stays on TCP. @reason and @peer are codes of Decline
 * messages.
 */
TRACE_EVENT(smc_switch_to_fallback,
	    TP_PROTO(const void *sk, const void *clcsk, u64 net_cookie,
		     u32 reason, u32 peer),
	    TP_ARGS(sk, clcsk, net_cookie, reason, peer),
	    TP_STRUCT__entry(__field(const void *, sk)
			     __field(const void *, clcsk)
			     __field(u64, net_cookie)
			     __field(u32, reason)
			     __field(u32, peer)),
	    TP_fast_assign(__entry->sk = sk;
			   __entry->clcsk = clcsk;
			   __entry->net_cookie = net_cookie;
			   __entry->reason = reason;
			   __entry->peer = peer;),
	    TP_printk("sk=%p clcsk=%p net=%llu reason=%#x peer=%#x",
		      __entry->sk, __entry->clcsk, __entry->net_cookie,
		      __entry->reason, __entry->peer)
);

/* The peer broke the protocol. @what names the failed check, @value is the
 * value that was checked.
 */
TRACE_EVENT(smc_violation,
	    TP_PROTO(const char *what, const void *obj, u64 value),
	    TP_ARGS(what, obj, value),
	    TP_STRUCT__entry(__array(char, what, 32)
			     __field(const void *, obj)
			     __field(u64, value)),
	    TP_fast_assign(strscpy(__entry->what, what, 32);
			   __entry->obj = obj;
			   __entry->value = value;),
	    TP_printk("%s %p value=%#llx", __entry->what, __entry->obj,
		      __entry->value)
);

/* A reference was taken (@change is 1) or dropped (@change is -1) for the
 * reason @why.
 */
TRACE_EVENT(smc_ref,
	    TP_PROTO(const char *kind, const void *obj, const char *why,
		     int change),
	    TP_ARGS(kind, obj, why, change),
	    TP_STRUCT__entry(__field(const void *, obj)
			     __array(char, kind, 8)
			     __array(char, why, 16)
			     __field(int, change)),
	    TP_fast_assign(__entry->obj = obj;
			   strscpy(__entry->kind, kind, 8);
			   strscpy(__entry->why, why, 16);
			   __entry->change = change;),
	    TP_printk("%s %p: %s %+d", __entry->kind, __entry->obj,
		      __entry->why, __entry->change)
);

/* A link ended. @err is a negative errno, @reason a reason code of
 * DELETE LINK.
 */
TRACE_EVENT(smcr_link_down,
	    TP_PROTO(const void *lgr, u8 link, int err, u32 reason),
	    TP_ARGS(lgr, link, err, reason),
	    TP_STRUCT__entry(__field(const void *, lgr)
			     __field(u8, link)
			     __field(int, err)
			     __field(u32, reason)),
	    TP_fast_assign(__entry->lgr = lgr;
			   __entry->link = link;
			   __entry->err = err;
			   __entry->reason = reason;),
	    TP_printk("lgr=%p link=%u err=%d reason=%#x", __entry->lgr,
		      __entry->link, __entry->err, __entry->reason)
);

#endif /* _SMC_BASE_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH base
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
