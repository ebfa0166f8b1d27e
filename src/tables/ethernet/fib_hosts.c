/* fib_hosts.c - finds the hosts and the classes of their addresses.
 *
 * A node without a table is a host, unless routes lead to it over several cables: then it is a switch whose table is
 * missing. One that hangs on several switches by ports without a connected prefix is out of band.
 * Where no node is a host, each connected prefix of more than four addresses on a port without a cable stands for one.
 */
#include "tables/ethernet/fib_hosts.h"

#include "base/growing.h"
#include "base/local.h"
#include "base/sort.h"

enum { LINK_BITS = 2 }; /* prefixes of four addresses or fewer are cables and loopbacks */

void fib_connections_find(fib *f, const fib_state *state, fib_connections *out, ripstop_arena *arena) {
  *out = (fib_connections){.first = RIPSTOP_ARRAY(arena, (size_t)f->switches + 1, uint32_t)};
  for (uint32_t s = 0; s < f->switches; s++) {
    const route_table *t = state->routes[s] ? state->routes[s] : f->now.routes[s];
    out->first[s] = out->count;
    for (uint32_t i = 0; t && i < t->routes; i++) {
      const route *r = &t->route[i];
      if (r->kind != ROUTE_CONNECTED || r->set == RIPSTOP_NONE || ip_prefix_is_link_local(&r->prefix)) continue;
      const uint32_t interface = t->hop[t->set[r->set].first].interface;
      if (interface == RIPSTOP_NONE) continue;
      const uint32_t port = cabling_add_port(f->c, f->node[s], piece_of(t->interface[interface]));
      if (port == RIPSTOP_NONE) continue;
      RIPSTOP_GROW_IN(arena, out->at, out->count, out->room);
      out->at[out->count++] = (fib_connected){s, port, r->prefix};
    }
  }
  out->first[f->switches] = out->count;
}

/* ------------------------------------------------------------------ nodes without tables */

typedef struct bare {
  uint32_t cables;  /* to switches with tables */
  uint32_t routed;  /* next hops lead over so many of them */
  uint32_t without; /* so many end at a port without a connected prefix */
} bare;

/* A bit for each port over which some next hop of a switch leads. */
static void mark_routed(const fib *f, bool *routed) {
  for (uint32_t s = 0; s < f->switches; s++) {
    const route_table *t = f->now.routes[s];
    for (uint32_t i = 0; t && i < t->routes; i++) {
      if (t->route[i].kind != ROUTE_FORWARDS) continue;
      const route_set *set = &t->set[t->route[i].set];
      for (uint32_t k = 0; k < set->count; k++) {
        const uint32_t interface = t->hop[set->first + k].interface;
        const uint32_t port = interface == RIPSTOP_NONE
                                  ? RIPSTOP_NONE
                                  : cabling_find_port(f->c, f->node[s], piece_of(t->interface[interface]));
        if (port != RIPSTOP_NONE) routed[port] = true;
      }
    }
  }
}

static bare *look_at_bare(const fib *f, const fib_connections *connected, ripstop_arena *scratch) {
  bool *routed = RIPSTOP_ARRAY(scratch, (size_t)f->c->ports + 1, bool);
  bool *numbered = RIPSTOP_ARRAY(scratch, (size_t)f->c->ports + 1, bool);
  bare *all = RIPSTOP_ARRAY(scratch, (size_t)f->c->nodes + 1, bare);
  mark_routed(f, routed);
  for (uint32_t i = 0; i < connected->count; i++) numbered[connected->at[i].port] = true;
  for (uint32_t p = 0; p < f->c->ports; p++) {
    const cabling_port *port = &f->c->port[p];
    if (port->peer == RIPSTOP_NONE || f->switch_of[port->node] == RIPSTOP_NONE) continue;
    bare *b = &all[f->c->port[port->peer].node];
    b->cables++;
    b->routed += routed[p];
    b->without += !numbered[p];
  }
  return all;
}

/* ------------------------------------------------------------------ hosts */

static bool same_group(const void *owner, uint32_t i, const char *text, size_t length) {
  const fib *f = owner;
  const fib_class *c = &f->class_[f->group[i].first];
  if (length != f->group[i].count * sizeof(ip_prefix)) return false;
  for (uint32_t k = 0; k < f->group[i].count; k++)
    if (memcmp(&c[k].prefix, text + k * sizeof(ip_prefix), sizeof(ip_prefix)) != 0) return false;
  return true;
}

/* The group of hosts with these prefixes; its classes are the prefixes themselves, for now. */
static uint32_t group_of(fib *f, ripstop_text_table *by_prefixes, const ip_prefix *prefix, uint32_t count) {
  const char *key = (const char *)prefix;
  uint32_t at = ripstop_text_table_find(by_prefixes, key, count * sizeof *prefix, same_group, f);
  if (at != RIPSTOP_NONE) return at;
  RIPSTOP_GROW_IN(f->arena, f->group, f->groups, f->group_room);
  at = f->groups++;
  f->group[at] = (fib_group){f->classes, count, 0};
  for (uint32_t i = 0; i < count; i++) {
    RIPSTOP_GROW_IN(f->arena, f->class_, f->classes, f->class_room);
    f->class_[f->classes++] = (fib_class){prefix[i], prefix[i], at};
  }
  ripstop_text_table_add(by_prefixes, key, count * sizeof *prefix, at);
  return at;
}

