/* ledger.c - the claims of many experiments in one table, by paper and place. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "report/plot.h"

/* Two experiments may each have read the file of papers. */
static bool same_paper(const ripstop_paper *a, const ripstop_paper *b) { return a && b && !strcmp(a->key, b->key); }

static bool is_about(const ripstop_claim_row *row, const ripstop_paper *paper, size_t place) {
  return same_paper(row->claim->paper, paper) && row->claim->result == place;
}

static bool is_found(const ripstop_ledger *ledger, const ripstop_paper *paper, size_t place) {
  for (size_t i = 0; i < ledger->rows; i++)
    if (is_about(&ledger->row[i], paper, place) && ledger->row[i].judgement.finding != RIPSTOP_NO_DATA) return true;
  return false;
}

ripstop_coverage ripstop_ledger_coverage(const ripstop_ledger *ledger) {
  ripstop_coverage c = {0};
  for (size_t p = 0; p < ledger->papers; p++)
    for (size_t i = 0; i < ledger->paper[p]->places; i++) c.places++, c.found += is_found(ledger, ledger->paper[p], i);
  return c;
}

/* ------------------------------------------------------------------ text */

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

static void print_row(FILE *file, const ripstop_claim_row *row, const char **last) {
  const ripstop_claim *claim = row->claim;
  ripstop_text published = {0}, measured = {0}, finding = {0};
  plot_print_estimate(&measured, row->judgement.measured);
  ripstop_text_add(&published, "%s%.4g", plot_compare_words[claim->compare], claim->published);
  if (claim->tolerance > 0) ripstop_text_add(&published, " (± %.3g)", claim->tolerance);
  fprintf(file, "  %s: %s; published %s", claim->paper ? claim->place : "no paper", claim->id, published.data);
  plot_print_finding(&finding, &row->judgement);
  fprintf(file, ", measured %s%s: %s\n", measured.length ? measured.data : "nothing",
          row->judgement.drifts ? ", in a transient" : "", finding.data);
  ripstop_text_free(&published);
  ripstop_text_free(&measured);
  ripstop_text_free(&finding);
  print_note(file, "", claim->says);
  print_reading(file, claim->reading, last);
  print_note(file, "why: ", claim->why);
  fprintf(file, "%*schosen %s, %s:%d\n", NOTE, "", claim->chosen_after ? "AFTER a look at results" : "before the runs",
          row->file, claim->line);
}

static void print_paper(FILE *file, const ripstop_ledger *ledger, const ripstop_paper *paper) {
  const char *last = NULL;
  fprintf(file, "%s (%s): %s\n", paper->key, paper->number, paper->title);
  for (size_t place = 0; place <= paper->places; place++)
    for (size_t i = 0; i < ledger->rows; i++)
      if (is_about(&ledger->row[i], paper, place < paper->places ? place : RIPSTOP_NOWHERE))
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

static void print_counts(FILE *file, const ripstop_ledger *ledger) {
  size_t count[RIPSTOP_NO_DATA + 1] = {0}, after = 0;
  for (size_t i = 0; i < ledger->rows; i++) {
    count[ledger->row[i].judgement.finding]++;
    after += ledger->row[i].claim->chosen_after;
  }
  fprintf(file, "%zu claims:", ledger->rows);
  for (size_t f = 0; f <= RIPSTOP_NO_DATA; f++)
    fprintf(file, "%s %zu %s", f ? "," : "", count[f], ripstop_finding_words[f]);
  fprintf(file, "; %zu with a reading chosen after a look\n", after);
}

static void print_missing(FILE *file, const ripstop_ledger *ledger) {
  const char *separator = "without: ";
  for (size_t p = 0; p < ledger->papers; p++)
    for (size_t i = 0; i < ledger->paper[p]->places; i++) {
      if (is_found(ledger, ledger->paper[p], i)) continue;
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

/* ------------------------------------------------------------------ JSON */

static json_t *number_or_null(double number) { return isnan(number) ? json_null() : json_real(number); }

static json_t *json_row(const ripstop_claim_row *row) {
  const ripstop_claim *claim = row->claim;
  const ripstop_judgement *j = &row->judgement;
  json_t *one = json_pack("{s:s, s:i, s:s, s:s, s:s?, s:s?, s:s?, s:s, s:s?}", "file", row->file, "line", claim->line,
                          "id", claim->id, "says", claim->says, "paper", claim->paper ? claim->paper->key : NULL,
                          "place", claim->paper ? claim->place : NULL, "reading", claim->reading, "chosen",
                          claim->chosen_after ? "after" : "before", "why", claim->why);
  json_t *numbers = json_pack(
      "{s:s, s:f, s:f, s:o, s:o, s:o, s:s, s:s, s:s, s:b, s:b, s:b}", "compare", ripstop_compare_words[claim->compare],
      "published", claim->published, "tolerance", claim->tolerance, "measured", number_or_null(j->measured.mean), "low",
      number_or_null(j->measured.low), "high", number_or_null(j->measured.high), "judged",
      ripstop_finding_words[j->judged], "author", ripstop_finding_words[claim->finding], "finding",
      ripstop_finding_words[j->finding], "drifts", j->drifts, "one_set", j->one_set, "contradicts", j->contradicts);
  if (one && numbers) json_object_update(one, numbers);
  json_decref(numbers);
  return one;
}

static json_t *json_paper(const ripstop_ledger *ledger, const ripstop_paper *paper) {
  json_t *found = json_array(), *missing = json_array();
  for (size_t i = 0; i < paper->places; i++)
    json_array_append_new(is_found(ledger, paper, i) ? found : missing, json_string(paper->place[i]));
  return json_pack("{s:s, s:s, s:s, s:o, s:o}", "number", paper->number, "key", paper->key, "title", paper->title,
                   "found", found, "missing", missing);
}

int ripstop_ledger_json(FILE *file, const ripstop_ledger *ledger, ripstop_error *err) {
  json_t *claims = json_array(), *papers = json_array();
  ripstop_coverage c = ripstop_ledger_coverage(ledger);
  for (size_t i = 0; i < ledger->rows; i++) json_array_append_new(claims, json_row(&ledger->row[i]));
  for (size_t p = 0; p < ledger->papers; p++) json_array_append_new(papers, json_paper(ledger, ledger->paper[p]));
  json_t *root = json_pack("{s:I, s:I, s:o, s:o}", "found", (json_int_t)c.found, "places", (json_int_t)c.places,
                           "papers", papers, "claims", claims);
  int bad = root ? json_dumpf(root, file, JSON_COMPACT | JSON_PRESERVE_ORDER) : -1;
  json_decref(root);
  fputs("\n", file);
  return bad ? ripstop_fail(err, "claims: text that is not UTF-8") : 0;
}
