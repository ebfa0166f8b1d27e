/* fib_judge.c - pairs, loads and lengths, one group of hosts after the other.
 *
 * Loads: the units of all pairs to a group start at their switches, and flow along the next hops, sources first. The
 * pairs that can use a link are those of all switches from which packets come to its sender: a set of switches, as
 * bits. */
#include "tables/ethernet/fib_judge.h"

#include "base/forest.h"
#include "base/growing.h"
#include "base/local.h"

typedef struct judging {
  fib *f;
  fib_verdict *out;
  fib_walk walk;
  uint32_t *first_host, *host_of;
  uint64_t *pairs;                 /* [switches]: to the group */
  uint8_t *all, *any;              /* [switches]: the flags that every class has, and some class */
  rational *load;                  /* [ports] */
  rational *flow;                  /* [switches] */
  double *load_about, *flow_about; /* the same in floating point */
  uint64_t *any_hash;              /* [ports] */
  uint32_t words;                  /* in a set of switches */
  uint64_t *sources;               /* [switches * words]: the switches with pairs from which packets come here */
  uint64_t *link_bits; /* [ports * words]: the same for a link, of several classes; NULL until one group has several */
  uint64_t each;       /* each switch that sends has so many pairs; 0: they differ */
  uint32_t *shortest, *longest; /* [switches]: links to the destination */
  rational **parts;             /* [switches]: by length, where lengths differ */
  double *mean;                 /* [switches]: the mean length in floating point */
  size_t hops_room;
  uint32_t *part; /* [switches]: connected by cables */
  uint32_t *tier; /* [switches]: cables to the nearest switch with hosts */
  int32_t *turns; /* [2 * switches]: most turns of paths that come here upwards, and downwards; -1: none come */
  uint32_t most_turns;
  bool no_tiers; /* a path has no up and down */
  ripstop_arena *scratch, *group;
} judging;

/* ------------------------------------------------------------------ groups */

void fib_group_hosts(const fib *f, ripstop_arena *arena, uint32_t **first_host, uint32_t **host_of) {
  uint32_t *first = *first_host = RIPSTOP_ARRAY(arena, (size_t)f->groups + 2, uint32_t);
  *host_of = RIPSTOP_ARRAY(arena, (size_t)f->hosts + 1, uint32_t);
  for (uint32_t h = 0; h < f->hosts; h++) first[f->host[h].group + 2]++;
  for (uint32_t g = 0; g < f->groups; g++) first[g + 2] += first[g + 1];
  for (uint32_t h = 0; h < f->hosts; h++) (*host_of)[first[f->host[h].group + 1]++] = h;
}

void fib_pairs_of(const fib *f, uint32_t group, const uint32_t *first_host, const uint32_t *host_of, uint64_t *out) {
  for (uint32_t s = 0; s < f->switches; s++) out[s] = (uint64_t)f->hosts_at[s] * f->group[group].hosts;
  for (uint32_t i = first_host[group]; i < first_host[group + 1]; i++) out[f->host[host_of[i]].switch_]--;
}

static const uint32_t *entries_of(const judging *j, uint32_t class_) {
  return &j->f->now.entry[(size_t)class_ * j->f->switches];
}

/* ------------------------------------------------------------------ pairs */

static void join_classes(judging *j, const fib_group *g) {
  fib *f = j->f;
  memset(j->all, 0xff, f->switches);
  memset(j->any, 0, f->switches);
  for (uint32_t c = g->first; c < g->first + g->count; c++) {
    bool loops = false;
    fib_walk_class(&j->walk, entries_of(j, c));
    for (uint32_t s = 0; s < f->switches; s++) {
      j->all[s] &= j->walk.flag[s];
      j->any[s] |= j->walk.flag[s];
      loops |= j->pairs[s] && !(j->walk.flag[s] & FIB_SETTLED);
    }
    if (loops) fib_note(f, &j->out->looping, fib_prefix_name(f, &f->class_[c].prefix));
  }
}

static bool is_reached(const judging *j, uint32_t s) {
  return j->pairs[s] && (j->all[s] & FIB_SETTLED) && !(j->any[s] & FIB_ENDS);
}

