/* plan_entries.c - the tables of a plan entry by entry, with the state that candidates depend on, and as plain ports.
 */
#include "report/plan_entries.h"

#include <inttypes.h>
#include <jansson.h>

#include "base/local.h"
#include "ripstop/plugin/method.h"

/* ------------------------------------------------------------------ columns of an entry */

static const struct {
  unsigned bit;
  const char *name;
} columns[] = {{RIPSTOP_BY_CLASS, "class"},
               {RIPSTOP_BY_SOURCE, "source"},
               {RIPSTOP_BY_PORT, "port"},
               {RIPSTOP_BY_CHANNEL, "channel"},
               {RIPSTOP_BY_HEADER, "header"}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *kind_of(const ripstop_fabric *f, uint32_t node) {
  return ripstop_is_end(f, node) ? "end" : "switch";
}

/* "-" for the port of an end node, which packets do not come in on. */
static void print_column(FILE *out, const ripstop_fabric *f, const ripstop_entry *e, unsigned bit) {
  char name[RIPSTOP_NAME_MAX];
  if (bit == RIPSTOP_BY_CLASS) fprintf(out, "\t%u", e->class_);
  if (bit == RIPSTOP_BY_SOURCE) ripstop_node_name(f, e->source, name), fprintf(out, "\t%s", name);
  if (bit == RIPSTOP_BY_PORT && e->in_port == RIPSTOP_NONE) fputs("\t-", out);
  if (bit == RIPSTOP_BY_PORT && e->in_port != RIPSTOP_NONE) fprintf(out, "\t%u", e->in_port);
  if (bit == RIPSTOP_BY_CHANNEL) fprintf(out, "\t%u", e->channel);
  if (bit == RIPSTOP_BY_HEADER) fprintf(out, "\t0x%" PRIx64, e->header);
}

static const char *loss_of(const ripstop_tables *t, const ripstop_entry *e) { return t->plan->method->losses[e->loss]; }

/* ------------------------------------------------------------------ text */

/* "3", "3.1" on channel 1, "3.1=0x5" with that header from there on, and "+" if two packets must have space. */
static void print_candidate(FILE *out, const ripstop_plan *plan, const ripstop_candidate *candidate) {
  fprintf(out, "%u", candidate->port);
  if (plan->channels > 1) fprintf(out, ".%u", candidate->channel);
  if (candidate->header) fprintf(out, "=0x%" PRIx64, candidate->header);
  if (candidate->space > 1) fputc('+', out);
}

/* Candidates of a lower rank come first, "|" is between ranks. */
static void print_candidates(FILE *out, const ripstop_tables *t, const ripstop_entry *e) {
  const ripstop_candidate *candidate = t->candidate + e->first;
  unsigned left = e->candidates;
  for (unsigned rank = 0; left; rank++) {
    unsigned here = 0;
    for (uint32_t i = 0; i < e->candidates; i++) here += candidate[i].rank == rank;
    if (here && left < e->candidates) fputs(" |", out);
    for (uint32_t i = 0, printed = 0; here && i < e->candidates; i++) {
      if (candidate[i].rank != rank) continue;
      if (printed++ || left < e->candidates) fputc(' ', out);
      print_candidate(out, t->plan, &candidate[i]);
    }
    left -= here;
  }
}

static void print_head(FILE *out, const ripstop_tables *t) {
  RIPSTOP_LOCAL_TEXT(on);
  ripstop_tables_by_print(&on, t->by);
  fprintf(out, "# %s on %s: %" PRIu64 " entries; candidates depend on %s%sthe destination%s\n", t->plan->method->name,
          t->plan->fabric->spec, t->entries, on.length ? on.data : "", on.length ? ", beside " : "",
          on.length ? "" : " alone");
  fputs("# node\tdestination", out);
  for (unsigned i = 0; i < COLUMNS; i++)
    if (t->by & columns[i].bit) fprintf(out, "\t%s", columns[i].name);
  fputs("\tcandidates\n", out);
}

static void print_entries_text(FILE *out, const ripstop_tables *t) {
  const ripstop_fabric *f = t->plan->fabric;
  char name[RIPSTOP_NAME_MAX];
  print_head(out, t);
  for (uint64_t i = 0; i < t->entries; i++) {
    const ripstop_entry *e = &t->entry[i];
    ripstop_node_name(f, e->node, name);
    fprintf(out, "%s:%s", kind_of(f, e->node), name);
    ripstop_node_name(f, e->destination, name);
    fprintf(out, "\t%s", name);
    for (unsigned k = 0; k < COLUMNS; k++)
      if (t->by & columns[k].bit) print_column(out, f, e, columns[k].bit);
    fputc('\t', out);
    if (e->candidates)
      print_candidates(out, t, e);
    else
      fprintf(out, "lost: %s", loss_of(t, e));
    fputc('\n', out);
  }
}

/* A line a switch, a port a destination. */
int ripstop_plan_ports_print(FILE *out, const ripstop_tables *t, ripstop_error *err) {
  const ripstop_fabric *f = t->plan->fabric;
  char name[RIPSTOP_NAME_MAX];
  uint32_t *port = ripstop_realloc(NULL, f->ends, sizeof *port);
  int status = ripstop_tables_ports(t, f->ends, port, err) == RIPSTOP_APPLIES ? 0 : -1;
  if (!status) fprintf(out, "# %s on %s: ports for the destinations\n# switch", t->plan->method->name, f->spec);
  for (uint32_t end = 0; end < f->ends && !status; end++) ripstop_node_name(f, end, name), fprintf(out, "\t%s", name);
  for (uint32_t node = f->ends; node < f->nodes && !status; node++) {
    ripstop_node_name(f, node, name);
    fprintf(out, "\n%s", name);
    status = ripstop_tables_ports(t, node, port, err) == RIPSTOP_APPLIES ? 0 : -1;
    for (uint32_t end = 0; end < f->ends && !status; end++)
      port[end] == RIPSTOP_NONE ? fputs("\t-", out) : fprintf(out, "\t%u", port[end]);
  }
  if (!status) fputc('\n', out);
  ripstop_free(port);
  return status;
}

/* ------------------------------------------------------------------ JSON */

static json_t *json_by(unsigned mask) {
  json_t *list = json_array();
  for (unsigned i = 0; i < COLUMNS; i++)
    if (mask & columns[i].bit) json_array_append_new(list, json_string(columns[i].name));
  return list;
}

static json_t *json_header(uint64_t header) {
  char text[24];
  snprintf(text, sizeof text, "0x%" PRIx64, header);
  return json_string(text);
}

static void add_key(json_t *entry, const ripstop_fabric *f, const ripstop_entry *e, unsigned by) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, e->source, name);
  if (by & RIPSTOP_BY_CLASS) json_object_set_new(entry, "class", json_integer(e->class_));
  if (by & RIPSTOP_BY_SOURCE) json_object_set_new(entry, "source", json_string(name));
  if (by & RIPSTOP_BY_PORT)
    json_object_set_new(entry, "port", e->in_port == RIPSTOP_NONE ? json_null() : json_integer(e->in_port));
  if (by & RIPSTOP_BY_CHANNEL) json_object_set_new(entry, "channel", json_integer(e->channel));
  if (by & RIPSTOP_BY_HEADER) json_object_set_new(entry, "header", json_header(e->header));
}

