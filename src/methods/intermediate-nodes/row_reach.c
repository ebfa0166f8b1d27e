/* row_reach.c - computes rows of routers, one dimension at a time, and the classes of routers with equal rows. */
#include "methods/intermediate-nodes/row_reach.h"

#include <string.h>

#include "base/local.h"

enum { WORD = 64, BLOCK = 4 /* words; rows have a multiple of it */ };

/* ------------------------------------------------------------------ links */

/* Routers whose link of a dimension is up. */
static void know_dimension(const ripstop_reach *r, uint32_t d, uint64_t *alive) {
  for (uint32_t router = 0; router < r->kns.routers; router++)
    alive[router / WORD] |= (uint64_t)!ripstop_kns_failed(&r->faults, router, d) << router % WORD;
}

static void know_links(ripstop_arena *arena, const uint8_t *port_up, ripstop_reach *r) {
  const ripstop_kns *t = &r->kns;
  r->alive = RIPSTOP_ARRAY(arena, (size_t)t->dimensions * r->words, uint64_t);
  r->ends = RIPSTOP_ARRAY(arena, t->routers, uint32_t);
  r->uniform = true;
  r->uneven = RIPSTOP_ARRAY(arena, (size_t)t->dimensions * t->lines, uint8_t);
  for (uint32_t d = 0; d < t->dimensions; d++) know_dimension(r, d, r->alive + (size_t)d * r->words);
  for (uint32_t line = 0; line < t->dimensions * t->lines; line++)
    r->uneven[line] = ripstop_kns_uneven(&r->faults, line);
  for (uint32_t router = 0; router < t->routers; router++) {
    for (uint32_t i = 0; i < t->concentration; i++)
      r->ends[router] += port_up[t->fabric->port_base[router * t->concentration + i]];
    r->uniform &= r->ends[router] == t->concentration;
  }
}

/* ------------------------------------------------------------------ rows */

/* Rows while paths grow by one dimension after the other, at the packet's end (sources) or at its origin
 * (destinations). */
typedef struct growth {
  const ripstop_reach *r;
  bool back;               /* rows say which routers reach a router, not which it reaches */
  uint32_t rows, *own;     /* all rows; [n * lines]: the first row of an uneven line, one for each place */
  uint64_t *next;          /* [k * words]: new rows of an uneven line */
  uint32_t *at, *router;   /* [n * lines + 1], [n * routers]: the routers of line i that can cross it, from at[i] on */
  uint64_t *row;           /* [rows * words]: rows shared by routers of a line, by line, then those of uneven lines.
                            * Rows only gain members */
  uint32_t *of;            /* [routers]: a router's row; RIPSTOP_NONE: it reaches only itself */
  const uint64_t **member; /* [k]: rows that the routers of a line had */
  uint64_t *joined;        /* [words]: routers with links that are up. Their rows never have more */
} growth;

static void list_routers(growth *g) {
  const ripstop_kns *t = &g->r->kns;
  uint32_t count = 0, lines = t->dimensions * t->lines;
  for (uint32_t line = 0; line < lines; line++) {
    uint32_t d = ripstop_kns_line_dimension(t, line), router = ripstop_kns_line_router(t, line, 0);
    g->at[line] = count;
    for (uint32_t place = 0; place < t->k; place++, router += t->stride[d]) {
      g->router[count] = router;
      count += ripstop_reach_alive(g->r, router, d);
    }
  }
  g->at[lines] = count;
}

/* Every router reaches only itself. */
static void reset_rows(const growth *g) {
  const ripstop_kns *t = &g->r->kns;
  memset(g->row, 0, (size_t)g->rows * g->r->words * sizeof *g->row);
  memset(g->of, 0xff, t->routers * sizeof *g->of);
}

/* Numbers rows for the routers of uneven lines, behind those of lines. */
static uint32_t number_rows(const ripstop_reach *r, uint32_t *own) {
  uint32_t lines = r->kns.dimensions * r->kns.lines, rows = lines;
  for (uint32_t line = 0; line < lines; line++) {
    own[line] = rows;
    if (r->uneven[line]) rows += r->kns.k;
  }
  return rows;
}

