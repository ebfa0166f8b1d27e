/* test_faults_processes.c - the processes by which parts fail: what holds of each by existing, the times of those that
 * are drawn against their closed forms, groups against a second construction, files with their mistakes.
 *
 * Statistics: each bound is 5 standard deviations of the statistic, which by the normal law a right process exceeds
 * with probability 6e-7; there are 20 such bounds, so a right one would fail here for one seed in 80,000. Seeds are
 * fixed, so it fails always or never.
 *
 * Slow: many samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "joined.h"
#include "ripstop/kit/experiment.h"
#include "ripstop/plugin/process.h"

typedef struct bench {
  ripstop_fabric *fabric;
  ripstop_names *names;
  ripstop_arena *arena;
} bench;

static bench bench_open(const char *spec) {
  ripstop_error err = {0};
  bench b = {.fabric = ripstop_fabric_open(spec, &err), .arena = ripstop_arena_new()};
  if (!b.fabric) fail_msg("%s", err.text);
  b.names = ripstop_names_new(b.fabric);
  return b;
}

static void bench_close(bench *b) {
  ripstop_names_free(b->names);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

static ripstop_rule rule_of(const bench *b, const char *spec) {
  ripstop_error err = {0};
  ripstop_rule rule;
  if (ripstop_rule_open(b->arena, b->names, spec, NULL, &rule, &err)) fail_msg("%s: %s", spec, err.text);
  return rule;
}

static ripstop_schedule drawn(const bench *b, const ripstop_faults *faults, const char *spec, uint64_t seed,
                              uint64_t sample) {
  ripstop_error err = {0};
  ripstop_rule rule = rule_of(b, spec);
  ripstop_schedule schedule;
  if (ripstop_rule_sample(b->arena, b->fabric, faults, &rule, seed, sample, &schedule, &err))
    fail_msg("%s: %s", spec, err.text);
  return schedule;
}

static char *words_of(const bench *b, const ripstop_schedule *schedule) {
  ripstop_text text = {0};
  ripstop_schedule_print(&text, b->fabric, schedule);
  char *words = ripstop_arena_text(b->arena, text.data ? text.data : "");
  ripstop_text_free(&text);
  return words;
}

/* ------------------------------------------------------------------ all of them */

/* Every event changes the state of a part, from the initial faults on; the printed schedule reads back the same. */
static void assert_sound(const bench *b, const ripstop_faults *faults, const ripstop_schedule *s) {
  ripstop_error err = {0};
  ripstop_schedule again;
  ripstop_view *view = ripstop_view_new(b->fabric, faults);
  for (size_t i = 0; i < s->count; i++) {
    uint32_t epoch = view->epoch;
    assert_true(i == 0 || s->change[i - 1].cycle <= s->change[i].cycle);
    ripstop_view_apply(view, &s->change[i]);
    assert_int_equal(view->epoch, epoch + 1);
  }
  ripstop_view_free(view);
  assert_int_equal(ripstop_schedule_check(s, b->fabric, faults, &err), 0);
  const char *words = words_of(b, s);
  if (ripstop_schedule_parse(b->arena, b->names, words, strlen(words), &again, &err)) fail_msg("%s", err.text);
  assert_string_equal(words, words_of(b, &again));
}

static void every_process_is_sound_and_reproducible(void **state) {
  (void)state;
  static const char *const fabrics[] = {"torus:4x4", "kary-ntree:k=3,n=3", "mport-ntree:m=4,n=2", "kns:k=4,n=2"};
  for (size_t f = 0; f < sizeof fabrics / sizeof *fabrics; f++)
    for (const ripstop_process *const *p = ripstop_processes; *p; p++) {
      if (!(*p)->example) continue;
      bench b = bench_open(fabrics[f]);
      const char *spec = ripstop_arena_printf(b.arena, "%s:%s", (*p)->name, (*p)->example);
      uint32_t dead[] = {b.fabric->link_ends + 1};
      ripstop_faults faults = {.links = 1, .link = dead};
      size_t different = 0, changes = 0;
      for (uint64_t sample = 0; sample < 10; sample++) {
        ripstop_schedule one = drawn(&b, NULL, spec, 3, sample), same = drawn(&b, NULL, spec, 3, sample);
        ripstop_schedule other = drawn(&b, NULL, spec, 4, sample), with = drawn(&b, &faults, spec, 3, sample);
        assert_sound(&b, NULL, &one);
        assert_sound(&b, &faults, &with);
        assert_string_equal(words_of(&b, &one), words_of(&b, &same));
        different += strcmp(words_of(&b, &one), words_of(&b, &other)) != 0;
        changes += one.count;
      }
      if (!different || !changes) fail_msg("%s on %s draws always the same", spec, fabrics[f]);
      ripstop_rule rule = rule_of(&b, spec), canonical = rule_of(&b, rule.spec);
      assert_string_equal(rule.spec, canonical.spec);
      bench_close(&b);
    }
}

