/* pack.c - outcomes as bytes, every bit of their numbers; what the receiver has in static storage is found again there.
 */
#include "campaign/pack.h"

#include <string.h>

static void pack_bytes(ripstop_text *out, const void *bytes, size_t length) {
  ripstop_text_add_bytes(out, bytes, length);
}

void pack_number(ripstop_text *out, uint64_t number) { pack_bytes(out, &number, sizeof number); }

static void pack_real(ripstop_text *out, double real) { pack_bytes(out, &real, sizeof real); }

void pack_text(ripstop_text *out, const char *text) {
  pack_number(out, text ? strlen(text) : UINT64_MAX);
  if (text) pack_bytes(out, text, strlen(text) + 1);
}

void pack_outcome(ripstop_text *out, const ripstop_outcome *o) {
  pack_text(out, o->verdict);
  pack_text(out, o->reason);
  pack_text(out, o->faults);
  pack_real(out, o->seconds);
  pack_number(out, o->threads);
  pack_number(out, o->values);
  for (size_t i = 0; i < o->values; i++) {
    pack_text(out, o->value[i].name);
    pack_text(out, o->value[i].unit);
    pack_real(out, o->value[i].value);
    pack_real(out, o->value[i].half);
  }
  pack_number(out, o->windows);
  pack_bytes(out, o->window, o->windows * sizeof *o->window);
}

unpacking unpack(const ripstop_text *message) {
  return (unpacking){.at = message->data, .end = message->data + message->length};
}

/* NULL: there are not so many. */
static const char *next_bytes(unpacking *u, uint64_t length) {
  const char *bytes = u->at;
  u->bad |= length > (uint64_t)(u->end - u->at);
  if (u->bad) return NULL;
  u->at += length;
  return bytes;
}

static void unpack_bytes(unpacking *u, void *out, size_t length) {
  const char *bytes = next_bytes(u, length);
  if (bytes && length) memcpy(out, bytes, length);
}

uint64_t unpack_number(unpacking *u) {
  uint64_t number = 0;
  unpack_bytes(u, &number, sizeof number);
  return number;
}

static double unpack_real(unpacking *u) {
  double real = 0;
  unpack_bytes(u, &real, sizeof real);
  return real;
}

const char *unpack_text(unpacking *u, ripstop_arena *arena) {
  uint64_t length = unpack_number(u);
  const char *bytes = u->bad || length == UINT64_MAX ? NULL : next_bytes(u, length + 1);
  return bytes ? ripstop_arena_text(arena, bytes) : NULL;
}

/* Reads the number of items that follow; each has at least so many bytes. */
static size_t unpack_count(unpacking *u, size_t bytes) {
  uint64_t count = unpack_number(u);
  u->bad |= count > (uint64_t)(u->end - u->at) / bytes;
  return u->bad ? 0 : (size_t)count;
}

static const char *known_verdict(const char *text) {
  for (size_t i = 0; text && ripstop_outcome_words[i]; i++)
    if (!strcmp(text, ripstop_outcome_words[i])) return ripstop_outcome_words[i];
  return NULL;
}

static void unpack_value(unpacking *u, ripstop_arena *arena, ripstop_value *out) {
  out->name = unpack_text(u, arena);
  out->unit = unpack_text(u, arena);
  out->value = unpack_real(u);
  out->half = unpack_real(u);
}

void unpack_outcome(unpacking *u, ripstop_outcome *out) {
  ripstop_arena *arena = ripstop_arena_new();
  *out = (ripstop_outcome){.arena = arena};
  out->verdict = known_verdict(unpack_text(u, arena));
  out->reason = unpack_text(u, arena);
  out->faults = unpack_text(u, arena);
  out->seconds = unpack_real(u);
  out->threads = (uint32_t)unpack_number(u);
  out->values = unpack_count(u, 4 * sizeof(uint64_t));
  ripstop_value *value = RIPSTOP_ARRAY(arena, out->values, ripstop_value);
  for (size_t i = 0; i < out->values; i++) unpack_value(u, arena, &value[i]);
  out->value = value;
  out->windows = unpack_count(u, sizeof *out->window);
  ripstop_window *window = RIPSTOP_ARRAY(arena, out->windows, ripstop_window);
  unpack_bytes(u, window, out->windows * sizeof *window);
  out->window = window;
}
