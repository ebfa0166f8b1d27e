/* kns.c - the k-ary n-direct s-indirect topology: n digits below k name a router; the k routers that differ in digit d
 * alone are joined by a line of dimension d, a k^(1/s)-ary s-tree. With s = 1 that is one switch, a crossbar. With
 * line=ruft a line of s > 1 stages is a reduced unidirectional fat tree (Gomez, Gilabert, Gomez, Lopez and Duato 2008):
 * the tree without its paths down, whose last stage leads to the routers.
 *
 * kns.h has the numbers of routers, lines and ports. The switches of a line follow each other as in a tree of its
 * own. A line's tree has its links to the routers' ports where kary-ntree has those to the end nodes.
 *
 * Coordinates are the n digits and one more: an end node's i; for a router n; for a switch of a line its dimension d,
 * whose digit is 0 there and shown as '*'. */
#include <inttypes.h>
#include <string.h>

#include "fabric/count.h"
#include "fabric/kns.h"
#include "ripstop/plugin/family.h"

enum { K_MAX = UINT16_MAX, STAGES_MAX = 15 }; /* 2^15 is the highest power of 2 that k can be */

typedef enum { LINE_TREE, LINE_RUFT } line_kind;

typedef struct config {
  int64_t k, n, s, c;
  int32_t line;
} config;

static const char *const line_words[] = {[LINE_TREE] = "tree", [LINE_RUFT] = "ruft", NULL};

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, k, 2, K_MAX, NULL, "routers on a line"),
    RIPSTOP_INTEGER(config, n, 1, RIPSTOP_DIGITS_MAX - 1, NULL, "dimensions"),
    RIPSTOP_INTEGER(config, s, 1, STAGES_MAX, "1",
                    "stages of a line: 1 for a crossbar, more for a fat tree of the arity k^(1/s), a whole number"),
    RIPSTOP_INTEGER(config, c, 1, UINT16_MAX - RIPSTOP_DIGITS_MAX, "1", "concentration: end nodes per router"),
    RIPSTOP_WORD(config, line, line_words, "tree",
                 "what a line of more than one stage is; ruft: a reduced unidirectional fat tree, whose links carry "
                 "packets in one direction",
                 .later = true),
    {0},
};

/* The greatest whole number whose power is at most `value`. */
static uint64_t root(uint64_t value, uint64_t exponent) {
  uint64_t result = 1;
  while (ripstop_power(result + 1, exponent) <= value) result++;
  return result;
}

/* Describes a line as a tree. An error if k is no such power, or if one stage would be a RUFT. */
static int shape_line(const config *c, ripstop_tree_shape *out, ripstop_error *err) {
  if (c->line == LINE_RUFT && c->s == 1)
    return ripstop_fail(err, "fabric kns: line=ruft needs s=2 or more; with s=1 a line is one crossbar");
  uint64_t k = (uint64_t)c->k, s = (uint64_t)c->s, arity = root(k, s), low = ripstop_power(arity, s);
  *out = (ripstop_tree_shape){
      .half = (uint32_t)arity, .levels = (uint32_t)s, .top = (uint32_t)arity, .one_way = c->line == LINE_RUFT};
  if (low == k) return 0;
  uint64_t high = ripstop_power(arity + 1, s), nearest = low > 1 && (k - low <= high - k || high > K_MAX) ? low : high;
  return ripstop_fail(err,
                      "fabric kns: with s=%" PRIu64 " k must be a^%" PRIu64 " for a whole number a > 1, not %" PRIu64
                      "; the nearest is k=%" PRIu64,
                      s, s, k, nearest);
}

static int count(const void *config_, ripstop_counts *out, ripstop_error *err) {
  const config *c = config_;
  uint64_t k = (uint64_t)c->k, n = (uint64_t)c->n, s = (uint64_t)c->s, routers = ripstop_power(k, n);
  ripstop_tree_shape line;
  if (shape_line(c, &line, err) != 0) return -1;
  out->ends = ripstop_times(routers, (uint64_t)c->c);
  out->switches =
      ripstop_plus(routers, ripstop_times(n, ripstop_times(ripstop_power(k, n - 1), ripstop_times(s, k / line.half))));
  out->links = ripstop_plus(out->ends, ripstop_times(ripstop_times(n, s + (c->line == LINE_RUFT)), routers));
  return 0;
}