static bool in_words(const char *words, const ripstop_schedule *few, size_t i, const bench *b) {
  ripstop_schedule one = {.count = 1, .change = &few->change[i]};
  return strstr(words, words_of(b, &one)) != NULL;
}

/* A part fails at the same times however many others do. */
static void few_are_the_first_of_many(void **state) {
  (void)state;
  static const char *const rules[] = {"flap:%u,up=500,down=50,until=9000",
                                      "weibull:%u,shape=0.8,scale=700,repair=90,until=9000",
                                      "groups:%u,of=cable,size=2,repair=70,every=5"};
  bench b = bench_open("torus:8x8");
  for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
    char few[100], many[100];
    snprintf(few, sizeof few, rules[r], 2u);
    snprintf(many, sizeof many, rules[r], 5u);
    ripstop_schedule two = drawn(&b, NULL, few, 1, 6), five = drawn(&b, NULL, many, 1, 6);
    assert_true(two.count > 0 && two.count < five.count);
    for (size_t i = 0; i < two.count; i++) assert_true(in_words(words_of(&b, &five), &two, i, &b));
  }
  bench_close(&b);
}

/* With all of them down at once the rest holds together, unless cut=on. */
static void nothing_is_cut(void **state) {
  (void)state;
  static const char *const rules[] = {"flap:9,up=20,down=5,until=900",
                                      "flap:5,up=20,down=5,until=900,scope=switches",
                                      "weibull:9,shape=2,scale=30,until=900",
                                      "groups:3,of=cable,size=2",
                                      "groups:2,of=rack,size=2",
                                      "groups:1,of=power,size=2",
                                      "groups:3,of=card,size=2"};
  static const char *const fabrics[] = {"torus:4x4", "kary-ntree:k=4,n=3"};
  for (size_t f = 0; f < 2; f++) {
    bench b = bench_open(fabrics[f]);
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
      for (uint64_t sample = 0; sample < 30; sample++) {
        ripstop_schedule s = drawn(&b, NULL, rules[r], 11, sample);
        uint8_t *failed_link = calloc(b.fabric->links, 1), *failed_node = calloc(b.fabric->nodes, 1);
        for (size_t i = 0; i < s.count; i++) (s.change[i].is_switch ? failed_node : failed_link)[s.change[i].id] = 1;
        assert_joined(b.fabric, failed_link, failed_node);
        free(failed_link);
        free(failed_node);
      }
    bench_close(&b);
  }
  bench b = bench_open("torus:5"); /* a ring: any two links cut it */
  ripstop_error err;
  ripstop_schedule s;
  ripstop_rule two = rule_of(&b, "flap:2,up=20,down=5,until=900");
  assert_int_equal(ripstop_rule_sample(b.arena, b.fabric, NULL, &two, 1, 0, &s, &err), -1);
  assert_string_equal(err.text, "2 links cannot fail in torus:5 without cutting it");
  assert_true(drawn(&b, NULL, "flap:5,up=20,down=5,until=900,cut=on", 1, 0).count > 10);
  bench_close(&b);
}

/* ------------------------------------------------------------------ times */

typedef struct moments {
  double count, sum, squares;
} moments;

static void add(moments *m, double value) { m->count++, m->sum += value, m->squares += value * value; }
static double mean_of(const moments *m) { return m->sum / m->count; }
static double variance_of(const moments *m) { return m->squares / m->count - mean_of(m) * mean_of(m); }

static void assert_within(const char *what, double found, double right, double deviation) {
  if (!(fabs(found - right) <= 5 * deviation))
    fail_msg("%s: %.6g where %.6g is right, %.1f standard deviations off", what, found, right,
             (found - right) / deviation);
}

