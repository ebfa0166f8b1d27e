/* detour_lines.c - the places of a line with failed links that each of its switches reaches, and the selection of the
 * switches that stay in use. */
#include "methods/intermediate-nodes/detour_lines.h"

#include <string.h>

enum { WORD = 64 };

static bool has(const uint64_t *row, uint32_t place) { return row[place / WORD] >> place % WORD & 1; }

/* A line with failed links inside. */
typedef struct broken {
  const ripstop_kns *t;
  const uint8_t *port_up;
  uint32_t first;  /* its first switch */
  uint64_t *reach; /* [line_switches * words] */
  uint32_t words;
} broken;

static uint64_t *row_of(const broken *b, uint32_t i) { return b->reach + (size_t)i * b->words; }

/* The switch that a local port of the line's switch i leads to; RIPSTOP_NONE: the port is down. */
static uint32_t beyond(const broken *b, uint32_t i, uint32_t local) {
  const ripstop_fabric *f = b->t->fabric;
  uint32_t port = f->port_base[b->first + i] + local;
  return b->port_up[port] ? f->port_node[f->peer[port]] - b->first : RIPSTOP_NONE;
}

/* Adds the places below a switch, reached by the only path down. */
static void reach_down(const broken *b, uint32_t i) {
  const ripstop_tree *tree = &b->t->tree;
  const ripstop_tree_switch *at = &tree->at[i];
  for (uint32_t place = at->first; place < at->first + at->span; place++) {
    uint32_t lower = at->level == 0 ? i : beyond(b, i, ripstop_tree_down_port(tree, at->level, place));
    if (lower == i || (lower != RIPSTOP_NONE && has(row_of(b, lower), place)))
      row_of(b, i)[place / WORD] |= UINT64_C(1) << place % WORD;
  }
}

/* Adds all others via the switches above. These reach the places below this switch through it alone, so those bits stay
 * right. */
static void reach_up(const broken *b, uint32_t i) {
  const ripstop_tree *tree = &b->t->tree;
  for (uint32_t up = 0; up < tree->at[i].ups; up++) {
    uint32_t upper = beyond(b, i, tree->half + up);
    for (uint32_t w = 0; upper != RIPSTOP_NONE && w < b->words; w++) row_of(b, i)[w] |= row_of(b, upper)[w];
  }
}

/* Sets the places that a RUFT's last stage leads to. */
static void reach_out(const broken *b) {
  for (uint32_t place = 0; place < b->t->k; place++)
    row_of(b, ripstop_kns_ruft_last(b->t, place))[place / WORD] |= UINT64_C(1) << place % WORD;
}

/* A line's switches are processed level by level, so the rows that are read are complete. */
static void fill_rows(const broken *b) {
  if (b->t->ruft) reach_out(b);
  for (uint32_t i = 0; i < b->t->line_switches && !b->t->ruft; i++) reach_down(b, i);
  for (uint32_t i = b->t->line_switches; i-- > 0;) reach_up(b, i);
}

/* A switch of level 0 in the selection of those that stay in use. */
typedef struct leaf {
  uint32_t routers; /* with a link that is up */
  uint32_t bound;   /* routers among them without such a link into another line */
  uint32_t missed;  /* routers in use that it cannot reach */
  bool used;
} leaf;

static bool in_touch(const broken *b, uint32_t x, uint32_t y) { return has(row_of(b, x), y * b->t->tree.half); }

static void set_used(const broken *b, leaf *leaves, uint32_t count, uint32_t x, bool used) {
  leaves[x].used = used;
  for (uint32_t y = 0; y < count; y++) {
    if (in_touch(b, x, y)) continue;
    if (used)
      leaves[y].missed += leaves[x].routers;
    else
      leaves[y].missed -= leaves[x].routers;
  }
}

/* True if a is to be given up rather than b, which comes before it. */
static bool is_worse(const leaf *a, const leaf *b) {
  if (a->missed != b->missed) return a->missed > b->missed;
  return a->bound != b->bound ? a->bound < b->bound : a->routers <= b->routers;
}

/* The switch to give up next; RIPSTOP_NONE: all in use reach each other. Switches without routers miss nothing. */
static uint32_t worst(const leaf *leaves, uint32_t count) {
  uint32_t worst = RIPSTOP_NONE;
  for (uint32_t x = 0; x < count; x++) {
    if (!leaves[x].used || leaves[x].routers == 0 || leaves[x].missed == 0) continue;
    if (worst == RIPSTOP_NONE || is_worse(&leaves[x], &leaves[worst])) worst = x;
  }
  return worst;
}

static void choose(const broken *b, leaf *leaves, uint32_t count) {
  for (uint32_t x = 0; x < count; x++) set_used(b, leaves, count, x, true);
  for (uint32_t x; (x = worst(leaves, count)) != RIPSTOP_NONE;) set_used(b, leaves, count, x, false);
  for (uint32_t x = 0; x < count; x++)
    if (!leaves[x].used && leaves[x].missed == 0) set_used(b, leaves, count, x, true);
}

