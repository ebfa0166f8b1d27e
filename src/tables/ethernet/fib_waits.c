/* fib_waits.c - the graph of waits of an Ethernet fabric, and its cycles. */
#include "tables/ethernet/fib_waits.h"

#include "base/local.h"
#include "tables/ethernet/fib_judge.h"

/* ------------------------------------------------------------------ the graph */

static uint32_t switch_behind(const fib *f, uint32_t port) {
  const uint32_t peer = f->c->port[port].peer;
  if (peer == RIPSTOP_NONE || f->switch_of[f->c->port[port].node] == RIPSTOP_NONE) return RIPSTOP_NONE;
  return f->switch_of[f->c->port[peer].node];
}

static void number_links(fib_waits *w, ripstop_arena *arena) {
  const fib *f = w->f;
  w->first_out = RIPSTOP_ARRAY(arena, (size_t)f->switches + 2, uint32_t);
  w->link_of = RIPSTOP_ARRAY(arena, (size_t)f->c->ports + 1, uint32_t);
  for (uint32_t p = 0; p < f->c->ports; p++) {
    w->link_of[p] = RIPSTOP_NONE;
    if (switch_behind(f, p) == RIPSTOP_NONE) continue;
    w->first_out[f->switch_of[f->c->port[p].node] + 2]++;
    w->links++;
  }
  for (uint32_t s = 0; s < f->switches; s++) w->first_out[s + 2] += w->first_out[s + 1];
  w->port_of = RIPSTOP_ARRAY(arena, (size_t)w->links + 1, uint32_t);
  w->into = RIPSTOP_ARRAY(arena, (size_t)w->links + 1, uint32_t);
  for (uint32_t p = 0; p < f->c->ports; p++) {
    const uint32_t to = switch_behind(f, p);
    if (to == RIPSTOP_NONE) continue;
    const uint32_t link = w->first_out[f->switch_of[f->c->port[p].node] + 1]++;
    w->link_of[p] = link;
    w->port_of[link] = p;
    w->into[link] = to;
  }
}

void fib_waits_open(fib_waits *w, const fib *f, uint32_t classes, ripstop_arena *arena) {
  *w = (fib_waits){.f = f, .classes = classes};
  number_links(w, arena);
  w->words = RIPSTOP_ARRAY(arena, (size_t)f->switches + 1, uint32_t);
  w->first_row = RIPSTOP_ARRAY(arena, (size_t)w->links + 1, size_t);
  for (uint32_t s = 0; s < f->switches; s++)
    w->words[s] = ((w->first_out[s + 1] - w->first_out[s]) * classes + 63) / 64;
  for (uint32_t l = 0; l < w->links; l++) {
    w->first_row[l] = w->bit_words;
    w->bit_words += (size_t)classes * w->words[w->into[l]];
  }
  w->bits = RIPSTOP_ARRAY(arena, w->bit_words + 1, uint64_t);
}

const char *fib_vertex_name(const fib_waits *w, uint32_t vertex) {
  const char *port = fib_port_name(w->f, w->port_of[vertex / w->classes]);
  return w->classes == 1 ? port : ripstop_arena_printf(w->f->arena, "%s.%u", port, vertex % w->classes);
}

/* ------------------------------------------------------------------ one class of packets */

typedef struct filling {
  fib_waits *w;
  const fib_state *state;
  uint32_t class_;
  uint64_t **mask; /* [sets]: a bit for each link of a set; NULL: not yet made */
  bool *seen;      /* [switches] */
  uint32_t *queue; /* [switches] */
  ripstop_arena *scratch;
} filling;

/* A set with ports belongs to one switch. */
static const uint64_t *mask_of(filling *l, uint32_t switch_, uint32_t set) {
  if (l->mask[set]) return l->mask[set];
  const fib_waits *w = l->w;
  const fib *f = w->f;
  uint64_t *mask = l->mask[set] = RIPSTOP_ARRAY(l->scratch, (size_t)w->words[switch_] + 1, uint64_t);
  for (uint32_t i = 0; i < f->set[set].count; i++) {
    const fib_hop *h = &f->hop[f->set[set].first + i];
    if (h->to == FIB_LOST) continue;
    const uint32_t bit = w->link_of[h->port] - w->first_out[switch_];
    mask[bit / 64] |= UINT64_C(1) << bit % 64;
  }
  return mask;
}

