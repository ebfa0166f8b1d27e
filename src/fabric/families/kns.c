/* kns.c - the k-ary n-direct s-indirect topology: n digits below k name a router; the k routers that differ in digit d
 * alone are joined by a line of dimension d, a k^(1/s)-ary s-tree. With s = 1 that is one switch, a crossbar.
 *
 * kns.h tells the numbers of routers, lines and ports. The switches of a line follow each other as in a tree of its
 * own. A line's tree has its links to the routers' ports where kary-ntree has those to the end nodes.
 *
 * Coordinates are the n digits and one more: an end node's i; for a router n; for a switch of a line its dimension d,
 * whose digit is 0 there and shown as '*'. */
#include <inttypes.h>
#include <string.h>

#include "fabric/count.h"
#include "fabric/kns.h"

enum { K_MAX = UINT16_MAX, STAGES_MAX = 15 }; /* 2^15 is the highest power of 2 that k can be */

typedef struct config {
  int64_t k, n, s, c;
} config;

static const rs_option options[] = {
    {.name = "k",
     .type = RS_OPTION_INTEGER,
     .offset = offsetof(config, k),
     .min = 2,
     .max = K_MAX,
     .help = "routers on a line"},
    {.name = "n",
     .type = RS_OPTION_INTEGER,
     .offset = offsetof(config, n),
     .min = 1,
     .max = RS_DIGITS_MAX - 1,
     .help = "dimensions"},
    {.name = "s",
     .type = RS_OPTION_INTEGER,
     .offset = offsetof(config, s),
     .min = 1,
     .max = STAGES_MAX,
     .fallback = "1",
     .help = "stages of a line: 1 for a crossbar, more for a fat tree of the arity k^(1/s), a whole number"},
    {.name = "c",
     .type = RS_OPTION_INTEGER,
     .offset = offsetof(config, c),
     .min = 1,
     .max = UINT16_MAX - RS_DIGITS_MAX,
     .fallback = "1",
     .help = "concentration: end nodes per router"},
    {0},
};

/* The greatest whole number whose power is at most `value`. */
static uint64_t root(uint64_t value, uint64_t exponent) {
  uint64_t result = 1;
  while (rs_power(result + 1, exponent) <= value) result++;
  return result;
}

/* What a line is as a tree; an error where k is no such power. */
static int shape_line(const config *c, rs_tree_shape *out, rs_error *err) {
  uint64_t k = (uint64_t)c->k, s = (uint64_t)c->s, arity = root(k, s), low = rs_power(arity, s);
  *out = (rs_tree_shape){.half = (uint32_t)arity, .levels = (uint32_t)s, .top = (uint32_t)arity};
  if (low == k) return 0;
  uint64_t high = rs_power(arity + 1, s), nearest = low > 1 && (k - low <= high - k || high > K_MAX) ? low : high;
  return rs_fail(err,
                 "fabric kns: with s=%" PRIu64 " k must be a^%" PRIu64 " for a whole number a > 1, not %" PRIu64
                 "; the nearest is k=%" PRIu64,
                 s, s, k, nearest);
}

static int count(const void *config_, rs_counts *out, rs_error *err) {
  const config *c = config_;
  uint64_t k = (uint64_t)c->k, n = (uint64_t)c->n, s = (uint64_t)c->s, routers = rs_power(k, n);
  rs_tree_shape line;
  if (shape_line(c, &line, err) != 0) return -1;
  out->ends = rs_times(routers, (uint64_t)c->c);
  out->switches = rs_plus(routers, rs_times(n, rs_times(rs_power(k, n - 1), rs_times(s, k / line.half))));
  out->links = rs_plus(out->ends, rs_times(rs_times(n, s), routers));
  return 0;
}

