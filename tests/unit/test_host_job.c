/* test_host_job.c - lists of hosts; jobs on fabrics with known answers; and the rates of random rings, which are
 * max-min fair: no cable carries more than it can, and each step has a full cable on which no other step gets more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "check.h"
#include "fabric/ib.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/kit/judge.h"
#include "tables/host_job.h"

/* ------------------------------------------------------------------ lists */

static void check_list(const char *text, const char *names, const char *sets) {
  RIPSTOP_LOCAL_ARENA(arena);
  RIPSTOP_LOCAL_TEXT(is);
  RIPSTOP_LOCAL_TEXT(parts);
  ripstop_error err = {0};
  hostlist list;
  if (hostlist_read(&list, arena, text, &err)) {
    if (names || !strstr(err.text, sets)) fail_msg("'%s': %s", text, err.text);
    return;
  }
  for (uint32_t i = 0; i < list.names; i++) ripstop_text_add(&is, "%s%s", i ? " " : "", list.name[i]);
  for (uint32_t i = 0; i < list.sets; i++)
    ripstop_text_add(&parts, "%s%s=%u", i ? " " : "", list.set[i].text, list.set[i].count);
  if (!names) fail_msg("'%s' is accepted", text);
  assert_string_equal(is.data, names);
  assert_string_equal(parts.data, sets);
}

static void lists_are_expanded(void **state) {
  (void)state;
  check_list("a1", "a1", "a1=1");
  check_list("a[1-3],b[08-10,2]", "a1 a2 a3 b08 b09 b10 b2", "a[1-3]=3 b[08-10,2]=4");
  check_list("x, y ,a[1-2],z", "x y a1 a2 z", "x,y=2 a[1-2]=2 z=1");
  check_list("r[1-2]n[1-2]-ib", "r1n1-ib r1n2-ib r2n1-ib r2n2-ib", "r[1-2]n[1-2]-ib=4");
  check_list("a1\na2\nb1\n", "a1 a2 b1", "a1,a2,b1=3");
  check_list("\r\na1\r\n\r\na[2-3] b1\t,b2\r\n", "a1 a2 a3 b1 b2", "a1=1 a[2-3]=2 b1,b2=2");
  check_list("a[1, 3]", "a1 a3", "a[1, 3]=2");
  check_list("", NULL, "without a name");
  check_list("\r\n", NULL, "without a name");
  check_list("a, ,b", NULL, "without a name");
  check_list("a,\n", NULL, "without a name");
  check_list("a,,b", NULL, "without a name");
  check_list("a[1-", NULL, "nothing closes");
  check_list("a[2-1]", NULL, "no range");
  check_list("a[x]", NULL, "no number");
  check_list("a[]", NULL, "no number");
  check_list("a[1-2],a1", NULL, "listed twice");
  check_list("a[1-200000]", NULL, "no range");
  check_list("[1-9][1-9][1-9][1-9][1-9]", NULL, "more than 4 brackets");
  check_list("a[1-90000],b[1-90000]", NULL, "more than 100000 hosts");
}

/* One host on each line; each byte is copied a few times only: 100,000 names once took 50 GB. */
static void long_lists_are_expanded(void **state) {
  (void)state;
  RIPSTOP_LOCAL_ARENA(arena);
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_error err = {0};
  hostlist list;
  for (uint32_t i = 0; i < HOSTLIST_HOSTS_MAX; i++) ripstop_text_add(&text, "node%06u\r\n", i);
  assert_int_equal(hostlist_read(&list, arena, text.data, &err), 0);
  assert_true(list.names == HOSTLIST_HOSTS_MAX && list.sets == 1 && list.set[0].count == HOSTLIST_HOSTS_MAX);
  assert_int_equal(strlen(list.set[0].text), 11 * (size_t)HOSTLIST_HOSTS_MAX - 1);
  assert_string_equal(list.name[54321], "node054321");
}

/* ------------------------------------------------------------------ jobs */

