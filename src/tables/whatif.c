/* whatif.c - fails one part after another, repairs tables, and undoes it. */
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/team.h"
#include "ripstop/kit/judge.h"
#include "tables/addresses.h"
#include "tables/method_tables.h"
#include "tables/multicast.h"
#include "tables/repair.h"
#include "tables/repairer.h"
#include "tables/transient.h"

/* Sets of parts that several threads process, each with tables of its own. */
typedef struct share {
  const ripstop_view *view;
  const ripstop_forwarding *tables;
  const char *method; /* makes new tables; NULL: the old ones are repaired */
  uint64_t limit;
  const ripstop_faults *parts;
  uint32_t count;
  const ripstop_capacity *capacity; /* NULL: roles are not requested */
  atomic_uint next;
  const ripstop_progress *progress; /* NULL: not requested */
  ripstop_what_if *out;
  ripstop_arena **reasons; /* [threads]: reasons that each thread received from methods without tables. NULL: not
                            * requested */
  atomic_bool failed;      /* a failure of the machine while tables were made: */
  ripstop_error why;       /* the first one */
} share;

static void find_role_worst(const share *s, const ripstop_faults *part, const uint64_t *load, ripstop_what_if *out) {
  if (s->capacity && part->links == 1 && part->switches == 0)
    out->role_worst = ripstop_capacity_worst(s->capacity, load, part->link[0]);
}

/* True if no number of writes is safe. Where service levels stay, two writes are safe unless a table has a credit loop.
 */
static bool lacks_order(const share *s, const ripstop_view *view, const ripstop_forwarding *tables) {
  ripstop_update update;
  transient_judge_data(view, s->tables, tables, &update);
  ripstop_forwarding_free(update.between);
  return update.steps == RIPSTOP_NONE;
}

/* Judges tables as a whole that cannot be followed by their differences. Groups keep their masks. */
static void judge_whole(const share *s, repair *r, const ripstop_forwarding *made, const ripstop_faults *part,
                        ripstop_what_if *out, ripstop_error *err) {
  ripstop_forwarding with_groups = *made, *const tables = &with_groups;
  ripstop_table_verdict v;
  ripstop_transient m;
  RIPSTOP_LOCAL_ARENA(scratch);
  with_groups.groups = s->tables->groups;
  if (ripstop_judge(scratch, repair_view(r), tables, NULL, &v, err) == 0 &&
      ripstop_judge_transient(scratch, repair_view(r), s->tables, tables, &m, err) == 0) {
    out->rerouted = true;
    out->worst = v.worst;
    out->unrouted = v.unreached - v.disconnected;
    out->credit_loop = v.credit_loop;
    out->transient_loop = m.credit_loop || m.looping > 0;
    out->no_order = out->transient_loop && lacks_order(s, repair_view(r), tables);
    out->changed = m.changed;
    find_role_worst(s, part, v.load, out);
  }
}

static void ask_loops(repair *r, ripstop_what_if *out) {
  out->transient_loop = repair_transient_loop(r);
  out->credit_loop = out->transient_loop && repair_credit_loop(r);
}

static void count_groups(const share *s, const repair *r, ripstop_what_if *out) {
  const ripstop_groups *groups = s->tables->groups;
  for (uint32_t i = 0; groups && i < groups->groups; i++) {
    const uint32_t cut = multicast_cut(s->view, repair_view(r), &groups->group[i]);
    out->groups_cut += cut > 0;
    out->members_cut += cut;
  }
}

/* State of a thread. */
typedef struct worker {
  repair *repair;
  ripstop_repairer *repairer; /* NULL: the method repairs nothing */
  ripstop_forwarding *made;   /* tables that it made for the present part instead */
  uint32_t *address;          /* then: the entries that differ */
  ripstop_arena *reasons;     /* share.reasons of its thread */
  uint64_t *load;             /* [ports]: scratch */
} worker;

