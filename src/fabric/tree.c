/* tree.c - counts, wiring and names of the fat trees of tree.h.
 *
 * Numbering: an end node's number is p read as a number; switches go level by level from 0, within a level by c read as
 * a number. All digits but the most significant are below `half`, so in every case the number is sum c_i * half^i. */
#include "fabric/tree.h"
#include "ripstop/plugin/family.h"

#include "fabric/count.h"
#include "fabric/digits.h"

void ripstop_tree_count(const ripstop_tree_shape *shape, ripstop_counts *out) {
  uint64_t wide =
      ripstop_times(shape->top, ripstop_power(shape->half, shape->levels - 1)); /* links between two levels */
  uint64_t tops = ripstop_power(shape->half, shape->levels - 1);
  out->ends = wide;
  out->switches = ripstop_plus(ripstop_times(shape->levels - 1, wide / shape->half), tops);
  out->links = ripstop_times(shape->levels, wide);
}

static uint32_t switches_at(const ripstop_tree_shape *shape, uint32_t level) {
  uint64_t tops = ripstop_power(shape->half, shape->levels - 1);
  return (uint32_t)(level + 1 < shape->levels ? tops / shape->half * shape->top : tops);
}

static void add_ends(ripstop_builder *builder, const ripstop_tree_shape *shape, uint32_t ends) {
  uint16_t digit[RIPSTOP_DIGITS_MAX];
  for (uint32_t end = 0; end < ends; end++) {
    uint32_t rest = end;
    for (uint32_t i = 0; i < shape->levels; i++) {
      bool most = i + 1 == shape->levels;
      digit[i] = (uint16_t)(most ? rest : rest % shape->half);
      rest /= shape->half;
    }
    ripstop_builder_end(builder, digit);
  }
}

void ripstop_tree_switches(const ripstop_tree_shape *shape, ripstop_tree_switch *at) {
  for (uint32_t level = 0; level < shape->levels; level++) {
    bool top = level + 1 == shape->levels;
    uint32_t twins = (uint32_t)ripstop_power(shape->half, level); /* switches of this level above the same end nodes */
    uint32_t span = top ? twins * shape->top : twins * shape->half; /* end nodes below one switch */
    for (uint32_t number = 0, count = switches_at(shape, level); number < count; number++)
      *at++ = (ripstop_tree_switch){.first = number / twins * span,
                                    .span = span,
                                    .level = (uint16_t)level,
                                    .ups = (uint16_t)(top ? 0 : shape->half)};
  }
}

static void add_switches(ripstop_builder *builder, const ripstop_tree_shape *shape, const ripstop_tree_switch *at) {
  uint16_t digit[RIPSTOP_DIGITS_MAX];
  for (uint32_t level = 0; level < shape->levels; level++) {
    for (uint32_t number = 0, count = switches_at(shape, level); number < count; number++) {
      uint32_t rest = number;
      for (uint32_t i = 0; i + 1 < shape->levels; i++) {
        bool most = i + 2 == shape->levels;
        digit[i] = (uint16_t)(most ? rest : rest % shape->half);
        rest /= shape->half;
      }
      digit[shape->levels - 1] = (uint16_t)level;
      ripstop_builder_switch(builder, ripstop_tree_ports(shape, at++), digit);
    }
  }
}

/* Every up port of one level to the level above: the upper switch differs in digit `level` alone. */
static void wire_level(ripstop_builder *builder, const ripstop_tree_shape *shape, uint32_t level,
                       uint32_t first_lower) {
  uint32_t count = switches_at(shape, level), weight = (uint32_t)ripstop_power(shape->half, level);
  uint32_t first_upper = first_lower + count;
  bool most = level + 2 == shape->levels; /* then digit `level` is the most significant and below `top` */
  for (uint32_t number = 0; number < count; number++) {
    uint32_t own = most ? number / weight : number / weight % shape->half;
    for (uint32_t up = 0; up < shape->half; up++) {
      uint32_t upper = number - own * weight + up * weight;
      ripstop_builder_cable(builder, first_lower + number, up + shape->half, first_upper + upper, own);
      if (shape->one_way) ripstop_builder_one_way(builder);
    }
  }
}

void ripstop_tree_wire(ripstop_builder *builder, const ripstop_tree_shape *shape, uint32_t first) {
  for (uint32_t level = 0; level + 1 < shape->levels; first += switches_at(shape, level++))
    wire_level(builder, shape, level, first);
}

void ripstop_tree_build(ripstop_builder *builder, const ripstop_tree_shape *shape) {
  ripstop_counts counts;
  ripstop_tree_count(shape, &counts);
  uint32_t ends = (uint32_t)counts.ends;
  ripstop_arena *arena = ripstop_builder_arena(builder);
  ripstop_tree_switch *at = RIPSTOP_ARRAY(arena, counts.switches, ripstop_tree_switch);
  ripstop_tree *tree = RIPSTOP_NEW(arena, ripstop_tree);
  *tree = (ripstop_tree){.half = shape->half, .levels = shape->levels, .top_ports = shape->top, .ends = ends, .at = at};
  ripstop_builder_detail(builder, tree);

  ripstop_builder_coords(builder, shape->levels);
  ripstop_tree_switches(shape, at);
  add_ends(builder, shape, ends);
  add_switches(builder, shape, at);

  uint32_t below = shape->levels == 1 ? shape->top : shape->half; /* end nodes per switch of level 0 */
  for (uint32_t end = 0; end < ends; end++) ripstop_builder_cable(builder, end, 0, ends + end / below, end % below);
  ripstop_tree_wire(builder, shape, ends);
}