static growth open_growth(ripstop_arena *arena, const ripstop_reach *r) {
  const ripstop_kns *t = &r->kns;
  size_t lines = (size_t)t->dimensions * t->lines;
  uint32_t *own = RIPSTOP_ARRAY(arena, lines, uint32_t), rows = number_rows(r, own);
  growth g = {.r = r,
              .rows = rows,
              .own = own,
              .next = rows > lines ? RIPSTOP_ARRAY(arena, (size_t)t->k * r->words, uint64_t) : NULL,
              .at = RIPSTOP_ARRAY(arena, lines + 1, uint32_t),
              .router = RIPSTOP_ARRAY(arena, lines * t->k, uint32_t),
              .row = RIPSTOP_ARRAY(arena, (size_t)rows * r->words, uint64_t),
              .of = RIPSTOP_ARRAY(arena, t->routers, uint32_t),
              .member = RIPSTOP_ARRAY(arena, t->k, const uint64_t *),
              .joined = RIPSTOP_ARRAY(arena, r->words, uint64_t)};
  for (uint32_t d = 0; d < t->dimensions; d++)
    for (uint32_t w = 0; w < r->words; w++) g.joined[w] |= r->alive[(size_t)d * r->words + w];
  list_routers(&g);
  return g;
}

static uint64_t *row_of(const growth *g, uint32_t number) { return g->row + (size_t)number * g->r->words; }

static bool is_all(const uint64_t *some, const uint64_t *all) {
  uint64_t missing = 0;
  for (uint32_t i = 0; i < BLOCK; i++) missing |= some[i] ^ all[i];
  return missing == 0;
}

/* With few failed links the first members often have all. */
static void unite(const growth *g, uint32_t members, uint64_t *row) {
  enum { LOOK = 8 };
  for (uint32_t w = 0; w < g->r->words; w += BLOCK) {
    uint64_t sum[BLOCK];
    memcpy(sum, row + w, sizeof sum);
    for (uint32_t m = 0; m < members && !(m % LOOK == 0 && is_all(sum, g->joined + w)); m++)
      for (uint32_t i = 0; i < BLOCK; i++) sum[i] |= g->member[m][w + i];
    memcpy(row + w, sum, sizeof sum);
  }
}

static void grow_line(const growth *g, uint32_t line) {
  uint64_t *row = row_of(g, line);
  uint32_t members = 0;
  for (uint32_t i = g->at[line]; i < g->at[line + 1]; i++) {
    uint32_t router = g->router[i], before = g->of[router];
    if (before == RIPSTOP_NONE)
      ripstop_bit_set(row, router);
    else
      g->member[members++] = row_of(g, before);
    g->of[router] = line;
  }
  unite(g, members, row);
}

static bool crosses(const growth *g, uint32_t router, uint32_t other, uint32_t d) {
  return g->back ? ripstop_reach_crosses(g->r, other, router, d) : ripstop_reach_crosses(g->r, router, other, d);
}

/* The row of a router of an uneven line: its own, and those of the routers that it crosses to. */
static void gather(const growth *g, uint32_t line, uint32_t router, uint64_t *row) {
  const ripstop_kns *t = &g->r->kns;
  uint32_t members = 0, d = ripstop_kns_line_dimension(t, line);
  memset(row, 0, g->r->words * sizeof *row);
  for (uint32_t place = 0; place < t->k; place++) {
    uint32_t other = ripstop_kns_line_router(t, line, place);
    if (other != router && !crosses(g, router, other, d)) continue;
    if (g->of[other] == RIPSTOP_NONE)
      ripstop_bit_set(row, other);
    else
      g->member[members++] = row_of(g, g->of[other]);
  }
  unite(g, members, row);
}

/* All rows are computed before the first is stored, because they depend on the old ones. */
static void grow_uneven(const growth *g, uint32_t line) {
  const ripstop_kns *t = &g->r->kns;
  size_t words = g->r->words;
  for (uint32_t place = 0; place < t->k; place++)
    gather(g, line, ripstop_kns_line_router(t, line, place), g->next + place * words);
  memcpy(row_of(g, g->own[line]), g->next, t->k * words * sizeof *g->next);
  for (uint32_t place = 0; place < t->k; place++) g->of[ripstop_kns_line_router(t, line, place)] = g->own[line] + place;
}

/* Grows by dimension d: routers that can cross it reach all that such routers of the line reach. */
static void grow(const growth *g, uint32_t d) {
  uint32_t first = d * g->r->kns.lines;
  for (uint32_t line = first; line < first + g->r->kns.lines; line++)
    if (g->r->uneven[line])
      grow_uneven(g, line);
    else
      grow_line(g, line);
}

/* ------------------------------------------------------------------ classes */

