/* group_tree.c - see group_tree.h. A tree is built of cables in some order, as Kruskal does it (1956): a cable is taken
 * if it joins two components. The last tree stays if it still serves all end nodes. Otherwise first come its cables,
 * then those of a breadth-first tree from the centre, then all others. Usually all its dependencies fit at once.
 * Otherwise each cable is checked before it is taken, and random orders follow, as many as a small fabric allows.
 *
 * Cost: the dependencies of all unicast packets, once for each order that is tried. */
#include "mend/group_tree.h"

#include <string.h>

#include "base/forest.h"
#include "base/local.h"
#include "base/memory.h"
#include "tables/depend.h"

enum { ATTEMPTS = 60, ATTEMPT_CHANNELS = 100000, SEED = 1 };

typedef struct search {
  const ripstop_view *view;
  const ripstop_fabric *f;
  const ripstop_forwarding *tables;
  depend *known;   /* dependencies of the tables, and more, without a cycle; NULL: none */
  uint32_t *order; /* [cables]: the links between switches that are alive */
  uint32_t cables;
  uint32_t *parent; /* [switches]: components while a tree grows */
  uint8_t *cable;   /* [links] */
  bool *needed;     /* [switches]: has a live end node */
} search;

static uint32_t switch_at(const search *s, uint32_t link, unsigned side) {
  return s->f->port_node[s->f->link_port[2 * (size_t)link + side]] - s->f->ends;
}

/* ------------------------------------------------------------------ the order of cables */

/* Moves a cable to the front part of the order, which has `first` already. */
static uint32_t prefer(search *s, uint32_t at, uint32_t first) {
  const uint32_t link = s->order[at];
  s->order[at] = s->order[first];
  s->order[first] = link;
  return first + 1;
}

static void list_cables(search *s) {
  for (uint32_t link = s->f->link_ends; link < s->f->links; link++)
    if (s->view->port_up[s->f->link_port[2 * (size_t)link]] && switch_at(s, link, 0) != switch_at(s, link, 1))
      s->order[s->cables++] = link;
}

/* The farthest switch from one, in its component. */
static uint32_t farthest(const switch_graph *net, uint32_t from, uint32_t *distance, uint32_t *queue) {
  memset(distance, 0xFF, net->switches * sizeof *distance);
  return queue[switch_graph_search(net, from, distance, queue) - 1];
}

/* The middle of a longest path that two searches find. */
static uint32_t centre_of(const switch_graph *net, uint32_t part, uint32_t *distance, uint32_t *queue) {
  uint32_t at = farthest(net, farthest(net, part, distance, queue), distance, queue), half = distance[at] / 2;
  while (distance[at] > half)
    for (uint32_t i = net->out_first[at];; i++)
      if (distance[net->to[net->out[i]]] < distance[at]) {
        at = net->to[net->out[i]];
        break;
      }
  return at;
}

/* Marks the cables of breadth-first trees from the centre of each component. mend's first VC has the turns of the same
 * tree (mend/start.c). */
static void mark_central(const search *s, uint8_t *mark) {
  RIPSTOP_LOCAL_ARENA(scratch);
  switch_graph net;
  switch_graph_make(&net, s->view, (switch_graph_kind){0}, scratch);
  uint32_t *distance = RIPSTOP_ARRAY(scratch, net.switches, uint32_t);
  uint32_t *queue = RIPSTOP_ARRAY(scratch, net.switches, uint32_t);
  for (uint32_t part = 0; part < net.switches; part++) {
    if (net.part[part] != part) continue;
    const uint32_t root = centre_of(&net, part, distance, queue);
    farthest(&net, root, distance, queue);
    for (uint32_t v = 0; v < net.switches; v++)
      for (uint32_t i = net.out_first[v]; net.part[v] == part && i < net.out_first[v + 1]; i++) {
        if (distance[net.to[net.out[i]]] >= distance[v]) continue;
        mark[s->f->port_link[net.port[net.out[i]]]] = 1;
        break;
      }
  }
}

static void order_cables(search *s, const uint8_t *last) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint8_t *central = RIPSTOP_ARRAY(scratch, s->f->links, uint8_t);
  uint32_t first = 0;
  mark_central(s, central);
  for (uint32_t i = 0; last && i < s->cables; i++)
    if (last[s->order[i]]) first = prefer(s, i, first);
  for (uint32_t i = first; i < s->cables; i++)
    if (central[s->order[i]]) first = prefer(s, i, first);
}

