/* counters.c - see counters.h. A line is read by what it begins with, so a file may hold what several programs printed.
 * Cost: O(length). */
#include "formats/infiniband/counters.h"

#include <string.h>

#include "base/growing.h"
#include "formats/infiniband/db_csv.h"
#include "formats/infiniband/dump.h"
#include "formats/plain_lines.h"

/* The largest values of the counters of 4, 8 and 16 bits (InfiniBand 1.4, 16.1.3.5). */
static const uint64_t largest[IB_COUNTERS] = {255, 255, 65535, 65535, 15, 15};

/* Names without underscores, in lower case, without "total", "ext" and "extended" at their ends. */
static const char *const names[IB_COUNTERS][7] = {
    {"linkdownedcounter", "linkdowned"},
    {"linkerrorrecoverycounter", "linkerrorrecovery", "linkrecovers"},
    {"symbolerrorcounter", "symbolerror", "symbolerrors"},
    {"portrcverrors", "rcverrors", "receiveerrors", "portreceiveerrors", "porterrorsreceived"},
    {"locallinkintegrityerrors", "linkintegrityerrors"},
    {"excessivebufferoverrunerrors", "excbufoverrunerrors"},
};

enum { ALL_PORTS = 255 }; /* the number that perfquery prints for sums */

typedef struct reader {
  ib_counters *out;
  uint32_t line;
  ib_counted_port node; /* the node of "Errors for" */
  ib_counted_port port; /* the port of perfquery */
  bool query;           /* lines of perfquery follow, of this port */
  bool wide;            /* its counters have 64 bits */
  uint32_t places;      /* that look like counters, of any kind */
} reader;

/* ------------------------------------------------------------------ names and values */

static bool cut_end(char *name, const char *end) {
  const size_t length = strlen(name), last = strlen(end);
  if (length <= last || strcmp(name + length - last, end) != 0) return false;
  name[length - last] = '\0';
  return true;
}

/* The counter with a name, or IB_COUNTERS; *wide: it has 64 bits. */
static ib_counter counter_of(piece name, bool *wide) {
  char plain[64];
  size_t length = 0;
  for (; name.at < name.end && length + 1 < sizeof plain; name.at++)
    if (*name.at != '_') plain[length++] = (char)(*name.at >= 'A' && *name.at <= 'Z' ? *name.at | 32 : *name.at);
  plain[length] = '\0';
  (void)cut_end(plain, "total");
  *wide = cut_end(plain, "extended") || cut_end(plain, "ext");
  for (unsigned counter = 0; counter < IB_COUNTERS; counter++)
    for (unsigned i = 0; names[counter][i]; i++)
      if (strcmp(names[counter][i], plain) == 0) return (ib_counter)counter;
  return IB_COUNTERS;
}

/* Two counters of the same errors may be there, of 16 bits and of 64: the larger counts. */
static void set(ib_counted_port *port, ib_counter counter, uint64_t value, bool wide) {
  const bool full = !wide && value == largest[counter];
  if (!port->known[counter] || value > port->value[counter]) {
    port->full[counter] = full;
    port->value[counter] = value;
  } else if (value == port->value[counter]) {
    port->full[counter] = port->full[counter] || full;
  }
  port->known[counter] = true;
}

static bool has_counters(const ib_counted_port *port) {
  for (unsigned i = 0; i < IB_COUNTERS; i++)
    if (port->known[i]) return true;
  return false;
}

static void add(reader *r, const ib_counted_port *port) {
  if (!has_counters(port) || port->number > RIPSTOP_IB_PORT_LIMIT) return;
  RIPSTOP_GROW_IN(r->out->arena, r->out->list, r->out->count, r->out->room);
  r->out->list[r->out->count++] = *port;
}

/* A GUID behind 0x; 0 for one of which digits were replaced. */
static uint64_t take_guid(piece *p) {
  uint64_t guid = 0;
  piece word = *p;
  (void)piece_take(&word, "0x");
  if (!piece_number(&word, 16, &guid)) guid = 0;
  const char *rest = word.at;
  while (word.at < word.end && !piece_blank(*word.at) && *word.at != '"' && *word.at != ':') word.at++;
  *p = word;
  return rest == word.at ? guid : 0;
}

/* The text between the first quote and the last. NULL: there is none. */
static const char *quoted(ripstop_arena *arena, piece p) {
  const char *first = piece_find(p, "\""), *last = p.end - 1;
  while (first && last > first && *last != '"') last--;
  return first && last > first + 1 ? ripstop_arena_printf(arena, "%.*s", (int)(last - first - 1), first + 1) : NULL;
}

/* ------------------------------------------------------------------ ibqueryerrors */

static void errors_for(reader *r, piece p) {
  piece_skip_blanks(&p);
  r->node = (ib_counted_port){.lid = RIPSTOP_NONE};
  r->node.guid = piece_begins(p, "0x") ? take_guid(&p) : 0;
  r->node.text = quoted(r->out->arena, p);
}

