/* transpose.c - exchanges the two halves of the source's bits, d_i = s_(i+b/2 mod b) (Dally and Towles, Table 3.1):
 * with the end nodes in a square of 2^(b/2) rows, row and column. The diagonal is silent. */
#include "ripstop/plugin/pattern.h"
#include "simulate/traffic/map.h"

static uint32_t swap_halves(uint32_t source, uint32_t bits) {
  uint32_t half = bits / 2, mask = (UINT32_C(1) << half) - 1;
  return (source & mask) << half | source >> half;
}

static int prepare(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                   const void **table, ripstop_error *err) {
  (void)config, (void)seed;
  int bits = ripstop_map_bits(fabric, "transpose", err);
  if (bits < 0) return -1;
  if (bits % 2 != 0)
    return ripstop_fail(err, "pattern transpose needs 2^b end nodes with an even b, %s has 2^%d", fabric->spec, bits);
  return ripstop_map_of_bits(arena, fabric, "transpose", swap_halves, table, err);
}

static const ripstop_option options[] = {{0}};

const ripstop_pattern ripstop_pattern_transpose = {
    .abi = RIPSTOP_PATTERN_ABI,
    .name = "transpose",
    .summary = "the two halves of the bits of the source's number change places",
    .options = options,
    .prepare = prepare,
    .destination = ripstop_map_destination,
};
