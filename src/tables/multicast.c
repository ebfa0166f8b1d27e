/* multicast.c - see multicast.h. Masks form a cycle if the dependencies of one group's copies do, when all are on one
 * VL: then a copy comes back to a channel that it has left already, and is copied again. */
#include "tables/multicast.h"

#include "base/bits.h"
#include "base/forest.h"
#include "base/local.h"
#include "base/memory.h"

/* ------------------------------------------------------------------ cycles of masks */

/* The same tables with one VL. */
static ripstop_forwarding on_one_lane(const ripstop_forwarding *t) {
  ripstop_forwarding one = *t;
  one.lanes = 1;
  one.lane = one.next_level = NULL;
  one.drops = 0;
  return one;
}

/* True if the cables of all masks of a group are a forest, whatever their directions: so most groups have no cycle. */
static bool is_forest(const depend_mix *m, uint32_t mlid) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const ripstop_fabric *f = m->view->fabric;
  uint32_t *parent = ripstop_forest(scratch, ripstop_fabric_switches(f));
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    const uint32_t *port = &f->link_port[2 * (size_t)link];
    bool used = false;
    for (uint32_t k = 0; k < m->table_count; k++) {
      const ripstop_group *group = depend_group(m->tables[k], mlid);
      used |= group && (ripstop_bit_test(group->mask, port[0]) || ripstop_bit_test(group->mask, port[1]));
    }
    if (!used || !m->view->port_up[port[0]]) continue;
    const uint32_t a = f->port_node[port[0]] - f->ends, b = f->port_node[port[1]] - f->ends;
    if (ripstop_root(parent, a) == ripstop_root(parent, b)) return false;
    ripstop_join(parent, a, b);
  }
  return true;
}

static bool has_cycle(const depend_mix *plain, uint32_t mlid) {
  RIPSTOP_LOCAL_ARENA(scratch);
  depend d;
  depend_cycles cycles;
  if (is_forest(plain, mlid)) return false;
  depend_make(&d, scratch, plain, 1, 0);
  depend_add_groups(&d, plain, mlid);
  depend_search(&d, plain->view, scratch, &cycles);
  return cycles.length > 0;
}

/* The number of groups of all tables whose masks form a cycle. `loops` ([groups of the first table]; NULL: not
 * requested): which of them do. */
static uint32_t find_cycles(const depend_mix *m, bool *loops) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_forwarding *one = RIPSTOP_ARRAY(scratch, m->table_count, ripstop_forwarding);
  const ripstop_forwarding **tables = RIPSTOP_ARRAY(scratch, m->table_count, const ripstop_forwarding *);
  bool *seen = RIPSTOP_ARRAY(scratch, UINT16_MAX + 1, bool);
  depend_mix plain = *m;
  uint32_t count = 0;
  for (uint32_t k = 0; k < m->table_count; k++) {
    one[k] = on_one_lane(m->tables[k]);
    tables[k] = &one[k];
  }
  plain.tables = tables;
  for (uint32_t k = 0; k < m->table_count; k++) {
    const ripstop_groups *groups = tables[k]->groups;
    for (uint32_t i = 0; groups && i < groups->groups; i++) {
      const uint32_t mlid = groups->group[i].mlid;
      if (seen[mlid]) continue;
      seen[mlid] = true;
      const bool cyclic = has_cycle(&plain, mlid);
      count += cyclic;
      if (loops && k == 0) loops[i] = cyclic;
    }
  }
  return count;
}

uint32_t multicast_looping(const depend_mix *m) { return find_cycles(m, NULL); }

/* ------------------------------------------------------------------ one group */

/* The masks of one group, and the switches that reach each other by them. */
typedef struct spread {
  const ripstop_view *view;
  const ripstop_group *group;
  uint32_t *parent;  /* [switches]: disjoint sets of those that copies join in both directions */
  uint32_t *members; /* [switches]: end ports of each set, at its root */
} spread;

static bool has_mask(const spread *s, uint32_t switch_) {
  const ripstop_fabric *f = s->view->fabric;
  const uint32_t node = f->ends + switch_;
  const size_t next = ripstop_bits_next(s->group->mask, ripstop_bits_words(f->ports), f->port_base[node]);
  return s->group->own[switch_] || next < f->port_base[node + 1];
}

/* A port in a mask. */
static void take_port(spread *s, uint32_t port, ripstop_group_verdict *out) {
  const ripstop_fabric *f = s->view->fabric;
  const uint32_t peer = f->peer[port], from = f->port_node[port] - f->ends;
  const bool leads_on = peer != RIPSTOP_NONE && s->view->port_up[port];
  if (leads_on && ripstop_is_end(f, f->port_node[peer])) {
    out->end_ports++;
    s->members[from]++;
  } else if (!leads_on || !ripstop_bit_test(s->group->mask, peer)) {
    out->asymmetric_ports++;
  } else {
    out->cables += port < peer;
    ripstop_join(s->parent, from, f->port_node[peer] - f->ends);
  }
}