typedef struct scene {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_forwarding *tables;
  hostlist list;
  host_job job;
} scene;

static void open_job(scene *s, ripstop_fabric *fabric, const char *hosts, const char *adapters) {
  ripstop_error err = {0};
  *s = (scene){.arena = ripstop_arena_new(), .fabric = fabric, .view = ripstop_view_new(fabric, &(ripstop_faults){0})};
  s->tables = ripstop_forwarding_shortest(s->view, &err);
  if (!s->tables || hostlist_read(&s->list, s->arena, hosts, &err) ||
      host_job_make(&s->job, s->arena, s->view, s->tables, &s->list, adapters, &err))
    fail_msg("%s", err.text);
}

static void close_job(scene *s) {
  ripstop_forwarding_free(s->tables);
  ripstop_view_free(s->view);
  ripstop_fabric_free(s->fabric);
  ripstop_arena_free(s->arena);
}

/* Two leaves under one spine, on one cable each; `hosts` on each, a0, a1, ... and b0, b1, ...: their cables and those
 * of the leaves have the widths 4 and `up`. */
static ripstop_fabric *two_leaves(uint32_t hosts, uint32_t up) {
  RIPSTOP_LOCAL_TEXT(t);
  ripstop_error err = {0};
  for (uint32_t leaf = 0; leaf < 2; leaf++) {
    ripstop_text_add(
        &t, "Switch 99 \"S-%u\" # \"leaf-%u\" base port 0 lid %u lmc 0\n[99] \"S-3\"[%u] # \"spine\" lid 3 %uxHDR\n",
        leaf + 1, leaf + 1, leaf + 1, leaf + 1, up);
    for (uint32_t h = 0; h < hosts; h++)
      ripstop_text_add(&t, "[%u] \"H-%x\"[1] # \"x\" lid %u 4xHDR\n", h + 1, 256 * (leaf + 1) + h, 10 + 2 * h + leaf);
  }
  ripstop_text_add(&t, "Switch 99 \"S-3\" # \"spine\" base port 0 lid 3 lmc 0\n");
  for (uint32_t leaf = 0; leaf < 2; leaf++)
    ripstop_text_add(&t, "[%u] \"S-%u\"[99] # \"x\" lid %u %uxHDR\n", leaf + 1, leaf + 1, leaf + 1, up);
  for (uint32_t leaf = 0; leaf < 2; leaf++)
    for (uint32_t h = 0; h < hosts; h++)
      ripstop_text_add(&t, "Ca 1 \"H-%x\" # \"%c%u mlx5_0\"\n[1] \"S-%u\"[%u] # lid %u lmc 0 \"x\" lid 1 4xHDR\n",
                       256 * (leaf + 1) + h, leaf ? 'b' : 'a', h, leaf + 1, h + 1, 10 + 2 * h + leaf);
  ripstop_fabric *fabric = ripstop_ib_from_text("made", t.data, t.length, &err);
  if (!fabric) fail_msg("%s", err.text);
  return fabric;
}

static bool near(double a, double b) { return fabs(a - b) < 1e-6 * (1 + fabs(b)); }

static double factor(const scene *s, uint32_t from, uint32_t to) {
  for (uint32_t i = 0; i < s->job.blockings; i++)
    if (s->job.blocking[i].from == from && s->job.blocking[i].to == to) return s->job.blocking[i].factor;
  return 0;
}

