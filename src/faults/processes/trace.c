/* trace.c - recorded failures: a file with a line for each, "PART FAILED REPAIRED".
 *
 * PART is a link, a link~RATE or switch:NAME of the fabric; the times are numbers in the unit of the file. REPAIRED
 * may be missing or '-': the part was not repaired. A '#' where a word starts opens a comment. Outages of one part
 * may overlap, in any order. A trace is the same in every sample. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/piece.h"
#include "faults/fault_syntax.h"
#include "ripstop/plugin/process.h"

typedef struct config {
  const char *file;
  double unit;
  int64_t from;
  const char *hash;
} config;

static const ripstop_option options[] = {
    RIPSTOP_TEXT(config, file, NULL, "file of lines \"PART FAILED REPAIRED\", beside the experiment",
                 .positional = true),
    RIPSTOP_REAL(config, unit, 1e-6, 1e9, "1", "cycles that the file's unit of time lasts"),
    RIPSTOP_INTEGER(config, from, 0, 1e9, "0", "cycle of the file's time 0"),
    RIPSTOP_TEXT(config, hash, "", "hash of the content (XXH3, 16 hexadecimal digits); empty: any content"),
    {0}};

typedef struct outage {
  double from, until; /* in the file's unit */
  uint32_t id;
  uint16_t rate; /* thousandths, if slow; 0: it is down */
  bool is_switch;
} outage;

typedef struct trace {
  size_t count, room;
  outage *outage;
} trace;

/* Splits a line into at most `most` words. Returns how many there are. */
static size_t split(const char *line, size_t length, const char **word, size_t *size, size_t most) {
  ripstop_words words = {.at = line, .end = line + length, .line = 1};
  size_t count = 0;
  const char *text;
  for (size_t bytes; ripstop_words_next(&words, &text, &bytes); count++)
    if (count < most) word[count] = text, size[count] = bytes;
  return count;
}

static int read_time(const char *text, size_t length, double *out, ripstop_error *err) {
  char digits[64];
  if (!piece_copy((piece){text, text + length}, digits, sizeof digits))
    return ripstop_fail(err, "'%.*s' is not a time", ripstop_word_shown(length), text);
  if (ripstop_parse_real(digits, out, err)) return -1;
  return *out >= 0 ? 0 : ripstop_fail(err, "the time %s is before 0", digits);
}

static int read_line(const ripstop_names *names, const char *line, size_t length, trace *t, ripstop_error *err) {
  enum { PART, FAILED, REPAIRED, WORDS };
  const char *word[WORDS];
  size_t size[WORDS], count = split(line, length, word, size, WORDS);
  outage one = {.until = INFINITY};
  if (!count) return 0;
  if (count == PART + 1 || count > WORDS)
    return ripstop_fail(err, "a line is PART FAILED REPAIRED; this one has %zu word%s", count, count == 1 ? "" : "s");
  if (ripstop_part_find_rate(names, word[PART], size[PART], &one.id, &one.is_switch, &one.rate, err) ||
      read_time(word[FAILED], size[FAILED], &one.from, err))
    return -1;
  bool never = count <= REPAIRED || (size[REPAIRED] == 1 && *word[REPAIRED] == '-');
  if (!never && read_time(word[REPAIRED], size[REPAIRED], &one.until, err)) return -1;
  if (one.until < one.from)
    return ripstop_fail(err, "'%.*s' is repaired before it fails", ripstop_word_shown(size[PART]), word[PART]);
  RIPSTOP_GROW(t->outage, t->count, t->room);
  t->outage[t->count++] = one;
  return 0;
}

static int read_lines(const ripstop_names *names, const char *path, piece text, trace *t, ripstop_error *err) {
  piece line;
  for (unsigned number = 1; piece_next_line(&text, &line); number++)
    if (read_line(names, line.at, piece_length(line), t, err)) return ripstop_fail_at(err, "%s:%u", path, number);
  return 0;
}

static int prepare(ripstop_arena *arena, const ripstop_names *names, const char *beside, void *options_,
                   const void **table, ripstop_error *err) {
  config *c = options_;
  const char *path;
  char *text;
  size_t length;
  trace read = {0}, *kept = RIPSTOP_NEW(arena, trace);
  if (ripstop_process_file(arena, beside, &c->file, &c->hash, &path, &text, &length, err)) return -1;
  int status = read_lines(names, path, (piece){text, text + length}, &read, err);
  *kept = (trace){.count = read.count, .outage = RIPSTOP_ARRAY(arena, read.count, outage)};
  if (read.count) memcpy(kept->outage, read.outage, read.count * sizeof *read.outage);
  ripstop_free(read.outage);
  *table = kept;
  return status;
}

static int sample(const ripstop_process_case *at, const void *options_, const void *table, ripstop_outages *out,
                  ripstop_error *err) {
  (void)at, (void)err;
  const config *c = options_;
  const trace *t = table;
  for (size_t i = 0; i < t->count; i++) {
    const outage *one = &t->outage[i];
    double from = (double)c->from + one->from * c->unit, until = (double)c->from + one->until * c->unit;
    if (!(one->rate ? ripstop_outages_add_slow(out, one->id, one->rate, from, until)
                    : ripstop_outages_add(out, one->id, one->is_switch, from, until)))
      break;
  }
  return 0;
}

const ripstop_process ripstop_process_trace = {
    .abi = RIPSTOP_PROCESS_ABI,
    .name = "trace",
    .summary = "failures and repairs from a file",
    .options = options,
    .config_size = sizeof(config),
    .prepare = prepare,
    .given = true,
    .sample = sample,
};
