/* ledger.c - the claims of many experiments in one table, by paper and place. */
#include <math.h>
#include <string.h>

#include "papers/ledger.h"

/* Two experiments may each have read the file of papers. */
static bool same_paper(const ripstop_paper *a, const ripstop_paper *b) { return a && b && !strcmp(a->key, b->key); }

bool plot_is_about(const ripstop_claim_row *row, const ripstop_paper *paper, size_t place) {
  return same_paper(row->claim->paper, paper) && row->claim->result == place;
}

bool plot_is_found(const ripstop_ledger *ledger, const ripstop_paper *paper, size_t place) {
  for (size_t i = 0; i < ledger->rows; i++)
    if (plot_is_about(&ledger->row[i], paper, place) && ledger->row[i].judgement.finding != RIPSTOP_NO_DATA)
      return true;
  return false;
}

ripstop_coverage ripstop_ledger_coverage(const ripstop_ledger *ledger) {
  ripstop_coverage c = {0};
  for (size_t p = 0; p < ledger->papers; p++)
    for (size_t i = 0; i < ledger->paper[p]->places; i++)
      c.places++, c.found += plot_is_found(ledger, ledger->paper[p], i);
  return c;
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
  t->partial += row->basis.runs && row->basis.runs < row->basis.asked;
  count_cause(t, row);
}

ripstop_claim_tally ripstop_ledger_tally(const ripstop_ledger *ledger, bool own) {
  ripstop_claim_tally t = {0};
  for (size_t i = 0; i < ledger->rows; i++)
    if (own == !ledger->row[i].claim->paper) ripstop_claim_tally_add(&t, &ledger->row[i]);
  return t;
}

/* ------------------------------------------------------------------ text */

void plot_print_published(ripstop_text *out, const ripstop_claim *claim) {
  ripstop_text_add(out, "%s", plot_compare_words[claim->compare]);
  plot_print_number(out, claim->published);
  if (claim->tolerance > 0) ripstop_text_add(out, " (± %.3g)", claim->tolerance);
}

void plot_print_measured(ripstop_text *out, const ripstop_claim_row *row) {
  const ripstop_basis *basis = &row->basis;
  plot_print_estimate(out, row->judgement.measured);
  if (isnan(row->judgement.measured.mean)) ripstop_text_add(out, "nothing");
  if (row->judgement.drifts) ripstop_text_add(out, ", in a transient");
  if (row->judgement.lost > 0) ripstop_text_add(out, " ‡, "), plot_print_losses(out, row->judgement.lost);
  if (basis->runs < basis->asked && basis->runs)
    ripstop_text_add(out, ", by %zu of %zu runs", basis->runs, basis->asked);
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

/* Readings that many claims share are told once. */
static void print_reading(FILE *file, const char *reading, const char **last) {
  if (!reading) return;
  print_note(file, "reading: ", *last && !strcmp(*last, reading) ? "as above" : reading);
  *last = reading;
}

static void print_cause(FILE *file, const ripstop_claim *claim) {
  ripstop_text cause = {0};
  plot_print_cause(&cause, claim);
  print_note(file, "cause: ", cause.data);
  ripstop_text_free(&cause);
}

static void print_row(FILE *file, const ripstop_claim_row *row, const char **last) {
  const ripstop_claim *claim = row->claim;
  ripstop_text published = {0}, measured = {0}, finding = {0};
  plot_print_published(&published, claim);
  plot_print_measured(&measured, row);
  plot_print_finding(&finding, claim, &row->judgement);
  fprintf(file, "  %s: %s; published %s", claim->paper ? claim->place : "no paper", claim->id, published.data);
  fprintf(file, ", measured %s: %s\n", measured.data, finding.data);
  ripstop_text_free(&published);
  ripstop_text_free(&measured);
  ripstop_text_free(&finding);
  print_note(file, "", claim->says);
  print_reading(file, claim->reading, last);
  print_note(file, "why: ", claim->why);
  print_cause(file, claim);
  fprintf(file, "%*schosen %s, %s:%d\n", NOTE, "", claim->chosen_after ? "AFTER seeing results" : "before the runs",
          row->spec->file, claim->line);
}

static void print_paper(FILE *file, const ripstop_ledger *ledger, const ripstop_paper *paper) {
  const char *last = NULL;
  fprintf(file, "%s (%s): %s\n", paper->key, paper->number, paper->title);
  for (size_t place = 0; place <= paper->places; place++)
    for (size_t i = 0; i < ledger->rows; i++)
      if (plot_is_about(&ledger->row[i], paper, place < paper->places ? place : RIPSTOP_NOWHERE))
        print_row(file, &ledger->row[i], &last);
  fputs("\n", file);
}

static void print_others(FILE *file, const ripstop_ledger *ledger) {
  bool any = false;
  const char *last = NULL;
  for (size_t i = 0; i < ledger->rows; i++) {
    if (ledger->row[i].claim->paper) continue;
    if (!any) fputs("of no paper\n", file);
    any = true;
    print_row(file, &ledger->row[i], &last);
  }
  if (any) fputs("\n", file);
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
      if (plot_is_found(ledger, ledger->paper[p], i)) continue;
      fprintf(file, "%s%s %s", separator, ledger->paper[p]->key, ledger->paper[p]->place[i]);
      separator = ", ";
    }
  if (*separator == ',') fputs("\n", file);
}

void ripstop_ledger_text(FILE *file, const ripstop_ledger *ledger) {
  for (size_t p = 0; p < ledger->papers; p++) print_paper(file, ledger, ledger->paper[p]);
  print_others(file, ledger);
  print_counts(file, ledger);
  ripstop_coverage c = ripstop_ledger_coverage(ledger);
  if (c.places) fprintf(file, "%zu of %zu result figures and tables have a claim with a finding\n", c.found, c.places);
  print_missing(file, ledger);
}
