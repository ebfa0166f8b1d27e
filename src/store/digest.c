/* digest.c - the digest by which a stored row is believed: a hash over everything that is stored of it.
 *
 * SQLite detects inconsistent pages, but has no checksums: a flipped bit in a number is another number. Texts and
 * lists are hashed with their lengths, so no two rows have the same bytes. Numbers are hashed as SQLite returns them:
 * it keeps neither the kind of a NaN, nor the sign of a zero. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "store/inside.h"

static void add_count(ripstop_text *bytes, uint64_t count) {
  char byte[sizeof count];
  for (size_t i = 0; i < sizeof byte; i++) byte[i] = (char)(count >> 8 * i);
  ripstop_text_add_bytes(bytes, byte, sizeof byte);
}

/* NULL is not the empty text. */
static void add_text(ripstop_text *bytes, const char *text) {
  size_t length = text ? strlen(text) : 0;
  add_count(bytes, text ? length : UINT64_MAX);
  if (text) ripstop_text_add_bytes(bytes, text, length);
}

static void add_real(ripstop_text *bytes, double value) {
  uint64_t bits = UINT64_MAX; /* no number has these */
  double kept = value == 0 ? 0 : value;
  if (!isnan(value)) memcpy(&bits, &kept, sizeof bits);
  add_count(bytes, bits);
}

static void add_window(ripstop_text *bytes, const ripstop_window *w) {
  const uint64_t count[] = {w->cycle, w->generated, w->injected, w->delivered, w->lost, w->delivered_flits};
  for (size_t i = 0; i < sizeof count / sizeof *count; i++) add_count(bytes, count[i]);
  add_real(bytes, w->latency);
}

void store_digest(const store_row *row, char out[RIPSTOP_HASH]) {
  const ripstop_outcome *o = &row->outcome;
  const char *text[] = {row->canonical, row->version, row->verdict, o->reason, o->faults};
  RIPSTOP_LOCAL_TEXT(bytes);
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) add_text(&bytes, text[i]);
  add_real(&bytes, o->seconds);
  add_count(&bytes, o->values);
  for (size_t i = 0; i < o->values; i++) {
    add_text(&bytes, o->value[i].name), add_text(&bytes, o->value[i].unit);
    add_real(&bytes, o->value[i].value), add_real(&bytes, o->value[i].half);
  }
  add_count(&bytes, o->windows);
  for (size_t i = 0; i < o->windows; i++) add_window(&bytes, &o->window[i]);
  ripstop_hash(bytes.data, bytes.length, out);
}

bool store_same_outcome(const store_row *a, const store_row *b) {
  char digest[2][RIPSTOP_HASH];
  store_row bare[] = {*a, *b};
  for (int i = 0; i < 2; i++) {
    bare[i].version = "", bare[i].outcome.seconds = 0;
    store_digest(&bare[i], digest[i]);
  }
  return !strcmp(digest[0], digest[1]);
}
