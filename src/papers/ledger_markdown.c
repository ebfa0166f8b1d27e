/* ledger_markdown.c - the claims of many experiments as sections of a Markdown page.
 *
 * Rows are short. What is long, readings and reasons, stands in a numbered list below each table, every text once. */
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "papers/ledger.h"

/* A table, and the texts below it. */
typedef struct notes {
  FILE *file;
  const char **text;
  const char **label;
  size_t count, room;
} notes;

/* The number of a text in the list, from 1. */
static size_t note_of(notes *n, const char *label, const char *text) {
  for (size_t i = 0; i < n->count; i++)
    if (!strcmp(n->text[i], text) && n->label[i] == label) return i + 1;
  if (n->count == n->room) {
    n->room = RIPSTOP_MORE_ROOM(n->room);
    n->text = ripstop_realloc(n->text, n->room, sizeof *n->text);
    n->label = ripstop_realloc(n->label, n->room, sizeof *n->label);
  }
  n->text[n->count] = text, n->label[n->count] = label;
  return ++n->count;
}

/* A bar would end the field. */
static void print_text(FILE *file, const char *text) {
  for (; *text; text++) fprintf(file, "%s%c", *text == '|' ? "\\" : "", *text);
}

static const char *after_slash(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash ? slash + 1 : name;
}

static const char reading[] = "Reading: ", why[] = "Why: ";

static void print_cause_of(FILE *file, const char *separator, const ripstop_claim *claim) {
  if (claim->cause == RIPSTOP_CAUSE_UNEXPLAINED) fprintf(file, "%sunexplained", separator);
  if (claim->cause == RIPSTOP_CAUSE_TESTED) fprintf(file, "%stested by `%s`", separator, claim->tested_by);
}

static void print_notes_of(FILE *file, notes *n, const ripstop_claim *claim) {
  const char *separator = "";
  if (claim->chosen_after) fprintf(file, "chosen after seeing results"), separator = ", ";
  if (claim->reading) fprintf(file, "%s%zu", separator, note_of(n, reading, claim->reading)), separator = ", ";
  if (claim->why && *claim->why) fprintf(file, "%s%zu", separator, note_of(n, why, claim->why)), separator = ", ";
  print_cause_of(file, separator, claim);
}

static void print_row(void *to, const ripstop_claim_row *row) {
  notes *n = to;
  FILE *file = n->file;
  const ripstop_claim *claim = row->claim;
  const char *bold = row->judgement.finding == RIPSTOP_DIFFERS ? "**" : "";
  RIPSTOP_LOCAL_TEXT(numbers);
  ledger_print_published(&numbers, claim);
  ripstop_text_add(&numbers, " | ");
  ledger_print_measured(&numbers, row);
  fprintf(file, "| %s | ", claim->paper ? claim->place : "");
  print_text(file, claim->says);
  ripstop_text_add(&numbers, " | %s", bold);
  plot_print_finding(&numbers, claim, &row->judgement);
  fprintf(file, " | `%s.%s` | %s%s | ", after_slash(row->spec->name), claim->id, numbers.data, bold);
  print_notes_of(file, n, claim);
  fputs(" |\n", file);
}

static void print_heading(FILE *file) {
  fputs("| place | claim | name | published | measured | finding | notes |\n|---|---|---|---|---|---|---|\n", file);
}

static void print_list(FILE *file, notes *n) {
  if (n->count) fputs("\n", file);
  for (size_t i = 0; i < n->count; i++) fprintf(file, "%zu. %s%s\n", i + 1, n->label[i], n->text[i]);
  ripstop_free(n->text);
  ripstop_free(n->label);
}

/* About the paper; NULL: about none. */
static void print_claims(FILE *file, const ripstop_ledger *ledger, const ripstop_paper *paper) {
  notes n = {.file = file};
  print_heading(file);
  ledger_each(ledger, paper, print_row, &n);
  print_list(file, &n);
}

/* ------------------------------------------------------------------ how the papers fare */

static void print_paper_tally(FILE *file, const char *what, size_t found, size_t places, const ripstop_claim_tally *t) {
  fprintf(file, "| %s | %zu of %zu | %zu |", what, found, places, t->claims);
  for (size_t f = 0; f <= RIPSTOP_COUNTED_NO_DATA; f++) fprintf(file, " %zu |", t->counted[f]);
  fprintf(file, " %zu | %zu |\n", t->cause[RIPSTOP_CAUSE_TESTED], t->partial);
}

static void print_paper(FILE *file, const ripstop_ledger *ledger, const ripstop_paper *paper) {
  const ripstop_claim_tally t = ledger_tally(ledger, paper, LEDGER_ANYWHERE);
  print_paper_tally(file, paper->key, ledger_found(ledger, paper), paper->places, &t);
}

static void print_papers(FILE *file, const ripstop_ledger *ledger) {
  ripstop_claim_tally all = ripstop_ledger_tally(ledger, false);
  ripstop_coverage c = ripstop_ledger_coverage(ledger);
  fputs("| paper | result figures and tables with a finding | claims |", file);
  for (size_t f = 0; f <= RIPSTOP_COUNTED_NO_DATA; f++) fprintf(file, " %s |", ripstop_counted_words[f]);
  fputs(" differs, with a tested cause | of fewer runs than planned |\n", file);
  fputs("|---|---|---|---|---|---|---|---|---|---|---|\n", file);
  for (size_t p = 0; p < ledger->papers; p++) print_paper(file, ledger, ledger->paper[p]);
  print_paper_tally(file, "all papers", c.found, c.places, &all);
}

static void print_own(FILE *file, const ripstop_ledger *ledger) {
  ripstop_claim_tally t = ripstop_ledger_tally(ledger, true);
  const size_t *n = t.counted;
  if (!t.claims) return;
  fputs("\n| own claims | hold | of these chosen after seeing results | do not hold | of these with a tested cause | "
        "cannot be "
        "told | no data | of fewer runs than planned |\n|---|---|---|---|---|---|---|---|\n",
        file);
  fprintf(file, "| %zu | %zu | %zu | %zu | %zu | %zu | %zu | %zu |\n", t.claims, n[RIPSTOP_COUNTED_HOLDS], t.held_after,
          n[RIPSTOP_COUNTED_FAILS], t.cause[RIPSTOP_CAUSE_TESTED], n[RIPSTOP_COUNTED_OPEN], n[RIPSTOP_COUNTED_NO_DATA],
          t.partial);
}

static void print_summary(FILE *file, const ripstop_ledger *ledger) {
  if (ledger->papers) print_papers(file, ledger);
  print_own(file, ledger);
}

void ripstop_ledger_markdown(FILE *file, const ripstop_ledger *ledger) {
  print_summary(file, ledger);
  for (size_t p = 0; p < ledger->papers; p++) {
    fprintf(file, "\n### Paper %s: %s\n", ledger->paper[p]->number, ledger->paper[p]->title);
    print_claims(file, ledger, ledger->paper[p]);
  }
  if (!ledger_tally(ledger, NULL, LEDGER_ANYWHERE).claims) return;
  fputs("\n### Own claims\n", file);
  print_claims(file, ledger, NULL);
}
