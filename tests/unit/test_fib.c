/* test_fib.c - the forwarding state of random small Ethernet fabrics against a second construction that lists every
 * path, one by one, and every choice of old and new entries. Tables go through the reader as FRR's JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "check.h"
#include "tables/ethernet/fib_judge.h"
#include "tables/ethernet/fib_transient.h"

enum { SWITCHES = 5, CABLES = 7, LINKS = 2 * CABLES, HOSTS = 5, CLASSES = 2 * HOSTS, HOPS = 4, UNKNOWN = 99 };

typedef enum what { NONE, DROP, HERE, SETS } what;

/* A route of a switch for a prefix. A hop is a link that leaves the switch, or UNKNOWN. */
typedef struct entry {
  what what;
  unsigned hops, link[HOPS], weight[HOPS];
} entry;

/* Link 2i goes from `a` to `b` of cable i, link 2i+1 back. Class 2h is the prefix of host h, class 2h+1 half of it, for
 * which not every switch has a route of its own. */
typedef struct world {
  unsigned switches, cables, hosts, from[LINKS], to[LINKS], at[HOSTS];
  bool half[HOSTS], strict; /* strict: all next hops lead to lower ranks, and nothing loops */
  unsigned rank[HOSTS][SWITCHES];
  entry route[SWITCHES][CLASSES], fallback[SWITCHES];
  ripstop_stream random;
} world;

static unsigned below(world *w, unsigned bound) { return ripstop_stream_below(&w->random, bound); }

/* ------------------------------------------------------------------ random fabrics */

static entry random_entry(world *w, unsigned s, const unsigned *rank) {
  entry e = {.what = SETS};
  const unsigned kind = below(w, 12);
  if (kind < 2) return (entry){.what = kind ? DROP : NONE};
  for (unsigned l = 0; l < 2 * w->cables && e.hops < HOPS; l++) {
    if (w->from[l] != s || below(w, 3) == 0) continue;
    if (rank[w->to[l]] >= rank[s] && (w->strict || below(w, 8)))
      continue; /* mostly towards lower ranks, so that few loop */
    e.weight[e.hops] = 1 + below(w, 3);
    e.link[e.hops++] = l;
  }
  if (e.hops < HOPS && below(w, 20) == 0) {
    e.weight[e.hops] = 1;
    e.link[e.hops++] = UNKNOWN;
  }
  return e.hops ? e : (entry){.what = NONE};
}

static void make_routes(world *w, unsigned h) {
  const unsigned *rank = w->rank[h];
  for (unsigned s = 0; s < w->switches; s++) {
    w->route[s][2 * h] = s == w->at[h] ? (entry){.what = HERE} : random_entry(w, s, rank);
    w->route[s][2 * h + 1] = w->half[h] && below(w, 3) == 0 ? random_entry(w, s, rank) : (entry){.what = NONE};
  }
}

static void make_world(world *w, uint64_t seed, bool strict) {
  const unsigned any[SWITCHES] = {0};
  *w = (world){.random = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 0), .strict = strict};
  w->switches = 2 + below(w, SWITCHES - 1);
  w->cables = 1 + below(w, CABLES);
  w->hosts = strict ? HOSTS : 2 + below(w, HOSTS - 1);
  for (unsigned i = 0; i < w->cables; i++) {
    const bool ring = strict && i < w->switches; /* a ring has the most cycles of few cables */
    const unsigned a = ring ? i : below(w, w->switches), step = ring ? 0 : below(w, w->switches - 1);
    const unsigned b = (a + 1 + step) % w->switches;
    w->from[2 * i] = w->to[2 * i + 1] = a;
    w->to[2 * i] = w->from[2 * i + 1] = b;
  }
  for (unsigned s = 0; s < w->switches; s++)
    w->fallback[s] = strict || below(w, 6) ? (entry){.what = NONE} : random_entry(w, s, any);
  for (unsigned h = 0; h < w->hosts; h++) {
    w->at[h] = below(w, w->switches);
    w->half[h] = below(w, 3) == 0;
    for (unsigned s = 0; s < w->switches; s++) w->rank[h][s] = s == w->at[h] ? 0 : 1 + below(w, SWITCHES);
    make_routes(w, h);
  }
}

/* ------------------------------------------------------------------ files */

