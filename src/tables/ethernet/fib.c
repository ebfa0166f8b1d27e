/* fib.c - makes the forwarding state: numbers the switches, resolves the next hops of their routes to ports and
 * switches, and finds for each class of addresses the longest route.
 *
 * A next hop is lost where its interface has no cable, where its gateway is no address of the other end, and where
 * nothing with a table is there. A link aggregate stands for the cables of its members, which share its weight. */
#include "tables/ethernet/fib.h"

#include <stdlib.h>

#include "base/divisor.h"
#include "base/growing.h"
#include "base/local.h"
#include "base/sort.h"
#include "tables/ethernet/fib_hosts.h"

/* ------------------------------------------------------------------ names */

void fib_note(fib *f, fib_names *names, const char *name) {
  uint32_t low = 0, high = names->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const int order = strcmp(names->name[middle], name);
    if (order == 0) return;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  RIPSTOP_GROW_IN(f->arena, names->name, names->count, names->room);
  memmove(names->name + low + 1, names->name + low, (names->count - low) * sizeof *names->name);
  names->name[low] = name;
  names->count++;
}

const char *fib_port_name(const fib *f, uint32_t port) {
  const cabling_port *p = &f->c->port[port];
  return ripstop_arena_printf(f->arena, "%s[%s]", f->c->node[p->node].name, p->name);
}

const char *fib_prefix_name(const fib *f, const ip_prefix *prefix) {
  char text[IP_PREFIX_TEXT];
  ip_prefix_print(prefix, false, text);
  return ripstop_arena_text(f->arena, text);
}

/* ------------------------------------------------------------------ sets */

static int by_port(const void *context, const void *a, const void *b) {
  (void)context;
  const fib_hop *x = a, *y = b;
  if (x->port != y->port) return x->port < y->port ? -1 : 1;
  return (x->to > y->to) - (x->to < y->to);
}

static bool same_set(const void *owner, uint32_t i, const char *text, size_t length) {
  const fib *f = owner;
  return f->set[i].count * sizeof(fib_hop) == length && memcmp(&f->hop[f->set[i].first], text, length) == 0;
}

uint32_t fib_set_of(fib *f, fib_hop *hop, uint32_t count) {
  uint32_t kept = 0;
  ripstop_sort(hop, count, sizeof *hop, by_port, NULL);
  for (uint32_t i = 1; i < count; i++)
    if (by_port(NULL, &hop[kept], &hop[i]) == 0)
      hop[kept].weight += hop[i].weight;
    else
      hop[++kept] = hop[i];
  if (count) count = kept + 1;
  const char *key = (const char *)hop;
  const size_t length = count * sizeof *hop;
  uint32_t at = ripstop_text_table_find(&f->set_by_hops, key, length, same_set, f);
  if (at != RIPSTOP_NONE) return at;
  fib_set set = {.first = f->hops, .count = count};
  RIPSTOP_ROOM_IN(f->arena, f->hop, (size_t)f->hops + count, f->hop_room);
  for (uint32_t i = 0; i < count; i++) {
    set.weight += hop[i].weight;
    f->hop[f->hops++] = hop[i];
  }
  RIPSTOP_GROW_IN(f->arena, f->set, f->sets, f->set_room);
  at = f->sets++;
  f->set[at] = set;
  ripstop_text_table_add(&f->set_by_hops, key, length, at);
  return at;
}

/* ------------------------------------------------------------------ next hops */

/* Resolves the next hops of one switch's sets. */
typedef struct resolver {
  fib *f;
  const fib_connections *connected;
  const route_table *table;
  uint32_t switch_;
  uint32_t *first_port, *port_of; /* by node: its ports are port_of[first_port[node]] and on */
  fib_hop *hop;
  uint32_t hops;
  size_t room;
  bool quiet; /* older tables are resolved without notes */
  ripstop_arena *scratch;
} resolver;

static bool is_connected(const resolver *r, uint32_t switch_, uint32_t port) {
  for (uint32_t i = r->connected->first[switch_]; i < r->connected->first[switch_ + 1]; i++)
    if (r->connected->at[i].port == port) return true;
  return false;
}

/* True if the interface of that connected prefix is the port, or the link aggregate that the port is in. */
static bool is_interface(const fib *f, uint32_t interface, uint32_t port) {
  if (interface == port) return true;
  const cabling_port *p = &f->c->port[port];
  return p->bundle && p->node == f->c->port[interface].node && strcmp(p->bundle, f->c->port[interface].name) == 0;
}

