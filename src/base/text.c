/* text.c - growing texts, strict numbers, the nearest word, whole files. */
#include "base/files.h"
#include "base/inputs.h"
#include "base/locale.h"
#include "base/memory.h"
#include "base/packers.h"
#include "ripstop/plugin/base.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ growing text */

/* Makes room for `length` more bytes and the terminator; false: there is none, and no more is added. */
static bool reserve(ripstop_text *text, size_t length) {
  if (text->cut) return false;
  if (text->capacity - text->length > length) return true;
  size_t capacity = text->capacity ? text->capacity : 64;
  while (capacity - text->length <= length) capacity *= 2;
  char *data = ripstop_realloc(text->data, capacity, 1);
  text->cut = !data;
  if (!data) return false;
  text->data = data;
  text->capacity = capacity;
  return true;
}

void ripstop_text_begin(ripstop_text *text) {
  if (reserve(text, 0)) text->data[text->length] = '\0';
}

void ripstop_text_add(ripstop_text *text, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int length = ripstop_format_list(NULL, 0, fmt, args);
  va_end(args);
  if (length < 0 || !reserve(text, (size_t)length)) return;
  va_start(args, fmt);
  ripstop_format_list(text->data + text->length, (size_t)length + 1, fmt, args);
  va_end(args);
  text->length += (size_t)length;
}

void ripstop_text_add_bytes(ripstop_text *text, const char *bytes, size_t length) {
  if (!reserve(text, length)) return;
  if (length) memcpy(text->data + text->length, bytes, length);
  text->length += length;
  text->data[text->length] = '\0';
}

void ripstop_text_free(ripstop_text *text) {
  ripstop_free(text->data);
  *text = (ripstop_text){0};
}

/* ------------------------------------------------------------------ numbers */

int ripstop_parse_u64(const char *text, uint64_t max, uint64_t *out, ripstop_error *err) {
  uint64_t value = 0;
  if (!*text) return ripstop_fail(err, "a number is missing");
  for (const char *c = text; *c; c++) {
    if (*c < '0' || *c > '9') return ripstop_fail(err, "'%s' is not a whole number", text);
    uint64_t digit = (uint64_t)(*c - '0');
    if (value > (max - digit) / 10 || digit > max)
      return ripstop_fail(err, "%s is more than %ju", text, (uintmax_t)max);
    value = value * 10 + digit;
  }
  *out = value;
  return 0;
}

int ripstop_parse_real(const char *text, double *out, ripstop_error *err) {
  char *end;
  if (!*text) return ripstop_fail(err, "a number is missing");
  /* strtod also takes blanks, hexadecimal, "inf" and "nan" */
  if (strspn(text, "0123456789+-.eE") != strlen(text)) return ripstop_fail(err, "'%s' is not a number", text);
  double value = ripstop_read_real(text, &end);
  if (end == text || *end) return ripstop_fail(err, "'%s' is not a number", text);
  if (!isfinite(value)) return ripstop_fail(err, "%s is too large", text);
  *out = value;
  return 0;
}

/* ------------------------------------------------------------------ nearest word */

enum { LONGEST_WORD = 63 }; /* bytes; longer texts are no misspelt words */

static char folded(char c) { return (char)tolower((unsigned char)c); }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Insertions, deletions, substitutions and swaps of neighbours that turn a into b ("optimal string alignment"), case
 * ignored; both at most LONGEST_WORD bytes. O(|a| |b|). */
static size_t edit_distance(const char *a, const char *b) {
  size_t rows[3][LONGEST_WORD + 1];
  size_t *before = rows[0], *last = rows[1], *row = rows[2];
  size_t a_length = strlen(a), b_length = strlen(b);
  for (size_t j = 0; j <= b_length; j++) row[j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t *oldest = before;
    before = last, last = row, row = oldest;
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      bool same = folded(a[i - 1]) == folded(b[j - 1]);
      row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + !same);
      if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]))
        row[j] = least(row[j], before[j - 2] + 1);
    }
  }
  return row[b_length];
}