static void add_entry(ripstop_text *out, const char *prefix, const entry *e, unsigned host) {
  if (e->what == NONE) return;
  ripstop_text_add(out, "%s\"%s\":[{\"selected\":true,\"protocol\":\"%s\",\"nexthops\":[", out->length > 1 ? "," : "",
                   prefix, e->what == HERE ? "connected" : "bgp");
  if (e->what == HERE) ripstop_text_add(out, "{\"fib\":true,\"interfaceName\":\"host%u\"}", host);
  if (e->what == DROP) ripstop_text_add(out, "{\"fib\":true,\"blackhole\":true}");
  for (unsigned i = 0; e->what == SETS && i < e->hops; i++)
    ripstop_text_add(out, "%s{\"fib\":true,\"interfaceName\":\"p%u\",\"weight\":%u}", i ? "," : "", e->link[i],
                     e->weight[i]);
  ripstop_text_add(out, "]}]");
}

static route_table *make_table(ripstop_arena *arena, const world *w, unsigned s) {
  ripstop_error err = {0};
  jt_doc doc = {0};
  route_table *t = RIPSTOP_NEW(arena, route_table);
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_begin(&text);
  ripstop_text_add(&text, "{");
  for (unsigned h = 0; h < w->hosts; h++) {
    char prefix[40];
    snprintf(prefix, sizeof prefix, "10.0.%u.0/24", h);
    add_entry(&text, prefix, &w->route[s][2 * h], h);
    snprintf(prefix, sizeof prefix, "10.0.%u.0/25", h);
    add_entry(&text, prefix, &w->route[s][2 * h + 1], h);
  }
  add_entry(&text, "0.0.0.0/0", &w->fallback[s], 0);
  ripstop_text_add(&text, "}");
  route_table_open(t, arena);
  assert_int_equal(jt_read(&doc, arena, "table", text.data, text.length, &err), 0);
  assert_int_equal(route_table_read(t, &doc, &err), 0);
  assert_int_equal(route_table_sort(t, "table", &err), 0);
  return t;
}

static uint32_t port(cabling *c, const char *node, unsigned number, const char *kind) {
  char name[16];
  snprintf(name, sizeof name, "%s%u", kind, number);
  return cabling_add_port(c, cabling_add_node(c, piece_of(node)), piece_of(name));
}

static const char *const names[] = {"s0", "s1", "s2", "s3", "s4"};

static void make_cables(cabling *c, const world *w) {
  ripstop_error err;
  for (unsigned s = 0; s < w->switches; s++) (void)cabling_add_node(c, piece_of(names[s]));
  for (unsigned i = 0; i < w->cables; i++) {
    const uint32_t a = port(c, names[w->from[2 * i]], 2 * i, "p"), b = port(c, names[w->to[2 * i]], 2 * i + 1, "p");
    assert_int_equal(cabling_join(c, a, b, true, &err), 0);
  }
  for (unsigned h = 0; h < w->hosts; h++) {
    char host[16];
    snprintf(host, sizeof host, "h%u", h);
    assert_int_equal(cabling_join(c, port(c, host, 0, "eth"), port(c, names[w->at[h]], h, "host"), true, &err), 0);
  }
}

static void open_fib(fib *f, ripstop_arena *arena, cabling *c, const world *now, const world *before) {
  ripstop_error err;
  fib_source all[2][SWITCHES];
  make_cables(c, now);
  for (unsigned s = 0; s < now->switches; s++) {
    const uint32_t node = cabling_find_node(c, piece_of(names[s]));
    all[0][s] = (fib_source){"now", node, make_table(arena, now, s)};
    if (before) all[1][s] = (fib_source){"before", node, make_table(arena, before, s)};
  }
  assert_int_equal(fib_open(f, arena, c, all[0], now->switches, all[1], before ? before->switches : 0, &err), 0);
}

/* ------------------------------------------------------------------ every path */

/* The longest route for a class. At the host's switch its prefix is longer than the default route. */
static const entry *lookup(const world *w, unsigned s, unsigned class_) {
  if (class_ % 2 && w->route[s][class_].what != NONE) return &w->route[s][class_];
  const entry *whole = &w->route[s][class_ - class_ % 2];
  return whole->what != NONE ? whole : &w->fallback[s];
}

