/* lash_lanes.c - see lash_lanes.h.
 *
 * While VLs are found, the dependencies of a VL never have a cycle, so any search decides alike. While they are
 * balanced this does not hold, because OpenSM counts paths of dependencies wrongly: a path that was tried in vain
 * leaves the counts of old dependencies too high. So some dependencies stay when their last path has moved away. When
 * the channel that such a dependency leads to has no path left, OpenSM frees its memory, and its search goes on reading
 * there. Here a freed channel is what that memory mostly is: as it was, but already searched after the next visit. */
#include "methods/opensm-lash/lash_lanes.h"

#include "base/local.h"
#include "methods/shared/c_random.h"

enum { BALANCED = 6 };           /* VLs that differ by fewer pairs of directions are equal */
enum { ELSEWHERE, HERE, TRIED }; /* a pair and a VL; TRIED: it is there, and may not move to the emptiest VL */

typedef struct vertex vertex;

typedef struct dependency {
  vertex *to;
  uint32_t paths;
} dependency;

/* A channel in one VL. */
struct vertex {
  dependency *dependency; /* [room]; OpenSM uses counts beyond `dependencies` again, too */
  uint32_t dependencies, room;
  uint32_t fresh; /* the pair at hand brought so many of these, though the vertex was there before */
  uint32_t paths;
  uint32_t depth; /* in the search, from 1; 0: not found yet */
  uint32_t to;    /* the switch */
  bool tentative; /* the pair at hand brought it */
  bool searched, freed;
};

typedef struct layer {
  vertex **vertex; /* [channels]; NULL: no path uses the channel */
  uint8_t *where;  /* [switches * switches] */
  int64_t pairs;   /* directions */
} layer;

/* A vertex that the search has entered and not left, and its next dependency. */
typedef struct step {
  vertex *at;
  uint32_t next;
} step;

typedef struct work {
  ripstop_lash_part *part;
  layer *lane; /* [VLs] */
  uint32_t lanes, needed;
  step *stack;    /* [stack_room] */
  vertex **found; /* [found_room]: of the search */
  size_t founds, found_room, stack_room;
  bool grew; /* the paths that were added last brought dependencies */
  ripstop_arena *arena;
} work;

/* ------------------------------------------------------------------ paths */

static uint32_t channel_of(const work *w, uint32_t from, uint32_t to) {
  return w->part->next[(size_t)from * w->part->switches + to];
}

static vertex *first_vertex(const work *w, const layer *l, uint32_t from, uint32_t to) {
  return l->vertex[channel_of(w, from, to)];
}

static void depend_on(work *w, vertex *before, vertex *v) {
  for (uint32_t i = 0; i < before->dependencies; i++)
    if (before->dependency[i].to == v) {
      before->dependency[i].paths++;
      return;
    }
  if (before->dependencies == before->room) {
    const uint32_t room = 2 * before->room + 4;
    before->dependency = ripstop_arena_realloc(w->arena, before->dependency, room, sizeof *before->dependency);
    for (uint32_t i = before->room; i < room; i++) before->dependency[i] = (dependency){0};
    before->room = room;
  }
  before->dependency[before->dependencies].to = v;
  before->dependency[before->dependencies++].paths++;
  before->fresh += !before->tentative;
  w->grew = true;
}

static void add_path(work *w, layer *l, uint32_t from, uint32_t to) {
  vertex *before = NULL;
  for (uint32_t s = from; s != to;) {
    const uint32_t c = channel_of(w, s, to);
    if (!l->vertex[c]) {
      l->vertex[c] = RIPSTOP_NEW(w->arena, vertex);
      l->vertex[c]->tentative = true;
    }
    l->vertex[c]->paths++;
    if (before) depend_on(w, before, l->vertex[c]);
    before = l->vertex[c];
    s = w->part->leads[c];
  }
}

static void keep_path(const work *w, layer *l, uint32_t from, uint32_t to) {
  for (uint32_t s = from; s != to;) {
    vertex *v = first_vertex(w, l, s, to);
    if (!v->tentative) v->fresh = 0;
    v->tentative = false;
    s = w->part->leads[channel_of(w, s, to)];
  }
}

static void free_vertex(layer *l, uint32_t c) {
  l->vertex[c]->freed = l->vertex[c]->searched = true;
  l->vertex[c] = NULL;
}

/* Takes back what add_path did, but for the paths of dependencies that were there before. */
static void take_back(const work *w, layer *l, uint32_t from, uint32_t to) {
  for (uint32_t s = from; s != to;) {
    const uint32_t c = channel_of(w, s, to);
    vertex *v = l->vertex[c];
    s = w->part->leads[c];
    if (v->tentative) {
      free_vertex(l, c);
      continue;
    }
    v->dependencies -= v->fresh;
    v->fresh = 0;
    v->paths--;
    for (uint32_t i = v->dependencies; i < v->room; i++) v->dependency[i].paths = 0;
  }
}

