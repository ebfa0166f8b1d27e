/* dragonfly.c - recognises dragonflies: groups in which every switch is cabled to every other, and cables between the
 * groups. In groups of Dragonfly+ every leaf is cabled to every spine, and spines have the cables between the groups.
 *
 * Two switches of a group have most of the group as common neighbours, two that a global cable joins have nearly none.
 * Local cables join the switches of a group; between every two groups there is the usual number of global cables. If
 * there is an arrangement, it shows which switches a missing global cable joined: the k-th switch of a group, by
 * number, has cables to the groups at always the same distances. Cost: for each switch the square of its cables. */
#include <stdlib.h>
#include <string.h>

#include "recognise/recognised_graph.h"

typedef struct dragonfly {
  const recognised_graph *net;
  uint32_t *group, *index; /* [switches] */
  uint32_t groups, size;   /* switches of a group */
  uint32_t *member;        /* [groups * size] */
  uint32_t global;         /* cables between two groups */
  uint32_t leaves;         /* Dragonfly+: the first of a group; 0: it is a dragonfly */
  uint32_t twins;          /* cables that join two switches of a group */
} dragonfly;

/* Common neighbours of a switch and each of its neighbours, in the order of net->near. */
static uint32_t *count_common(const recognised_graph *net) {
  uint32_t *common = RIPSTOP_ARRAY(net->arena, net->first[net->switches] + 1, uint32_t);
  uint8_t *mark = RIPSTOP_ARRAY(net->arena, net->switches, uint8_t);
  for (uint32_t v = 0; v < net->switches; v++) {
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) mark[net->near[i].node] = 1;
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
      for (uint32_t u = net->near[i].node, j = net->first[u]; j < net->first[u + 1]; j++)
        common[i] += mark[net->near[j].node];
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) mark[net->near[i].node] = 0;
  }
  return common;
}

static uint32_t most_frequent(const uint32_t *times, uint32_t count) {
  uint32_t best = 1;
  for (uint32_t i = 2; i < count; i++)
    if (times[i] > times[best]) best = i;
  return best;
}

/* The usual number of common neighbours of two switches that have some. */
static uint32_t usual_common(const recognised_graph *net, const uint32_t *common) {
  uint32_t *times = RIPSTOP_ARRAY(net->arena, net->switches + 2, uint32_t);
  for (uint32_t i = 0; i < net->first[net->switches]; i++) times[common[i]]++;
  return most_frequent(times, net->switches + 1);
}

/* Cables with common neighbours of a switch, where a switch of the usual kind has no more than *usual. */
static uint32_t *count_close(const recognised_graph *net, const uint32_t *common, uint32_t least, uint32_t *usual) {
  uint32_t *close = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  uint32_t *times = RIPSTOP_ARRAY(net->arena, net->switches + 2, uint32_t);
  for (uint32_t v = 0; v < net->switches; v++) {
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) close[v] += 2 * common[i] >= least;
    times[close[v]]++;
  }
  *usual = most_frequent(times, net->switches + 1);
  return close;
}

/* Numbers what local cables join. Groups are numbered by their first switch, switches in a group by their own number.
 *
 * Where groups are joined by number ("absolute"), the switches of some groups that have one number are cabled to each
 * other as well, and are as close as a group. Few are in two such sets, and of a group never all: `apart` takes no
 * cable between two that are. */
static bool find_groups(dragonfly *d, bool apart) {
  const recognised_graph *net = d->net;
  uint32_t *common = count_common(net), *parent = ripstop_forest(net->arena, net->switches), most = 0, usual;
  uint32_t *members = RIPSTOP_ARRAY(net->arena, net->switches + 1, uint32_t);
  for (uint32_t i = 0; i < net->first[net->switches]; i++)
    if (common[i] > most) most = common[i];
  if (most == 0) return false;
  uint32_t least = apart ? usual_common(net, common) : most;
  const uint32_t *close = count_close(net, common, least, &usual);
  for (uint32_t v = 0; v < net->switches; v++)
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) {
      const uint32_t w = net->near[i].node;
      if (2 * common[i] >= least && !(apart && close[v] > usual && close[w] > usual)) ripstop_join(parent, v, w);
    }
  for (uint32_t v = 0; v < net->switches; v++) {
    d->group[v] = parent[v] == v ? d->groups++ : d->group[ripstop_root(parent, v)];
    d->index[v] = members[d->group[v]]++;
    if (d->index[v] + 1 > d->size) d->size = d->index[v] + 1;
  }
  uint32_t whole = 0;
  for (uint32_t g = 0; g < d->groups; g++) whole += members[g] == d->size;
  return d->groups >= 3 && 10 * whole >= 8 * d->groups;
}