/* The fates of the packets of a pair. */
typedef struct walk {
  const world *w, *other; /* other: its entries count too; NULL: none */
  unsigned class_;
  bool arrives, ends, loops, used[LINKS], waits[LINKS][LINKS];
  long double length[SWITCHES + 1], load[LINKS];
} walk;

static const entry *entry_at(const walk *x, unsigned s, unsigned age) {
  return lookup(age ? x->other : x->w, s, x->class_);
}

static void wait_for(walk *x, unsigned link, unsigned s) {
  for (unsigned age = 0; age < 1U + (x->other != NULL); age++) {
    const entry *e = entry_at(x, s, age);
    for (unsigned i = 0; link != UNKNOWN && e->what == SETS && i < e->hops; i++)
      if (e->link[i] != UNKNOWN) x->waits[link][e->link[i]] = true;
  }
}

static void go(walk *x, unsigned s, unsigned link, unsigned seen, unsigned depth, long double part) {
  wait_for(x, link, s);
  if (seen >> s & 1) {
    x->loops = true;
    return;
  }
  for (unsigned age = 0; age < 1U + (x->other != NULL); age++) {
    const entry *e = entry_at(x, s, age);
    unsigned all = 0;
    for (unsigned i = 0; e->what == SETS && i < e->hops; i++) all += e->weight[i];
    if (e->what == HERE) {
      x->arrives = true;
      x->length[depth] += part;
    } else if (e->what != SETS) {
      x->ends = true;
    }
    for (unsigned i = 0; e->what == SETS && i < e->hops; i++) {
      const long double share = part * e->weight[i] / all;
      x->ends |= e->link[i] == UNKNOWN;
      if (e->link[i] == UNKNOWN) continue;
      x->used[e->link[i]] = true;
      x->load[e->link[i]] += share;
      go(x, x->w->to[e->link[i]], e->link[i], seen | 1U << s, depth + 1, share);
    }
  }
}

/* The classes of a host: its prefix, and the half of it that some switch has a route for, in either age. */
static unsigned classes_of(const world *w, const world *other, unsigned h) {
  for (unsigned s = 0; s < w->switches; s++)
    if (w->route[s][2 * h + 1].what != NONE || (other && other->route[s][2 * h + 1].what != NONE)) return 2;
  return 1;
}

typedef struct sums {
  uint64_t pairs, unreached, partly, ends, loops, any[LINKS];
  long double load[LINKS], hop_sum;
  unsigned longest;
  bool waits[LINKS][LINKS];
} sums;

static void add_pair(const world *w, unsigned source, unsigned h, sums *o) {
  walk x[2];
  const unsigned classes = classes_of(w, NULL, h);
  bool arrives = false, ends = false, loops = false;
  for (unsigned k = 0; k < classes; k++) {
    x[k] = (walk){.w = w, .class_ = 2 * h + k};
    go(&x[k], w->at[source], UNKNOWN, 0, 0, 1);
    arrives |= x[k].arrives;
    ends |= x[k].ends;
    loops |= x[k].loops;
    for (unsigned a = 0; a < LINKS; a++)
      for (unsigned b = 0; b < LINKS; b++) o->waits[a][b] |= x[k].waits[a][b];
  }
  o->pairs++;
  o->unreached += ends || loops;
  o->partly += (ends || loops) && arrives;
  o->ends += ends;
  o->loops += loops;
  for (unsigned l = 0; !ends && !loops && l < LINKS; l++) {
    o->any[l] += x[0].used[l] || (classes > 1 && x[1].used[l]);
    for (unsigned k = 0; k < classes; k++) o->load[l] += x[k].load[l] / classes;
  }
  for (unsigned k = 0; !ends && !loops && k < classes; k++)
    for (unsigned d = 0; d <= SWITCHES; d++) {
      o->hop_sum += d * x[k].length[d] / classes;
      if (x[k].length[d] > 0 && d > o->longest) o->longest = d;
    }
}

/* ------------------------------------------------------------------ cycles */

