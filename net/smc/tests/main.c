// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/module.h>

#include "../base/version.h"
#include "tests.h"

kunit_test_suites(&smc_bytes_suite, &smc_clc_suite,
		  &smc_proposal_suite, &smc_clc_v2_suite, &smc_llc_suite,
		  &smc_llc_v2_suite, &smc_llc_msg_suite, &smc_cdc_suite,
		  &smc_stream_suite, &smc_ladder_suite, &smc_urgent_suite,
		  &smc_eid_suite, &smc_fsm_suite, &smc_close_suite,
		  &smc_path_suite, &smc_place_suite, &smc_order_suite,
		  &smc_frame_suite, &smc_credit_suite, &smc_frames_in_suite,
		  &smc_frames_out_suite, &smc_pack_suite,
		  &smc_frames_lies_suite, &smc_frames_window_suite,
		  &smc_ext_suite);

MODULE_DESCRIPTION("KUnit tests of SMC-R");
MODULE_LICENSE("GPL");
MODULE_VERSION(SMC_VERSION);
