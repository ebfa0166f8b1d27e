/* polarfly.c - PolarFly (Lakhotia et al. 2022): the graph of Erdos and Renyi (1962) over GF(q), of diameter 2. Routers
 * are the points of the projective plane, as triples whose first element other than 0 is 1, and two are joined when
 * their dot product is 0. The q + 1 points with a dot product of 0 with themselves, quadrics, have q cables, all others
 * q + 1. Points come as 1.a.b, then 0.1.a, then 0.0.1. */
#include "base/local.h"
#include "fabric/count.h"
#include "fabric/field.h"
#include "fabric/wiring.h"

typedef struct config {
  int64_t q, p;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, q, 2, RIPSTOP_FIELD_MAX, NULL, "the power of a prime; q^2 + q + 1 routers",
                    .positional = true),
    RIPSTOP_ENDS_EACH(config, "router", "1"),
    {0},
};

static int count(const void *config_, ripstop_counts *out, ripstop_error *err) {
  const config *c = config_;
  if (ripstop_field_check("polarfly", c->q, err)) return -1;
  uint64_t q = (uint64_t)c->q, routers = q * q + q + 1;
  *out = (ripstop_counts){.ends = ripstop_times(routers, (uint64_t)c->p), .switches = routers};
  out->links = ripstop_plus(out->ends, q * (q + 1) * (q + 1) / 2);
  return 0;
}

/* Coordinates of a point; the first of the triple is [2]. */
static void point(uint32_t q, uint32_t number, uint16_t out[3]) {
  bool plane = number < q * q, line = !plane && number < q * q + q;
  out[2] = plane;
  out[1] = (uint16_t)(plane ? number / q : line);
  out[0] = (uint16_t)(plane ? number % q : line ? number - q * q : 1);
}

static void wire_to(ripstop_wiring *w, uint32_t from, uint32_t to) {
  if (to > from) ripstop_wiring_cable(w, from, to);
}

/* A point's product with another is that with the other's first two coordinates and z times its third: so there is one
 * third coordinate for each pair of first ones, or all or none where z is 0. Pairs are 1.0 .. 1.(q-1), and 0.1. */
static void wire_point(ripstop_wiring *w, const ripstop_field *f, uint32_t from) {
  uint16_t at[3];
  point(f->q, from, at);
  for (uint32_t pair = 0; pair <= f->q; pair++) {
    uint32_t sum = pair < f->q ? ripstop_field_add(f, at[2], ripstop_field_times(f, at[1], pair)) : at[1];
    if (at[0])
      wire_to(w, from, pair * f->q + ripstop_field_over(f, ripstop_field_subtract(f, 0, sum), at[0]));
    else
      for (uint32_t third = 0; third < f->q && !sum; third++) wire_to(w, from, pair * f->q + third);
  }
  if (!at[0]) wire_to(w, from, f->q * f->q + f->q);
}

static int build(ripstop_builder *builder, const void *config_, ripstop_error *err) {
  const config *c = config_;
  if (ripstop_field_check("polarfly", c->q, err)) return -1;
  uint32_t q = (uint32_t)c->q, routers = q * q + q + 1;
  ripstop_wiring w = {.coords = 3};
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_field f;
  ripstop_field_make(scratch, q, &f);
  for (uint32_t i = 0; i < routers; i++) {
    uint16_t coord[3];
    point(q, i, coord);
    ripstop_wiring_switch(&w, (uint32_t)c->p, coord);
  }
  for (uint32_t i = 0; i < routers; i++) wire_point(&w, &f, i);
  ripstop_wiring_build(&w, builder);
  return 0;
}

const ripstop_family ripstop_family_polarfly = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "polarfly",
    .summary = "PolarFly: points of a projective plane, joined when they are orthogonal",
    .source = "Lakhotia et al. 2022, section IV (Erdos-Renyi polarity graphs)",
    .options = options,
    .config_size = sizeof(config),
    .example = "polarfly:q=2,p=1",
    .count = count,
    .build = build,
    .node_name = ripstop_wired_node_name,
    .link_name = ripstop_wired_link_name,
};
