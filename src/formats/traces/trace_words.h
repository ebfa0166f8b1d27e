/* trace_words.h - lines of words and decimal numbers, as the readers of text formats in this folder take them.
 *
 * Blank lines are left out. A line's number counts from 1. */
#ifndef RIPSTOP_FORMATS_TRACES_TRACE_WORDS_H
#define RIPSTOP_FORMATS_TRACES_TRACE_WORDS_H

#include "base/piece.h"
#include "ripstop/plugin/base.h"

enum { TRACE_SHOWN = 60 }; /* bytes of a word that messages quote */

typedef struct trace_lines {
  piece rest, line;
  uint32_t number; /* the number of `line` */
} trace_lines;

static inline trace_lines trace_lines_of(const char *text, size_t length) {
  return (trace_lines){.rest = piece_of_file(text, length)};
}

/* Takes the next line that is neither blank nor, if `comments`, begins with '#'. */
static inline bool trace_next_line(trace_lines *l, bool comments) {
  while (piece_next_line(&l->rest, &l->line)) {
    l->number++;
    l->line = piece_trimmed(l->line);
    if (l->line.at < l->line.end && (!comments || *l->line.at != '#')) return true;
  }
  return false;
}

static inline int trace_shown(piece p) { return piece_length(p) < TRACE_SHOWN ? (int)piece_length(p) : TRACE_SHOWN; }

/* The place of a word in a list that ends with NULL; -1: it is not there. */
int trace_find_word(piece word, const char *const *list);
/* Splits a line at its blanks: the first `room` words go to `word`.
 * Returns how many words the line has, which may be more. */
size_t trace_split(piece line, piece *word, size_t room);

/* A decimal number with or without point and exponent, times 10^scale: its whole part, and if something is behind the
 * point. False: no such number, or it is 2^63 or more. Exact: nothing goes through a floating-point number. */
bool trace_decimal(piece word, unsigned scale, uint64_t *whole, bool *more);
/* A speed such as 100Gbps or 12.5GBps in bits a second. False: no speed, or not whole. */
bool trace_speed(piece word, uint64_t *bits);
/* A time such as 0.001ms in picoseconds, without the part below one. False: no time. */
bool trace_time(piece word, uint64_t *picoseconds);

#endif