/* Everything but `fabric`. */
static void measure(ripstop_kns *t, const config *c, const ripstop_tree_shape *line, ripstop_arena *arena) {
  t->dimensions = (uint32_t)c->n;
  t->k = (uint32_t)c->k;
  t->stages = line->levels;
  t->ruft = c->line == LINE_RUFT;
  t->concentration = (uint32_t)c->c;
  t->lines = (uint32_t)ripstop_power(t->k, t->dimensions - 1);
  t->routers = t->lines * t->k;
  t->ends = t->routers * t->concentration;
  t->line_switches = t->stages * (t->k / line->half);
  t->first_line = t->ends + t->routers;
  for (uint32_t d = 0; d < t->dimensions; d++) t->stride[d] = (uint32_t)ripstop_power(t->k, d);
  ripstop_tree_switch *at = RIPSTOP_ARRAY(arena, t->line_switches, ripstop_tree_switch);
  uint16_t *digit = RIPSTOP_ARRAY(arena, (size_t)t->k * t->stages, uint16_t);
  ripstop_tree_switches(line, at);
  for (uint32_t place = 0; place < t->k; place++)
    ripstop_digits_split(place, line->half, t->stages, digit + (size_t)place * t->stages);
  t->tree =
      (ripstop_tree){.half = line->half, .levels = line->levels, .top_ports = line->top, .at = at, .digit = digit};
}

static void add_ends(ripstop_builder *builder, const ripstop_kns *t, uint16_t *coord) {
  for (uint32_t end = 0; end < t->ends; end++) {
    ripstop_digits_split(end / t->concentration, t->k, t->dimensions, coord);
    coord[t->dimensions] = (uint16_t)(end % t->concentration);
    ripstop_builder_end(builder, coord);
  }
}

static void add_routers(ripstop_builder *builder, const ripstop_kns *t, uint16_t *coord) {
  for (uint32_t router = 0; router < t->routers; router++) {
    ripstop_digits_split(router, t->k, t->dimensions, coord);
    coord[t->dimensions] = (uint16_t)t->dimensions;
    ripstop_builder_switch(builder, (t->ruft ? 2 : 1) * t->dimensions + t->concentration, coord);
  }
}

static void add_lines(ripstop_builder *builder, const ripstop_kns *t, const ripstop_tree_shape *shape,
                      uint16_t *coord) {
  for (uint32_t line = 0; line < t->dimensions * t->lines; line++) {
    ripstop_digits_split(ripstop_kns_line_router(t, line, 0), t->k, t->dimensions, coord);
    coord[t->dimensions] = (uint16_t)ripstop_kns_line_dimension(t, line);
    for (uint32_t i = 0; i < t->line_switches; i++)
      ripstop_builder_switch(builder, ripstop_tree_ports(shape, &t->tree.at[i]), coord);
  }
}

/* Place p of a line hangs from port p mod a of the level-0 switch p div a, a the arity. */
static void wire_router(ripstop_builder *builder, const ripstop_kns *t, uint32_t router) {
  uint32_t node = ripstop_kns_router_node(t, router), arity = t->tree.half;
  for (uint32_t end = router * t->concentration, i = 0; i < t->concentration; i++, end++)
    ripstop_builder_cable(builder, end, 0, node, ripstop_kns_end_port(t, end));
  for (uint32_t d = 0; d < t->dimensions; d++) {
    uint32_t place = router / t->stride[d] % t->k, first = ripstop_kns_line_node(t, ripstop_kns_line(t, router, d));
    ripstop_builder_cable(builder, node, d, first + place / arity, place % arity);
    if (t->ruft) ripstop_builder_one_way(builder);
  }
}

