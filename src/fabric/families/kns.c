/* kns.c - the k-ary n-direct 1-indirect topology: n digits below k name a router; the k routers that differ in digit d
 * alone are joined by one switch, the line switch of dimension d.
 *
 * Routers come first among the switches, then the line switches dimension by dimension, each by its digits without
 * digit d read as a number. Router port d leads to the line switch of dimension d, ports n .. n+c-1 to the end nodes;
 * port x of a line switch leads to the router whose digit d is x. End node r*c + i is the i-th of router r.
 *
 * Coordinates are the n digits and one more: an end node's i; for a router n; for a line switch its dimension d, whose
 * digit is 0 there and shown as '*'. */
#include <string.h>

#include "fabric/count.h"
#include "fabric/digits.h"

typedef struct config {
  int64_t k, n, c;
} config;

static const rs_option options[] = {
    {.name = "k",
     .type = RS_OPTION_INTEGER,
     .offset = offsetof(config, k),
     .min = 2,
     .max = UINT16_MAX,
     .help = "routers on a line, which is also the ports of a line switch"},
    {.name = "n",
     .type = RS_OPTION_INTEGER,
     .offset = offsetof(config, n),
     .min = 1,
     .max = RS_DIGITS_MAX - 1,
     .help = "dimensions"},
    {.name = "c",
     .type = RS_OPTION_INTEGER,
     .offset = offsetof(config, c),
     .min = 1,
     .max = UINT16_MAX - RS_DIGITS_MAX,
     .fallback = "1",
     .help = "concentration: end nodes per router"},
    {0},
};

typedef struct shape {
  uint32_t k, n, c, routers, ends;
} shape;

static int count(const void *config_, rs_counts *out, rs_error *err) {
  (void)err;
  const config *c = config_;
  uint64_t k = (uint64_t)c->k, n = (uint64_t)c->n, routers = rs_power(k, n);
  out->ends = rs_times(routers, (uint64_t)c->c);
  out->switches = rs_plus(routers, rs_times(n, rs_power(k, n - 1)));
  out->links = rs_plus(out->ends, rs_times(n, routers));
  return 0;
}

static void add_ends(rs_builder *builder, const shape *s, uint16_t *coord) {
  for (uint32_t end = 0; end < s->ends; end++) {
    rs_digits_split(end / s->c, s->k, s->n, coord);
    coord[s->n] = (uint16_t)(end % s->c);
    rs_builder_end(builder, coord);
  }
}

static void add_routers(rs_builder *builder, const shape *s, uint16_t *coord) {
  for (uint32_t router = 0; router < s->routers; router++) {
    rs_digits_split(router, s->k, s->n, coord);
    coord[s->n] = (uint16_t)s->n;
    rs_builder_switch(builder, s->n + s->c, coord);
  }
}

/* `stride` is k^d: a line's number splits into the digits above d and those below. */
static void add_lines(rs_builder *builder, const shape *s, uint32_t d, uint32_t stride, uint16_t *coord) {
  for (uint32_t line = 0; line < s->routers / s->k; line++) {
    rs_digits_split(line / stride * stride * s->k + line % stride, s->k, s->n, coord);
    coord[s->n] = (uint16_t)d;
    rs_builder_switch(builder, s->k, coord);
  }
}

static void wire_router(rs_builder *builder, const shape *s, uint32_t router) {
  uint32_t node = s->ends + router, lines = s->ends + s->routers; /* first line switch of dimension 0 */
  for (uint32_t i = 0; i < s->c; i++) rs_builder_cable(builder, router * s->c + i, 0, node, s->n + i);
  for (uint32_t d = 0, stride = 1; d < s->n; d++, stride *= s->k, lines += s->routers / s->k) {
    uint32_t line = router / stride / s->k * stride + router % stride;
    rs_builder_cable(builder, node, d, lines + line, router / stride % s->k);
  }
}

static int build(rs_builder *builder, const void *config_, rs_error *err) {
  rs_counts counts;
  if (count(config_, &counts, err) != 0) return -1;
  const config *c = config_;
  shape s = {.k = (uint32_t)c->k, .n = (uint32_t)c->n, .c = (uint32_t)c->c, .ends = (uint32_t)counts.ends};
  s.routers = (uint32_t)rs_power(s.k, s.n);
  uint16_t coord[RS_DIGITS_MAX];
  rs_builder_coords(builder, s.n + 1);
  add_ends(builder, &s, coord);
  add_routers(builder, &s, coord);
  for (uint32_t d = 0, stride = 1; d < s.n; d++, stride *= s.k) add_lines(builder, &s, d, stride, coord);
  for (uint32_t router = 0; router < s.routers; router++) wire_router(builder, &s, router);
  return 0;
}

static void node_name(const rs_fabric *fabric, uint32_t node, char *out) {
  const uint16_t *coord = rs_coords(fabric, node);
  uint32_t n = fabric->coords - 1;
  bool line = !rs_is_end(fabric, node) && coord[n] < n;
  size_t length = rs_digits_print(out, 0, coord, n, line ? coord[n] : RS_NONE);
  if (rs_is_end(fabric, node) && ((const config *)fabric->config)->c > 1) rs_name_number(out, length, ":", coord[n]);
}

static void link_name(const rs_fabric *fabric, uint32_t link, char *out) {
  uint32_t port = fabric->link_port[2 * link], node = fabric->port_node[port];
  node_name(fabric, node, out);
  rs_name_number(out, strlen(out), "/", port - fabric->port_base[node]);
}

/* Dimension and router. A line switch joins the routers that are equal in all digits but one, so each dimension's
 * digits may be permuted by themselves. */
static uint32_t symbols(const rs_fabric *fabric, uint32_t link, rs_symbol *out) {
  uint32_t port = fabric->link_port[2 * (size_t)link], node = fabric->port_node[port], n = fabric->coords - 1,
           count = 0;
  out[count++] = (rs_symbol){.alphabet = RS_FIXED_ALPHABET, .value = port - fabric->port_base[node]};
  for (uint32_t d = n; d-- > 0;)
    out[count++] = (rs_symbol){.alphabet = RS_FIXED_ALPHABET + 1 + d, .value = rs_coords(fabric, node)[d]};
  return count;
}

const rs_family rs_family_kns = {
    .abi = RS_FAMILY_ABI,
    .name = "kns",
    .summary = "k-ary n-direct 1-indirect: routers with one port a dimension, one switch per dimension line",
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
