/* cable_errors.c - see cable_errors.h. Cost: O(ports of the dump + n log n) for n places of the files. */
#include "formats/infiniband/cable_errors.h"

#include <string.h>

#include "base/sort.h"

const char *const ib_match_words[IB_MATCHES] = {"guid", "lid", "name"};

/* The counters of a port of the dump, from all places that speak of it. */
typedef struct port_counters {
  uint64_t value[IB_COUNTERS];
  bool full[IB_COUNTERS];
  bool known;
  ib_match by; /* the weakest, if several places speak of it */
} port_counters;

/* The node of a place, and by what. A GUID or LID decides, for a name may be that of another node: `other` is true if
 * the name alone finds the node, and the dump has another GUID for it. */
static uint32_t node_of(const ripstop_ib_dump *dump, const ib_counted_port *c, ib_match *by, bool *other) {
  uint32_t node = c->guid ? ripstop_ib_guid(dump, c->guid) : RIPSTOP_NONE;
  *other = false;
  *by = IB_MATCH_GUID;
  if (node == RIPSTOP_NONE && c->port_guid) node = ripstop_ib_guid(dump, c->port_guid);
  if (node != RIPSTOP_NONE) return node;
  *by = IB_MATCH_LID;
  if (c->lid != RIPSTOP_NONE) node = ripstop_ib_lid(dump, c->lid, NULL);
  if (node != RIPSTOP_NONE || !c->text) return node;
  *by = IB_MATCH_NAME;
  node = ripstop_ib_described(dump, c->text, strlen(c->text));
  *other = node != RIPSTOP_NONE && dump->node[node].guid && (c->guid || c->port_guid);
  return node;
}

/* Several places may speak of a port, as of 16 bits and of 64: the larger value counts. Returns how many places speak
 * of ports that are not in the dump, and lists those that have a name of it (`out`: NULL: it does not). */
static uint32_t collect(port_counters *ports, const ripstop_ib_dump *dump, const ib_counters *from,
                        ib_replace_first *out) {
  uint32_t unknown = 0;
  for (uint32_t i = 0; i < from->count; i++) {
    const ib_counted_port *c = &from->list[i];
    ib_match by;
    bool other;
    const uint32_t node = node_of(dump, c, &by, &other);
    const uint32_t port = node == RIPSTOP_NONE ? RIPSTOP_NONE : ripstop_ib_port_of(dump, node, c->number);
    if (out && other && port != RIPSTOP_NONE) out->named[out->nameds++] = (ib_named_place){c, port};
    if (port == RIPSTOP_NONE || other) {
      unknown++;
      continue;
    }
    port_counters *p = &ports[port];
    for (unsigned k = 0; k < IB_COUNTERS; k++) {
      if (c->known[k] && c->value[k] >= p->value[k])
        p->full[k] = c->full[k] || (c->value[k] == p->value[k] && p->full[k]);
      if (c->known[k] && c->value[k] > p->value[k]) p->value[k] = c->value[k];
    }
    p->known = true;
    if (by > p->by) p->by = by;
  }
  return unknown;
}

/* Leaves only errors since the earlier time; a counter that fell was reset. */
static void subtract(port_counters *now, const port_counters *before, uint32_t ports) {
  for (uint32_t p = 0; p < ports; p++)
    for (unsigned k = 0; k < IB_COUNTERS; k++)
      if (now[p].value[k] >= before[p].value[k]) now[p].value[k] -= before[p].value[k];
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* False: the cable has no errors. */
static bool join(ib_cable_errors *row, const port_counters *ports, uint32_t port, uint32_t mate) {
  const port_counters *end[2] = {&ports[port], &ports[mate]};
  *row = (ib_cable_errors){.port = port};
  row->downed = larger(end[0]->value[IB_COUNTER_DOWNED], end[1]->value[IB_COUNTER_DOWNED]);
  row->recovered = larger(end[0]->value[IB_COUNTER_RECOVERY], end[1]->value[IB_COUNTER_RECOVERY]);
  row->by = end[0]->by > end[1]->by ? end[0]->by : end[1]->by;
  for (unsigned side = 0; side < 2; side++)
    for (unsigned k = 0; k < IB_COUNTERS; k++) {
      row->value[side][k] = end[side]->value[k];
      if (k != IB_COUNTER_DOWNED && k != IB_COUNTER_RECOVERY) row->bits = sum(row->bits, end[side]->value[k]);
      row->at_least = row->at_least || end[side]->full[k];
    }
  return row->downed || row->recovered || row->bits;
}

static int by_count(uint64_t a, uint64_t b) { return (a < b) - (a > b); }

static int order(const void *context, const void *a_, const void *b_) {
  const ripstop_ib_dump *dump = context;
  const ib_cable_errors *a = a_, *b = b_;
  int way = by_count(a->downed, b->downed);
  if (way == 0) way = by_count(a->recovered, b->recovered);
  if (way == 0) way = by_count(a->bits, b->bits);
  if (way != 0) return way;
  char first[RIPSTOP_NAME_MAX], second[RIPSTOP_NAME_MAX];
  ripstop_ib_cable_name(dump, a->port, first);
  ripstop_ib_cable_name(dump, b->port, second);
  return strcmp(first, second);
}

static int by_row(const void *context, const void *a, const void *b) {
  const ib_cable_errors *const *x = a, *const *y = b;
  return order(context, *x, *y);
}

/* Rows are larger than what ripstop_sort takes, so it sorts pointers to them. */
static void sort_rows(ib_replace_first *out, ripstop_arena *arena, const ripstop_ib_dump *dump) {
  const ib_cable_errors **place = RIPSTOP_ARRAY(arena, (size_t)out->count + 1, const ib_cable_errors *);
  ib_cable_errors *sorted = RIPSTOP_ARRAY(arena, (size_t)out->count + 1, ib_cable_errors);
  for (uint32_t i = 0; i < out->count; i++) place[i] = &out->list[i];
  ripstop_sort(place, out->count, sizeof(void *), by_row, dump);
  for (uint32_t i = 0; i < out->count; i++) sorted[i] = *place[i];
  out->list = sorted;
}

void ib_join_counters(ib_replace_first *out, ripstop_arena *arena, const ripstop_ib_dump *dump, const ib_counters *now,
                      const ib_counters *before) {
  port_counters *ports = RIPSTOP_ARRAY(arena, (size_t)dump->ports + 1, port_counters);
  *out = (ib_replace_first){.list = RIPSTOP_ARRAY(arena, (size_t)dump->cables + 1, ib_cable_errors)};
  out->named = RIPSTOP_ARRAY(arena, (size_t)now->count + 1, ib_named_place);
  out->unknown = collect(ports, dump, now, out);
  if (before) {
    port_counters *earlier = RIPSTOP_ARRAY(arena, (size_t)dump->ports + 1, port_counters);
    (void)collect(earlier, dump, before, NULL);
    subtract(ports, earlier, dump->ports);
  }
  for (uint32_t p = 0; p < dump->ports; p++) {
    const uint32_t mate = dump->port[p].mate;
    out->ports += ports[p].known;
    out->uncabled += ports[p].known && mate == RIPSTOP_NONE;
    if (mate == RIPSTOP_NONE || !ripstop_ib_is_first(dump, p, mate)) continue;
    if (join(&out->list[out->count], ports, p, mate)) out->count++;
  }
  sort_rows(out, arena, dump);
}
