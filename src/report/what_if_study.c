/* what_if_study.c - judges each part's failure, finds the nodes that are cut off and the safe set, and sorts the parts.
 */
#include "report/what_if_study.h"

#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/sort.h"
#include "fabric/ib.h"
#include "faults/describe.h"

const char *const what_if_part_words[WHAT_IF_KINDS] = {"cable", "switch", "pair of cables", "group"};
const char *const what_if_parts_words[WHAT_IF_KINDS] = {"cables between switches", "switches", "pairs of cables",
                                                        "groups"};

/* ------------------------------------------------------------------ the work */

typedef struct step {
  const what_if_settings *settings;
  const char *what;
} step;

static void report(void *context, uint32_t done, uint32_t all) {
  const step *s = context;
  if (s->settings->progress) s->settings->progress(s->settings->context, s->what, done, all);
}

static int fail_rerouted(const what_if_study *w, ripstop_error *err) {
  return ripstop_fail_at(err, "rerouted by %s", w->settings.reroute);
}

static int try_parts(what_if_study *w, ripstop_error *err) {
  const what_if_settings *s = &w->settings;
  step at = {s, s->of == WHAT_IF_CABLES ? "cables" : what_if_parts_words[s->of]};
  const ripstop_progress progress = {report, &at};
  if (!s->reroute)
    return ripstop_judge_what_if(s->view, s->tables, w->parts, w->count, s->threads, w->capacity, &progress, w->effect,
                                 err);
  const int status = ripstop_judge_reroute(w->arena, s->view, s->tables, s->reroute, s->entries, w->parts, w->count,
                                           s->threads, w->capacity, &progress, w->effect, err);
  return status ? fail_rerouted(w, err) : 0;
}

static int find_cut_off(const what_if_study *w, const ripstop_faults *parts, what_if_cut_off *out, ripstop_error *err) {
  uint32_t *node;
  if (ripstop_judge_cut_off(w->arena, w->settings.view, parts, &node, &out->count, err) != 0) return -1;
  out->node = node;
  for (uint32_t i = 0; i < out->count; i++) out->switches += !ripstop_is_end(w->settings.view->fabric, node[i]);
  return 0;
}

static int find_all_cut_off(what_if_study *w, ripstop_error *err) {
  w->off = RIPSTOP_ARRAY(w->arena, w->count, what_if_cut_off);
  for (uint32_t i = 0; i < w->count; i++)
    if (find_cut_off(w, &w->parts[i], &w->off[i], err) != 0) return -1;
  return 0;
}

/* The places of switches in a recognised tree; NULL: it is none. */
static const ripstop_capacity_kind *find_kinds(const what_if_study *w) {
  const ripstop_recognised *r = &w->recognised;
  const uint32_t switches = ripstop_fabric_switches(w->settings.view->fabric);
  if (strcmp(r->family, "fat tree") != 0) return NULL;
  ripstop_capacity_kind *kind = RIPSTOP_ARRAY(w->arena, switches, ripstop_capacity_kind);
  for (uint32_t s = 0; s < switches; s++)
    kind[s] = r->place[(size_t)s * r->dims] ? RIPSTOP_CAPACITY_ABOVE : RIPSTOP_CAPACITY_LEAF;
  for (uint32_t i = 0; i < r->small_parts; i++)
    for (uint32_t k = 0; k < r->small_part[i].nodes; k++)
      kind[r->small_part[i].node[k] - w->settings.view->fabric->ends] = RIPSTOP_CAPACITY_SMALL;
  return kind;
}

/* Tables to compare the present ones with: the method's, or shortest paths where they come from files. */
static int find_other(const what_if_study *w, ripstop_forwarding **out, ripstop_error *err) {
  const what_if_settings *s = &w->settings;
  ripstop_error why = {0};
  *out = NULL;
  if (s->reroute)
    *out = ripstop_judge_tables_of(s->view, s->reroute, s->tables, s->entries, &why);
  else if (s->origin && !s->plan)
    *out = ripstop_forwarding_shortest(s->view, &why);
  if (!*out && why.machine) *err = why;
  return !*out && why.machine ? -1 : 0;
}

