/* fuzz_report.c - any bytes as an experiment with figures, tables, claims and agreements, and as invented outcomes of
 * its runs. Whatever comes of them: the text has no holes, the CSV files have as many columns in each row, the JSON is
 * JSON, and each element of the page is closed. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/judging.h"
#include "ripstop/kit/papers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FIGURES = 3, CLAIMS = 4, VALUES = 8, PAGES = 16, LARGEST = 1 << 24 }; /* one input of PAGES is drawn as a page */

static void demand(bool holds) {
  if (!holds) abort();
}

/* ------------------------------------------------------------------ bytes choose */

typedef struct dice {
  const uint8_t *at, *end;
  ripstop_text text; /* results so far */
  ripstop_arena *arena;
} dice;

/* 0 when there are no more bytes. */
static unsigned roll(dice *d, unsigned sides) { return d->at < d->end ? *d->at++ % sides : 0; }

#define PICK(d, list) (list)[roll(d, sizeof(list) / sizeof *(list))]

static const char *const names[] = {"accepted",    "latency.mean",   "lost.share", "accepted.drift",
                                    "latency.p99", "faults.refused", "generated",  "program.done"};
static const char *const keys[] = {"method", "faults.count", "traffic.load", "seed", "cycle", "fabric"};
static const char *const strange[] = {"plain",
                                      "<b>&amp;</b>",
                                      "a \\\"quoted\\\" 'word'",
                                      "=1+1",
                                      "a,b",
                                      "\\tx\\ny",
                                      "`date` $(ls)",
                                      "100 % of @name_{1}^2",
                                      "</script>",
                                      "\xc3\xa4\xe2\x82\xac",
                                      "-->",
                                      "%s%n",
                                      "]]>"};
static const char *const values_of[][3] = {{"updown", "misroute", "updown"},
                                           {"0", "1", "2"},
                                           {"0.2", "0.9", "0.2"},
                                           {"1", "2", "1"},
                                           {"0", "100", "200"},
                                           {"\"kary-ntree:k=2,n=2\"", "\"torus:3x3\"", "0"}};

static void add_setting(dice *d) {
  unsigned key = roll(d, 16) ? roll(d, 2) : roll(d, 6);
  ripstop_text_add(&d->text, "{%s: %s}", keys[key], values_of[key][roll(d, 3)]);
}

static const char *y_of(dice *d) {
  static const char *const others[] = {"verdict.deadlocked", "verdict.steady", "nonsense"};
  unsigned i = roll(d, 12);
  return i < 8 ? names[i] : others[i % 3];
}

static void add_figure(dice *d, unsigned number, bool table) {
  static const char *const more[] = {"relative", "change", "where"}, *const ranks[] = {"highest", "lowest"};
  ripstop_text_add(&d->text, "  - {id: %c%u, title: \"%s\", %s: %s, %s: %s", table ? 't' : 'f', number,
                   PICK(d, strange), table ? "rows" : "x", roll(d, 3) ? "faults.count" : PICK(d, keys),
                   table ? "value" : "y", y_of(d));
  if (roll(d, 8) == 7)
    ripstop_text_add(&d->text, ", %s: [%s, %s]", table ? "columns" : "by", PICK(d, keys), PICK(d, keys));
  if (roll(d, 3) == 0) {
    ripstop_text_add(&d->text, ", %s: ", PICK(d, more));
    add_setting(d);
  }
  if (roll(d, 6) == 0) ripstop_text_add(&d->text, ", rank: %s", PICK(d, ranks));
  if (roll(d, 6) == 0) ripstop_text_add(&d->text, ", over: %s", PICK(d, names));
  if (!table && roll(d, 4) == 0) ripstop_text_add(&d->text, ", kind: heatmap");
  if (!table && roll(d, 4) == 0) ripstop_text_add(&d->text, ", ymin: %d", (int)roll(d, 9) - 4);
  if (!table && roll(d, 4) == 0) ripstop_text_add(&d->text, ", ylabel: \"%s\"", PICK(d, strange));
  ripstop_text_add(&d->text, "}\n");
}

static void add_claim(dice *d, unsigned number) {
  static const char *const measures[] = {
      "{value: 1}",  "{ratio: [1, 0]}", "{slope: [0, 2]}",     "{loss: [0, 2]}",
      "{peak: all}", "{peak: [0, 1]}",  "{share: deadlocked}", "{share: steady, between: [0, 1]}"};
  static const char *const compares[] = {"about", "at-most", "at-least"};
  ripstop_text_add(&d->text, "  - {id: c%u, says: \"%s\", figure: f%u, measure: %s, compare: %s, published: %d", number,
                   PICK(d, strange), roll(d, FIGURES), PICK(d, measures), PICK(d, compares), (int)roll(d, 5) - 2);
  if (roll(d, 4)) ripstop_text_add(&d->text, ", curve: {method: updown%s}", roll(d, 2) ? ", traffic.load: 0.2" : "");
  if (roll(d, 2)) ripstop_text_add(&d->text, ", tolerance: 0.%u", roll(d, 100));
  ripstop_text_add(&d->text, "}\n");
}

