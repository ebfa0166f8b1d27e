/* test_repair_rule.c - repaired tables against the rule that docs/judge.md gives for them, recomputed from walks of
 * single packets. Links and switches fail one after the other and stay down, so that unused switches, whose entries
 * lead nowhere, come to be needed again. End nodes have one address, or several with routes of their own. */
#include "check.h"

#include <string.h>

#include "ripstop/kit/judge.h"
#include "tables/repair_state.h"

typedef struct rule {
  const ripstop_fabric *f;
  const ripstop_view *view;
  ripstop_forwarding *t; /* the tables that the rule requires */
  uint64_t *load;        /* [ports] */
  uint32_t *distance, *best;
  uint64_t *flow; /* these: [nodes] */
} rule;

/* The port by which a packet goes on; RIPSTOP_NONE: none that is alive. */
static uint32_t out_of(const rule *r, uint32_t a, uint32_t node) {
  uint32_t local = ripstop_forwarding_port(r->t, a, node), port = r->f->port_base[node] + local;
  return local < ripstop_node_ports(r->f, node) && r->view->port_up[port] ? port : RIPSTOP_NONE;
}

/* Links between switches to the address; RIPSTOP_NONE: it is not reached. */
static uint32_t walk(const rule *r, uint32_t a, uint32_t node) {
  for (uint32_t links = 0; links < r->f->nodes; links++) {
    uint32_t port = out_of(r, a, node);
    if (port == RIPSTOP_NONE) return RIPSTOP_NONE;
    node = r->f->port_node[r->f->peer[port]];
    if (ripstop_is_end(r->f, node)) return node == r->t->node[a] ? links : RIPSTOP_NONE;
  }
  return RIPSTOP_NONE;
}

static void add_load(rule *r, uint32_t a, uint32_t node, uint64_t paths) {
  while (!ripstop_is_end(r->f, node)) {
    uint32_t port = out_of(r, a, node);
    r->load[port] += paths;
    node = r->f->port_node[r->f->peer[port]];
  }
}

static uint64_t senders(const rule *r, uint32_t a, uint32_t node) {
  uint64_t count = 0;
  for (uint32_t port = r->f->port_base[node]; port < r->f->port_base[node + 1]; port++) {
    uint32_t other = r->f->port_node[r->f->peer[port]];
    count += r->view->port_up[port] && ripstop_is_end(r->f, other) && other != r->t->node[a];
  }
  return count;
}

static void count_kept(rule *r) {
  memset(r->load, 0, r->f->ports * sizeof *r->load);
  for (uint32_t a = 0; a < r->t->addresses; a++)
    for (uint32_t s = r->f->ends; s < r->f->nodes; s++)
      if (walk(r, a, s) != RIPSTOP_NONE) add_load(r, a, s, senders(r, a, s));
}

/* The least distance, then the least load, then the lowest port. */
static void offer(rule *r, uint32_t s, uint32_t port) {
  uint32_t other = r->f->port_node[r->f->peer[port]], distance = r->distance[other] + 1;
  if (!r->view->port_up[port] || ripstop_is_end(r->f, other) || r->distance[other] == RIPSTOP_NONE) return;
  if (distance > r->distance[s]) return;
  if (distance == r->distance[s] && r->load[port] > r->load[r->best[s]]) return;
  if (distance == r->distance[s] && r->load[port] == r->load[r->best[s]] && port > r->best[s]) return;
  r->distance[s] = distance;
  r->best[s] = port;
}

static void find_distances(rule *r, uint32_t a, bool *arrives) {
  for (uint32_t s = r->f->ends; s < r->f->nodes; s++) r->distance[s] = walk(r, a, s);
  for (uint32_t s = r->f->ends; s < r->f->nodes; s++) arrives[s] = r->distance[s] != RIPSTOP_NONE;
  for (uint32_t round = r->f->ends; round < r->f->nodes; round++)
    for (uint32_t s = r->f->ends; s < r->f->nodes; s++)
      for (uint32_t port = r->f->port_base[s]; port < r->f->port_base[s + 1] && !arrives[s]; port++) offer(r, s, port);
}