/* Switches with hosts, but for those with few: a management host at a spine. */
static uint8_t *find_leaves(const recognised_graph *net) {
  uint8_t *leaf = RIPSTOP_ARRAY(net->arena, net->switches, uint8_t);
  uint32_t most = 0;
  for (uint32_t v = 0; v < net->switches; v++)
    if (net->hosts[v] > most) most = net->hosts[v];
  for (uint32_t v = 0; v < net->switches; v++) leaf[v] = net->hosts[v] > 0 && 4 * (uint64_t)net->hosts[v] >= most;
  return leaf;
}

typedef struct tally {
  uint32_t leaves, spines, times;
} tally;

static int by_shape(const void *a_, const void *b_) {
  const tally *a = a_, *b = b_;
  if (a->leaves != b->leaves) return a->leaves < b->leaves ? -1 : 1;
  return a->spines < b->spines ? -1 : a->spines > b->spines;
}

static uint64_t held_by(const tally *shape) { return (uint64_t)shape->times * (shape->leaves + shape->spines); }

/* The sizes of groups of leaves and spines that hold the most switches: four of five, in three groups or more. False:
 * no sizes do. */
static bool find_usual(dragonfly *d, tally *list) {
  tally most = {0};
  qsort(list, d->groups, sizeof *list, by_shape);
  for (uint32_t i = 0, j; i < d->groups; i = j) {
    for (j = i; j < d->groups && by_shape(&list[i], &list[j]) == 0; j++) list[i].times++;
    if (list[i].leaves && list[i].spines && held_by(&list[i]) > held_by(&most)) most = list[i];
  }
  d->leaves = most.leaves;
  d->size = most.leaves + most.spines;
  return most.times >= 3 && 10 * held_by(&most) >= 8 * (uint64_t)d->net->switches;
}

/* Groups: leaves and spines that cables join. Leaves are numbered from 0, spines behind the usual number of leaves. */
static bool find_plus_groups(dragonfly *d) {
  const recognised_graph *net = d->net;
  const uint8_t *leaf = find_leaves(net);
  uint32_t *parent = ripstop_forest(net->arena, net->switches);
  for (uint32_t i = 0; i < net->cables; i++)
    if (leaf[net->cable[i].a] != leaf[net->cable[i].b]) ripstop_join(parent, net->cable[i].a, net->cable[i].b);
  tally *list = RIPSTOP_ARRAY(net->arena, 2 * (size_t)net->switches, tally), *of = list + net->switches;
  for (uint32_t v = 0; v < net->switches; v++) {
    d->group[v] = parent[v] == v ? d->groups++ : d->group[ripstop_root(parent, v)];
    d->index[v] = leaf[v] ? of[d->group[v]].leaves++ : of[d->group[v]].spines++;
  }
  memcpy(list, of, d->groups * sizeof *list);
  if (!find_usual(d, list)) return false;
  for (uint32_t v = 0; v < net->switches; v++) {
    bool fits = leaf[v] ? d->index[v] < d->leaves : d->index[v] < d->size - d->leaves;
    d->index[v] = fits ? d->index[v] + (leaf[v] ? 0 : d->leaves) : RIPSTOP_NONE;
  }
  return true;
}

/* The most common number of cables between two switches of one group. */
static uint32_t count_twins(const dragonfly *d) {
  uint32_t times[8] = {0}, best = 1;
  for (uint32_t v = 0; v < d->net->switches; v++)
    for (uint32_t i = d->net->first[v]; i < d->net->first[v + 1]; i++)
      if (d->group[d->net->near[i].node] == d->group[v] && d->net->near[i].cables < 8) times[d->net->near[i].cables]++;
  for (uint32_t i = 2; i < 8; i++)
    if (times[i] > times[best]) best = i;
  return best;
}

static void list_members(dragonfly *d) {
  size_t count = (size_t)d->groups * d->size;
  d->member = memset(RIPSTOP_ARRAY(d->net->arena, count, uint32_t), 0xff, count * sizeof *d->member);
  for (uint32_t v = 0; v < d->net->switches; v++)
    if (d->index[v] != RIPSTOP_NONE) d->member[(size_t)d->group[v] * d->size + d->index[v]] = v;
}

/* The most frequent number of cables between two groups. False when too many groups have none between them. */
static bool count_global(dragonfly *d) {
  uint32_t *between = RIPSTOP_ARRAY(d->net->arena, (size_t)d->groups * d->groups, uint32_t), times[64] = {0};
  for (uint32_t i = 0; i < d->net->cables; i++) {
    uint32_t a = d->group[d->net->cable[i].a], b = d->group[d->net->cable[i].b];
    if (a != b) between[(size_t)a * d->groups + b]++, between[(size_t)b * d->groups + a]++;
  }
  for (uint32_t a = 0; a < d->groups; a++)
    for (uint32_t b = a + 1; b < d->groups; b++)
      if (between[(size_t)a * d->groups + b] < 64) times[between[(size_t)a * d->groups + b]]++;
  for (uint32_t i = 1; i < 64; i++)
    if (times[i] > times[d->global] || d->global == 0) d->global = times[i] > 0 ? i : d->global;
  return d->global > 0 && 5 * (uint64_t)times[0] * 2 <= (uint64_t)d->groups * (d->groups - 1);
}