/* True if the other end of a cable has the address, or may have it. */
static bool has_address(const resolver *r, uint32_t switch_, uint32_t port, const route_hop *hop) {
  if (hop->gateway == RIPSTOP_NONE) return true;
  const ip_prefix *gateway = &r->table->gateway[hop->gateway];
  if (ip_prefix_is_link_local(gateway)) return true;
  for (uint32_t i = r->connected->first[switch_]; i < r->connected->first[switch_ + 1]; i++) {
    const fib_connected *c = &r->connected->at[i];
    if ((hop->on_link || is_interface(r->f, c->port, port)) && ip_prefix_covers(&c->prefix, gateway)) return true;
  }
  return false;
}

static void note_nobody(const resolver *r, uint32_t port, const route_hop *hop) {
  char text[IP_PREFIX_TEXT];
  if (r->quiet) return;
  ip_prefix_print(&r->table->gateway[hop->gateway], true, text);
  fib_note(r->f, &r->f->nobody, ripstop_arena_printf(r->f->arena, "%s %s", fib_port_name(r->f, port), text));
}

static uint32_t behind(const resolver *r, uint32_t port, const route_hop *hop) {
  const fib *f = r->f;
  const uint32_t peer = f->c->port[port].peer;
  if (peer == RIPSTOP_NONE) return FIB_LOST;
  const uint32_t switch_ = f->switch_of[f->c->port[peer].node];
  if (switch_ == RIPSTOP_NONE) return FIB_LOST;
  if (has_address(r, switch_, peer, hop)) return switch_;
  note_nobody(r, port, hop);
  return FIB_LOST;
}

static void push(resolver *r, uint32_t port, uint32_t to, uint64_t weight) {
  RIPSTOP_GROW_IN(r->scratch, r->hop, r->hops, r->room);
  r->hop[r->hops++] = (fib_hop){port, to, weight};
}

/* The members of a link aggregate that have cables. */
static uint32_t members_of(const resolver *r, const char *interface, uint32_t i) {
  const uint32_t node = r->f->node[r->switch_];
  for (uint32_t k = r->first_port[node]; k < r->first_port[node + 1]; k++) {
    const cabling_port *p = &r->f->c->port[r->port_of[k]];
    if (p->bundle && p->peer != RIPSTOP_NONE && strcmp(p->bundle, interface) == 0 && i-- == 0) return r->port_of[k];
  }
  return RIPSTOP_NONE;
}

static uint32_t count_members(const resolver *r, const route_hop *hop) {
  uint32_t count = 0;
  if (hop->interface == RIPSTOP_NONE) return 0;
  while (members_of(r, r->table->interface[hop->interface], count) != RIPSTOP_NONE) count++;
  return count;
}

/* Adds the ports of one next hop. `scale` is a common multiple of the sizes of link aggregates, unless there is none
 * that fits: then weights are rounded. */
static void resolve(resolver *r, const route_hop *hop, uint64_t scale) {
  fib *f = r->f;
  if (hop->interface == RIPSTOP_NONE) {
    push(r, RIPSTOP_NONE, FIB_LOST, hop->weight * scale);
    return;
  }
  const char *interface = r->table->interface[hop->interface];
  const uint32_t members = count_members(r, hop);
  for (uint32_t i = 0; i < members; i++) {
    const uint32_t port = members_of(r, interface, i);
    push(r, port, behind(r, port, hop), (hop->weight * scale + members / 2) / members);
  }
  if (members) return;
  const uint32_t port = cabling_add_port(f->c, f->node[r->switch_], piece_of(interface));
  if (!r->quiet && port != RIPSTOP_NONE && f->c->port[port].peer == RIPSTOP_NONE && !is_connected(r, r->switch_, port))
    fib_note(f, &f->unknown_interfaces, fib_port_name(f, port));
  push(r, port, port == RIPSTOP_NONE ? FIB_LOST : behind(r, port, hop), hop->weight * scale);
}

/* The least common multiple of the sizes of link aggregates in the set; 0: it is above `most`. */
static uint64_t scale_of(const resolver *r, const route_set *s, uint64_t most) {
  uint64_t scale = 1;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint32_t members = count_members(r, &r->table->hop[s->first + i]);
    const uint64_t up = members > 1 ? members / ripstop_common_divisor(scale, members) : 1;
    if (up > most / scale) return 0;
    scale *= up;
  }
  return scale;
}

/* Weights are scaled so far that their sum, and the sum of two sets, fit 64 bits. */
static uint32_t resolve_set(resolver *r, uint32_t set) {
  const route_set *s = &r->table->set[set];
  uint64_t sum = 1; /* not 0, which no set has */
  r->hops = 0;
  for (uint32_t i = 0; i < s->count; i++) sum += r->table->hop[s->first + i].weight;
  const uint64_t most = (UINT64_C(1) << 62) / sum, scale = scale_of(r, s, most);
  for (uint32_t i = 0; i < s->count; i++) resolve(r, &r->table->hop[s->first + i], scale ? scale : most);
  const uint32_t at = fib_set_of(r->f, r->hop, r->hops);
  r->f->set[at].about |= scale == 0;
  return at;
}