/* The lengths of up and down times of one part, whole ones only. */
static void add_times(const ripstop_schedule *s, const ripstop_fabric *f, double start, moments *up, moments *down) {
  double *since = calloc(f->links, sizeof *since);
  for (uint32_t link = 0; link < f->links; link++) since[link] = start;
  for (size_t i = 0; i < s->count; i++) {
    const ripstop_change *c = &s->change[i];
    add(c->up ? down : up, (double)c->cycle - since[c->id]);
    since[c->id] = (double)c->cycle;
  }
  free(since);
}

/* Up and down times are exponential. About 128 x 8000 of each; one in 2000 ends in the cycle in which it began and is
 * not seen, which moves means by 1/2000 at most, a third of a bound. The end of the time favours short ones: of an up
 * time of 9000 in 80,000,000 by 1/8000. */
static void flapping_has_its_means(void **state) {
  (void)state;
  bench b = bench_open("torus:8x8");
  moments up = {0}, down = {0};
  const double mean_up = 9000, mean_down = 1000;
  ripstop_schedule s = drawn(&b, NULL, "flap:128,up=9000,down=1000,from=500,until=80000000,cut=on", 5, 1);
  add_times(&s, b.fabric, 500, &up, &down);
  assert_true(up.count > 128 * 7500 && down.count > 128 * 7500);
  assert_within("mean up", mean_of(&up), mean_up, mean_up / sqrt(up.count));
  assert_within("mean down", mean_of(&down), mean_down, mean_down / sqrt(down.count));
  assert_within("variance up", variance_of(&up), mean_up * mean_up, mean_up * mean_up * sqrt(8 / up.count));
  assert_within("variance down", variance_of(&down), mean_down * mean_down,
                mean_down * mean_down * sqrt(8 / down.count));
  /* failures of a part in 80,000,000 cycles: a renewal process, mean t / (u + d), variance t (u^2 + d^2) / (u + d)^3 */
  double t = 8e7 - 500, cycle = mean_up + mean_down,
         spread = sqrt(t * (mean_up * mean_up + mean_down * mean_down) / pow(cycle, 3));
  assert_within("failures", up.count / 128, t / cycle, spread / sqrt(128));
  bench_close(&b);
}

/* 200 samples of 128 life times each, against scale Gamma(1 + 1/k) and its variance; of the fourth moment comes the
 * deviation of the variance. A life time is counted in whole cycles, so half a cycle is added. */
static void weibull_has_its_moments(void **state) {
  (void)state;
  static const double shapes[] = {0.7, 1, 2, 3.5};
  const double scale = 100000;
  bench b = bench_open("torus:8x8");
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    moments life = {0}, down = {0};
    const char *spec =
        ripstop_arena_printf(b.arena, "weibull:128,shape=%g,scale=100000,from=77,until=1000000000,cut=on", shapes[k]);
    for (uint64_t sample = 0; sample < 200; sample++) {
      ripstop_schedule s = drawn(&b, NULL, spec, 9, sample);
      assert_int_equal(s.count, 128);
      add_times(&s, b.fabric, 77, &life, &down);
    }
    double g[5]; /* raw moments of the unit scale */
    for (int i = 1; i <= 4; i++) g[i] = tgamma(1 + i / shapes[k]);
    double variance = g[2] - g[1] * g[1];
    double fourth = g[4] - 4 * g[3] * g[1] + 6 * g[2] * g[1] * g[1] - 3 * pow(g[1], 4);
    assert_within("mean life", mean_of(&life) + 0.5, scale * g[1], scale * sqrt(variance / life.count));
    assert_within("variance of life", variance_of(&life), scale * scale * variance,
                  scale * scale * sqrt((fourth - variance * variance) / life.count));
    double outlive = 0; /* P(life > scale) = 1/e */
    for (uint64_t sample = 0; sample < 200; sample++) {
      ripstop_schedule s = drawn(&b, NULL, spec, 9, sample);
      for (size_t i = 0; i < s.count; i++) outlive += (double)s.change[i].cycle - 77 >= scale;
    }
    double e = exp(-1);
    assert_within("share that outlives the scale", outlive / life.count, e, sqrt(e * (1 - e) / life.count));
  }
  bench_close(&b);
}