static void write_experiment(dice *d) {
  ripstop_text_add(&d->text, "title: \"%s\"\nabout: \"%s\"\n", PICK(d, strange), PICK(d, strange));
  ripstop_text_add(&d->text, "fabric: %s\n",
                   roll(d, 4) ? "\"kary-ntree:k=2,n=2\"" : "[\"kary-ntree:k=2,n=2\", \"torus:3x3\"]");
  ripstop_text_add(&d->text, "method: [updown, misroute]\nfaults: {count: [0, 1, 2], samples: %u}\n", 1 + roll(d, 3));
  ripstop_text_add(&d->text, "traffic: {load: %s}\n", roll(d, 2) ? "[0.2, 0.9]" : "0.2");
  ripstop_text_add(&d->text, "measure: {warmup: 0, cycles: 300, window: 100}\nseed: %s\n", roll(d, 3) ? "1" : "[1, 2]");
  ripstop_text_add(&d->text, "figures:\n");
  for (unsigned i = 0; i < FIGURES; i++) add_figure(d, i, false);
  if (roll(d, 2)) ripstop_text_add(&d->text, "tables:\n"), add_figure(d, 0, true);
  unsigned claims = roll(d, CLAIMS + 1);
  if (claims) ripstop_text_add(&d->text, "claims:\n");
  for (unsigned i = 0; i < claims; i++) add_claim(d, i);
}

/* ------------------------------------------------------------------ outcomes */

static double number(dice *d) {
  static const double strange_numbers[] = {0, -0.0, 1, NAN, 1e30, -1e30, 1e-30, 1e-9};
  unsigned kind = roll(d, 4);
  return kind ? (double)roll(d, 256) / (kind * 64) : PICK(d, strange_numbers);
}