/* Everything but `fabric`. */
static void measure(rs_kns *t, const config *c, const rs_tree_shape *line, rs_arena *arena) {
  t->dimensions = (uint32_t)c->n;
  t->k = (uint32_t)c->k;
  t->stages = line->levels;
  t->concentration = (uint32_t)c->c;
  t->lines = (uint32_t)rs_power(t->k, t->dimensions - 1);
  t->routers = t->lines * t->k;
  t->ends = t->routers * t->concentration;
  t->line_switches = t->stages * (t->k / line->half);
  t->first_line = t->ends + t->routers;
  for (uint32_t d = 0; d < t->dimensions; d++) t->stride[d] = (uint32_t)rs_power(t->k, d);
  rs_tree_switch *at = RS_ARRAY(arena, t->line_switches, rs_tree_switch);
  uint16_t *digit = RS_ARRAY(arena, (size_t)t->k * t->stages, uint16_t);
  rs_tree_switches(line, at);
  for (uint32_t place = 0; place < t->k; place++)
    rs_digits_split(place, line->half, t->stages, digit + (size_t)place * t->stages);
  t->tree = (rs_tree){.half = line->half, .levels = line->levels, .top_ports = line->top, .at = at, .digit = digit};
}

static void add_ends(rs_builder *builder, const rs_kns *t, uint16_t *coord) {
  for (uint32_t end = 0; end < t->ends; end++) {
    rs_digits_split(end / t->concentration, t->k, t->dimensions, coord);
    coord[t->dimensions] = (uint16_t)(end % t->concentration);
    rs_builder_end(builder, coord);
  }
}

static void add_routers(rs_builder *builder, const rs_kns *t, uint16_t *coord) {
  for (uint32_t router = 0; router < t->routers; router++) {
    rs_digits_split(router, t->k, t->dimensions, coord);
    coord[t->dimensions] = (uint16_t)t->dimensions;
    rs_builder_switch(builder, t->dimensions + t->concentration, coord);
  }
}

static void add_lines(rs_builder *builder, const rs_kns *t, const rs_tree_shape *shape, uint16_t *coord) {
  for (uint32_t line = 0; line < t->dimensions * t->lines; line++) {
    rs_digits_split(rs_kns_line_router(t, line, 0), t->k, t->dimensions, coord);
    coord[t->dimensions] = (uint16_t)rs_kns_line_dimension(t, line);
    for (uint32_t i = 0; i < t->line_switches; i++)
      rs_builder_switch(builder, rs_tree_ports(shape, &t->tree.at[i]), coord);
  }
}

/* Place p of a line hangs from port p mod a of the level-0 switch p div a, a the arity. */
static void wire_router(rs_builder *builder, const rs_kns *t, uint32_t router) {
  uint32_t node = rs_kns_router_node(t, router), arity = t->tree.half;
  for (uint32_t end = router * t->concentration, i = 0; i < t->concentration; i++, end++)
    rs_builder_cable(builder, end, 0, node, rs_kns_end_port(t, end));
  for (uint32_t d = 0; d < t->dimensions; d++) {
    uint32_t place = router / t->stride[d] % t->k, first = rs_kns_line_node(t, rs_kns_line(t, router, d));
    rs_builder_cable(builder, node, d, first + place / arity, place % arity);
  }
}

static int build(rs_builder *builder, const void *config_, rs_error *err) {
  rs_tree_shape line;
  if (shape_line(config_, &line, err) != 0) return -1;
  rs_kns *t = RS_NEW(rs_builder_arena(builder), rs_kns);
  measure(t, config_, &line, rs_builder_arena(builder));
  rs_builder_detail(builder, t);
  uint16_t coord[RS_DIGITS_MAX];
  rs_builder_coords(builder, t->dimensions + 1);
  add_ends(builder, t, coord);
  add_routers(builder, t, coord);
  add_lines(builder, t, &line, coord);
  for (uint32_t router = 0; router < t->routers; router++) wire_router(builder, t, router);
  for (uint32_t i = 0; i < t->dimensions * t->lines; i++) rs_tree_wire(builder, &line, rs_kns_line_node(t, i));
  return 0;
}

/* The digits of a switch of a line in its tree. */
static void split_switch(const rs_kns *t, uint32_t node, uint16_t *digit) {
  uint32_t of_level = t->line_switches / t->stages, number = (node - t->first_line) % t->line_switches % of_level;
  rs_digits_split(number, t->tree.half, t->stages - 1, digit);
}

static uint32_t level_of(const rs_kns *t, uint32_t node) {
  return t->tree.at[(node - t->first_line) % t->line_switches].level;
}

