/* slimfly.c - the slim fly (Besta and Hoefler 2014): the graphs of McKay, Miller and Siran (1998), of diameter 2 and
 * nearly as large as one of their degree can be, in the form of Hafner (2004).
 *
 * q is the power of a prime, 4w + d with d of -1, 0, 1. Routers are (0, x, y) and (1, m, c) over GF(q);
 *   (0, x, y) and (0, x, y') are joined when y - y' is in X,  (1, m, c) and (1, m, c') when c - c' is in X',
 *   (0, x, y) and (1, m, c) when y = m x + c.
 * X and X' are powers of a primitive element, with the exponents for which `joins` is true. A router has (3q - d)/2
 * cables. */
#include "base/local.h"
#include "fabric/count.h"
#include "fabric/digits.h"
#include "fabric/field.h"
#include "fabric/wiring.h"

typedef struct config {
  int64_t q, p;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, q, 3, RIPSTOP_FIELD_MAX, NULL,
                    "the power of a prime, not 2 more than a multiple of 4; 2 q^2 routers", .positional = true),
    RIPSTOP_ENDS_EACH(config, "router", "1"),
    {0},
};

/* All prime powers above 2 are 4w - 1, 4w or 4w + 1. */
static int delta(uint32_t q) { return q % 4 == 3 ? -1 : (int)(q % 4); }

static int count(const void *config_, ripstop_counts *out, ripstop_error *err) {
  const config *c = config_;
  if (ripstop_field_check("slimfly", c->q, err)) return -1;
  uint64_t q = (uint64_t)c->q, routers = 2 * q * q, degree = (uint64_t)(3 * c->q - delta((uint32_t)q)) / 2;
  *out = (ripstop_counts){.ends = ripstop_times(routers, (uint64_t)c->p), .switches = routers};
  out->links = ripstop_plus(out->ends, routers * degree / 2);
  return 0;
}

/* True if a difference, as an exponent of the primitive element, is in X (side 0) or X' (side 1). These are the even
 * and the odd exponents; with d = -1 they change places at 2w - 1 and 2w, so that both have the negative of each
 * element. In X' the exponent of 1 is q - 1. */
static bool joins(uint32_t q, unsigned side, uint32_t exponent) {
  if (side && !exponent) exponent = q - 1;
  bool turned = delta(q) == -1 && exponent >= (q + 1) / 2 - 1 + side;
  return (exponent % 2 != side) == turned;
}

/* The routers of one (side, x), joined by the differences of their last coordinates. */
static void wire_column(ripstop_wiring *w, const ripstop_field *f, unsigned side, uint32_t first) {
  for (uint32_t y = 0; y < f->q; y++)
    for (uint32_t z = y + 1; z < f->q; z++)
      if (joins(f->q, side, f->exponent[ripstop_field_subtract(f, z, y)]))
        ripstop_wiring_cable(w, first + y, first + z);
}

static int build(ripstop_builder *builder, const void *config_, ripstop_error *err) {
  const config *c = config_;
  if (ripstop_field_check("slimfly", c->q, err)) return -1;
  uint32_t q = (uint32_t)c->q;
  ripstop_wiring w = {.coords = 3};
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_field f;
  ripstop_field_make(scratch, q, &f);
  for (uint32_t i = 0; i < 2 * q * q; i++)
    ripstop_wiring_switch(&w, (uint32_t)c->p,
                          (const uint16_t[]){(uint16_t)(i % q), (uint16_t)(i / q % q), (uint16_t)(i / q / q)});
  for (uint32_t column = 0; column < 2 * q; column++) wire_column(&w, &f, column >= q, column * q);
  for (uint32_t x = 0; x < q; x++)
    for (uint32_t y = 0; y < q; y++)
      for (uint32_t m = 0; m < q; m++) {
        uint32_t last = ripstop_field_subtract(&f, y, ripstop_field_times(&f, m, x));
        ripstop_wiring_cable(&w, x * q + y, (q + m) * q + last);
      }
  ripstop_wiring_build(&w, builder);
  return 0;
}

enum { SIDE = 2 }; /* the coordinate that separates routers (0, x, y) from (1, m, c) */

static const ripstop_link_group groups[] = {{"local", false, "links between routers of one side and column"},
                                            {"global", false, "links between the two sides"},
                                            {0}};

static uint32_t group_of(const ripstop_fabric *fabric, uint32_t link, uint32_t *number) {
  (void)number;
  return ripstop_link_coord(fabric, link, 0, SIDE) != ripstop_link_coord(fabric, link, 1, SIDE);
}

const ripstop_family ripstop_family_slimfly = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "slimfly",
    .summary = "slim fly: MMS graphs, two cables between any two routers at most",
    .source = "Besta and Hoefler 2014, section II-B; Hafner 2004 (McKay-Miller-Siran graphs)",
    .options = options,
    .config_size = sizeof(config),
    .example = "slimfly:q=3,p=1",
    .count = count,
    .build = build,
    .node_name = ripstop_wired_node_name,
    .link_name = ripstop_wired_link_name,
    .groups = groups,
    .group_of = group_of,
};