static void one_cable_blocks(void **state) {
  (void)state;
  scene s;
  open_job(&s, two_leaves(6, 4), "a[0-5],b[0-5]", NULL);
  assert_true(near(factor(&s, 0, 1), 6) && near(factor(&s, 1, 0), 6)); /* six adapters on a cable of the same rate */
  assert_true(factor(&s, 0, 0) == 1 && factor(&s, 1, 1) == 1);
  assert_int_equal(s.job.blocking[1].pairs, 36);
  assert_true(s.job.ring.between == 2 && s.job.ring.sharing == 1 && s.job.leaves == 2);
  assert_true(near(s.job.ring.step[s.job.ring.slowest].rate, 200000));
  close_job(&s);

  /* Listed in turn every step goes over the spine: three in each direction share it. By leaf one does. */
  open_job(&s, two_leaves(3, 8), "a0,b0,a1,b1,a2,b2", NULL);
  assert_true(s.job.ring.between == 6 && s.job.ring.sharing == 3 && s.job.blockings == 1);
  assert_true(near(s.job.ring.step[0].rate, 400000. / 3));
  assert_true(s.job.by_leaf.between == 2 && near(s.job.by_leaf.step[s.job.by_leaf.slowest].rate, 200000));
  assert_true(factor(&s, 0, 0) == 1); /* 9/10 of the wider cable */
  close_job(&s);
  open_job(&s, two_leaves(3, 4), "a0,b0,a1,b1,a2,b2", NULL);
  assert_true(near(factor(&s, 0, 0), 9. / 5)); /* three of the five targets of each adapter are over there */
  close_job(&s);

  /* Four hosts send to one: each at a quarter, so nothing blocks. */
  open_job(&s, two_leaves(4, 4), "a[0-3],b0", NULL);
  assert_true(factor(&s, 0, 1) == 1 && factor(&s, 1, 0) == 1);
  close_job(&s);
}

/* On each rail a step stays on its leaf; where two adapters are crossed, four steps cross rails. */
static void rails_are_crossed(void **state) {
  (void)state;
  RIPSTOP_LOCAL_TEXT(t);
  ripstop_error err = {0};
  for (uint32_t leaf = 0; leaf < 2; leaf++) {
    ripstop_text_add(&t, "Switch 9 \"S-%u\" # \"rail-%u\" base port 0 lid %u lmc 0\n[9] \"S-%u\"[9] # 4xHDR\n",
                     leaf + 1, leaf, leaf + 1, 2 - leaf);
    for (uint32_t h = 0; h < 8; h++) {
      const uint32_t rail = h == 3 ? 1 - leaf : leaf;
      ripstop_text_add(&t, "[%u] \"H-%x\"[1] # lid %u 4xHDR\n", h + 1, 16 * h + rail + 1, 10 + 2 * h + rail);
    }
  }
  for (uint32_t h = 0; h < 8; h++)
    for (uint32_t rail = 0; rail < 2; rail++)
      ripstop_text_add(&t, "Ca 1 \"H-%x\" # \"g%u mlx5_%u\"\n[1] \"S-%u\"[%u] # lid %u lmc 0 \"x\" lid 1 4xHDR\n",
                       16 * h + rail + 1, h, rail, (h == 3 ? 1 - rail : rail) + 1, h + 1, 10 + 2 * h + rail);
  scene s;
  ripstop_fabric *fabric = ripstop_ib_from_text("made", t.data, t.length, &err);
  if (!fabric) fail_msg("%s", err.text);
  open_job(&s, fabric, "g[0-7]", NULL);
  assert_true(s.job.adapters == 16 && s.job.ring.steps == 16 && s.job.ring.crossing == 4 && s.job.ring.between == 4);
  assert_int_equal(s.job.ring.lost, 0);
  for (uint32_t i = 0; i < s.job.ring.steps; i++) {
    const job_step *step = &s.job.ring.step[i];
    assert_string_equal(s.job.adapter[step->from].word, s.job.adapter[step->to].word);
  }
  close_job(&s);
}

/* ------------------------------------------------------------------ fair shares */

