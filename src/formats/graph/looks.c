/* looks.c - finds the format of a text that is no edge list: files of other programs also have two words a line, and
 * would become fabrics that do not exist.
 *
 * A text with a line that begins with '@' is an edge list. In other texts the first lines that are neither blank nor a
 * comment decide: a word at the beginning of its files shows each format. Signs that router names may have too
 * (capitals, digits and colons, a word of a program) count only in lines that no edge list has. A text of no known
 * format is checked after reading, by its graph (`ripstop_graph_check_list`). Sources of the signatures: the formats'
 * own documents; HPCC's third.cc, METIS' manual, NetworkX' readwrite, OpenSM's
 * dumps. */
#include <ctype.h>
#include <stdlib.h>

#include <strings.h>

#include "formats/graph/named_graph.h"
#include "formats/infiniband/kinds.h"

enum { WORDS = 8, LINES = 6 };

typedef struct line {
  uint32_t number;
  piece text, word[WORDS];
  size_t words;   /* all; WORDS of them are kept */
  size_t numbers; /* how many words are whole numbers */
} line;

/* True for the same letters; capitals do not matter. */
static bool is(piece word, const char *text) {
  return piece_length(word) == strlen(text) && strncasecmp(word.at, text, piece_length(word)) == 0;
}

static bool holds(piece p, const char *text) { return piece_find(p, text) != NULL; }

static bool is_any(piece word, const char *const *list) {
  for (; *list; list++)
    if (is(word, *list)) return true;
  return false;
}

/* ------------------------------------------------------------------ lines */

static void split(line *l) {
  piece rest = l->text;
  l->words = l->numbers = 0;
  while (rest.at < rest.end) {
    while (rest.at < rest.end && isspace((unsigned char)*rest.at)) rest.at++;
    piece word = {rest.at, rest.at};
    while (word.end < rest.end && !isspace((unsigned char)*word.end)) word.end++;
    rest.at = word.end;
    if (word.at == word.end) break;
    if (*word.at == '#' && l->words == 2) { /* a comment behind a cable */
      l->text.end = word.at;
      return;
    }
    if (l->words < WORDS) l->word[l->words] = word;
    l->words++;
    l->numbers += piece_is_number(word);
  }
}

/* The first lines that are neither blank nor a comment; 0 where one begins with '@'. */
static size_t first_lines(const char *text, size_t length, line *list) {
  piece all = piece_of_file(text, length), at;
  size_t count = 0;
  for (uint32_t number = 1; piece_next_line(&all, &at); number++) {
    while (at.at < at.end && isspace((unsigned char)*at.at)) at.at++;
    if (piece_begins(at, "@end") || piece_begins(at, "@router")) return 0;
    if (at.at == at.end || (*at.at == '#' && !piece_begins(at, "#!"))) continue;
    if (count == LINES) continue;
    list[count].number = number;
    list[count].text = at;
    split(&list[count++]);
  }
  return count;
}

/* ------------------------------------------------------------------ formats */

static const char *of_ib(const line *l) {
  const ib_kind *kind = ib_kind_of_line(l->text);
  return kind ? kind->name : NULL;
}

static const char *of_graphs(const line *l) {
  static const char *const dot[] = {"digraph", "strict", NULL};
  static const char *const dimacs[] = {"edge", "col", "sp", "max", NULL};
  static const char *const gml[] = {"Creator", "directed", "multigraph", NULL};
  const bool braces = l->words > 1 && *l->word[l->words < WORDS ? l->words - 1 : WORDS - 1].at == '{';
  if (is(l->word[0], "graph") && l->words == 2 && is(l->word[1], "[")) return "GML, whose other form GraphML is read";
  if (is_any(l->word[0], gml) || (is(l->word[0], "node") && l->words == 2 && is(l->word[1], "[")))
    return "GML, whose other form GraphML is read";
  if (is_any(l->word[0], dot) || (is(l->word[0], "graph") && (l->words == 1 || braces))) return "Graphviz' DOT";
  if (holds(l->text, "\" -- \"") || holds(l->text, " -> ") || holds(l->text, "\"--\""))
    return holds(l->text, "\"") ? "Graphviz' DOT" : "a list of arcs";
  if (is(l->word[0], "p") && l->words >= 3 && is_any(l->word[1], dimacs)) return "a graph of DIMACS";
  if (l->words >= 3 && (piece_begins(l->word[2], "{'") || piece_begins(l->word[2], "{}")))
    return "an edge list of NetworkX with attributes (data=False leaves them out)";
  if (piece_begins(l->text, "%%MatrixMarket")) return "a matrix (Matrix Market)";
  if (piece_begins(l->text, "*Vertices") || piece_begins(l->text, "*Network")) return "a network of Pajek";
  return NULL;
}

