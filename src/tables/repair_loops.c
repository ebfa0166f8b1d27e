/* repair_loops.c - new dependencies after entries have changed. Transient states: dependencies of packets that cross
 * a changed entry. New tables alone: dependencies of the old paths and the new ones. */
#include "tables/repair_state.h"

static const uint16_t *row_of(const repair *r, const ripstop_forwarding *t, uint32_t address) {
  return t->port + (size_t)address * r->switches;
}

/* Lists the switches from which packets may cross a changed entry in some transient state. */
static uint32_t list_upstream(repair *r, const ripstop_view *view, const torn *t) {
  const switch_graph *c = &r->net;
  const uint16_t *old = row_of(r, r->original, t->address), *now = row_of(r, r->now, t->address);
  uint32_t count = 0;
  r->marked++;
  for (uint32_t i = 0; i < t->count; i++) {
    const member *m = &r->member[t->first + i];
    if (now[m->s] == m->port) continue;
    r->mark[m->s] = r->marked;
    r->list[count++] = m->s;
  }
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t out = c->out_first[r->list[i]]; out < c->out_first[r->list[i] + 1]; out++) {
      uint32_t other = c->to[out];
      if (r->mark[other] == r->marked || !view->port_up[c->port[out]]) continue;
      if (!switch_graph_leads_back(c, old, out) && !switch_graph_leads_back(c, now, out)) continue;
      r->mark[other] = r->marked;
      r->list[count++] = other;
    }
  return count;
}

static bool transient_loop(repair *r, const ripstop_view *view) {
  if (r->looping && depend_witness_holds(&r->mixed, view)) return true;
  const ripstop_forwarding *const tables[] = {r->original, r->now};
  for (uint32_t i = 0; i < r->changes; i++) {
    const torn *t = &r->change[i];
    const depend_mix m = {
        .view = view, .tables = tables, .table_count = 2, .levels = tables, .level_count = 1, .address = t->address};
    uint32_t count = list_upstream(r, view, t);
    if (count > 0) depend_add(&r->mixed, &m, r->list, count);
  }
  return depend_cycle(&r->mixed, view);
}

bool repair_transient_loop(repair *r) { return transient_loop(r, r->view); }
bool repair_written_loop(repair *r) { return transient_loop(r, r->before); }

static void open_own(repair *r) {
  const depend_mix m = {.view = r->before, .tables = &r->original, .table_count = 1};
  depend_open(&r->own, r->arena, &r->net, &m, r->mixed.lanes, DEPEND_COUNTED);
  for (uint32_t s = 0; s < r->switches; s++) r->list[s] = s;
  for (uint32_t a = 0; a < r->data; a++) {
    depend_paths(&r->own, r->before, r->original, r->list, r->switches, a, false);
    depend_settle(&r->own);
  }
  depend_add_groups(&r->own, &m, 0);
  depend_settle(&r->own);
  depend_sort(&r->own);
}

/* Removes the paths of a switch before the faults, for all addresses, or with `come` adds the present ones. */
static void recount_switch(repair *r, uint32_t s, bool come) {
  const ripstop_view *view = come ? r->view : r->before;
  for (uint32_t a = 0; a < r->data; a++) depend_paths(&r->own, view, come ? r->now : r->original, &s, 1, a, !come);
}

/* Marks and recounts the switches of failed end nodes. */
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

/* A failed cable can take VLs of other cables from multicast packets, if a VL depends on the input port. */
static void recount_groups(repair *r, bool come) {
  const depend_mix m = {.view = come ? r->view : r->before, .tables = &r->original, .table_count = 1};
  if (r->own.by_input) come ? depend_add_groups(&r->own, &m, 0) : depend_take_groups(&r->own, &m);
}

static void recount(repair *r, bool come) {
  const ripstop_view *view = come ? r->view : r->before;
  recount_groups(r, come);
  recount_dead(r, come);
  for (uint32_t i = 0; i < r->changes; i++) {
    const torn *t = &r->change[i];
    uint32_t count = 0;
    for (uint32_t k = t->first; k < t->first + t->count; k++)
      if (r->mark[r->member[k].s] != r->marked) r->list[count++] = r->member[k].s;
    depend_paths(&r->own, view, come ? r->now : r->original, r->list, count, t->address, !come);
  }
}

