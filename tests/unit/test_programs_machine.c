/* The machine on a network of fixed latency: kernels come to the right result in any order of messages, with caches
 * that hold next to nothing, with lost packets; and times are what they must be.
 *
 * Slow: long programs. */
#include <math.h>
#include <string.h>

#include "ideal_net.h"
#include "ripstop/plugin/kernel.h"

typedef struct outcome {
  double time, waited, error; /* processor cycles; of all processors */
  bool done, stuck, right, agrees;
  uint64_t packets, retries, loads, stored, l1_misses, misses, upgrades, evictions;
} outcome;

static ripstop_program_config config_of(ripstop_arena *arena, const char *options) {
  ripstop_program_config config;
  ripstop_error err;
  memset(&config, 0, sizeof config);
  const char *all = ripstop_arena_printf(arena, "kernel=x%s%s", *options ? "," : "", options);
  if (ripstop_options_parse(arena, "program", ripstop_program_options, &config, all, &err)) fail_msg("%s", err.text);
  return config;
}

static const ripstop_kernel *kernel_named(const char *name) {
  for (size_t i = 0; ripstop_kernels[i]; i++)
    if (!strcmp(ripstop_kernels[i]->name, name)) return ripstop_kernels[i];
  fail_msg("no kernel %s", name);
  return NULL;
}

static outcome run_kernel(const ripstop_kernel *kernel, const char *options, uint32_t processors,
                          const char *machine_options, ideal_net *network) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err;
  ripstop_machine m;
  ripstop_program_config config = config_of(arena, machine_options);
  void *own = ripstop_arena_array(arena, 1, kernel->config_size + 1);
  if (ripstop_options_parse(arena, kernel->name, kernel->options, own, options, &err)) fail_msg("%s", err.text);
  if (machine_open(&m, &config, processors, kernel, own, 1, &err)) fail_msg("%s", err.text);
  ideal_run(network, &m, 7);
  outcome out = {.done = machine_done(&m),
                 .stuck = machine_stuck(&m),
                 .agrees = machine_agrees(&m),
                 .time = machine_time(&m),
                 .retries = m.retries};
  out.right = kernel->check(&m, m.state, &out.error);
  out.packets = network->delivered;
  for (const ripstop_processor *w = m.processor; w < m.processor + processors; w++) {
    out.loads += w->loads, out.stored += w->stored, out.l1_misses += w->l1_misses, out.misses += w->misses;
    out.upgrades += w->upgrades, out.evictions += w->evictions;
    out.waited += (double)w->waited / (double)m.processor_ticks;
  }
  machine_close(&m);
  ripstop_arena_free(arena);
  return out;
}

static void expect_right(outcome out) {
  assert_true(out.done);
  assert_true(out.agrees);
  assert_true(out.right);
}

/* ------------------------------------------------------------------ kernels */

static void each_kernel_is_right(const char *machine_options, ideal_net network, bool evicts) {
  const uint32_t processors[] = {1, 4, 16};
  for (size_t i = 0; ripstop_kernels[i]; i++)
    for (size_t p = 0; p < 3; p++) {
      ideal_net n = network;
      outcome out = run_kernel(ripstop_kernels[i], ripstop_kernels[i]->small, processors[p], machine_options, &n);
      expect_right(out);
      assert_int_equal(out.retries > 0, network.loss > 0 && processors[p] > 1);
      if (evicts) assert_true(out.evictions > 0);
    }
}

static void kernels_are_right(void **state) {
  (void)state;
  each_kernel_is_right("", (ideal_net){.latency = 20}, false);
}

static void kernels_are_right_when_messages_overtake(void **state) {
  (void)state;
  each_kernel_is_right("stores=4", (ideal_net){.latency = 5, .jitter = 200}, false);
}

static void kernels_are_right_with_tiny_caches(void **state) {
  (void)state;
  each_kernel_is_right("l1_size=1,l1_ways=2,l2_size=2,l2_ways=2", (ideal_net){.latency = 5, .jitter = 100}, true);
}

