/* whatif.c - fails one part after another, repairs tables, and undoes it; then finds a set of cables that can be
 * removed together. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/team.h"
#include "ripstop/kit/judge.h"
#include "route/plan_steps.h"
#include "tables/addresses.h"
#include "tables/repair.h"
#include "tables/repairer.h"

/* Sets of parts that several threads process, each with tables of its own. */
typedef struct share {
  const ripstop_view *view;
  const ripstop_forwarding *tables;
  const char *method; /* makes new tables; NULL: the old ones are repaired */
  uint64_t limit;
  const ripstop_faults *parts;
  uint32_t count;
  atomic_uint next;
  const ripstop_progress *progress; /* NULL: not requested */
  ripstop_what_if *out;
  ripstop_arena **reasons; /* [threads]: reasons that each thread received from methods without tables. NULL: not
                            * requested */
  atomic_bool failed;      /* a failure of the machine while tables were made: */
  ripstop_error why;       /* the first one */
} share;

/* NULL: the method has none for this view. */
static ripstop_forwarding *new_tables_of(const ripstop_view *view, const char *method, uint64_t limit,
                                         ripstop_error *err) {
  ripstop_answer answer;
  ripstop_forwarding *tables = NULL;
  ripstop_plan *plan = ripstop_plan_compile(view, method, &answer, err);
  if (!plan) return NULL;
  if (ripstop_plan_tables(plan, err) == RIPSTOP_APPLIES) tables = ripstop_forwarding_of_plan(plan, limit, &answer, err);
  if (tables && ripstop_forwarding_add_lanes(plan, tables, err) != RIPSTOP_APPLIES) {
    ripstop_forwarding_free(tables);
    tables = NULL;
  }
  ripstop_plan_free(plan);
  return tables;
}

/* Tables in place of older ones: repaired, if the method does that. */
static ripstop_forwarding *tables_of(const ripstop_view *view, const char *method, const ripstop_forwarding *old,
                                     uint64_t limit, ripstop_error *err) {
  ripstop_answer answer;
  ripstop_forwarding *tables = ripstop_plan_repair(view, method, old, NULL, &answer, err);
  return tables ? tables : new_tables_of(view, method, limit, err);
}

/* Judges tables as a whole that cannot be followed by their differences. */
static void judge_whole(const share *s, repair *r, const ripstop_forwarding *tables, ripstop_what_if *out,
                        ripstop_error *err) {
  ripstop_table_verdict v;
  ripstop_transient m;
  RIPSTOP_LOCAL_ARENA(scratch);
  if (ripstop_judge(scratch, repair_view(r), tables, NULL, &v, err) == 0 &&
      ripstop_judge_transient(scratch, repair_view(r), s->tables, tables, &m, err) == 0) {
    out->rerouted = true;
    out->worst = v.worst;
    out->unrouted = v.unreached - v.disconnected;
    out->credit_loop = v.credit_loop;
    out->transient_loop = m.credit_loop || m.looping > 0;
    out->changed = m.changed;
  }
}

static void ask_loops(repair *r, ripstop_what_if *out) {
  out->transient_loop = repair_transient_loop(r);
  out->credit_loop = out->transient_loop && repair_credit_loop(r);
}

/* State of a thread. */
typedef struct worker {
  repair *repair;
  ripstop_repairer *repairer; /* NULL: the method repairs nothing */
  ripstop_forwarding *anew;   /* tables that it made for the present part instead */
  uint32_t *address;          /* then: the entries that differ */
  ripstop_arena *reasons;     /* share.reasons of its thread */
} worker;

static worker open_worker(const share *s, ripstop_arena *arena) {
  ripstop_error err;
  ripstop_answer answer;
  worker w = {.repair = repair_new(s->view, s->tables)};
  if (!s->method) return w;
  w.repairer = ripstop_repairer_open(repair_view(w.repair), s->method, s->tables, &answer, &err);
  w.address = RIPSTOP_ARRAY(arena, s->tables->addresses, uint32_t);
  return w;
}