/* Entries for all switches that packets come by, the most distant first. */
static void write_entries(rule *r, uint32_t a, const bool *arrives) {
  memset(r->flow, 0, r->f->nodes * sizeof *r->flow);
  for (uint32_t distance = r->f->nodes; distance > 0; distance--)
    for (uint32_t s = r->f->ends; s < r->f->nodes; s++) {
      if (arrives[s] || r->distance[s] != distance) continue;
      uint64_t flow = r->flow[s] + senders(r, a, s);
      if (flow == 0) continue;
      uint32_t next = r->f->port_node[r->f->peer[r->best[s]]];
      ripstop_forwarding_set(r->t, a, s, (uint16_t)(r->best[s] - r->f->port_base[s]));
      r->load[r->best[s]] += flow;
      if (arrives[next])
        add_load(r, a, next, flow);
      else
        r->flow[next] += flow;
    }
}

/* True if packets for the address go over the link from that side and arrive: others are not considered. */
static bool go_from(const rule *r, uint32_t a, uint32_t link, unsigned side) {
  const uint32_t node = ripstop_link_node(r->f, link, side);
  return !ripstop_is_end(r->f, node) && out_of(r, a, node) == r->f->link_port[2 * link + side] &&
         walk(r, a, node) != RIPSTOP_NONE;
}

/* True if the part matters to the address: packets go over the link, or from others into the switch. */
static bool matters(const rule *r, uint32_t a, const ripstop_faults *part) {
  if (part->links) return go_from(r, a, part->link[0], 0) || go_from(r, a, part->link[0], 1);
  for (uint32_t link = 0; link < r->f->links; link++)
    for (unsigned side = 0; side < 2; side++)
      if (ripstop_link_node(r->f, link, 1 - side) == part->switch_[0] && go_from(r, a, link, side)) return true;
  return false;
}

static void follow_rule(rule *r, ripstop_arena *arena, ripstop_view *view, const ripstop_faults *part) {
  bool *arrives = RIPSTOP_ARRAY(arena, r->f->nodes, bool), *over = RIPSTOP_ARRAY(arena, r->t->addresses, bool);
  for (uint32_t a = 0; a < r->t->addresses; a++) over[a] = matters(r, a, part);
  ripstop_view_set_faults(view, part, false);
  count_kept(r);
  for (uint32_t a = 0; a < r->t->addresses; a++) {
    if (!over[a]) continue;
    find_distances(r, a, arrives);
    write_entries(r, a, arrives);
  }
}

/* The state that the repair keeps beside its tables; a failed switch, which no packet enters, may count its entry as
 * before. */
static void check_state(const rule *r, const repair *made) {
  for (uint32_t a = 0; a < r->t->addresses; a++) {
    uint32_t lost = 0;
    for (uint32_t s = r->f->ends; s < r->f->nodes; s++) {
      uint32_t links = walk(r, a, s);
      if (r->view->node_up[s]) assert_int_equal(hops_of(made, a)[s - r->f->ends], links);
      lost += hops_of(made, a)[s - r->f->ends] == RIPSTOP_NONE;
    }
    assert_int_equal(made->lost[a], lost);
  }
}

static void kill(rule *r, ripstop_arena *arena, ripstop_view *view, repair *made, const ripstop_faults *part,
                 bool twice) {
  const size_t bytes = (size_t)r->t->addresses * ripstop_fabric_switches(r->f) * sizeof *r->t->port;
  const bool alive = part->links ? view->link_up[part->link[0]] : view->node_up[part->switch_[0]];
  ripstop_what_if ignored;
  repair_kill(made, part, &ignored);
  if (twice) {
    repair_undo(made);
    assert_memory_equal(repair_tables(made)->port, r->t->port, bytes);
    repair_kill(made, part, &ignored);
  }
  if (alive) follow_rule(r, arena, view, part);
  assert_memory_equal(repair_tables(made)->port, r->t->port, bytes);
  check_state(r, made);
}

