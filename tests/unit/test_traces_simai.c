/* test_traces_simai.c - workloads of SimAI: times of a step by its closed form, groups, and mistakes with their line.
 */
#include "traces.h"

/* An all-reduce of s bytes on g ranks takes 2 (g - 1) (999 + s / g) cycles. Forward: 1, 1200 and a sum of 16000, 5000
 * and one of 32000; back: 4000, a sum of 32000, 3000, 700, 1, 1, 1 and the gradients' sum of 16000 on two. */
static void a_step_is_the_sum_of_its_phases(void **state) {
  (void)state;
  const double sum16 = 6 * (999 + 4000), sum32 = 6 * (999 + 8000), gradients = 2 * (999 + 8000);
  const double forward = 1 + 1200 + sum16 + 5000 + sum32, back = 4000 + sum32 + 3000 + 700 + 1 + 1 + 1 + gradients;
  demand_cycles("simai", "simai/dense.txt", 8, forward + back, 160);
}

static void gathers_count_the_whole(void **state) {
  (void)state;
  demand_cycles("simai", "simai/sequence.txt", 8, 72340, 104);
}

static void experts_are_in_successive_groups(void **state) {
  (void)state;
  demand_cycles("simai", "simai/experts.txt", 8, 21502, 16);
}

static void micro_has_the_weight_column_alone(void **state) {
  (void)state;
  char path[512], spec[600];
  trace_path("simai/micro.txt", path, sizeof path);
  snprintf(spec, sizeof spec, "simai:%s,ranks=8", path);
  demand_job(spec, 8, 14 * (999 + 2000), 112);
}

#define HEAD      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 1 pp: 1 all_gpus: 8\n"
#define ROW(comm) "l -1 100 " comm " 8000 100 NONE 0 1 NONE 0 100\n"

/* Every second TP group of four: two pairs of ranks, each of which sums in 2 (999 + 4000). */
static void every_second_group_shares_what_is_no_expert(void **state) {
  (void)state;
  static const char text[] =
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group 1 ep 2 all_gpus 4 checkpoints: 0\n1\n"
      "l\t-1\t0\tALLREDUCE_DP_EP\t8000\t0\tNONE\t0\t0\tNONE\t0\t0";
  demand_text("simai", "", text, 4, 2 * (999 + 4000), 8);
}

static void mistakes_have_their_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *what;
  } wrong[] = {
      {"HYBRID_SOMETHING model_parallel_NPU_group: 4\n1\n" ROW("NONE"), "line 1: the policy 'HYBRID_SOMETHING'"},
      {"DATA\n1\n" ROW("NONE"), "line 1: the policy 'DATA'"},
      {"MICRO pp: 2\n1\n" ROW("NONE"), "line 1: pp 2: pipeline stages"},
      {"MICRO checkpoints: 1 3\n1\n" ROW("NONE"), "line 1: checkpoints 1"},
      {"MICRO all_gpu: 4\n1\n" ROW("NONE"), "line 1: the key 'all_gpu' is unknown; did you mean 'all_gpus'?"},
      {"MICRO tp: 1\n1\n" ROW("NONE"), "line 1: the key 'tp'"},
      {HEAD "1\n" ROW("BROADCAST"), "line 3: the collective 'BROADCAST'"},
      {HEAD "1\n" ROW("ALLREDUCEALLTOALL"), "line 3: the collective 'ALLREDUCEALLTOALL'"},
      {HEAD "1\n" ROW("NONE_EP"), "line 3: the collective 'NONE_EP'"},
      {HEAD "2\n" ROW("NONE"), "2 rows by the second line, but the file"},
      {HEAD "1\n" ROW("NONE") ROW("NONE"), "line 4: 1 rows by the second line"},
      {HEAD "1\nl -1 100 NONE\n", "line 3: 4 words"},
      {HEAD "1\nl 0 1 NONE 0 1 NONE 0 1 NONE 0 1\n", "line 3: the second word '0': -1 must stand here"},
      {HEAD "1\nl -1 x NONE 0 1 NONE 0 1 NONE 0 1\n", "line 3: the time 'x'"},
      {"MICRO\n1\n" ROW("NONE"), "give ranks=N"},
      {"MICRO all_gpus: 9 model_parallel_NPU_group: 4\n1\n" ROW("NONE"), "9 GPUs are no whole number"},
      {"MICRO all_gpus: 6 ep: 4\n1\n" ROW("NONE"), "no multiple of ep 4"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) refuse_job("simai", "", wrong[i].text, wrong[i].what);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_is_the_sum_of_its_phases),
      cmocka_unit_test(gathers_count_the_whole),
      cmocka_unit_test(experts_are_in_successive_groups),
      cmocka_unit_test(micro_has_the_weight_column_alone),
      cmocka_unit_test(every_second_group_shares_what_is_no_expert),
      cmocka_unit_test(mistakes_have_their_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