/* False: the method has no tables for the rest. */
static bool make_tables(const share *s, worker *w, ripstop_repaired *out, ripstop_error *err) {
  if (w->repairer && ripstop_repairer_follow(w->repairer, out, err) == RIPSTOP_APPLIES) return true;
  w->anew = new_tables_of(repair_view(w->repair), s->method, s->limit, err);
  *out = (ripstop_repaired){.tables = w->anew, .address = w->address};
  if (w->anew && repair_follows(w->repair, w->anew))
    out->addresses = ripstop_forwarding_differ(s->tables, w->anew, w->address);
  return w->anew != NULL;
}

static void reroute(share *s, worker *w, ripstop_what_if *out) {
  ripstop_error err = {0};
  ripstop_repaired now;
  if (make_tables(s, w, &now, &err)) {
    if (repair_follows(w->repair, now.tables)) {
      repair_follow(w->repair, &now, out);
      ask_loops(w->repair, out);
      out->rerouted = true;
    } else {
      judge_whole(s, w->repair, now.tables, out, &err);
    }
  }
  if (!out->rerouted && err.machine && !atomic_exchange(&s->failed, true)) s->why = err;
  if (!out->rerouted) out->why_not = ripstop_arena_text(w->reasons, err.text);
  ripstop_forwarding_free(w->anew);
  w->anew = NULL;
}

static void try_some(void *context, unsigned i) {
  share *s = context;
  RIPSTOP_LOCAL_ARENA(arena);
  worker w = open_worker(s, arena);
  if (s->reasons) w.reasons = s->reasons[i];
  for (uint32_t set; (set = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->count;) {
    ripstop_what_if *out = &s->out[set];
    repair_tear(w.repair, &s->parts[set], out);
    if (s->method) reroute(s, &w, out);
    if (!out->rerouted) {
      repair_mend(w.repair, out);
      ask_loops(w.repair, out);
    }
    repair_undo(w.repair);
    if (i == 0 && s->progress) s->progress->tell(s->progress->context, set + 1, s->count);
  }
  ripstop_repairer_free(w.repairer);
  repair_free(w.repair);
}

int ripstop_judge_what_if(const ripstop_view *view, const ripstop_forwarding *tables, const ripstop_faults *parts,
                          uint32_t count, unsigned threads, const ripstop_progress *progress, ripstop_what_if *out,
                          ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (forwarding_check_simple(tables, "what-if", err)) return -1;
  share s = {.view = view, .tables = tables, .parts = parts, .count = count, .progress = progress, .out = out};
  ripstop_team_share(threads, try_some, &s);
  return 0;
}

static bool all_zero(const uint8_t *cell, size_t count, size_t step) {
  for (size_t i = 0; cell && i < count; i += step)
    if (cell[i]) return false;
  return true;
}

/* Drops service levels and VLs if they give VL 0 to every packet, as files of one VL do explicitly. Such tables can
 * be followed by their differences from a method's tables without service levels. */
static ripstop_forwarding without_plain_lanes(const ripstop_forwarding *t) {
  const ripstop_fabric *f = t->fabric;
  ripstop_forwarding plain = *t;
  size_t cells = 0;
  for (uint32_t node = f->ends; node < f->nodes; node++)
    cells += (size_t)ripstop_node_ports(f, node) * ripstop_node_ports(f, node) * RIPSTOP_LEVELS;
  if (t->lanes == 1 && all_zero(t->level, (size_t)ripstop_forwarding_level_rows(t) * t->addresses, 1) &&
      all_zero(t->lane, cells, RIPSTOP_LEVELS) &&
      all_zero(t->end_lane, (size_t)f->ends * RIPSTOP_LEVELS, RIPSTOP_LEVELS))
    plain.level = plain.lane = plain.end_lane = NULL;
  return plain;
}

/* Copies reasons to the arena; many are equal. */
static void keep_reasons(const share *s, ripstop_arena *arena) {
  const char *last = NULL;
  for (uint32_t set = 0; set < s->count; set++) {
    const char *text = s->out[set].why_not;
    if (text && (!last || strcmp(text, last) != 0)) last = ripstop_arena_text(arena, text);
    if (text) s->out[set].why_not = last;
  }
}

int ripstop_judge_reroute(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                          const char *method, uint64_t limit, const ripstop_faults *parts, uint32_t count,
                          unsigned threads, const ripstop_progress *progress, ripstop_what_if *out,
                          ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (forwarding_check_simple(tables, "what-if", err)) return -1;
  const ripstop_forwarding plain = without_plain_lanes(tables);
  share s = {.view = view,
             .tables = &plain,
             .method = method,
             .limit = limit,
             .parts = parts,
             .count = count,
             .progress = progress,
             .out = out};
  ripstop_forwarding *now = new_tables_of(view, method, limit, err);
  if (!now) return -1;
  ripstop_forwarding_free(now);
  ripstop_arena *own = ripstop_arena_new();
  s.reasons = RIPSTOP_ARRAY(own, threads, ripstop_arena *);
  for (unsigned i = 0; i < threads; i++) s.reasons[i] = ripstop_arena_new();
  ripstop_team_share(threads, try_some, &s);
  keep_reasons(&s, arena);
  for (unsigned i = 0; i < threads; i++) ripstop_arena_free(s.reasons[i]);
  ripstop_arena_free(own);
  if (!atomic_load(&s.failed)) return 0;
  *err = s.why;
  return -1;
}

/* ------------------------------------------------------------------ fabrics without tables */

ripstop_forwarding *ripstop_forwarding_shortest(const ripstop_view *view, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  const ripstop_fabric *f = view->fabric;
  uint32_t *node = ripstop_realloc(NULL, f->ends, sizeof *node);
  for (uint32_t end = 0; end < f->ends; end++) node[end] = end;
  ripstop_forwarding *t = ripstop_forwarding_new(f, node, f->ends);
  for (uint32_t end = 0; end < f->ends; end++)
    ripstop_forwarding_set(t, end, ripstop_end_switch(f, end), (uint16_t)ripstop_end_switch_port(f, end));
  repair *r = repair_new(view, t);
  repair_all(r);
  memcpy(t->port, repair_tables(r)->port, (size_t)f->ends * ripstop_fabric_switches(f) * sizeof *t->port);
  repair_free(r);
  ripstop_free(node);
  return t;
}

/* ------------------------------------------------------------------ a set of links that can be removed together */

typedef struct candidate {
  uint64_t load;
  uint32_t link;
} candidate;

static int compare_candidates(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->load != y->load) return x->load < y->load ? -1 : 1;
  return (x->link > y->link) - (x->link < y->link);
}

