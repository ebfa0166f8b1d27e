/* test_experiment_presets.c - presets of the switch: the method's own, one that the file names, or a list; which keys
 * go before them, which runs have them, and what they are called. */
#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

#include "check.h"
#include "experiment/presets.h"
#include "opened.h"
#include "ripstop/kit/experiment.h"
#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/method.h"
#include "run_texts.h"

static const char *const modern[] = {
    "switch.queues", "voq", "switch.speedup", "2", "switch.in_queue", "16", "switch.out_queue", "8", "switch.match",
    "maximal",       NULL};
static const char *const plain[] = {
    "switch.queues", "input", "switch.speedup", "1", "switch.in_queue", "4", "switch.out_queue", "0", "switch.match",
    "maximal",       NULL};

static ripstop_runs *open_switch(const char *methods, const char *keys) {
  char text[600];
  snprintf(text, sizeof text, "fabric: torus:4x4\nmethod: [%s]\ntraffic: {load: 0.1}\n%s%s%s", methods,
           *keys ? "switch: {" : "", keys, *keys ? "}\n" : "");
  return open_variant(text, NULL);
}

static void assert_key(const ripstop_run *run, const char *key, const char *value) {
  const char *own = ripstop_run_key(run, key);
  if (strcmp(own, value) != 0) fail_msg("%s: %s = %s, not %s", run->method, key, own, value);
}

static void assert_keys(const ripstop_run *run, const char *const *keys) {
  for (; *keys; keys += 2) assert_key(run, keys[0], keys[1]);
}

/* Keys and settings agree, and the name has the keys that are no defaults. */
static void a_run_has_the_preset_of_its_method(void **state) {
  (void)state;
  ripstop_runs *e = open_switch("minimal, dor, valiant, \"mend:adaptive\"", "");
  assert_int_equal(e->count, 4);
  for (size_t i = 0; i < 4; i++) {
    const bool is_modern = i % 2 == 0;
    const ripstop_switch_config *s = &settings_of(&e->run[i])->simulation.switch_;
    assert_keys(&e->run[i], is_modern ? modern : plain);
    assert_key(&e->run[i], "switch.preset", is_modern ? "modern" : "plain");
    assert_string_equal(ripstop_run_key_written(&e->run[i], "switch.preset"), "method");
    assert_string_equal(s->queues, is_modern ? "voq" : "input");
    assert_true(s->speedup == (is_modern ? 2 : 1));
    assert_int_equal(s->in_queue, is_modern ? 16 : 4);
    assert_int_equal(s->out_queue, is_modern ? 8 : 0);
    assert_null(strstr(canonical_of(&e->run[i]), "preset"));
    assert_int_equal(strstr(canonical_of(&e->run[i]), "switch.queues=voq\n") != NULL, is_modern);
    assert_int_equal(strstr(canonical_of(&e->run[i]), "switch.queues") != NULL, is_modern);
  }
  close_runs(e);
}

static void what_is_given_goes_before_it(void **state) {
  (void)state;
  ripstop_runs *e = open_switch("minimal, dor", "in_queue: [5, 6], speedup: 1");
  assert_int_equal(e->count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_key(&e->run[i], "switch.in_queue", i % 2 ? "6" : "5");
    assert_key(&e->run[i], "switch.speedup", "1");
    assert_key(&e->run[i], "switch.out_queue", i < 2 ? "8" : "0");
    assert_int_equal(settings_of(&e->run[i])->simulation.switch_.in_queue, i % 2 ? 6 : 5);
  }
  close_runs(e);
}

/* The command line is as the file; a default that is given is given. */
static void so_does_the_command_line(void **state) {
  (void)state;
  static const char *const set[] = {"switch.preset=modern", "switch.in_queue=4"};
  ripstop_runs *e = open_variant("fabric: torus:4x4\nmethod: dor\ntraffic: {load: 0.1}\nswitch: {out_queue: 3}\n",
                                 &(ripstop_variant){.sets = 2, .set = set});
  assert_key(&e->run[0], "switch.in_queue", "4");
  assert_key(&e->run[0], "switch.out_queue", "3");
  assert_key(&e->run[0], "switch.queues", "voq");
  close_runs(e);
}

static void a_preset_in_words_makes_no_other_run(void **state) {
  (void)state;
  ripstop_runs *by_method = open_switch("minimal, dor", ""), *by_name = open_switch("minimal, dor", "preset: modern"),
               *by_keys = open_switch("dor", "queues: voq, speedup: 2, in_queue: 16, out_queue: 8"),
               *plain_runs = open_switch("minimal, dor", "preset: plain");
  assert_string_equal(by_method->run[0].id, by_name->run[0].id);
  assert_string_equal(by_name->run[1].id, by_keys->run[0].id);
  assert_string_equal(by_method->run[1].id, plain_runs->run[1].id);
  assert_string_not_equal(by_method->run[0].id, plain_runs->run[0].id);
  assert_keys(&plain_runs->run[0], plain);
  close_runs(by_method), close_runs(by_name), close_runs(by_keys), close_runs(plain_runs);
}