static void check_fair(const host_job *job, const job_ring *ring) {
  double *used = calloc(job->fabric->ports, sizeof *used), *most = calloc(job->fabric->ports, sizeof *most);
  assert_true(used && most);
  for (uint32_t s = 0; s < ring->steps; s++)
    for (uint32_t i = 0; i < ring->step[s].ports; i++) {
      const uint32_t p = ring->port[ring->step[s].first + i];
      used[p] += ring->step[s].rate;
      if (ring->step[s].rate > most[p]) most[p] = ring->step[s].rate;
    }
  for (uint32_t s = 0; s < ring->steps; s++) {
    bool held = ring->step[s].lost;
    for (uint32_t i = 0; i < ring->step[s].ports; i++) {
      const uint32_t p = ring->port[ring->step[s].first + i];
      const double rate = job->rate[p];
      assert_true(used[p] <= rate * (1 + 1e-6));
      held = held || (used[p] >= rate * (1 - 1e-6) && near(ring->step[s].rate, most[p]));
    }
    assert_true(held);
  }
  free(used);
  free(most);
}

static void random_rings_are_fair(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 40; seed++) {
    RIPSTOP_LOCAL_TEXT(hosts);
    ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 0);
    uint32_t order[24], count = 2 + ripstop_stream_below(&stream, 23);
    for (uint32_t i = 0; i < 24; i++) {
      const uint32_t j = ripstop_stream_below(&stream, i + 1);
      order[i] = order[j];
      order[j] = i + 1;
    }
    for (uint32_t i = 0; i < count; i++) ripstop_text_add(&hosts, "%snode%03u", i ? "," : "", order[i]);
    ripstop_error err = {0};
    scene s;
    open_job(&s, ripstop_fabric_open(RIPSTOP_SOURCE_DIR "/examples/operators/monday.txt", &err), hosts.data,
             seed % 2 ? "mlx5" : "_1$");
    assert_int_equal(s.job.ring.steps, count * (seed % 2 ? 2 : 1));
    check_fair(&s.job, &s.job.ring);
    check_fair(&s.job, &s.job.by_leaf);
    assert_true(s.job.by_leaf.between <= s.job.ring.between);
    close_job(&s);
  }
}

/* ------------------------------------------------------------------ blocking, pair by pair */

enum { PATH = 64 };

/* False: the tables do not lead there. */
static bool walk(const scene *s, const job_adapter *from, const job_adapter *to, uint32_t *path, uint32_t *count) {
  const ripstop_fabric *f = s->fabric;
  uint32_t at = f->port_base[from->end], address = 0;
  while (s->tables->node[address] != to->end) address++;
  for (*count = 0; *count < PATH;) {
    if (!s->view->port_up[at]) return false;
    path[(*count)++] = at;
    const uint32_t node = f->port_node[f->peer[at]];
    if (node == to->end) return true;
    if (ripstop_is_end(f, node)) return false;
    const uint16_t out = ripstop_forwarding_port(s->tables, address, node);
    if (out >= ripstop_node_ports(f, node)) return false;
    at = f->port_base[node] + out;
  }
  return false;
}

static const job_adapter *partner(const host_job *job, const job_adapter *from, uint32_t host) {
  for (uint32_t i = job->first[host]; i < job->first[host + 1]; i++)
    if (strcmp(job->adapter[i].word, from->word) == 0) return &job->adapter[i];
  return &job->adapter[job->first[host]];
}

/* Each pair by a walk of its own. */
static void check_blocking(const scene *s, const job_blocking *b) {
  const ripstop_fabric *f = s->fabric;
  const hostlist_set *from = &s->list.set[b->from], *to = &s->list.set[b->to];
  double *use = RIPSTOP_ARRAY(s->arena, f->ports, double), most = 0;
  uint64_t *pairs = RIPSTOP_ARRAY(s->arena, f->ports, uint64_t), lost = 0;
  const double targets = b->from == b->to ? to->count - 1. : to->count;
  const double share = (b->from != b->to && to->count < from->count ? 1. * to->count / from->count : 1) / targets;
  for (uint32_t x = from->first; x < from->first + from->count; x++)
    for (uint32_t y = to->first; y < to->first + to->count; y++)
      for (uint32_t i = s->job.first[x]; x != y && i < s->job.first[x + 1]; i++) {
        const job_adapter *a = &s->job.adapter[i];
        uint32_t path[PATH], count;
        const bool arrives = walk(s, a, partner(&s->job, a, y), path, &count);
        lost += !arrives;
        for (uint32_t k = 1; arrives && k + 1 < count; k++) {
          use[path[k]] += share * a->rate / s->job.rate[path[k]];
          pairs[path[k]]++;
        }
      }
  for (uint32_t p = 0; p < f->ports; p++)
    if (use[p] > most) most = use[p];
  assert_int_equal(b->lost, lost);
  assert_true(near(b->factor, most > 1 ? most : 1));
  assert_true((b->port == RIPSTOP_NONE) == (most == 0));
  if (most > 0) assert_true(near(use[b->port], most) && pairs[b->port] == b->pairs);
}