/* ------------------------------------------------------------------ entries */

/* Which lengths the table has, for one family: a bit each. */
typedef struct lengths {
  bool has[2][129];
} lengths;

static void find_lengths(const route_table *t, lengths *out) {
  memset(out, 0, sizeof *out);
  for (uint32_t i = 0; i < t->routes; i++) out->has[t->route[i].prefix.family == 6][t->route[i].prefix.bits] = true;
}

static const route *longest(const route_table *t, const lengths *l, const ip_prefix *prefix) {
  for (unsigned bits = prefix->bits + 1U; bits-- > 0;) {
    if (!l->has[prefix->family == 6][bits]) continue;
    const ip_prefix cut = ip_prefix_cut(prefix, bits);
    const route *r = route_table_find(t, &cut);
    if (r) return r;
  }
  return NULL;
}

/* A connected prefix wider than the host's is a network beside it, where nothing of the host answers. */
static uint32_t entry_of(resolver *r, uint32_t *memo, const route *found, const fib_class *c) {
  if (!found) return FIB_NO_ROUTE;
  if (found->kind == ROUTE_CONNECTED || found->kind == ROUTE_LOCAL)
    return ip_prefix_covers(&c->owner, &found->prefix) ? FIB_DELIVERS : FIB_DROPS;
  if (found->kind == ROUTE_DROPS || found->set == RIPSTOP_NONE) return FIB_DROPS;
  if (memo[found->set] == RIPSTOP_NONE) memo[found->set] = resolve_set(r, found->set);
  return memo[found->set];
}

static void fill_switch(resolver *r, fib_state *state) {
  fib *f = r->f;
  lengths l;
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t *memo = RIPSTOP_ARRAY(scratch, (size_t)r->table->sets + 1, uint32_t);
  for (uint32_t i = 0; i < r->table->sets; i++) memo[i] = RIPSTOP_NONE;
  find_lengths(r->table, &l);
  for (uint32_t c = 0; c < f->classes; c++) {
    const route *found = longest(r->table, &l, &f->class_[c].prefix);
    state->entry[(size_t)c * f->switches + r->switch_] = entry_of(r, memo, found, &f->class_[c]);
  }
}

/* The ports of each node. */
static void list_ports(resolver *r) {
  const cabling *c = r->f->c;
  r->first_port = RIPSTOP_ARRAY(r->scratch, (size_t)c->nodes + 2, uint32_t);
  r->port_of = RIPSTOP_ARRAY(r->scratch, (size_t)c->ports + 1, uint32_t);
  for (uint32_t p = 0; p < c->ports; p++) r->first_port[c->port[p].node + 2]++;
  for (uint32_t n = 0; n < c->nodes; n++) r->first_port[n + 2] += r->first_port[n + 1];
  for (uint32_t p = 0; p < c->ports; p++) r->port_of[r->first_port[c->port[p].node + 1]++] = p;
}

static void fill(fib *f, fib_state *state, const fib_connections *connected) {
  RIPSTOP_LOCAL_ARENA(scratch);
  resolver r = {.f = f, .connected = connected, .quiet = state == &f->before, .scratch = scratch};
  list_ports(&r);
  state->entry = RIPSTOP_ARRAY(f->arena, (size_t)f->classes * f->switches + 1, uint32_t);
  for (size_t i = 0; i < (size_t)f->classes * f->switches; i++) state->entry[i] = FIB_NO_ROUTE;
  for (r.switch_ = 0; r.switch_ < f->switches; r.switch_++)
    if ((r.table = state->routes[r.switch_])) fill_switch(&r, state);
}

/* ------------------------------------------------------------------ opening */

static int by_node_name(const void *context, const void *a, const void *b) {
  const cabling *c = context;
  return strcmp(c->node[((const fib_source *)a)->node].name, c->node[((const fib_source *)b)->node].name);
}