static uint32_t list_candidates(const ripstop_view *view, const ripstop_table_verdict *before, candidate *list) {
  const ripstop_fabric *f = view->fabric;
  uint32_t count = 0;
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    const uint32_t *port = &f->link_port[2 * (size_t)link];
    if (view->port_up[port[0]])
      list[count++] = (candidate){.load = before->load[port[0]] + before->load[port[1]], .link = link};
  }
  qsort(list, count, sizeof *list, compare_candidates);
  return count;
}

/* Removes a link, unless that does harm. */
static bool take_out(repair *r, const ripstop_table_verdict *before, uint32_t link) {
  ripstop_what_if a;
  repair_kill(r, &(ripstop_faults){.links = 1, .link = &link}, &a);
  if (a.disconnected == 0 && a.worst <= before->worst && (before->credit_loop || !repair_transient_loop(r)))
    return true;
  repair_undo(r);
  return false;
}

/* Judges the remaining fabric, and the transient states between the old tables and the repaired ones. */
static int prove(ripstop_arena *arena, const repair *r, const ripstop_forwarding *tables, ripstop_safe_set *out,
                 ripstop_error *err) {
  int status = ripstop_judge(arena, repair_view(r), repair_tables(r), NULL, &out->after, err);
  return status ? status
                : ripstop_judge_transient(arena, repair_view(r), tables, repair_tables(r), &out->transient, err);
}

int ripstop_judge_safe_set(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                           const ripstop_table_verdict *before, const ripstop_progress *progress, ripstop_safe_set *out,
                           ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (forwarding_check_simple(tables, "what-if", err)) return -1;
  ripstop_arena *scratch = ripstop_arena_new();
  candidate *list = RIPSTOP_ARRAY(scratch, view->fabric->links, candidate);
  uint32_t count = list_candidates(view, before, list), *link = RIPSTOP_ARRAY(arena, count, uint32_t);
  repair *r = repair_new(view, tables);
  *out = (ripstop_safe_set){.link = link};
  for (uint32_t i = 0; i < count; i++) {
    if (take_out(r, before, list[i].link))
      link[out->links++] = list[i].link;
    else
      out->refused++;
    if (progress) progress->tell(progress->context, i + 1, count);
  }
  int status = prove(arena, r, tables, out, err);
  repair_free(r);
  ripstop_arena_free(scratch);
  return status;
}

