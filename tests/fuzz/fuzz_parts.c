/* fuzz_parts.c - any bytes as the only part of a proof of "x", and the same bytes with a valid digest behind a valid
 * head, so that the lines of sets are checked too.
 *
 * A refusal has one line. An accepted part adds up: no count is above that of its sets, and each set
 * is there once. */
#include <stdlib.h>

#include "../../src/campaign/proof_parts.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_sense(const parts_whole *w) {
  const ripstop_counts_of_sets *all = &w->tally.all, *connected = &w->tally.connected;
  demand(all->tolerated + all->not_applicable <= all->sets && all->safe <= all->tolerated);
  demand(all->deadlocked <= all->sets && all->livelocked <= all->sets && connected->sets <= all->sets);
  demand(connected->tolerated <= connected->sets && w->tally.proofs <= all->sets);
  for (size_t i = 0; i < w->sets; i++) demand(w->set[i].number == i && w->set[i].text);
}

static void merge(const char *bytes, size_t length, bool listed) {
  ripstop_error err = {0};
  parts_whole whole = {.arena = ripstop_arena_new(), .question = "x", .listed = listed};
  bool believed = !parts_add(&whole, "part", bytes, length, &err) && !parts_check(&whole, UINT64_MAX, &err);
  if (believed)
    demand_sense(&whole);
  else
    demand(*err.text && !strchr(err.text, '\n'));
  parts_free(&whole);
  ripstop_arena_free(whole.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ripstop_text sealed = {0};
  if (size > 0) merge((const char *)data, size, false);
  parts_begin(&sealed, "x", 1, 1);
  ripstop_text_add_bytes(&sealed, (const char *)data, size);
  add_digest(&sealed);
  for (int listed = 0; listed < 2; listed++) merge(sealed.data, sealed.length, listed);
  ripstop_text_free(&sealed);
  return 0;
}