/* ------------------------------------------------------------------ a cycle of the original tables */

/* True if an end node's packets for an address take both vertices, one after the other, in the view. */
static bool makes(const repair *r, const ripstop_forwarding *tables, const maker *m, uint32_t from, uint32_t to) {
  const ripstop_fabric *f = r->fabric;
  return r->view->port_up[f->port_base[m->end]] && r->view->port_up[f->port_base[tables->node[m->address]]] &&
         depend_path_makes(&r->mixed, r->view, tables, m->end, m->address, from, to);
}

/* Finds an end node at a switch that sends to an address over both vertices. */
static bool find_sender(const repair *r, maker *m, uint32_t s, uint32_t from, uint32_t to) {
  const switch_graph *c = &r->net;
  bool found = false;
  for (uint32_t i = c->end_first[s]; i < c->end_first[s + 1] && !found; i++) {
    m->end = c->end[i];
    found = m->end != r->original->node[m->address] && makes(r, r->original, m, from, to);
  }
  return found;
}

/* Finds the nearest switch behind the first vertex whose end nodes send over both. */
static bool find_source(repair *r, maker *m, uint32_t from, uint32_t to) {
  const switch_graph *c = &r->net;
  const uint16_t *entry = row_of(r, r->original, m->address);
  uint32_t count = 0;
  r->marked++;
  r->list[count++] = c->to[c->back[from / r->mixed.lanes]];
  r->mark[r->list[0]] = r->marked;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t s = r->list[i];
    if (find_sender(r, m, s, from, to)) return true;
    for (uint32_t out = c->out_first[s]; out < c->out_first[s + 1]; out++) {
      if (r->mark[c->to[out]] == r->marked || !switch_graph_leads_back(c, entry, out)) continue;
      r->mark[c->to[out]] = r->marked;
      r->list[count++] = c->to[out];
    }
  }
  return false;
}

/* Finds packets with a short path that cause an edge. */
static bool find_maker(repair *r, maker *m, uint32_t from, uint32_t to) {
  const switch_graph *c = &r->net;
  uint32_t one = from / r->mixed.lanes, other = to / r->mixed.lanes, s = c->to[one], least = RIPSTOP_NONE;
  maker best = {0};
  for (uint32_t a = 0; a < r->data; a++) {
    const uint16_t *entry = row_of(r, r->original, a);
    m->address = a;
    if (entry[c->to[c->back[one]]] != c->local[one] || entry[s] != c->local[other]) continue;
    if (hops_of(r, a)[s] >= least || !find_source(r, m, from, to)) continue;
    least = hops_of(r, a)[s];
    best = *m;
  }
  *m = best;
  return least != RIPSTOP_NONE;
}

void repair_find_makers(repair *r) {
  const depend *g = &r->mixed;
  bool found = r->looping;
  r->cycle = RIPSTOP_ARRAY(r->arena, g->witnesses, maker);
  for (uint32_t i = 0; i < g->witnesses && found; i++) {
    maker *m = &r->cycle[i];
    m->from = g->witness[i];
    m->to = g->witness[(i + 1) % g->witnesses];
    found = find_maker(r, m, m->from, m->to);
  }
  r->cycles = found ? g->witnesses : 0;
}

/* True if packets on their old paths, at least the part that remains, still cause the whole cycle. */
static bool old_cycle_lives(const repair *r) {
  bool lives = r->cycles > 0;
  for (uint32_t i = 0; i < r->cycles && lives; i++)
    lives = makes(r, r->now, &r->cycle[i], r->cycle[i].from, r->cycle[i].to);
  return lives;
}

/* A known cycle that remains without the removed paths also remains after new paths are added. */
bool repair_credit_loop(repair *r) {
  if (old_cycle_lives(r)) return true;
  if (!r->own.net) open_own(r);
  recount(r, false);
  bool loop = depend_witness_holds(&r->own, r->view);
  if (!loop) {
    recount(r, true);
    loop = depend_cycle(&r->own, r->view);
  }
  depend_undo(&r->own);
  return loop;
}
