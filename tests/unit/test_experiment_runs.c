/* test_experiment_runs.c - from lists to runs: how many, with which keys, under which names; and the same by hand. */
#define XXH_INLINE_ALL
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/sources.h"
#include "check.h"
#include "opened.h"
#include "ripstop/kit/experiment.h"
#include "ripstop/kit/report.h"
#include "run_texts.h"

static ripstop_runs *open_text(const char *text, bool quick) {
  return open_variant(text, &(ripstop_variant){.quick = quick});
}

static const ripstop_run *find(const ripstop_runs *runs, const char *method, const char *load, const char *count,
                               const char *sample) {
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    if (!strncmp(ripstop_run_key(run, "method"), method, strlen(method)) &&
        !strcmp(ripstop_run_key(run, "traffic.load"), load) && !strcmp(ripstop_run_key(run, "faults.count"), count) &&
        !strcmp(ripstop_run_key(run, "faults.sample"), sample))
      return run;
  }
  return NULL;
}

static const char grid[] = "fabric: kary-ntree:n=2,k=2\n"
                           "method: [updown, misroute]\n"
                           "faults: {count: [0, 1, 2], samples: 3}\n"
                           "traffic: {load: [0.1, 0.20]}\n"
                           "seed: 7\n"
                           "quick: {faults.count: [0, 2], faults.samples: 2, traffic.load: 0.1, measure.cycles: 500}\n";

static void lists_are_multiplied(void **state) {
  (void)state;
  ripstop_runs *e = open_text(grid, false);
  assert_int_equal(e->count, 2 * 3 * 3 * 2);
  for (size_t i = 0; i < e->count; i++)
    for (size_t j = 0; j < i; j++) assert_string_not_equal(e->run[i].id, e->run[j].id);
  for (size_t i = 1; i < e->count; i++) assert_true(e->run[i - 1].sample <= e->run[i].sample);
  assert_non_null(find(e, "misroute", "0.2", "2", "2"));
  assert_null(find(e, "misroute", "0.20", "2", "2"));
  close_runs(e);
}

static void quick_replaces_lists(void **state) {
  (void)state;
  ripstop_runs *e = open_text(grid, true);
  assert_int_equal(e->count, 2 * 2 * 2 * 1);
  for (size_t i = 0; i < e->count; i++) {
    assert_int_equal(settings_of(&e->run[i])->simulation.measure.cycles, 500);
    assert_string_equal(ripstop_run_key(&e->run[i], "measure.cycles"), "500");
  }
  close_runs(e);
}

/* The same runs, with the same names, as those of a file that has the values itself. */
static void same_runs(ripstop_runs *a, ripstop_runs *b) {
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < a->count; i++) assert_string_equal(canonical_of(&a->run[i]), canonical_of(&b->run[i]));
  close_runs(a);
  close_runs(b);
}

static void what_is_set_replaces_lists(void **state) {
  (void)state;
  const char *set[] = {"faults.count=[0, 3]", "faults.samples=4", "traffic.load=0.3", "seed=[8, 9]", "method=updown"};
  const char *file = "fabric: kary-ntree:n=2,k=2\nmethod: updown\nfaults: {count: [0, 3], samples: 4}\n"
                     "traffic: {load: 0.3}\nseed: [8, 9]\n";
  same_runs(open_variant(grid, &(ripstop_variant){.sets = 5, .set = set}), open_text(file, false));
}

/* After `quick:`, which stays where nothing is set. */
static void what_is_set_goes_before_quick(void **state) {
  (void)state;
  const char *set[] = {"faults.count=3", "faults.samples=1"};
  const char *file = "fabric: kary-ntree:n=2,k=2\nmethod: [updown, misroute]\nfaults: {count: 3}\n"
                     "traffic: {load: 0.1}\nseed: 7\nmeasure: {cycles: 500}\n";
  same_runs(open_variant(grid, &(ripstop_variant){.quick = true, .sets = 2, .set = set}), open_text(file, false));
}