/* Packets come by the link to the switch behind it, and wait for what its entry leads to. */
static void come_by(filling *l, uint32_t link) {
  fib_waits *w = l->w;
  const uint32_t to = w->into[link], set = fib_entry(w->f, l->state, l->class_, to);
  if (!fib_is_set(set)) return;
  if (w->f->hop[w->f->set[set].first].port == RIPSTOP_NONE) return; /* no ports at all: several switches may share it */
  const uint64_t *mask = mask_of(l, to, set);
  for (uint32_t k = 0; k < w->words[to]; k++) w->bits[w->first_row[link] + k] |= mask[k];
}

static uint32_t send_on(filling *l, uint32_t s, uint32_t count) {
  const fib *f = l->w->f;
  const uint32_t set = fib_entry(f, l->state, l->class_, s);
  if (!fib_is_set(set)) return count;
  for (const fib_hop *h = &f->hop[f->set[set].first], *end = h + f->set[set].count; h < end; h++) {
    if (h->to == FIB_LOST) continue;
    come_by(l, l->w->link_of[h->port]);
    if (l->seen[h->to]) continue;
    l->seen[h->to] = true;
    l->queue[count++] = h->to;
  }
  return count;
}

void fib_waits_fill(fib_waits *w, const fib_state *state) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const fib *f = w->f;
  uint32_t *first_host, *host_of;
  uint64_t *pairs = RIPSTOP_ARRAY(scratch, (size_t)f->switches + 1, uint64_t);
  filling l = {.w = w,
               .state = state,
               .mask = RIPSTOP_ARRAY(scratch, (size_t)f->sets + 1, uint64_t *),
               .seen = RIPSTOP_ARRAY(scratch, (size_t)f->switches + 1, bool),
               .queue = RIPSTOP_ARRAY(scratch, (size_t)f->switches + 1, uint32_t),
               .scratch = scratch};
  fib_group_hosts(f, scratch, &first_host, &host_of);
  for (l.class_ = 0; l.class_ < f->classes; l.class_++) {
    uint32_t count = 0;
    fib_pairs_of(f, f->class_[l.class_].group, first_host, host_of, pairs);
    for (uint32_t s = 0; s < f->switches; s++)
      if ((l.seen[s] = pairs[s] > 0)) l.queue[count++] = s;
    for (uint32_t at = 0; at < count; at++) count = send_on(&l, l.queue[at], count);
  }
}

/* ------------------------------------------------------------------ cycles */

/* The next vertex for which `vertex` waits, from bit `*bit` on; RIPSTOP_NONE: no more. */
static uint32_t next_wait(const fib_waits *w, uint32_t vertex, uint32_t *bit) {
  const uint32_t link = vertex / w->classes, s = w->into[link];
  const uint64_t *row = &w->bits[w->first_row[link] + (size_t)(vertex % w->classes) * w->words[s]];
  for (uint32_t word = *bit / 64; word < w->words[s]; word++) {
    uint64_t left = row[word];
    if (word == *bit / 64) left &= ~UINT64_C(0) << *bit % 64;
    if (!left) continue;
    const uint32_t found = 64 * word + (uint32_t)__builtin_ctzll(left);
    *bit = found + 1;
    return w->first_out[s] * w->classes + found;
  }
  *bit = 64 * w->words[s];
  return RIPSTOP_NONE;
}

/* Tarjan's search for strongly connected components, without recursion. */
typedef struct search {
  const fib_waits *w;
  uint32_t *low, *number, *bit, *stack, *path; /* [vertices] */
  bool *on_stack;
  uint32_t next, stacked, depth;
  bool *in; /* in a component of several */
  uint32_t found;
} search;

static void enter(search *x, uint32_t v) {
  x->low[v] = x->number[v] = ++x->next;
  x->bit[v] = 0;
  x->stack[x->stacked++] = v;
  x->on_stack[v] = true;
  x->path[x->depth++] = v;
}

