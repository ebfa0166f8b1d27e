/* index.c - the index of a book: the papers' figures and tables, their claims, and the experiments. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "papers/ledger.h"
#include "report/page.h"

typedef struct writer {
  const ripstop_book *book;
  const ripstop_ledger *ledger;
  ripstop_text *out;
} writer;

static void put(const writer *w, const char *text) { page_put(w->out, text); }

static void element(const writer *w, const char *open, const char *text, const char *close) {
  page_element(w->out, open, text, close);
}

/* ------------------------------------------------------------------ entries */

static const ripstop_book_entry *entry_of(const writer *w, const ripstop_spec *spec) {
  for (size_t i = 0; i < w->book->entries; i++)
    if (w->book->entry[i].spec == spec) return &w->book->entry[i];
  return NULL;
}

/* ------------------------------------------------------------------ pieces */

static void put_tally(const writer *w, const ripstop_claim_tally *t) {
  if (!t->claims) put(w, "<span class=\"badge\">no claim</span>");
  for (size_t f = 0; f < RIPSTOP_COUNTED_KINDS; f++)
    if (t->counted[f])
      ripstop_text_add(w->out, "<span class=\"%s\">%zu %s</span> ", plot_badge(f), t->counted[f],
                       ripstop_counted_words[f]);
}

/* The experiment's name, as a link where it has a page; `part`: of that page, or "". */
static void put_link(const writer *w, const ripstop_spec *spec, const char *part) {
  const ripstop_book_entry *entry = entry_of(w, spec);
  if (!entry || !entry->page) {
    element(w, "", spec->name, "");
    return;
  }
  put(w, "<a href=\"");
  page_put_link(w->out, entry->page);
  element(w, *part ? "#" : "", part, "\">");
  element(w, "", spec->name, "</a>");
}

/* A few words, and what they stand for behind them. */
static void put_note(const writer *w, const char *label, const char *text) {
  if (!text || !*text) return;
  element(w, "<details><summary>", label, "</summary>");
  element(w, "", text, "</details>");
}

/* ------------------------------------------------------------------ papers */

static void paper_row(const writer *w, const ripstop_paper *paper) {
  const ripstop_claim_tally t = ledger_tally(w->ledger, paper, LEDGER_ANYWHERE);
  element(w, "<tr><th scope=\"row\"><a href=\"#", paper->key, "\">");
  element(w, "", paper->key, "</a></th>");
  element(w, "<td class=\"words\">", paper->title, "</td>");
  ripstop_text_add(w->out, "<td>%zu of %zu</td><td>%zu</td>", ledger_found(w->ledger, paper), paper->places, t.claims);
  for (size_t f = 0; f <= RIPSTOP_COUNTED_NO_DATA; f++) ripstop_text_add(w->out, "<td>%zu</td>", t.counted[f]);
  ripstop_text_add(w->out, "<td>%zu</td></tr>\n", t.after);
}

static void papers(const writer *w) {
  put(w, "<h2>The papers</h2>\n");
  page_open_table(w->out, "The papers, and how their claims fare");
  put(w, "<thead><tr><th>paper</th><th class=\"words\">title</th><th>results with a finding</th>"
         "<th>claims</th>");
  for (size_t f = 0; f <= RIPSTOP_COUNTED_NO_DATA; f++) element(w, "<th>", ripstop_counted_words[f], "</th>");
  put(w, "<th>read after seeing results</th></tr></thead><tbody>\n");
  for (size_t i = 0; i < w->ledger->papers; i++) paper_row(w, w->ledger->paper[i]);
  page_close_table(w->out);
}

/* The experiments that have claims about a place, each once. */
static void place_links(const writer *w, const ripstop_paper *paper, size_t place) {
  const char *separator = "";
  for (size_t e = 0; e < w->book->entries; e++) {
    bool about = false;
    for (size_t i = 0; i < w->ledger->rows; i++)
      about |= w->ledger->row[i].spec == w->book->entry[e].spec && ledger_is_about(&w->ledger->row[i], paper, place);
    if (!about) continue;
    put(w, separator);
    put_link(w, w->book->entry[e].spec, "");
    separator = ", ";
  }
}

static void places(const writer *w, const ripstop_paper *paper) {
  page_open_table(w->out, "Figures and tables that show results");
  put(w, "<thead><tr><th>figure or table</th><th class=\"words\">its claims</th><th class=\"words\">experiments</th>"
         "</tr></thead><tbody>\n");
  for (size_t i = 0; i < paper->places; i++) {
    const ripstop_claim_tally t = ledger_tally(w->ledger, paper, i);
    element(w, "<tr><th scope=\"row\">", paper->place[i], "</th><td class=\"words\">");
    put_tally(w, &t);
    put(w, "</td><td class=\"words\">");
    place_links(w, paper, i);
    put(w, "</td></tr>\n");
  }
  page_close_table(w->out);
}

static void claim_row(void *to, const ripstop_claim_row *row) {
  const writer *w = to;
  const ripstop_claim *claim = row->claim;
  ripstop_text text = {0};
  element(w, "<tr><th scope=\"row\">", claim->paper ? claim->place : row->spec->name, "</th><td class=\"words\">");
  element(w, "", claim->says, "");
  put_note(w, claim->chosen_after ? "how it was read, chosen after seeing results" : "how it was read", claim->reading);
  put_note(w, "why", claim->why);
  plot_print_cause(&text, claim);
  put_note(w, "cause", text.data);
  ripstop_text_free(&text);
  put(w, "</td><td>");
  ledger_print_published(w->out, claim);
  put(w, "</td><td>");
  ledger_print_measured(w->out, row);
  put(w, "</td><td>");
  plot_put_finding(w->out, claim, &row->judgement);
  put(w, "</td><td class=\"words\">");
  put_link(w, row->spec, claim->figure->id);
  put(w, "</td></tr>\n");
}