/* ------------------------------------------------------------------ for a method's tables as well */

typedef struct proof {
  ripstop_arena *arena;
  const ripstop_view *view;
  const ripstop_forwarding *tables;
  const char *method;
  uint64_t limit, worst; /* the most paths that a channel may carry */
  bool loop;             /* there are credit loops already */
  const ripstop_progress *progress;
  ripstop_safe_set *set;
} proof;

/* Judges the method's tables without the first links of the set; -1: it has none. */
static int try_without(const proof *p, uint32_t links, ripstop_error *err) {
  ripstop_view *left = ripstop_view_copy(p->view);
  ripstop_view_set_faults(left, &(ripstop_faults){.links = links, .link = p->set->link}, false);
  ripstop_forwarding *tables = tables_of(left, p->method, p->tables, p->limit, err);
  ripstop_safe_set *s = p->set;
  int status = tables ? ripstop_judge(p->arena, left, tables, NULL, &s->rerouted_after, err) : -1;
  if (!status) status = ripstop_judge_transient(p->arena, left, p->tables, tables, &s->rerouted_transient, err);
  ripstop_forwarding_free(tables);
  ripstop_view_free(left);
  return status;
}

static bool is_good(const proof *p) {
  const ripstop_table_verdict *v = &p->set->rerouted_after;
  return v->unreached == v->disconnected && v->worst <= p->worst && (p->loop || !v->credit_loop);
}

/* 1, or 0, also if the method has no tables; -1: the machine failed, and the answer is unknown. */
static int holds(const proof *p, uint32_t links, ripstop_error *err) {
  ripstop_error why = {0};
  if (try_without(p, links, &why) == 0) return is_good(p);
  if (!why.machine) return 0;
  *err = why;
  return -1;
}

/* Finds the longest prefix that is known to be safe, as the empty one is. One more link, where it was tried, is not
 * safe. */
static int find_most(const proof *p, uint32_t *good, ripstop_error *err) {
  uint32_t bad = p->set->links + 1;
  for (uint32_t next = p->set->links; bad - *good > 1; next = *good + (bad - *good) / 2) {
    int held = holds(p, next, err);
    if (held < 0) return -1;
    *(held ? good : &bad) = next;
    if (p->progress) p->progress->tell(p->progress->context, p->set->links + 1 - (bad - *good), p->set->links);
  }
  return 0;
}

/* Shortens the set to its first links, and proves it again. */
static int keep_first(const proof *p, uint32_t links, ripstop_error *err) {
  ripstop_safe_set *s = p->set;
  repair *r = repair_new(p->view, p->tables);
  ripstop_what_if ignored;
  for (uint32_t i = 0; i < links; i++) repair_kill(r, &(ripstop_faults){.links = 1, .link = &s->link[i]}, &ignored);
  s->refused += s->links - links;
  s->links = links;
  int status = prove(p->arena, r, p->tables, s, err);
  repair_free(r);
  return status ? status : try_without(p, links, err);
}

int ripstop_judge_safe_reroute(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                               const ripstop_table_verdict *before, const char *method, uint64_t limit,
                               const ripstop_progress *progress, ripstop_safe_set *set, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  proof p = {.arena = arena,
             .view = view,
             .tables = tables,
             .method = method,
             .limit = limit,
             .progress = progress,
             .set = set};
  if (try_without(&p, 0, err) != 0) return -1;
  set->worst_now = set->rerouted_after.worst;
  p.worst = before->worst > set->worst_now ? before->worst : set->worst_now;
  p.loop = set->rerouted_after.credit_loop;
  set->rerouted = is_good(&p);
  uint32_t most = 0;
  if (set->rerouted && find_most(&p, &most, err) != 0) return -1;
  return most == set->links ? 0 : keep_first(&p, most, err); /* the whole set was the last one tried, and is proved
                                                              * already */
}