/* [SymbolErrorCounter == 5] [PortXmitData == 6 (1.2KB)] */
static void brackets(ib_counted_port *port, piece p) {
  bool wide;
  while (p.at < p.end) {
    if (!piece_take_char(&p, '[')) {
      p.at++;
      continue;
    }
    const piece name = piece_next_word(&p);
    const ib_counter counter = counter_of(name, &wide);
    uint64_t value;
    if (!piece_take_word(&p, "==")) continue;
    piece_skip_blanks(&p);
    if (piece_number(&p, 10, &value) && counter < IB_COUNTERS) set(port, counter, value, wide);
  }
}

/* "GUID 0x... port 17: [...]", in old versions without the GUID. False: the line is another one. */
static bool error_line(reader *r, piece p) {
  ib_counted_port port = r->node;
  port.line = r->line;
  if (piece_take(&p, "GUID ")) {
    piece_skip_blanks(&p);
    const uint64_t guid = take_guid(&p);
    if (guid != 0) port.guid = guid;
  }
  if (!piece_take_word(&p, "port ")) return false;
  piece_skip_blanks(&p);
  const bool all = piece_take(&p, "ALL");
  if (!all && !piece_count(&p, RIPSTOP_IB_PORT_LIMIT, &port.number)) return false;
  if (!piece_take_char(&p, ':')) return false;
  r->places++;
  if (all) return true;
  brackets(&port, p);
  add(r, &port);
  return true;
}

/* ------------------------------------------------------------------ perfquery */

static void end_query(reader *r) {
  if (r->query) add(r, &r->port);
  r->places += r->query && has_counters(&r->port);
  r->query = false;
}

/* "Lid 4 port 17 (CapMask: 0x5A00)"; port 255 stands for all, and add skips it. */
static void begin_query(reader *r, piece p, bool wide) {
  end_query(r);
  r->port = (ib_counted_port){.lid = RIPSTOP_NONE, .line = r->line};
  r->wide = wide;
  if (!piece_take_word(&p, "Lid ")) return;
  piece_skip_blanks(&p);
  if (!piece_count(&p, RIPSTOP_IB_LID_LIMIT, &r->port.lid) || !piece_take_word(&p, "port ")) return;
  piece_skip_blanks(&p);
  r->query = piece_count(&p, ALL_PORTS, &r->port.number);
}

/* "LinkDownedCounter:...............3", or with blanks */
static void query_line(reader *r, piece p) {
  bool wide;
  const char *colon = memchr(p.at, ':', piece_length(p));
  if (colon == NULL) return;
  const ib_counter counter = counter_of((piece){p.at, colon}, &wide);
  p.at = colon + 1;
  while (piece_take_char(&p, '.') || piece_take_char(&p, ' ') || piece_take_char(&p, '\t')) continue;
  uint64_t value;
  if (counter < IB_COUNTERS && piece_number(&p, 10, &value)) set(&r->port, counter, value, r->wide || wide);
}

/* ------------------------------------------------------------------ Prometheus */

typedef struct labels {
  piece guid, port, name, device, instance;
} labels;

/* {guid="0x...",port="1",switch="leaf-01"}; false: no such list. */
static bool take_labels(piece *p, labels *out) {
  if (!piece_take_char(p, '{')) return false;
  while (p->at < p->end && *p->at != '}') {
    piece name = {p->at, p->at};
    while (name.end < p->end && *name.end != '=' && *name.end != '}') name.end++;
    p->at = name.end;
    if (!piece_take(p, "=\"")) return false;
    piece value = {p->at, p->at};
    while (value.end < p->end && *value.end != '"') value.end += *value.end == '\\' && value.end + 1 < p->end ? 2 : 1;
    p->at = value.end;
    if (!piece_take_char(p, '"')) return false;
    name = piece_trimmed(name);
    if (piece_is(name, "guid") || piece_is(name, "local_guid")) out->guid = value;
    if (piece_is(name, "port") || piece_is(name, "local_port")) out->port = value;
    if (piece_is(name, "hca") || piece_is(name, "local_name")) out->name = value;
    if (piece_is(name, "device")) out->device = value;
    if (piece_is(name, "instance") || piece_is(name, "nodename")) out->instance = value;
    (void)piece_take_char(p, ',');
    piece_skip_blanks(p);
  }
  return piece_take_char(p, '}');
}

/* "6.69494e+06", and perhaps a time behind it. */
static bool take_value(piece p, uint64_t *out) {
  char text[40];
  double value;
  ripstop_error ignored;
  if (!piece_copy(piece_next_word(&p), text, sizeof text) || ripstop_parse_real(text, &value, &ignored) != 0)
    return false;
  const double limit = 1e18;
  *out = value <= 0 ? 0 : value >= limit ? (uint64_t)limit : (uint64_t)value;
  return true;
}

