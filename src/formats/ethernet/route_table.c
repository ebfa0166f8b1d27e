/* route_table.c - reads the routes of a switch. Files of a large fabric have gigabytes, so each member of an entry is
 * visited once. */
#include "formats/ethernet/route_table.h"

#include "base/growing.h"
#include "base/sort.h"
#include "formats/ethernet/cabling.h"

enum { HOPS_MOST = 4096, WEIGHT_MOST = (1 << 20) - 1 }; /* so that sums of weights fit 32 bits */

typedef struct entry {
  bool selected, local, connected;
  uint32_t nexthops;
} entry;

/* The properties of a next hop. */
typedef struct said {
  bool fib, active, recursive, duplicate, ends, on_link;
  piece interface, gateway;
  uint32_t weight; /* 0: what is given is none */
} said;

/* ------------------------------------------------------------------ names */

static bool same_interface(const void *owner, uint32_t i, const char *text, size_t length) {
  return piece_is((piece){text, text + length}, ((const route_table *)owner)->interface[i]);
}

/* True for a name that is kept as it stands there. */
static bool is_plain(piece name) {
  for (const char *c = name.at; c < name.end; c++)
    if (*c == '\\' || (unsigned char)*c < ' ' || *c == 127) return false;
  return true;
}

static uint32_t find_interface(route_table *t, const jt_doc *doc, piece name) {
  const char *kept = is_plain(name) ? NULL : jt_string_of(doc, t->arena, name);
  if (kept) name = piece_of(kept);
  uint32_t at = ripstop_text_table_find(&t->interface_by_name, name.at, piece_length(name), same_interface, t);
  if (at != RIPSTOP_NONE) return at;
  RIPSTOP_GROW_IN(t->arena, t->interface, t->interfaces, t->interface_room);
  at = t->interfaces++;
  t->interface[at] = kept ? kept : jt_string_of(doc, t->arena, name);
  ripstop_text_table_add(&t->interface_by_name, name.at, piece_length(name), at);
  return at;
}

static bool same_gateway(const void *owner, uint32_t i, const char *text, size_t length) {
  return memcmp(&((const route_table *)owner)->gateway[i], text, length) == 0;
}

static uint32_t find_gateway(route_table *t, const ip_prefix *address) {
  const char *key = (const char *)address;
  uint32_t at = ripstop_text_table_find(&t->gateway_by_address, key, sizeof *address, same_gateway, t);
  if (at != RIPSTOP_NONE) return at;
  RIPSTOP_GROW_IN(t->arena, t->gateway, t->gateways, t->gateway_room);
  at = t->gateways++;
  t->gateway[at] = *address;
  ripstop_text_table_add(&t->gateway_by_address, key, sizeof *address, at);
  return at;
}

/* ------------------------------------------------------------------ sets */

static int by_hop(const void *context, const void *a, const void *b) {
  (void)context;
  const route_hop *x = a, *y = b;
  if (x->interface != y->interface) return x->interface < y->interface ? -1 : 1;
  return (x->gateway > y->gateway) - (x->gateway < y->gateway);
}

static bool same_set(const void *owner, uint32_t i, const char *text, size_t length) {
  const route_table *t = owner;
  return t->set[i].count * sizeof(route_hop) == length && memcmp(&t->hop[t->set[i].first], text, length) == 0;
}

/* The set of the hops from `first` on, which go where it is there already. */
static uint32_t close_set(route_table *t, uint32_t first) {
  const uint32_t count = t->hops - first;
  if (count == 0) return RIPSTOP_NONE;
  ripstop_sort(&t->hop[first], count, sizeof *t->hop, by_hop, NULL);
  uint32_t kept = first;
  for (uint32_t i = first + 1; i < t->hops; i++)
    if (by_hop(NULL, &t->hop[kept], &t->hop[i]) == 0)
      t->hop[kept].weight += t->hop[i].weight;
    else
      t->hop[++kept] = t->hop[i];
  t->hops = kept + 1;
  const char *key = (const char *)&t->hop[first];
  const size_t length = (t->hops - first) * sizeof *t->hop;
  uint32_t at = ripstop_text_table_find(&t->set_by_hops, key, length, same_set, t);
  if (at != RIPSTOP_NONE) {
    t->hops = first;
    return at;
  }
  RIPSTOP_GROW_IN(t->arena, t->set, t->sets, t->set_room);
  at = t->sets++;
  t->set[at] = (route_set){first, t->hops - first};
  ripstop_text_table_add(&t->set_by_hops, key, length, at);
  return at;
}

/* ------------------------------------------------------------------ next hops */

static uint32_t weight_of(piece p) {
  uint32_t weight;
  return piece_is_count(p, WEIGHT_MOST, &weight) ? weight : 0;
}

