/* test_plugin_abi.c - a plug-in of any kind that was made for another interface is refused by name. The tables here
 * stand in the place of the library's; each has a plug-in of tomorrow, of which nothing but the number and the name is
 * there to be looked at, beside one that is fit; of methods there is one of yesterday too. */
#include "ripstop/plugin/arbiter.h"
#include "ripstop/plugin/family.h"
#include "ripstop/plugin/kernel.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/pattern.h"
#include "ripstop/plugin/process.h"
#include "ripstop/plugin/selection.h"
#include "ripstop/plugin/switch.h"
#include "scene.h"

static const ripstop_family late_family = {.abi = RIPSTOP_FAMILY_ABI + 1, .name = "tomorrow"};
extern const ripstop_family ripstop_family_torus;
const ripstop_family *const ripstop_families[] = {&late_family, &ripstop_family_torus, NULL};

static const ripstop_method late_method = {.abi = RIPSTOP_METHOD_ABI + 1, .name = "tomorrow"};
static const ripstop_method early_method = {.abi = 6, .name = "yesterday"}; /* it kept no repairs */
extern const ripstop_method ripstop_method_dor;
const ripstop_method *const ripstop_methods[] = {&late_method, &early_method, &ripstop_method_dor, NULL};

static const ripstop_pattern late_pattern = {.abi = RIPSTOP_PATTERN_ABI + 1, .name = "tomorrow"};
extern const ripstop_pattern ripstop_pattern_uniform;
const ripstop_pattern *const ripstop_patterns[] = {&late_pattern, &ripstop_pattern_uniform, NULL};

static const ripstop_arbiter late_arbiter = {.abi = RIPSTOP_ARBITER_ABI + 1, .name = "tomorrow"};
extern const ripstop_arbiter ripstop_arbiter_round_robin;
const ripstop_arbiter *const ripstop_arbiters[] = {&late_arbiter, &ripstop_arbiter_round_robin, NULL};

static const ripstop_selection late_selection = {.abi = RIPSTOP_SELECTION_ABI + 1, .name = "tomorrow"};
extern const ripstop_selection ripstop_selection_space;
const ripstop_selection *const ripstop_selections[] = {&late_selection, &ripstop_selection_space, NULL};

static const ripstop_switch late_switch = {.abi = RIPSTOP_SWITCH_ABI + 1, .name = "tomorrow"};
extern const ripstop_switch ripstop_switch_input;
const ripstop_switch *const ripstop_switches[] = {&late_switch, &ripstop_switch_input, NULL};

static const ripstop_kernel late_kernel = {.abi = RIPSTOP_KERNEL_ABI + 1, .name = "tomorrow"};
extern const ripstop_kernel ripstop_kernel_fft;
const ripstop_kernel *const ripstop_kernels[] = {&late_kernel, &ripstop_kernel_fft, NULL};

static const ripstop_process late_process = {.abi = RIPSTOP_PROCESS_ABI + 1, .name = "tomorrow"};
extern const ripstop_process ripstop_process_random;
const ripstop_process *const ripstop_processes[] = {&late_process, &ripstop_process_random, NULL};

static void assert_refused(const ripstop_error *err, const char *kind, uint32_t abi) {
  char text[100];
  snprintf(text, sizeof text, "%s 'tomorrow' was made for interface %u, this is %u", kind, abi + 1, abi);
  assert_string_equal(err->text, text);
}

static void families(void **state) {
  (void)state;
  ripstop_error err;
  assert_null(ripstop_fabric_open("tomorrow:4x4", &err));
  assert_refused(&err, "fabric", RIPSTOP_FAMILY_ABI);
}

static void methods(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open("torus:4x4", &err);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_answer answer;
  assert_null(ripstop_plan_compile(view, "tomorrow", &answer, &err));
  assert_int_equal(answer, RIPSTOP_ERROR);
  assert_refused(&err, "method", RIPSTOP_METHOD_ABI);
  assert_null(ripstop_plan_compile(view, "yesterday", &answer, &err));
  assert_int_equal(answer, RIPSTOP_ERROR);
  assert_string_equal(err.text, "method 'yesterday' was made for interface 6, this is 11");
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
}

static void kernels(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  const char *canonical;
  assert_int_equal(ripstop_kernel_canonical(arena, "tomorrow", &canonical, &err), -1);
  assert_refused(&err, "program", RIPSTOP_KERNEL_ABI);
  ripstop_arena_free(arena);
}

static void processes(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_rule rule;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = ripstop_fabric_open("torus:4x4", &err);
  ripstop_names *names = ripstop_names_new(fabric);
  assert_int_equal(ripstop_rule_open(arena, names, "tomorrow:1", NULL, &rule, &err), -1);
  assert_refused(&err, "process", RIPSTOP_PROCESS_ABI);
  ripstop_names_free(names);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

/* The error of a simulation with one option set. */
static void simulate(const char *option, ripstop_error *err) {
  ripstop_run_result result;
  scene *s = scene_open("torus:4x4", "dor", option);
  assert_int_equal(scene_simulate(s, &result, err), -1);
  scene_close(s);
}

static void what_simulations_use(void **state) {
  (void)state;
  ripstop_error err;
  simulate("pattern=tomorrow", &err);
  assert_refused(&err, "traffic: pattern", RIPSTOP_PATTERN_ABI);
  simulate("arbiter=tomorrow", &err);
  assert_refused(&err, "switch.arbiter", RIPSTOP_ARBITER_ABI);
  simulate("selection=tomorrow", &err);
  assert_refused(&err, "switch.selection", RIPSTOP_SELECTION_ABI);
  simulate("queues=tomorrow", &err);
  assert_refused(&err, "switch.queues", RIPSTOP_SWITCH_ABI);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(families), cmocka_unit_test(methods), cmocka_unit_test(kernels),
                                     cmocka_unit_test(processes), cmocka_unit_test(what_simulations_use)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
