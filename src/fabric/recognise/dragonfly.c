/* dragonfly.c - groups in which every switch is cabled to every other, and cables between the groups.
 *
 * Two switches of a group have most of the group as common neighbours, two that a global cable joins have nearly none.
 * Groups are what local cables join; between every two groups there is the usual number of global cables. Which
 * switches a missing global cable joined tells the arrangement, where there is one: the k-th switch of a group, by
 * number, has cables to the groups at always the same distances. Cost: for each switch the square of its cables. */
#include <stdlib.h>
#include <string.h>

#include "fabric/recognise/net.h"

typedef struct dragonfly {
  const ripstop_net *net;
  uint32_t *group, *index; /* [switches] */
  uint32_t groups, size;   /* switches of a group */
  uint32_t *member;        /* [groups * size] */
  uint32_t global;         /* cables between two groups */
} dragonfly;

/* Common neighbours of a switch and each of its neighbours, in the order of net->near. */
static uint32_t *count_common(const ripstop_net *net) {
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

/* Numbers what local cables join. Groups are numbered by their first switch, switches in a group by their own number.
 */
static bool find_groups(dragonfly *d) {
  const ripstop_net *net = d->net;
  uint32_t *common = count_common(net), *parent = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t), most = 0;
  uint32_t *members = RIPSTOP_ARRAY(net->arena, net->switches + 1, uint32_t);
  for (uint32_t i = 0; i < net->first[net->switches]; i++)
    if (common[i] > most) most = common[i];
  if (most == 0) return false;
  for (uint32_t v = 0; v < net->switches; v++) parent[v] = v;
  for (uint32_t v = 0; v < net->switches; v++)
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) {
      uint32_t a = ripstop_net_root(parent, v), b = ripstop_net_root(parent, net->near[i].node);
      if (2 * common[i] >= most) parent[a < b ? b : a] = a < b ? a : b;
    }
  for (uint32_t v = 0; v < net->switches; v++) {
    d->group[v] = parent[v] == v ? d->groups++ : d->group[ripstop_net_root(parent, v)];
    d->index[v] = members[d->group[v]]++;
    if (d->index[v] + 1 > d->size) d->size = d->index[v] + 1;
  }
  uint32_t whole = 0;
  for (uint32_t g = 0; g < d->groups; g++) whole += members[g] == d->size;
  return d->groups >= 3 && 10 * whole >= 8 * d->groups;
}

static void list_members(dragonfly *d) {
  size_t count = (size_t)d->groups * d->size;
  d->member = memset(RIPSTOP_ARRAY(d->net->arena, count, uint32_t), 0xff, count * sizeof *d->member);
  for (uint32_t v = 0; v < d->net->switches; v++) d->member[(size_t)d->group[v] * d->size + d->index[v]] = v;
}

/* How many cables there mostly are between two groups. False when too many groups have none between them. */
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
    for (uint32_t i = 0; i < d->size; i++)
      for (uint32_t j = i + 1; j < d->size; j++) {
        uint32_t a = d->member[(size_t)g * d->size + i], b = d->member[(size_t)g * d->size + j];
        if (a != RIPSTOP_NONE && b != RIPSTOP_NONE)
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
    if (ga == gb) continue;
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

/* The cables that are there between two groups, as many as are usual. Returns how many are left to be wanted. */
static uint32_t want_present(const dragonfly *d, ripstop_model *m, uint32_t g, uint32_t h) {
  uint32_t left = d->global;
  for (uint32_t i = 0; i < d->size; i++) {
    uint32_t a = d->member[(size_t)g * d->size + i];
    if (a == RIPSTOP_NONE) continue;
    for (uint32_t k = d->net->first[a]; k < d->net->first[a + 1]; k++)
      for (uint32_t c = 0; d->group[d->net->near[k].node] == h && c < d->net->near[k].cables && left > 0; c++, left--)
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

/* Wants what is missing between two groups: where most pairs of groups at this distance have it, when its switches have
 * one too few. */
static void want_missing(const dragonfly *d, ripstop_model *m, const habit *list, uint32_t count, uint32_t g,
                         uint32_t h, uint32_t left, uint32_t usual) {
  uint32_t best = RIPSTOP_NONE, apart = distance(d, g, h);
  for (uint32_t i = 0; i < count && left > 0; i++) {
    if (list[i].distance != apart) continue;
    uint32_t a = d->member[(size_t)g * d->size + list[i].from], b = d->member[(size_t)h * d->size + list[i].to];
    if (a == RIPSTOP_NONE || b == RIPSTOP_NONE || ripstop_net_between(d->net, a, b) > 0) continue;
    if (!is_short(d, a, usual) || !is_short(d, b, usual)) continue;
    if (best == RIPSTOP_NONE || list[i].times > list[best].times) best = i;
  }
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
    if (times[i] >= times[best]) best = i;
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

bool ripstop_model_dragonfly(const ripstop_net *net, ripstop_model *m) {
  dragonfly d = {.net = net,
                 .group = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t),
                 .index = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t)};
  if (net->switches < 6 || !find_groups(&d)) return false;
  if (!count_global(&d)) return false;
  list_members(&d);
  want_local(&d, m);
  want_global(&d, m);
  m->dims = 2;
  m->place = RIPSTOP_ARRAY(net->arena, 2 * (size_t)net->switches, uint16_t);
  for (uint32_t v = 0; v < net->switches; v++) {
    m->place[2 * (size_t)v] = (uint16_t)d.group[v];
    m->place[2 * (size_t)v + 1] = (uint16_t)d.index[v];
  }
  m->family = "dragonfly";
  m->shape = ripstop_arena_printf(net->arena, "%u groups of %u switches; %u cables between two groups, %u of a switch",
                                  d.groups, d.size, d.global, usual_global(&d));
  return true;
}