static said take_hop(const jt_doc *doc, uint32_t value) {
  said s = {.weight = 1, .interface = {NULL, NULL}, .gateway = {NULL, NULL}};
  for (jt_walk w = jt_walk_of(doc, value); jt_next(&w);) {
    if (piece_is(w.key, "fib")) s.fib = jt_true(doc, w.value);
    if (piece_is(w.key, "active")) s.active = jt_true(doc, w.value);
    if (piece_is(w.key, "recursive")) s.recursive = jt_true(doc, w.value);
    if (piece_is(w.key, "duplicate")) s.duplicate = jt_true(doc, w.value);
    if (piece_is(w.key, "onLink")) s.on_link = jt_true(doc, w.value);
    if (piece_is(w.key, "blackhole") || piece_is(w.key, "reject") || piece_is(w.key, "unreachable"))
      s.ends |= jt_true(doc, w.value);
    if (piece_is(w.key, "ip")) s.gateway = jt_piece(doc, w.value);
    if (piece_is(w.key, "interfaceName")) s.interface = jt_piece(doc, w.value);
    if (piece_is(w.key, "weight")) s.weight = weight_of(jt_piece(doc, w.value));
  }
  return s;
}

static int add_hop(route_table *t, const jt_doc *doc, const said *s, uint32_t value, ripstop_error *err) {
  route_hop hop = {RIPSTOP_NONE, RIPSTOP_NONE, s->weight, s->on_link};
  ip_prefix gateway;
  if (!s->ends && s->interface.at < s->interface.end) hop.interface = find_interface(t, doc, s->interface);
  if (s->weight == 0)
    return ripstop_fail(err, "%s:%u: the weight of a next hop is a number from 1 to %u", doc->name, jt_line(doc, value),
                        WEIGHT_MOST);
  if (hop.interface != RIPSTOP_NONE && strlen(t->interface[hop.interface]) > CABLING_NAME_MOST)
    return ripstop_fail(err, "%s:%u: interface '%.40s...' has a name of more than %u bytes", doc->name,
                        jt_line(doc, value), t->interface[hop.interface], CABLING_NAME_MOST);
  if (hop.interface != RIPSTOP_NONE && s->gateway.at) {
    if (!ip_prefix_read(s->gateway, &gateway))
      return ripstop_fail(err, "%s:%u: '%.*s' is no IP address", doc->name, jt_line(doc, value),
                          piece_length(s->gateway) > 60 ? 60 : (int)piece_length(s->gateway), s->gateway.at);
    hop.gateway = find_gateway(t, &gateway);
  }
  RIPSTOP_GROW_IN(t->arena, t->hop, t->hops, t->hop_room);
  t->hop[t->hops++] = hop;
  return 0;
}

static bool any_in_fib(const jt_doc *doc, uint32_t hops) {
  for (jt_walk w = jt_walk_of(doc, hops); jt_next(&w);)
    if (jt_true(doc, jt_member(doc, w.value, "fib"))) return true;
  return false;
}

/* The kernel has what is marked "fib"; where nothing is, as in other versions, what is active. */
static int take_hops(route_table *t, const jt_doc *doc, uint32_t hops, uint32_t *set, ripstop_error *err) {
  const bool fib = any_in_fib(doc, hops);
  const uint32_t first = t->hops;
  for (jt_walk w = jt_walk_of(doc, hops); jt_next(&w);) {
    const said s = take_hop(doc, w.value);
    if (s.recursive || s.duplicate || !(fib ? s.fib : s.active)) continue;
    if (t->hops - first == HOPS_MOST)
      return ripstop_fail(err, "%s:%u: an entry has more than %u next hops", doc->name, jt_line(doc, w.value),
                          HOPS_MOST);
    if (add_hop(t, doc, &s, w.value, err)) return -1;
  }
  *set = close_set(t, first);
  return 0;
}

/* ------------------------------------------------------------------ entries */

static entry take_entry(const jt_doc *doc, uint32_t value) {
  entry e = {.nexthops = RIPSTOP_NONE};
  for (jt_walk w = jt_walk_of(doc, value); jt_next(&w);) {
    if (piece_is(w.key, "selected")) e.selected = jt_true(doc, w.value);
    if (piece_is(w.key, "nexthops")) e.nexthops = w.value;
    if (!piece_is(w.key, "protocol")) continue;
    e.local = piece_is(jt_piece(doc, w.value), "local");
    e.connected = piece_is(jt_piece(doc, w.value), "connected");
  }
  return e;
}

static bool has_interface(const route_table *t, uint32_t set) {
  for (uint32_t i = 0; set != RIPSTOP_NONE && i < t->set[set].count; i++)
    if (t->hop[t->set[set].first + i].interface != RIPSTOP_NONE) return true;
  return false;
}