static void an_offset_moves_all_seeds(void **state) {
  (void)state;
  static const char seeds[] = "fabric: torus:2x2\nmethod: dor\ntraffic: {load: 0.1}\nseed: [1, 2, 3]\n"
                              "quick: {seed: 2}\nfigures: [{id: a, x: traffic.load, y: accepted, where: {seed: 2}}]\n";
  static const char moved[] = "fabric: torus:2x2\nmethod: dor\ntraffic: {load: 0.1}\nseed: [1001, 1002, 1003]\n"
                              "quick: {seed: 1002}\n";
  same_runs(open_variant(seeds, &(ripstop_variant){.seed_offset = 1000}), open_text(moved, false));
  same_runs(open_variant(seeds, &(ripstop_variant){.seed_offset = 1000, .quick = true}), open_text(moved, true));
  ripstop_runs *e = open_variant(seeds, &(ripstop_variant){.seed_offset = 1000});
  const ripstop_setting *where = e->spec->figure[0].filter[0].setting[0];
  assert_string_equal(where->written, "2");
  assert_true(ripstop_runs_is(e, where, "1002"));
  close_runs(e);
}

static void hash_text(const ripstop_text *text, char id[RIPSTOP_RUN_ID]) {
  XXH128_hash_t hash = XXH3_128bits(text->data, text->length);
  snprintf(id, RIPSTOP_RUN_ID, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

/* The line of the source, for a run without programs and schedules. */
static void add_source(ripstop_text *text, const ripstop_run *run) {
  static const char *const kind[] = {"family", "method", "pattern", "arbiter", "selection"};
  static const char *const key[] = {"fabric", "method", "traffic.pattern", "switch.arbiter", "switch.selection"};
  char id[RIPSTOP_RUN_ID];
  ripstop_text sources = {0};
  for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
    ripstop_text_add(&sources, "%s %s\n", kind[i], ripstop_source_hash(kind[i], ripstop_run_key(run, key[i])));
  hash_text(&sources, id);
  ripstop_text_add(text, "source=%.16s\n", id);
  ripstop_text_free(&sources);
}

/* True for an option that was added when results were already stored; all runs of the grid leave it at its default. */
static bool is_late(const char *name) {
  static const char *const late[] = {"measure.affected",   "faults.keep",     "measure.spread",    "measure.links",
                                     "switch.crossbar",    "switch.escape",   "switch.slow_queue", "traffic.transport",
                                     "traffic.window",     "traffic.timeout", "traffic.backoff",   "traffic.tries",
                                     "traffic.ack",        "traffic.acks",    "switch.queues",     "switch.preset",
                                     "switch.speedup",     "measure.reorder", "switch.match",      "switch.forward",
                                     "switch.flit_errors", "switch.vcs",      "switch.vc",         "switch.buffers",
                                     "switch.buffer",      "switch.alpha",    "switch.lossless",   "switch.headroom",
                                     "switch.trim",        "switch.whole",    "measure.messages"};
  bool found = !strncmp(name, "measure.precision.", 18) || !strncmp(name, "reaction.", 9);
  for (size_t i = 0; i < sizeof late / sizeof *late; i++) found |= !strcmp(name, late[i]);
  return found;
}

/* The name is the hash of the sorted keys and the source among them, made here once more. */
static void names_are_hashes_of_the_keys(void **state) {
  (void)state;
  ripstop_runs *e = open_text(grid, false);
  for (size_t i = 0; i < e->count; i++) {
    const ripstop_run *run = &e->run[i];
    ripstop_text text = {0};
    for (size_t k = 0; k < ripstop_run_keys(run); k++) {
      ripstop_key key = ripstop_run_key_at(run, k);
      if (!is_late(key.name)) ripstop_text_add(&text, "%s=%s\n", key.name, key.value);
      if (!strcmp(key.name, "seed")) add_source(&text, run);
      if (k) assert_true(strcmp(ripstop_run_key_at(run, k - 1).name, key.name) < 0);
    }
    assert_string_equal(text.data, canonical_of(run));
    char id[RIPSTOP_RUN_ID];
    hash_text(&text, id);
    assert_string_equal(id, run->id);
    ripstop_text_free(&text);
  }
  close_runs(e);
}

/* The name that a run had before its source was a part of it. */
static void name_without_source(const ripstop_run *run, char id[RIPSTOP_RUN_ID]) {
  const char *canonical = canonical_of(run), *source = strstr(canonical, "source="), *rest = strchr(source, '\n') + 1;
  ripstop_text text = {0};
  ripstop_text_add(&text, "%.*s%s", (int)(source - canonical), canonical, rest);
  hash_text(&text, id);
  ripstop_text_free(&text);
}

/* Runs that were stored before an option was known keep their names. */
static void later_options_rename_nothing(void **state) {
  (void)state;
  static const char *const text = "fabric: kary-ntree:k=2,n=2\nmethod: misroute\ntraffic: {load: 0.3}\nseed: 7\n"
                                  "measure: {warmup: 100, cycles: 500%s}\n";
  char plain[300], asked[300];
  snprintf(plain, sizeof plain, text, "");
  snprintf(asked, sizeof asked, text, ", affected: [off, on]");
  ripstop_runs *a = open_text(plain, false), *b = open_text(asked, false);
  char id[RIPSTOP_RUN_ID];
  name_without_source(&a->run[0], id);
  assert_string_equal(id, "464abf43bcd6bdfc16ff5c2955720275");
  assert_string_equal(ripstop_run_key(&a->run[0], "measure.affected"), "off");
  assert_int_equal(b->count, 2);
  assert_string_equal(b->run[0].id, a->run[0].id);
  assert_string_not_equal(b->run[1].id, a->run[0].id);
  assert_non_null(strstr(canonical_of(&b->run[1]), "measure.affected=on\n"));
  close_runs(a);
  close_runs(b);
}

/* A run's text has the selection function in use, so that a row of another default is never taken for it. */
static void runs_are_named_by_the_selection_in_use(void **state) {
  (void)state;
  static const char *const text = "fabric: torus:4x4\nmethod: [ugal, minimal]\ntraffic: {load: 0.3}\n%s"
                                  "figures: [{id: a, x: traffic.load, y: accepted, by: method%s}]\n";
  char plain[300], asked[300];
  snprintf(plain, sizeof plain, text, "", "");
  snprintf(asked, sizeof asked, text, "switch: {selection: [method, random]}\n", ", where: {switch.selection: method}");
  ripstop_runs *a = open_text(plain, false), *b = open_text(asked, false);
  assert_string_equal(ripstop_run_key(&a->run[0], "switch.selection"), "weighted:counts=port,binds=on");
  assert_string_equal(ripstop_run_key(&a->run[1], "switch.selection"), "space");
  assert_string_equal(ripstop_run_key_written(&a->run[0], "switch.selection"), "method");
  assert_non_null(strstr(canonical_of(&a->run[0]), "switch.selection=weighted:counts=port,binds=on\n"));
  assert_non_null(strstr(canonical_of(&a->run[1]), "switch.selection=space\n"));
  assert_int_equal(b->count, 4);
  size_t shown = 0;
  for (size_t i = 0; i < 4; i++) {
    const bool own = !strcmp(ripstop_run_key_written(&b->run[i], "switch.selection"), "method");
    assert_string_equal(ripstop_run_key(&b->run[i], "switch.selection"), !own ? "random"
                                                                         : !strncmp(b->run[i].method, "ugal", 4)
                                                                             ? "weighted:counts=port,binds=on"
                                                                             : "space");
    const ripstop_outcome outcome = {.verdict = "steady"};
    shown += ripstop_figure_shows(b, &b->spec->figure[0], &b->run[i], &outcome);
  }
  assert_int_equal(shown, 2);
  close_runs(a);
  close_runs(b);
}

static void selections_are_listed(void **state) {
  (void)state;
  ripstop_runs *a = open_text("fabric: torus:4x4\nmethod: [ugal, minimal, valiant]\ntraffic: {load: 0.3}\n", false);
  ripstop_runs *b = open_text("fabric: torus:4x4\nmethod: [minimal]\ntraffic: {load: 0.3}\n", false);
  ripstop_text used = {0}, plain = {0};
  assert_true(ripstop_spec_own(a->spec, "switch.selection", &used));
  assert_string_equal(used.data, "weighted:counts=port,binds=on (ugal), space (minimal, valiant)");
  assert_false(ripstop_spec_own(b->spec, "switch.selection", &plain));
  assert_string_equal(plain.data, "space (minimal)");
  assert_false(ripstop_spec_own(a->spec, "traffic.load", &plain));
  assert_int_equal(plain.length, 0);
  ripstop_text_free(&used), ripstop_text_free(&plain);
  close_runs(a), close_runs(b);
}

/* The rule for candidates of higher ranks is in the names of those runs whose method has another than all had before.
 */
static void methods_name_their_escapes(void **state) {
  (void)state;
  ripstop_runs *e = open_text("fabric: torus:4x4\nmethod: [immunet, dor]\ntraffic: {load: 0.3}\n", false);
  ripstop_text used = {0};
  assert_false(ripstop_spec_own(e->spec, "switch.selection", &used));
  assert_string_equal(used.data, "space (immunet, dor)");
  assert_true(ripstop_spec_own(e->spec, "switch.escape", &used));
  assert_string_equal(used.data, "exhausted (immunet), open (dor)");
  assert_string_equal(ripstop_run_key(&e->run[0], "switch.escape"), "exhausted");
  assert_string_equal(ripstop_run_key_written(&e->run[0], "switch.escape"), "method");
  assert_non_null(strstr(canonical_of(&e->run[0]), "\nswitch.escape=exhausted\n"));
  assert_string_equal(ripstop_run_key(&e->run[1], "switch.escape"), "open");
  assert_null(strstr(canonical_of(&e->run[1]), "switch.escape"));
  ripstop_text_free(&used);
  close_runs(e);
}

/* Rows of older versions have a higher default in flits, by the name 0. */
static void the_least_xoff_has_a_name(void **state) {
  (void)state;
  static const struct {
    const char *options, *line;
  } cases[] = {{"flow: xonxoff, unit: flits, in_queue: 200", "switch.xoff=least\n"},
               {"flow: xonxoff, unit: flits, in_queue: 200, xoff: 40", "switch.xoff=40\n"},
               {"flow: xonxoff, in_queue: 20", "switch.xoff=0\n"},
               {"unit: flits, in_queue: 200", "switch.xoff=0\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[300];
    snprintf(text, sizeof text, "fabric: torus:4x4\nmethod: minimal\ntraffic: {load: 0.1}\nswitch: {%s}\n",
             cases[i].options);
    ripstop_runs *e = open_text(text, false);
    assert_non_null(strstr(canonical_of(&e->run[0]), cases[i].line));
    close_runs(e);
  }
}

static void every_key_is_there_in_canonical_form(void **state) {
  (void)state;
  ripstop_runs *e = open_text(grid, false);
  const ripstop_run *run = find(e, "misroute", "0.2", "2", "1");
  const ripstop_option *const arrays[] = {ripstop_switch_options, ripstop_traffic_options, ripstop_measure_options,
                                          ripstop_reconfiguration_options};
  const char *const sections[] = {"switch", "traffic", "measure", "reaction"};
  for (int a = 0; a < 4; a++)
    for (const ripstop_option *o = arrays[a]; o->name; o++) {
      char key[100];
      snprintf(key, sizeof key, "%s.%s", sections[a], o->name);
      assert_non_null(ripstop_run_key(run, key));
    }
  assert_string_equal(ripstop_run_key(run, "fabric"), "kary-ntree:k=2,n=2");
  assert_non_null(strchr(ripstop_run_key(run, "method"), ':')); /* options spelt out */
  assert_string_equal(ripstop_run_key(run, "switch.in_queue"), "4");
  assert_string_equal(ripstop_run_key(run, "seed"), "7");
  assert_string_equal(ripstop_run_key(run, "kind"), "simulate");
  assert_null(ripstop_run_key(run, "switch.out"));
  assert_int_equal(settings_of(run)->simulation.switch_.in_queue, 4);
  assert_true(settings_of(run)->simulation.traffic.load == 0.2);
  close_runs(e);
}

static void the_same_run_has_the_same_name_everywhere(void **state) {
  (void)state;
  ripstop_runs *a = open_text("fabric: kary-ntree:n=2,k=2\nmethod: updown\ntraffic: {load: [0.1, 0.3]}\n", false);
  ripstop_runs *b = open_text("# other words\ntitle: x\nmethod: [misroute, updown]\nseed: 1\nswitch: {in_queue: 4}\n"
                              "traffic: {load: 0.30, packet: 16}\nfabric: \"kary-ntree:k=2,n=2\"\n",
                              false);
  assert_string_equal(find(a, "updown", "0.3", "0", "0")->id, find(b, "updown", "0.3", "0", "0")->id);
  close_runs(a);
  close_runs(b);
}

/* Methods and loads are compared on the same broken fabrics under the same traffic; samples never share either. */
static void samples_are_paired(void **state) {
  (void)state;
  ripstop_runs *e = open_text(grid, false);
  const ripstop_run *a = find(e, "updown", "0.1", "2", "1"), *b = find(e, "misroute", "0.2", "2", "1");
  const ripstop_run *other = find(e, "updown", "0.1", "2", "2"), *fewer = find(e, "updown", "0.1", "1", "1");
  assert_int_equal(settings_of(a)->simulation.seed, settings_of(b)->simulation.seed);
  assert_int_equal(settings_of(a)->simulation.seed, settings_of(fewer)->simulation.seed);
  assert_true(settings_of(a)->simulation.seed != settings_of(other)->simulation.seed);
  assert_int_equal(settings_of(find(e, "updown", "0.1", "2", "0"))->simulation.seed, 7);
  close_runs(e);
}

static void listed_sets_become_runs(void **state) {
  (void)state;
  ripstop_runs *e = open_text("fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.1}\n"
                              "faults: {set: [\"\", 0/1/3 0/0/2, switch:1/0], schedule: \"0/0/3+@90 0/0/3@20\"}\n",
                              false);
  const char *const count[] = {"0", "2", "1"}, *const set[] = {"", "0/0/2 0/1/3", "switch:1/0"};
  assert_int_equal(e->count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(ripstop_run_key(&e->run[i], "faults.count"), count[i]);
    assert_string_equal(ripstop_run_key(&e->run[i], "faults.set"), set[i]);
    assert_string_equal(ripstop_run_key(&e->run[i], "faults.schedule"), "0/0/3@20 0/0/3+@90");
    assert_int_equal(e->run[i].schedule->count, 2);
  }
  close_runs(e);
}

/* A setting means what it came to on the fabrics; the spec stays as it was read, so it can be expanded again. */
static void settings_keep_their_meaning(void **state) {
  (void)state;
  ripstop_runs *e = open_text("fabric: [\"torus:size=4x4\", \"torus:3x3\"]\nmethod: dor\ntraffic: {load: 0.1}\n"
                              "faults: {set: [\"\", \"1.0/0 0.0/1\"], schedule: [\"\", \"1.1/0@70  0.0/0@20\"]}\n",
                              false);
  const ripstop_axis *fabric = ripstop_spec_axis(e->spec, "fabric"), *set = ripstop_spec_axis(e->spec, "faults.set");
  const ripstop_axis *schedule = ripstop_spec_axis(e->spec, "faults.schedule"),
                     *load = ripstop_spec_axis(e->spec, "traffic.load");
  assert_true(ripstop_runs_is(e, &fabric->setting[0], "torus:4x4"));
  assert_false(ripstop_runs_is(e, &fabric->setting[0], "torus:3x3"));
  assert_true(ripstop_runs_is(e, &set->setting[0], "") && !ripstop_runs_is(e, &set->setting[1], ""));
  assert_true(ripstop_runs_is(e, &set->setting[1], "0.0/1 1.0/0"));
  assert_true(ripstop_runs_is(e, &schedule->setting[1], "0.0/0@20 1.1/0@70"));
  assert_true(ripstop_runs_is(e, &load->setting[0], "0.1") && !ripstop_runs_is(e, &load->setting[0], "0.2"));
  ripstop_error err;
  ripstop_runs *again = ripstop_expand(e->spec, &err);
  assert_non_null(again);
  assert_int_equal(again->count, 8);
  assert_int_equal(e->count, 8);
  for (size_t i = 0; i < 8; i++) assert_string_equal(canonical_of(&again->run[i]), canonical_of(&e->run[i]));
  assert_null(set->setting[1].text);
  ripstop_runs_free(again);
  close_runs(e);
}

/* A random schedule is named by its rule. Each sample has its own, which the outcome reports. */
static void schedules_are_sampled(void **state) {
  (void)state;
  ripstop_runs *e = open_text("fabric: torus:3x3\nmethod: immunet\ntraffic: {load: 0.1}\n"
                              "measure: {warmup: 0, cycles: 300}\n"
                              "faults: {schedule: [\"\", \"random:2,every=50,from=100\"], samples: 2}\n",
                              false);
  assert_int_equal(e->count, 4);
  char *first = NULL;
  for (size_t i = 0; i < 4; i++) {
    const ripstop_run *run = &e->run[i];
    ripstop_outcome outcome;
    assert_int_equal(ripstop_run_execute(run, NULL, &outcome), 0);
    if (!run->rule) {
      assert_string_equal(outcome.faults, "");
    } else {
      assert_string_equal(ripstop_run_key(run, "faults.schedule"), "random:2,scope=switch-links,from=100,every=50");
      assert_non_null(strstr(outcome.faults, "@100 "));
      assert_non_null(strstr(outcome.faults, "@150"));
      if (first) assert_string_not_equal(first, outcome.faults);
      if (!first) first = strdup(outcome.faults);
    }
    ripstop_outcome_free(&outcome);
  }
  free(first);
  close_runs(e);
}

static void all_sets_are_enumerated(void **state) {
  (void)state;
  ripstop_runs *e = open_text("fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.1}\n"
                              "faults: {count: [0, 1, 2, 4], samples: all}\n",
                              false);
  assert_int_equal(e->count, 1 + 4 + 6 + 1); /* combinations of the four links between switches */
  close_runs(e);
}

/* The 6 sets of two links are no more than 6; with room for 5 only, 5 are drawn. */
static void few_sets_are_enumerated_and_many_sampled(void **state) {
  (void)state;
  for (size_t up_to = 5; up_to <= 6; up_to++) {
    char text[200];
    snprintf(text, sizeof text,
             "fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.1}\n"
             "faults: {count: [0, 1, 2, 4], samples: 1}\nquick: {faults.samples: all up to %zu}\n",
             up_to);
    ripstop_runs *e = open_text(text, true);
    size_t drawn = 0;
    for (size_t i = 0; i < e->count; i++) drawn += e->run[i].fault_count > 0 && !e->run[i].faults;
    assert_int_equal(e->count, up_to + 4 + up_to + 1); /* the fault-free set has its samples */
    assert_int_equal(drawn, up_to == 5 ? 5 : 0);
    close_runs(e);
  }
}

static void fault_files_stand_beside_the_experiment(void **state) {
  (void)state;
  char folder[] = "/tmp/ripstop-test-XXXXXX", path[100];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/sets.txt", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("# two sets\n0/0/2\n0/0/2 0/1/2\n", file);
  fclose(file);
  char name[100];
  snprintf(name, sizeof name, "%s/x.yaml", folder);
  static const char text[] =
      "fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.1}\nfaults: {file: sets.txt}\n";
  ripstop_error err = {0};
  ripstop_spec *spec = ripstop_spec_read_memory(name, text, strlen(text), NULL, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  assert_string_equal(err.text, "");
  assert_int_equal(runs->count, 2);
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
  remove(path);
  rmdir(folder);
}

/* A list of files: faults.count is the number of failed parts of each set, and a set listed twice is one run. */
static void fault_files_are_lists_too(void **state) {
  (void)state;
  static const struct {
    const char *name, *text;
  } files[] = {{"none.txt", "\n"}, {"one.txt", "0/0/2\n0/1/2\n"}, {"more.txt", "0/1/2\n0/1/2 0/0/2\n0/0/2 0/1/2\n\n"}};
  static const char *const counts[] = {"0", "1", "1", "2"};
  static const char text[] = "fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.1}\n"
                             "faults: {file: [none.txt, one.txt, more.txt]}\n",
                    again[] = "fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.1}\n"
                              "faults: {file: [none.txt, none.txt]}\n";
  char folder[] = "/tmp/ripstop-lists-XXXXXX", path[100], name[100];
  assert_non_null(mkdtemp(folder));
  for (size_t i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(files[i].text, file);
    fclose(file);
  }
  snprintf(name, sizeof name, "%s/x.yaml", folder);
  ripstop_error err = {0};
  ripstop_spec *spec = ripstop_spec_read_memory(name, text, strlen(text), NULL, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  assert_string_equal(err.text, "");
  assert_int_equal(runs->count, 4);
  for (size_t i = 0; i < 4; i++) assert_string_equal(ripstop_run_key(&runs->run[i], "faults.count"), counts[i]);
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
  assert_null(ripstop_spec_read_memory(name, again, strlen(again), NULL, &err));
  assert_non_null(strstr(err.text, "x.yaml:4: faults.file: 'none.txt' is in the list twice"));
  for (size_t i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
    remove(path);
  }
  rmdir(folder);
}

/* Two experiments in two folders, and one that gives the path from elsewhere, name the same runs. */
static void graphs_stand_beside_the_experiment(void **state) {
  (void)state;
  char folder[] = "/tmp/ripstop-graphs-XXXXXX", path[64], id[3][RIPSTOP_RUN_ID];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.edges", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("a b\nb c\nc a\n", file);
  fclose(file);
  const char *const written[] = {"graph:a.edges", "./a.edges", path};
  for (int i = 0; i < 3; i++) {
    char name[64], text[300];
    ripstop_error err;
    snprintf(name, sizeof name, "%s/x.yaml", folder);
    int length = snprintf(text, sizeof text, "fabric: %s\nmethod: updown\ntraffic: {load: 0.1}\n", written[i]);
    ripstop_spec *spec = ripstop_spec_read_memory(name, text, (size_t)length, NULL, &err);
    assert_non_null(spec);
    ripstop_runs *runs = ripstop_expand(spec, &err);
    if (!runs) fail_msg("%s", err.text);
    memcpy(id[i], runs->run[0].id, RIPSTOP_RUN_ID);
    assert_true(!strncmp(ripstop_run_key(&runs->run[0], "fabric"), "graph:a.edges,hash=", 19));
    ripstop_runs_free(runs);
    ripstop_spec_free(spec);
    assert_string_equal(id[i], id[0]);
  }
  remove(path);
  rmdir(folder);
}

static void outcome_words_begin_with_the_verdicts(void **state) {
  (void)state;
  size_t i = 0;
  for (; ripstop_verdict_words[i]; i++) assert_string_equal(ripstop_outcome_words[i], ripstop_verdict_words[i]);
  assert_string_equal(ripstop_outcome_words[i], "does-not-apply");
  assert_string_equal(ripstop_outcome_words[i + 1], "error");
  assert_string_equal(ripstop_outcome_words[i + 2], "proved");
  assert_string_equal(ripstop_outcome_words[i + 3], "disconnected");
  assert_null(ripstop_outcome_words[i + 4]);
}

static void add_numbers(ripstop_text *text, int count, double step) {
  for (int i = 1; i <= count; i++) ripstop_text_add(text, "%s%g", i > 1 ? ", " : "", i * step);
}

static ripstop_text long_lists(int loads, int seeds) {
  ripstop_text text = {0};
  ripstop_text_add(&text, "fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: [");
  add_numbers(&text, loads, 1e-4);
  ripstop_text_add(&text, "]}\nseed: [");
  add_numbers(&text, seeds, 1);
  ripstop_text_add(&text, "]\n");
  return text;
}

static void a_run_takes_little_memory(void **state) {
  (void)state;
  ripstop_text text = long_lists(200, 200);
  ripstop_runs *e = open_text(text.data, false);
  assert_int_equal(e->count, 40000);
  assert_true(ripstop_arena_bytes(e->arena) < 200 * e->count);
  assert_string_equal(ripstop_run_key(&e->run[39999], "traffic.load"), "0.02");
  assert_string_equal(ripstop_run_key(&e->run[39999], "seed"), "200");
  assert_int_equal(e->run[39998].seed, 199);
  close_runs(e);
  ripstop_text_free(&text);
}

/* Load i with seed 2 i, of 10 million combinations: too many to go through one by one. */
static void parts_are_not_looked_for(void **state) {
  (void)state;
  enum { TIES = 1000 };
  ripstop_text text = long_lists(TIES, 10 * TIES);
  ripstop_text_add(&text, "only:\n");
  for (int i = TIES; i >= 1; i--)
    ripstop_text_add(&text, "  - {seed: %d, traffic.load: %g}\n  - {seed: %d, traffic.load: [%g]}\n", 2 * i, i * 1e-4,
                     2 * i, i * 1e-4);
  ripstop_runs *e = open_text(text.data, false);
  assert_int_equal(e->count, TIES);
  for (size_t i = 0; i < TIES; i++) {
    assert_int_equal(e->run[i].seed, 2 * (i + 1));
    assert_true(fabs(settings_of(&e->run[i])->simulation.traffic.load - (double)(i + 1) * 1e-4) < 1e-12);
  }
  close_runs(e);
  ripstop_text_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_are_multiplied),
      cmocka_unit_test(quick_replaces_lists),
      cmocka_unit_test(what_is_set_replaces_lists),
      cmocka_unit_test(what_is_set_goes_before_quick),
      cmocka_unit_test(an_offset_moves_all_seeds),
      cmocka_unit_test(names_are_hashes_of_the_keys),
      cmocka_unit_test(later_options_rename_nothing),
      cmocka_unit_test(runs_are_named_by_the_selection_in_use),
      cmocka_unit_test(selections_are_listed),
      cmocka_unit_test(methods_name_their_escapes),
      cmocka_unit_test(the_least_xoff_has_a_name),
      cmocka_unit_test(every_key_is_there_in_canonical_form),
      cmocka_unit_test(the_same_run_has_the_same_name_everywhere),
      cmocka_unit_test(samples_are_paired),
      cmocka_unit_test(listed_sets_become_runs),
      cmocka_unit_test(settings_keep_their_meaning),
      cmocka_unit_test(schedules_are_sampled),
      cmocka_unit_test(all_sets_are_enumerated),
      cmocka_unit_test(few_sets_are_enumerated_and_many_sampled),
      cmocka_unit_test(fault_files_stand_beside_the_experiment),
      cmocka_unit_test(fault_files_are_lists_too),
      cmocka_unit_test(graphs_stand_beside_the_experiment),
      cmocka_unit_test(a_run_takes_little_memory),
      cmocka_unit_test(parts_are_not_looked_for),
      cmocka_unit_test(outcome_words_begin_with_the_verdicts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