static const ripstop_outcome *invent(dice *d) {
  ripstop_outcome *out = RIPSTOP_NEW(d->arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(d->arena, VALUES, ripstop_value);
  ripstop_window *window = RIPSTOP_ARRAY(d->arena, 3, ripstop_window);
  if (roll(d, 8) == 7) return NULL; /* not done yet */
  *out = (ripstop_outcome){
      .verdict = ripstop_outcome_words[roll(d, RIPSTOP_OUTCOMES)], .faults = "", .seconds = number(d)};
  if (roll(d, 3) == 0) out->reason = PICK(d, strange);
  for (unsigned i = 0; i < VALUES; i++) {
    value[i] = (ripstop_value){names[i], roll(d, 9) ? "0 or 1" : "cycles", number(d), fabs(number(d))};
    if (roll(d, 12) != 11) value[out->values++] = value[i];
  }
  for (unsigned i = 0; i < 3; i++)
    window[i] = (ripstop_window){
        .cycle = 100 * i, .delivered = roll(d, 9), .delivered_flits = roll(d, 256), .latency = number(d)};
  out->value = value, out->window = window, out->windows = roll(d, 4);
  return out;
}

/* ------------------------------------------------------------------ invariants */

/* Rows of a CSV file (RFC 4180): as many fields in each. */
static void demand_table(const char *text) {
  size_t fields = 1, wanted = 0;
  bool quoted = false;
  for (; *text; text++) {
    if (*text == '"') quoted = !quoted;
    if (!quoted && *text == ',') fields++;
    if (quoted || *text != '\n') continue;
    if (!wanted) wanted = fields;
    demand(fields == wanted);
    fields = 1;
  }
  demand(!quoted && fields == 1); /* the last line has its end */
}

static const char *after(const char *text, const char *end) {
  const char *at = strstr(text, end);
  demand(at != NULL);
  return at + strlen(end);
}

/* The end of a tag, quotes left out. */
static const char *tag_end(const char *at) {
  char quote = 0;
  for (; *at && (quote || *at != '>'); at++)
    if (quote ? *at == quote : *at == '"' || *at == '\'') quote = quote ? 0 : *at;
  demand(*at == '>');
  return at;
}

typedef struct tag {
  const char *name;
  size_t length;
} tag;

static bool is_named(tag t, const char *name) { return t.length == strlen(name) && !strncmp(t.name, name, t.length); }

/* Elements without an end tag in HTML. */
static bool stands_alone(tag t, const char *end) {
  return end[-1] == '/' || is_named(t, "meta") || is_named(t, "br") || is_named(t, "img") || is_named(t, "link");
}

/* Each element is closed, in the order of their nesting; no byte is zero. */
static void demand_page(const char *page, size_t length) {
  tag open[100];
  size_t depth = 0;
  demand(strlen(page) == length);
  for (const char *at = page; (at = strchr(at, '<'));) {
    if (!strncmp(at, "<!--", 4)) {
      at = after(at, "-->");
      continue;
    }
    const char *end = tag_end(at);
    bool closes = at[1] == '/', is_declaration = at[1] == '!' || at[1] == '?';
    tag t = {at + 1 + closes, strcspn(at + 1 + closes, " \t\n/>")};
    if (closes) {
      demand(depth && open[depth - 1].length == t.length && !strncmp(open[depth - 1].name, t.name, t.length));
      depth--;
    } else if (!is_declaration && !stands_alone(t, end)) {
      demand(depth < sizeof open / sizeof *open);
      open[depth++] = t;
    }
    at = is_named(t, "style") && !closes ? after(end, "</style") - strlen("</style") : end + 1;
  }
  demand(depth == 0);
}

/* ------------------------------------------------------------------ everything that is made of them */

static void report_in_text(const ripstop_data *data) {
  char *text = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  ripstop_report_text(file, data);
  demand(!fclose(file) && strlen(text) == length);
  free(text);
}

static void report_in_tables(const ripstop_data *data) {
  static char folder[] = "/tmp/fuzz-report-XXXXXX";
  static bool made;
  ripstop_error err;
  if (!made) demand(mkdtemp(folder) != NULL);
  made = true;
  demand(ripstop_report_csv(data, folder, &err) == 0);
  const ripstop_spec *spec = data->runs->spec;
  for (size_t i = 0; i < spec->figures + 2; i++) {
    ripstop_text path = {0};
    char *text;
    size_t length;
    ripstop_arena *arena = ripstop_arena_new();
    const char *name = i < spec->figures ? spec->figure[i].id : i == spec->figures ? "runs" : "claims";
    ripstop_text_add(&path, "%s/%s.csv", folder, name);
    if (!ripstop_read_file(arena, path.data, LARGEST, &text, &length, &err)) {
      demand(strlen(text) == length);
      demand_table(text);
      unlink(path.data);
    }
    ripstop_arena_free(arena);
    ripstop_text_free(&path);
  }
}

static void report_claims(const ripstop_data *data) {
  const ripstop_spec *spec = data->runs->spec;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_claim_row *row = RIPSTOP_ARRAY(arena, spec->claims + 1, ripstop_claim_row);
  ripstop_text text = {0};
  ripstop_error err;
  for (size_t i = 0; i < spec->claims; i++)
    row[i] = (ripstop_claim_row){.spec = spec,
                                 .claim = &spec->claim[i],
                                 .judgement = ripstop_claim_judge(data, &spec->claim[i]),
                                 .basis = ripstop_claim_basis(data, &spec->claim[i], 0)};
  demand(ripstop_ledger_json(&text, &(ripstop_ledger){.rows = spec->claims, .row = row}, &err) == 0);
  json_t *json = json_loadb(text.data, text.length, 0, NULL);
  demand(json != NULL);
  json_decref(json);
  ripstop_text_free(&text);
  ripstop_arena_free(arena);
}

static void report_on_page(const ripstop_data *data) {
  ripstop_text page = {0};
  ripstop_error err;
  bool failed = ripstop_report_html(data, "ripstop run <x.yaml> & \"more\"", NULL, &page, &err) != 0;
  if (failed) fprintf(stderr, "%s\n", err.text);
  demand(!failed);
  demand_page(page.data, page.length);
  ripstop_text_free(&page);
}

static void report_all(dice *d, const ripstop_runs *runs) {
  const ripstop_outcome **outcome = RIPSTOP_ARRAY(d->arena, runs->count, const ripstop_outcome *);
  bool page = roll(d, PAGES) == PAGES - 1;
  for (size_t i = 0; i < runs->count; i++) outcome[i] = invent(d);
  ripstop_data data = {.runs = runs, .outcome = outcome};
  report_in_text(&data);
  report_in_tables(&data);
  report_claims(&data);
  if (page) report_on_page(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dice d = {.at = data, .end = data + size, .arena = ripstop_arena_new()};
  ripstop_error err = {0};
  write_experiment(&d);
  if (getenv("FUZZ_SHOW")) fputs(d.text.data, stderr);
  ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", d.text.data, d.text.length, NULL, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  if (!runs && getenv("FUZZ_SHOW")) fprintf(stderr, "%s\n", err.text);
  if (runs)
    report_all(&d, runs);
  else
    demand(!strncmp(err.text, "x.yaml:", 7) && !strchr(err.text, '\n'));
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
  ripstop_text_free(&d.text);
  ripstop_arena_free(d.arena);
  return 0;
}
