/* torus.c - the k-ary n-cube with sizes of its own in every dimension (Dally and Towles, chapter 5), one end node a
 * router.
 *
 * In "torus:AxB" dimension 0 is the last factor, and names show dimension 0 last. Router port 2*d leads to the next
 * higher coordinate of dimension d, 2*d+1 to the next lower, the last port to the end node. A link belongs to the
 * router from which it leads to the next higher coordinate; in a dimension of size 2 that gives two parallel links,
 * which stay apart. */
#include "fabric/count.h"
#include "fabric/digits.h"
#include "fabric/sizes.h"
#include "ripstop/plugin/family.h"

typedef struct config {
  const char *size;
} config;

static const ripstop_option options[] = {
    {.name = "size",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, size),
     .positional = true,
     .help = "routers in each dimension, joined by 'x', each at least 2; dimension 0 is the last, e.g. 8x8"},
    {0},
};

typedef struct shape {
  uint32_t dimensions;
  uint32_t size[RIPSTOP_SIZES_MAX]; /* of dimension d */
} shape;

/* "4x3" to size[1] = 4, size[0] = 3. */
static int parse_shape(const char *text, shape *out, ripstop_error *err) {
  ripstop_sizes read;
  if (ripstop_sizes_parse("torus", text, 'x', 2, &read, err)) return -1;
  out->dimensions = read.count;
  for (uint32_t d = 0; d < out->dimensions; d++) out->size[d] = read.size[out->dimensions - 1 - d];
  return 0;
}

static uint64_t routers_of(const shape *s) {
  uint64_t routers = 1;
  for (uint32_t d = 0; d < s->dimensions; d++) routers = ripstop_times(routers, s->size[d]);
  return routers;
}

static int count(const void *c, ripstop_counts *out, ripstop_error *err) {
  shape s;
  if (parse_shape(((const config *)c)->size, &s, err) != 0) return -1;
  uint64_t routers = routers_of(&s);
  *out = (ripstop_counts){.ends = routers, .switches = routers, .links = ripstop_times(routers, s.dimensions + 1)};
  return 0;
}

static void split(const shape *s, uint32_t number, uint16_t *digit) {
  for (uint32_t d = 0; d < s->dimensions; number /= s->size[d++]) digit[d] = (uint16_t)(number % s->size[d]);
}

/* Equal tori have equal specs: "08x8" is "8x8". */
static void set_spec(ripstop_builder *builder, const shape *s) {
  ripstop_text text = {0};
  ripstop_text_add(&text, "torus:");
  for (uint32_t d = s->dimensions; d-- > 0;) ripstop_text_add(&text, d > 0 ? "%ux" : "%u", s->size[d]);
  ripstop_builder_spec(builder, text.data);
  ripstop_text_free(&text);
}

static int build(ripstop_builder *builder, const void *c, ripstop_error *err) {
  shape s;
  if (parse_shape(((const config *)c)->size, &s, err) != 0) return -1;
  uint32_t routers = (uint32_t)routers_of(&s);
  uint16_t digit[RIPSTOP_SIZES_MAX];
  set_spec(builder, &s);
  ripstop_builder_coords(builder, s.dimensions);
  for (uint32_t i = 0; i < routers; i++) {
    split(&s, i, digit);
    ripstop_builder_end(builder, digit);
  }
  for (uint32_t i = 0; i < routers; i++) {
    split(&s, i, digit);
    ripstop_builder_switch(builder, 2 * s.dimensions + 1, digit);
  }
  for (uint32_t i = 0; i < routers; i++) {
    ripstop_builder_cable(builder, i, 0, routers + i, 2 * s.dimensions);
    split(&s, i, digit);
    for (uint32_t d = 0, stride = 1; d < s.dimensions; stride *= s.size[d++]) {
      uint32_t next = digit[d] + 1u < s.size[d] ? i + stride : i - digit[d] * stride;
      ripstop_builder_cable(builder, routers + i, 2 * d, routers + next, 2 * d + 1);
    }
  }
  return 0;
}

static void node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  ripstop_digits_print(out, 0, ripstop_coords(fabric, node), fabric->coords, RIPSTOP_NONE);
}

static void link_name(const ripstop_fabric *fabric, uint32_t link, char *out) {
  uint32_t port = fabric->link_port[2 * link], node = fabric->port_node[port];
  size_t length = ripstop_digits_print(out, 0, ripstop_coords(fabric, node), fabric->coords, RIPSTOP_NONE);
  ripstop_name_number(out, length, "/", (port - fabric->port_base[node]) / 2);
}

const ripstop_family ripstop_family_torus = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "torus",
    .summary = "torus of any dimensions, one end node a router",
    .source = "Dally and Towles 2004, chapter 5 (k-ary n-cube, mixed sizes)",
    .options = options,
    .config_size = sizeof(config),
    .example = "torus:4x2x3",
    .symmetric = true,
    .count = count,
    .build = build,
    .node_name = node_name,
    .link_name = link_name,
};
