/* trace_format.c - finds the format of a text by its first lines. */
#include "formats/traces/trace_format.h"

#include <strings.h>

#include "formats/traces/htsim_topology.h"
#include "formats/traces/trace_words.h"

const trace_format trace_htsim_topology = {.name = "htsim topology", .graph = htsim_topology_graph};
const trace_format trace_htsim_matrix = {.name = "htsim connection matrix", .kind = "cm"};

/* ------------------------------------------------------------------ first lines */

/* True for the same letters; capitals do not matter. */
static bool is(piece word, const char *text) {
  return piece_length(word) == strlen(text) && strncasecmp(word.at, text, piece_length(word)) == 0;
}

static bool is_any(piece word, const char *const *list) {
  for (; *list; list++)
    if (is(word, *list)) return true;
  return false;
}

/* Only an edge list has a line that begins with '@'. */
static bool has_marks(const char *text, size_t length) {
  trace_lines lines = trace_lines_of(text, length);
  while (trace_next_line(&lines, true))
    if (*lines.line.at == '@') return true;
  return false;
}

/* Only an edge list has a speed or KEY=VALUE behind two names. */
static bool is_of_cable(piece word) { return ripstop_graph_speed(word) > 0 || piece_find(word, "=") != NULL; }

/* ------------------------------------------------------------------ htsim */

static bool is_flow(piece word) {
  uint32_t ignored;
  return piece_count(&word, 0, &ignored) && piece_take(&word, "->") && piece_count(&word, 0, &ignored) &&
         word.at == word.end;
}

/* "Nodes 8" may begin both files: the first other line decides. Without one it is a topology. */
static const trace_format *of_htsim(const char *text, size_t length) {
  static const char *const topology[] = {"tiers", "podsize", "tier", NULL};
  static const char *const matrix[] = {"connections", "triggers", "failures", NULL};
  trace_lines lines = trace_lines_of(text, length);
  bool nodes = false;
  while (trace_next_line(&lines, true)) {
    piece word[3] = {{NULL, NULL}};
    const size_t words = trace_split(lines.line, word, 3);
    if (is_flow(word[0])) return nodes || words > 2 ? &trace_htsim_matrix : NULL;
    if (words < 2 || !piece_is_number(word[1]) || (words > 2 && is_of_cable(word[2]))) break;
    if (is_any(word[0], matrix)) return &trace_htsim_matrix;
    if (is_any(word[0], topology)) return &trace_htsim_topology;
    if (!is(word[0], "nodes")) break;
    nodes = true;
  }
  return nodes ? &trace_htsim_topology : NULL;
}

/* ------------------------------------------------------------------ all of them */

const trace_format *trace_format_of(const char *text, size_t length) {
  const trace_format *found = of_htsim(text, length);
  return found && !has_marks(text, length) ? found : NULL;
}

int ripstop_trace_refuse_other(const char *text, size_t length, const char *kind, ripstop_error *err) {
  const trace_format *f = trace_format_of(text, length);
  if (!f || (f->kind && strcmp(f->kind, kind) == 0)) return 0;
  if (f->graph) return ripstop_fail(err, "this is a file in the format '%s': a fabric, and no job", f->name);
  if (f->kind)
    return ripstop_fail(err, "this is a file in the format '%s', which the workload %s:FILE reads", f->name, f->kind);
  return ripstop_fail(err, "this is a file in the format '%s', which is not read%s%s", f->name, f->advice ? "; " : "",
                      f->advice ? f->advice : "");
}

/* A rate is in thousandths of the fastest, and one below a hundredth has no exact value there. */
static int check_rates(const ripstop_graph *g, ripstop_error *err) {
  enum { LEAST = RIPSTOP_RATE_FULL / RIPSTOP_RATE_LEAST };
  for (uint32_t i = 0; i < g->cables; i++)
    if (g->cable[i].speed && (uint64_t)g->cable[i].speed * LEAST < g->fastest)
      return ripstop_fail(err, "%s:%u: a speed of %u Mb/s is below a hundredth of the fastest, %u Mb/s", g->file,
                          g->cable[i].line, g->cable[i].speed, g->fastest);
  return 0;
}

int trace_read_graph(const trace_format *f, ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  if (f->graph) return f->graph(g, text, length, err) || check_rates(g, err) ? -1 : 0;
  if (f->kind)
    return ripstop_fail(err, "%s: this is a file in the format '%s': a job (--workload %s:FILE), and no fabric",
                        g->file, f->name, f->kind);
  return ripstop_fail(err, "%s: this is a file in the format '%s', which is not read%s%s", g->file, f->name,
                      f->advice ? "; " : "", f->advice ? f->advice : "");
}

/* ------------------------------------------------------------------ names */

static piece name_of(char *out, size_t room, char letter, uint64_t number) {
  snprintf(out, room, "%c%llu", letter, (unsigned long long)number);
  return piece_of(out);
}

enum { NAME = 24 };

uint32_t trace_graph_router(ripstop_graph *g, char letter, uint64_t number, ripstop_error *err) {
  char name[NAME];
  return ripstop_graph_router_of(g, name_of(name, sizeof name, letter, number), err);
}

uint32_t trace_graph_end(ripstop_graph *g, char letter, uint64_t number, ripstop_error *err) {
  char name[NAME];
  return ripstop_graph_end_of(g, name_of(name, sizeof name, letter, number), err);
}