static void add_host(fib *f, ripstop_text_table *by_prefixes, const char *name, const fib_connected *at,
                     const ip_prefix *prefix, uint32_t count) {
  const uint32_t switch_ = at->switch_, port = at->port;
  RIPSTOP_GROW_IN(f->arena, f->host, f->hosts, f->host_room);
  const uint32_t group = group_of(f, by_prefixes, prefix, count);
  f->host[f->hosts++] = (fib_host){name, switch_, group, port};
  f->group[group].hosts++;
  f->hosts_at[switch_]++;
  f->is_edge[switch_] = true;
}

/* The prefixes that are connected at a port. */
static uint32_t prefixes_at(const fib_connections *c, uint32_t switch_, uint32_t port, ip_prefix *out) {
  uint32_t count = 0;
  for (uint32_t i = c->first[switch_]; i < c->first[switch_ + 1]; i++)
    if (c->at[i].port == port) out[count++] = c->at[i].prefix;
  return count;
}

/* Each cable between a host and a switch. */
static void add_planned(fib *f, const fib_connections *c, const bool *is_host, ripstop_text_table *by_prefixes,
                        ripstop_arena *scratch) {
  ip_prefix *prefix = RIPSTOP_ARRAY(scratch, (size_t)c->count + 1, ip_prefix);
  for (uint32_t p = 0; p < f->c->ports; p++) {
    const cabling_port *port = &f->c->port[p];
    if (port->peer == RIPSTOP_NONE || !is_host[port->node]) continue;
    const uint32_t switch_ = f->switch_of[f->c->port[port->peer].node];
    if (switch_ == RIPSTOP_NONE) continue;
    f->is_edge[switch_] = true;
    const uint32_t count = prefixes_at(c, switch_, port->peer, prefix);
    if (count)
      add_host(f, by_prefixes, f->c->node[port->node].name, &(fib_connected){.switch_ = switch_, .port = port->peer},
               prefix, count);
    else
      fib_note(f, &f->no_prefix, f->c->node[port->node].name);
  }
}

/* Connected prefixes in place of hosts. */
static void add_prefixes(fib *f, const fib_connections *c, ripstop_text_table *by_prefixes) {
  for (uint32_t i = 0; i < c->count; i++) {
    const fib_connected *at = &c->at[i];
    if (f->c->port[at->port].peer != RIPSTOP_NONE) continue;
    if (at->prefix.bits + (unsigned)LINK_BITS >= ip_family_bits(&at->prefix)) continue;
    add_host(f, by_prefixes, fib_port_name(f, at->port), at, &at->prefix, 1);
  }
}

/* ------------------------------------------------------------------ longer prefixes */

typedef struct known {
  ip_prefix prefix;
  bool connected; /* somewhere */
} known;

typedef struct all_known {
  known *at; /* by prefix */
  uint32_t count;
  size_t room;
  ripstop_text_table by_prefix;
} all_known;

static bool same_known(const void *owner, uint32_t i, const char *text, size_t length) {
  return memcmp(&((const all_known *)owner)->at[i].prefix, text, length) == 0;
}

static void add_known(all_known *all, ripstop_arena *scratch, const route_table *t) {
  for (uint32_t i = 0; t && i < t->routes; i++) {
    const route *r = &t->route[i];
    if (r->kind == ROUTE_LOCAL) continue;
    const char *key = (const char *)&r->prefix;
    uint32_t at = ripstop_text_table_find(&all->by_prefix, key, sizeof r->prefix, same_known, all);
    if (at == RIPSTOP_NONE) {
      RIPSTOP_GROW_IN(scratch, all->at, all->count, all->room);
      at = all->count++;
      all->at[at] = (known){.prefix = r->prefix};
      ripstop_text_table_add(&all->by_prefix, key, sizeof r->prefix, at);
    }
    all->at[at].connected |= r->kind == ROUTE_CONNECTED;
  }
}

static int by_prefix(const void *context, const void *a, const void *b) {
  (void)context;
  return ip_prefix_order(&((const known *)a)->prefix, &((const known *)b)->prefix);
}

