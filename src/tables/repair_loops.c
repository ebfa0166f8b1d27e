/* repair_loops.c - what packets can come to wait for when entries have changed: of mixtures of old and new ones by what
 * comes by a changed entry, of the new ones alone by what the old paths and the new ones hold. */
#include "tables/repair_state.h"

static bool leads(const ripstop_forwarding *tables, uint32_t address, uint32_t switches, uint32_t s, uint16_t local) {
  return tables->port[(size_t)address * switches + s] == local;
}

/* Lists the switches from which packets may come by a changed entry under some mixture. */
static uint32_t list_upstream(repair *r, const torn *t) {
  const channels *c = &r->channels;
  uint32_t count = 0;
  r->marked++;
  for (uint32_t i = 0; i < t->count; i++) {
    const member *m = &r->member[t->first + i];
    if (leads(r->now, t->address, r->switches, m->s, m->port)) continue;
    r->mark[m->s] = r->marked;
    r->list[count++] = m->s;
  }
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t out = c->first[r->list[i]]; out < c->first[r->list[i] + 1]; out++) {
      uint32_t other = c->to[out];
      uint16_t local = c->local[c->back[out]];
      if (r->mark[other] == r->marked || !r->view->port_up[c->port[out]]) continue;
      if (!leads(r->original, t->address, r->switches, other, local) &&
          !leads(r->now, t->address, r->switches, other, local))
        continue;
      r->mark[other] = r->marked;
      r->list[count++] = other;
    }
  return count;
}

bool repair_mixture_loop(repair *r) {
  if (r->looping && turns_witness_holds(&r->mixed, r->view)) return true;
  for (uint32_t i = 0; i < r->changes; i++) {
    const torn *t = &r->change[i];
    const turns_mixing m = {.view = r->view, .one = r->original, .other = r->now, .address = t->address};
    uint32_t count = list_upstream(r, t);
    if (count > 0) turns_mix(&r->mixed, &m, r->list, count);
  }
  return turns_cycle(&r->mixed, r->view);
}

/* Adds the paths of the end nodes of a switch that are alive in the view, or takes them back. */
static void count_paths(repair *r, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t s,
                        uint32_t address, bool back) {
  const channels *c = &r->channels;
  uint32_t first = RIPSTOP_NONE, weight = 0;
  for (uint32_t i = c->end_first[s]; i < c->end_first[s + 1]; i++) {
    uint32_t end = c->end[i];
    if (end == tables->node[address] || !view->port_up[r->fabric->port_base[end]]) continue;
    if (weight > 0 && !channels_alike(tables, first, end, address)) {
      turns_path(&r->own, view, tables, first, address, back ? 0 - weight : weight);
      weight = 0;
    }
    if (weight++ == 0) first = end;
  }
  if (weight > 0) turns_path(&r->own, view, tables, first, address, back ? 0 - weight : weight);
}

static void open_own(repair *r) {
  turns_open(&r->own, r->arena, &r->channels, r->mixed.lanes);
  for (uint32_t a = 0; a < r->data; a++) {
    for (uint32_t s = 0; s < r->switches; s++) count_paths(r, r->before, r->original, s, a, false);
    turns_settle(&r->own);
  }
  turns_sort(&r->own);
}

/* The paths of a switch, whatever their address: those before the faults go, or those that are there now come. */
static void recount_switch(repair *r, uint32_t s, bool come) {
  const ripstop_view *view = come ? r->view : r->before;
  for (uint32_t a = 0; a < r->data; a++) count_paths(r, view, come ? r->now : r->original, s, a, !come);
}

/* Marks and recounts the switches that end nodes died at. */
static void recount_dead(repair *r, bool come) {
  const ripstop_fabric *f = r->fabric;
  r->marked++;
  for (uint32_t end = 0; end < f->ends; end++) {
    uint32_t s = ripstop_end_switch(f, end) - f->ends, port = f->port_base[end];
    if (r->before->port_up[port] == r->view->port_up[port] || r->mark[s] == r->marked) continue;
    r->mark[s] = r->marked;
    recount_switch(r, s, come);
  }
}

static void recount(repair *r, bool come) {
  const ripstop_view *view = come ? r->view : r->before;
  recount_dead(r, come);
  for (uint32_t i = 0; i < r->changes; i++)
    for (uint32_t k = 0; k < r->change[i].count; k++) {
      uint32_t s = r->member[r->change[i].first + k].s;
      if (r->mark[s] != r->marked) count_paths(r, view, come ? r->now : r->original, s, r->change[i].address, !come);
    }
}

/* A cycle that was known and lives on without all paths that go, lives on with those that come. */
bool repair_credit_loop(repair *r) {
  if (!r->own.channels) open_own(r);
  recount(r, false);
  bool loop = turns_witness_holds(&r->own, r->view);
  if (!loop) {
    recount(r, true);
    loop = turns_cycle(&r->own, r->view);
  }
  turns_undo(&r->own);
  return loop;
}
