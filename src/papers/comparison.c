/* comparison.c - the findings of a ledger beside those of a record, which usually has other seeds. */
#include <inttypes.h>
#include <string.h>

#include "papers/ledger.h"

typedef enum { COUNTED, WITHOUT_NUMBERS, OTHER_RUNS, AGAIN, BY_A_PART, LOOKS } look;
static const char *const left_out[] = {[WITHOUT_NUMBERS] = "without numbers of both",
                                       [OTHER_RUNS] = "of which the record has other runs",
                                       [AGAIN] = "no second result, because seeds are the same or none has a part",
                                       [BY_A_PART] = "by a part of their runs here or there"};

static bool is_partial(const ripstop_basis *basis) { return basis->runs < basis->planned; }

/* The class in which the claim counts: `basis` is the name of the record's. */
static look look_of(const char *basis, const ripstop_claim_row *here, const ripstop_claim_row *there, bool same) {
  if (here->judgement.judged == RIPSTOP_NO_DATA || there->judgement.judged == RIPSTOP_NO_DATA) return WITHOUT_NUMBERS;
  if (strcmp(basis, here->there.name) != 0) return OTHER_RUNS;
  if (!same && here->there.again) return AGAIN;
  return is_partial(&here->basis) || is_partial(&there->basis) ? BY_A_PART : COUNTED;
}

static void print_side(ripstop_text *out, const ripstop_claim_row *row) {
  ledger_print_measured(out, row);
  ripstop_text_add(out, ", ");
  plot_print_finding(out, row->claim, &row->judgement);
}

static void print_difference(ripstop_text *out, const ripstop_claim_row *here, const ripstop_claim_row *there) {
  ripstop_text_add(out, "- `%s.%s`: published ", here->spec->name, here->claim->id);
  ledger_print_published(out, here->claim);
  ripstop_text_add(out, "; ");
  print_side(out, here);
  ripstop_text_add(out, "; there ");
  print_side(out, there);
  ripstop_text_add(out, "\n");
}

typedef struct comparison {
  size_t count[LOOKS];
  size_t same, marked; /* claims with the same finding; those among them with another mark */
  ripstop_text list;   /* claims that differ */
} comparison;

static void compare(comparison *c, const ripstop_claim_row *here, const ripstop_claim_row *there) {
  const ripstop_judgement *a = &here->judgement, *b = &there->judgement;
  bool same = a->finding == b->finding, marked = a->drifts != b->drifts || a->one_set != b->one_set;
  c->same += same;
  c->marked += same && marked;
  if (!same || marked) print_difference(&c->list, here, there);
}

static void print_left_out(FILE *file, const comparison *c, size_t claims) {
  fprintf(file, " (of %zu", claims);
  for (int i = COUNTED + 1; i < LOOKS; i++)
    if (c->count[i]) fprintf(file, "; %zu %s", c->count[i], left_out[i]);
  fputs(")", file);
}

static void print_comparison(FILE *file, const comparison *c, size_t claims, uint64_t moved) {
  fprintf(file, "%zu of %zu claims", c->same, c->count[COUNTED]);
  if (c->count[COUNTED]) fprintf(file, " (%.1f %%)", 100.0 * (double)c->same / (double)c->count[COUNTED]);
  fputs(" have the same finding with ", file);
  if (moved)
    fprintf(file, "seeds moved by %" PRId64, (int64_t)moved);
  else
    fputs("the same seeds, which is no second result", file);
  print_left_out(file, c, claims);
  if (c->marked) fprintf(file, ", %zu of them with another mark", c->marked);
  if (c->list.length)
    fprintf(file, "; not alike:\n\n%s", c->list.data);
  else
    fputs(".\n", file);
}

void ripstop_record_compare(FILE *file, const ripstop_record *record, const ripstop_ledger *ledger) {
  comparison c = {.same = 0};
  uint64_t moved = ripstop_record_seed_offset(record) - ledger->seed_offset;
  for (size_t i = 0; i < ledger->rows; i++) {
    const ripstop_claim_row *here = &ledger->row[i];
    const char *basis;
    const ripstop_claim_row there = record_row(record, here, &basis);
    const look one = look_of(basis, here, &there, !moved);
    c.count[one]++;
    if (one == COUNTED) compare(&c, here, &there);
  }
  print_comparison(file, &c, ledger->rows, moved);
  ripstop_text_free(&c.list);
}
