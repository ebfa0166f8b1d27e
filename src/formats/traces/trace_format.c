/* trace_format.c - finds the format of a text by its first lines. */
#include "formats/traces/trace_format.h"

#include <strings.h>

#include "formats/traces/astra_network.h"
#include "formats/traces/goal_binary.h"
#include "formats/traces/htsim_matrix.h"
#include "formats/traces/htsim_topology.h"
#include "formats/traces/ns3_topology.h"
#include "formats/traces/trace_words.h"

const trace_format trace_htsim_topology = {.name = "htsim topology", .graph = htsim_topology_graph};
const trace_format trace_htsim_matrix = {.name = HTSIM_MATRIX, .kind = "cm"};
const trace_format trace_hpcc_topology = {.name = "ns-3 HPCC topology", .graph = ns3_hpcc_graph};
const trace_format trace_hpcc_flows = {.name = "ns-3 HPCC flows", .kind = "flows"};
const trace_format trace_simai_topology = {.name = "SimAI topology", .graph = ns3_simai_graph};
const trace_format trace_astra_network = {.name = "ASTRA-sim network", .graph = astra_network_graph};
const trace_format trace_chakra = {.name = "Chakra execution trace", .kind = "chakra"};
const trace_format trace_simai_workload = {.name = "SimAI workload", .kind = "simai"};
static const trace_format goal_schedule = {.name = "GOAL binary", .kind = "goal"};

/* Formats that nothing here reads. */
static const trace_format fork4 = {.name = "ns-3 topology of a fork of HPCC, with 4 counts in its first line",
                                   .advice = "HPCC's own has 3 counts (nodes, switches, links)"};
static const trace_format fork6 = {.name = "ns-3 topology of a fork of HPCC, with 6 counts in its first line",
                                   .advice = "HPCC's own has 3 counts (nodes, switches, links)"};
static const trace_format ns3_settings = {
    .name = "ns-3 HPCC or ASTRA-sim configuration",
    .advice = "the files that it names by TOPOLOGY_FILE and FLOW_FILE are read, as a fabric and as flows:FILE"};
static const trace_format colocated = {.name = "LLMServingSim workload (COLOCATED)"};
static const trace_format pytorch = {.name = "PyTorch execution trace",
                                     .advice =
                                         "Chakra's converter (chakra_trace_link, chakra_converter) makes traces of it"};
static const trace_format astra_system = {.name = "ASTRA-sim system",
                                          .advice = "it has options of collectives, which are keys of a workload here"};
static const trace_format astra_logical = {.name = "ASTRA-sim logical topology",
                                           .advice = "the network file is read as a fabric"};
static const trace_format astra_old = {.name = "ASTRA-sim network of an older version",
                                       .advice = "write topology, npus_count, bandwidth and latency in YAML"};
static const trace_format nccl_topology = {
    .name = "NCCL topology", .advice = "it is the inside of one server: rail:...,nvswitch=1 is a fabric with servers"};
static const trace_format nccl_graph = {.name = "NCCL graph",
                                        .advice = "it has rings inside one server, and no fabric"};
static const trace_format msccl = {.name = "MSCCL algorithm",
                                   .advice = "ASTRA-sim's CollectiveAPI makes a Chakra trace of it"};
static const trace_format gml = {.name = "GML", .advice = "its other form GraphML is read"};

/* ------------------------------------------------------------------ first lines */

enum { WORDS = 8, LINES = 4 };

typedef struct first_line {
  piece text, word[WORDS];
  size_t words;
} first_line;

/* The first lines that are neither blank nor a comment. */
static size_t first_lines(const char *text, size_t length, first_line *list) {
  trace_lines lines = trace_lines_of(text, length);
  size_t count = 0;
  for (; count < LINES && trace_next_line(&lines, true); count++) {
    list[count].text = lines.line;
    list[count].words = trace_split(lines.line, list[count].word, WORDS);
  }
  return count;
}

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

/* ------------------------------------------------------------------ ns-3, SimAI */

/* A rate such as 100Gbps among the words. */
static bool has_rate(const first_line *l) {
  uint64_t bits;
  for (size_t i = 0; i < l->words && i < WORDS; i++)
    if (!piece_is_number(l->word[i]) && trace_speed(l->word[i], &bits)) return true;
  return false;
}

static size_t count_numbers(const first_line *l) {
  size_t count = 0;
  while (count < l->words && count < WORDS && piece_is_number(l->word[count])) count++;
  return count;
}