/* Shortest routes to so many addresses of each end node; those of further ones use any port that leads nearer. */
static ripstop_forwarding *tables_of(const ripstop_fabric *f, const ripstop_view *view, uint32_t each,
                                     ripstop_stream *draw) {
  ripstop_error err;
  ripstop_forwarding *one = ripstop_forwarding_shortest(view, &err);
  if (each == 1) return one;
  uint32_t *node = test_malloc(f->ends * each * sizeof *node);
  for (uint32_t a = 0; a < f->ends * each; a++) node[a] = a / each;
  ripstop_forwarding *t = ripstop_forwarding_new(f, node, f->ends * each);
  rule r = {.f = f, .view = view, .t = one};
  for (uint32_t a = 0; a < t->addresses; a++)
    for (uint32_t s = f->ends; s < f->nodes; s++) {
      const uint32_t links = walk(&r, a / each, s), ports = ripstop_node_ports(f, s);
      uint32_t port = ripstop_forwarding_port(one, a / each, s);
      for (uint32_t i = ripstop_stream_below(draw, ports); a % each && links && i < ports; i++) {
        const uint32_t peer = f->peer[f->port_base[s] + i];
        if (peer == RIPSTOP_NONE || ripstop_is_end(f, f->port_node[peer])) continue;
        if (walk(&r, a / each, f->port_node[peer]) + 1 == links) port = i;
      }
      ripstop_forwarding_set(t, a, s, (uint16_t)port);
    }
  test_free(node);
  ripstop_forwarding_free(one);
  return t;
}

typedef struct trial {
  const char *spec;
  uint32_t number, kills, holes, each; /* addresses of an end node */
  bool switches;                       /* a third of what dies are switches */
} trial;

static void kill_some(rule *r, ripstop_arena *arena, ripstop_view *view, repair *made, const trial *t,
                      ripstop_stream *draw) {
  const ripstop_fabric *f = r->f;
  for (uint32_t i = 0; i < t->kills; i++) {
    const uint32_t link = f->link_ends + ripstop_stream_below(draw, f->links - f->link_ends);
    const uint32_t node = f->ends + ripstop_stream_below(draw, ripstop_fabric_switches(f));
    const ripstop_faults one = {.links = 1, .link = &link}, other = {.switches = 1, .switch_ = &node};
    if (view->link_up[link] && !view->port_up[f->link_port[2 * link]]) continue; /* it went with a switch */
    kill(r, arena, view, made, t->switches && i % 3 == 1 ? &other : &one, i % 2);
  }
}

static void try_fabric(const trial *t) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_stream draw = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, t->number);
  ripstop_fabric *f = ripstop_fabric_open(t->spec, &err);
  ripstop_view *view = ripstop_view_new(f, NULL);
  ripstop_forwarding *tables = tables_of(f, view, t->each, &draw);
  const uint32_t entries = tables->addresses * ripstop_fabric_switches(f);
  for (uint32_t i = 0; i < t->holes; i++) tables->port[ripstop_stream_below(&draw, entries)] = RIPSTOP_NO_PORT;
  rule r = {.f = f, .view = view, .t = ripstop_forwarding_copy(arena, tables)};
  r.load = RIPSTOP_ARRAY(arena, f->ports, uint64_t);
  r.flow = RIPSTOP_ARRAY(arena, f->nodes, uint64_t);
  r.distance = RIPSTOP_ARRAY(arena, f->nodes, uint32_t);
  r.best = RIPSTOP_ARRAY(arena, f->nodes, uint32_t);
  ripstop_view *begin = ripstop_view_copy(view);
  repair *made = repair_new(begin, tables);
  kill_some(&r, arena, view, made, t, &draw);
  repair_free(made);
  ripstop_view_free(begin);
  ripstop_forwarding_free(tables);
  ripstop_view_free(view);
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
}

static void tables_are_what_the_rule_says(void **state) {
  (void)state;
  static const char *const specs[] = {"kary-ntree:k=2,n=3", "torus:4x3", "kary-ntree:k=3,n=2", "kns:k=3,n=2"};
  for (uint32_t i = 0; i < 400; i++)
    try_fabric(&(trial){.spec = specs[i % 4],
                        .number = i,
                        .kills = 12,
                        .holes = i % 8 < 4 ? 0 : 10 * (i % 5),
                        .each = i % 3 == 2 ? 2 : 1,
                        .switches = i >= 200});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_what_the_rule_says)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