/* A part is as good as new after each repair, which takes exactly the given time. */
static void weibull_repairs(void **state) {
  (void)state;
  bench b = bench_open("torus:8x8");
  moments life = {0}, down = {0};
  ripstop_schedule s = drawn(&b, NULL, "weibull:128,shape=2,scale=3000,repair=400,until=9000000,cut=on", 2, 0);
  add_times(&s, b.fabric, 0, &life, &down);
  assert_true(down.count > 100000);
  assert_true(mean_of(&down) == 400 && variance_of(&down) == 0);
  double right = 3000 * tgamma(1.5), deviation = 3000 * sqrt(tgamma(2) - tgamma(1.5) * tgamma(1.5));
  assert_within("mean life", mean_of(&life), right, deviation / sqrt(life.count));
  bench_close(&b);
}

/* ------------------------------------------------------------------ groups */

/* Rows of a torus are its rings of dimension 0; racks of 3 in rows of 8 have 3, 3 and 2. */
static uint32_t rack_of(const ripstop_fabric *f, uint32_t node) {
  uint32_t router = node - f->ends;
  return router / 8 * 3 + router % 8 / 3;
}

static bool fails_with(const ripstop_fabric *f, const char *of, uint32_t one, uint32_t other) {
  if (!strcmp(of, "rack")) return rack_of(f, one) == rack_of(f, other);
  if (!strcmp(of, "power")) return rack_of(f, one) / 2 == rack_of(f, other) / 2;
  uint32_t a = rack_of(f, ripstop_link_node(f, one, 0)), b = rack_of(f, ripstop_link_node(f, one, 1));
  uint32_t c = rack_of(f, ripstop_link_node(f, other, 0)), d = rack_of(f, ripstop_link_node(f, other, 1));
  return a != b && ((a == c && b == d) || (a == d && b == c));
}

/* All parts of a group fail with its first part. Over many samples every part fails. */
static void groups_are_the_fabrics_own(void **state) {
  (void)state;
  static const char *const words[] = {"rack", "power", "cable"};
  bench b = bench_open("torus:6x8");
  const ripstop_fabric *f = b.fabric;
  for (size_t w = 0; w < 3; w++) {
    bool links = w == 2;
    uint32_t first = links ? f->link_ends : f->ends, last = links ? f->links : f->nodes, never = 0;
    uint8_t *seen = calloc(last, 1);
    const char *spec = ripstop_arena_printf(b.arena, "groups:1,of=%s,size=3,cut=on,from=5,repair=20", words[w]);
    for (uint64_t sample = 0; sample < 400; sample++) {
      ripstop_schedule s = drawn(&b, NULL, spec, 8, sample);
      uint32_t one = s.change[0].id, count = 0;
      for (uint32_t part = first; part < last; part++) count += fails_with(f, words[w], one, part);
      assert_int_equal(s.count, 2 * count);
      for (size_t i = 0; i < s.count; i++) {
        assert_true(s.change[i].is_switch == !links && s.change[i].up == (i >= count));
        assert_int_equal(s.change[i].cycle, i < count ? 5 : 25);
        assert_true(fails_with(f, words[w], one, s.change[i].id));
        seen[s.change[i].id] = 1;
      }
    }
    for (uint32_t part = first; part < last; part++)
      never += !seen[part] && (!links || fails_with(f, "cable", part, part));
    assert_int_equal(never, 0);
    free(seen);
  }
  bench_close(&b);
}

/* Ports 0 and 1 of a router are those of dimension 0, ports 2 and 3 of dimension 1, port 4 leads to the end node. */
static void cards_have_neighbouring_ports(void **state) {
  (void)state;
  bench b = bench_open("torus:4x4");
  for (uint64_t sample = 0; sample < 50; sample++) {
    ripstop_schedule s = drawn(&b, NULL, "groups:1,of=card,size=2,cut=on", 1, sample);
    assert_int_equal(s.count, 2);
    uint32_t shared = 0, dimension[2];
    for (int i = 0; i < 2; i++) {
      uint32_t port = b.fabric->link_port[2 * s.change[i].id];
      dimension[i] = (port - b.fabric->port_base[b.fabric->port_node[port]]) / 2;
      for (unsigned side = 0; side < 2; side++)
        for (unsigned other = 0; other < 2 && i == 0; other++)
          shared +=
              ripstop_link_node(b.fabric, s.change[0].id, side) == ripstop_link_node(b.fabric, s.change[1].id, other);
    }
    assert_int_equal(dimension[0], dimension[1]);
    assert_true(shared >= 1);
  }
  bench_close(&b);
}

