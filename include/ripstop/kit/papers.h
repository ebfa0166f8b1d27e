/* papers.h - the claims of many experiments: what papers publish and what was measured, as text, Markdown and JSON; a
 * record of it that lies beside the experiments; and the book, an index of papers, claims and experiments' pages. */
#ifndef RIPSTOP_KIT_PAPERS_H
#define RIPSTOP_KIT_PAPERS_H

#include "ripstop/kit/campaign.h"
#include "ripstop/kit/report.h"

RIPSTOP_BEGIN

enum { RIPSTOP_BASIS = 17 }; /* bytes of a basis's name: 16 hexadecimal digits and the end */

/* The basis of a claim: the runs of its curve, and how it is measured on them. */
typedef struct ripstop_basis {
  size_t planned, runs;          /* the number of runs, and of those that are done */
  size_t others_planned, others; /* the same of the figure's other curves, with which it may be compared */
  char name[RIPSTOP_BASIS]; /* changes only with the runs or the way they are measured, not with the model's version */
  /* With seeds that were moved: the same runs give some of the numbers, or chance gives none, so the record is no
   * independent repetition. */
  bool again;
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
  /* Claims whose author says the opposite of what all their runs say; claims that differ without a valid cause. */
  size_t contradictions, uncaused;
} ripstop_ledger;

/* The number of claims in each class. */
typedef struct ripstop_claim_tally {
  size_t claims, counted[RIPSTOP_COUNTED_KINDS];
  size_t after;                 /* claims whose reading was chosen after seeing results */
  size_t held_after;            /* own claims that hold, and were chosen after seeing results */
  size_t partial;               /* claims that are measured by a part of their runs */
  size_t cause[RIPSTOP_CAUSES]; /* claims that differ or do not hold, by cause */
} ripstop_claim_tally;
void ripstop_claim_tally_add(ripstop_claim_tally *tally, const ripstop_claim_row *row);
/* The numbers of the papers' claims, or of the experiments' own. */
ripstop_claim_tally ripstop_ledger_tally(const ripstop_ledger *ledger, bool own);

/* The result figures and tables of all papers, and how many of them have a claim whose finding is known. */
typedef struct ripstop_coverage {
  size_t places, found;
} ripstop_coverage;
ripstop_coverage ripstop_ledger_coverage(const ripstop_ledger *ledger);
/* Prints the claims by paper and place, then how many figures and tables have a finding, and which have none. */
void ripstop_ledger_text(FILE *file, const ripstop_ledger *ledger);
/* Prints sections of a Markdown page: counts, then a table for each paper with its long texts as notes below. */
void ripstop_ledger_markdown(FILE *file, const ripstop_ledger *ledger);
/* Writes one JSON object, which ends with a newline (docs/claims.md). */
int ripstop_ledger_json(ripstop_text *out, const ripstop_ledger *ledger, ripstop_error *err);

/* A JSON object of that kind that was kept: the measured numbers outlive the stores. */
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
/* An experiment that has claims in the record, but not in the ledger; NULL: there is none. */
const char *ripstop_record_unknown(const ripstop_record *record, const ripstop_ledger *ledger);
/* A line for each number of the record that the ledger has no use for any more: its claim is gone, or rests on other
 * runs by now and none of them is done. */
void ripstop_record_lost(FILE *file, const ripstop_record *record, const ripstop_ledger *ledger);
/* Prints as Markdown how many claims have the same finding in the record and in the ledger, and which have another
 * finding or mark. It counts claims whose runs are all done on both sides with different seeds, and prints how many it
 * leaves out. With the same seeds, which it prints, it counts all. */
void ripstop_record_compare(FILE *file, const ripstop_record *record, const ripstop_ledger *ledger);

/* ------------------------------------------------------------------ collecting */

/* `campaign` comes from ripstop_campaign_defaults, `notes` must be set, all else may be zero. Pointers must stay valid
 * until the papers are closed. */
typedef struct ripstop_papers_settings {
  /* For each experiment, except file, spec and mode: variant (quick: the missing quick runs are done first), store,
   * workers, progress. */
  ripstop_campaign_settings campaign;
  ripstop_load load;            /* the values that `each` needs */
  const ripstop_record *record; /* gives numbers that no store has; NULL: none */
  const ripstop_record *other;  /* for ripstop_record_compare; NULL: none */
  const char *by_name;          /* "a record": two experiments with one name are refused on its account; NULL: never */
  const char *taken;            /* a name that no experiment may have; NULL: none */
  FILE *notes;                  /* a line for each contradiction, missing cause, and record that stands */
  /* NULL; or it receives each experiment with its runs, which stay valid until it returns. A result other than 0 ends
   * ripstop_papers_collect, which returns it. */
  int (*each)(void *context, const ripstop_campaign *campaign, const ripstop_data *data, ripstop_error *err);
  void *context;
} ripstop_papers_settings;

/* Experiments, and in the end the ledger of their claims. */
typedef struct ripstop_papers ripstop_papers;

/* Reads the experiments: the files named, and all below the folders named (.yaml except papers.yaml), those of a folder
 * sorted. NULL on error. */
ripstop_papers *ripstop_papers_open(const ripstop_papers_settings *settings, const char *const *path, size_t count,
                                    ripstop_error *err);
/* The number of experiments, and they themselves. */
size_t ripstop_papers_experiments(const ripstop_papers *papers, const ripstop_spec *const **spec);
/* Judges the claims of all experiments by their stores and the record. 0; 1: runs were stopped; -1: error; or what
 * `each` returned.
 */
int ripstop_papers_collect(ripstop_papers *papers, ripstop_error *err);
const ripstop_ledger *ripstop_papers_ledger(const ripstop_papers *papers);
void ripstop_papers_close(ripstop_papers *papers); /* NULL is fine */

/* ------------------------------------------------------------------ the book */

/* An experiment in a book. */
typedef struct ripstop_book_entry {
  const ripstop_spec *spec;
  const char *page;  /* path of its page from the index; NULL: it has none, because no run is done */
  size_t runs, done; /* the number of runs, and of those that are done */
  double seconds;    /* processor time of the runs that are done */
} ripstop_book_entry;

typedef struct ripstop_book {
  const ripstop_ledger *ledger; /* with the claims of the entries */
  size_t entries;
  const ripstop_book_entry *entry;
} ripstop_book;

/* The index as one page without outside resources: the figures and tables of the papers with what came of them, every
 * claim with its reading, every experiment. `command` is shown as it is. */
int ripstop_book_html(const ripstop_book *book, const char *command, ripstop_text *out, ripstop_error *err);

RIPSTOP_END

#endif
