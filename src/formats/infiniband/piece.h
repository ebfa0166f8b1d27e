/* piece.h - what is left of a line, from which readers take words and numbers. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_PIECE_H
#define RIPSTOP_FORMATS_INFINIBAND_PIECE_H

#include <string.h>

#include "ripstop/base.h"

typedef struct piece {
  const char *at, *end;
} piece;

static inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

static inline void skip_blanks(piece *p) {
  while (p->at < p->end && is_blank(*p->at)) p->at++;
}

static inline bool skip_char(piece *p, char c) {
  if (p->at == p->end || *p->at != c) return false;
  p->at++;
  return true;
}

static inline bool skip_word(piece *p, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) return false;
  p->at += length;
  return true;
}

/* Digits up to `most`; more than that is an answer too: `most` + 1. */
static inline bool read_number(piece *p, uint32_t most, uint32_t *out) {
  const char *start = p->at;
  uint64_t value = 0;
  for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
    if (value <= most) value = value * 10 + (uint64_t)(*p->at - '0');
  *out = value > most ? most + 1 : (uint32_t)value;
  return p->at > start;
}

static inline bool read_hex(piece *p, uint64_t *out) {
  const char *start = p->at;
  *out = 0;
  for (; p->at < p->end; p->at++) {
    char c = *p->at;
    uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
                     : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10
                     : c >= 'A' && c <= 'F' ? (uint64_t)(c - 'A') + 10
                                            : 16;
    if (digit == 16) break;
    *out = *out << 4 | digit;
  }
  return p->at > start;
}

#endif