static void kernels_are_right_with_lost_packets(void **state) {
  (void)state;
  each_kernel_is_right("stores=2", (ideal_net){.latency = 10, .jitter = 20, .loss = 0.02}, false);
}

static void kernels_are_right_without_a_store_buffer(void **state) {
  (void)state;
  each_kernel_is_right("stores=0,slack=0", (ideal_net){.latency = 20}, false);
}

/* A check that cannot fail is none: a bit of the result is turned, and what matters becomes no number. */
static void checks_find_a_wrong_result(void **state) {
  (void)state;
  for (size_t i = 0; ripstop_kernels[i]; i++) {
    const ripstop_kernel *kernel = ripstop_kernels[i];
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_error err;
    ripstop_machine m;
    ripstop_program_config config = config_of(arena, "");
    void *own = ripstop_arena_array(arena, 1, kernel->config_size + 1);
    assert_int_equal(ripstop_options_parse(arena, "test", kernel->options, own, kernel->small, &err), 0);
    assert_int_equal(machine_open(&m, &config, 4, kernel, own, 1, &err), 0);
    ideal_net n = {.latency = 20};
    ideal_run(&n, &m, 1);
    double error;
    assert_true(kernel->check(&m, m.state, &error));
    size_t wrong = 0;
    for (uint64_t line = 0; line < m.lines; line++) {
      const home_line *home = &m.home[line];
      cache_line *copy = home->co.owned ? cache_find(&m.processor[home->co.owner].cache, line) : NULL;
      uint8_t *byte =
          (copy ? cache_bytes(&m.processor[home->co.owner].cache, copy) : m.memory + line * RIPSTOP_LINE_BYTES) + 2;
      *byte ^= 64;
      bool matters = !kernel->check(&m, m.state, &error);
      *byte ^= 64;
      if (matters) {
        double kept, nan = NAN;
        memcpy(&kept, byte - 2, sizeof kept);
        memcpy(byte - 2, &nan, sizeof nan);
        assert_false(kernel->check(&m, m.state, &error));
        memcpy(byte - 2, &kept, sizeof kept);
      }
      wrong += matters;
      if (line > m.lines / 2 && wrong > 8) break;
    }
    assert_true(wrong > 8);
    machine_close(&m);
    ripstop_arena_free(arena);
  }
}

/* ------------------------------------------------------------------ times, by kernels of a few instructions */

typedef struct probe {
  uint64_t line[4]; /* homes 0, 1, 0, 1 */
} probe;

static int probe_prepare(ripstop_machine *machine, const void *config, uint64_t seed, void **state,
                         ripstop_error *err) {
  (void)config, (void)seed, (void)err;
  probe *p = RIPSTOP_NEW(ripstop_machine_arena(machine), probe);
  for (uint32_t i = 0; i < 4; i++) {
    p->line[i] = ripstop_shared(machine, RIPSTOP_LINE_BYTES);
    ripstop_place(machine, p->line[i], RIPSTOP_LINE_BYTES, i % ripstop_processors(machine));
  }
  *state = p;
  return 0;
}
static bool probe_check(const ripstop_machine *machine, const void *state, double *error) {
  (void)machine, (void)state;
  *error = 0;
  return true;
}
static const ripstop_option no_options[] = {{0}};
#define PROBE(function)                                                                                             \
  {                                                                                                                 \
    .abi = RIPSTOP_KERNEL_ABI, .name = "probe", .options = no_options, .prepare = probe_prepare, .run = (function), \
    .check = probe_check                                                                                            \
  }

static double time_of(void (*run)(ripstop_processor *, const void *), const char *machine_options, uint64_t latency) {
  ripstop_kernel kernel = PROBE(run);
  ideal_net n = {.latency = latency};
  outcome out = run_kernel(&kernel, "", 2, machine_options, &n);
  expect_right(out);
  return out.time;
}