static uint32_t distance(const dragonfly *d, uint32_t from, uint32_t to) { return (to + d->groups - from) % d->groups; }

static uint64_t role(uint32_t kind, uint32_t index, uint32_t other) {
  return (uint64_t)kind << 60 | (uint64_t)index << 30 | other;
}

static void want_local(const dragonfly *d, ripstop_model *m) {
  for (uint32_t g = 0; g < d->groups; g++)
    for (uint32_t i = 0; i < (d->leaves ? d->leaves : d->size); i++)
      for (uint32_t j = d->leaves ? d->leaves : i + 1; j < d->size; j++) {
        uint32_t a = d->member[(size_t)g * d->size + i], b = d->member[(size_t)g * d->size + j];
        for (uint32_t k = 0; k < d->twins && a != RIPSTOP_NONE && b != RIPSTOP_NONE; k++)
          ripstop_model_want(m, d->net->arena, a, b, role(1, i, j), role(1, j, i));
      }
}

/* The arrangement by majority: for each distance between groups, which switches of both have the cables. */
typedef struct habit {
  uint32_t distance, from, to, times;
} habit;

static int by_distance(const void *a_, const void *b_) {
  const habit *a = a_, *b = b_;
  if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
  if (a->from != b->from) return a->from < b->from ? -1 : 1;
  return a->to < b->to ? -1 : a->to > b->to;
}

static habit *learn(const dragonfly *d, uint32_t *count) {
  habit *list = RIPSTOP_ARRAY(d->net->arena, 2 * (size_t)d->net->cables + 1, habit);
  uint32_t all = 0, kept = 0;
  for (uint32_t i = 0; i < d->net->cables; i++) {
    uint32_t a = d->net->cable[i].a, b = d->net->cable[i].b, ga = d->group[a], gb = d->group[b];
    if (ga == gb || d->index[a] == RIPSTOP_NONE || d->index[b] == RIPSTOP_NONE) continue;
    list[all++] = (habit){distance(d, ga, gb), d->index[a], d->index[b], 1};
    list[all++] = (habit){distance(d, gb, ga), d->index[b], d->index[a], 1};
  }
  qsort(list, all, sizeof *list, by_distance);
  for (uint32_t i = 0; i < all; i++)
    if (kept > 0 && by_distance(&list[kept - 1], &list[i]) == 0)
      list[kept - 1].times++;
    else
      list[kept++] = list[i];
  *count = kept;
  return list;
}

static void want_between(const dragonfly *d, ripstop_model *m, uint32_t a, uint32_t b, uint32_t g, uint32_t h) {
  ripstop_model_want(m, d->net->arena, a, b, role(2, d->index[a], distance(d, g, h)),
                     role(2, d->index[b], distance(d, h, g)));
}

/* Dragonfly+: in a group that is larger than usual some switches have no place. */
static bool is_member(const dragonfly *d, uint32_t v, uint32_t group) {
  return d->group[v] == group && d->index[v] != RIPSTOP_NONE;
}

/* The cables that are there between two groups, as many as are usual. Returns how many are left to be wanted. */
static uint32_t want_present(const dragonfly *d, ripstop_model *m, uint32_t g, uint32_t h) {
  uint32_t left = d->global;
  for (uint32_t i = 0; i < d->size; i++) {
    uint32_t a = d->member[(size_t)g * d->size + i];
    if (a == RIPSTOP_NONE) continue;
    for (uint32_t k = d->net->first[a]; k < d->net->first[a + 1]; k++)
      for (uint32_t c = 0; is_member(d, d->net->near[k].node, h) && c < d->net->near[k].cables && left > 0; c++, left--)
        want_between(d, m, a, d->net->near[k].node, g, h);
  }
  return left;
}

/* Cables between two switches of which each has fewer global ones than the usual switch. */
static bool is_short(const dragonfly *d, uint32_t v, uint32_t usual) {
  uint32_t count = 0;
  for (uint32_t k = d->net->first[v]; k < d->net->first[v + 1]; k++)
    count += d->group[d->net->near[k].node] != d->group[v] ? d->net->near[k].cables : 0;
  return count < usual;
}

/* The one switch of a group that has fewer global cables than the usual one; RIPSTOP_NONE: none has, or several. */
static uint32_t only_short(const dragonfly *d, uint32_t g, uint32_t usual) {
  uint32_t found = RIPSTOP_NONE, count = 0;
  for (uint32_t i = 0; i < d->size; i++) {
    uint32_t v = d->member[(size_t)g * d->size + i];
    if (v == RIPSTOP_NONE || !is_short(d, v, usual)) continue;
    found = v;
    count++;
  }
  return count == 1 ? found : RIPSTOP_NONE;
}

