/* dfsssp_lanes.c - see dfsssp_lanes.h.
 *
 * Which cycle is found first decides which paths move, so the search goes through channels and dependencies as OpenSM's
 * does. Dependencies of a channel stand in the order in which paths brought them. Channels are roots of the search in
 * the order of a binary tree without balance: the channel itself, then the channels of lower numbers, then the others,
 * where number is the LID of the channel's switch and then its port. The search continues at the channel that closed a
 * cycle. The cycle's channels count as not found again, and keep the channel from which each was found last. */
#include "methods/opensm-dfsssp/dfsssp_lanes.h"

#include <string.h>

#include "base/local.h"
#include "methods/shared/opensm_ports.h"

enum { UNKNOWN, OPEN, DONE };
enum { PAIRS = 14 };

/* Pairs of a dependency, in the order in which they came: the end node and the address. */
typedef struct pairs {
  uint32_t source[PAIRS], address[PAIRS];
  struct pairs *next;
} pairs;

/* A dependency: some path continues from one channel to another. */
typedef struct arc {
  struct arc *next;
  pairs *first, *last;
  uint32_t to;
  uint32_t count, removed; /* pairs that came; how many of these moved to the next VL */
} arc;

typedef struct channel {
  arc *first, *last;
  uint32_t lower, higher; /* in the tree; RIPSTOP_NONE: none */
  uint32_t before;        /* from which the search came; RIPSTOP_NONE: none */
  uint8_t status;
  bool used;
} channel;

/* The channel dependency graph of one VL. */
typedef struct graph {
  channel *channel; /* [channels] */
  uint32_t *order;  /* [count]: in the order of the tree */
  uint32_t root, count, next;
  ripstop_arena *arena;
} graph;

typedef struct work {
  const ripstop_opensm *net;
  const uint64_t *number; /* [channels] */
  ripstop_forwarding *tables;
  uint64_t paths[RIPSTOP_LANES]; /* pairs on each VL */
  uint32_t lanes, needed;
} work;

/* ------------------------------------------------------------------ paths */

static uint8_t *level_of(const work *w, uint32_t source, uint32_t address) {
  return &w->tables->level[(size_t)source * w->tables->addresses + address];
}

/* The channel after the switch `s` on a path, or RIPSTOP_NONE. */
static uint32_t next_channel(const work *w, uint32_t s, uint32_t address) {
  return ripstop_opensm_channel(w->net, w->tables, address, s);
}

static uint32_t home_of(const work *w, uint32_t end) {
  return w->net->graph.index[ripstop_end_switch(w->net->graph.fabric, end) - w->net->graph.fabric->ends];
}

/* ------------------------------------------------------------------ dependencies */

static void enter(const work *w, graph *g, uint32_t c) {
  uint32_t *place = &g->root;
  while (*place != RIPSTOP_NONE)
    place = w->number[c] < w->number[*place] ? &g->channel[*place].lower : &g->channel[*place].higher;
  *place = c;
  g->channel[c] = (channel){.lower = RIPSTOP_NONE, .higher = RIPSTOP_NONE, .before = RIPSTOP_NONE, .used = true};
  g->count++;
}

static arc *find_arc(const graph *g, uint32_t from, uint32_t to) {
  arc *a = g->channel[from].first;
  while (a && a->to != to) a = a->next;
  return a;
}

static arc *add_arc(graph *g, uint32_t from, uint32_t to) {
  arc *a = RIPSTOP_NEW(g->arena, arc);
  channel *c = &g->channel[from];
  a->to = to;
  *(c->last ? &c->last->next : &c->first) = a;
  c->last = a;
  return a;
}

static void add_pair(graph *g, arc *a, uint32_t source, uint32_t address) {
  const uint32_t at = a->count++ % PAIRS;
  if (at == 0) {
    pairs *more = RIPSTOP_NEW(g->arena, pairs);
    *(a->last ? &a->last->next : &a->first) = more;
    a->last = more;
  }
  a->last->source[at] = source;
  a->last->address[at] = address;
}

static void add_path(const work *w, graph *g, uint32_t source, uint32_t address) {
  uint32_t before = RIPSTOP_NONE;
  for (uint32_t c = next_channel(w, home_of(w, source), address); c != RIPSTOP_NONE;
       c = next_channel(w, w->net->graph.to[c], address)) {
    if (!g->channel[c].used) enter(w, g, c);
    if (before != RIPSTOP_NONE) {
      arc *a = find_arc(g, before, c);
      add_pair(g, a ? a : add_arc(g, before, c), source, address);
    }
    before = c;
  }
}