static void load_local(ripstop_processor *w, const void *state) {
  if (ripstop_self(w) == 0) ripstop_load_word(w, ((const probe *)state)->line[0]);
}
static void load_remote(ripstop_processor *w, const void *state) {
  if (ripstop_self(w) == 0) ripstop_load_word(w, ((const probe *)state)->line[1]);
}
static void load_twice(ripstop_processor *w, const void *state) {
  load_remote(w, state);
  if (ripstop_self(w) == 0) ripstop_load_word(w, ((const probe *)state)->line[1] + 4);
}
static void compute(ripstop_processor *w, const void *state) {
  (void)state;
  ripstop_flops(w, 100 * (ripstop_self(w) + 1));
  ripstop_ops(w, 10);
}
static void store_remote_twice(ripstop_processor *w, const void *state) {
  if (ripstop_self(w)) return;
  ripstop_store_word(w, ((const probe *)state)->line[1], 1);
  ripstop_store_word(w, ((const probe *)state)->line[3], 1);
}

static void times_are_sums(void **state) {
  (void)state;
  const char *machine = "l1=1,l2=12,memory=84,clock=1200,router=800";
  assert_true(time_of(load_local, machine, 30) == 12 + 84);
  /* 12 cycles to find out; ceil(12 * 2/3) = 8 network cycles after the start a command leaves, 30 + 3 later it is
   * there; 84 cycles are 56 of the network; data take 30 + 19 */
  assert_true(time_of(load_remote, machine, 30) == (8 + 33 + 56 + 49) * 1.5);
  assert_true(time_of(load_twice, machine, 30) == (8 + 33 + 56 + 49) * 1.5 + 1);
  assert_true(time_of(compute, "flop=2,op=3", 30) == 200 * 2 + 10 * 3);
  /* with the same clock for both: a cycle is a cycle */
  assert_true(time_of(load_remote, "l2=12,memory=84,clock=800,router=800", 30) == 12 + 33 + 84 + 49);
  assert_true(time_of(load_remote, "l2=12,memory=84,clock=700,router=300", 0) * 3 ==
              7 * (ceil(12 * 3 / 7.) + 3 + ceil((ceil(12 * 3 / 7.) + 3 + 84 * 3 / 7.)) - ceil(12 * 3 / 7.) - 3 + 19));
}

/* Both read a line; then the first stores to it. */
static void read_then_write(ripstop_processor *w, const void *state) {
  load_twice(w, state);
  if (ripstop_self(w)) ripstop_load_word(w, ((const probe *)state)->line[1]);
  ripstop_ops(w, 10000);
  if (ripstop_self(w) == 0) ripstop_store_word(w, ((const probe *)state)->line[1], 1);
}

static void accesses_are_counted(void **state) {
  (void)state;
  ripstop_kernel kernel = PROBE(read_then_write);
  ideal_net n = {.latency = 5};
  outcome out = run_kernel(&kernel, "", 2, "", &n);
  expect_right(out);
  assert_int_equal(out.loads, 3);
  assert_int_equal(out.stored, 1);
  assert_int_equal(out.misses, 2);
  assert_int_equal(out.l1_misses, 2); /* the upgrade's line is there */
  assert_int_equal(out.upgrades, 1);
  assert_int_equal(out.evictions, 0);
  /* the line's home is processor 1: of what processor 0 reads the request, the data and the unblocking, of what it
   * stores the request, the grant, the acknowledgement and the unblocking */
  assert_int_equal(out.packets, 3 + 4);
}

/* The home has the line in its own cache, changed. */
static void load_from_owner(ripstop_processor *w, const void *state) {
  if (ripstop_self(w)) ripstop_store_word(w, ((const probe *)state)->line[1], 1);
  ripstop_ops(w, 1000);
  load_remote(w, state);
}

