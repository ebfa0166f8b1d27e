/* papers.h - the claims of many experiments: what papers publish and what was measured, as text, Markdown and JSON; a
 * record of it that lies beside the experiments; and the book, an index of papers, claims and experiments' pages. */
#ifndef RIPSTOP_KIT_PAPERS_H
#define RIPSTOP_KIT_PAPERS_H

#include "ripstop/kit/report.h"

RIPSTOP_BEGIN

enum { RIPSTOP_BASIS = 17 }; /* bytes of a basis's name: 16 hexadecimal digits and the end */

/* What a claim rests on: the runs of its curve, and how it is measured on them. */
typedef struct ripstop_basis {
  size_t asked, runs;          /* how many there are, and how many of them are done */
  size_t others_asked, others; /* the same of the figure's other curves, with which it may be compared */
  char name[RIPSTOP_BASIS];    /* changes when other runs are asked for, or another measure of them, and then only; the
                                  model's version has no part in it */
  bool again; /* with seeds that were moved: some are those of runs as they are, or no seed has a part in
                 what is measured, so that it is no second look */
} ripstop_basis;

/* `moved` is added to every seed (modulo 2^64): the basis of the same claim in a record of other seeds. */
ripstop_basis ripstop_claim_basis(const ripstop_data *data, const ripstop_claim *claim, uint64_t moved);

/* A claim of some experiment and what became of it. */
typedef struct ripstop_claim_row {
  const ripstop_spec *spec; /* the experiment */
  const ripstop_claim *claim;
  ripstop_judgement judgement;
  ripstop_basis basis;
  ripstop_basis there; /* that of a record which it is to be compared with */
  int model;           /* under which version of the model it was measured */
} ripstop_claim_row;

/* Claims of many experiments, and the papers that they may be about, each once. */
typedef struct ripstop_ledger {
  size_t rows, papers;
  const ripstop_claim_row *row;
  const ripstop_paper *const *paper;
  uint64_t seed_offset; /* ripstop_variant.seed_offset of the runs */
} ripstop_ledger;

/* The number of claims in each class. */
typedef struct ripstop_claim_tally {
  size_t claims, counted[RIPSTOP_COUNTED_KINDS];
  size_t after;                 /* whose reading was chosen after seeing results */
  size_t held_after;            /* own claims that hold, and were chosen after seeing results */
  size_t partial;               /* of fewer runs than asked for */
  size_t cause[RIPSTOP_CAUSES]; /* of those that differ or do not hold, by what is known of the cause */
} ripstop_claim_tally;
void ripstop_claim_tally_add(ripstop_claim_tally *tally, const ripstop_claim_row *row);
/* The numbers of the papers' claims, or of the experiments' own. */
ripstop_claim_tally ripstop_ledger_tally(const ripstop_ledger *ledger, bool own);

/* Of all papers' result figures and tables, and those with a claim whose finding is known. */
typedef struct ripstop_coverage {
  size_t places, found;
} ripstop_coverage;
ripstop_coverage ripstop_ledger_coverage(const ripstop_ledger *ledger);
/* For a terminal: the claims by paper and place, then how many figures and tables have a finding, and which have not.
 */
void ripstop_ledger_text(FILE *file, const ripstop_ledger *ledger);
/* As sections of a Markdown page: how the papers fare, then a table for each, its long texts as notes below. */
void ripstop_ledger_markdown(FILE *file, const ripstop_ledger *ledger);
/* As one JSON object, which ends with a newline (docs/experiments.md, "All claims"). */
int ripstop_ledger_json(ripstop_text *out, const ripstop_ledger *ledger, ripstop_error *err);

/* Such a JSON object that was kept: what was measured once. */
typedef struct ripstop_record ripstop_record;

/* NULL with an error when there is no such file, or it is no record. */
ripstop_record *ripstop_record_read(const char *path, ripstop_error *err);
void ripstop_record_free(ripstop_record *record); /* NULL is fine */
/* The number of its claims without a digest: all of them in a record of an older version, else none. */
size_t ripstop_record_undigested(const ripstop_record *record);
uint64_t ripstop_record_seed_offset(const ripstop_record *record);
/* Puts what the record has of a claim into the row that was made from a store, where the record is about the same runs
 * and the store has nothing, or of the same model fewer runs of them: 1 when it did, else 0. */
int ripstop_record_fill(const ripstop_record *record, ripstop_claim_row *row);
/* An experiment that the record has claims of and the ledger has not; NULL: there is none. */
const char *ripstop_record_stranger(const ripstop_record *record, const ripstop_ledger *ledger);
/* A line for each number of the record that the ledger has no use for any more: its claim is gone, or rests on other
 * runs by now and none of them is done. */
void ripstop_record_lost(FILE *file, const ripstop_record *record, const ripstop_ledger *ledger);
/* How many claims have the same finding by what was measured here and there, as it is shown, and which have another
 * finding or mark, as Markdown. Counted are those of which all runs are done, here and there, with other seeds; how
 * many are left out is told. With the same seeds, which is told, all are counted. */
void ripstop_record_compare(FILE *file, const ripstop_record *record, const ripstop_ledger *ledger);

/* An experiment in a book. */
typedef struct ripstop_book_entry {
  const ripstop_spec *spec;
  const char *page;  /* where its page lies, from the index; NULL: it has none, for no run is done */
  size_t runs, done; /* asked for, and those that are done */
  double seconds;    /* of a processor, of the latter */
} ripstop_book_entry;

typedef struct ripstop_book {
  const ripstop_ledger *ledger; /* of the entries */
  size_t entries;
  const ripstop_book_entry *entry;
} ripstop_book;

/* The index as one page without outside resources: the figures and tables of the papers with what came of them, every
 * claim with its reading, every experiment. `command` is shown as it is. */
int ripstop_book_html(const ripstop_book *book, const char *command, ripstop_text *out, ripstop_error *err);

RIPSTOP_END

#endif