/* The last dependency on a vertex; else `otherwise`. */
static uint32_t find_dependency(const vertex *v, const vertex *to, uint32_t otherwise) {
  uint32_t found = otherwise;
  for (uint32_t i = 0; i < v->dependencies; i++)
    if (v->dependency[i].to == to) found = i;
  return found;
}

static void drop_dependency(vertex *v, uint32_t which) {
  if (v->dependency[which].paths != 1) {
    v->dependency[which].paths--;
    return;
  }
  for (uint32_t i = which; i + 1 < v->dependencies; i++) v->dependency[i] = v->dependency[i + 1];
  v->dependencies--;
}

/* Takes a path that has been kept out of a VL. */
static void remove_path(const work *w, layer *l, uint32_t from, uint32_t to) {
  uint32_t which = 0;
  for (uint32_t s = from; s != to;) {
    const uint32_t c = channel_of(w, s, to), next = w->part->leads[c];
    vertex *v = l->vertex[c];
    s = next;
    if (v->paths == 1) {
      free_vertex(l, c);
      continue;
    }
    v->paths--;
    if (next == to || v->dependencies == 0) continue;
    which = find_dependency(v, first_vertex(w, l, next, to), which);
    if (which < v->dependencies) drop_dependency(v, which);
  }
}

/* ------------------------------------------------------------------ search */

static void find(work *w, vertex *v, uint32_t depth) {
  if (depth > w->stack_room)
    w->stack = ripstop_arena_realloc(w->arena, w->stack, w->stack_room = 2 * (size_t)depth, sizeof *w->stack);
  if (w->founds == w->found_room)
    w->found = ripstop_arena_realloc(w->arena, w->found, w->found_room = 2 * w->founds + 64, sizeof(vertex *));
  w->found[w->founds++] = v;
  v->depth = depth;
  w->stack[depth - 1] = (step){.at = v};
}

/* Depth first from a vertex, over vertices that earlier searches have not found. */
static bool search(work *w, vertex *from) {
  uint32_t depth = 1;
  bool cycle = false;
  find(w, from, depth);
  while (depth > 0) {
    step *s = &w->stack[depth - 1];
    if (cycle || s->next == s->at->dependencies) {
      s->at->searched = true;
      depth--;
      continue;
    }
    vertex *to = s->at->dependency[s->next++].to;
    if (to->depth == 0)
      find(w, to, ++depth);
    else
      cycle = depth + 1 > to->depth && !to->searched;
  }
  return cycle;
}

/* Returns true if the paths of a pair, which have just been added, close a cycle. */
static bool close_cycle(work *w, const layer *l, uint32_t a, uint32_t b) {
  w->founds = 0;
  const bool one = search(w, first_vertex(w, l, a, b)), other = search(w, first_vertex(w, l, b, a));
  for (size_t i = 0; i < w->founds; i++) {
    vertex *v = w->found[i];
    if (!v->freed) v->depth = 0, v->searched = false;
  }
  return one || other;
}

/* Adds a pair to a VL if no cycle is closed. `anyway`: old dependencies may have closed one. */
static bool try_lane(work *w, layer *l, uint32_t a, uint32_t b, bool anyway) {
  w->grew = false;
  add_path(w, l, a, b);
  add_path(w, l, b, a);
  const bool cycle = (w->grew || anyway) && close_cycle(w, l, a, b);
  if (cycle) {
    take_back(w, l, a, b);
    take_back(w, l, b, a);
  } else {
    keep_path(w, l, a, b);
    keep_path(w, l, b, a);
  }
  return !cycle;
}

/* ------------------------------------------------------------------ VLs */

static void set_where(const work *w, layer *l, uint32_t a, uint32_t b, uint8_t where) {
  l->where[(size_t)a * w->part->switches + b] = l->where[(size_t)b * w->part->switches + a] = where;
}

static void set_lane(const work *w, uint32_t a, uint32_t b, uint32_t lane) {
  const size_t switches = w->part->switches;
  w->part->lane[a * switches + b] = w->part->lane[b * switches + a] = (uint8_t)lane;
}

static void place(work *w, uint32_t a, uint32_t b, uint32_t lane) {
  w->lane[lane].pairs += 2;
  set_where(w, &w->lane[lane], a, b, HERE);
  set_lane(w, a, b, lane);
}