static const char *of_jobs(const line *l) {
  static const char *const simai[] = {"MICRO", "DATA", "MODEL", "COLOCATED", "DISTRIBUTED_INFERENCE", NULL};
  if (is(l->word[0], "num_ranks")) return "a GOAL trace: that is a workload (goal:FILE)";
  if ((piece_begins(l->text, "HYBRID_") && l->words != 2) || (l->words == 1 && is_any(l->word[0], simai)))
    return "a workload of SimAI";
  return NULL;
}

/* "0 3 1000" and the like: counts or rows of simulators. */
static const char *of_numbers(const line *l, size_t lines) {
  if (l->numbers == 5 && l->words >= 6) return "a topology of SimAI";
  if (l->numbers != l->words) return NULL;
  if (l->words == 1) return lines > 1 ? "a list that begins with its length, such as flows of HPCC's simulator" : NULL;
  if (l->words == 3) return "a topology of HPCC's simulator, or a list with weights (which are rate=... or delay=...)";
  return l->words > 3 ? "rows of numbers" : NULL;
}

static bool is_clock(piece word) {
  unsigned digits = 0, marks = 0;
  for (const char *c = word.at; c < word.end; c++) {
    digits += isdigit((unsigned char)*c) != 0;
    marks += *c == ':' || *c == '-' || *c == '.' || *c == 'T';
  }
  return digits >= 6 && marks >= 2 && digits + marks >= piece_length(word) - 1;
}

static const char *of_logs(const line *l) {
  static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul",
                                       "Aug", "Sep", "Oct", "Nov", "Dec", NULL};
  if (is_clock(l->word[0]) || (l->words > 2 && is_any(l->word[0], months))) return "a log";
  if (piece_begins(l->text, ">") || piece_begins(l->text, "From:") || piece_begins(l->text, "Subject:"))
    return "an e-mail";
  return NULL;
}

/* "TOPOLOGY_FILE mix/topology.txt" */
static bool is_capitals(piece word) {
  bool under = false;
  for (const char *c = word.at; c < word.end; c++) {
    if (*c != '_' && !isupper((unsigned char)*c) && !isdigit((unsigned char)*c)) return false;
    under |= *c == '_';
  }
  return under && piece_length(word) > 3;
}

static const char *of_programs(const line *l) {
  static const char *const code[] = {"import", "from",   "def", "class", "function", "return", "fn",
                                     "echo",   "export", "cd",  "set",   "int",      NULL};
  if (is_any(l->word[0], code) || piece_begins(l->text, "(def")) return "a program";
  if (l->text.end[-1] == '{' && *l->text.at != '{' && *l->text.at != '[') return "a program, or settings in braces";
  if (piece_begins(l->text, "\\")) return "a text of TeX";
  if (l->words >= 3 && l->numbers == 0 && l->text.end[-1] == '.') return "prose";
  return is_capitals(l->word[0]) && l->words >= 2 ? "settings of a simulator (KEY VALUE)" : NULL;
}

/* True if an edge list may have the line: two words, then nothing, a speed or KEY=VALUE. */
static bool is_cable(const line *l) {
  if (l->words <= 2) return l->words == 2;
  return holds(l->word[2], "=") || ripstop_graph_speed(l->word[2]) > 0;
}

/* "KEY=VALUE" and "KEY = VALUE". */
static const char *of_settings(const line *l) {
  const bool equal = l->words > 1 && is(l->word[1], "=");
  if (piece_begins(l->text, "SwitchName=")) return "Slurm's topology.conf";
  if (piece_begins(l->text, "NodeName=")) return "Slurm's list of nodes";
  return equal || (l->words > 0 && *l->word[0].at != '=' && holds(l->word[0], "=")) ? "settings (KEY=VALUE)" : NULL;
}

static const char *of_other_lines(const line *l) {
  const char *settings = of_settings(l);
  if (settings) return settings;
  if (is_cable(l)) return NULL;
  const char *what = of_logs(l);
  return what ? what : of_programs(l);
}

