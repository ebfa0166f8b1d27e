/* simai_workload.c - reads workloads of SimAI:
 *
 *   line 1 = POLICY { KEY: VALUE }        the colon may be missing; checkpoints and checkpoint_initiates have a list
 *   line 2 = the number of rows
 *   row    = NAME -1 TIME COMM BYTES  TIME COMM BYTES  TIME COMM BYTES  UPDATE-TIME      forward, input, weight
 * gradient COMM   = NONE | (ALLREDUCE | ALLGATHER | REDUCESCATTER | ALLTOALL)[_EP | _DP_EP]
 *
 * Times are in nanoseconds. SimAI takes a COMM that it does not know for none, or for another one by its first letters;
 * here it is refused. So are pipeline stages, which SimAI adds as a formula, and checkpoints. The update time is read
 * and used by nothing, as in SimAI. */
#include "formats/traces/simai_workload.h"

#include "formats/traces/trace_format.h"
#include "formats/traces/trace_words.h"

enum { COLUMNS = 12, NANO = 3, GPUS_MOST = RIPSTOP_FABRIC_MAX_PORTS };

typedef struct reader {
  simai_workload *out;
  trace_lines lines;
  ripstop_error *err;
} reader;

static int at_line(const reader *r) { return ripstop_fail_at(r->err, "line %u", r->lines.number); }

static int refuse(const reader *r, const char *what, piece word, const char *wanted) {
  ripstop_fail(r->err, "%s '%.*s': %s", what, trace_shown(word), word.at, wanted);
  return at_line(r);
}

/* ------------------------------------------------------------------ the first line */

static const char *const keys[] = {"model_parallel_NPU_group", "ep",      "pp", "vpp", "ga", "all_gpus", "checkpoints",
                                   "checkpoint_initiates",     "pp_comm", NULL};
enum { TP, EP, PP, VPP, GA, ALL_GPUS, CHECKPOINTS, INITIATES, PP_COMM };

static int refuse_key(const reader *r, piece word) {
  char text[TRACE_SHOWN + 1];
  snprintf(text, sizeof text, "%.*s", trace_shown(word), word.at);
  const char *near = ripstop_nearest_word(text, keys);
  ripstop_fail(r->err, "the key '%s' is unknown%s%s%s", text, near ? "; did you mean '" : "", near ? near : "",
               near ? "'?" : "");
  return at_line(r);
}

static int take_value(const reader *r, piece *line, int key, uint32_t *out) {
  piece word = piece_next_word(line);
  if (piece_is(word, ":")) word = piece_next_word(line);
  return piece_is_count(word, INT32_MAX, out) ? 0 : refuse(r, keys[key], word, "a whole number must stand here");
}

static int set_key(const reader *r, int key, uint32_t value) {
  uint32_t *const out = key == TP ? &r->out->tp : key == EP ? &r->out->ep : key == ALL_GPUS ? &r->out->gpus : NULL;
  if (key == PP && value > 1)
    ripstop_fail(r->err, "pp %u: pipeline stages are not modelled; SimAI adds them to its report as a formula", value);
  else if ((key == CHECKPOINTS || key == INITIATES) && value > 0)
    ripstop_fail(r->err, "%s %u: checkpoints are not modelled", keys[key], value);
  else if (out && (value == 0 || value > GPUS_MOST))
    ripstop_fail(r->err, "%s %u: a number from 1 to %u must stand here", keys[key], value, GPUS_MOST);
  else {
    if (out) *out = value;
    return 0;
  }
  return at_line(r);
}

static int read_policy(const reader *r, piece word) {
  static const char *const policies[] = {
      [SIMAI_TRANSFORMER] = "HYBRID_TRANSFORMER_FWD_IN_BCKWD", [SIMAI_MICRO] = "MICRO", NULL};
  const int policy = trace_find_word(word, policies);
  if (policy < 0)
    return refuse(r, "the policy", word, "it is not modelled; HYBRID_TRANSFORMER_FWD_IN_BCKWD and MICRO are");
  r->out->policy = (simai_policy)policy;
  return 0;
}

static int read_head(reader *r) {
  if (!trace_next_line(&r->lines, false)) return ripstop_fail(r->err, "the file is empty");
  piece line = r->lines.line;
  if (read_policy(r, piece_next_word(&line))) return -1;
  for (piece word = piece_next_word(&line); word.at < word.end; word = piece_next_word(&line)) {
    uint32_t value;
    if (word.end[-1] == ':') word.end--;
    const int key = trace_find_word(word, keys);
    if (key < 0) return refuse_key(r, word);
    if (take_value(r, &line, key, &value) || set_key(r, key, value)) return -1;
  }
  return 0;
}