/* A row of a flow: five whole numbers, and a sixth that may have a point. */
static bool is_row(const first_line *l) {
  enum { COLUMNS = 6 };
  uint64_t whole;
  bool more;
  return l->words == COLUMNS && count_numbers(l) >= COLUMNS - 1 &&
         trace_decimal(l->word[COLUMNS - 1], 0, &whole, &more);
}

/* Numbers alone in the first line. Lists of numbers are rows of other formats too, so links must have a rate. */
static const trace_format *of_numbers(const first_line *l, size_t lines) {
  const size_t numbers = count_numbers(&l[0]);
  const bool alone = numbers == l[0].words;
  bool rate = false;
  for (size_t i = 1; i < lines; i++) rate |= has_rate(&l[i]);
  if (numbers == 5 && l[0].words == 6) return &trace_simai_topology;
  if (alone && numbers == 1 && lines > 1 && is_row(&l[1])) return &trace_hpcc_flows;
  if (!alone || !rate) return NULL;
  return numbers == 3 ? &trace_hpcc_topology : numbers == 4 ? &fork4 : numbers == 6 ? &fork6 : NULL;
}

/* "TOPOLOGY_FILE mix/topology.txt" among lines of KEY VALUE. */
static const trace_format *of_settings(const char *text, size_t length) {
  static const char *const words[] = {"ENABLE_QCN", "TOPOLOGY_FILE", "FLOW_FILE", "USE_DYNAMIC_PFC_THRESHOLD", NULL};
  trace_lines lines = trace_lines_of(text, length);
  for (unsigned i = 0; i < LINES && trace_next_line(&lines, true); i++) {
    piece word[3] = {{NULL, NULL}};
    const size_t count = trace_split(lines.line, word, 3);
    for (unsigned k = 0; words[k]; k++)
      if (count == 2 && piece_is(word[0], words[k]) && !ripstop_graph_speed(word[1])) return &ns3_settings;
  }
  return NULL;
}

static const trace_format *of_layers(const first_line *l, size_t lines) {
  static const char *const policies[] = {"MICRO", "DATA", "MODEL", "DISTRIBUTED_INFERENCE", NULL};
  if (lines < 2 || l[1].words != 1 || !piece_is_number(l[1].word[0])) return NULL;
  if (piece_is(l[0].word[0], "COLOCATED")) return &colocated;
  if (piece_begins(l[0].word[0], "HYBRID_")) return &trace_simai_workload;
  for (unsigned i = 0; policies[i]; i++)
    if (piece_is(l[0].word[0], policies[i])) return &trace_simai_workload;
  return NULL;
}

/* Keys of ASTRA-sim's older networks at the begin of a line, in YAML. */
static const trace_format *of_old_network(const char *text, size_t length) {
  trace_lines lines = trace_lines_of(text, length);
  bool topology = false, units = false;
  while (trace_next_line(&lines, true)) {
    topology |= piece_begins(lines.line, "topology:") || piece_begins(lines.line, "topology-name:");
    units |= piece_begins(lines.line, "units-count:") || piece_begins(lines.line, "dimensions-count:");
  }
  return topology && units ? &astra_old : NULL;
}

/* ------------------------------------------------------------------ XML, JSON, GML */

/* Behind declarations and comments: the name of the first element. */
static const trace_format *of_xml(piece text) {
  static const struct {
    const char *tag;
    const trace_format *format;
  } roots[] = {{"system", &nccl_topology}, {"graphs", &nccl_graph}, {"algo", &msccl}};
  for (; text.at < text.end; text.at++) {
    if (piece_begins(text, "<!--")) {
      const char *end = piece_find(text, "-->");
      if (!end) return NULL;
      text.at = end;
    }
    if (*text.at != '<') continue;
    piece tag = {text.at + 1, text.at + 1};
    while (tag.end < text.end && strchr("abcdefghijklmnopqrstuvwxyz", *tag.end) && *tag.end) tag.end++;
    if (tag.at == tag.end) continue; /* <? and <! */
    for (unsigned i = 0; i < sizeof roots / sizeof *roots; i++)
      if (piece_is(tag, roots[i].tag)) return roots[i].format;
    return NULL;
  }
  return NULL;
}

