/* ledger.c - the claims of many experiments in one table, by paper and place. */
#include <math.h>
#include <string.h>

#include "papers/ledger.h"

#include "base/local.h"
#include "report/judging.h"

/* Two experiments may each have read the file of papers. */
bool ledger_is_about(const ripstop_claim_row *row, const ripstop_paper *paper, size_t place) {
  const ripstop_paper *of = row->claim->paper;
  if (!paper || !of) return paper == of;
  return !strcmp(of->key, paper->key) && (place == LEDGER_ANYWHERE || row->claim->result == place);
}

void ledger_each(const ripstop_ledger *ledger, const ripstop_paper *paper, ledger_visit *visit, void *context) {
  const size_t places = paper ? paper->places : 0;
  for (size_t place = 0; place <= places; place++)
    for (size_t i = 0; i < ledger->rows; i++)
      if (ledger_is_about(&ledger->row[i], paper, place < places ? place : RIPSTOP_NOWHERE))
        visit(context, &ledger->row[i]);
}

bool ledger_is_found(const ripstop_ledger *ledger, const ripstop_paper *paper, size_t place) {
  for (size_t i = 0; i < ledger->rows; i++)
    if (ledger_is_about(&ledger->row[i], paper, place) && ledger->row[i].judgement.finding != RIPSTOP_NO_DATA)
      return true;
  return false;
}

size_t ledger_found(const ripstop_ledger *ledger, const ripstop_paper *paper) {
  size_t found = 0;
  for (size_t i = 0; i < paper->places; i++) found += ledger_is_found(ledger, paper, i);
  return found;
}

/* ------------------------------------------------------------------ counts */

static void count_cause(ripstop_claim_tally *t, const ripstop_claim_row *row) {
  if (row->judgement.finding == RIPSTOP_DIFFERS) t->cause[row->claim->cause]++;
}

void ripstop_claim_tally_add(ripstop_claim_tally *t, const ripstop_claim_row *row) {
  t->claims++;
  t->counted[ripstop_claim_counts_as(row->claim, &row->judgement)]++;
  t->after += row->claim->chosen_after;
  t->held_after += row->claim->chosen_after && !row->claim->paper && row->judgement.finding == RIPSTOP_REPRODUCED;
  t->partial += row->basis.runs && row->basis.runs < row->basis.planned;
  count_cause(t, row);
}

ripstop_claim_tally ledger_tally(const ripstop_ledger *ledger, const ripstop_paper *paper, size_t place) {
  ripstop_claim_tally t = {0};
  for (size_t i = 0; i < ledger->rows; i++)
    if (ledger_is_about(&ledger->row[i], paper, place)) ripstop_claim_tally_add(&t, &ledger->row[i]);
  return t;
}

ripstop_claim_tally ripstop_ledger_tally(const ripstop_ledger *ledger, bool own) {
  ripstop_claim_tally t = {0};
  for (size_t i = 0; i < ledger->rows; i++)
    if (own == !ledger->row[i].claim->paper) ripstop_claim_tally_add(&t, &ledger->row[i]);
  return t;
}

ripstop_coverage ripstop_ledger_coverage(const ripstop_ledger *ledger) {
  ripstop_coverage c = {0};
  for (size_t p = 0; p < ledger->papers; p++)
    c.places += ledger->paper[p]->places, c.found += ledger_found(ledger, ledger->paper[p]);
  return c;
}

/* ------------------------------------------------------------------ text */

void ledger_print_published(ripstop_text *out, const ripstop_claim *claim) {
  ripstop_text_add(out, "%s", plot_compare_words[claim->compare]);
  plot_print_number(out, claim->published);
  if (claim->tolerance > 0) ripstop_text_add(out, " (± %.3g)", claim->tolerance);
}

void ledger_print_measured(ripstop_text *out, const ripstop_claim_row *row) {
  const ripstop_basis *basis = &row->basis;
  plot_print_measured(out, &row->judgement);
  if (isnan(row->judgement.measured.mean)) ripstop_text_add(out, "nothing");
  if (row->judgement.drifts) ripstop_text_add(out, ", in a transient");
  if (row->judgement.lost > 0) ripstop_text_add(out, " ‡, "), plot_print_losses(out, row->judgement.lost);
  if (basis->runs < basis->planned && basis->runs)
    ripstop_text_add(out, ", by %zu of %zu runs", basis->runs, basis->planned);
  if (row->model != RIPSTOP_MODEL_VERSION) ripstop_text_add(out, ", under model version %d", row->model);
}

enum { NOTE = 4, SCREEN = 120 }; /* blanks before the words below a claim's line; the screen's columns */

/* Words wrapped at the screen's width. */
static void print_note(FILE *file, const char *label, const char *text) {
  if (!text || !*text) return;
  int column = fprintf(file, "%*s%s", NOTE, "", label);
  const char *gap = "";
  for (const char *word = text; *word; gap = " ") {
    size_t length = strcspn(word, " ");
    if (*gap && column + (int)length >= SCREEN) column = fprintf(file, "\n%*s", NOTE + 2, "") - 1, gap = "";
    column += fprintf(file, "%s%.*s", gap, (int)length, word);
    word += length;
    word += strspn(word, " ");
  }
  fputs("\n", file);
}