static void remove_path(const work *w, const graph *g, uint32_t source, uint32_t address) {
  uint32_t before = RIPSTOP_NONE;
  for (uint32_t c = next_channel(w, home_of(w, source), address); c != RIPSTOP_NONE;
       c = next_channel(w, w->net->graph.to[c], address)) {
    arc *a = before != RIPSTOP_NONE ? find_arc(g, before, c) : NULL;
    if (a) a->removed++;
    before = c;
  }
}

static graph *open_graph(const work *w, ripstop_arena *arena) {
  graph *g = RIPSTOP_NEW(arena, graph);
  *g = (graph){.channel = RIPSTOP_ARRAY(arena, w->net->graph.channels, channel), .root = RIPSTOP_NONE, .arena = arena};
  return g;
}

/* ------------------------------------------------------------------ search */

/* Lists the channels in the order of the tree. */
static void list_channels(graph *g) {
  uint32_t *stack = RIPSTOP_ARRAY(g->arena, (size_t)g->count + 1, uint32_t), depth = 0, listed = 0;
  g->order = RIPSTOP_ARRAY(g->arena, g->count, uint32_t);
  g->next = 0;
  if (g->root != RIPSTOP_NONE) stack[depth++] = g->root;
  while (depth > 0) {
    const uint32_t c = g->order[listed++] = stack[--depth];
    if (g->channel[c].higher != RIPSTOP_NONE) stack[depth++] = g->channel[c].higher;
    if (g->channel[c].lower != RIPSTOP_NONE) stack[depth++] = g->channel[c].lower;
  }
}

/* The first channel that has not been found, or RIPSTOP_NONE. */
static uint32_t next_root(graph *g) {
  while (g->next < g->count && g->channel[g->order[g->next]].status != UNKNOWN) g->next++;
  return g->next < g->count ? g->order[g->next] : RIPSTOP_NONE;
}

/* The first dependency that leads to a channel which is not done; NULL: none. */
static arc *first_left(const graph *g, uint32_t c) {
  arc *a = g->channel[c].first;
  while (a && g->channel[a->to].status == DONE) a = a->next;
  return a;
}

/* Depth first from a channel. Returns the channel that closed a cycle; RIPSTOP_NONE: there is no cycle left. */
static uint32_t find_cycle(graph *g, uint32_t c) {
  while (c != RIPSTOP_NONE) {
    channel *here = &g->channel[c];
    here->status = OPEN;
    const arc *a = first_left(g, c);
    if (a && g->channel[a->to].status == OPEN) return a->to;
    if (a) {
      g->channel[a->to].before = c;
      c = a->to;
      continue;
    }
    here->status = DONE;
    c = here->before != RIPSTOP_NONE ? here->before : next_root(g);
    here->before = RIPSTOP_NONE;
  }
  return RIPSTOP_NONE;
}

/* The dependency over which a cycle continues. */
static arc *first_open(const graph *g, uint32_t c) {
  arc *a = g->channel[c].first;
  while (g->channel[a->to].status != OPEN) a = a->next;
  return a;
}

static uint32_t left(const arc *a) { return a->count - a->removed; }

static void unlink_arc(graph *g, uint32_t from, const arc *gone) {
  channel *c = &g->channel[from];
  arc **place = &c->first, *last = NULL;
  for (; *place != gone; place = &(*place)->next) last = *place;
  *place = gone->next;
  if (c->last == gone) c->last = last;
}

/* Takes the least used dependency out of a cycle, the first of equal ones from the channel that closed it on. All
 * channels of the cycle count as not found. */
static const arc *break_cycle(graph *g, uint32_t closed) {
  arc *a = first_open(g, closed), *weakest = a;
  uint32_t from = closed;
  for (uint32_t c = a->to; c != closed; c = a->to) {
    g->channel[c].status = UNKNOWN;
    a = first_open(g, c);
    if (left(a) < left(weakest)) weakest = a, from = c;
  }
  g->channel[closed].status = UNKNOWN;
  unlink_arc(g, from, weakest);
  g->next = 0;
  return weakest;
}

/* ------------------------------------------------------------------ VLs */

/* Moves the paths of a dependency that are still on a VL to the next one. */
static void move_paths(work *w, const graph *g, graph *to, uint32_t lane, const arc *a) {
  uint32_t at = 0;
  for (const pairs *p = a->first; at < a->count; at++) {
    const uint32_t i = at % PAIRS;
    if (*level_of(w, p->source[i], p->address[i]) == lane) {
      remove_path(w, g, p->source[i], p->address[i]);
      add_path(w, to, p->source[i], p->address[i]);
      *level_of(w, p->source[i], p->address[i]) = (uint8_t)(lane + 1);
      w->paths[lane]--;
      w->paths[lane + 1]++;
    }
    if (i + 1 == PAIRS) p = p->next;
  }
}