/* ------------------------------------------------------------------ files */

static const char *path_of(const bench *b, const char *name, const char *text) {
  const char *path = ripstop_arena_printf(b->arena, "/tmp/ripstop-processes-%d-%s", (int)getpid(), name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  return path;
}

static void assert_draws(const bench *b, const char *file, const char *text, const char *rule, const char *right) {
  const char *path = path_of(b, file, text);
  ripstop_schedule s = drawn(b, NULL, ripstop_arena_printf(b->arena, rule, path), 1, 0);
  assert_string_equal(words_of(b, &s), right);
  unlink(path);
}

static void traces_are_followed(void **state) {
  (void)state;
  bench b = bench_open("torus:3x3");
  assert_draws(&b, "trace", "# days\n0.0/1 1.5 2.25\n\nswitch:2.2 0.5 -   # permanently\nend:0.1 2\n",
               "trace:%s,unit=100,from=7", "switch:2.2@57 0.0/1@157 end:0.1@207 0.0/1+@232");
  /* overlapping and touching failures of one part are one; what is over in its cycle has not been */
  assert_draws(&b, "trace", "0.0/1 5 9\n0.0/1 1 6\n0.0/1 9 12\n0.0/1 20 20\n0.0/1 30.2 30.9\n0.0/1 40.9 41\n",
               "trace:%s", "0.0/1@1 0.0/1+@12 0.0/1@40 0.0/1+@41");
  assert_draws(&b, "trace", "0.0/1 1 3000000000\n0.1/1 2000000001 2000000002\n", "trace:%s", "0.0/1@1");
  assert_draws(&b, "trace", "", "trace:%s", "");
  /* Slow while it is nothing worse. */
  assert_draws(&b, "trace", "0.0/1~0.25 1 9\n0.0/1 3 5\n0.0/1~0.5 7 12\n0.1/1~0.5 2\n0.1/1~0.25 4 6\n", "trace:%s",
               "0.0/1~0.25@1 0.1/1~0.5@2 0.0/1@3 0.1/1~0.25@4 0.0/1~0.25@5 0.1/1~0.5@6 0.0/1~0.5@9 0.0/1+@12");
  bench_close(&b);
}

/* The links that are slow are those that would fail. */
static void what_is_sampled_can_be_slow(void **state) {
  (void)state;
  bench b = bench_open("torus:4x4");
  ripstop_schedule dead = drawn(&b, NULL, "random:3,from=9,every=5", 1, 2);
  ripstop_schedule slow = drawn(&b, NULL, "random:3,from=9,every=5,rate=0.25", 1, 2);
  assert_int_equal(slow.count, 3);
  for (size_t i = 0; i < slow.count; i++) {
    const ripstop_change *change = &slow.change[i];
    assert_true(change->up && change->rate == RIPSTOP_RATE_FULL / 4 && change->cycle == 9 + 5 * i);
    assert_true(change->id == dead.change[i].id && !dead.change[i].up);
  }
  assert_int_equal(ripstop_schedule_check(&slow, b.fabric, NULL, &(ripstop_error){0}), 0);
  bench_close(&b);
}

static void files_of_groups_are_followed(void **state) {
  (void)state;
  bench b = bench_open("torus:3x3");
  static const char one[] = "# feeds\nfeed: 0.0/1 switch:1.2 0.0/0\n\n";
  assert_draws(&b, "groups", one, "groups:1,file=%s,from=4,repair=3,cut=on",
               "0.0/0@4 0.0/1@4 switch:1.2@4 0.0/0+@7 0.0/1+@7 switch:1.2+@7");
  /* a part that two groups share is up again when both are */
  assert_draws(&b, "groups", "a: 0.0/1 0.0/0\nb: 0.0/0 1.1/1", "groups:2,file=%s,from=10,every=5,repair=8",
               "0.0/0@10 0.0/1@10 1.1/1@15 0.0/1+@18 0.0/0+@23 1.1/1+@23");
  bench_close(&b);
}

static void mistakes_have_file_and_line(void **state) {
  (void)state;
  static const struct {
    const char *rule, *text, *message;
  } cases[] = {
      {"trace:%s", "0.0/1 1 2\n0.0/7 1 2\n", ":2: no link '0.0/7' in torus:3x3; did you mean '0.0/0'?"},
      {"trace:%s", "0.0/1\n", ":1: a line is PART FAILED REPAIRED; this one has 1 word"},
      {"trace:%s", "0.0/1 1 2 3 4\n", ":1: a line is PART FAILED REPAIRED; this one has 5 words"},
      {"trace:%s", "\n0.0/1 x 2\n", ":2: 'x' is not a number"},
      {"trace:%s", "0.0/1 -1 2\n", ":1: the time -1 is before 0"},
      {"trace:%s", "0.0/1 5 2\n", ":1: '0.0/1' is repaired before it fails"},
      {"trace:%s", "switch:0.1~0.5 1 2\n", ":1: 'switch:0.1~0.5': only links can be slow"},
      {"trace:%s", "0.0/1 nan 2\n", ":1: 'nan' is not a number"},
      {"trace:%s,hash=0000000000000000", "", ": the content has the hash 2d06800538d394c2, not 0000000000000000"},
      {"groups:1,file=%s", "x 0.0/1\n", ":1: 'x': a line begins with the name of a group and a ':'"},
      {"groups:1,file=%s", "# feeds\nx:\n", ":2: the group 'x' is empty"},
      {"groups:1,file=%s", "x: 0.0/0~0.5\n", ":1: the group 'x' has a slow link: groups fail"},
      {"groups:1,file=%s", "x: 0.0/1 swich:1.1\n", ":1: no link 'swich:1.1' in torus:3x3; did you mean 'switch:1.1'?"},
      {"groups:1,file=%s", "x: 0.0/1 0.0/1\n", ":1: '0.0/1' is named twice"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b = bench_open("torus:3x3");
    ripstop_error err = {0};
    ripstop_rule rule;
    const char *path = path_of(&b, "mistake", cases[i].text);
    int status =
        ripstop_rule_open(b.arena, b.names, ripstop_arena_printf(b.arena, cases[i].rule, path), NULL, &rule, &err);
    assert_int_equal(status, -1);
    if (strncmp(err.text, path, strlen(path)) || strcmp(err.text + strlen(path), cases[i].message))
      fail_msg("'%s' where '%s%s' is right", err.text, path, cases[i].message);
    unlink(path);
    bench_close(&b);
  }
}

static void mistakes_name_the_nearest_word(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"flop:1", "process 'flop' is unknown; did you mean 'flap'?"},
      {"x:1", "process 'x' is unknown; known: flap, groups, random, trace, weibull"},
      {"flap:1,up=3,don=4,until=9", "process flap: unknown option 'don'; did you mean 'down'?"},
      {"flap:1,up=3,down=4", "process flap: option 'until' must be given"},
      {"weibull:1,shape=0,scale=4,until=9", "process weibull: option 'shape': 0 is out of range (0.1 to 100)"},
      {"groups:1,of=rak", "process groups: option 'of': unknown word 'rak'; did you mean 'rack'?"},
      {"groups:1,hash=00", "process groups: hash needs a file"},
      {"trace:no-such-file", "no-such-file: No such file or directory"},
  };
  bench b = bench_open("torus:3x3");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err = {0};
    ripstop_rule rule;
    assert_int_equal(ripstop_rule_open(b.arena, b.names, cases[i][0], NULL, &rule, &err), -1);
    assert_string_equal(err.text, cases[i][1]);
  }
  ripstop_error err = {0};
  ripstop_schedule s;
  ripstop_rule many = rule_of(&b, "groups:40,of=rack,size=3"),
               floods = rule_of(&b, "flap:18,up=1,down=1,until=1000000,cut=on"),
               short_ones = rule_of(&b, "weibull:1,shape=1,scale=1,repair=0.000001,until=1000000000,cut=on");
  assert_int_equal(ripstop_rule_sample(b.arena, b.fabric, NULL, &many, 1, 0, &s, &err), -1);
  assert_string_equal(err.text, "40 groups cannot fail in torus:3x3: there are only 3");
  assert_int_equal(ripstop_rule_sample(b.arena, b.fabric, NULL, &floods, 1, 0, &s, &err), -1);
  assert_string_equal(err.text, "process flap: more than 4194304 failures");
  assert_int_equal(ripstop_rule_sample(b.arena, b.fabric, NULL, &short_ones, 1, 0, &s, &err), -1);
  assert_string_equal(err.text, "process weibull: more than 4194304 failures");
  bench_close(&b);
}