static unsigned count_in_cycles(bool waits[LINKS][LINKS], unsigned *shortest) {
  unsigned distance[LINKS][LINKS], count = 0;
  for (unsigned a = 0; a < LINKS; a++)
    for (unsigned b = 0; b < LINKS; b++) distance[a][b] = waits[a][b] ? 1 : LINKS + 1;
  for (unsigned k = 0; k < LINKS; k++)
    for (unsigned a = 0; a < LINKS; a++)
      for (unsigned b = 0; b < LINKS; b++)
        if (distance[a][k] + distance[k][b] < distance[a][b]) distance[a][b] = distance[a][k] + distance[k][b];
  *shortest = LINKS + 1;
  for (unsigned a = 0; a < LINKS; a++) {
    count += distance[a][a] <= LINKS;
    if (distance[a][a] < *shortest) *shortest = distance[a][a];
  }
  return count;
}

/* ------------------------------------------------------------------ tests */

static uint32_t port_of_link(const fib *f, const world *w, unsigned l) {
  char name[16];
  snprintf(name, sizeof name, "p%u", l);
  return cabling_find_port(f->c, cabling_find_node(f->c, piece_of(names[w->from[l]])), piece_of(name));
}

static void compare(fib *f, const world *w, sums *o) {
  fib_verdict v;
  fib_waits waits;
  fib_cycles cycles;
  long double worst = 0;
  uint64_t any = 0;
  unsigned shortest;
  fib_judge(f, &v);
  assert_true(v.pairs == o->pairs && v.unreached == o->unreached && v.partly == o->partly);
  assert_true(v.dead_ends == o->ends && v.loops == o->loops && (v.loops > 0) == (v.looping.count > 0));
  for (unsigned l = 0; l < 2 * w->cables; l++) {
    if (o->load[l] > worst) worst = o->load[l];
    if (o->any[l] > any) any = o->any[l];
  }
  assert_true(fabsl((long double)rational_value(v.worst) - worst) < 1e-9L && v.worst_any_hash == any);
  assert_true(fabsl((long double)rational_value(v.hop_sum) - o->hop_sum) < 1e-9L && v.max_hops == o->longest);
  assert_true(fabsl((long double)v.hop_about - o->hop_sum) < 1e-9L);
  for (uint32_t i = 0; i < v.worst_count; i++) {
    unsigned l = 0;
    while (l < 2 * w->cables && port_of_link(f, w, l) != v.worst_ports[i]) l++;
    assert_true(l < 2 * w->cables && fabsl(o->load[l] - worst) < 1e-9L);
  }
  fib_waits_open(&waits, f, 1, f->arena);
  fib_waits_fill(&waits, &f->now);
  fib_waits_cycles(&waits, f->arena, &cycles);
  assert_int_equal(cycles.vertices, count_in_cycles(o->waits, &shortest));
  assert_int_equal(cycles.length, cycles.vertices ? shortest : 0);
}

static void verdicts_agree_with_every_path(void **state) {
  (void)state;
  enum { WORLDS = 3000 };
  unsigned looping = 0, whole = 0, cyclic = 0;
  for (unsigned i = 0; i < WORLDS; i++) {
    RIPSTOP_LOCAL_ARENA(arena);
    static world w;
    static sums o;
    cabling c;
    fib f;
    unsigned ignored;
    make_world(&w, i, false);
    memset(&o, 0, sizeof o);
    for (unsigned a = 0; a < w.hosts; a++)
      for (unsigned b = 0; b < w.hosts; b++)
        if (a != b) add_pair(&w, a, b, &o);
    cabling_open(&c, arena);
    open_fib(&f, arena, &c, &w, NULL);
    compare(&f, &w, &o);
    looping += o.loops > 0;
    whole += o.unreached == 0;
    cyclic += count_in_cycles(o.waits, &ignored) > 0;
    cabling_close(&c);
  }
  assert_true(looping > 100 && whole > 100 && cyclic > looping && looping < WORLDS / 2);
}

/* A next hop without a cable is left out. */
static entry live(entry e) {
  unsigned kept = 0;
  for (unsigned i = 0; e.what == SETS && i < e.hops; i++)
    if (e.link[i] != UNKNOWN) {
      e.link[kept] = e.link[i];
      e.weight[kept++] = e.weight[i];
    }
  if (e.what != SETS) return e.what == NONE ? (entry){.what = DROP} : e;
  e.hops = kept;
  return kept ? e : (entry){.what = DROP};
}

