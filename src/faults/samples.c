/* samples.c - random sets of the parts that may fail, and all sets of a size. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/divisor.h"
#include "base/memory.h"
#include "ripstop/plugin/faults.h"

int ripstop_faults_from_parts(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_fault_scope *scope,
                              const uint32_t *part, uint32_t count, ripstop_faults *out) {
  RIPSTOP_GUARD(NULL, -1);
  uint32_t *id = RIPSTOP_ARRAY(arena, count, uint32_t);
  for (uint32_t i = 0; i < count; i++) id[i] = ripstop_scope_id(fabric, scope, part[i]);
  if (ripstop_scope_is_switches(scope))
    *out = (ripstop_faults){.switches = count, .switch_ = id};
  else
    *out = (ripstop_faults){.links = count, .link = id};
  return 0;
}

/* Floyd's algorithm: one random number per part, every set equally likely. Cost: population / 8 bytes, which are read
 * once. */
int ripstop_faults_sample(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_fault_scope *scope,
                          uint32_t count, uint64_t seed, uint64_t index, ripstop_faults *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  uint32_t population = ripstop_faults_population(fabric, scope);
  if (count > population)
    return ripstop_fail(err, "%u faults requested, but %s has only %u parts of the kind '%s'", count, fabric->spec,
                        population, ripstop_scope_name(scope));
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_FAULTS, index);
  uint32_t *part = RIPSTOP_ARRAY(arena, count, uint32_t);
  size_t words = ripstop_bits_words(population), next = 0;
  uint64_t *chosen = ripstop_realloc(NULL, words + 1, sizeof *chosen);
  memset(chosen, 0, words * sizeof *chosen);
  for (uint32_t last = population - count; last < population; last++) {
    uint32_t drawn = ripstop_stream_below(&stream, last + 1);
    ripstop_bit_set(chosen, ripstop_bit_test(chosen, drawn) ? last : drawn);
  }
  for (uint32_t i = 0; i < count; i++, next++) part[i] = (uint32_t)(next = ripstop_bits_next(chosen, words, next));
  ripstop_free(chosen);
  ripstop_faults_from_parts(arena, fabric, scope, part, count, out);
  return 0;
}

/* ------------------------------------------------------------------ all sets of a size */

uint64_t ripstop_combinations_total(uint32_t population, uint32_t count) {
  if (count > population) return 0;
  if (count > population - count) count = population - count;
  uint64_t total = 1;
  for (uint32_t i = 1; i <= count; i++) { /* total becomes "population - count + i choose i" */
    uint64_t factor = population - count + i, divisor = i, common = ripstop_common_divisor(total, divisor);
    total /= common;
    factor /= divisor / common;
    if (total > (UINT64_MAX - 1) / factor) return UINT64_MAX;
    total *= factor;
  }
  return total;
}

int ripstop_combinations_first(ripstop_arena *arena, uint32_t population, uint32_t count, ripstop_combinations *out) {
  RIPSTOP_GUARD(NULL, -1);
  *out =
      (ripstop_combinations){.population = population, .count = count, .part = RIPSTOP_ARRAY(arena, count, uint32_t)};
  for (uint32_t i = 0; i < count; i++) out->part[i] = i;
  return 0;
}

bool ripstop_combinations_next(ripstop_combinations *c) {
  for (uint32_t i = c->count; i-- > 0;) {
    if (c->part[i] == c->population - c->count + i) continue;
    c->part[i]++;
    for (uint32_t j = i + 1; j < c->count; j++) c->part[j] = c->part[j - 1] + 1;
    return true;
  }
  return false;
}

void ripstop_combinations_seek(ripstop_combinations *c, uint64_t rank) {
  uint32_t part = 0;
  for (uint32_t i = 0; i < c->count; i++, part++) {
    for (;; part++) { /* this many sets continue with `part` */
      uint64_t sets = ripstop_combinations_total(c->population - 1 - part, c->count - 1 - i);
      if (rank < sets || part == c->population - c->count + i) break;
      rank -= sets;
    }
    c->part[i] = part;
  }
}