/* The description that hosts give their adapters: "n0101 mlx5_0", by the instance "n0101.site:9100". */
static const char *adapter_text(ripstop_arena *arena, const labels *l) {
  piece host = {l->instance.at, l->instance.at};
  while (host.end < l->instance.end && *host.end != ':' && *host.end != '.') host.end++;
  return ripstop_arena_printf(arena, "%.*s %.*s", (int)piece_length(host), host.at, (int)piece_length(l->device),
                              l->device.at);
}

static void metric_line(reader *r, piece p) {
  static const char *const prefixes[] = {"node_infiniband_", "infiniband_switch_port_", "infiniband_hca_port_",
                                         "infiniband_"};
  piece name = {p.at, p.at};
  bool wide, known = false;
  while (name.end < p.end && *name.end != '{' && !piece_blank(*name.end)) name.end++;
  p.at = name.end;
  for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes && !known; i++) known = piece_take(&name, prefixes[i]);
  labels l = {0};
  uint64_t value;
  ib_counted_port port = {.lid = RIPSTOP_NONE, .line = r->line};
  if (!known || !take_labels(&p, &l) || l.port.at == NULL) return;
  r->places++;
  const ib_counter counter = counter_of(name, &wide);
  if (counter == IB_COUNTERS || !take_value(p, &value) || !piece_is_count(l.port, RIPSTOP_IB_PORT_LIMIT, &port.number))
    return;
  if (l.guid.at) port.guid = take_guid(&l.guid);
  if (l.name.at) port.text = ripstop_arena_printf(r->out->arena, "%.*s", (int)piece_length(l.name), l.name.at);
  if (l.device.at && l.instance.at) port.text = adapter_text(r->out->arena, &l);
  set(&port, counter, value, wide);
  add(r, &port);
}

/* ------------------------------------------------------------------ ibdiagnet2.db_csv */

static void csv_row(reader *r, const ib_csv *csv, const uint32_t *number) {
  ib_counted_port port = {.lid = RIPSTOP_NONE, .line = csv->line};
  uint64_t value;
  bool wide;
  if (!ib_csv_number(csv, number[2], &value)) return;
  port.number = value > RIPSTOP_IB_PORT_LIMIT ? RIPSTOP_IB_PORT_LIMIT + 1 : (uint32_t)value;
  if (!ib_csv_number(csv, number[0], &port.guid)) port.guid = 0;
  if (!ib_csv_number(csv, number[1], &port.port_guid)) port.port_guid = 0;
  for (uint32_t i = 0; i < csv->titles; i++) {
    const ib_counter counter = counter_of(csv->title[i], &wide);
    if (counter < IB_COUNTERS && ib_csv_number(csv, i, &value)) set(&port, counter, value, wide);
  }
  add(r, &port);
}

static void read_csv(reader *r, piece text) {
  ib_csv csv = ib_csv_of(r->out->arena, text);
  while (ib_csv_section(&csv)) {
    if (!ib_csv_is(&csv, "PM_INFO")) continue;
    const uint32_t number[] = {ib_csv_column(&csv, "NodeGUID"), ib_csv_column(&csv, "PortGUID"),
                               ib_csv_column(&csv, "PortNumber PortNum")};
    r->places++;
    while (ib_csv_row(&csv)) csv_row(r, &csv, number);
  }
}

/* ------------------------------------------------------------------ files */

static void read_line(reader *r, piece line) {
  piece p = piece_trimmed(line);
  if (piece_take(&p, "Errors for ")) {
    end_query(r);
    errors_for(r, p);
  } else if (piece_take(&p, "# Port counters:")) {
    begin_query(r, p, false);
  } else if (piece_take(&p, "# Port extended counters:")) {
    begin_query(r, p, true);
  } else if (piece_begins(p, "infiniband_") || piece_begins(p, "node_infiniband_")) {
    metric_line(r, p);
  } else if (!error_line(r, p) && r->query) {
    query_line(r, p);
  }
}

int ib_counters_read(ib_counters *counters, const char *file, const char *text, size_t length, ripstop_error *err) {
  reader r = {.out = counters, .node = {.lid = RIPSTOP_NONE}};
  const piece all = {text, text + length};
  const uint32_t before = counters->count;
  plain_lines lines = plain_lines_of(counters->arena, all);
  for (piece line; plain_next(&lines, &line);) {
    r.line = lines.number;
    read_line(&r, line);
  }
  end_query(&r);
  read_csv(&r, all);
  if (counters->count > before || r.places > 0 || piece_find(all, "## Summary")) return 0;
  return ripstop_fail(
      err,
      "%s: no counters of ports: give what ibqueryerrors, perfquery, ibdiagnet (ibdiagnet2.db_csv) or an "
      "exporter of Prometheus prints",
      file);
}