/* Wants what is missing between two groups: between the only switches of both that have one too few, or else where most
 * pairs of groups at this distance have it, when its switches have one too few. */
static void want_missing(const dragonfly *d, ripstop_model *m, const habit *list, uint32_t count, uint32_t g,
                         uint32_t h, uint32_t left, uint32_t usual) {
  uint32_t best = RIPSTOP_NONE, apart = distance(d, g, h);
  uint32_t one = only_short(d, g, usual), other = only_short(d, h, usual);
  if (one != RIPSTOP_NONE && other != RIPSTOP_NONE && recognised_between(d->net, one, other) == 0) {
    want_between(d, m, one, other, g, h);
    m->unplaced += left - 1;
    return;
  }
  for (uint32_t i = 0; i < count && left > 0; i++) {
    if (list[i].distance != apart) continue;
    uint32_t a = d->member[(size_t)g * d->size + list[i].from], b = d->member[(size_t)h * d->size + list[i].to];
    if (a == RIPSTOP_NONE || b == RIPSTOP_NONE || recognised_between(d->net, a, b) > 0) continue;
    if (!is_short(d, a, usual) || !is_short(d, b, usual)) continue;
    if (best == RIPSTOP_NONE || list[i].times > list[best].times) best = i;
  }
  m->unplaced += left - (best != RIPSTOP_NONE);
  if (best != RIPSTOP_NONE)
    want_between(d, m, d->member[(size_t)g * d->size + list[best].from], d->member[(size_t)h * d->size + list[best].to],
                 g, h);
}

static uint32_t usual_global(const dragonfly *d) {
  uint32_t times[256] = {0}, best = 0;
  for (uint32_t v = 0; v < d->net->switches; v++) {
    uint32_t count = 0;
    for (uint32_t k = d->net->first[v]; k < d->net->first[v + 1]; k++)
      count += d->group[d->net->near[k].node] != d->group[v] ? d->net->near[k].cables : 0;
    if (count < 256) times[count]++;
  }
  for (uint32_t i = 1; i < 256; i++)
    if (times[i] > 0 && (best == 0 || times[i] >= times[best])) best = i;
  return best;
}

static void want_global(const dragonfly *d, ripstop_model *m) {
  uint32_t habits, usual = usual_global(d);
  const habit *list = learn(d, &habits);
  for (uint32_t g = 0; g < d->groups; g++)
    for (uint32_t h = g + 1; h < d->groups; h++) {
      uint32_t left = want_present(d, m, g, h);
      if (left > 0) want_missing(d, m, list, habits, g, h, left, usual);
    }
}

static void fill_model(dragonfly *d, ripstop_model *m) {
  const recognised_graph *net = d->net;
  d->twins = count_twins(d);
  list_members(d);
  want_local(d, m);
  want_global(d, m);
  m->loose = true; /* any two groups have their cables, wherever these end */
  m->dims = 2;
  m->place = RIPSTOP_ARRAY(net->arena, 2 * (size_t)net->switches, uint16_t);
  for (uint32_t v = 0; v < net->switches; v++) {
    m->place[2 * (size_t)v] = (uint16_t)d->group[v];
    m->place[2 * (size_t)v + 1] = (uint16_t)d->index[v];
  }
}

static dragonfly begin(const recognised_graph *net) {
  return (dragonfly){.net = net,
                     .group = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t),
                     .index = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t)};
}

bool ripstop_model_dragonfly(const recognised_graph *net, ripstop_model *m) {
  dragonfly d = begin(net);
  bool found = net->switches >= 6 && find_groups(&d, false) && count_global(&d);
  if (!found) {
    d = begin(net);
    found = net->switches >= 6 && find_groups(&d, true) && count_global(&d);
  }
  if (!found) return false;
  fill_model(&d, m);
  m->family = "dragonfly";
  m->shape = ripstop_arena_printf(net->arena, "%u groups of %u switches; %u cables between two groups, %u of a switch",
                                  d.groups, d.size, d.global, usual_global(&d));
  return true;
}

bool ripstop_model_dragonfly_plus(const recognised_graph *net, ripstop_model *m) {
  dragonfly d = begin(net);
  if (net->switches < 6 || !find_plus_groups(&d) || !count_global(&d)) return false;
  fill_model(&d, m);
  m->family = "dragonfly+";
  m->shape = ripstop_arena_printf(net->arena,
                                  "%u groups of %u leaves and %u spines; %u cables between two groups, %u of a spine",
                                  d.groups, d.leaves, d.size - d.leaves, d.global, usual_global(&d));
  return true;
}