/* Counts components, and returns the root of the one with the most end ports; RIPSTOP_NONE: there is none. */
static uint32_t count_components(spread *s, ripstop_group_verdict *out) {
  const uint32_t switches = ripstop_fabric_switches(s->view->fabric);
  uint32_t best = RIPSTOP_NONE;
  for (uint32_t i = 0; i < switches; i++) {
    const uint32_t root = ripstop_root(s->parent, i);
    if (root != i) s->members[root] += s->members[i];
  }
  for (uint32_t i = 0; i < switches; i++) {
    if (!has_mask(s, i) || ripstop_root(s->parent, i) != i) continue;
    out->components++;
    if (best == RIPSTOP_NONE || s->members[i] > s->members[best]) best = i;
  }
  return best;
}

/* Marks the switches to which copies come from a component. */
static void follow_copies(spread *s, uint32_t root, bool *reached, ripstop_arena *arena) {
  const ripstop_fabric *f = s->view->fabric;
  const uint32_t switches = ripstop_fabric_switches(f);
  uint32_t *queue = RIPSTOP_ARRAY(arena, switches, uint32_t), tail = 0;
  for (uint32_t i = 0; i < switches; i++)
    if (ripstop_root(s->parent, i) == root && has_mask(s, i)) reached[queue[tail++] = i] = true;
  for (uint32_t head = 0; head < tail; head++)
    for (uint32_t port = f->port_base[f->ends + queue[head]]; port < f->port_base[f->ends + queue[head] + 1]; port++) {
      if (!ripstop_bit_test(s->group->mask, port) || !s->view->port_up[port]) continue;
      const uint32_t node = f->port_node[f->peer[port]];
      if (ripstop_is_end(f, node) || reached[node - f->ends]) continue;
      reached[queue[tail++] = node - f->ends] = true;
    }
}

static uint32_t count_not_reached(spread *s, uint32_t root, ripstop_arena *arena) {
  const ripstop_fabric *f = s->view->fabric;
  bool *reached = RIPSTOP_ARRAY(arena, ripstop_fabric_switches(f), bool);
  uint32_t lost = 0;
  if (!s->group->member) return RIPSTOP_NONE;
  if (root != RIPSTOP_NONE) follow_copies(s, root, reached, arena);
  for (uint32_t i = 0; i < s->group->members; i++) {
    const uint32_t node = s->group->member[i];
    if (!ripstop_is_end(f, node)) {
      lost += !reached[node - f->ends] || !s->group->own[node - f->ends];
      continue;
    }
    const uint32_t port = f->peer[f->port_base[node]], home = f->port_node[port];
    lost += ripstop_is_end(f, home) || !s->view->port_up[port] || !reached[home - f->ends] ||
            !ripstop_bit_test(s->group->mask, port);
  }
  return lost;
}

/* The VL of a service level between all ports of masks; RIPSTOP_NONE: they differ. */
static uint32_t lane_of(const spread *s, const ripstop_forwarding *t, unsigned level) {
  const ripstop_fabric *f = s->view->fabric;
  uint32_t lane = RIPSTOP_NONE;
  for (uint32_t node = f->ends; node < f->nodes; node++)
    for (uint32_t ports = ripstop_node_ports(f, node), out = 0; out < ports; out++) {
      const uint32_t port = f->port_base[node] + out;
      if (!ripstop_bit_test(s->group->mask, port) || f->peer[port] == RIPSTOP_NONE) continue;
      for (uint32_t in = 0; in < ports; in++) {
        if (in == out || f->peer[f->port_base[node] + in] == RIPSTOP_NONE) continue;
        const uint32_t here = ripstop_forwarding_lane(t, node, in, out, level);
        if (lane != RIPSTOP_NONE && here != lane) return RIPSTOP_NONE;
        lane = here;
      }
    }
  return lane < RIPSTOP_LANES ? lane : RIPSTOP_NONE;
}

static spread open_spread(const ripstop_view *view, const ripstop_group *group, ripstop_arena *arena) {
  const uint32_t switches = ripstop_fabric_switches(view->fabric);
  return (spread){.view = view,
                  .group = group,
                  .parent = ripstop_forest(arena, switches),
                  .members = RIPSTOP_ARRAY(arena, switches, uint32_t)};
}