static void machines_take_their_time(void **state) {
  (void)state;
  /* request, forward, the owner's second level, data */
  assert_true(time_of(load_from_owner, "l2=12,memory=84,directory=20,clock=800", 30) == 1000 + 12 + 33 + 20 + 12 + 49);
  /* the second store's request comes a cycle after the first's, and waits for the home */
  assert_true(time_of(store_remote_twice, "occupancy=0,clock=800", 30) == 1 + 12 + 33 + 84 + 49);
  assert_true(time_of(store_remote_twice, "occupancy=50,clock=800", 30) == 12 + 33 + 50 + 84 + 49);
  ripstop_kernel kernel = PROBE(load_remote);
  ideal_net n = {.latency = 30, .lost_first = 2};
  outcome out = run_kernel(&kernel, "", 2, "retry=300", &n);
  expect_right(out);
  assert_int_equal(out.retries, 2);
  assert_true(out.time == (8 + 2 * (33 + 200) + 33 + 56 + 49) * 1.5);
  assert_true(out.waited == out.time);
}

static cache_line *place_line(cache *c, uint64_t number) {
  cache_line *line = cache_victim(c, number);
  assert_true(line && line->co.state == CO_I);
  line->number = number;
  line->co.state = CO_S;
  assert_false(cache_touch(c, line));
  return line;
}

/* Eight sets of two lines in the first level, sixteen in the second. */
static void the_line_used_longest_ago_goes(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_program_config config = config_of(arena, "l1_size=1,l1_ways=2,l2_size=2,l2_ways=2");
  cache c = {.clock = 0};
  cache_open(&c, arena, &config);
  cache_line *a = place_line(&c, 0), *b = place_line(&c, 16);
  assert_true(cache_touch(&c, a));
  assert_ptr_equal(cache_victim(&c, 32), b);
  place_line(&c, 8); /* it evicts b: the same set in the first level only */
  assert_true(cache_touch(&c, a));
  assert_false(cache_touch(&c, b));
  assert_ptr_equal(cache_victim(&c, 32), a);
  a->co.state = CO_SM;
  assert_ptr_equal(cache_victim(&c, 32), b);
  b->co.state = CO_IS;
  assert_null(cache_victim(&c, 32));
  assert_ptr_equal(cache_find(&c, 16), b);
  cache_drop(&c, b);
  assert_null(cache_find(&c, 16));
  assert_ptr_equal(place_line(&c, 32), b);
  ripstop_arena_free(arena);
}

static void a_store_buffer_overlaps_misses(void **state) {
  (void)state;
  double one = time_of(load_remote, "stores=0", 100);
  double blocking = time_of(store_remote_twice, "stores=0", 100),
         buffered = time_of(store_remote_twice, "stores=2", 100);
  assert_true(blocking >= 2 * one);
  assert_true(buffered < 1.2 * one);
}

/* ------------------------------------------------------------------ directories */

/* Line 1 is processor 0's, who has changed it; line 3 is shared. */
static void own_and_share(ripstop_processor *w, const void *state) {
  if (ripstop_self(w) == 0) ripstop_store_word(w, ((const probe *)state)->line[1], 1);
  ripstop_load_word(w, ((const probe *)state)->line[3]);
}

