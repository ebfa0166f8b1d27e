/* test_proof_parts.c - parts of a proof have the sum of the whole; damaged, missing and foreign parts are refused. */
#include "campaign/proof_parts.h"
#include "check.h"
#include "opened.h"
#include "prove/proof.h"

enum { PARTS = 3 };

typedef struct bed {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_many many;
  ripstop_text question, part[PARTS];
  ripstop_tally tally; /* from one process */
} bed;

static int add_line(void *context, const ripstop_set_proof *p, const ripstop_text *text, const ripstop_tally *so_far) {
  (void)text, (void)so_far;
  parts_add_text(context, "set", p->number, p->proof.tolerated ? "tolerated" : "lost");
  return 0;
}

static bed open_bed(void) {
  ripstop_error err;
  bed b = {.arena = ripstop_arena_new(), .fabric = open_fabric("kary-ntree:k=2,n=2")};
  ripstop_names *names = ripstop_names_new(b.fabric);
  b.many = (ripstop_many){
      .fabric = b.fabric, .method = "updown", .kind = RIPSTOP_SETS_ALL, .count = 1, .confidence = 0.99, .threads = 1};
  assert_int_equal(ripstop_scope_open(b.arena, names, "all-links", &b.many.scope, &err), 0);
  ripstop_names_free(names);
  parts_describe(&b.many, "", &b.question);
  assert_int_equal(ripstop_prove_many(&b.many, &b.tally, &err), 0);
  b.many.done = add_line;
  b.many.parts = PARTS;
  for (uint32_t i = 0; i < PARTS; i++) {
    ripstop_tally tally;
    parts_begin(&b.part[i], b.question.data, i + 1, PARTS);
    b.many.part = i + 1, b.many.context = &b.part[i];
    assert_int_equal(ripstop_prove_many(&b.many, &tally, &err), 0);
    parts_end(&b.part[i], &tally);
  }
  return b;
}

static void close_bed(bed *b) {
  for (uint32_t i = 0; i < PARTS; i++) ripstop_text_free(&b->part[i]);
  ripstop_text_free(&b->question);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

static parts_whole begin(const bed *b) {
  return (parts_whole){.arena = b->arena, .question = b->question.data, .listed = true};
}

static int add(parts_whole *whole, const bed *b, uint32_t i, ripstop_error *err) {
  return parts_add(whole, "file", b->part[i].data, b->part[i].length, err);
}

static void parts_make_the_whole(void **state) {
  (void)state;
  bed b = open_bed();
  ripstop_error err;
  parts_whole whole = begin(&b);
  for (uint32_t i = PARTS; i-- > 0;) assert_int_equal(add(&whole, &b, i, &err), 0);
  assert_int_equal(parts_check(&whole, parts_sets(&b.many), &err), 0);
  assert_int_equal(whole.tally.all.sets, b.tally.all.sets);
  assert_int_equal(whole.tally.all.tolerated, b.tally.all.tolerated);
  assert_int_equal(whole.tally.connected.sets, b.tally.connected.sets);
  assert_int_equal(whole.sets, b.tally.proofs);
  for (size_t i = 0; i < whole.sets; i++) assert_int_equal(whole.set[i].number, i);
  parts_free(&whole);
  close_bed(&b);
}

static void refuse(bed *b, uint32_t i, const char *why) {
  ripstop_error err;
  parts_whole whole = begin(b);
  assert_int_equal(add(&whole, b, i, &err), -1);
  if (!strstr(err.text, why)) fail_msg("'%s' instead of '%s'", err.text, why);
  parts_free(&whole);
}

static void other_bytes_are_refused(void **state) {
  (void)state;
  bed b = open_bed();
  ripstop_error err;
  parts_whole whole = begin(&b);
  assert_int_equal(add(&whole, &b, 0, &err), 0);
  assert_int_equal(add(&whole, &b, 0, &err), -1); /* twice */
  assert_int_equal(parts_check(&whole, parts_sets(&b.many), &err), -1);
  assert_non_null(strstr(err.text, "part 2 of 3 is missing"));
  parts_free(&whole);
  b.part[1].length -= 2;
  refuse(&b, 1, "is damaged or cut off");
  char *tolerated = strstr(b.part[2].data, "tolerated");
  if (tolerated) *tolerated = 'T';
  if (tolerated) refuse(&b, 2, "is damaged or cut off");
  b.question.data[0] = 'R';
  refuse(&b, 0, "another question");
  close_bed(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts_make_the_whole), cmocka_unit_test(other_bytes_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