static const char *of_texts(const line *l) {
  if (piece_begins(l->text, "From:") || piece_begins(l->text, "Subject:")) return "an e-mail";
  if (piece_begins(l->text, "{") || piece_begins(l->text, "[{") || piece_begins(l->text, "[[") ||
      piece_begins(l->text, "[\"") || is(l->word[0], "["))
    return "JSON";
  if (piece_begins(l->text, "[") && l->text.end[-1] == ']' && l->words == 1) return "a file of settings";
  if (piece_begins(l->text, "---") || (piece_length(l->word[0]) > 1 && l->word[0].end[-1] == ':')) return "YAML";
  if (piece_begins(l->text, "#!")) return "a program";
  if (piece_begins(l->text, "%PDF")) return "PDF";
  if (piece_begins(l->text, "//") || piece_begins(l->text, "%"))
    return "a list whose comments begin with '//' or '%' ('#' begins one here)";
  return holds(l->text, ";") || (holds(l->text, ",") && !holds(l->text, "="))
             ? "a table with commas or semicolons (CSV)"
             : NULL;
}

/* True if all words are numbers, and the first line counts the nodes and edges of the others: an edge on each ("5 7"
 * before seven lines), or the neighbours of a node on each ("4 4" before four lines of eight numbers). */
static const char *of_counts(const char *text, size_t length, const line *first) {
  piece all = piece_of_file(text, length), at;
  uint64_t lines = 0, numbers = 0, nodes, edges, most = 0;
  if (first->words != 2 || first->numbers != 2 || piece_length(first->text) > 18) return NULL;
  nodes = strtoull(first->word[0].at, NULL, 10);
  edges = strtoull(first->word[1].at, NULL, 10);
  for (uint32_t number = 1; piece_next_line(&all, &at); number++) {
    line l = {.text = at};
    split(&l);
    if (number <= first->number || l.words == 0 || *l.word[0].at == '#' || *l.word[0].at == '%') continue;
    if (l.numbers != l.words) return NULL;
    for (size_t i = 0; i < l.words && i < WORDS; i++) {
      const uint64_t value = piece_length(l.word[i]) > 18 ? UINT64_MAX : strtoull(l.word[i].at, NULL, 10);
      if (value > most) most = value;
    }
    numbers += l.words;
    lines++;
  }
  if (lines < 3 || most > nodes) return NULL;
  if (lines == nodes && numbers == 2 * edges) return "a graph of METIS, whose first line counts its nodes and edges";
  return lines == edges && numbers == 2 * edges ? "a list whose first line counts its nodes and edges" : NULL;
}

/* "a -- b", "a -> b", "a,b": two names that are joined, and at most a speed behind them. */
static bool is_joined(const line *l) {
  piece first = l->word[0];
  size_t commas = 0, rest = l->words;
  if (l->words > WORDS || holds(l->text, ";") || holds(l->text, "\"") || holds(l->text, "{") || holds(l->text, "("))
    return false;
  if (l->words >= 3 && ripstop_graph_is_join(l->word[1])) return l->words == 3;
  for (const char *c = l->text.at; c < l->text.end; c++)
    commas += *c == ',' && !memchr(l->text.at, '=', (size_t)(c - l->text.at));
  while (rest > 1 && ripstop_graph_speed(l->word[rest - 1]) > 0) rest--;
  const bool tight = rest == 1 && (first.end[-1] != ',') && *first.at != ',';
  return commas == 1 && (tight || (rest == 2 && (first.end[-1] == ',' || *l->word[1].at == ',')));
}

const char *ripstop_graph_looks(const char *text, size_t length, uint32_t *number) {
  static const char *(*const kinds[])(const line *) = {of_ib, of_graphs, of_jobs, of_other_lines, of_texts, NULL};
  line list[LINES] = {{0}};
  const size_t lines = first_lines(text, length, list);
  const char *counts = lines > 0 ? of_counts(text, length, &list[0]) : NULL;
  if (counts) return *number = list[0].number, counts;
  for (size_t i = 0; i < lines; i++) {
    const char *what = NULL;
    if (is_joined(&list[i])) continue;
    for (unsigned k = 0; kinds[k] && !what; k++) what = kinds[k](&list[i]);
    if (!what && i == 0) what = of_numbers(&list[i], lines);
    if (!what) continue;
    *number = list[i].number;
    return what;
  }
  return NULL;
}