static worker open_worker(const share *s, ripstop_arena *arena) {
  ripstop_error err;
  ripstop_answer answer;
  worker w = {.repair = repair_new(s->view, s->tables)};
  w.load = RIPSTOP_ARRAY(arena, s->view->fabric->ports, uint64_t);
  if (!s->method) return w;
  w.repairer = ripstop_repairer_open(repair_view(w.repair), s->method, s->tables, &answer, &err);
  w.address = RIPSTOP_ARRAY(arena, s->tables->addresses, uint32_t);
  return w;
}

/* False: the method has no tables for the rest. */
static bool make_tables(const share *s, worker *w, ripstop_repaired *out, ripstop_error *err) {
  if (w->repairer && ripstop_repairer_follow(w->repairer, out, err) == RIPSTOP_APPLIES) return true;
  w->made = method_tables_new(repair_view(w->repair), s->method, s->limit, err);
  *out = (ripstop_repaired){.tables = w->made, .address = w->address};
  if (w->made && repair_follows(w->repair, w->made))
    out->addresses = ripstop_forwarding_differ(s->tables, w->made, w->address);
  return w->made != NULL;
}

static void judge_followed(const share *s, const worker *w, const ripstop_faults *part, ripstop_what_if *out) {
  ask_loops(w->repair, out);
  repair_loads(w->repair, w->load);
  find_role_worst(s, part, w->load, out);
}

static void reroute(share *s, worker *w, const ripstop_faults *part, ripstop_what_if *out) {
  ripstop_error err = {0};
  ripstop_repaired now;
  if (make_tables(s, w, &now, &err)) {
    if (repair_follows(w->repair, now.tables)) {
      repair_follow(w->repair, &now, out);
      judge_followed(s, w, part, out);
      out->rerouted = true;
    } else {
      judge_whole(s, w->repair, now.tables, part, out, &err);
    }
  }
  if (!out->rerouted && err.machine && !atomic_exchange(&s->failed, true)) s->why = err;
  if (!out->rerouted) out->why_not = ripstop_arena_text(w->reasons, err.text);
  ripstop_forwarding_free(w->made);
  w->made = NULL;
}

static void try_some(void *context, unsigned i) {
  share *s = context;
  RIPSTOP_LOCAL_ARENA(arena);
  worker w = open_worker(s, arena);
  if (s->reasons) w.reasons = s->reasons[i];
  for (uint32_t set; (set = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->count;) {
    ripstop_what_if *out = &s->out[set];
    repair_tear(w.repair, &s->parts[set], out);
    count_groups(s, w.repair, out);
    if (s->method) reroute(s, &w, &s->parts[set], out);
    if (!out->rerouted) {
      repair_mend(w.repair, out);
      judge_followed(s, &w, &s->parts[set], out);
    }
    repair_undo(w.repair);
    if (i == 0 && s->progress) s->progress->tell(s->progress->context, set + 1, s->count);
  }
  ripstop_repairer_free(w.repairer);
  repair_free(w.repair);
}

int ripstop_judge_what_if(const ripstop_view *view, const ripstop_forwarding *tables, const ripstop_faults *parts,
                          uint32_t count, unsigned threads, const ripstop_capacity *capacity,
                          const ripstop_progress *progress, ripstop_what_if *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (forwarding_check_simple(tables, "what-if", err)) return -1;
  share s = {.view = view,
             .tables = tables,
             .parts = parts,
             .count = count,
             .capacity = capacity,
             .progress = progress,
             .out = out};
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
                          unsigned threads, const ripstop_capacity *capacity, const ripstop_progress *progress,
                          ripstop_what_if *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (forwarding_check_simple(tables, "what-if", err)) return -1;
  const ripstop_forwarding plain = without_plain_lanes(tables);
  share s = {.view = view,
             .tables = &plain,
             .method = method,
             .limit = limit,
             .parts = parts,
             .count = count,
             .capacity = capacity,
             .progress = progress,
             .out = out};
  ripstop_forwarding *now = method_tables_new(view, method, limit, err);
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