static void number_switches(fib *f, const fib_source *now, uint32_t count) {
  RIPSTOP_LOCAL_ARENA(scratch);
  fib_source *sorted = RIPSTOP_ARRAY(scratch, (size_t)count + 1, fib_source);
  for (uint32_t i = 0; i < count; i++) sorted[i] = now[i];
  ripstop_sort(sorted, count, sizeof *sorted, by_node_name, f->c);
  f->switches = count;
  f->node = RIPSTOP_ARRAY(f->arena, (size_t)count + 1, uint32_t);
  f->hosts_at = RIPSTOP_ARRAY(f->arena, (size_t)count + 1, uint32_t);
  f->is_edge = RIPSTOP_ARRAY(f->arena, (size_t)count + 1, bool);
  f->switch_of = RIPSTOP_ARRAY(f->arena, (size_t)f->c->nodes + 1, uint32_t);
  f->now.routes = RIPSTOP_ARRAY(f->arena, (size_t)count + 1, route_table *);
  for (uint32_t n = 0; n < f->c->nodes; n++) f->switch_of[n] = RIPSTOP_NONE;
  for (uint32_t s = 0; s < count; s++) {
    f->node[s] = sorted[s].node;
    f->switch_of[sorted[s].node] = s;
    f->now.routes[s] = sorted[s].routes;
  }
}

static void take_before(fib *f, const fib_source *before, uint32_t count) {
  if (!count) return;
  f->before.routes = RIPSTOP_ARRAY(f->arena, (size_t)f->switches + 1, route_table *);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t s = f->switch_of[before[i].node];
    if (s == RIPSTOP_NONE)
      fib_note(f, &f->no_now, before[i].file);
    else
      f->before.routes[s] = before[i].routes;
  }
}

/* A switch without older routes has not changed. */
static void fill_before(fib *f, const fib_connections *connected) {
  fill(f, &f->before, connected);
  for (uint32_t s = 0; s < f->switches; s++) {
    if (f->before.routes[s]) continue;
    fib_note(f, &f->no_before, f->c->node[f->node[s]].name);
    for (uint32_t c = 0; c < f->classes; c++) {
      const size_t at = (size_t)c * f->switches + s;
      f->before.entry[at] = f->now.entry[at];
    }
  }
}

int fib_open(fib *f, ripstop_arena *arena, cabling *c, const fib_source *now, uint32_t count, const fib_source *before,
             uint32_t before_count, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  fib_connections connected, old;
  *f = (fib){.arena = arena, .c = c, .set_by_hops = {.arena = arena}};
  number_switches(f, now, count);
  take_before(f, before, before_count);
  fib_connections_find(f, &f->now, &connected, scratch);
  if (before_count) fib_connections_find(f, &f->before, &old, scratch);
  fib_hosts_find(f, &connected);
  fill(f, &f->now, &connected);
  if (before_count) fill_before(f, &old);
  ripstop_arena_free(scratch);
  if (f->hosts || f->no_prefix.count) return 0;
  return ripstop_fail(err,
                      "no host is known: no port without a cable has a connected prefix of more than four addresses");
}

/* ------------------------------------------------------------------ counting */

/* The distinct ports of a set, as text, behind its switch. */
static size_t ports_key(const fib *f, uint32_t switch_, uint32_t set, uint32_t *out) {
  size_t count = 0;
  out[count++] = switch_;
  for (uint32_t i = 0; i < f->set[set].count; i++) {
    const uint32_t port = f->hop[f->set[set].first + i].port;
    if (count == 1 || out[count - 1] != port) out[count++] = port;
  }
  return count;
}

typedef struct key_list {
  uint32_t **key;
  size_t *length;
} key_list;

static bool same_key(const void *owner, uint32_t i, const char *text, size_t length) {
  const key_list *l = owner;
  return l->length[i] == length && memcmp(l->key[i], text, length) == 0;
}

fib_census fib_count(const fib *f) {
  RIPSTOP_LOCAL_ARENA(scratch);
  fib_census out = {0};
  bool *seen = RIPSTOP_ARRAY(scratch, (size_t)f->sets + 1, bool);
  key_list l = {RIPSTOP_ARRAY(scratch, (size_t)f->sets + 1, uint32_t *),
                RIPSTOP_ARRAY(scratch, (size_t)f->sets + 1, size_t)};
  ripstop_text_table by_key = {.arena = scratch};
  for (size_t i = 0; i < (size_t)f->classes * f->switches; i++) {
    const uint32_t set = f->now.entry[i];
    if (!fib_is_set(set)) continue;
    out.entries += f->group[f->class_[i / f->switches].group].hosts;
    if (seen[set]) continue;
    seen[set] = true;
    uint32_t *key = RIPSTOP_ARRAY(scratch, (size_t)f->set[set].count + 1, uint32_t);
    const size_t count = ports_key(f, (uint32_t)(i % f->switches), set, key), bytes = count * sizeof *key;
    if (count - 1 > out.largest) out.largest = (uint32_t)(count - 1);
    if (ripstop_text_table_find(&by_key, (const char *)key, bytes, same_key, &l) != RIPSTOP_NONE) continue;
    l.key[out.sets] = key;
    l.length[out.sets] = bytes;
    ripstop_text_table_add(&by_key, (const char *)key, bytes, out.sets++);
  }
  return out;
}