/* Routers that have equal rows after all dimensions, which stay equal. */
static void find_classes(ripstop_arena *arena, const growth *g, ripstop_reach_side *out) {
  const ripstop_kns *t = &g->r->kns;
  uint32_t *of_row = RIPSTOP_ARRAY(arena, g->rows, uint32_t);
  *out = (ripstop_reach_side){.of = RIPSTOP_ARRAY(arena, t->routers, uint32_t),
                              .first = RIPSTOP_ARRAY(arena, t->routers, uint32_t),
                              .weight = RIPSTOP_ARRAY(arena, t->routers, uint64_t)};
  memset(of_row, 0xff, g->rows * sizeof *of_row);
  for (uint32_t router = 0; router < t->routers; router++) {
    uint32_t row = g->of[router], none = RIPSTOP_NONE, *class_ = row == RIPSTOP_NONE ? &none : &of_row[row];
    if (*class_ == RIPSTOP_NONE) out->first[ *class_ = out->classes++] = router;
    out->of[router] = *class_;
    out->weight[*class_] += g->r->ends[router];
  }
}

/* Copies the present rows of the classes. */
static uint64_t *copy_rows(ripstop_arena *arena, const growth *g, const ripstop_reach_side *side) {
  size_t words = g->r->words;
  uint64_t *rows = RIPSTOP_ARRAY(arena, side->classes * words, uint64_t);
  for (uint32_t c = 0; c < side->classes; c++) {
    uint32_t row = g->of[side->first[c]];
    if (row == RIPSTOP_NONE)
      ripstop_bit_set(rows + c * words, side->first[c]);
    else
      memcpy(rows + c * words, row_of(g, row), words * sizeof *rows);
  }
  return rows;
}

/* Packets cross the dimensions in ascending order, and once more for each intermediate node. */
static void fill_from(ripstop_arena *arena, const growth *g, ripstop_reach *r) {
  uint32_t n = r->kns.dimensions;
  bool growing = true;
  r->within = RIPSTOP_ARRAY(arena, r->most + 1, uint64_t *);
  reset_rows(g);
  for (uint32_t j = 0; j <= r->most; j++) {
    for (uint32_t i = 0; growing && i < n; i++) {
      ripstop_task_progress("pairs reached by lists", j * n + i, (r->most + 1) * n);
      grow(g, n - 1 - i);
    }
    if (j == 0) find_classes(arena, g, &r->from);
    r->within[j] = growing ? copy_rows(arena, g, &r->from) : r->within[j - 1];
    size_t bytes = (size_t)r->from.classes * r->words * sizeof(uint64_t);
    if (j > 0 && growing) growing = memcmp(r->within[j], r->within[j - 1], bytes) != 0;
  }
}

static void fill_to(ripstop_arena *arena, growth *g, ripstop_reach *r) {
  g->back = true;
  reset_rows(g);
  for (uint32_t d = 0; d < r->kns.dimensions; d++) grow(g, d);
  find_classes(arena, g, &r->to);
  r->to_row = copy_rows(arena, g, &r->to);
}

bool ripstop_reach_build(ripstop_arena *arena, const ripstop_kns *kns, const uint8_t *port_up, uint32_t most,
                         ripstop_reach *out) {
  if (kns->routers > RIPSTOP_REACH_ROUTERS) return false;
  *out = (ripstop_reach){.kns = *kns, .most = most};
  out->words = ((kns->routers + WORD - 1) / WORD + BLOCK - 1) / BLOCK * BLOCK;
  ripstop_kns_faults_find(kns, port_up, arena, &out->faults);
  know_links(arena, port_up, out);
  RIPSTOP_LOCAL_ARENA(scratch);
  growth g = open_growth(scratch, out);
  fill_from(arena, &g, out);
  fill_to(arena, &g, out);
  return true;
}

/* ------------------------------------------------------------------ counting */

static uint64_t ends_in_row(const ripstop_reach *r, const uint64_t *row) {
  uint64_t ends = 0;
  if (r->uniform) return ripstop_bits_count(row, r->words) * r->kns.concentration;
  for (size_t i = ripstop_bits_next(row, r->words, 0); i < r->kns.routers; i = ripstop_bits_next(row, r->words, i + 1))
    ends += r->ends[i];
  return ends;
}

uint64_t ripstop_reach_pairs(const ripstop_reach *r, uint32_t intermediates) {
  uint64_t all = 0, pairs = 0;
  for (uint32_t c = 0; c < r->from.classes; c++) {
    if (r->from.weight[c] == 0) continue;
    all += r->from.weight[c];
    pairs += r->from.weight[c] * ends_in_row(r, r->within[intermediates] + (size_t)c * r->words);
  }
  return pairs - all; /* each end node was paired with itself */
}
