/* chains.c - sends the paths of each destination down its chain, and those of other switches up to it. */
#include "mend/chains.h"

#include <string.h>

#define LITTLE 1e-6 /* a part of a path that only rounding leaves */

static uint32_t column_of(const mend_levels *l, uint32_t s) { return l->above[l->level[s]][s]; }

/* Lists the switches of each column, in the order of their numbers. */
static void find_members(mend_chains *k, ripstop_arena *arena) {
  const mend_levels *l = k->l;
  const uint32_t switches = l->net->switches;
  k->member_first = RIPSTOP_ARRAY(arena, (size_t)switches + 2, uint32_t);
  k->members = RIPSTOP_ARRAY(arena, switches, uint32_t);
  for (uint32_t s = 0; s < switches; s++)
    if (l->level[s] <= l->top) k->member_first[column_of(l, s) + 2]++;
  for (uint32_t s = 0; s < switches; s++) k->member_first[s + 2] += k->member_first[s + 1];
  for (uint32_t s = 0; s < switches; s++)
    if (l->level[s] <= l->top) k->members[k->member_first[column_of(l, s) + 1]++] = s;
}

/* Each switch passes on what arrives over all its channels up alike. */
static void find_sums(mend_chains *k) {
  const mend_levels *l = k->l;
  const switch_graph *net = l->net;
  for (uint32_t s = 0; s < net->switches; s++) k->all[s] = (double)net->hosts[s] * net->addresses;
  for (uint32_t level = 0; level < l->top; level++)
    for (uint32_t s = 0; s < net->switches; s++)
      for (uint32_t i = l->up_first[s]; l->level[s] == level && i < l->up_first[s + 1]; i++)
        k->all[l->up_to[i]] += k->all[s] / mend_levels_ups(l, s);
}

void mend_chains_make(mend_chains *k, const mend_levels *l, const mend_trees *t, ripstop_arena *arena) {
  *k = (mend_chains){.l = l, .t = t};
  k->all = RIPSTOP_ARRAY(arena, l->net->switches, double);
  k->used = RIPSTOP_ARRAY(arena, l->net->switches, double);
  k->laid = RIPSTOP_ARRAY(arena, l->net->switches, uint8_t);
  k->chain = RIPSTOP_ARRAY(arena, l->net->switches, uint8_t);
  find_members(k, arena);
  find_sums(k);
}

/* ------------------------------------------------------------------ one chain */

static void enter(mend_chains *k, uint32_t s, uint32_t c) {
  k->row[s] = k->l->net->local[c];
  k->laid[s] = 1;
}

/* A channel of a switch into the column to which channel up number `at` of another switch of its own column leads. */
static uint32_t up_like(const mend_chains *k, uint32_t s, uint32_t over, uint32_t at) {
  return mend_levels_up_into(k->l, k->leads, s, k->l->up_column[k->l->up_first[over] + at], at);
}

/* The channel up, by its number, of the part of a quota; columns of one plane begin at different ones, so that a
 * destination in two of them meets no top twice. */
static uint32_t channel_at(const mend_chains *k, uint32_t over, double part) {
  const mend_levels *l = k->l;
  uint32_t ups = mend_levels_ups(l, over), piece = (uint32_t)(part / k->all[over] * ups + LITTLE);
  return (piece + l->place[over] * ups / l->places[over]) % ups;
}

/* Other switches of the column take the channels of the quota in turn, the next switch of the column first. So each
 * switch has all turns, once for each other switch, and its channels up are even as well. */
static void send_up(mend_chains *k, uint32_t over, double weight) {
  const mend_levels *l = k->l;
  const uint32_t first = k->member_first[column_of(l, over)], others = l->members[over] - 1;
  const uint32_t shift = (uint32_t)k->used[over];
  for (uint32_t i = 0; i <= others; i++) {
    uint32_t s = k->members[first + i];
    if (s == over || k->laid[s] || !k->reaches[s] || k->down[s] != RIPSTOP_NONE) continue;
    uint32_t turn = ((l->index[s] + others - l->index[over]) % (others + 1) + shift) % others;
    uint32_t c = up_like(k, s, over, channel_at(k, over, k->used[over] + weight * (turn + 0.5) / others));
    if (c != RIPSTOP_NONE) enter(k, s, c);
  }
}

static void follow(mend_chains *k, uint32_t over, double weight) {
  const mend_levels *l = k->l;
  const uint32_t ups = mend_levels_ups(l, over);
  if (ups == 0 || k->all[over] <= 0) return;
  send_up(k, over, weight);
  const double begin = k->used[over], end = begin + weight, size = k->all[over] / ups;
  k->used[over] = end;
  double at = begin;
  while (at < end - LITTLE) {
    double next = size * (double)((uint64_t)(at / size + LITTLE) + 1);
    if (next > end) next = end;
    uint32_t up = l->up_first[over] + channel_at(k, over, at), to = l->up_to[up];
    if (!k->laid[to]) enter(k, to, l->ups[up] ^ 1);
    follow(k, to, next - at);
    at = next;
  }
}

/* ------------------------------------------------------------------ the others */

static uint32_t load_on(const mend_chains *k, uint32_t s) {
  const switch_graph *net = k->l->net;
  return k->row[s] == RIPSTOP_NO_PORT ? 0 : k->t->load[switch_graph_next(net, k->row, s)];
}

/* True if a packet may go on over this channel: down on a path to the leaf, or up from a switch without one. */
static bool leads_on(const mend_chains *k, uint32_t c, const bool *leads) {
  const mend_levels *l = k->l;
  uint32_t s = l->net->from[c], to = l->net->to[c];
  if (k->down[s] == RIPSTOP_NONE) return l->level[to] > l->level[s] && leads[to];
  return l->level[to] < l->level[s] && (to == k->leaf || k->down[to] != RIPSTOP_NONE);
}

/* Switches outside the chain join it if they can. Otherwise the load decides, here and on the next channel. */
static uint32_t choose(const mend_chains *k, uint32_t s, const bool *leads) {
  const switch_graph *net = k->l->net;
  uint32_t best = RIPSTOP_NONE, least = 0;
  bool joins = false;
  for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
    uint32_t c = net->out[i], to = net->to[c], load = k->t->load[c];
    if (!leads_on(k, c, leads) || (joins && !k->chain[to])) continue;
    if (load_on(k, to) > load) load = load_on(k, to);
    if (best == RIPSTOP_NONE || load < least || (k->chain[to] && !joins)) best = c, least = load;
    joins |= k->chain[to];
  }
  return best;
}

static void enter_rest(mend_chains *k, uint32_t s) {
  if (k->laid[s] || !k->reaches[s]) return;
  uint32_t c = choose(k, s, k->leads);
  if (c == RIPSTOP_NONE) c = choose(k, s, k->reaches);
  if (c != RIPSTOP_NONE) enter(k, s, c);
}

void mend_chains_lay(mend_chains *k, uint32_t leaf, bool chain, uint16_t *row) {
  const uint32_t switches = k->l->net->switches;
  k->leaf = leaf;
  k->row = row;
  memset(k->laid, 0, switches);
  k->laid[leaf] = 1;
  if (chain) follow(k, leaf, 1);
  memcpy(k->chain, k->laid, switches);
  for (uint32_t i = switches; i-- > 0;)
    if (k->down[k->order[i]] != RIPSTOP_NONE) enter_rest(k, k->order[i]);
  for (uint32_t i = 0; i < switches; i++)
    if (k->down[k->order[i]] == RIPSTOP_NONE) enter_rest(k, k->order[i]);
}
