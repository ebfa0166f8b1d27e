/* damage.h - a fabric as a hand-written edge list with mistakes in it, and whether what is recognised of it is true.
 *
 * The mistakes are made here, so that it is known which cables the list lacks and which it has too many. Routers are
 * called s0, s1, ... and end nodes h0, h1, ...; a list has no ports, or each cable's ports at both ends. */
#ifndef RIPSTOP_TESTS_DAMAGE_H
#define RIPSTOP_TESTS_DAMAGE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/graph.h"
#include "recognise/recognise.h"

typedef enum damage_kind { MISTYPED, FOREIGN, DOUBLED, MISSING, SWAPPED, DAMAGE_KINDS } damage_kind;

enum { DAMAGE_MAX = 64 }; /* cables that a list lacks, and that it has too many */

typedef struct damage_cable {
  uint32_t a, b, port_a, port_b; /* switches from 0; ports of the list */
} damage_cable;

/* Cables without their ports, as a multiset. */
typedef struct damage_set {
  damage_cable cable[DAMAGE_MAX];
  uint32_t count;
} damage_set;

typedef struct damaged {
  const ripstop_fabric *whole;
  damage_cable *cable;
  uint32_t cables, *next_port;
  damage_set gone, added;
} damaged;

/* ------------------------------------------------------------------ sets of cables */

static inline bool damage_same(const damage_cable *x, const damage_cable *y) {
  return (x->a == y->a && x->b == y->b) || (x->a == y->b && x->b == y->a);
}

/* Takes one out; false: it is not there. */
static inline bool damage_take(damage_set *set, const damage_cable *c) {
  for (uint32_t i = 0; i < set->count; i++)
    if (damage_same(&set->cable[i], c)) {
      set->cable[i] = set->cable[--set->count];
      return true;
    }
  return false;
}

static inline void damage_put(damage_set *set, const damage_cable *c) {
  if (set->count == DAMAGE_MAX) abort();
  set->cable[set->count++] = *c;
}

static inline bool damage_equal(const damage_set *x, const damage_set *y) {
  damage_set left = *y;
  for (uint32_t i = 0; i < x->count; i++)
    if (!damage_take(&left, &x->cable[i])) return false;
  return left.count == 0;
}

/* ------------------------------------------------------------------ mistakes */

static inline damaged damage_open(const ripstop_fabric *f) {
  damaged d = {.whole = f, .cables = f->links - f->link_ends};
  d.cable = calloc(d.cables + DAMAGE_MAX, sizeof *d.cable);
  d.next_port = calloc(f->nodes, sizeof *d.next_port);
  if (!d.cable || !d.next_port) abort();
  for (uint32_t v = 0; v < f->nodes - f->ends; v++) d.next_port[v] = ripstop_node_ports(f, f->ends + v);
  for (uint32_t i = 0; i < d.cables; i++) {
    const uint32_t p = f->link_port[2 * (f->link_ends + i)], q = f->link_port[2 * (f->link_ends + i) + 1];
    d.cable[i] = (damage_cable){f->port_node[p] - f->ends, f->port_node[q] - f->ends, p - f->port_base[f->port_node[p]],
                                q - f->port_base[f->port_node[q]]};
  }
  return d;
}

static inline void damage_close(damaged *d) {
  free(d->cable);
  free(d->next_port);
}

/* A cable that was added and goes again was never there, and the other way round. */
static inline void damage_remove(damaged *d, const damage_cable *c) {
  if (!damage_take(&d->added, c)) damage_put(&d->gone, c);
}

static inline void damage_add(damaged *d, const damage_cable *c) {
  if (!damage_take(&d->gone, c)) damage_put(&d->added, c);
}

static inline uint32_t damage_between(const damaged *d, uint32_t a, uint32_t b) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < d->cables; i++) count += damage_same(&d->cable[i], &(damage_cable){.a = a, .b = b});
  return count;
}

static inline void damage_append(damaged *d, uint32_t a, uint32_t b, uint32_t port_a) {
  const damage_cable c = {a, b, port_a, d->next_port[b]++};
  d->cable[d->cables++] = c;
  damage_add(d, &c);
}

static inline void damage_drop(damaged *d, uint32_t i) {
  const damage_cable c = d->cable[i];
  damage_remove(d, &c);
  memmove(&d->cable[i], &d->cable[i + 1], (--d->cables - i) * sizeof c);
}

/* The cable i, or at the switch v; false: it makes no sense there, and nothing is changed. */
static inline bool damage_mistype(damaged *d, uint32_t i, uint32_t v) {
  damage_cable *c = &d->cable[i], was = *c;
  if (v == c->a || v == c->b || damage_between(d, c->a, v)) return false;
  damage_remove(d, &was);
  c->b = v;
  c->port_b = d->next_port[v]++;
  damage_add(d, c);
  return true;
}

static inline bool damage_swap(damaged *d, uint32_t i, uint32_t k) {
  damage_cable *x = &d->cable[i], *y = &d->cable[k], one = *x, two = *y;
  if (i == k || x->a == y->b || y->a == x->b || damage_between(d, x->a, y->b) || damage_between(d, y->a, x->b))
    return false;
  damage_remove(d, &one);
  damage_remove(d, &two);
  x->b = two.b, x->port_b = two.port_b;
  y->b = one.b, y->port_b = one.port_b;
  damage_add(d, x);
  damage_add(d, y);
  return true;
}

