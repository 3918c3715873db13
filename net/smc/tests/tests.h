/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The KUnit suites. Each source file that has logic of its own has a suite. The
 * suites also build in user space (tools/testing/smc), with a small replacement
 * of KUnit.
 */
#ifndef SMC_TESTS_H
#define SMC_TESTS_H

struct kunit_suite;

extern struct kunit_suite smc_bytes_suite;
extern struct kunit_suite smc_clc_suite;
extern struct kunit_suite smc_clc_v2_suite;
extern struct kunit_suite smc_proposal_suite;
extern struct kunit_suite smc_llc_suite;
extern struct kunit_suite smc_llc_v2_suite;
extern struct kunit_suite smc_llc_msg_suite;
extern struct kunit_suite smc_cdc_suite;
extern struct kunit_suite smc_stream_suite;
extern struct kunit_suite smc_ladder_suite;
extern struct kunit_suite smc_urgent_suite;
extern struct kunit_suite smc_eid_suite;
extern struct kunit_suite smc_fsm_suite;
extern struct kunit_suite smc_close_suite;
extern struct kunit_suite smc_path_suite;
extern struct kunit_suite smc_place_suite;
extern struct kunit_suite smc_order_suite;
extern struct kunit_suite smc_frame_suite;
extern struct kunit_suite smc_credit_suite;
extern struct kunit_suite smc_frames_in_suite;
extern struct kunit_suite smc_frames_out_suite;
extern struct kunit_suite smc_frames_lies_suite;
extern struct kunit_suite smc_frames_window_suite;
extern struct kunit_suite smc_ext_suite;
extern struct kunit_suite smc_pack_suite;

#endif /* SMC_TESTS_H */
