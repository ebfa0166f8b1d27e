/* trace_words.c - splits lines into words, and reads numbers, speeds and times exactly. */
#include "formats/traces/trace_words.h"

int trace_find_word(piece word, const char *const *list) {
  for (int i = 0; list[i]; i++)
    if (piece_is(word, list[i])) return i;
  return -1;
}

size_t trace_split(piece line, piece *word, size_t room) {
  size_t count = 0;
  for (piece next = piece_next_word(&line); next.at < next.end; next = piece_next_word(&line)) {
    if (count < room) word[count] = next;
    count++;
  }
  return count;
}

/* Digits as they stand, with the place of their point. */
typedef struct decimal {
  piece before, behind;
  int exponent;
} decimal;

static piece take_digits(piece *p) {
  piece digits = {p->at, p->at};
  while (digits.end < p->end && piece_digit(*digits.end) < 10) digits.end++;
  p->at = digits.end;
  return digits;
}

/* "e-06" */
static bool take_exponent(piece *p, int *out) {
  enum { MOST = 1000 };
  uint32_t size;
  piece at = *p;
  if (!piece_take_char(&at, 'e') && !piece_take_char(&at, 'E')) return false;
  const bool minus = piece_take_char(&at, '-');
  if (!minus) (void)piece_take_char(&at, '+');
  if (!piece_count(&at, MOST, &size)) return false;
  *out = minus ? -(int)size : (int)size;
  *p = at;
  return true;
}

static bool take_decimal(piece *p, decimal *out) {
  piece at = *p;
  *out = (decimal){.before = take_digits(&at), .behind = {at.at, at.at}};
  if (piece_take_char(&at, '.')) out->behind = take_digits(&at);
  if (piece_length(out->before) + piece_length(out->behind) == 0) return false;
  (void)take_exponent(&at, &out->exponent);
  *p = at;
  return true;
}

/* The digit at a place of the number, 0 for its units; places without a digit have 0. */
static unsigned digit_at(const decimal *d, int64_t place) {
  const int64_t own = place - d->exponent, before = (int64_t)piece_length(d->before);
  if (own >= 0) return own < before ? piece_digit(d->before.end[-1 - own]) : 0;
  return -1 - own < (int64_t)piece_length(d->behind) ? piece_digit(d->behind.at[-1 - own]) : 0;
}

static bool scaled(const decimal *d, unsigned scale, uint64_t *whole, bool *more) {
  const int64_t first = (int64_t)piece_length(d->before) + d->exponent;
  const int64_t last = d->exponent - (int64_t)piece_length(d->behind), least = -(int64_t)scale;
  *whole = 0;
  *more = false;
  for (int64_t place = first; place >= least; place--) {
    if (*whole > (INT64_MAX - 9) / 10) return false;
    *whole = 10 * *whole + digit_at(d, place);
  }
  for (int64_t place = least - 1; place >= last && !*more; place--) *more = digit_at(d, place) > 0;
  return true;
}

bool trace_decimal(piece word, unsigned scale, uint64_t *whole, bool *more) {
  decimal d;
  return take_decimal(&word, &d) && word.at == word.end && scaled(&d, scale, whole, more);
}

/* ------------------------------------------------------------------ units */

typedef struct unit {
  const char *word;
  unsigned scale; /* the power of ten */
} unit;

static const unit *find_unit(const unit *list, piece word) {
  for (; list->word; list++)
    if (piece_is(word, list->word)) return list;
  return NULL;
}

bool trace_speed(piece word, uint64_t *bits) {
  static const unit units[] = {{"bps", 0},   {"kbps", 3},  {"Kbps", 3},  {"Mbps", 6},  {"Gbps", 9},
                               {"Tbps", 12}, {"b/s", 0},   {"kb/s", 3},  {"Kb/s", 3},  {"Mb/s", 6},
                               {"Gb/s", 9},  {"Tb/s", 12}, {"Bps", 0},   {"kBps", 3},  {"KBps", 3},
                               {"MBps", 6},  {"GBps", 9},  {"TBps", 12}, {"B/s", 0},   {"kB/s", 3},
                               {"KB/s", 3},  {"MB/s", 6},  {"GB/s", 9},  {"TB/s", 12}, {NULL, 0}};
  enum { BYTE = 8 };
  decimal d;
  bool more;
  if (!take_decimal(&word, &d)) return false;
  const unit *of = find_unit(units, word);
  if (!of || !scaled(&d, of->scale, bits, &more) || more) return false;
  if (!strchr(of->word, 'B')) return true;
  if (*bits > INT64_MAX / BYTE) return false;
  *bits *= BYTE;
  return true;
}

bool trace_time(piece word, uint64_t *picoseconds) {
  static const unit units[] = {{"s", 12}, {"ms", 9}, {"us", 6}, {"ns", 3}, {"ps", 0}, {NULL, 0}};
  decimal d;
  bool more;
  if (!take_decimal(&word, &d)) return false;
  const unit *of = find_unit(units, word);
  return of && scaled(&d, of->scale, picoseconds, &more);
}