bool ripstop_tree_from(const ripstop_fabric *fabric, ripstop_tree *out) {
  if (fabric->family->node_name != ripstop_tree_node_name) return false; /* families with these names are wired alike */
  *out = *(const ripstop_tree *)fabric->detail;
  out->digit = fabric->coord;
  return true;
}

void ripstop_tree_node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  const uint16_t *digit = ripstop_coords(fabric, node);
  if (ripstop_is_end(fabric, node)) {
    ripstop_digits_print(out, 0, digit, fabric->coords, RIPSTOP_NONE);
    return;
  }
  size_t length = ripstop_name_number(out, 0, "", digit[fabric->coords - 1]);
  out[length++] = '/';
  ripstop_digits_print(out, length, digit, fabric->coords - 1, RIPSTOP_NONE);
}

/* Reads a number below `limit` and the character behind it; false: there is none. */
static bool take_number(const char **text, const char *end, char behind, uint32_t limit, uint32_t *out) {
  uint32_t value = 0;
  const char *from = *text, *at = from;
  for (; at < end && *at >= '0' && *at <= '9' && value < limit; at++) value = 10 * value + (uint32_t)(*at - '0');
  if (at == from || value >= limit || (*from == '0' && at > from + 1)) return false;
  if (behind ? at == end || *at != behind : at != end) return false;
  *text = at + (behind != 0);
  *out = value;
  return true;
}

/* The switch of a level with the digits that the text goes on with, up to a '/'; RIPSTOP_NONE: there is none. */
static uint32_t take_switch(const ripstop_tree *t, uint32_t level, const char **text, const char *end) {
  uint32_t node = t->ends, number = 0, digits = t->levels - 1;
  while (ripstop_tree_level(t, node) < level) node++;
  for (uint32_t i = digits; i-- > 0;) {
    bool most = i + 1 == digits && level + 1 < t->levels;
    uint32_t digit;
    if (!take_number(text, end, i > 0 ? '.' : '/', most ? t->top_ports : t->half, &digit)) return RIPSTOP_NONE;
    number = number * t->half + digit;
  }
  return node + number;
}

uint32_t ripstop_tree_alias(const ripstop_fabric *fabric, ripstop_part_kind what, const char *text, size_t length) {
  const char *end = text + length;
  uint32_t level, node, port;
  ripstop_tree t;
  if (what != RIPSTOP_PART_LINK || !ripstop_tree_from(fabric, &t) || t.levels < 2) return RIPSTOP_NONE;
  if (!take_number(&text, end, '/', t.levels, &level) || level == 0) return RIPSTOP_NONE;
  node = take_switch(&t, level, &text, end);
  if (node == RIPSTOP_NONE) return RIPSTOP_NONE;
  uint32_t downs = ripstop_node_ports(fabric, node) - ripstop_tree_ups(&t, node);
  if (!take_number(&text, end, '\0', downs, &port)) return RIPSTOP_NONE;
  return fabric->port_link[fabric->port_base[node] + port];
}

bool ripstop_tree_other_name(const ripstop_fabric *fabric, ripstop_part_kind what, uint32_t part, unsigned number,
                             char *out) {
  (void)fabric, (void)what, (void)part, (void)number, (void)out;
  return false;
}

/* The link of switch <l, c> to <l+1, c'> is its level, the digits c, and c'_l. Digit i of c names end nodes at the
 * levels up to i and distinguishes copies of one switch above: two alphabets. c'_l distinguishes copies on level l+1,
 * so it is of the second kind. What a link joins follows from equality of symbols within one alphabet alone, so each
 * alphabet may be permuted by itself. In this order tuples ascend with the links' numbers. */
uint32_t ripstop_tree_symbols(const ripstop_fabric *fabric, uint32_t link, ripstop_symbol *out) {
  uint32_t port = fabric->link_port[2 * (size_t)link], node = fabric->port_node[port], digits = fabric->coords - 1;
  const uint16_t *digit = ripstop_coords(fabric, node);
  uint32_t level = digit[digits], count = 0, name = RIPSTOP_FIXED_ALPHABET + 1, copy = name + digits;
  out[count++] = (ripstop_symbol){.alphabet = RIPSTOP_FIXED_ALPHABET, .value = level};
  for (uint32_t i = digits; i-- > 0;)
    out[count++] = (ripstop_symbol){.alphabet = (i >= level ? name : copy) + i, .value = digit[i]};
  uint32_t up = port - fabric->port_base[node] - ((const ripstop_tree *)fabric->detail)->half;
  out[count++] = (ripstop_symbol){.alphabet = copy + level, .value = up};
  return count;
}

void ripstop_tree_link_name(const ripstop_fabric *fabric, uint32_t link, char *out) {
  uint32_t port = fabric->link_port[2 * link], node = fabric->port_node[port];
  ripstop_tree_node_name(fabric, node, out);
  size_t length = 0;
  while (out[length] != '\0') length++;
  ripstop_name_number(out, length, "/", port - fabric->port_base[node]);
}

/* A link is named by its lower switch, whose last coordinate is the level. */
uint32_t ripstop_tree_group(const ripstop_fabric *fabric, uint32_t link, uint32_t *number) {
  *number = ripstop_link_coord(fabric, link, 0, fabric->coords - 1);
  return 0;
}