static bool is_joined(const judging *j, uint32_t s, uint32_t group) {
  for (uint32_t i = j->first_host[group]; i < j->first_host[group + 1]; i++)
    if (ripstop_root(j->part, j->f->host[j->host_of[i]].switch_) == ripstop_root(j->part, s)) return true;
  return false;
}

static void count_pairs(judging *j, uint32_t group) {
  fib_verdict *o = j->out;
  for (uint32_t s = 0; s < j->f->switches; s++) {
    const uint64_t pairs = j->pairs[s];
    o->pairs += pairs;
    if (!pairs || is_reached(j, s)) continue;
    o->unreached += pairs;
    if (j->any[s] & FIB_ARRIVES) o->partly += pairs;
    if (j->any[s] & FIB_ENDS) o->dead_ends += pairs;
    if (!(j->all[s] & FIB_SETTLED)) o->loops += pairs;
    if (!is_joined(j, s, group)) o->disconnected += pairs;
  }
}

/* ------------------------------------------------------------------ loads */

static rational share_of(rational all, const fib_hop *hop, const fib_set *set) {
  if (set->about) return rational_is_zero(all) ? all : rational_lost();
  return rational_times(all, hop->weight, set->weight);
}

static void flow_from(judging *j, uint32_t s, const fib_set *set) {
  const fib *f = j->f;
  for (const fib_hop *h = &f->hop[set->first], *end = h + set->count; h < end; h++) {
    const rational share = share_of(j->flow[s], h, set);
    const double about = j->flow_about[s] * (double)h->weight / (double)set->weight;
    j->load_about[h->port] += about;
    j->flow_about[h->to] += about;
    j->load[h->port] = rational_plus(j->load[h->port], share);
    j->flow[h->to] = rational_plus(j->flow[h->to], share);
  }
}

static void add_loads(judging *j, uint32_t class_, uint32_t classes) {
  const fib *f = j->f;
  const uint32_t *entry = entries_of(j, class_);
  for (uint32_t s = 0; s < f->switches; s++) {
    j->flow[s] = is_reached(j, s) ? (rational){j->pairs[s], classes} : rational_of(0);
    j->flow_about[s] = rational_value(j->flow[s]);
  }
  for (uint32_t i = j->walk.settled; i-- > 0;) {
    const uint32_t s = j->walk.order[i];
    if (fib_is_set(entry[s]) && !rational_is_zero(j->flow[s])) flow_from(j, s, &f->set[entry[s]]);
  }
}

/* ------------------------------------------------------------------ pairs that can use a link */

static uint64_t count_bits(const judging *j, const uint64_t *bits) {
  uint64_t count = 0;
  for (uint32_t w = 0; w < j->words; w++) {
    if (j->each) {
      count += (uint64_t)__builtin_popcountll(bits[w]) * j->each;
      continue;
    }
    for (uint64_t left = bits[w]; left; left &= left - 1) count += j->pairs[64 * w + (uint32_t)__builtin_ctzll(left)];
  }
  return count;
}

static void use_link(judging *j, const uint64_t *bits, uint64_t count, uint32_t port) {
  if (!j->link_bits) {
    j->any_hash[port] += count;
    return;
  }
  uint64_t *own = &j->link_bits[(size_t)port * j->words];
  for (uint32_t w = 0; w < j->words; w++) own[w] |= bits[w];
}

static void add_sources(judging *j, uint32_t class_) {
  const fib *f = j->f;
  const uint32_t *entry = entries_of(j, class_);
  memset(j->sources, 0, (size_t)f->switches * j->words * sizeof *j->sources);
  for (uint32_t i = j->walk.settled; i-- > 0;) {
    const uint32_t s = j->walk.order[i];
    uint64_t *own = &j->sources[(size_t)s * j->words], some = 0;
    if (is_reached(j, s)) own[s / 64] |= UINT64_C(1) << s % 64;
    for (uint32_t w = 0; w < j->words; w++) some |= own[w];
    if (!some || !fib_is_set(entry[s])) continue;
    const uint64_t count = j->link_bits ? 0 : count_bits(j, own);
    const fib_set *set = &f->set[entry[s]];
    for (const fib_hop *h = &f->hop[set->first], *end = h + set->count; h < end; h++) {
      uint64_t *to = &j->sources[(size_t)h->to * j->words];
      for (uint32_t w = 0; w < j->words; w++) to[w] |= own[w];
      use_link(j, own, count, h->port);
    }
  }
}