static void directories_that_are_wrong_are_found(void **state) {
  (void)state;
  ripstop_kernel kernel = PROBE(own_and_share);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_program_config config = config_of(arena, "");
  ripstop_error err;
  ripstop_machine m;
  assert_int_equal(machine_open(&m, &config, 2, &kernel, NULL, 1, &err), 0);
  ideal_net n = {.latency = 5};
  ideal_run(&n, &m, 1);
  const probe *p = m.state;
  co_home *owned = &m.home[p->line[1] / RIPSTOP_LINE_BYTES].co, *shared = &m.home[p->line[3] / RIPSTOP_LINE_BYTES].co;
  cache *c = &m.processor[0].cache;
  uint8_t *byte = cache_bytes(c, cache_find(c, p->line[3] / RIPSTOP_LINE_BYTES));
  assert_true(machine_agrees(&m));
  assert_true(owned->owned && owned->owner == 0 && shared->sharers == 3);
  owned->owner = 1;
  assert_false(machine_agrees(&m));
  owned->sharers = 1; /* and the copy of processor 0 looks like any shared one */
  memcpy(m.memory + p->line[1], cache_bytes(c, cache_find(c, p->line[1] / RIPSTOP_LINE_BYTES)), RIPSTOP_LINE_BYTES);
  assert_false(machine_agrees(&m));
  owned->owner = 0, owned->owned = false;
  assert_false(machine_agrees(&m));
  owned->owned = true, shared->sharers = 2;
  assert_false(machine_agrees(&m));
  shared->sharers = 3, shared->awaits_copy = true;
  assert_false(machine_agrees(&m));
  shared->awaits_copy = false, *byte ^= 1;
  assert_false(machine_agrees(&m));
  *byte ^= 1;
  assert_true(machine_agrees(&m));
  m.home[0].co.awaits_copy = true; /* the first line of all, which is unused */
  assert_false(machine_agrees(&m));
  m.home[0].co.awaits_copy = false;
  assert_true(machine_agrees(&m));
  machine_close(&m);
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ synchronisation */

enum { ROUNDS = 20 };

/* Each in turn adds to one word; a barrier after each. Without barriers additions would be lost. */
static void take_turns(ripstop_processor *w, const void *state) {
  uint64_t word = ((const probe *)state)->line[0];
  for (uint32_t round = 0; round < ROUNDS; round++)
    for (uint32_t turn = 0; turn < ripstop_processor_count(w); turn++) {
      if (turn == ripstop_self(w)) ripstop_store_word(w, word, ripstop_load_word(w, word) + turn + 1);
      ripstop_barrier(w);
    }
}
static bool turns_check(const ripstop_machine *machine, const void *state, double *error) {
  uint32_t value, n = ripstop_processors(machine);
  ripstop_peek(machine, ((const probe *)state)->line[0], &value, sizeof value);
  *error = 0;
  return value == ROUNDS * n * (n + 1) / 2;
}

static void barriers_keep_turns(void **state) {
  (void)state;
  ripstop_kernel kernel = PROBE(take_turns);
  kernel.check = turns_check;
  for (uint32_t processors = 1; processors <= 23; processors += 2) {
    ideal_net n = {.latency = 5, .jitter = 50};
    expect_right(run_kernel(&kernel, "", processors, "", &n));
  }
}

/* Both store to a word of a line that both have, and wait for the other's: one loses its copy while its store waits,
 * and gets the line back with the word that it waits for. */
static void talk_in_one_line(ripstop_processor *w, const void *state) {
  uint64_t line = ((const probe *)state)->line[0], own = line + 4 * ripstop_self(w),
           other = line + 4 * !ripstop_self(w);
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    ripstop_load_word(w, line);
    ripstop_barrier(w);
    ripstop_store_word(w, own, round);
    ripstop_await(w, other, round);
    ripstop_barrier(w);
  }
}
static bool talk_check(const ripstop_machine *machine, const void *state, double *error) {
  uint32_t word[16];
  ripstop_peek(machine, ((const probe *)state)->line[0], word, sizeof word);
  *error = 0;
  return word[0] == ROUNDS && word[1] == ROUNDS;
}

static void load_and_end(ripstop_processor *w, const void *state) {
  const uint64_t line = ((const probe *)state)->line[0];
  if (ripstop_self(w) == 1) {
    ripstop_load_word(w, line);
    return;
  }
  ripstop_ops(w, 5000);
  ripstop_store_word(w, line, 1);
}

/* Its copy is invalidated long after it has ended: no call wakes it, and the program ends after the store. */
static void a_processor_that_has_ended_stays_so(void **state) {
  (void)state;
  const double time = time_of(load_and_end, "", 20);
  assert_true(time > 5000 && time < 6000);
}

static void words_of_one_line_are_awaited(void **state) {
  (void)state;
  ripstop_kernel kernel = PROBE(talk_in_one_line);
  kernel.check = talk_check;
  for (uint64_t jitter = 0; jitter < 40; jitter++) {
    const char *machine = jitter % 2 ? "memory=0,directory=0,l2=0,occupancy=0,l1=60,slack=1000" : "";
    ideal_net n = {.latency = 1 + jitter % 3, .jitter = jitter};
    expect_right(run_kernel(&kernel, "", 2, machine, &n));
  }
}

