/* torus.c - the k-ary n-cube with sizes of its own in every dimension (Dally and Towles, chapter 5), with p end
 * nodes a router.
 *
 * In "torus:AxB" dimension 0 is the last factor, and names show dimension 0 last. Router port 2*d leads to the next
 * higher coordinate of dimension d, 2*d+1 to the next lower, the last ports to the end nodes. A link belongs to the
 * router from which it leads to the next higher coordinate; in a dimension of size 2 that gives two parallel links,
 * which are separate links. */
#include "base/local.h"
#include "fabric/count.h"
#include "fabric/digits.h"
#include "fabric/sizes.h"
#include "fabric/wiring.h"

typedef struct config {
  const char *size;
  int64_t p;
} config;

static const ripstop_option options[] = {
    RIPSTOP_TEXT(config, size, NULL,
                 "routers in each dimension, joined by 'x', each at least 2; dimension 0 is the last, e.g. 8x8",
                 .positional = true),
    RIPSTOP_ENDS_EACH(config, "router", "1"),
    {0},
};

typedef struct shape {
  uint32_t dimensions;
  uint32_t size[RIPSTOP_SIZES_MAX]; /* [dimension] */
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

static int count(const void *config_, ripstop_counts *out, ripstop_error *err) {
  const config *c = config_;
  shape s;
  if (parse_shape(c->size, &s, err) != 0) return -1;
  uint64_t routers = routers_of(&s);
  *out = (ripstop_counts){.ends = ripstop_times(routers, (uint64_t)c->p), .switches = routers};
  out->links = ripstop_plus(out->ends, ripstop_times(routers, s.dimensions));
  return 0;
}

static void split(const shape *s, uint32_t number, uint16_t *digit) {
  for (uint32_t d = 0; d < s->dimensions; number /= s->size[d++]) digit[d] = (uint16_t)(number % s->size[d]);
}

/* Equal tori have equal specs: "08x8" is "8x8", and one end node a router is the default. */
static void set_spec(ripstop_builder *builder, const shape *s, uint32_t p) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "torus:");
  for (uint32_t d = s->dimensions; d-- > 0;) ripstop_text_add(&text, d > 0 ? "%ux" : "%u", s->size[d]);
  if (p > 1) ripstop_text_add(&text, ",p=%u", p);
  ripstop_builder_spec(builder, text.data);
}

static int build(ripstop_builder *builder, const void *config_, ripstop_error *err) {
  const config *c = config_;
  shape s;
  if (parse_shape(c->size, &s, err) != 0) return -1;
  uint32_t routers = (uint32_t)routers_of(&s), p = (uint32_t)c->p, ends = routers * p;
  uint16_t digit[RIPSTOP_SIZES_MAX];
  set_spec(builder, &s, p);
  ripstop_builder_coords(builder, s.dimensions);
  for (uint32_t i = 0; i < ends; i++) {
    split(&s, i / p, digit);
    ripstop_builder_end(builder, digit);
  }
  for (uint32_t i = 0; i < routers; i++) {
    split(&s, i, digit);
    ripstop_builder_switch(builder, 2 * s.dimensions + p, digit);
  }
  for (uint32_t i = 0; i < routers; i++) {
    for (uint32_t k = 0; k < p; k++) ripstop_builder_cable(builder, i * p + k, 0, ends + i, 2 * s.dimensions + k);
    split(&s, i, digit);
    for (uint32_t d = 0, stride = 1; d < s.dimensions; stride *= s.size[d++]) {
      uint32_t next = digit[d] + 1u < s.size[d] ? i + stride : i - digit[d] * stride;
      ripstop_builder_cable(builder, ends + i, 2 * d, ends + next, 2 * d + 1);
    }
  }
  return 0;
}

static void node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  size_t length = ripstop_digits_print(out, 0, ripstop_coords(fabric, node), fabric->coords, RIPSTOP_NONE);
  uint32_t p = fabric->ends / ripstop_fabric_switches(fabric);
  if (ripstop_is_end(fabric, node) && p > 1) ripstop_name_number(out, length, ":", node % p);
}

static void link_name(const ripstop_fabric *fabric, uint32_t link, char *out) {
  uint32_t port = fabric->link_port[2 * link], node = fabric->port_node[port];
  size_t length = ripstop_digits_print(out, 0, ripstop_coords(fabric, node), fabric->coords, RIPSTOP_NONE);
  ripstop_name_number(out, length, "/", (port - fabric->port_base[node]) / 2);
}

static const ripstop_link_group groups[] = {{"dim", true, "links of dimension N"}, {0}};

static uint32_t group_of(const ripstop_fabric *fabric, uint32_t link, uint32_t *number) {
  const uint32_t port = fabric->link_port[2 * (size_t)link];
  *number = (port - fabric->port_base[fabric->port_node[port]]) / 2;
  return 0;
}

const ripstop_family ripstop_family_torus = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "torus",
    .summary = "torus of any dimensions",
    .source = "Dally and Towles 2004, chapter 5 (k-ary n-cube, mixed sizes)",
    .options = options,
    .config_size = sizeof(config),
    .example = "torus:4x2x3",
    .symmetric = true,
    .count = count,
    .build = build,
    .node_name = node_name,
    .link_name = link_name,
    .groups = groups,
    .group_of = group_of,
};