/* True if each switch that sends over links has the same number of pairs. */
static void find_each(judging *j, const fib_group *g) {
  j->each = 0;
  for (uint32_t s = 0; s < j->f->switches; s++) {
    if (!is_reached(j, s) || (g->count == 1 && entries_of(j, g->first)[s] == FIB_DELIVERS)) continue;
    if (j->each && j->each != j->pairs[s]) {
      j->each = 0;
      return;
    }
    j->each = j->pairs[s];
  }
}

/* A pair uses a link once, by whatever class. */
static void close_links(judging *j) {
  for (uint32_t p = 0; j->link_bits && p < j->f->c->ports; p++)
    j->any_hash[p] += count_bits(j, &j->link_bits[(size_t)p * j->words]);
  j->link_bits = NULL;
}

/* ------------------------------------------------------------------ lengths */

static rational part_of(const judging *j, uint32_t s, uint32_t length) {
  if (length < j->shortest[s] || length > j->longest[s]) return rational_of(0);
  return j->parts[s] ? j->parts[s][length] : rational_of(1);
}

/* Finds the lengths for a switch; those of its next hops are known. */
static void measure(judging *j, uint32_t s, const fib_set *set) {
  const fib_hop *h = &j->f->hop[set->first], *end = h + set->count;
  j->shortest[s] = UINT32_MAX;
  j->longest[s] = 0;
  j->mean[s] = 1;
  for (const fib_hop *k = h; k < end; k++) {
    if (j->shortest[k->to] + 1 < j->shortest[s]) j->shortest[s] = j->shortest[k->to] + 1;
    if (j->longest[k->to] + 1 > j->longest[s]) j->longest[s] = j->longest[k->to] + 1;
    j->mean[s] += j->mean[k->to] * (double)k->weight / (double)set->weight;
  }
  j->parts[s] = NULL;
  if (j->shortest[s] == j->longest[s]) return;
  rational *parts = j->parts[s] = RIPSTOP_ARRAY(j->group, (size_t)j->longest[s] + 1, rational);
  for (uint32_t length = 0; length <= j->longest[s]; length++) {
    parts[length] = rational_of(0);
    for (const fib_hop *k = h; length && k < end; k++)
      parts[length] = rational_plus(parts[length], share_of(part_of(j, k->to, length - 1), k, set));
  }
}

static void add_length(judging *j, uint32_t s, uint32_t classes) {
  fib_verdict *o = j->out;
  const size_t had = j->hops_room;
  RIPSTOP_ROOM_IN(j->f->arena, o->hops, (size_t)j->longest[s] + 1, j->hops_room);
  for (size_t i = had; i < j->hops_room; i++) o->hops[i] = rational_of(0);
  if (j->longest[s] > o->max_hops) o->max_hops = j->longest[s];
  o->hop_about += j->mean[s] * (double)j->pairs[s] / classes;
  for (uint32_t length = j->shortest[s]; length <= j->longest[s]; length++) {
    const rational part = rational_times(part_of(j, s, length), j->pairs[s], classes);
    o->hops[length] = rational_plus(o->hops[length], part);
    o->hop_sum = rational_plus(o->hop_sum, rational_times(part, length, 1));
  }
}

static void add_lengths(judging *j, uint32_t class_, uint32_t classes) {
  const uint32_t *entry = entries_of(j, class_);
  for (uint32_t i = 0; i < j->walk.settled; i++) {
    const uint32_t s = j->walk.order[i];
    j->shortest[s] = j->longest[s] = 0;
    j->mean[s] = 0;
    j->parts[s] = NULL;
    if (j->walk.flag[s] & FIB_ENDS) continue;
    if (fib_is_set(entry[s])) measure(j, s, &j->f->set[entry[s]]);
    if (is_reached(j, s)) add_length(j, s, classes);
  }
}

