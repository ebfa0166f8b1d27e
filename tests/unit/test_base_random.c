/* test_base_random.c - random streams: known answers, independence of every input, fairness. */
#include "base/random.h"
#include "check.h"

#include <string.h>

#include <Random123/philox.h>

/* The vectors of Random123's kat_vectors. */
static void philox_gives_the_known_answers(void **state) {
  (void)state;
  static const struct {
    uint32_t counter[4], key[2], answer[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    philox4x32_ctr_t counter;
    philox4x32_key_t key;
    memcpy(counter.v, known[i].counter, sizeof known[i].counter);
    memcpy(key.v, known[i].key, sizeof known[i].key);
    philox4x32_ctr_t answer = philox4x32(counter, key);
    assert_memory_equal(answer.v, known[i].answer, sizeof known[i].answer);
  }
}

/* The same vectors through our mapping: the seed that makes the key, index and position that make the counter. */
static void blocks_are_philox_of_the_documented_words(void **state) {
  (void)state;
  const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
  static const uint32_t zeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  static const uint32_t digits_of_pi[] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  uint32_t out[4];
  ripstop_random_block(golden, RIPSTOP_RANDOM_FAULTS, 0, 0, out); /* purpose 1 */
  assert_memory_equal(out, zeros, sizeof zeros);
  ripstop_random_block(UINT64_C(0x299f31d0a4093822) ^ RIPSTOP_RANDOM_TEST * golden, RIPSTOP_RANDOM_TEST,
                       UINT64_C(0x0370734413198a2e), UINT64_C(0x85a308d3243f6a88), out);
  assert_memory_equal(out, digits_of_pi, sizeof digits_of_pi);
}

static void every_bit_of_every_input_matters(void **state) {
  (void)state;
  uint32_t base[4], other[4];
  ripstop_random_block(1, RIPSTOP_RANDOM_TEST, 2, 3, base);
  for (unsigned bit = 0; bit < 64; bit++) {
    uint64_t flip = UINT64_C(1) << bit;
    ripstop_random_block(1 ^ flip, RIPSTOP_RANDOM_TEST, 2, 3, other);
    assert_memory_not_equal(base, other, sizeof base);
    ripstop_random_block(1, RIPSTOP_RANDOM_TEST, 2 ^ flip, 3, other);
    assert_memory_not_equal(base, other, sizeof base);
    ripstop_random_block(1, RIPSTOP_RANDOM_TEST, 2, 3 ^ flip, other);
    assert_memory_not_equal(base, other, sizeof base);
  }
  for (unsigned bit = 0; bit < 10; bit++) {
    ripstop_random_block(1, (ripstop_purpose)(RIPSTOP_RANDOM_TEST ^ 1 << bit), 2, 3, other);
    assert_memory_not_equal(base, other, sizeof base);
  }
}

static void a_word_is_the_first_of_its_block(void **state) {
  (void)state;
  ripstop_stream stream = ripstop_stream_open(8, RIPSTOP_RANDOM_TEST, 0);
  for (int i = 0; i < 1000; i++) {
    uint64_t seed = ripstop_stream_u64(&stream), index = ripstop_stream_u64(&stream);
    uint32_t position = ripstop_stream_u32(&stream), block[4];
    ripstop_purpose purpose = i % 2 ? RIPSTOP_RANDOM_TEST : RIPSTOP_RANDOM_SELECTION;
    const ripstop_random_keys keys = ripstop_random_keys_of(seed, purpose);
    ripstop_random_block(seed, purpose, index, position, block);
    assert_int_equal(ripstop_random_word(&keys, index, position), block[0]);
  }
}

static void a_stream_is_its_blocks_in_order(void **state) {
  (void)state;
  ripstop_stream words = ripstop_stream_open(5, RIPSTOP_RANDOM_TEST, 9), pairs = words;
  for (uint64_t position = 0; position < 10; position++) {
    uint32_t block[4];
    ripstop_random_block(5, RIPSTOP_RANDOM_TEST, 9, position, block);
    for (int i = 0; i < 4; i++) assert_int_equal(ripstop_stream_u32(&words), block[i]);
    assert_true(ripstop_stream_u64(&pairs) == (block[0] | (uint64_t)block[1] << 32));
    assert_true(ripstop_stream_u64(&pairs) == (block[2] | (uint64_t)block[3] << 32));
  }
}

/* Chi-square over the values below a bound; 99.99 % quantiles, and the seed is fixed, so this never flickers. */
static void below_is_fair(void **state) {
  (void)state;
  enum { BOUND = 11, DRAWS = 110000 };
  const double limit = 35.6; /* 10 degrees of freedom */
  uint32_t seen[BOUND] = {0};
  ripstop_stream stream = ripstop_stream_open(3, RIPSTOP_RANDOM_TEST, 0);
  for (int i = 0; i < DRAWS; i++) seen[ripstop_stream_below(&stream, BOUND)]++;
  double chi_square = 0, expected = (double)DRAWS / BOUND;
  for (int i = 0; i < BOUND; i++) chi_square += (seen[i] - expected) * (seen[i] - expected) / expected;
  assert_true(chi_square < limit);
}

/* With three quarters of 2^32 as bound a plain multiplication would give every third value twice as often. */
static void below_is_fair_for_large_bounds(void **state) {
  (void)state;
  enum { DRAWS = 90000 };
  uint32_t bound = UINT32_C(3) << 30, thirds = 0;
  ripstop_stream stream = ripstop_stream_open(4, RIPSTOP_RANDOM_TEST, 0);
  for (int i = 0; i < DRAWS; i++) {
    uint32_t value = ripstop_stream_below(&stream, bound);
    assert_true(value < bound);
    thirds += value % 3 == 0;
  }
  assert_in_range(thirds, DRAWS / 3 - 700, DRAWS / 3 + 700); /* 5 standard deviations */
  assert_int_equal(ripstop_stream_below(&stream, 1), 0);
}

static void unit_is_below_one_and_even(void **state) {
  (void)state;
  enum { DRAWS = 100000 };
  double sum = 0;
  ripstop_stream stream = ripstop_stream_open(6, RIPSTOP_RANDOM_TEST, 0);
  for (int i = 0; i < DRAWS; i++) {
    double value = ripstop_stream_unit(&stream);
    assert_true(value >= 0 && value < 1);
    sum += value;
  }
  assert_true(sum / DRAWS > 0.495 && sum / DRAWS < 0.505); /* 5 standard deviations */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(philox_gives_the_known_answers),   cmocka_unit_test(blocks_are_philox_of_the_documented_words),
      cmocka_unit_test(every_bit_of_every_input_matters), cmocka_unit_test(a_word_is_the_first_of_its_block),
      cmocka_unit_test(a_stream_is_its_blocks_in_order),  cmocka_unit_test(below_is_fair),
      cmocka_unit_test(below_is_fair_for_large_bounds),   cmocka_unit_test(unit_is_below_one_and_even),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