/* ------------------------------------------------------------------ in an experiment */

/* A file stands beside the experiment and names its runs by what is in it, not by where it is. */
static void experiments_name_rules_by_content(void **state) {
  (void)state;
  bench b = bench_open("torus:3x3");
  char folder[] = "/tmp/ripstop-rules-XXXXXX";
  assert_non_null(mkdtemp(folder));
  const char *path = ripstop_arena_printf(b.arena, "%s/some.trace", folder);
  FILE *file = fopen(path, "w");
  fputs("0.0/1 1 2\n", file);
  fclose(file);
  static const char text[] =
      "fabric: torus:3x3\nmethod: immunet\ntraffic: {load: 0.1}\nmeasure: {warmup: 0, cycles: 300}\n"
      "faults: {schedule: [\"trace:some.trace,unit=50\", \"flap:2,up=60,down=9,until=250\"]}\n";
  ripstop_error err = {0};
  ripstop_spec *spec =
      ripstop_spec_read_memory(ripstop_arena_printf(b.arena, "%s/x.yaml", folder), text, strlen(text), NULL, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  if (!runs) fail_msg("%s", err.text);
  assert_int_equal(runs->count, 2);
  assert_string_equal(ripstop_run_key(&runs->run[0], "faults.schedule"),
                      "trace:some.trace,unit=50,from=0,hash=0af8036f1573b01b");
  assert_string_equal(ripstop_run_key(&runs->run[1], "faults.schedule"),
                      "flap:2,up=60,down=9,from=0,until=250,scope=switch-links,cut=off");
  ripstop_outcome outcome;
  assert_int_equal(ripstop_run_execute(&runs->run[0], NULL, &outcome), 0);
  assert_string_equal(outcome.faults, "0.0/1@50 0.0/1+@100");
  ripstop_outcome_free(&outcome);
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
  unlink(path);
  rmdir(folder);
  bench_close(&b);
}

/* ------------------------------------------------------------------ the page */

static void processes_are_documented(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err;
  char *page;
  size_t length;
  if (ripstop_read_file(arena, RIPSTOP_SOURCE_DIR "/docs/faults.md", 1 << 20, &page, &length, &err))
    fail_msg("%s", err.text);
  for (const ripstop_process *const *p = ripstop_processes; *p; p++) {
    const char *at = strstr(page, ripstop_arena_printf(arena, "\n### `%s`\n", (*p)->name));
    if (!at) fail_msg("docs/faults.md has no section for the process %s", (*p)->name);
    for (const ripstop_option *o = (*p)->options; o->name; o++) {
      const char *fallback = !o->fallback ? "must be given" : *o->fallback ? o->fallback : "none";
      const char *row = ripstop_arena_printf(arena, "\n| `%s` | %s | ", o->name, fallback);
      if (!strstr(at, row)) fail_msg("not in docs/faults.md, or out of order: %s of %s", row + 1, (*p)->name);
      at = strstr(at, row);
    }
  }
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_process_is_sound_and_reproducible),
      cmocka_unit_test(few_are_the_first_of_many),
      cmocka_unit_test(nothing_is_cut),
      cmocka_unit_test(flapping_has_its_means),
      cmocka_unit_test(weibull_has_its_moments),
      cmocka_unit_test(weibull_repairs),
      cmocka_unit_test(groups_are_the_fabrics_own),
      cmocka_unit_test(cards_have_neighbouring_ports),
      cmocka_unit_test(traces_are_followed),
      cmocka_unit_test(what_is_sampled_can_be_slow),
      cmocka_unit_test(files_of_groups_are_followed),
      cmocka_unit_test(mistakes_have_file_and_line),
      cmocka_unit_test(mistakes_name_the_nearest_word),
      cmocka_unit_test(experiments_name_rules_by_content),
      cmocka_unit_test(processes_are_documented),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