static void count_routers(const broken *b, uint32_t line, leaf *leaves) {
  const ripstop_kns *t = b->t;
  uint32_t d = ripstop_kns_line_dimension(t, line);
  for (uint32_t place = 0; place < t->k; place++) {
    const uint8_t *up =
        b->port_up + t->fabric->port_base[ripstop_kns_router_node(t, ripstop_kns_line_router(t, line, place))];
    leaf *own = &leaves[place / t->tree.half];
    own->routers += up[d];
    own->bound += up[d] && !memchr(up, 1, d) && !memchr(up + d + 1, 1, t->dimensions - d - 1);
  }
}

/* Marks the links of a line's routers that are out of use; routers with failed links are marked already. */
static void mark(const broken *b, uint32_t line, ripstop_arena *arena, uint8_t *dead) {
  const ripstop_kns *t = b->t;
  uint32_t d = ripstop_kns_line_dimension(t, line), count = t->k / t->tree.half;
  leaf *leaves = RIPSTOP_ARRAY(arena, count, leaf);
  count_routers(b, line, leaves);
  choose(b, leaves, count);
  for (uint32_t place = 0; place < t->k; place++)
    if (!leaves[place / t->tree.half].used)
      dead[(size_t)ripstop_kns_line_router(t, line, place) * t->dimensions + d] = 1;
}

/* True if a link between the stages of a RUFT has failed. */
static bool is_ruft_broken(const ripstop_kns *t, const uint8_t *port_up, uint32_t first) {
  uint32_t arity = t->tree.half, to = t->line_switches - t->line_switches / t->stages;
  for (uint32_t i = 0; i < to; i++)
    if (memchr(port_up + t->fabric->port_base[first + i] + arity, 0, arity)) return true;
  return false;
}

/* True if a link inside the line has failed: each has its upper end at a switch above level 0. */
static bool is_broken(const ripstop_kns *t, const uint8_t *port_up, uint32_t first) {
  const uint32_t *base = t->fabric->port_base;
  if (t->ruft) return is_ruft_broken(t, port_up, first);
  uint32_t from = base[first + t->line_switches / t->stages], to = base[first + t->line_switches];
  return to > from && memchr(port_up + from, 0, to - from);
}

/* Reads which links of a router are down. */
static void know_router(const ripstop_kns *t, const uint8_t *port_up, uint32_t router, ripstop_kns_faults *out) {
  const uint8_t *up = port_up + t->fabric->port_base[ripstop_kns_router_node(t, router)];
  for (uint32_t d = 0; d < t->dimensions; d++) out->dead[(size_t)router * t->dimensions + d] = !up[d];
  for (uint32_t d = 0; d < t->dimensions && t->ruft; d++) { /* the switch's port sends */
    uint32_t in = t->fabric->port_base[ripstop_kns_router_node(t, router)] + ripstop_kns_in_port(t, d);
    out->deaf[(size_t)router * t->dimensions + d] = !port_up[t->fabric->peer[in]];
  }
}

bool ripstop_kns_uneven(const ripstop_kns_faults *faults, uint32_t line) {
  const ripstop_kns *t = &faults->kns;
  bool uneven = t->ruft && faults->reach[line];
  for (uint32_t place = 0, d = ripstop_kns_line_dimension(t, line); place < t->k && t->ruft && !uneven; place++) {
    uint32_t router = ripstop_kns_line_router(t, line, place);
    uneven = ripstop_kns_failed(faults, router, d) != ripstop_kns_deaf(faults, router, d);
  }
  return uneven;
}

void ripstop_kns_faults_find(const ripstop_kns *t, const uint8_t *port_up, ripstop_arena *arena,
                             ripstop_kns_faults *out) {
  uint32_t lines = t->dimensions * t->lines;
  *out = (ripstop_kns_faults){.kns = *t, .port_up = port_up, .words = (t->k + WORD - 1) / WORD};
  out->dead = RIPSTOP_ARRAY(arena, (size_t)t->routers * t->dimensions, uint8_t);
  out->reach = RIPSTOP_ARRAY(arena, lines, uint64_t *);
  out->deaf = t->ruft ? RIPSTOP_ARRAY(arena, (size_t)t->routers * t->dimensions, uint8_t) : out->dead;
  for (uint32_t router = 0; router < t->routers; router++) know_router(t, port_up, router, out);
  for (uint32_t line = 0; line < lines; line++) {
    uint32_t first = ripstop_kns_line_node(t, line);
    if (!is_broken(t, port_up, first)) continue;
    out->reach[line] = RIPSTOP_ARRAY(arena, (size_t)t->line_switches * out->words, uint64_t);
    broken b = {.t = t, .port_up = port_up, .first = first, .reach = out->reach[line], .words = out->words};
    fill_rows(&b);
    if (!t->ruft) mark(&b, line, arena, out->dead);
  }
}