/* The first known prefix behind this one. */
static uint32_t behind(const all_known *all, const ip_prefix *prefix) {
  uint32_t low = 0, high = all->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (ip_prefix_order(&all->at[middle].prefix, prefix) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* True if longer prefixes leave no address of this one: then nothing is sent by it. */
static bool is_covered(const all_known *all, const ip_prefix *prefix, ripstop_arena *scratch) {
  const uint32_t first = behind(all, prefix);
  uint32_t count = 0;
  while (first + count < all->count && ip_prefix_covers(prefix, &all->at[first + count].prefix)) count++;
  if (count < 2) return false;
  ip_prefix *part = RIPSTOP_ARRAY(scratch, count, ip_prefix);
  for (uint32_t i = 0; i < count; i++) part[i] = all->at[first + i].prefix;
  return ip_prefix_covered(prefix, part, count);
}

static void add_class(fib *f, const all_known *all, const ip_prefix *prefix, const ip_prefix *owner, uint32_t group,
                      ripstop_arena *scratch) {
  if (is_covered(all, prefix, scratch)) return;
  RIPSTOP_GROW_IN(f->arena, f->class_, f->classes, f->class_room);
  f->class_[f->classes++] = (fib_class){*prefix, *owner, group};
}

/* A host's prefix and what is inside of it, but for what is connected by itself, and all inside of that. */
static void add_classes(fib *f, const all_known *all, const ip_prefix *owner, uint32_t group, ripstop_arena *scratch) {
  add_class(f, all, owner, owner, group, scratch);
  const ip_prefix *foreign = NULL;
  for (uint32_t i = behind(all, owner); i < all->count && ip_prefix_covers(owner, &all->at[i].prefix); i++) {
    const known *k = &all->at[i];
    if (foreign && ip_prefix_covers(foreign, &k->prefix)) continue;
    if (k->connected)
      foreign = &k->prefix;
    else
      add_class(f, all, &k->prefix, owner, group, scratch);
  }
}

static void find_classes(fib *f, ripstop_arena *scratch) {
  all_known all = {.by_prefix = {.arena = scratch}};
  const fib_class *given = f->class_;
  for (uint32_t s = 0; s < f->switches; s++) {
    add_known(&all, scratch, f->now.routes[s]);
    if (f->before.routes) add_known(&all, scratch, f->before.routes[s]);
  }
  ripstop_sort(all.at, all.count, sizeof *all.at, by_prefix, NULL);
  f->class_ = NULL;
  f->classes = 0;
  f->class_room = 0;
  for (uint32_t g = 0; g < f->groups; g++) {
    const fib_group old = f->group[g];
    f->group[g].first = f->classes;
    for (uint32_t i = 0; i < old.count; i++) add_classes(f, &all, &given[old.first + i].prefix, g, scratch);
    f->group[g].count = f->classes - f->group[g].first;
  }
}

/* ------------------------------------------------------------------ together */

/* Other prefixes that are connected elsewhere may leave nothing of a host's. */
static void drop_hosts_without(fib *f) {
  uint32_t kept = 0;
  for (uint32_t h = 0; h < f->hosts; h++) {
    const fib_host host = f->host[h];
    if (f->group[host.group].count) {
      f->host[kept++] = host;
      continue;
    }
    fib_note(f, &f->no_prefix, host.name);
    f->group[host.group].hosts--;
    f->hosts_at[host.switch_]--;
  }
  f->hosts = kept;
}

static void note_several(fib *f) {
  uint32_t *at = ripstop_arena_realloc(f->arena, NULL, (size_t)f->groups + 1, sizeof *at);
  for (uint32_t g = 0; g < f->groups; g++) at[g] = RIPSTOP_NONE;
  for (uint32_t h = 0; h < f->hosts; h++) {
    const fib_host *host = &f->host[h];
    const fib_group *g = &f->group[host->group];
    if (at[host->group] == RIPSTOP_NONE) at[host->group] = host->switch_;
    if (at[host->group] == host->switch_) continue;
    for (uint32_t c = g->first; c < g->first + g->count; c++)
      if (ip_prefix_same(&f->class_[c].prefix, &f->class_[c].owner))
        fib_note(f, &f->several, fib_prefix_name(f, &f->class_[c].prefix));
  }
  ripstop_free(at);
}

void fib_hosts_find(fib *f, const fib_connections *connected) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_text_table by_prefixes = {.arena = scratch};
  const bare *all = look_at_bare(f, connected, scratch);
  bool *is_host = RIPSTOP_ARRAY(scratch, (size_t)f->c->nodes + 1, bool);
  for (uint32_t n = 0; n < f->c->nodes; n++) {
    const char *name = f->c->node[n].name;
    if (f->switch_of[n] != RIPSTOP_NONE || all[n].cables == 0) continue;
    if (all[n].routed > 1)
      fib_note(f, &f->no_table, name);
    else if (all[n].cables > 1 && all[n].without > 1)
      fib_note(f, &f->out_of_band, name);
    else
      f->planned_hosts = is_host[n] = true;
  }
  if (f->planned_hosts)
    add_planned(f, connected, is_host, &by_prefixes, scratch);
  else
    add_prefixes(f, connected, &by_prefixes);
  find_classes(f, scratch);
  drop_hosts_without(f);
  note_several(f);
}