/* -1: there are too few VLs. */
static int find_lane(work *w, uint32_t a, uint32_t b) {
  uint32_t lane = 0;
  while (lane < w->needed && !try_lane(w, &w->lane[lane], a, b, false)) lane++;
  if (lane == w->needed) {
    if (++w->needed > w->lanes) return -1;
    try_lane(w, &w->lane[lane], a, b, false);
  }
  place(w, a, b, lane);
  return 0;
}

/* ------------------------------------------------------------------ balance */

typedef struct balance {
  ripstop_c_random random;
  uint32_t fullest, emptiest;
  int64_t trials;
  uint32_t a, b;
} balance;

/* A random pair of the fullest VL, or the next one: destinations first, then sources. false: there is none left, and
 * OpenSM would search forever. */
static bool pick_pair(const work *w, balance *b) {
  const uint32_t switches = w->part->switches;
  const uint8_t *where = w->lane[b->fullest].where;
  b->a = ripstop_c_random_next(&b->random) % switches;
  b->b = ripstop_c_random_next(&b->random) % switches;
  for (uint32_t rows = 0; rows <= switches; rows++) {
    for (uint32_t i = 0; i <= switches; i++) {
      if (where[(size_t)b->a * switches + b->b] == HERE) return true;
      if (i < switches) b->b = (b->b + 1) % switches;
    }
    b->a = (b->a + 1) % switches;
  }
  return false;
}

static void move_pair(work *w, const balance *b) {
  layer *from = &w->lane[b->fullest];
  from->pairs -= 2;
  remove_path(w, from, b->a, b->b);
  remove_path(w, from, b->b, b->a);
  set_where(w, from, b->a, b->b, ELSEWHERE);
  place(w, b->a, b->b, b->emptiest);
}

static void forget_tries(const work *w, uint32_t lane) {
  const size_t all = (size_t)w->part->switches * w->part->switches;
  for (size_t i = 0; i < all; i++)
    if (w->lane[lane].where[i] == TRIED) w->lane[lane].where[i] = HERE;
}

/* Finds the first VLs with the most and the fewest pairs. After a change pairs may be tried again. */
static void choose_lanes(const work *w, balance *b) {
  const uint32_t fullest = b->fullest, emptiest = b->emptiest;
  b->fullest = b->emptiest = 0;
  for (uint32_t i = 1; i < w->needed; i++) {
    if (w->lane[i].pairs < w->lane[b->emptiest].pairs) b->emptiest = i;
    if (w->lane[i].pairs > w->lane[b->fullest].pairs) b->fullest = i;
  }
  if (b->emptiest != emptiest) {
    b->trials = w->lane[b->fullest].pairs;
    forget_tries(w, b->fullest);
  }
  if (b->fullest != fullest) {
    b->trials = w->lane[b->fullest].pairs;
    forget_tries(w, fullest);
  }
}

/* -1: OpenSM would not come to an end. */
static int balance_lanes(work *w) {
  balance b = {.emptiest = w->needed - 1, .trials = w->lane[0].pairs};
  ripstop_c_random_open(&b.random, 1);
  for (bool done = w->needed == 1; !done;) {
    if (!pick_pair(w, &b)) return -1;
    if (try_lane(w, &w->lane[b.emptiest], b.a, b.b, true)) {
      move_pair(w, &b);
    } else {
      set_where(w, &w->lane[b.fullest], b.a, b.b, TRIED);
      b.trials -= 2;
    }
    done = b.trials == 0 || w->lane[b.fullest].pairs - w->lane[b.emptiest].pairs < BALANCED;
    choose_lanes(w, &b);
  }
  return 0;
}

static work open_work(ripstop_lash_part *part, uint32_t lanes, ripstop_arena *arena) {
  work w = {.part = part, .lanes = lanes, .needed = 1, .lane = RIPSTOP_ARRAY(arena, lanes, layer), .arena = arena};
  for (uint32_t i = 0; i < lanes; i++) {
    w.lane[i].vertex = RIPSTOP_ARRAY(arena, part->channels, vertex *);
    w.lane[i].where = RIPSTOP_ARRAY(arena, (size_t)part->switches * part->switches, uint8_t);
  }
  return w;
}

int ripstop_lash_assign(ripstop_lash_part *part, uint32_t lanes, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(arena);
  work w = open_work(part, lanes, arena);
  for (uint32_t a = 0; a < part->switches; a++) {
    ripstop_task_progress("virtual lanes", a, part->switches);
    for (uint32_t b = a + 1; b < part->switches; b++)
      if (find_lane(&w, a, b)) return ripstop_fail(err, "opensm-lash: more than %u virtual lanes are needed", lanes);
  }
  if (balance_lanes(&w)) return ripstop_fail(err, "opensm-lash: OpenSM would balance virtual lanes without an end");
  return 0;
}