static const trace_format *of_json(piece text) {
  static const struct {
    const char *key, *other; /* `other` stands there too; NULL: one is enough */
    const trace_format *format;
  } known[] = {{"\"workload_graph\"", NULL, &trace_chakra},     {"\"traceEvents\"", NULL, &pytorch},
               {"\"schema\"", "\"nodes\"", &pytorch},           {"\"scheduling-policy\"", NULL, &astra_system},
               {"-implementation\"", NULL, &astra_system},      {"\"logical-dims\"", NULL, &astra_logical},
               {"\"version\"", "\"COMP_NODE\"", &trace_chakra}, {"\"version\"", "\"COMM_", &trace_chakra},
               {"\"topology-name\"", NULL, &astra_old},         {"\"dimensions-count\"", NULL, &astra_old}};
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (piece_find(text, known[i].key) && (!known[i].other || piece_find(text, known[i].other))) return known[i].format;
  return NULL;
}

static const trace_format *of_marks(const char *text, size_t length) {
  piece p = piece_of_file(text, length);
  while (p.at < p.end && (piece_blank(*p.at) || *p.at == '\n')) p.at++;
  if (p.at < p.end && *p.at == '<') return of_xml(p);
  if (p.at < p.end && *p.at == '{') return of_json(p);
  return NULL;
}

static const trace_format *of_gml(const first_line *l, size_t lines) {
  if (lines == 0) return NULL;
  const bool opens = l[0].words == 2 && piece_is(l[0].word[0], "graph") && piece_is(l[0].word[1], "[");
  const bool alone = lines > 1 && l[0].words == 1 && piece_is(l[0].word[0], "graph") && piece_is(l[1].word[0], "[");
  return opens || alone ? &gml : NULL;
}

/* ------------------------------------------------------------------ Chakra's messages */

/* A length of at most 5 bytes; false: none. */
static bool take_length(piece *p, uint64_t *out) {
  enum { BYTES = 5, BITS = 7, MORE = 0x80 };
  *out = 0;
  for (unsigned i = 0; i < BYTES && p->at < p->end; i++) {
    const uint8_t byte = (uint8_t)*p->at++;
    *out |= (uint64_t)(byte & (MORE - 1)) << (BITS * i);
    if (!(byte & MORE)) return true;
  }
  return false;
}

/* A message of metadata has the fields 1, a text, and 2 alone; behind it stands another message, or nothing. */
static bool is_chakra(piece p) {
  enum { VERSION = 0x0a, ATTRIBUTE = 0x12, NODE_ID = 0x08 };
  uint64_t size, own;
  if (!take_length(&p, &size) || size > piece_length(p)) return false;
  piece message = {p.at, p.at + size};
  p.at = message.end;
  while (message.at < message.end) {
    const uint8_t tag = (uint8_t)*message.at++;
    if ((tag != VERSION && tag != ATTRIBUTE) || !take_length(&message, &own) || own > piece_length(message))
      return false;
    message.at += own;
  }
  if (size > 0 && p.at == p.end) return true;
  if (!take_length(&p, &own) || own == 0 || p.at == p.end) return false;
  /* a node begins with a small field: its number in the high bits, a known wire type */
  const uint8_t tag = (uint8_t)*p.at;
  return (size > 0 || own <= piece_length(p)) && tag >= NODE_ID && (tag & 7) != 3 && (tag & 7) != 4 && (tag & 7) < 6;
}

/* ------------------------------------------------------------------ all of them */

/* Files of words; an edge list may have their first lines. */
static const trace_format *of_words(const char *text, size_t length) {
  first_line line[LINES] = {{{NULL, NULL}, {{NULL, NULL}}, 0}};
  const trace_format *found = of_htsim(text, length);
  const size_t lines = first_lines(text, length, line);
  if (!found && lines) found = of_numbers(line, lines);
  if (!found) found = of_settings(text, length);
  if (!found) found = of_layers(line, lines);
  return found && !has_marks(text, length) ? found : NULL;
}

const trace_format *trace_format_of(const char *text, size_t length) {
  first_line line[LINES] = {{{NULL, NULL}, {{NULL, NULL}}, 0}};
  const trace_format *found = NULL;
  if (goal_binary_is(text, length)) return &goal_schedule;
  if (astra_network_is(text, length)) return &trace_astra_network;
  if ((found = of_old_network(text, length)) != NULL) return found;
  if ((found = of_marks(text, length)) != NULL) return found;
  if ((found = of_gml(line, first_lines(text, length, line))) != NULL) return found;
  if ((found = of_words(text, length)) != NULL) return found;
  return is_chakra((piece){text, text + length}) ? &trace_chakra : NULL;
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