/* Breaks all cycles of a VL. -1: there is one on the last VL. */
static int clear_lane(work *w, graph *g, graph *next, uint32_t lane) {
  if (g->root == RIPSTOP_NONE) return 0;
  list_channels(g);
  for (uint32_t from = g->root; (from = find_cycle(g, from)) != RIPSTOP_NONE;) {
    if (lane + 1 == w->lanes) return -1;
    w->needed = lane + 2;
    move_paths(w, g, next, lane, break_cycle(g, from));
  }
  return 0;
}

/* VLs that are left over go, one after the other, to the VL with the most pairs for each that it has. VLs above
 * another with several move up. */
static void share_lanes(work *w, const ripstop_opensm_targets *t, uint32_t part, ripstop_dfsssp_lanes *out) {
  uint8_t to[RIPSTOP_LANES] = {0};
  uint32_t count[RIPSTOP_LANES] = {0};
  for (uint32_t lane = 0; lane < w->needed; lane++) count[lane] = 1;
  for (uint32_t spare = w->needed; spare < w->lanes; spare++) {
    uint32_t most = 0;
    for (uint32_t lane = 1; lane < w->needed; lane++)
      if ((double)w->paths[lane] / count[lane] > (double)w->paths[most] / count[most]) most = lane;
    count[most]++;
  }
  for (uint32_t lane = 1; lane < w->needed; lane++) to[lane] = (uint8_t)(to[lane - 1] + count[lane - 1]);
  /* A VL that stays where it is loses what it has beside it: OpenSM sets its count to 0 after the move. */
  for (uint32_t lane = 0; lane < w->needed; lane++)
    out->count[to[lane]] = lane > 0 && to[lane] == lane ? 1 : count[lane];
  for (uint32_t i = t->first[part]; i < t->first[part + 1]; i++)
    for (uint32_t k = t->first[part]; k < t->first[part + 1] && ripstop_is_end(w->net->graph.fabric, t->node[k]); k++) {
      uint8_t *level = level_of(w, t->node[k], t->node[i]);
      *level = to[*level];
    }
}

static int assign_part(work *w, const ripstop_opensm_targets *t, uint32_t part, ripstop_dfsssp_lanes *out) {
  RIPSTOP_LOCAL_ARENA(odd);
  RIPSTOP_LOCAL_ARENA(even);
  const uint64_t nodes = t->first[part + 1] - t->first[part];
  graph *g = open_graph(w, even);
  int status = 0;
  memset(w->paths, 0, sizeof w->paths);
  w->paths[0] = nodes * (nodes - 1); /* also those that begin at switches, which have no dependencies */
  w->needed = 1;
  for (uint32_t i = t->first[part]; i < t->first[part + 1]; i++) {
    ripstop_task_progress("dependencies of paths", i, t->first[t->parts]);
    for (uint32_t k = t->first[part]; k < t->first[part + 1] && ripstop_is_end(w->net->graph.fabric, t->node[k]); k++)
      if (k != i) add_path(w, g, t->node[k], t->node[i]);
  }
  for (uint32_t lane = 0; lane < w->lanes && status == 0; lane++) {
    ripstop_arena *other = lane % 2 ? even : odd;
    ripstop_arena_clear(other);
    graph *next = open_graph(w, other);
    ripstop_task_progress("virtual lanes", lane, w->lanes);
    status = clear_lane(w, g, next, lane);
    g = next;
  }
  if (status == 0) share_lanes(w, t, part, out);
  return status;
}

/* A channel's number is the LID of its switch, and then its port. */
static const uint64_t *number_channels(const ripstop_opensm *net, const uint32_t *lid, ripstop_arena *arena) {
  uint64_t *number = RIPSTOP_ARRAY(arena, net->graph.channels, uint64_t);
  for (uint32_t c = 0; c < net->graph.channels; c++)
    number[c] = (uint64_t)lid[net->graph.node[net->graph.from[c]]] << 16 | net->graph.local[c];
  return number;
}

int ripstop_dfsssp_assign(const ripstop_opensm *net, const ripstop_opensm_targets *targets, const uint32_t *lid,
                          uint32_t lanes, ripstop_forwarding *tables, ripstop_dfsssp_lanes *out, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  work w = {.net = net, .number = number_channels(net, lid, scratch), .tables = tables, .lanes = lanes};
  for (uint32_t part = 0; part < targets->parts; part++)
    if (assign_part(&w, targets, part, &out[part]))
      return ripstop_fail(err, "opensm-dfsssp: %u virtual lanes are too few to break all cycles of dependencies",
                          lanes);
  return 0;
}