static int ask_safe(what_if_study *w, const ripstop_safe_question *question, step *at, ripstop_error *err) {
  const what_if_settings *s = &w->settings;
  if (ripstop_judge_safe_set(w->arena, question, &w->safe, err)) return -1;
  at->what = "cables of the safe set by the method's tables";
  if (s->reroute && ripstop_judge_safe_reroute(w->arena, question, s->reroute, s->entries, &w->safe, err))
    return fail_rerouted(w, err);
  return find_cut_off(w, &(ripstop_faults){.links = w->safe.links, .link = w->safe.link}, &w->safe_off, err);
}

static int find_safe(what_if_study *w, ripstop_error *err) {
  const what_if_settings *s = &w->settings;
  step at = {s, "cables for the safe set"};
  const ripstop_progress progress = {report, &at};
  ripstop_forwarding *other;
  if (find_other(w, &other, err)) return fail_rerouted(w, err);
  const ripstop_safe_question question = {.view = s->view,
                                          .tables = s->tables,
                                          .before = &w->before,
                                          .other = other,
                                          .capacity = w->capacity,
                                          .progress = &progress,
                                          .incomplete = w->incomplete != NULL,
                                          .assumed = !s->origin && !s->reroute,
                                          .from_scratch = !s->reroute}; /* its set may shrink to repaired parts */
  const int status = ask_safe(w, &question, &at, err);
  ripstop_forwarding_free(other);
  return status;
}

static int decide_verdict(what_if_study *w, ripstop_error *err) {
  const what_if_settings *s = &w->settings;
  ripstop_plan_waits waits = {.verdict = ripstop_deadlock_of_tables(w->before.credit_loop)};
  if (s->plan && ripstop_plan_deadlock(w->arena, s->plan, w->before.credit_loop, s->whole, &waits, err)) return -1;
  w->now = waits.verdict;
  return 0;
}

static int try_all(what_if_study *w, ripstop_error *err) {
  w->effect = RIPSTOP_ARRAY(w->arena, w->count, ripstop_what_if);
  ripstop_recognise(w->settings.view->fabric, w->arena, &w->recognised);
  w->capacity = ripstop_capacity_find(w->arena, w->settings.view, find_kinds(w), err);
  if (!w->capacity) return -1;
  if (ripstop_judge(w->arena, w->settings.view, w->settings.tables, NULL, &w->before, err) || decide_verdict(w, err))
    return -1;
  w->role_worst = ripstop_capacity_worst_of_roles(w->arena, w->capacity, w->before.load);
  if (!w->settings.origin) w->bound = ripstop_judge_bound(w->settings.view, 1, w->before.worst);
  if (try_parts(w, err) != 0 || find_all_cut_off(w, err) != 0) return -1;
  return w->settings.safe ? find_safe(w, err) : 0;
}

/* The worst first: by pairs disconnected permanently, then by deadlock, then by paths over the part. */
static int compare_parts(const void *context, const void *a, const void *b) {
  const what_if_study *w = context;
  const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  const ripstop_what_if *x = &w->effect[i], *y = &w->effect[k];
  if (x->disconnected != y->disconnected) return x->disconnected < y->disconnected ? 1 : -1;
  if (x->credit_loop != y->credit_loop) return y->credit_loop - x->credit_loop;
  if (x->on_it != y->on_it) return x->on_it < y->on_it ? 1 : -1;
  if (x->worst != y->worst) return x->worst < y->worst ? 1 : -1;
  return (i > k) - (i < k);
}

static const uint32_t *sort_parts(const what_if_study *w) {
  uint32_t *order = RIPSTOP_ARRAY(w->arena, w->count, uint32_t);
  for (uint32_t i = 0; i < w->count; i++) order[i] = i;
  ripstop_sort(order, w->count, sizeof *order, compare_parts, w);
  return order;
}

/* ------------------------------------------------------------------ names */

bool what_if_is_host_cable(const what_if_study *w, uint32_t part) {
  return w->settings.of == WHAT_IF_CABLES && w->parts[part].link[0] < w->settings.view->fabric->link_ends;
}