/* ------------------------------------------------------------------ rows */

static int take_collective(const reader *r, piece word, simai_part *out) {
  static const char *const names[] = {[SIMAI_NONE] = "NONE",
                                      [SIMAI_ALL_REDUCE] = "ALLREDUCE",
                                      [SIMAI_ALL_GATHER] = "ALLGATHER",
                                      [SIMAI_REDUCE_SCATTER] = "REDUCESCATTER",
                                      [SIMAI_ALL_TO_ALL] = "ALLTOALL"};
  for (int i = SIMAI_NONE; i <= SIMAI_ALL_TO_ALL; i++) {
    piece rest = word;
    if (!piece_take(&rest, names[i])) continue;
    const bool ep = piece_is(rest, "_EP"), dp = piece_is(rest, "_DP_EP");
    if (rest.at < rest.end && ((!ep && !dp) || i == SIMAI_NONE)) continue;
    out->collective = (simai_collective)i;
    out->scope = ep ? SIMAI_EP : dp ? SIMAI_DP_EP : SIMAI_USUAL;
    return 0;
  }
  return refuse(r, "the collective", word,
                "it is NONE, or ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, perhaps with _EP or _DP_EP");
}

static int take_time(const reader *r, piece word, uint64_t *out, bool *more) {
  return trace_decimal(word, NANO, out, more) ? 0 : refuse(r, "the time", word, "nanoseconds must stand here");
}

static int take_part(const reader *r, const piece *word, simai_part *out) {
  uint64_t bytes;
  piece number = word[2];
  if (take_time(r, word[0], &out->picoseconds, &out->more) || take_collective(r, word[1], out)) return -1;
  if (!piece_number(&number, 10, &bytes) || number.at < number.end || bytes > INT64_MAX)
    return refuse(r, "bytes", word[2], "a whole number must stand here");
  out->bytes = bytes;
  return 0;
}

static int read_row(const reader *r, simai_row *row) {
  enum { FIRST = 2, EACH = 3, UPDATE = COLUMNS - 1 };
  piece word[COLUMNS];
  uint64_t update;
  bool more;
  const size_t words = trace_split(r->lines.line, word, COLUMNS);
  if (words != COLUMNS) {
    ripstop_fail(r->err, "%zu words; a row has a name, -1, time, collective and bytes three times, and a time", words);
    return at_line(r);
  }
  if (!piece_is(word[1], "-1")) return refuse(r, "the second word", word[1], "-1 must stand here");
  *row = (simai_row){.line = r->lines.number};
  for (unsigned i = 0; i < SIMAI_PHASES; i++)
    if (take_part(r, &word[FIRST + EACH * i], &row->part[i])) return -1;
  return take_time(r, word[UPDATE], &update, &more);
}

static int read_rows(reader *r, ripstop_arena *arena) {
  enum { SHORTEST = 24 }; /* bytes of a row */
  uint32_t rows;
  if (!trace_next_line(&r->lines, false))
    return ripstop_fail(r->err, "the file ends where the number of rows should be");
  if (!piece_is_count(r->lines.line, INT32_MAX, &rows))
    return refuse(r, "the number of rows", r->lines.line, "a whole number must stand here");
  if (rows > piece_length(r->lines.rest) / SHORTEST + 1)
    return ripstop_fail(r->err, "%u rows by the second line, but the file is shorter", rows);
  r->out->row = RIPSTOP_ARRAY(arena, (size_t)rows + 1, simai_row);
  for (; r->out->rows < rows; r->out->rows++) {
    if (!trace_next_line(&r->lines, false))
      return ripstop_fail(r->err, "%u rows by the second line, but the file ends behind %u", rows, r->out->rows);
    if (read_row(r, &r->out->row[r->out->rows])) return -1;
  }
  if (!trace_next_line(&r->lines, false)) return 0;
  ripstop_fail(r->err, "%u rows by the second line, and this line stands behind them", rows);
  return at_line(r);
}

int ripstop_simai_read(simai_workload *out, ripstop_arena *arena, const char *text, size_t length, ripstop_error *err) {
  reader r = {.out = out, .lines = trace_lines_of(text, length), .err = err};
  *out = (simai_workload){.tp = 1, .ep = 1};
  return read_head(&r) || read_rows(&r, arena) ? ripstop_fail_at(err, "%s", trace_simai_workload.name) : 0;
}