/* The links out of the last stage of a RUFT, switch by switch. */
static void wire_last(ripstop_builder *builder, const ripstop_kns *t, uint32_t line) {
  uint32_t first = ripstop_kns_line_node(t, line), d = ripstop_kns_line_dimension(t, line);
  for (uint32_t i = 0, weight = t->k / t->tree.half; i < t->k; i++) {
    uint32_t place = i / t->tree.half + i % t->tree.half * weight, router = ripstop_kns_line_router(t, line, place);
    ripstop_builder_cable(builder, first + ripstop_kns_ruft_last(t, place),
                          ripstop_kns_ruft_port(t, t->stages - 1, place), ripstop_kns_router_node(t, router),
                          ripstop_kns_in_port(t, d));
    ripstop_builder_one_way(builder);
  }
}

static void wire_line(ripstop_builder *builder, const ripstop_kns *t, const ripstop_tree_shape *shape, uint32_t line) {
  ripstop_tree_wire(builder, shape, ripstop_kns_line_node(t, line));
  if (t->ruft) wire_last(builder, t, line);
}

static int build(ripstop_builder *builder, const void *config_, ripstop_error *err) {
  ripstop_tree_shape line;
  if (shape_line(config_, &line, err) != 0) return -1;
  ripstop_kns *t = RIPSTOP_NEW(ripstop_builder_arena(builder), ripstop_kns);
  measure(t, config_, &line, ripstop_builder_arena(builder));
  ripstop_builder_detail(builder, t);
  uint16_t coord[RIPSTOP_DIGITS_MAX];
  ripstop_builder_coords(builder, t->dimensions + 1);
  add_ends(builder, t, coord);
  add_routers(builder, t, coord);
  add_lines(builder, t, &line, coord);
  for (uint32_t router = 0; router < t->routers; router++) wire_router(builder, t, router);
  for (uint32_t i = 0; i < t->dimensions * t->lines; i++) wire_line(builder, t, &line, i);
  return 0;
}

/* The digits of a switch of a line in its tree. */
static void split_switch(const ripstop_kns *t, uint32_t node, uint16_t *digit) {
  uint32_t of_level = t->line_switches / t->stages, number = (node - t->first_line) % t->line_switches % of_level;
  ripstop_digits_split(number, t->tree.half, t->stages - 1, digit);
}

static uint32_t level_of(const ripstop_kns *t, uint32_t node) {
  return t->tree.at[(node - t->first_line) % t->line_switches].level;
}

/* A line switch is its line, the digits with '*' for the line's dimension; a tree's switch has its name in the tree
 * behind that. */
static void line_node_name(const ripstop_kns *t, const uint16_t *coord, uint32_t node, char *out) {
  size_t length = ripstop_digits_print(out, 0, coord, t->dimensions, coord[t->dimensions]);
  if (t->stages == 1) return;
  uint16_t digit[RIPSTOP_DIGITS_MAX];
  split_switch(t, node, digit);
  length = ripstop_name_number(out, length, ":", level_of(t, node));
  out[length++] = '/';
  ripstop_digits_print(out, length, digit, t->stages - 1, RIPSTOP_NONE);
}

static void node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  const ripstop_kns *t = fabric->detail;
  const uint16_t *coord = ripstop_coords(fabric, node);
  if (ripstop_kns_is_line(t, node)) {
    line_node_name(t, coord, node, out);
    return;
  }
  size_t length = ripstop_digits_print(out, 0, coord, t->dimensions, RIPSTOP_NONE);
  if (ripstop_is_end(fabric, node) && t->concentration > 1) ripstop_name_number(out, length, ":", coord[t->dimensions]);
}

static void link_name(const ripstop_fabric *fabric, uint32_t link, char *out) {
  uint32_t port = fabric->link_port[2 * (size_t)link], node = fabric->port_node[port];
  node_name(fabric, node, out);
  ripstop_name_number(out, strlen(out), "/", port - fabric->port_base[node]);
}