const char *ripstop_nearest_word(const char *text, const char *const *words) {
  size_t length = strlen(text);
  if (!length || length > LONGEST_WORD) return NULL;
  const char *nearest = NULL;
  size_t limit = 1 + length / 3; /* one slip, and one more for every three letters */
  for (; *words; words++) {
    size_t word_length = strlen(*words);
    size_t apart = length > word_length ? length - word_length : word_length - length;
    if (word_length > LONGEST_WORD || apart > limit) continue; /* at least this many insertions */
    size_t distance = edit_distance(text, *words);
    if (distance > limit || distance >= (length > word_length ? length : word_length)) continue; /* nothing shared */
    if (nearest && distance == limit) continue; /* the first of equal ones stays */
    nearest = *words;
    limit = distance;
  }
  return nearest;
}

/* ------------------------------------------------------------------ files */

typedef struct reading {
  FILE *file;
  size_t limit;
  ripstop_text content;
} reading;

/* Reads up to the end of the file, an error, or more bytes than are allowed. */
static void read_on(void *argument) {
  reading *r = argument;
  char part[16384];
  for (size_t got; r->content.length <= r->limit && (got = fread(part, 1, sizeof part, r->file));)
    ripstop_text_add_bytes(&r->content, part, got);
}

static int keep(const reading *r, ripstop_arena *arena, const char *path, int failed, char **data, ripstop_error *err) {
  const ripstop_text *content = &r->content;
  if (failed) return ripstop_fail_system(err, failed, "%s", path);
  if (content->length > r->limit) return ripstop_fail(err, "%s: larger than %zu bytes", path, r->limit);
  *data = RIPSTOP_ARRAY(arena, content->length + 1, char);
  if (content->length) memcpy(*data, content->data, content->length);
  return 0;
}

static int read_disk(ripstop_arena *arena, const char *path, size_t limit, char **data, size_t *length,
                     ripstop_error *err) {
  reading r = {.file = ripstop_input_open(path, err), .limit = limit};
  if (!r.file) return -1;
  errno = 0;
  bool out_of_memory = ripstop_try(read_on, &r, NULL) != 0;
  int failed = ferror(r.file) ? errno : 0;
  fclose(r.file);
  if (out_of_memory) ripstop_out_of_memory();
  int status = keep(&r, arena, path, failed, data, err);
  if (!status) *length = r.content.length;
  ripstop_text_free(&r.content);
  return status;
}

static int read_record(const ripstop_files *record, ripstop_arena *arena, const char *path, size_t limit, char **data,
                       size_t *length, ripstop_error *err) {
  const char *content = ripstop_files_find(record, path, length);
  if (!content) return ripstop_fail(err, "%s: the first rank has read no such file", path);
  if (*length > limit) return ripstop_fail(err, "%s: larger than %zu bytes", path, limit);
  *data = RIPSTOP_ARRAY(arena, *length + 1, char);
  if (*length) memcpy(*data, content, *length);
  return 0;
}

int ripstop_read_file(ripstop_arena *arena, const char *path, size_t limit, char **data, size_t *length,
                      ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_files *record = ripstop_course_here()->files;
  if (!*path) return ripstop_fail(err, "the name of the file to read is empty");
  if (record && record->complete) return read_record(record, arena, path, limit, data, length, err);
  if (read_disk(arena, path, limit, data, length, err) || ripstop_check_unpacked(path, *data, *length, err)) return -1;
  if (record) ripstop_files_add(record, path, *data, *length);
  return 0;
}

int ripstop_close_file(FILE *file, const char *path, ripstop_error *err) {
  int failed = ferror(file) ? errno : 0;
  bool bad = ferror(file) || fflush(file);
  if (bad && !failed) failed = errno;
  bad |= fclose(file) != 0;
  if (!bad) return 0;
  return ripstop_fail_system(err, failed ? failed : errno, "%s", path);
}