/* The weight, if the method has weights. */
static json_t *json_candidate(const ripstop_candidate *candidate) {
  json_t *one =
      json_pack("{s:i, s:i, s:o, s:i, s:i}", "port", (int)candidate->port, "channel", (int)candidate->channel, "header",
                json_header(candidate->header), "rank", (int)candidate->rank, "space", (int)candidate->space);
  if (candidate->weight) json_object_set_new(one, "weight", json_integer(candidate->weight));
  return one;
}

static json_t *json_entry(const ripstop_tables *t, const ripstop_entry *e) {
  const ripstop_fabric *f = t->plan->fabric;
  char node[RIPSTOP_NAME_MAX], destination[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, e->node, node);
  ripstop_node_name(f, e->destination, destination);
  json_t *entry = json_pack("{s:s, s:s, s:s}", "kind", kind_of(f, e->node), "node", node, "destination", destination);
  add_key(entry, f, e, t->by);
  json_t *candidates = json_array();
  for (const ripstop_candidate *candidate = t->candidate + e->first;
       candidate < t->candidate + e->first + e->candidates; candidate++)
    json_array_append_new(candidates, json_candidate(candidate));
  json_object_set_new(entry, "ways", candidates);
  if (!e->candidates) json_object_set_new(entry, "lost", json_string(loss_of(t, e)));
  return entry;
}

static void dump(FILE *out, json_t *value, size_t flags) {
  json_dumpf(value, out, JSON_COMPACT | flags);
  json_decref(value);
}

/* Entry by entry: they may be many. */
static void print_entries_json(FILE *out, const ripstop_tables *t) {
  fputc('{', out);
  dump(out,
       json_pack("{s:s, s:s, s:i, s:o, s:o, s:b}", "fabric", t->plan->fabric->spec, "method", t->plan->method->name,
                 "channels", (int)t->plan->channels, "depend_on", json_by(t->by), "ports_depend_on",
                 json_by(t->ports_by), "one_port", (int)t->one_port),
       JSON_EMBED);
  fputs(",\"entries\":[", out);
  for (uint64_t i = 0; i < t->entries; i++) {
    fputs(i ? ",\n" : "\n", out);
    dump(out, json_entry(t, &t->entry[i]), 0);
  }
  fputs("]}\n", out);
}

void ripstop_plan_entries_print(FILE *out, const ripstop_tables *t, bool json) {
  json ? print_entries_json(out, t) : print_entries_text(out, t);
}