/* A line switch is its line, the digits with '*' for the line's dimension; a tree's switch has its name in the tree
 * behind that. */
static void line_node_name(const rs_kns *t, const uint16_t *coord, uint32_t node, char *out) {
  size_t length = rs_digits_print(out, 0, coord, t->dimensions, coord[t->dimensions]);
  if (t->stages == 1) return;
  uint16_t digit[RS_DIGITS_MAX];
  split_switch(t, node, digit);
  length = rs_name_number(out, length, ":", level_of(t, node));
  out[length++] = '/';
  rs_digits_print(out, length, digit, t->stages - 1, RS_NONE);
}

static void node_name(const rs_fabric *fabric, uint32_t node, char *out) {
  const rs_kns *t = fabric->detail;
  const uint16_t *coord = rs_coords(fabric, node);
  if (rs_kns_is_line(t, node)) {
    line_node_name(t, coord, node, out);
    return;
  }
  size_t length = rs_digits_print(out, 0, coord, t->dimensions, RS_NONE);
  if (rs_is_end(fabric, node) && t->concentration > 1) rs_name_number(out, length, ":", coord[t->dimensions]);
}

static void link_name(const rs_fabric *fabric, uint32_t link, char *out) {
  uint32_t port = fabric->link_port[2 * (size_t)link], node = fabric->port_node[port];
  node_name(fabric, node, out);
  rs_name_number(out, strlen(out), "/", port - fabric->port_base[node]);
}

/* A line joins the routers that are equal in all digits but one, and a tree's digits may be permuted each by itself
 * (rs_tree_symbols). So with a^s = k each digit of a router is s digits below a, and every one of these an alphabet;
 * the digits that tell copies of a tree's switch apart are s - 1 more in each dimension, the same for all its lines. */
static uint32_t of_place(const rs_kns *t, uint32_t d, uint32_t digit) {
  return RS_FIXED_ALPHABET + 1 + d * t->stages + digit;
}

static uint32_t of_copy(const rs_kns *t, uint32_t d, uint32_t digit) {
  return of_place(t, t->dimensions, 0) + d * (t->stages - 1) + digit;
}

/* The digits of a router or line, but those of one dimension (RS_NONE: of none). */
static uint32_t router_symbols(const rs_kns *t, const uint16_t *coord, uint32_t without, rs_symbol *out) {
  uint32_t count = 0;
  for (uint32_t d = t->dimensions; d-- > 0;)
    for (uint32_t i = t->stages; i-- > 0 && d != without;)
      out[count++] = (rs_symbol){.alphabet = of_place(t, d, i), .value = t->tree.digit[coord[d] * t->stages + i]};
  return count;
}

/* A router's link: dimension, router. A link inside a line: dimension and level, line, switch, up port. */
static uint32_t symbols(const rs_fabric *fabric, uint32_t link, rs_symbol *out) {
  const rs_kns *t = fabric->detail;
  uint32_t port = fabric->link_port[2 * (size_t)link], node = fabric->port_node[port], count = 1;
  uint32_t local = port - fabric->port_base[node];
  const uint16_t *coord = rs_coords(fabric, node);
  if (!rs_kns_is_line(t, node)) {
    out[0] = (rs_symbol){.alphabet = RS_FIXED_ALPHABET, .value = local};
    return count + router_symbols(t, coord, RS_NONE, out + count);
  }
  uint32_t d = coord[t->dimensions], level = level_of(t, node);
  uint16_t digit[RS_DIGITS_MAX];
  split_switch(t, node, digit);
  out[0] = (rs_symbol){.alphabet = RS_FIXED_ALPHABET, .value = t->dimensions + d * t->stages + level};
  count += router_symbols(t, coord, d, out + count);
  for (uint32_t i = t->stages - 1; i-- > 0;)
    out[count++] = (rs_symbol){.alphabet = i >= level ? of_place(t, d, i + 1) : of_copy(t, d, i), .value = digit[i]};
  out[count++] = (rs_symbol){.alphabet = of_copy(t, d, level), .value = local - t->tree.half};
  return count;
}

const rs_family rs_family_kns = {
    .abi = RS_FAMILY_ABI,
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
};