static void take_masks(spread *s, ripstop_group_verdict *out) {
  const ripstop_fabric *f = s->view->fabric;
  const size_t words = ripstop_bits_words(f->ports);
  for (uint32_t i = 0; i < ripstop_fabric_switches(f); i++) {
    const bool own = s->group->own[i] && s->view->node_up[f->ends + i];
    out->switches += has_mask(s, i);
    out->end_ports += own;
    s->members[i] += own;
  }
  for (size_t port = ripstop_bits_next(s->group->mask, words, 0); port < f->ports;
       port = ripstop_bits_next(s->group->mask, words, port + 1))
    take_port(s, (uint32_t)port, out);
}

static void judge_group(const depend_mix *m, const ripstop_group *group, ripstop_group_verdict *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  spread s = open_spread(m->view, group, scratch);
  out->level = (unsigned)__builtin_ctz(group->levels);
  out->lane = lane_of(&s, m->tables[0], out->level);
  take_masks(&s, out);
  const uint32_t root = count_components(&s, out);
  out->not_reached = count_not_reached(&s, root, scratch);
}

/* The end ports of a group that are not in its largest component. */
static uint32_t count_outside(const ripstop_view *view, const ripstop_group *group) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_group_verdict v = {0};
  spread s = open_spread(view, group, scratch);
  take_masks(&s, &v);
  const uint32_t root = count_components(&s, &v);
  return root == RIPSTOP_NONE ? 0 : v.end_ports - s.members[root];
}

/* True if a cable of the group has failed since the earlier view. */
static bool has_lost_cable(const ripstop_view *before, const ripstop_view *now, const ripstop_group *group) {
  const ripstop_fabric *f = now->fabric;
  for (size_t words = ripstop_bits_words(f->ports), port = ripstop_bits_next(group->mask, words, 0); port < f->ports;
       port = ripstop_bits_next(group->mask, words, port + 1))
    if (before->port_up[port] && !now->port_up[port] && !ripstop_is_end(f, f->port_node[f->peer[port]])) return true;
  return false;
}

uint32_t multicast_cut(const ripstop_view *before, const ripstop_view *now, const ripstop_group *group) {
  if (!has_lost_cable(before, now, group)) return 0;
  const uint32_t old = count_outside(before, group), new = count_outside(now, group);
  return new > old ? new - old : 0;
}

/* ------------------------------------------------------------------ all groups */

static bool wait_for_each_other(const depend_mix *m, uint32_t lanes) {
  RIPSTOP_LOCAL_ARENA(scratch);
  depend d;
  depend_cycles cycles;
  depend_make(&d, scratch, m, lanes, 0);
  depend_add_groups(&d, m, 0);
  depend_search(&d, m->view, scratch, &cycles);
  return cycles.length > 0;
}

const ripstop_multicast_verdict *multicast_judge(ripstop_arena *arena, const depend_mix *m, uint32_t lanes) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const ripstop_groups *groups = m->tables[0]->groups;
  ripstop_multicast_verdict *v = RIPSTOP_NEW(arena, ripstop_multicast_verdict);
  ripstop_group_verdict *each = RIPSTOP_ARRAY(arena, (size_t)groups->groups + 1, ripstop_group_verdict);
  bool *loops = RIPSTOP_ARRAY(scratch, (size_t)groups->groups + 1, bool);
  v->groups = groups->groups;
  v->group = each;
  v->credit_loop = wait_for_each_other(m, lanes);
  v->forwarding_loops = find_cycles(m, loops);
  for (uint32_t i = 0; i < groups->groups; i++) {
    judge_group(m, &groups->group[i], &each[i]);
    each[i].forwarding_loop = loops[i];
  }
  return v;
}

/* ------------------------------------------------------------------ the cycle */

void multicast_name_waiters(ripstop_arena *arena, const depend_mix *m, uint32_t lanes, ripstop_table_verdict *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const ripstop_groups *groups = m->tables[0]->groups;
  uint32_t *first = RIPSTOP_ARRAY(arena, (size_t)out->loop_length + 1, uint32_t), count = 0;
  uint32_t *waiter = RIPSTOP_ARRAY(arena, (size_t)out->loop_length * (groups->groups + 1), uint32_t);
  depend d;
  depend_make(&d, scratch, m, lanes, ripstop_forwarding_ends(m->tables[0]));
  for (uint32_t i = 0; i < out->loop_length; i++) {
    const uint32_t here = out->loop[i], next = out->loop[(i + 1) % out->loop_length];
    const uint32_t from = d.net->hop[here / lanes].channel * lanes + here % lanes;
    const uint32_t to = d.net->hop[next / lanes].channel * lanes + next % lanes;
    if (depend_has(&d, from, to)) waiter[count++] = 0;
    for (uint32_t g = 0; g < groups->groups; g++)
      if (depend_group_makes(&d, m, groups->group[g].mlid, from, to)) waiter[count++] = groups->group[g].mlid;
    first[i + 1] = count;
  }
  out->waiter_first = first;
  out->waiter = waiter;
}