static void shuffle(search *s, ripstop_stream *random) {
  for (uint32_t i = s->cables; i > 1; i--) (void)prefer(s, ripstop_stream_below(random, i), i - 1);
}

/* ------------------------------------------------------------------ dependencies of a tree */

static void begin_tree(search *s) {
  memset(s->cable, 0, s->f->links);
  for (uint32_t i = 0; i < ripstop_fabric_switches(s->f); i++) s->parent[i] = i;
}

static bool joins(search *s, uint32_t link) {
  return ripstop_root(s->parent, switch_at(s, link, 0)) != ripstop_root(s->parent, switch_at(s, link, 1));
}

static void take(search *s, uint32_t link) {
  s->cable[link] = 1;
  ripstop_join(s->parent, switch_at(s, link, 0), switch_at(s, link, 1));
}

static void need(depend *g, uint32_t from, uint32_t to, uint32_t lane) {
  const uint32_t a = from * g->lanes + lane, b = to * g->lanes + lane;
  if (!depend_has(g, a, b)) depend_put(g, a, b, 1);
}

/* The dependencies of a cable with those of the tree at its ends. */
static void add_cable(depend *g, const search *s, uint32_t link, uint32_t lane) {
  const switch_graph *net = g->net;
  for (unsigned side = 0; side < 2; side++) {
    const uint32_t out = net->hop[s->f->link_port[2 * (size_t)link + side]].channel, at = net->from[out];
    for (uint32_t i = net->out_first[at]; i < net->out_first[at + 1]; i++) {
      if (i == out || !s->cable[s->f->port_link[net->port[i]]]) continue;
      need(g, net->back[i], out, lane);
      need(g, net->back[out], i, lane);
    }
  }
}

/* A graph of unicast packets alone. */
static void open_unicast(depend *g, const search *s, depend_kind kind, ripstop_arena *arena) {
  depend_mix m = {.view = s->view, .tables = &s->tables, .table_count = 1, .levels = &s->tables, .level_count = 1};
  switch_graph *net = RIPSTOP_NEW(arena, switch_graph);
  uint32_t senders = 0;
  switch_graph_make(net, s->view, (switch_graph_kind){.whole = true, .by_port = true}, arena);
  switch_graph_list_ends(net, arena);
  depend_open(g, arena, net, &m, depend_lanes(s->tables, s->tables), kind);
  for (uint32_t i = 0; i < net->switches; i++)
    if (net->hosts[i] > 0) net->queue[senders++] = i;
  for (m.address = 0; m.address < ripstop_forwarding_ends(s->tables); m.address++) {
    depend_add(g, &m, net->queue, senders);
    if (kind != DEPEND_WHOLE) depend_settle(g);
  }
  if (kind != DEPEND_WHOLE) depend_sort(g);
}

/* True if the whole tree closes no cycle with the known dependencies, on any VL. */
static bool fits_known(const search *s) {
  depend *g = s->known;
  for (uint32_t i = 0; i < s->cables; i++)
    for (uint32_t lane = 0; s->cable[s->order[i]] && lane < g->lanes; lane++) add_cable(g, s, s->order[i], lane);
  const bool fits = !depend_cycle(g, s->view);
  depend_undo(g);
  depend_free(g);
  return fits;
}

/* True if the whole tree closes no cycle on the wanted VLs. Counts all VLs. */
static bool fits_on(const search *s, uint16_t wanted, uint32_t *lanes) {
  RIPSTOP_LOCAL_ARENA(scratch);
  depend g;
  depend_cycles cycles;
  open_unicast(&g, s, DEPEND_WHOLE, scratch);
  *lanes = g.lanes;
  for (uint32_t i = 0; i < s->cables; i++)
    for (uint32_t lane = 0; s->cable[s->order[i]] && lane < g.lanes; lane++)
      if (wanted >> lane & 1) add_cable(&g, s, s->order[i], lane);
  depend_search(&g, s->view, scratch, &cycles);
  return cycles.length == 0;
}

/* A bit for each VL on which the whole tree closes no cycle; 0: VL 0 is none. Usually all fit at once. */
static uint16_t good_lanes(const search *s) {
  uint32_t lanes;
  uint16_t good = 0;
  if (s->known && fits_known(s)) return (uint16_t)((1u << s->known->lanes) - 1);
  if (fits_on(s, UINT16_MAX, &lanes)) return (uint16_t)((1u << lanes) - 1);
  for (uint32_t lane = 0; lanes > 1 && lane < lanes && (lane == 0 || good); lane++)
    if (fits_on(s, (uint16_t)(1u << lane), &lanes)) good |= (uint16_t)(1u << lane);
  return good;
}