/* ------------------------------------------------------------------ up and down */

static void find_tiers(judging *j) {
  const fib *f = j->f;
  uint32_t *queue = RIPSTOP_ARRAY(j->scratch, (size_t)f->switches + 1, uint32_t), count = 0;
  uint32_t *first = RIPSTOP_ARRAY(j->scratch, (size_t)f->switches + 2, uint32_t);
  uint32_t *to = RIPSTOP_ARRAY(j->scratch, (size_t)f->c->ports + 1, uint32_t);
  for (unsigned pass = 0; pass < 2; pass++) {
    for (uint32_t p = 0; p < f->c->ports; p++) {
      const cabling_port *port = &f->c->port[p];
      const uint32_t s = f->switch_of[port->node];
      const uint32_t other = port->peer == RIPSTOP_NONE ? RIPSTOP_NONE : f->switch_of[f->c->port[port->peer].node];
      if (s == RIPSTOP_NONE || other == RIPSTOP_NONE) continue;
      if (pass)
        to[first[s + 1]++] = other;
      else
        first[s + 2]++;
      ripstop_join(j->part, s, other);
    }
    for (uint32_t s = 0; !pass && s < f->switches; s++) first[s + 2] += first[s + 1];
  }
  for (uint32_t s = 0; s < f->switches; s++) {
    j->tier[s] = f->is_edge[s] ? 0 : RIPSTOP_NONE;
    if (f->is_edge[s]) queue[count++] = s;
  }
  for (uint32_t at = 0; at < count; at++)
    for (uint32_t i = first[queue[at]]; i < first[queue[at] + 1]; i++) {
      if (j->tier[to[i]] != RIPSTOP_NONE) continue;
      j->tier[to[i]] = j->tier[queue[at]] + 1;
      queue[count++] = to[i];
    }
}

static void raise(judging *j, uint32_t to, bool down, int32_t turns) {
  if (turns > j->turns[2 * to + down]) j->turns[2 * to + down] = turns;
  if (turns > (int32_t)j->most_turns) j->most_turns = (uint32_t)turns;
}

/* A path that goes up after it went down has turned. */
static void count_turns(judging *j, uint32_t class_) {
  const fib *f = j->f;
  const uint32_t *entry = entries_of(j, class_);
  for (uint32_t s = 0; s < f->switches; s++) {
    j->turns[2 * s] = j->pairs[s] ? 0 : -1;
    j->turns[2 * s + 1] = -1;
    j->no_tiers |= j->pairs[s] && !(j->walk.flag[s] & FIB_SETTLED);
  }
  for (uint32_t i = j->walk.settled; i-- > 0;) {
    const uint32_t s = j->walk.order[i];
    const int32_t up = j->turns[2 * s], down = j->turns[2 * s + 1];
    if (!fib_is_set(entry[s]) || (up < 0 && down < 0)) continue;
    const fib_set *set = &f->set[entry[s]];
    for (const fib_hop *h = &f->hop[set->first], *end = h + set->count; h < end; h++) {
      if (h->to == FIB_LOST) continue;
      if (j->tier[h->to] == j->tier[s]) j->no_tiers = true;
      if (j->tier[h->to] < j->tier[s])
        raise(j, h->to, true, up > down ? up : down);
      else
        raise(j, h->to, false, down >= 0 && down + 1 > up ? down + 1 : up);
    }
  }
}

/* ------------------------------------------------------------------ all groups */

static void judge_group(judging *j, uint32_t group) {
  const fib_group *g = &j->f->group[group];
  ripstop_arena_clear(j->group);
  fib_pairs_of(j->f, group, j->first_host, j->host_of, j->pairs);
  join_classes(j, g);
  count_pairs(j, group);
  find_each(j, g);
  if (g->count > 1) j->link_bits = RIPSTOP_ARRAY(j->group, (size_t)j->f->c->ports * j->words + 1, uint64_t);
  for (uint32_t c = g->first; c < g->first + g->count; c++) {
    if (g->count > 1) fib_walk_class(&j->walk, entries_of(j, c)); /* else join_classes has just done it */
    add_loads(j, c, g->count);
    add_sources(j, c);
    add_lengths(j, c, g->count);
    count_turns(j, c);
  }
  close_links(j);
}