static void presets_can_be_a_list(void **state) {
  (void)state;
  ripstop_runs *e = open_switch("minimal, dor", "preset: [plain, modern], in_queue: 7");
  assert_int_equal(e->count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_key(&e->run[i], "switch.preset", i % 2 ? "modern" : "plain");
    assert_key(&e->run[i], "switch.speedup", i % 2 ? "2" : "1");
    assert_key(&e->run[i], "switch.in_queue", "7");
    for (size_t j = 0; j < i; j++) assert_string_not_equal(e->run[i].id, e->run[j].id);
  }
  close_runs(e);
}

static void booksim_has_eight_channels(void **state) {
  (void)state;
  ripstop_runs *e = open_switch("dor", "preset: booksim");
  const ripstop_switch_config *s = &settings_of(&e->run[0])->simulation.switch_;
  assert_key(&e->run[0], "switch.vcs", "8/channels");
  assert_key(&e->run[0], "switch.in_queue", "8");
  assert_int_equal(s->unit, RIPSTOP_UNIT_FLITS);
  assert_true(s->vcs == RIPSTOP_UNLIMITED && s->out_queue == RIPSTOP_UNLIMITED && s->speedup == 2 && s->whole);
  close_runs(e);
}

static void assert_refused(const char *methods, const char *keys, const char *why) {
  char text[600];
  ripstop_error err = {0};
  snprintf(text, sizeof text, "fabric: torus:4x4\nmethod: [%s]\ntraffic: {load: 0.1}\nswitch: {%s}\n", methods, keys);
  ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", text, strlen(text), NULL, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  if (runs || !strstr(err.text, why)) fail_msg("%s: %s, not %s", keys, runs ? "accepted" : err.text, why);
  ripstop_spec_free(spec);
}

static void two_names_of_one_run_are_refused(void **state) {
  (void)state;
  assert_refused("minimal", "preset: [method, modern]",
                 "switch.preset: 'modern' is listed twice: 'method' has the same value for minimal");
  assert_refused("dor", "preset: [plain, modern], queues: voq, speedup: 2, in_queue: 16, out_queue: 8, match: maximal",
                 "x.yaml:4: switch.preset: 'plain' and 'modern' have the same values of all keys for dor");
  assert_refused("dor", "preset: modem", "did you mean 'modern'?");
}

/* Sizes in flits are not those of packets. A speedup still has output queues of 8 packets. */
static void sizes_in_packets_are_not_flits(void **state) {
  (void)state;
  ripstop_runs *e = open_switch("minimal", "unit: [flits, packets], in_queue: 64");
  assert_key(&e->run[0], "switch.out_queue", "0");
  assert_key(&e->run[1], "switch.out_queue", "8");
  assert_key(&e->run[0], "switch.speedup", "2");
  close_runs(e);
  e = open_switch("minimal", "in_queue: 4KiB");
  assert_key(&e->run[0], "switch.unit", "flits");
  assert_key(&e->run[0], "switch.in_queue", "64");
  assert_key(&e->run[0], "switch.out_queue", "0");
  close_runs(e);
}

/* A switch without a crossbar cannot have its speedup: then all runs of the file are plain, and say so. */
static void organisations_without_a_crossbar_are_plain(void **state) {
  (void)state;
  static const char *const queues[] = {"queues: output", "queues: [output, voq]"};
  for (size_t i = 0; i < 2; i++) {
    ripstop_runs *e = open_switch("minimal, dor", queues[i]);
    ripstop_text note = {0};
    for (size_t run = 0; run < e->count; run++) {
      const bool is_minimal = !strncmp(e->run[run].method, "minimal", 7);
      bool said = false;
      assert_key(&e->run[run], "switch.preset", "plain");
      assert_key(&e->run[run], "switch.in_queue", "4");
      for (uint32_t n = 0; ripstop_run_warning(&e->run[run], n, &note); n++)
        said |= !strcmp(note.data, "switch.queues = output has no crossbar, so the preset of minimal (modern) does not "
                                   "go with it: the other keys of the switch are those of switch.preset = plain");
      assert_int_equal(said, is_minimal);
    }
    ripstop_text_free(&note);
    close_runs(e);
  }
}

static void reports_show_the_keys(void **state) {
  (void)state;
  ripstop_runs *e = open_switch("minimal, dor, valiant", "in_queue: 9");
  ripstop_text used = {0};
  assert_true(ripstop_spec_own(e->spec, "switch.preset", &used));
  assert_string_equal(used.data,
                      "modern (minimal, valiant; queues=voq match=maximal speedup=2 out_queue=8), plain (dor)");
  close_runs(e);
  e = open_switch("dor", "");
  assert_false(ripstop_spec_own(e->spec, "switch.preset", &used));
  assert_string_equal(used.data, "plain (dor)");
  ripstop_text_free(&used);
  close_runs(e);
}

