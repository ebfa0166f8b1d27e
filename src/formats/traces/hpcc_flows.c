/* hpcc_flows.c - reads flows of HPCC's simulator:
 *
 *   COUNT { SOURCE DESTINATION PRIORITY PORT BYTES START }       a row each, START in seconds and never less than
 * before
 *
 * All rows have one priority, since classes are not modelled here. Starts count from the first one: files usually begin
 * at 2 s, the warm-up of that simulator. */
#include "formats/traces/hpcc_flows.h"

#include "formats/traces/trace_format.h"
#include "formats/traces/trace_words.h"

enum { COLUMNS = 6, PRIORITIES = 7, PICO = 12 };
enum { SOURCE, DESTINATION, PRIORITY, PORT, BYTES, START };

typedef struct reader {
  hpcc_flows *out;
  trace_lines lines;
  uint32_t priority;
  uint64_t first, last; /* starts in picoseconds */
  bool last_more;
  ripstop_error *err;
} reader;

static int at_line(const reader *r) { return ripstop_fail_at(r->err, "line %u", r->lines.number); }

static int take(const reader *r, piece word, const char *what, uint32_t most, uint32_t *out) {
  if (piece_is_count(word, most, out)) return 0;
  ripstop_fail(r->err, "%s '%.*s': a whole number up to %u must stand here", what, trace_shown(word), word.at, most);
  return at_line(r);
}

static int take_priority(reader *r, piece word) {
  uint32_t priority;
  if (take(r, word, "the priority", PRIORITIES, &priority)) return -1;
  if (r->out->flows > 0 && priority != r->priority) {
    ripstop_fail(r->err, "priority %u, but %u in the first row; classes are not modelled, all must be the same",
                 priority, r->priority);
    return at_line(r);
  }
  r->priority = priority;
  return 0;
}

static int take_start(reader *r, piece word, hpcc_flow *f) {
  if (!trace_decimal(word, PICO, &f->start, &f->more)) {
    ripstop_fail(r->err, "start '%.*s': seconds must stand here, less than 9,000,000", trace_shown(word), word.at);
    return at_line(r);
  }
  if (f->start < r->last || (f->start == r->last && r->last_more && !f->more)) {
    ripstop_fail(r->err, "it starts before the row before it; rows are in the order of their starts");
    return at_line(r);
  }
  if (r->out->flows == 0) r->first = f->start;
  r->last = f->start;
  r->last_more = f->more;
  f->start -= r->first;
  return 0;
}

static int check_ends(const reader *r, const hpcc_flow *f) {
  if (f->source == f->destination)
    ripstop_fail(r->err, "node %u cannot send to itself", f->source);
  else if (f->bytes == 0)
    ripstop_fail(r->err, "a flow of 0 bytes never ends in HPCC's simulator");
  else
    return 0;
  return at_line(r);
}

static int read_row(reader *r, hpcc_flow *f) {
  enum { ID_MOST = RIPSTOP_FABRIC_MAX_PORTS - 1, PORT_MOST = UINT16_MAX };
  piece word[COLUMNS];
  uint32_t port, bytes;
  const size_t words = trace_split(r->lines.line, word, COLUMNS);
  if (words != COLUMNS) {
    ripstop_fail(r->err, "%zu words; a flow has source, destination, priority, port, bytes and start", words);
    return at_line(r);
  }
  *f = (hpcc_flow){.line = r->lines.number};
  if (take(r, word[SOURCE], "the source", ID_MOST, &f->source) ||
      take(r, word[DESTINATION], "the destination", ID_MOST, &f->destination) || take_priority(r, word[PRIORITY]) ||
      take(r, word[PORT], "the port", PORT_MOST, &port) || take(r, word[BYTES], "bytes", UINT32_MAX - 1, &bytes) ||
      take_start(r, word[START], f))
    return -1;
  f->bytes = bytes;
  return check_ends(r, f);
}

static int read_rows(reader *r, uint32_t count) {
  hpcc_flows *out = r->out;
  for (; out->flows < count; out->flows++) {
    if (!trace_next_line(&r->lines, false))
      return ripstop_fail(r->err, "%u flows by the first line, but the file ends behind %u", count, out->flows);
    hpcc_flow *f = &out->flow[out->flows];
    if (read_row(r, f)) return -1;
    const uint32_t higher = f->source > f->destination ? f->source : f->destination;
    if (higher >= out->nodes) out->nodes = higher + 1;
  }
  if (!trace_next_line(&r->lines, false)) return 0;
  ripstop_fail(r->err, "%u flows by the first line, and this line stands behind them", count);
  return at_line(r);
}

static int read_all(reader *r, ripstop_arena *arena) {
  enum { ROW = 12 }; /* bytes of the shortest row */
  uint32_t count;
  if (!trace_next_line(&r->lines, false)) return ripstop_fail(r->err, "the file is empty");
  if (take(r, r->lines.line, "the number of flows", INT32_MAX, &count)) return -1;
  if (count == 0) {
    ripstop_fail(r->err, "the first line says that there are no flows");
    return at_line(r);
  }
  if (count > piece_length(r->lines.rest) / (ROW - 1) + 1)
    return ripstop_fail(r->err, "%u flows by the first line, but the file is shorter", count);
  r->out->flow = RIPSTOP_ARRAY(arena, count + 1, hpcc_flow);
  return read_rows(r, count);
}

int ripstop_hpcc_flows_read(hpcc_flows *out, ripstop_arena *arena, const char *text, size_t length,
                            ripstop_error *err) {
  reader r = {.out = out, .lines = trace_lines_of(text, length), .err = err};
  *out = (hpcc_flows){0};
  return read_all(&r, arena) ? ripstop_fail_at(err, "%s", trace_hpcc_flows.name) : 0;
}