/* A line joins the routers that are equal in all digits but one, and a tree's digits may be permuted each by itself
 * (ripstop_tree_symbols). So with a^s = k each digit of a router is s digits below a, and every one of these an
 * alphabet; the digits that distinguish copies of a tree's switch are s - 1 more in each dimension, the same for all
 * its lines. A RUFT has no copies: the digits below a switch's stage are those of the places that packets go to, the
 * others those of the places that they come from. */
static uint32_t of_place(const ripstop_kns *t, uint32_t d, uint32_t digit) {
  return RIPSTOP_FIXED_ALPHABET + 1 + d * t->stages + digit;
}

static uint32_t of_copy(const ripstop_kns *t, uint32_t d, uint32_t digit) {
  return of_place(t, t->dimensions, 0) + d * (t->stages - 1) + digit;
}

/* A digit that a packet has chosen on its path up. */
static uint32_t of_upper(const ripstop_kns *t, uint32_t d, uint32_t digit) {
  return t->ruft ? of_place(t, d, digit) : of_copy(t, d, digit);
}

/* The digits of a router or line, but those of one dimension (RIPSTOP_NONE: of none). */
static uint32_t router_symbols(const ripstop_kns *t, const uint16_t *coord, uint32_t without, ripstop_symbol *out) {
  uint32_t count = 0;
  for (uint32_t d = t->dimensions; d-- > 0;)
    for (uint32_t i = t->stages; i-- > 0 && d != without;)
      out[count++] = (ripstop_symbol){.alphabet = of_place(t, d, i), .value = t->tree.digit[coord[d] * t->stages + i]};
  return count;
}

/* A router's link: dimension, router. A link inside a line: dimension and level, line, switch, up port. */
static uint32_t symbols(const ripstop_fabric *fabric, uint32_t link, ripstop_symbol *out) {
  const ripstop_kns *t = fabric->detail;
  uint32_t port = fabric->link_port[2 * (size_t)link], node = fabric->port_node[port], count = 1;
  uint32_t local = port - fabric->port_base[node];
  const uint16_t *coord = ripstop_coords(fabric, node);
  if (!ripstop_kns_is_line(t, node)) {
    out[0] = (ripstop_symbol){.alphabet = RIPSTOP_FIXED_ALPHABET, .value = local};
    return count + router_symbols(t, coord, RIPSTOP_NONE, out + count);
  }
  uint32_t d = coord[t->dimensions], level = level_of(t, node);
  uint16_t digit[RIPSTOP_DIGITS_MAX];
  split_switch(t, node, digit);
  out[0] = (ripstop_symbol){.alphabet = RIPSTOP_FIXED_ALPHABET, .value = t->dimensions + d * t->stages + level};
  count += router_symbols(t, coord, d, out + count);
  for (uint32_t i = t->stages - 1; i-- > 0;)
    out[count++] =
        (ripstop_symbol){.alphabet = i >= level ? of_place(t, d, i + 1) : of_upper(t, d, i), .value = digit[i]};
  out[count++] = (ripstop_symbol){.alphabet = of_upper(t, d, level), .value = local - t->tree.half};
  return count;
}

static const ripstop_link_group groups[] = {
    {"dim", true, "links of dimension N: those of routers, and those inside its lines"}, {0}};

static uint32_t group_of(const ripstop_fabric *fabric, uint32_t link, uint32_t *number) {
  const ripstop_kns *t = fabric->detail;
  const uint32_t port = fabric->link_port[2 * (size_t)link], node = fabric->port_node[port];
  *number = ripstop_kns_is_line(t, node) ? ripstop_coords(fabric, node)[t->dimensions] : port - fabric->port_base[node];
  return 0;
}

const ripstop_family ripstop_family_kns = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "kns",
    .summary =
        "k-ary n-direct s-indirect: routers with one port a dimension, each dimension line a crossbar or fat tree",
    .source = "Penaranda, Gomez, Lopez, Gran and Skeie 2017, section 3",
    .options = options,
    .config_size = sizeof(config),
    .example = "kns:k=3,n=2",
    .symmetric = true,
    .count = count,
    .build = build,
    .node_name = node_name,
    .link_name = link_name,
    .symbols = symbols,
    .groups = groups,
    .group_of = group_of,
};