/* Every method's preset exists, and every value of every preset is as runs' names have it. */
static void presets_are_canonical(void **state) {
  (void)state;
  for (size_t i = 0; ripstop_methods[i]; i++)
    assert_non_null(preset_about(ripstop_method_preset(ripstop_methods[i], ripstop_methods[i]->name)));
  ripstop_runs *e = open_switch("dor", "preset: [plain, modern]");
  ripstop_arena *arena = ripstop_arena_new();
  for (size_t i = 0; i < e->count; i++)
    for (const ripstop_option *o = ripstop_switch_options; o->name; o++) {
      char key[64];
      snprintf(key, sizeof key, "switch.%s", o->name);
      const char *value = preset_value(arena, ripstop_run_key(&e->run[i], "switch.preset"), o->name);
      if (value) assert_key(&e->run[i], key, value);
    }
  ripstop_arena_free(arena);
  close_runs(e);
}

/* A default must not turn a run that worked into an error: each value of each key beside it. */
static void a_default_refuses_nothing(void **state) {
  (void)state;
  static const char *const keys[] = {"in_queue: 1",
                                     "in_queue: 65535",
                                     "out_queue: 1",
                                     "out_queue: 65535",
                                     "unit: flits, in_queue: 16",
                                     "unit: flits, in_queue: 100, out_queue: 40",
                                     "flow: xonxoff, in_queue: 12",
                                     "flow: xonxoff, unit: flits, in_queue: 200",
                                     "flow: xonxoff, xoff: 2, xon: 3, in_queue: 4, link: 2",
                                     "pipeline: 3000, in_queue: 400",
                                     "link: 1000000, in_queue: 4",
                                     "credit: 3000",
                                     "selection: rotate",
                                     "selection: flowlet",
                                     "selection: ecmp",
                                     "selection: deal",
                                     "selection: \"weighted:counts=port\"",
                                     "selection: \"weighted:counts=port,binds=on\"",
                                     "escape: exhausted",
                                     "arbiter: transit-first",
                                     "crossbar: queues",
                                     "slow_queue: 0",
                                     "match: \"islip:rounds=2\"",
                                     "match: pim",
                                     "speedup: 1",
                                     "speedup: 1.25",
                                     "queues: input",
                                     "queues: voq",
                                     "queues: \"voq:lines=1\"",
                                     "queues: output",
                                     "queues: output, in_queue: unlimited",
                                     "forward: store",
                                     "vcs: 4",
                                     "vcs: 2, vc: hash",
                                     "buffers: port, in_queue: 40",
                                     "buffers: port, vcs: 2, unit: flits, in_queue: 400",
                                     "queues: shared",
                                     "queues: shared, lossless: off, buffer: 4000",
                                     "out_queue: unlimited"};
  static const struct {
    const char *fabric, *methods;
  } places[] = {
      {"torus:4x4", "adaptive-updown, minimal, valiant, ugal, shortest-table, mend, \"mend:adaptive\", opensm-minhop, "
                    "opensm-dfsssp, "
                    "opensm-lash"},
      {"dragonfly:a=2,p=1,h=1", "dragonfly-minimal, dragonfly-par, dragonfly-valiant, dragonfly-ugal, ugal-global"},
      {"hyperx:3x3", "hyperx-dal, surepath"},
      {"kary-ntree:k=2,n=2", "bgp, dmodc, opensm-ftree, opensm-updn"}};
  for (size_t p = 0; p < sizeof places / sizeof *places; p++)
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
      char text[600];
      for (int named = 1; named >= 0; named--) {
        ripstop_error err = {0};
        snprintf(text, sizeof text,
                 "fabric: \"%s\"\nmethod: [%s]\ntraffic: {load: 0.1}\nmeasure: {warmup: 100, cycles: 100}\n"
                 "switch: {%s%s}\n",
                 places[p].fabric, places[p].methods, named ? "preset: plain, " : "", keys[i]);
        ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", text, strlen(text), NULL, &err);
        ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
        const bool accepted = runs != NULL;
        ripstop_runs_free(runs);
        ripstop_spec_free(spec);
        if (accepted) continue;
        if (named) break; /* plain refuses it too */
        fail_msg("%s, %s: %s", places[p].fabric, keys[i], err.text);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_has_the_preset_of_its_method),
                                     cmocka_unit_test(what_is_given_goes_before_it),
                                     cmocka_unit_test(so_does_the_command_line),
                                     cmocka_unit_test(a_preset_in_words_makes_no_other_run),
                                     cmocka_unit_test(presets_can_be_a_list),
                                     cmocka_unit_test(booksim_has_eight_channels),
                                     cmocka_unit_test(two_names_of_one_run_are_refused),
                                     cmocka_unit_test(sizes_in_packets_are_not_flits),
                                     cmocka_unit_test(organisations_without_a_crossbar_are_plain),
                                     cmocka_unit_test(reports_show_the_keys),
                                     cmocka_unit_test(presets_are_canonical),
                                     cmocka_unit_test(a_default_refuses_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