static bool same(const entry *a, const entry *b) {
  return a->what == b->what &&
         (a->what != SETS || (a->hops == b->hops && !memcmp(a->link, b->link, a->hops * sizeof *a->link) &&
                              !memcmp(a->weight, b->weight, a->hops * sizeof *a->weight)));
}

/* Every class has an entry of its own, as it would be looked up. */
static void flatten(const world *w, world *out) {
  *out = *w;
  for (unsigned s = 0; s < w->switches; s++)
    for (unsigned c = 0; c < 2 * w->hosts; c++) out->route[s][c] = live(*lookup(w, s, c));
}

static void add_waits(const world *w, const world *other, bool waits[LINKS][LINKS], const world *classes,
                      const world *also) {
  for (unsigned a = 0; a < w->hosts; a++)
    for (unsigned b = 0; b < w->hosts; b++)
      for (unsigned k = 0; a != b && k < classes_of(classes, also, b); k++) {
        walk x = {.w = w, .other = other, .class_ = 2 * b + k};
        go(&x, w->at[a], UNKNOWN, 0, 0, 1);
        for (unsigned i = 0; i < LINKS; i++)
          for (unsigned l = 0; l < LINKS; l++) waits[i][l] |= x.waits[i][l];
      }
}

typedef struct place {
  unsigned s, class_;
} place;

/* Tries all combinations of old and new entries. */
static bool any_choice(const world *old, const world *new, const place *at, unsigned places, const world *w,
                       const world *v) {
  for (unsigned choice = 0; choice < 1U << places; choice++) {
    static world mixed;
    bool waits[LINKS][LINKS] = {{false}};
    unsigned ignored;
    mixed = *new;
    for (unsigned i = 0; i < places; i++)
      if (choice >> i & 1) mixed.route[at[i].s][at[i].class_] = old->route[at[i].s][at[i].class_];
    add_waits(&mixed, NULL, waits, w, v);
    if (count_in_cycles(waits, &ignored)) return true;
  }
  return false;
}

static void check_transient(uint64_t seed, unsigned *seen) {
  enum { PLACES = 7 };
  static world now, before, new, old;
  place at[SWITCHES * CLASSES];
  unsigned places = 0, shortest;
  bool waits[LINKS][LINKS] = {{false}};
  make_world(&now, seed, seed % 8 > 0);
  before = now;
  before.random = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 1);
  for (unsigned i = 0; i < 2; i++) make_routes(&before, below(&before, before.hosts));
  flatten(&now, &new);
  flatten(&before, &old);
  for (unsigned s = 0; s < now.switches; s++)
    for (unsigned c = 0; c < 2 * now.hosts; c++)
      if (c % 2 < classes_of(&now, &before, c / 2) && !same(&new.route[s][c], &old.route[s][c]))
        at[places++] = (place){s, c};
  if (places > PLACES) return;
  add_waits(&new, &old, waits, &now, &before);
  RIPSTOP_LOCAL_ARENA(arena);
  cabling c;
  fib f;
  fib_transient t;
  cabling_open(&c, arena);
  open_fib(&f, arena, &c, &now, &before);
  fib_judge_transient(&f, &t);
  assert_int_equal(t.changed, places);
  assert_int_equal(t.cycles.vertices, count_in_cycles(waits, &shortest));
  assert_int_equal(t.cycles.length, t.cycles.vertices ? shortest : 0);
  const bool fixed = any_choice(&old, &new, at, places, &now, &before);
  assert_int_equal(t.fixed, fixed ? FIB_FIXED_YES : FIB_FIXED_NO);
  seen[t.cycles.length == 0 ? 0 : t.looping.count ? 1 : fixed ? 2 : 3]++;
  cabling_close(&c);
}

static void transient_states_agree_with_every_choice(void **state) {
  (void)state;
  enum { WORLDS = 9000 };
  unsigned seen[4] = {
      0}; /* no credit loop; loops; one choice has a credit loop; none has, which is rare: eight-mixed */
  for (unsigned i = 0; i < WORLDS; i++) check_transient(100000 + i, seen);
  assert_true(seen[0] > 100 && seen[1] > 100 && seen[2] > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts_agree_with_every_path),
                                     cmocka_unit_test(transient_states_agree_with_every_choice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
