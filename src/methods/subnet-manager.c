/* subnet-manager.c - forwarding tables from files, and others that a subnet manager writes after a fault, switch by
 * switch.
 *
 * When a link changes its state, OpenSM discovers the fabric again, computes tables, and writes them one switch after
 * the other. Here the switches at the link stand for the manager. `discover` + `route` cycles after the change they
 * notify all others, one hop per cycle. Each switch gets its new tables within `write` cycles, in the order of the
 * switches' numbers. Until then it uses its old ones, so packets meet transient states of both.
 *
 * That is the rolling update, as OpenSM does it. With the static one (update=static) a switch forwards nothing from its
 * notification until all tables are written: packets wait, and none meets a transient state.
 *
 * Connections keep the service levels that they were opened with (levels=kept), or get new ones when the switch of
 * their source is written.
 *
 * There is one set of new tables: it is written when a part fails; the old tables are written again when a part
 * returns. */
#include <inttypes.h>
#include <string.h>

#include "methods/shared/lookup.h"

typedef enum { KEPT, RENEWED } levels_kind;
typedef enum { ROLLING, STATIC } update_kind;

typedef struct config {
  const char *file[2 * RIPSTOP_LOOKUP_FILES]; /* old files, new files */
  const char *hash;
  int64_t discover, route, write;
  int32_t levels, update;
  ripstop_lookup lookup[2]; /* not options: read from the files */
  uint32_t lanes;
} config;

#define FILE_OPTION(number, name_, help_)                                                                             \
  {                                                                                                                   \
    .name = (name_), .type = RIPSTOP_OPTION_TEXT, .offset = offsetof(config, file) + (number) * sizeof(const char *), \
    .fallback = "", .help = (help_),                                                                                  \
  }
#define CYCLES_OPTION(name_, help_)                                                                                   \
  {                                                                                                                   \
    .name = #name_, .type = RIPSTOP_OPTION_INTEGER, .offset = offsetof(config, name_), .min = 0, .max = 1000000000.0, \
    .fallback = "0", .help = (help_),                                                                                 \
  }

static const char *const levels_words[] = {[KEPT] = "kept", [RENEWED] = "renewed", NULL};
static const char *const update_words[] = {[ROLLING] = "rolling", [STATIC] = "static", NULL};

static const ripstop_option options[] = {
    FILE_OPTION(0, "lfts", "forwarding tables at first, as OpenSM, dump_lfts or ibroute print them"),
    FILE_OPTION(1, "sls", "service levels of paths at first; empty: 0 for all"),
    FILE_OPTION(2, "sl2vl", "virtual lanes by service level at first; empty: the service level's number"),
    FILE_OPTION(3, "new_lfts", "forwarding tables that are written after a failure"),
    FILE_OPTION(4, "new_sls", "their service levels"),
    FILE_OPTION(5, "new_sl2vl", "their virtual lanes"),
    RIPSTOP_TEXT(config, hash, "", "required hash of the files together (XXH3, 16 hexadecimal digits); empty: any"),
    CYCLES_OPTION(discover, "cycles from a change until the manager knows the fabric again"),
    CYCLES_OPTION(route, "cycles from there until it has new tables"),
    CYCLES_OPTION(write, "cycles from there until all switches have them, one after the other"),
    RIPSTOP_WORD(config, levels, levels_words, "kept",
                 "service levels of what is sent after the change: as before, or of the new tables"),
    RIPSTOP_WORD(config, update, update_words, "rolling",
                 "switch by switch under traffic, or all together while no switch forwards"),
    {0}};

static int name_files(ripstop_arena *arena, const char *beside, void *named_, void *opened_, ripstop_error *err) {
  config *named = named_, *opened = opened_;
  if (ripstop_lookup_name(arena, beside, named->file, opened->file, 2 * RIPSTOP_LOOKUP_FILES, &named->hash, err))
    return -1;
  opened->hash = named->hash;
  return 0;
}

