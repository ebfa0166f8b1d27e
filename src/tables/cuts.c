/* cuts.c - which links, alone or in pairs, disconnect end nodes: bridges of the fabric, and for each link the bridges
 * of the fabric without it (Tarjan, 1974).
 *
 * Two links disconnect end nodes when one of them does alone, or when the second is a bridge of the fabric without
 * the first, with end nodes on both sides. Cost: O(links * ports). */
#include "base/memory.h"
#include "ripstop/kit/judge.h"
#include "tables/switch_graph.h"

typedef struct cutter {
  const ripstop_view *view;
  switch_graph net;
  uint32_t without;             /* a link that is taken as failed */
  uint32_t *number, *low, next; /* [switches]: in the order of the search, 0: not yet */
  uint32_t *ends;               /* [switches]: end nodes of it and of the switches found behind it */
  uint32_t *at, *came, *path;   /* [switches]: the next channel to look at, the channel it was entered by; the stack */
  uint32_t *bridge, *below;     /* [switches]: bridges of the present component, and end nodes behind them */
  uint32_t bridges;
  bool *alone; /* [links]: it disconnects end nodes alone */
} cutter;

static uint32_t link_of(const cutter *c, uint32_t channel) { return c->view->fabric->port_link[c->net.port[channel]]; }

static bool alive(const cutter *c, uint32_t channel) {
  return c->view->port_up[c->net.port[channel]] && link_of(c, channel) != c->without;
}

static void enter(cutter *c, uint32_t s, uint32_t came, uint32_t *depth) {
  const switch_graph *of = &c->net;
  c->number[s] = c->low[s] = ++c->next;
  c->at[s] = of->out_first[s];
  c->came[s] = came;
  c->ends[s] = 0;
  for (uint32_t i = of->end_first[s]; i < of->end_first[s + 1]; i++)
    c->ends[s] += c->view->port_up[c->view->fabric->port_base[of->end[i]]];
  c->path[(*depth)++] = s;
}

/* All switches behind this one are known, so the link by which it was entered may be a bridge. */
static void leave(cutter *c, uint32_t s, uint32_t before) {
  if (c->low[s] < c->low[before]) c->low[before] = c->low[s];
  c->ends[before] += c->ends[s];
  if (c->low[s] <= c->number[before]) return;
  c->bridge[c->bridges] = link_of(c, c->came[s]);
  c->below[c->bridges++] = c->ends[s];
}

/* Finds the bridges of a component. Returns its number of end nodes. */
static uint32_t search(cutter *c, uint32_t root) {
  const switch_graph *of = &c->net;
  uint32_t depth = 0;
  c->bridges = 0;
  enter(c, root, RIPSTOP_NONE, &depth);
  while (depth > 0) {
    uint32_t s = c->path[depth - 1], channel = c->at[s];
    if (channel == of->out_first[s + 1]) {
      if (--depth > 0) leave(c, s, c->path[depth - 1]);
      continue;
    }
    c->at[s]++;
    if (!alive(c, channel) || (c->came[s] != RIPSTOP_NONE && channel == of->back[c->came[s]])) continue;
    uint32_t to = of->to[channel];
    if (!c->number[to])
      enter(c, to, channel, &depth);
    else if (c->number[to] < c->low[s])
      c->low[s] = c->number[to];
  }
  return c->ends[root];
}

/* Calls for each bridge that has end nodes on both sides. */
static void each_cut(cutter *c, uint32_t without, void (*found)(cutter *, ripstop_cuts *, uint32_t),
                     ripstop_cuts *out) {
  c->without = without;
  c->next = 0;
  for (uint32_t s = 0; s < c->net.switches; s++) c->number[s] = 0;
  for (uint32_t s = 0; s < c->net.switches; s++) {
    if (c->number[s] || !c->view->node_up[c->view->fabric->ends + s]) continue;
    uint32_t all = search(c, s);
    for (uint32_t i = 0; i < c->bridges; i++)
      if (c->below[i] > 0 && c->below[i] < all) found(c, out, c->bridge[i]);
  }
}

static void found_alone(cutter *c, ripstop_cuts *out, uint32_t link) {
  c->alone[link] = true;
  out->alone++;
}

static void found_pair(cutter *c, ripstop_cuts *out, uint32_t link) {
  if (link < c->without || c->alone[link]) return;
  out->parting++;
  if (out->listed == out->limit) return;
  out->pair[2 * (size_t)out->listed] = c->without;
  out->pair[2 * (size_t)out->listed++ + 1] = link;
}

int ripstop_judge_cuts(ripstop_arena *arena, const ripstop_view *view, uint32_t limit, ripstop_cuts *out,
                       ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const ripstop_fabric *f = view->fabric;
  ripstop_arena *scratch = ripstop_arena_new();
  cutter c = {.view = view, .alone = RIPSTOP_ARRAY(scratch, f->links, bool)};
  switch_graph_make(&c.net, view, (switch_graph_kind){.whole = true, .by_port = true}, scratch);
  switch_graph_list_ends(&c.net, scratch);
  uint32_t **const rows[] = {&c.number, &c.low, &c.ends, &c.at, &c.came, &c.path, &c.bridge, &c.below};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = RIPSTOP_ARRAY(scratch, c.net.switches, uint32_t);
  *out = (ripstop_cuts){.limit = limit, .pair = RIPSTOP_ARRAY(arena, 2 * (size_t)limit, uint32_t)};
  each_cut(&c, RIPSTOP_NONE, found_alone, out);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint32_t port = f->link_port[2 * (size_t)link];
    if (!view->port_up[port] || ripstop_link_node(f, link, 0) == ripstop_link_node(f, link, 1)) continue;
    out->links++;
    if (!c.alone[link]) each_cut(&c, link, found_pair, out);
  }
  out->pairs = out->links ? (uint64_t)out->links * (out->links - 1) / 2 : 0;
  out->parting += (uint64_t)out->alone * (out->links - out->alone);
  if (out->alone > 0) out->parting += (uint64_t)out->alone * (out->alone - 1) / 2;
  ripstop_arena_free(scratch);
  return 0;
}