static int read_prefix(route_table *t, const jt_doc *doc, piece key, uint32_t list, ripstop_error *err) {
  route r = {.set = RIPSTOP_NONE};
  const char *plain = memchr(key.at, '\\', piece_length(key)) ? jt_string_of(doc, t->arena, key) : NULL;
  if (!ip_prefix_read(plain ? piece_of(plain) : key, &r.prefix))
    return ripstop_fail(err, "%s:%u: '%.*s' is no prefix of IP addresses, such as 10.1.0.0/24", doc->name,
                        jt_line(doc, list), piece_length(key) > 60 ? 60 : (int)piece_length(key), key.at);
  for (jt_walk w = jt_walk_of(doc, list); jt_next(&w);) {
    const entry e = take_entry(doc, w.value);
    if (!e.selected) continue;
    if (e.nexthops != RIPSTOP_NONE && take_hops(t, doc, e.nexthops, &r.set, err)) return -1;
    r.kind = e.local                   ? ROUTE_LOCAL
             : e.connected             ? ROUTE_CONNECTED
             : has_interface(t, r.set) ? ROUTE_FORWARDS
                                       : ROUTE_DROPS;
    RIPSTOP_GROW_IN(t->arena, t->route, t->routes, t->route_room);
    t->route[t->routes++] = r;
    return 0;
  }
  return 0;
}

static bool is_prefix_list(const jt_doc *doc, uint32_t value) { return jt_kind_of(doc, value) == JT_ARRAY; }

static int read_prefixes(route_table *t, const jt_doc *doc, uint32_t object, ripstop_error *err) {
  for (jt_walk w = jt_walk_of(doc, object); jt_next(&w);) {
    if (!is_prefix_list(doc, w.value))
      return ripstop_fail(err, "%s:%u: '%.*s' has no list of routes", doc->name, jt_line(doc, w.value),
                          piece_length(w.key) > 60 ? 60 : (int)piece_length(w.key), w.key.at);
    if (read_prefix(t, doc, w.key, w.value, err)) return -1;
  }
  return 0;
}

/* ------------------------------------------------------------------ a file */

/* True for an object that is empty or whose first member is a prefix. */
static bool has_prefixes(const jt_doc *doc, uint32_t value) {
  ip_prefix ignored;
  jt_walk w = jt_walk_of(doc, value);
  if (jt_kind_of(doc, value) != JT_OBJECT) return false;
  return !jt_next(&w) ||
         (is_prefix_list(doc, w.value) && (ip_prefix_read(w.key, &ignored) || piece_find(w.key, "\\/")));
}

bool route_table_is(const jt_doc *doc) {
  jt_walk w = jt_walk_of(doc, 0);
  return has_prefixes(doc, 0) || (w.keys && jt_next(&w) && has_prefixes(doc, w.value)); /* or a VRF */
}

void route_table_open(route_table *t, ripstop_arena *arena) {
  *t = (route_table){.arena = arena,
                     .set_by_hops = {.arena = arena},
                     .interface_by_name = {.arena = arena},
                     .gateway_by_address = {.arena = arena}};
}

/* Members of the whole text: prefixes, and VRFs, of which the default one counts. */
static int read_root(route_table *t, const jt_doc *doc, uint32_t root, ripstop_error *err) {
  if (jt_kind_of(doc, root) != JT_OBJECT)
    return ripstop_fail(err, "%s:%u: a table of routes is an object of prefixes", doc->name, jt_line(doc, root));
  for (jt_walk w = jt_walk_of(doc, root); jt_next(&w);) {
    jt_walk inside = jt_walk_of(doc, w.value);
    if (is_prefix_list(doc, w.value)) {
      if (read_prefix(t, doc, w.key, w.value, err)) return -1;
    } else if (jt_kind_of(doc, w.value) != JT_OBJECT) {
      return ripstop_fail(err, "%s:%u: neither a list of routes nor a VRF", doc->name, jt_line(doc, w.value));
    } else if (piece_is(w.key, "default")) {
      if (read_prefixes(t, doc, w.value, err)) return -1;
    } else {
      t->other_vrfs += jt_next(&inside);
    }
  }
  return 0;
}

int route_table_read(route_table *t, const jt_doc *doc, ripstop_error *err) {
  for (uint32_t root = 0; root < doc->count; root = jt_after(doc, root))
    if (read_root(t, doc, root, err)) return -1;
  return 0;
}

static int by_prefix(const void *context, const void *a, const void *b) {
  (void)context;
  return ip_prefix_order(&((const route *)a)->prefix, &((const route *)b)->prefix);
}

int route_table_sort(route_table *t, const char *name, ripstop_error *err) {
  char text[IP_PREFIX_TEXT];
  ripstop_sort(t->route, t->routes, sizeof *t->route, by_prefix, NULL);
  for (uint32_t i = 1; i < t->routes; i++)
    if (ip_prefix_same(&t->route[i - 1].prefix, &t->route[i].prefix)) {
      ip_prefix_print(&t->route[i].prefix, false, text);
      return ripstop_fail(err, "%s: the prefix %s is there twice", name, text);
    }
  return 0;
}

const route *route_table_find(const route_table *t, const ip_prefix *prefix) {
  uint32_t low = 0, high = t->routes;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const int order = ip_prefix_order(&t->route[middle].prefix, prefix);
    if (order == 0) return &t->route[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}