/* A mistake of a kind at the places that two numbers choose; false: none was made. */
static inline bool damage_make(damaged *d, damage_kind kind, uint32_t one, uint32_t two) {
  const uint32_t switches = d->whole->nodes - d->whole->ends, i = d->cables ? one % d->cables : 0;
  const uint32_t a = one % switches, b = two % switches;
  if (d->gone.count + 2 > DAMAGE_MAX || d->added.count + 2 > DAMAGE_MAX || d->cables == 0) return false;
  switch (kind) {
  case MISTYPED:
    return damage_mistype(d, i, b);
  case FOREIGN:
    if (a == b || damage_between(d, a, b)) return false;
    damage_append(d, a, b, d->next_port[a]++);
    return true;
  case DOUBLED:
    damage_append(d, d->cable[i].a, d->cable[i].b, d->next_port[d->cable[i].a]++);
    return true;
  case MISSING:
    damage_drop(d, i);
    return true;
  default:
    return damage_swap(d, i, two % d->cables);
  }
}

/* ------------------------------------------------------------------ sizes */

/* Grids in which each class of edges has a twentieth of its squares with any other class, or less: at first such a
 * class seemed to need no dimension of its own. The last has few squares between its short dimensions. */
static const char *const damage_large[] = {"torus:20x20",    "torus:21x21",   "torus:40x40",  "torus:10x10x9",
                                           "torus:10x10x10", "torus:20x20x5", "mesh:21x21",   "mesh:40x40",
                                           "mesh:10x10x10",  "mesh:11x11x11", "hyperx:20x20", "hyperx:40x3x3"};
enum { DAMAGE_LARGE = sizeof damage_large / sizeof *damage_large };

/* A torus, mesh or HyperX with 4 to 24 switches in each of two dimensions, or 3 to 12 in each of three, by four numbers
 * of at least 8 bits. */
static inline void damage_grid(const uint32_t by[4], char *out, size_t size) {
  static const char *const family[] = {"torus", "mesh", "hyperx"};
  enum { FAMILY = 3, LEAST_2 = 4, SIZES_2 = 21, LEAST_3 = 3, SIZES_3 = 10 };
  const char *name = family[by[0] % FAMILY];
  if (by[0] / FAMILY % 2 == 0)
    snprintf(out, size, "%s:%ux%u", name, LEAST_2 + by[1] % SIZES_2, LEAST_2 + by[2] % SIZES_2);
  else
    snprintf(out, size, "%s:%ux%ux%u", name, LEAST_3 + by[1] % SIZES_3, LEAST_3 + by[2] % SIZES_3,
             LEAST_3 + by[3] % SIZES_3);
}

/* ------------------------------------------------------------------ the list */

static inline void damage_write(const damaged *d, bool ports, ripstop_text *out) {
  const ripstop_fabric *f = d->whole;
  for (uint32_t v = 0; v < f->nodes - f->ends; v++) ripstop_text_add(out, "@router s%u\n", v);
  for (uint32_t end = 0; end < f->ends; end++) {
    ripstop_text_add(out, "@end h%u s%u", end, ripstop_end_switch(f, end) - f->ends);
    if (ports) ripstop_text_add(out, " port=%u", ripstop_end_switch_port(f, end));
    ripstop_text_add(out, "\n");
  }
  for (uint32_t i = 0; i < d->cables; i++) {
    const damage_cable *c = &d->cable[i];
    ripstop_text_add(out, "s%u s%u", c->a, c->b);
    if (ports) ripstop_text_add(out, " port=%u,%u", c->port_a, c->port_b);
    ripstop_text_add(out, "\n");
  }
}

static inline ripstop_fabric *damage_read(const damaged *d, bool ports, ripstop_error *err) {
  ripstop_text text = {0};
  damage_write(d, ports, &text);
  ripstop_fabric *f = ripstop_graph_from_text("damaged", text.data, text.length, err);
  ripstop_text_free(&text);
  return f;
}

/* ------------------------------------------------------------------ reports */

typedef struct damage_report {
  damage_set missing, extra;
  uint32_t others; /* oddities that are neither */
} damage_report;

/* "s3[1]-s5", or "s3" and "s5" behind quotes. */
static inline const char *damage_switch(const char *text, uint32_t *out) {
  while (*text && !(*text == 's' && text[1] >= '0' && text[1] <= '9')) text++;
  if (!*text) abort();
  char *end;
  *out = (uint32_t)strtoul(text + 1, &end, 10);
  return end;
}

static inline const char *damage_parse(damage_set *set, const char *text) {
  damage_cable c = {0};
  text = damage_switch(damage_switch(text, &c.a), &c.b);
  damage_put(set, &c);
  return text;
}

static inline damage_report damage_reported(const ripstop_recognised *r) {
  damage_report out = {0};
  for (uint32_t i = 0; i < r->odd.count; i++) {
    const ripstop_odd *odd = &r->odd.list[i];
    if (out.missing.count + odd->places > DAMAGE_MAX || out.extra.count + 2 > DAMAGE_MAX) return out;
    if (!strncmp(odd->what, "missing ", 8))
      damage_parse(&out.missing, odd->where[0]);
    else if (!strcmp(odd->what, "extra cable") || !strcmp(odd->what, "cable between leaves") ||
             !strcmp(odd->what, "cable inside a level"))
      damage_parse(&out.extra, odd->where[0]);
    else if (!strcmp(odd->what, "cable to the wrong switch"))
      damage_parse(&out.extra, odd->where[0]), damage_parse(&out.missing, odd->where[1]);
    else if (!strcmp(odd->what, "swapped switch cables"))
      damage_parse(&out.extra, odd->where[0]), damage_parse(&out.extra, odd->where[1]),
          damage_parse(&out.missing, damage_parse(&out.missing, strstr(odd->text, "instead of")));
    else if (!strcmp(odd->what, "unequal planes"))
      for (uint32_t k = 1; k < odd->places; k++) damage_parse(&out.missing, odd->where[k]);
    else
      out.others++;
  }
  return out;
}

#endif
