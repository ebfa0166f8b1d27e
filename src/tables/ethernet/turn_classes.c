/* turn_classes.c - lists paths depth-first, with a bound on the work, and notes which links packets of one class would
 * wait for. Each path that is listed is real: so a cycle of these waits shows that one class is not enough, also where
 * the list is not complete. */
#include "tables/ethernet/turn_classes.h"

#include <string.h>

#include "base/local.h"
#include "formats/ethernet/cabling_diff.h"

enum {
  STEPS = 1000000, /* visits of switches by paths */
  HOPS = 1000      /* a path has: each is a call inside the last one's */
};
static const size_t WAITS = (size_t)1 << 28; /* bytes */

typedef struct lister {
  turn_classes *out;
  const cabling *c;
  uint32_t asked, steps;
  uint32_t *first, *port; /* [nodes + 1], and ports between switches by node */
  uint32_t *place;        /* [ports]: its number among those of its node */
  uint32_t most;          /* ports of a node */
  bool *edge;             /* [nodes]: it has hosts */
  bool *visited;          /* [nodes]: by the present path */
  uint32_t *path, length; /* ports that the present path has left by */
  uint8_t *waits;         /* [ports * most]: who came by the link waits for that port of the switch behind it */
} lister;

static bool is_switch_cable(const cabling *c, uint32_t port) {
  const uint32_t peer = c->port[port].peer;
  return peer != RIPSTOP_NONE && cabling_is_switch(c, c->port[port].node) && cabling_is_switch(c, c->port[peer].node);
}

static uint32_t behind(const lister *l, uint32_t port) { return l->c->port[l->c->port[port].peer].node; }

static void list_by_node(turn_classes *out, ripstop_arena *arena) {
  const cabling *c = out->c;
  out->first = RIPSTOP_ARRAY(arena, (size_t)c->nodes + 2, uint32_t);
  out->port = RIPSTOP_ARRAY(arena, (size_t)c->ports + 1, uint32_t);
  uint32_t *next = out->first + 1; /* one further: filling moves each entry to its place */
  for (uint32_t p = 0; p < c->ports; p++) next[c->port[p].node + 1]++;
  for (uint32_t n = 0; n < c->nodes; n++) next[n + 1] += next[n];
  for (uint32_t p = 0; p < c->ports; p++) out->port[next[c->port[p].node]++] = p;
}

/* ------------------------------------------------------------------ tiers */

static void list_ports(lister *l, ripstop_arena *arena) {
  const cabling *c = l->c;
  l->first = RIPSTOP_ARRAY(arena, (size_t)c->nodes + 1, uint32_t);
  l->port = RIPSTOP_ARRAY(arena, (size_t)c->ports + 1, uint32_t);
  l->place = RIPSTOP_ARRAY(arena, (size_t)c->ports + 1, uint32_t);
  for (uint32_t p = 0; p < c->ports; p++) l->first[c->port[p].node + 1] += is_switch_cable(c, p);
  for (uint32_t n = 0; n < c->nodes; n++) {
    if (l->first[n + 1] > l->most) l->most = l->first[n + 1];
    l->first[n + 1] += l->first[n];
  }
  uint32_t *used = RIPSTOP_ARRAY(arena, (size_t)c->nodes + 1, uint32_t);
  for (uint32_t p = 0; p < c->ports; p++) {
    if (!is_switch_cable(c, p)) continue;
    const uint32_t node = c->port[p].node;
    l->place[p] = used[node]++;
    l->port[l->first[node] + l->place[p]] = p;
  }
}

static int find_tiers(lister *l, ripstop_arena *arena, ripstop_error *err) {
  const cabling *c = l->c;
  uint32_t *queue = RIPSTOP_ARRAY(arena, (size_t)c->nodes + 1, uint32_t), tail = 0, *tier = l->out->tier;
  memset(tier, 0xFF, c->nodes * sizeof *tier);
  for (uint32_t p = 0; p < c->ports; p++) {
    const uint32_t peer = c->port[p].peer, node = c->port[p].node;
    if (peer == RIPSTOP_NONE || !cabling_is_switch(c, node) || cabling_is_switch(c, c->port[peer].node)) continue;
    if (!l->edge[node]) queue[tail++] = node;
    l->edge[node] = true;
    tier[node] = 0;
  }
  if (!tail)
    return ripstop_fail(err, "the cables name no hosts, so there is no up and down: a plan of cables has hosts");
  for (uint32_t head = 0; head < tail; head++)
    for (uint32_t node = queue[head], i = l->first[node]; i < l->first[node + 1]; i++) {
      const uint32_t to = behind(l, l->port[i]);
      if (tier[to] == tier[node])
        return ripstop_fail(err, "%s joins two switches of one tier, and classes follow up and down",
                            cabling_cable_name(c, l->port[i], arena));
      if (tier[to] != RIPSTOP_NONE) continue;
      tier[to] = tier[node] + 1;
      queue[tail++] = to;
    }
  return 0;
}