static void close_loads(judging *j) {
  fib_verdict *o = j->out;
  const fib *f = j->f;
  o->worst_ports = RIPSTOP_ARRAY(f->arena, (size_t)f->c->ports + 1, uint32_t);
  for (uint32_t p = 0; p < f->c->ports; p++) {
    const cabling_port *port = &f->c->port[p];
    if (f->switch_of[port->node] == RIPSTOP_NONE || port->peer == RIPSTOP_NONE) continue;
    if (f->switch_of[f->c->port[port->peer].node] == RIPSTOP_NONE) continue;
    o->links++;
    o->unused += rational_is_zero(j->load[p]);
    if (j->load_about[p] > o->about) o->about = j->load_about[p];
    if (j->any_hash[p] > o->worst_any_hash) o->worst_any_hash = j->any_hash[p];
    if (!rational_fits(j->load[p])) o->worst = rational_lost();
    if (!rational_fits(o->worst) || rational_is_zero(j->load[p]) || rational_above(o->worst, j->load[p])) continue;
    if (rational_above(j->load[p], o->worst)) o->worst_count = 0;
    o->worst = j->load[p];
    o->worst_ports[o->worst_count++] = p;
  }
  if (!rational_fits(o->worst)) o->worst_count = 0;
}

static void open_judging(judging *j, fib *f, fib_verdict *out, ripstop_arena *scratch, ripstop_arena *group) {
  const size_t n = (size_t)f->switches + 1, ports = (size_t)f->c->ports + 1;
  *out = (fib_verdict){.worst = rational_of(0), .hop_sum = rational_of(0)};
  *j = (judging){.f = f,
                 .out = out,
                 .pairs = RIPSTOP_ARRAY(scratch, n, uint64_t),
                 .all = RIPSTOP_ARRAY(scratch, n, uint8_t),
                 .any = RIPSTOP_ARRAY(scratch, n, uint8_t),
                 .load = RIPSTOP_ARRAY(scratch, ports, rational),
                 .flow = RIPSTOP_ARRAY(scratch, n, rational),
                 .load_about = RIPSTOP_ARRAY(scratch, ports, double),
                 .flow_about = RIPSTOP_ARRAY(scratch, n, double),
                 .any_hash = RIPSTOP_ARRAY(scratch, ports, uint64_t),
                 .words = f->switches / 64 + 1,
                 .sources = RIPSTOP_ARRAY(scratch, n * (f->switches / 64 + 1), uint64_t),
                 .shortest = RIPSTOP_ARRAY(scratch, n, uint32_t),
                 .longest = RIPSTOP_ARRAY(scratch, n, uint32_t),
                 .parts = RIPSTOP_ARRAY(scratch, n, rational *),
                 .mean = RIPSTOP_ARRAY(scratch, n, double),
                 .part = ripstop_forest(scratch, f->switches),
                 .tier = RIPSTOP_ARRAY(scratch, n, uint32_t),
                 .turns = RIPSTOP_ARRAY(scratch, 2 * n, int32_t),
                 .scratch = scratch,
                 .group = group};
  for (size_t p = 0; p < ports; p++) j->load[p] = rational_of(0);
  fib_walk_open(&j->walk, f, scratch);
  fib_group_hosts(f, scratch, &j->first_host, &j->host_of);
  find_tiers(j);
}

void fib_judge(fib *f, fib_verdict *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  RIPSTOP_LOCAL_ARENA(group);
  judging j;
  open_judging(&j, f, out, scratch, group);
  for (uint32_t g = 0; g < f->groups; g++) judge_group(&j, g);
  close_loads(&j);
  out->classes_needed = j.no_tiers ? 0 : j.most_turns + 1;
}