/* Prints a reading once that several claims in a row share. */
static void print_reading(FILE *file, const char *reading, const char **last) {
  if (!reading) return;
  print_note(file, "reading: ", *last && !strcmp(*last, reading) ? "as above" : reading);
  *last = reading;
}

static void print_cause(FILE *file, const ripstop_claim *claim) {
  RIPSTOP_LOCAL_TEXT(cause);
  plot_print_cause(&cause, claim);
  print_note(file, "cause: ", cause.data);
}

typedef struct printer {
  FILE *file;
  const char *reading; /* the last that was printed */
  size_t rows;
} printer;

static void print_row(void *to, const ripstop_claim_row *row) {
  printer *p = to;
  const ripstop_claim *claim = row->claim;
  ripstop_text numbers = {0};
  if (!p->rows++ && !claim->paper) fputs("of no paper\n", p->file);
  ledger_print_published(&numbers, claim);
  ripstop_text_add(&numbers, ", measured ");
  ledger_print_measured(&numbers, row);
  ripstop_text_add(&numbers, ": ");
  plot_print_finding(&numbers, claim, &row->judgement);
  fprintf(p->file, "  %s: %s; published %s\n", claim->paper ? claim->place : "no paper", claim->id, numbers.data);
  ripstop_text_free(&numbers);
  print_note(p->file, "", claim->says);
  print_reading(p->file, claim->reading, &p->reading);
  print_note(p->file, "why: ", claim->why);
  print_cause(p->file, claim);
  fprintf(p->file, "%*schosen %s, %s:%d\n", NOTE, "", claim->chosen_after ? "AFTER seeing results" : "before the runs",
          row->spec->file, claim->line);
}

/* Prints the claims about the paper; NULL: about none. */
static void print_claims(FILE *file, const ripstop_ledger *ledger, const ripstop_paper *paper) {
  printer p = {.file = file};
  if (paper) fprintf(file, "%s (%s): %s\n", paper->key, paper->number, paper->title);
  ledger_each(ledger, paper, print_row, &p);
  if (paper || p.rows) fputs("\n", file);
}

static void print_papers_counts(FILE *file, const ripstop_claim_tally *t) {
  const size_t *n = t->counted;
  if (!t->claims) return;
  fprintf(file,
          "papers' claims: %zu of %zu reproduced; %zu agree, chosen after seeing results; %zu agree in order of "
          "magnitude; %zu "
          "differ; %zu cannot be told; %zu no data\n",
          n[RIPSTOP_COUNTED_REPRODUCED], t->claims, n[RIPSTOP_COUNTED_CHOSEN], n[RIPSTOP_COUNTED_ROUGH],
          n[RIPSTOP_COUNTED_DIFFERS], n[RIPSTOP_COUNTED_OPEN], n[RIPSTOP_COUNTED_NO_DATA]);
}

static void print_own_counts(FILE *file, const ripstop_claim_tally *t) {
  const size_t *n = t->counted;
  if (!t->claims) return;
  fprintf(file,
          "own claims: %zu of %zu hold, %zu of them chosen after seeing results; %zu do not hold; %zu cannot be told; "
          "%zu no "
          "data\n",
          n[RIPSTOP_COUNTED_HOLDS], t->claims, t->held_after, n[RIPSTOP_COUNTED_FAILS], n[RIPSTOP_COUNTED_OPEN],
          n[RIPSTOP_COUNTED_NO_DATA]);
}

static void print_counts(FILE *file, const ripstop_ledger *ledger) {
  ripstop_claim_tally papers = ripstop_ledger_tally(ledger, false), own = ripstop_ledger_tally(ledger, true);
  size_t cause[RIPSTOP_CAUSES];
  for (size_t i = 0; i < RIPSTOP_CAUSES; i++) cause[i] = papers.cause[i] + own.cause[i];
  print_papers_counts(file, &papers);
  print_own_counts(file, &own);
  if (!ledger->rows) fputs("0 claims\n", file);
  if (cause[RIPSTOP_CAUSE_TESTED] + cause[RIPSTOP_CAUSE_UNEXPLAINED] + cause[RIPSTOP_CAUSE_NOT_SAID])
    fprintf(file, "causes of what differs: %zu tested by an experiment, %zu unexplained, %zu not said\n",
            cause[RIPSTOP_CAUSE_TESTED], cause[RIPSTOP_CAUSE_UNEXPLAINED], cause[RIPSTOP_CAUSE_NOT_SAID]);
}

static void print_missing(FILE *file, const ripstop_ledger *ledger) {
  const char *separator = "without: ";
  for (size_t p = 0; p < ledger->papers; p++)
    for (size_t i = 0; i < ledger->paper[p]->places; i++) {
      if (ledger_is_found(ledger, ledger->paper[p], i)) continue;
      fprintf(file, "%s%s %s", separator, ledger->paper[p]->key, ledger->paper[p]->place[i]);
      separator = ", ";
    }
  if (*separator == ',') fputs("\n", file);
}

void ripstop_ledger_text(FILE *file, const ripstop_ledger *ledger) {
  for (size_t p = 0; p < ledger->papers; p++) print_claims(file, ledger, ledger->paper[p]);
  print_claims(file, ledger, NULL);
  print_counts(file, ledger);
  ripstop_coverage c = ripstop_ledger_coverage(ledger);
  if (c.places) fprintf(file, "%zu of %zu result figures and tables have a claim with a finding\n", c.found, c.places);
  print_missing(file, ledger);
}