static turn_side side_of(const turn_classes *t, uint32_t port) {
  const cabling *c = t->c;
  const uint32_t peer = c->port[port].peer, node = c->port[port].node;
  if (peer == RIPSTOP_NONE || t->tier[node] == RIPSTOP_NONE) return TURN_NOWHERE;
  if (!cabling_is_switch(c, c->port[peer].node)) return TURN_HOST;
  return t->tier[c->port[peer].node] > t->tier[node] ? TURN_UP : TURN_DOWN;
}

/* ------------------------------------------------------------------ paths */

/* The present path ends here. */
static void take_path(lister *l, uint32_t turns) {
  if (turns > l->out->turns) l->out->turns = turns;
  for (uint32_t i = 1; i < l->length; i++) l->waits[(size_t)l->path[i - 1] * l->most + l->place[l->path[i]]] = 1;
}

/* Continues the present path, whose packet came from above or not. A path that is too long ends the list. */
static void follow(lister *l, uint32_t node, bool above, uint32_t turns) {
  if (l->length == HOPS) l->steps = STEPS;
  if (l->steps >= STEPS) return;
  l->steps++;
  if (l->edge[node] && l->length) take_path(l, turns);
  l->visited[node] = true;
  for (uint32_t i = l->first[node]; i < l->first[node + 1]; i++) {
    const uint32_t port = l->port[i], to = behind(l, port);
    const bool up = l->out->side[port] == TURN_UP;
    if (l->visited[to] || turns + (above && up) > l->asked) continue;
    l->path[l->length++] = port;
    follow(l, to, !up, turns + (above && up));
    l->length--;
  }
  l->visited[node] = false;
}

/* ------------------------------------------------------------------ cycles of one class */

/* Drops links that nothing waits for, again and again. */
static bool has_cycle(const lister *l, ripstop_arena *arena) {
  const cabling *c = l->c;
  uint32_t *into = RIPSTOP_ARRAY(arena, (size_t)c->ports + 1, uint32_t);
  uint32_t *ready = RIPSTOP_ARRAY(arena, (size_t)c->ports + 1, uint32_t), count = 0, links = 0;
  for (uint32_t p = 0; p < c->ports; p++)
    for (uint32_t k = 0; is_switch_cable(c, p) && k < l->most; k++)
      if (l->waits[(size_t)p * l->most + k]) into[l->port[l->first[behind(l, p)] + k]]++;
  for (uint32_t p = 0; p < c->ports; p++) {
    links += is_switch_cable(c, p);
    if (is_switch_cable(c, p) && into[p] == 0) ready[count++] = p;
  }
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t p = ready[i], k = 0; k < l->most; k++) {
      if (!l->waits[(size_t)p * l->most + k]) continue;
      const uint32_t next = l->port[l->first[behind(l, p)] + k];
      if (--into[next] == 0) ready[count++] = next;
    }
  return count < links;
}

int turn_classes_find(turn_classes *out, const cabling *c, uint32_t turns, ripstop_arena *arena, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  lister l = {.out = out, .c = c, .asked = turns};
  *out = (turn_classes){.c = c, .tier = RIPSTOP_ARRAY(arena, (size_t)c->nodes + 1, uint32_t)};
  out->side = RIPSTOP_ARRAY(arena, (size_t)c->ports + 1, turn_side);
  list_by_node(out, arena);
  l.edge = RIPSTOP_ARRAY(scratch, (size_t)c->nodes + 1, bool);
  l.visited = RIPSTOP_ARRAY(scratch, (size_t)c->nodes + 1, bool);
  l.path = RIPSTOP_ARRAY(scratch, (size_t)c->nodes + 1, uint32_t);
  list_ports(&l, scratch);
  if (find_tiers(&l, scratch, err)) return -1;
  for (uint32_t p = 0; p < c->ports; p++) out->side[p] = side_of(out, p);
  if ((size_t)c->ports * l.most > WAITS)
    return ripstop_fail(err, "%u ports, and a switch with %u cables to others, are too many", c->ports, l.most);
  l.waits = RIPSTOP_ARRAY(scratch, (size_t)c->ports * l.most + 1, uint8_t);
  for (uint32_t node = 0; node < c->nodes && l.steps < STEPS; node++)
    if (l.edge[node]) follow(&l, node, false, 0);
  out->complete = l.steps < STEPS;
  if (!out->complete) out->turns = turns;
  out->classes = out->turns + 1;
  out->least = has_cycle(&l, scratch) ? 2 : 1;
  return 0;
}