const char *what_if_name(const what_if_study *w, const ripstop_faults *part) {
  RIPSTOP_LOCAL_TEXT(text);
  if (part->switches == 1 && part->links == 0) return what_if_node_name(w, part->switch_[0]);
  ripstop_faults_print(&text, w->settings.view->fabric, part);
  const char *name = ripstop_arena_text(w->arena, text.data ? text.data : "");
  return name;
}

const char *what_if_link_name(const what_if_study *w, uint32_t link) {
  return what_if_name(w, &(ripstop_faults){.links = 1, .link = &link});
}

const char *what_if_node_name(const what_if_study *w, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(w->settings.view->fabric, node, name);
  return ripstop_arena_text(w->arena, name);
}

/* Groups have names already, and are not described. */
static void name_parts(what_if_study *w) {
  const bool groups = w->settings.of == WHAT_IF_GROUPS;
  w->described = RIPSTOP_ARRAY(w->arena, w->count, const char *);
  if (!groups) w->name = RIPSTOP_ARRAY(w->arena, w->count, const char *);
  for (uint32_t i = 0; i < w->count; i++) {
    w->described[i] = groups ? "" : ripstop_describe_parts(w->arena, w->settings.view->fabric, &w->parts[i]);
    if (!groups) w->name[i] = what_if_name(w, &w->parts[i]);
  }
}

static const char *const *name_safe(const what_if_study *w) {
  const char **name = RIPSTOP_ARRAY(w->arena, w->safe.links, const char *);
  for (uint32_t i = 0; i < w->safe.links; i++) name[i] = what_if_link_name(w, w->safe.link[i]);
  return name;
}

typedef const char *reason(const what_if_study *w, uint32_t link);

static const char *const *list_reasons(const what_if_study *w, reason *find) {
  const char **why = RIPSTOP_ARRAY(w->arena, w->count, const char *);
  for (uint32_t i = 0; i < w->count; i++)
    if (!what_if_is_host_cable(w, i)) why[i] = find(w, w->parts[i].link[0]);
  return why;
}

/* ------------------------------------------------------------------ the page's view of it */

static int fill_page(what_if_study *w, ripstop_error *err) {
  const what_if_settings *s = &w->settings;
  const ripstop_fabric *f = s->view->fabric;
  what_if *page = &w->page;
  picture *o = &page->drawn;
  ripstop_leaf *leaf;
  page->tables = s->origin ? s->origin : "shortest paths";
  page->given = s->origin != NULL;
  page->groups = s->tables->groups != NULL;
  page->part = what_if_part_words[s->of], page->parts = what_if_parts_words[s->of];
  page->deadlock = w->now;
  page->reroute = s->reroute;
  page->capacity = w->capacity;
  page->incomplete = w->incomplete;
  *o = (picture){.fabric = f,
                 .view = s->view,
                 .recognised = &w->recognised,
                 .text = ripstop_describe_nodes(w->arena, f),
                 .told = ripstop_ib_of(f) ? &ripstop_ib_of(f)->dump->odd : NULL,
                 .before = &w->before,
                 .parts = w->count,
                 .set = w->parts,
                 .name = w->name,
                 .name_told = w->described,
                 .effect = w->effect,
                 .order = sort_parts(w),
                 .gather = true};
  picture_find_marks(w->arena, o);
  if (ripstop_judge_leaves(w->arena, s->view, &leaf, &o->leaves, err) != 0) return -1;
  o->leaf = leaf;
  if (!s->safe) return 0;
  o->safe = &w->safe;
  page->safe_name = name_safe(w);
  page->why_none = what_if_why_none(w);
  page->safe_off = w->safe_off.node;
  page->safe_offs = w->safe_off.count;
  if (s->of != WHAT_IF_CABLES) return 0;
  page->safe_why = list_reasons(w, what_if_why_not);
  page->beside_why = list_reasons(w, what_if_why_not_beside);
  what_if_find_mends(w->arena, page);
  return 0;
}

int what_if_study_make(ripstop_arena *arena, const what_if_settings *settings, what_if_study *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  *out = (what_if_study){.settings = *settings, .arena = arena};
  out->incomplete = what_if_incomplete_words(arena, settings->view->fabric);
  if (what_if_list_parts(out, err) || try_all(out, err)) return -1;
  name_parts(out);
  return fill_page(out, err);
}