/* Both sets use as many virtual lanes as the larger one, so that an identity mapping of levels stays valid for levels
 * of the other set. */
static void share_lanes(ripstop_arena *arena, config *c) {
  for (unsigned i = 0; i < 2; i++) {
    uint32_t lanes = ripstop_lookup_lanes(&c->lookup[i]);
    if (lanes > c->lanes) c->lanes = lanes;
  }
  for (unsigned i = 0; i < 2; i++) {
    ripstop_forwarding *t = RIPSTOP_NEW(arena, ripstop_forwarding);
    *t = *c->lookup[i].tables;
    t->lanes = c->lanes;
    c->lookup[i].tables = t;
  }
}

/* Without new tables the old ones stay. */
static ripstop_answer load(ripstop_arena *arena, const ripstop_fabric *fabric, void *config_, ripstop_error *err) {
  config *c = config_;
  const char *const *new_files = c->file + RIPSTOP_LOOKUP_FILES;
  ripstop_answer answer = ripstop_lookup_load(arena, fabric, c->file, &c->lookup[0], err);
  c->lookup[1] = c->lookup[0];
  if (answer == RIPSTOP_APPLIES && new_files[0][0])
    answer = ripstop_lookup_load(arena, fabric, new_files, &c->lookup[1], err);
  if (answer == RIPSTOP_APPLIES) share_lanes(arena, c);
  return answer;
}

/* ------------------------------------------------------------------ candidates */

typedef struct data {
  const config *config;
  bool broken; /* a link is down: the new tables apply when all is written */
} data;

static bool is_broken(const ripstop_view *v) {
  const ripstop_fabric *f = v->fabric;
  for (uint32_t link = 0; link < f->links; link++)
    if (!v->port_up[f->link_port[2 * (size_t)link]]) return true;
  return false;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  data *d = RIPSTOP_NEW(p->arena, data);
  (void)err;
  *d = (data){.config = c, .broken = is_broken(p->view)};
  p->data = d;
  p->channels = c->lanes;
  p->random_headers = c->lookup[0].most;
  return RIPSTOP_APPLIES;
}

static int candidates_by(const ripstop_plan *p, bool new_tables, const ripstop_head *head,
                         ripstop_candidate *candidate) {
  const config *c = p->config;
  const ripstop_lookup *l = &c->lookup[new_tables];
  if (!ripstop_is_end(p->fabric, head->node)) return ripstop_lookup_forward(p, l, head, candidate);
  return ripstop_lookup_send(p, l, &c->lookup[new_tables && c->levels == RENEWED], head, candidate);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate) {
  const data *d = p->data;
  return candidates_by(p, d->broken, head, candidate);
}

/* ------------------------------------------------------------------ switches */

/* The update that a switch received: the cycle in which the manager had tables for a change, and which tables. All
 * changes take the same time, so these cycles have the order of the changes, wherever they were; for changes in one
 * cycle the one that needs new tables comes last. The two switches at a link send the same update. */
typedef struct update {
  uint64_t order; /* twice the cycle after that, plus new_tables; 0: none yet */
  uint64_t new_tables;
} update;

typedef struct memory {
  update last;
  uint32_t changes; /* received changes */
  bool new_tables;  /* they are in force */
  bool stopped;     /* STATIC: until the tables of the last change are written */
} memory;

enum {
  NOTIFIED,
  WRITTEN
}; /* timers, in bit 1; bit 0: new tables; for WRITTEN the number of the change, counted by this switch, above */

static uint32_t timer_of(unsigned kind, uint32_t change, bool new_tables) {
  return change << 2 | kind << 1 | new_tables;
}

static uint64_t computed_at(const update *n) { return n->order / 2 - 1; }

/* Cycles from now until a switch uses the tables of the update: its turn, or with STATIC the end of all turns. */
static uint64_t turn_of(const ripstop_plan *p, uint32_t node, const update *n, uint64_t now) {
  const config *c = p->config;
  uint64_t turn = node - p->fabric->ends + 1, end = computed_at(n) + (uint64_t)c->write;
  if (c->update == STATIC) return end > now ? end - now : 0;
  return (uint64_t)c->write * turn / ripstop_fabric_switches(p->fabric);
}