static void leave(search *x, uint32_t v) {
  x->depth--;
  if (x->depth && x->low[v] < x->low[x->path[x->depth - 1]]) x->low[x->path[x->depth - 1]] = x->low[v];
  if (x->low[v] != x->number[v]) return;
  uint32_t first = x->stacked;
  while (x->stack[first - 1] != v) first--;
  first--;
  for (uint32_t i = first; i < x->stacked; i++) {
    x->on_stack[x->stack[i]] = false;
    if (x->stacked - first < 2) continue;
    x->found++;
    x->in[x->stack[i]] = true;
  }
  x->stacked = first;
}

static void step(search *x) {
  const uint32_t v = x->path[x->depth - 1], to = next_wait(x->w, v, &x->bit[v]);
  if (to == RIPSTOP_NONE)
    leave(x, v);
  else if (!x->number[to])
    enter(x, to);
  else if (x->on_stack[to] && x->number[to] < x->low[v])
    x->low[v] = x->number[to];
}

static uint32_t run_search(const fib_waits *w, bool *in) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const uint32_t vertices = w->links * w->classes;
  const size_t n = (size_t)vertices + 1;
  search x = {.w = w,
              .low = RIPSTOP_ARRAY(scratch, n, uint32_t),
              .number = RIPSTOP_ARRAY(scratch, n, uint32_t),
              .bit = RIPSTOP_ARRAY(scratch, n, uint32_t),
              .stack = RIPSTOP_ARRAY(scratch, n, uint32_t),
              .path = RIPSTOP_ARRAY(scratch, n, uint32_t),
              .on_stack = RIPSTOP_ARRAY(scratch, n, bool),
              .in = in};
  for (uint32_t v = 0; v < vertices; v++) {
    if (!x.number[v]) enter(&x, v);
    while (x.depth) step(&x);
  }
  return x.found;
}

uint32_t fib_waits_in_cycles(const fib_waits *w, bool *in) { return run_search(w, in); }

/* ------------------------------------------------------------------ a shortest cycle */

typedef struct shortest {
  const fib_waits *w;
  const bool *in;
  uint32_t *from, *seen, *queue, *distance; /* [vertices] */
  uint32_t best, *cycle;
} shortest;

static void take_cycle(shortest *x, uint32_t last) {
  x->best = x->distance[last] + 1;
  for (uint32_t i = x->best, v = last; i-- > 0; v = x->from[v]) x->cycle[i] = v;
}

/* Breadth first from a vertex; only cycles shorter than the best so far are looked for. */
static void look_from(shortest *x, uint32_t first) {
  uint32_t count = 0;
  x->queue[count++] = first;
  x->seen[first] = first;
  x->distance[first] = 0;
  x->from[first] = first;
  for (uint32_t at = 0; at < count; at++) {
    const uint32_t v = x->queue[at];
    if (x->distance[v] + 1 >= x->best) return;
    uint32_t bit = 0;
    for (uint32_t to; (to = next_wait(x->w, v, &bit)) != RIPSTOP_NONE;) {
      if (to == first) {
        take_cycle(x, v);
        return;
      }
      if (!x->in[to] || x->seen[to] == first) continue;
      x->seen[to] = first;
      x->distance[to] = x->distance[v] + 1;
      x->from[to] = v;
      x->queue[count++] = to;
    }
  }
}

void fib_waits_cycles(const fib_waits *w, ripstop_arena *arena, fib_cycles *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const uint32_t vertices = w->links * w->classes;
  const size_t n = (size_t)vertices + 1;
  bool *in = RIPSTOP_ARRAY(scratch, n, bool);
  *out = (fib_cycles){.vertices = run_search(w, in)};
  if (!out->vertices) return;
  shortest x = {.w = w,
                .in = in,
                .from = RIPSTOP_ARRAY(scratch, n, uint32_t),
                .seen = RIPSTOP_ARRAY(scratch, n, uint32_t),
                .queue = RIPSTOP_ARRAY(scratch, n, uint32_t),
                .distance = RIPSTOP_ARRAY(scratch, n, uint32_t),
                .best = UINT32_MAX,
                .cycle = RIPSTOP_ARRAY(arena, n, uint32_t)};
  for (uint32_t v = 0; v < vertices; v++) x.seen[v] = RIPSTOP_NONE;
  for (uint32_t v = 0; v < vertices && x.best > 2; v++)
    if (in[v]) look_from(&x, v);
  out->length = x.best;
  out->cycle = x.cycle;
}