/* Fails some cables and spoils some entries, so that packets are lost or run in cycles. */
static void spoil(scene *s, ripstop_stream *random) {
  const ripstop_fabric *f = s->fabric;
  for (uint32_t link = 0; link < f->links; link++)
    if (ripstop_stream_below(random, 20) == 0) ripstop_view_set_link(s->view, link, false);
  const uint32_t entries = s->tables->addresses * ripstop_fabric_switches(f);
  for (uint32_t i = 0; i < entries; i++)
    if (ripstop_stream_below(random, 30) == 0) s->tables->port[i] = (uint16_t)ripstop_stream_below(random, 38);
}

static void blocking_is_that_of_all_pairs(void **state) {
  (void)state;
  static const char *const hosts[] = {"node[001-024]", "node[001-006],node[007-024]", "node[020-024],node[001-003,019]",
                                      "node[001-012],node[013-024],mgmt01"};
  uint64_t lost = 0, blocked = 0;
  for (uint64_t seed = 0; seed < 64; seed++) {
    ripstop_stream random = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 1);
    ripstop_error err = {0};
    scene s;
    ripstop_fabric *fabric = ripstop_fabric_open(RIPSTOP_SOURCE_DIR "/examples/operators/monday.txt", &err);
    open_job(&s, fabric, hosts[seed % 4], NULL);
    if (seed >= 8) spoil(&s, &random);
    if (host_job_make(&s.job, s.arena, s.view, s.tables, &s.list, seed % 8 < 4 ? NULL : "_0$", &err))
      fail_msg("%s", err.text);
    for (uint32_t i = 0; i < s.job.blockings; i++) {
      check_blocking(&s, &s.job.blocking[i]);
      lost += s.job.blocking[i].lost;
      blocked += s.job.blocking[i].factor > 1;
    }
    close_job(&s);
  }
  assert_true(lost > 1000 && blocked > 50);
}

static void mistakes_are_named(void **state) {
  (void)state;
  static const char *const mistakes[][3] = {{"a[0-9]", NULL, "no adapter of 'a3'"},
                                            {"a0,b0", "mlx4", "no adapter of 'a0' has a cable and matches mlx4"},
                                            {"a0,b0", "(", "no extended regular expression"}};
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  ripstop_fabric *fabric = two_leaves(3, 4);
  ripstop_view *view = ripstop_view_new(fabric, &(ripstop_faults){0});
  ripstop_forwarding *tables = ripstop_forwarding_shortest(view, &err);
  for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    hostlist list;
    host_job job;
    assert_int_equal(hostlist_read(&list, arena, mistakes[i][0], &err), 0);
    assert_int_equal(host_job_make(&job, arena, view, tables, &list, mistakes[i][1], &err), -1);
    if (!strstr(err.text, mistakes[i][2])) fail_msg("%s", err.text);
  }
  ripstop_forwarding_free(tables);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_are_expanded),    cmocka_unit_test(long_lists_are_expanded),
      cmocka_unit_test(one_cable_blocks),      cmocka_unit_test(rails_are_crossed),
      cmocka_unit_test(random_rings_are_fair), cmocka_unit_test(blocking_is_that_of_all_pairs),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