/* About the paper; NULL: about none. */
static void claims(writer *w, const char *name, const ripstop_paper *paper) {
  page_open_table(w->out, name);
  put(w, "<thead><tr><th>place</th><th class=\"words\">claim</th><th>published</th><th>measured</th><th>finding</th>"
         "<th class=\"words\">experiment</th></tr></thead><tbody>\n");
  ledger_each(w->ledger, paper, claim_row, w);
  page_close_table(w->out);
}

static void one_paper(writer *w, const ripstop_paper *paper) {
  element(w, "<h2 id=\"", paper->key, "\">");
  element(w, "Paper ", paper->number, ": ");
  element(w, "", paper->title, "</h2>\n");
  places(w, paper);
  ripstop_text_add(w->out, "<details><summary>All %zu claims</summary>\n",
                   ledger_tally(w->ledger, paper, LEDGER_ANYWHERE).claims);
  claims(w, "What the paper claims, and what was measured", paper);
  put(w, "</details>\n");
}

/* Claims of experiments' own. */
static void others(writer *w) {
  const ripstop_claim_tally t = ledger_tally(w->ledger, NULL, LEDGER_ANYWHERE);
  if (!t.claims) return;
  put(w, "<h2>Claims of no paper</h2>\n<p>");
  put_tally(w, &t);
  put(w, "</p>\n");
  claims(w, "Claims of no paper", NULL);
}

/* ------------------------------------------------------------------ experiments */

static void experiment_row(const writer *w, const ripstop_book_entry *entry) {
  put(w, "<tr><th scope=\"row\">");
  put_link(w, entry->spec, "");
  element(w, "</th><td class=\"words\"><b>", entry->spec->title, "</b>");
  element(w, *entry->spec->about ? "<br>" : "", entry->spec->about, "</td>");
  ripstop_text_add(w->out, "<td>%zu of %zu</td><td>%.3g</td></tr>\n", entry->done, entry->runs, entry->seconds);
}

static void experiments(const writer *w) {
  put(w, "<h2>The experiments</h2>\n");
  page_open_table(w->out, "The experiments");
  put(w, "<thead><tr><th>page</th><th class=\"words\">question</th><th>runs that are done</th>"
         "<th>seconds of a processor</th></tr></thead><tbody>\n");
  for (size_t i = 0; i < w->book->entries; i++) experiment_row(w, &w->book->entry[i]);
  page_close_table(w->out);
}

/* ------------------------------------------------------------------ the whole */

/* The ledger with those papers alone that a claim of these experiments is about: a book of some experiments does not
 * count what others are for. */
static ripstop_ledger about(const ripstop_ledger *all, ripstop_arena *arena) {
  ripstop_ledger own = *all;
  const ripstop_paper **paper = RIPSTOP_ARRAY(arena, all->papers + 1, const ripstop_paper *);
  own.paper = paper, own.papers = 0;
  for (size_t p = 0; p < all->papers; p++)
    if (ledger_tally(all, all->paper[p], LEDGER_ANYWHERE).claims) paper[own.papers++] = all->paper[p];
  return own;
}

static void facts(const writer *w) {
  size_t runs = 0, done = 0;
  ripstop_coverage coverage = ripstop_ledger_coverage(w->ledger);
  ripstop_claim_tally t = {0};
  for (size_t i = 0; i < w->book->entries; i++) runs += w->book->entry[i].runs, done += w->book->entry[i].done;
  for (size_t i = 0; i < w->ledger->rows; i++) ripstop_claim_tally_add(&t, &w->ledger->row[i]);
  put(w, "<p>");
  if (w->ledger->papers)
    ripstop_text_add(w->out,
                     "Of the %zu figures and tables by which %zu paper%s results, %zu have a claim with a "
                     "finding: a number that was published, beside the same as it is measured here. ",
                     coverage.places, w->ledger->papers, w->ledger->papers == 1 ? " shows" : "s show", coverage.found);
  put(w, "An interval is a confidence interval; each claim says how the paper was read, and whether that was settled "
         "before the runs.</p>\n<p>");
  put_tally(w, &t);
  ripstop_text_add(w->out,
                   "</p>\n<p class=\"facts\">%zu experiments, %zu of %zu runs done · ripstop %s, model %d</p>\n",
                   w->book->entries, done, runs, RIPSTOP_VERSION, RIPSTOP_MODEL_VERSION);
}

int ripstop_book_html(const ripstop_book *book, const char *command, ripstop_text *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_arena *arena = ripstop_arena_new();
  const ripstop_ledger ledger = about(book->ledger, arena);
  writer w = {.book = book, .ledger = &ledger, .out = out};
  page_open(out, "The book of experiments", NULL);
  facts(&w);
  put(&w, "</header>\n");
  if (ledger.papers) papers(&w);
  experiments(&w);
  for (size_t i = 0; i < ledger.papers; i++) one_paper(&w, ledger.paper[i]);
  others(&w);
  element(&w, "<h2>How to make this book</h2>\n<pre tabindex=\"0\">", command, "</pre>\n</main></body></html>\n");
  ripstop_arena_free(arena);
  return 0;
}