static void receive(const ripstop_plan *p, uint32_t node, memory *m, const update *n, uint64_t now,
                    ripstop_actions *actions) {
  const config *c = p->config;
  if (n->order <= m->last.order) return;
  m->last = *n;
  m->changes++;
  for (uint32_t port = 0; port < ripstop_node_ports(p->fabric, node); port++) ripstop_act_send(actions, port, n);
  ripstop_act_timer(actions, timer_of(WRITTEN, m->changes, n->new_tables), turn_of(p, node, n, now));
  if (c->update == STATIC) {
    m->stopped = true;
    ripstop_act_candidates_changed(actions);
  }
}

static void on_timer(const ripstop_plan *p, uint32_t node, memory *m, const ripstop_event *event,
                     ripstop_actions *actions) {
  bool new_tables = event->timer & 1;
  update n = {.order = 2 * (event->cycle + 1) + new_tables, .new_tables = new_tables};
  if ((event->timer >> 1 & 1) == NOTIFIED) {
    receive(p, node, m, &n, event->cycle, actions);
  } else if (event->timer == timer_of(WRITTEN, m->changes, new_tables) && (m->stopped || m->new_tables != new_tables)) {
    m->new_tables = new_tables;
    m->stopped = false;
    ripstop_act_candidates_changed(actions);
  }
}

static void step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                 ripstop_actions *actions) {
  const config *c = p->config;
  memory *m = state;
  if (event->kind == RIPSTOP_EVENT_MESSAGE) receive(p, node, m, event->message, event->cycle, actions);
  if (event->kind == RIPSTOP_EVENT_TIMER) on_timer(p, node, m, event, actions);
  if (event->kind != RIPSTOP_EVENT_LINK_DOWN && event->kind != RIPSTOP_EVENT_LINK_UP) return;
  ripstop_act_timer(actions, timer_of(NOTIFIED, 0, event->kind == RIPSTOP_EVENT_LINK_DOWN),
                    (uint64_t)(c->discover + c->route));
}

static int candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                      ripstop_candidate *candidate) {
  const memory *m = state;
  return m->stopped ? 0 : candidates_by(p, m->new_tables, head, candidate);
}

static size_t state_size(const ripstop_plan *p, uint32_t node) {
  (void)p;
  (void)node;
  return sizeof(memory);
}

static uint64_t delay(const ripstop_plan *p, const void *message) {
  (void)p;
  (void)message;
  return 1;
}

static void print(const ripstop_plan *p, const void *message, ripstop_text *out) {
  const update *n = message;
  (void)p;
  ripstop_text_add(out, "cycle %" PRIu64 ": %s tables", computed_at(n), n->new_tables ? "new" : "old");
}

static void json(const ripstop_plan *p, const void *state, ripstop_text *out) {
  const memory *m = state;
  (void)p;
  ripstop_text_add(out, "{\"change\":%u,\"new_tables\":%s,\"stopped\":%s}", m->changes,
                   m->new_tables ? "true" : "false", m->stopped ? "true" : "false");
}

static const ripstop_proto proto = {
    .message_size = sizeof(update),
    .settled = true,
    .state_size = state_size,
    .step = step,
    .candidates = candidates,
    .interfaces = true,
    .delay = delay,
    .print = print,
    .json = json,
};

const ripstop_method ripstop_method_subnet_manager = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "subnet-manager",
    .summary = "any fabric: tables from files, and others written switch by switch after a fault",
    .source = "OpenSM 3.3.23 as measured (docs/methods/subnet-manager.md)",
    .options = options,
    .config_size = sizeof(config),
    .preset = "modern",
    .losses = ripstop_lookup_losses,
    .name_files = name_files,
    .load = load,
    .plan = plan,
    .route = route,
    .guarantees = ripstop_lookup_guarantees,
    .proto = &proto,
};