static void wait_in_vain(ripstop_processor *w, const void *state) {
  if (ripstop_self(w)) ripstop_await(w, ((const probe *)state)->line[0], 1);
}

static void waiting_in_vain_is_found(void **state) {
  (void)state;
  ripstop_kernel kernel = PROBE(wait_in_vain);
  ideal_net n = {.latency = 5};
  outcome out = run_kernel(&kernel, "", 2, "", &n);
  assert_true(out.stuck && !out.done);
  kernel.run = load_remote;
  n = (ideal_net){.latency = 5};
  out = run_kernel(&kernel, "", 2, "", &n);
  assert_true(out.done && !out.stuck);
}

/* A bounded slack changes times a little and results never. */
static void slack_matters_little(void **state) {
  (void)state;
  for (size_t i = 0; ripstop_kernels[i]; i++) {
    ideal_net a = {.latency = 20}, b = {.latency = 20};
    outcome exact = run_kernel(ripstop_kernels[i], ripstop_kernels[i]->small, 16, "slack=0", &a);
    outcome fast = run_kernel(ripstop_kernels[i], ripstop_kernels[i]->small, 16, "", &b);
    print_message("%s: %.0f cycles exactly, %.0f with slack\n", ripstop_kernels[i]->name, exact.time, fast.time);
    assert_true(fast.time > 0.97 * exact.time && fast.time < 1.03 * exact.time);
  }
}

static void sizes_that_do_not_fit_are_refused(void **state) {
  (void)state;
  const struct {
    const char *kernel, *options;
    uint32_t processors;
    const char *says;
  } cases[] = {{"fft", "points=1000", 4, "power of 4"},    {"fft", "points=16", 8, "cannot be divided"},
               {"radix", "keys=4096", 3, "power of 2"},    {"radix", "radix=100", 4, "power of 2"},
               {"radix", "keys=100", 4, "multiple of 64"}, {"lu", "size=100,block=16", 4, "multiple of block 16"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_error err;
    ripstop_machine m;
    ripstop_program_config config = config_of(arena, "");
    const ripstop_kernel *kernel = kernel_named(cases[i].kernel);
    void *own = ripstop_arena_array(arena, 1, kernel->config_size);
    assert_int_equal(ripstop_options_parse(arena, "test", kernel->options, own, cases[i].options, &err), 0);
    assert_int_equal(machine_open(&m, &config, cases[i].processors, kernel, own, 1, &err), -1);
    if (!strstr(err.text, cases[i].says)) fail_msg("%s", err.text);
    ripstop_arena_free(arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(times_are_sums),
                                     cmocka_unit_test(machines_take_their_time),
                                     cmocka_unit_test(the_line_used_longest_ago_goes),
                                     cmocka_unit_test(directories_that_are_wrong_are_found),
                                     cmocka_unit_test(accesses_are_counted),
                                     cmocka_unit_test(a_store_buffer_overlaps_misses),
                                     cmocka_unit_test(barriers_keep_turns),
                                     cmocka_unit_test(words_of_one_line_are_awaited),
                                     cmocka_unit_test(a_processor_that_has_ended_stays_so),
                                     cmocka_unit_test(waiting_in_vain_is_found),
                                     cmocka_unit_test(kernels_are_right),
                                     cmocka_unit_test(kernels_are_right_when_messages_overtake),
                                     cmocka_unit_test(kernels_are_right_with_tiny_caches),
                                     cmocka_unit_test(kernels_are_right_with_lost_packets),
                                     cmocka_unit_test(kernels_are_right_without_a_store_buffer),
                                     cmocka_unit_test(checks_find_a_wrong_result),
                                     cmocka_unit_test(slack_matters_little),
                                     cmocka_unit_test(sizes_that_do_not_fit_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