/* ------------------------------------------------------------------ trees */

static void grow_at_once(search *s) {
  begin_tree(s);
  for (uint32_t i = 0; i < s->cables; i++)
    if (joins(s, s->order[i])) take(s, s->order[i]);
}

/* Removes branches that lead to no end node. */
static void prune(search *s) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t *degree = RIPSTOP_ARRAY(scratch, ripstop_fabric_switches(s->f), uint32_t);
  for (uint32_t i = 0; i < s->cables; i++)
    for (unsigned side = 0; side < 2; side++) degree[switch_at(s, s->order[i], side)] += s->cable[s->order[i]];
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < s->cables; i++) {
      const uint32_t link = s->order[i], a = switch_at(s, link, 0), b = switch_at(s, link, 1);
      if (!s->cable[link] || !((degree[a] == 1 && !s->needed[a]) || (degree[b] == 1 && !s->needed[b]))) continue;
      s->cable[link] = 0;
      degree[a]--;
      degree[b]--;
      again = true;
    }
  }
}

/* True if all end nodes of each component are in one tree. */
static bool is_whole(search *s, const uint32_t *part) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t *root = RIPSTOP_ARRAY(scratch, ripstop_fabric_switches(s->f), uint32_t);
  bool whole = true;
  memset(root, 0xFF, ripstop_fabric_switches(s->f) * sizeof *root);
  for (uint32_t i = 0; i < ripstop_fabric_switches(s->f); i++) {
    if (!s->needed[i]) continue;
    const uint32_t mine = ripstop_root(s->parent, i);
    if (root[part[i]] == RIPSTOP_NONE) root[part[i]] = mine;
    whole &= root[part[i]] == mine;
  }
  return whole;
}

/* The last tree alone, if it still serves all end nodes. */
static uint16_t try_last(search *s, const uint32_t *part, const uint8_t *last) {
  begin_tree(s);
  for (uint32_t i = 0; i < s->cables; i++)
    if (last[s->order[i]] && joins(s, s->order[i])) take(s, s->order[i]);
  return is_whole(s, part) ? good_lanes(s) : 0;
}

/* Takes each cable that closes no cycle. True: all end nodes of each component are in one tree. */
static bool grow_with_care(search *s, const uint32_t *part) {
  RIPSTOP_LOCAL_ARENA(scratch);
  depend g;
  begin_tree(s);
  open_unicast(&g, s, DEPEND_LOGGED, scratch);
  for (uint32_t i = 0; i < s->cables; i++) {
    if (!joins(s, s->order[i])) continue;
    add_cable(&g, s, s->order[i], 0);
    if (depend_cycle(&g, s->view)) { /* and will with more cables */
      depend_undo(&g);
      continue;
    }
    depend_settle(&g);
    depend_sort(&g);
    take(s, s->order[i]);
  }
  depend_free(&g);
  return is_whole(s, part);
}

/* The tree of one order: as it is, without branches that lead to no end node, or with each cable checked. */
static uint16_t try_order(search *s, const uint32_t *part, bool at_once) {
  uint16_t lanes = 0;
  if (at_once) {
    grow_at_once(s);
    lanes = good_lanes(s);
    if (!lanes) {
      prune(s);
      lanes = good_lanes(s);
    }
  }
  if (!lanes && grow_with_care(s, part)) lanes = good_lanes(s);
  return lanes;
}

/* Directs the cables of the tree towards the smallest switch of each component. */
static void direct(const search *s, uint32_t *up) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const uint32_t switches = ripstop_fabric_switches(s->f);
  uint32_t *queue = RIPSTOP_ARRAY(scratch, switches, uint32_t);
  bool *seen = RIPSTOP_ARRAY(scratch, switches, bool);
  for (uint32_t i = 0; i < switches; i++) up[i] = RIPSTOP_NONE;
  for (uint32_t root = 0; root < switches; root++) {
    uint32_t tail = 0;
    if (seen[root]) continue;
    seen[queue[tail++] = root] = true;
    for (uint32_t head = 0; head < tail; head++)
      for (uint32_t port = s->f->port_base[s->f->ends + queue[head]];
           port < s->f->port_base[s->f->ends + queue[head] + 1]; port++) {
        if (s->f->peer[port] == RIPSTOP_NONE || !s->cable[s->f->port_link[port]]) continue;
        const uint32_t other = s->f->port_node[s->f->peer[port]] - s->f->ends;
        if (seen[other]) continue;
        seen[queue[tail++] = other] = true;
        up[other] = s->f->peer[port];
      }
  }
}

