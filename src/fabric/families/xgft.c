/* xgft.c - the extended generalised fat tree XGFT(h; m1..mh; w1..wh) of Öhring et al. (1995): a node of level i has m_i
 * children and, below the top, w_(i+1) parents. It is oversubscribed where m_i > w_(i+1), slimmed where levels above
 * have fewer switches than those below. End nodes are level 0 and have one cable, so w1 is 1.
 *
 * A switch of level i is "i/a_h. .. .a_(i+1).b_i. .. .b_1": which of its parents' children it is, from the top, a_j
 * below m_j, and which of its children's parents, b_j below w_j. It is joined to the switches of the next level that
 * differ from it in that digit alone which is an a here and a b there. */
#include "fabric/count.h"
#include "fabric/digits.h"
#include "fabric/sizes.h"
#include "fabric/wiring.h"

typedef struct config {
  const char *m, *w;
} config;

static const ripstop_option options[] = {
    RIPSTOP_TEXT(config, m, NULL, "children of a node of each level from 1 to the top, joined by dots, e.g. 4.4"),
    RIPSTOP_TEXT(config, w, NULL, "parents of a node of each level from 0 up, joined by dots, the first 1, e.g. 1.4"),
    {0},
};

typedef struct shape {
  uint32_t levels;
  uint32_t m[RIPSTOP_SIZES_MAX], w[RIPSTOP_SIZES_MAX]; /* [level - 1] */
} shape;

static int parse(const config *c, shape *out, ripstop_error *err) {
  ripstop_sizes m, w;
  if (ripstop_sizes_parse("xgft", c->m, '.', 1, &m, err) || ripstop_sizes_parse("xgft", c->w, '.', 1, &w, err))
    return -1;
  if (m.count != w.count)
    return ripstop_fail(err, "fabric xgft: m=%.64s is of %u levels, w=%.64s of %u", c->m, m.count, c->w, w.count);
  if (w.size[0] != 1)
    return ripstop_fail(err, "fabric xgft: w=%.64s: an end node has one cable, so the first number is 1", c->w);
  out->levels = m.count;
  for (uint32_t i = 0; i < m.count; i++) out->m[i] = m.size[i], out->w[i] = w.size[i];
  return 0;
}

/* Nodes of a level, 0 those that packets come from. */
static uint64_t nodes_at(const shape *s, uint32_t level) {
  uint64_t nodes = 1;
  for (uint32_t i = 0; i < s->levels; i++) nodes = ripstop_times(nodes, i < level ? s->w[i] : s->m[i]);
  return nodes;
}

static int count(const void *c, ripstop_counts *out, ripstop_error *err) {
  shape s;
  if (parse(c, &s, err)) return -1;
  *out = (ripstop_counts){.ends = nodes_at(&s, 0), .links = nodes_at(&s, 0)};
  for (uint32_t level = 1; level <= s.levels; level++) {
    out->switches = ripstop_plus(out->switches, nodes_at(&s, level));
    if (level < s.levels) out->links = ripstop_plus(out->links, ripstop_times(nodes_at(&s, level), s.w[level]));
  }
  return 0;
}

/* Digit i of a switch of this level, and of its number within the level: digit 0 changes quickest. */
static uint32_t radix(const shape *s, uint32_t level, uint32_t i) { return i < level ? s->w[i] : s->m[i]; }

static void add_level(ripstop_wiring *w, const shape *s, uint32_t level) {
  for (uint32_t n = 0; n < nodes_at(s, level); n++) {
    uint16_t digit[RIPSTOP_SIZES_MAX + 1];
    for (uint32_t i = 0, rest = n; i < s->levels; rest /= radix(s, level, i++))
      digit[i] = (uint16_t)(rest % radix(s, level, i));
    digit[s->levels] = (uint16_t)level;
    ripstop_wiring_switch(w, level == 1 ? s->m[0] : 0, digit);
  }
}

/* A switch's number in the level that has another digit in one place, and digits above and below alike; `low`: the
 * numbers that those below make, `from` and `to`: radices of the digit. */
static uint32_t with_digit(uint32_t number, uint32_t low, uint32_t from, uint32_t to, uint32_t digit) {
  /* sizes are 1 at least: NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
  return number / (low * from) * (low * to) + digit * low + number % low;
}

static int build(ripstop_builder *builder, const void *c, ripstop_error *err) {
  shape s;
  if (parse(c, &s, err)) return -1;
  ripstop_wiring w = {.coords = s.levels + 1};
  for (uint32_t level = 1; level <= s.levels; level++) add_level(&w, &s, level);
  for (uint32_t level = 1, first = 0, low = 1; level < s.levels; level++) {
    uint32_t nodes = (uint32_t)nodes_at(&s, level), next = first + nodes;
    low *= s.w[level - 1];
    for (uint32_t n = 0; n < nodes; n++)
      for (uint32_t b = 0; b < s.w[level]; b++)
        ripstop_wiring_cable(&w, first + n, next + with_digit(n, low, s.m[level], s.w[level], b));
    first = next;
  }
  ripstop_wiring_build(&w, builder);
  return 0;
}

/* An end node's digit 1 is its number at its switch. */
static void node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  uint16_t digit[RIPSTOP_SIZES_MAX];
  const uint16_t *coord = ripstop_coords(fabric, node);
  uint32_t levels = fabric->coords - 2;
  size_t length = 0;
  for (uint32_t i = 0; i < levels; i++) digit[i] = coord[i];
  if (ripstop_is_end(fabric, node))
    digit[0] = coord[levels + 1];
  else
    length = ripstop_name_number(out, 0, "", coord[levels]), out[length++] = '/';
  ripstop_digits_print(out, length, digit, levels, RIPSTOP_NONE);
}

static const ripstop_link_group groups[] = {{"level", true, "links from switches of level N to those above"}, {0}};

/* Coordinate h of a switch is its level; end nodes have one more coordinate behind it. */
static uint32_t group_of(const ripstop_fabric *fabric, uint32_t link, uint32_t *number) {
  *number = ripstop_link_coord(fabric, link, 0, fabric->coords - 2);
  return 0;
}

const ripstop_family ripstop_family_xgft = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "xgft",
    .summary = "extended generalised fat tree: oversubscribed, slimmed, several end nodes a leaf",
    .source = "Ohring, Ibel, Das and Kumar 1995, section 2 (XGFT(h; m1..mh; w1..wh))",
    .options = options,
    .config_size = sizeof(config),
    .example = "xgft:m=2.3,w=1.2",
    .count = count,
    .build = build,
    .node_name = node_name,
    .link_name = ripstop_wired_link_name,
    .groups = groups,
    .group_of = group_of,
};