static void find_parts(const search *s, uint32_t *part) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const uint32_t switches = ripstop_fabric_switches(s->f);
  uint32_t *parent = ripstop_forest(scratch, switches);
  for (uint32_t i = 0; i < s->cables; i++)
    ripstop_join(parent, switch_at(s, s->order[i], 0), switch_at(s, s->order[i], 1));
  for (uint32_t i = 0; i < switches; i++) part[i] = ripstop_root(parent, i);
}

static uint32_t attempts_for(const search *s) {
  const uint32_t affordable = ATTEMPT_CHANNELS / (2 * s->cables + 1);
  return affordable < ATTEMPTS ? affordable : ATTEMPTS;
}

group_tree *group_tree_find(ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                            const uint8_t *last, depend *known) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const ripstop_fabric *f = view->fabric;
  const uint32_t switches = ripstop_fabric_switches(f);
  ripstop_stream random = ripstop_stream_open(SEED, RIPSTOP_RANDOM_MEND, 1);
  search s = {.view = view, .f = f, .tables = tables, .known = known};
  group_tree *tree = RIPSTOP_NEW(arena, group_tree);
  uint32_t *part = RIPSTOP_ARRAY(scratch, switches, uint32_t);
  s.order = RIPSTOP_ARRAY(scratch, f->links + 1, uint32_t);
  s.parent = RIPSTOP_ARRAY(scratch, switches, uint32_t);
  s.needed = RIPSTOP_ARRAY(scratch, switches, bool);
  tree->cable = s.cable = RIPSTOP_ARRAY(arena, f->links + 1, uint8_t);
  tree->up = RIPSTOP_ARRAY(arena, switches, uint32_t);
  for (uint32_t end = 0; end < f->ends; end++)
    if (view->port_up[f->port_base[end]] && !ripstop_is_end(f, ripstop_end_switch(f, end)))
      s.needed[ripstop_end_switch(f, end) - f->ends] = true;
  list_cables(&s);
  find_parts(&s, part);
  order_cables(&s, last);
  if (last) tree->lanes = try_last(&s, part, last);
  if (!tree->lanes) tree->lanes = try_order(&s, part, true);
  if (!tree->lanes && last) {
    order_cables(&s, NULL);
    tree->lanes = try_order(&s, part, true);
  }
  for (uint32_t i = attempts_for(&s); i > 0 && !tree->lanes; i--) {
    shuffle(&s, &random);
    tree->lanes = try_order(&s, part, false);
  }
  if (!tree->lanes) {
    order_cables(&s, last);
    grow_at_once(&s);
  }
  direct(&s, tree->up);
  return tree;
}

const uint32_t *group_cables_list(ripstop_arena *arena, const ripstop_view *view, const uint8_t *first,
                                  uint32_t *cables) {
  search s = {.view = view, .f = view->fabric};
  s.order = RIPSTOP_ARRAY(arena, view->fabric->links + 1, uint32_t);
  list_cables(&s);
  order_cables(&s, first);
  *cables = s.cables;
  return s.order;
}

bool group_cables_fit(const ripstop_view *view, uint8_t *cable, depend *known) {
  RIPSTOP_LOCAL_ARENA(scratch);
  search s = {.view = view, .f = view->fabric, .known = known, .cable = cable};
  s.order = RIPSTOP_ARRAY(scratch, view->fabric->links + 1, uint32_t);
  list_cables(&s);
  return fits_known(&s);
}

bool group_trees_clash(const ripstop_view *view, const uint8_t *one, const uint8_t *other) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const ripstop_fabric *f = view->fabric;
  uint32_t *parent = ripstop_forest(scratch, ripstop_fabric_switches(f));
  bool clash = false;
  for (uint32_t link = f->link_ends; link < f->links && !clash; link++) {
    const uint32_t *port = &f->link_port[2 * (size_t)link];
    if (!view->port_up[port[0]] || !(one[link] || other[link])) continue;
    const uint32_t a = f->port_node[port[0]] - f->ends, b = f->port_node[port[1]] - f->ends;
    clash = ripstop_root(parent, a) == ripstop_root(parent, b);
    ripstop_join(parent, a, b);
  }
  return clash;
}
