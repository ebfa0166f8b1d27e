/* piece.h - a piece of a text, from which readers take lines, words and numbers, from left to right.
 *
 * All readers of text files use it. A piece need not be terminated. A function that takes something returns false, and
 * leaves the piece as it is, if something else is next. */
#ifndef RIPSTOP_BASE_PIECE_H
#define RIPSTOP_BASE_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct piece {
  const char *at, *end;
} piece;

static inline piece piece_of(const char *text) { return (piece){text, text + strlen(text)}; }

static inline size_t piece_length(piece p) { return (size_t)(p.end - p.at); }

static inline bool piece_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static inline bool piece_begins(piece p, const char *word) {
  const size_t length = strlen(word);
  return piece_length(p) >= length && memcmp(p.at, word, length) == 0;
}

/* True if the piece is this text, with the same capitals. */
static inline bool piece_is(piece p, const char *text) {
  return piece_length(p) == strlen(text) && piece_begins(p, text);
}

static inline void piece_skip_blanks(piece *p) {
  while (p->at < p->end && piece_blank(*p->at)) p->at++;
}

/* The first place of the text in the piece; NULL: it is not there. */
static inline const char *piece_find(piece p, const char *text) {
  for (; piece_length(p) >= strlen(text); p.at++)
    if (piece_begins(p, text)) return p.at;
  return NULL;
}

/* Blanks at both ends are cut off. */
static inline piece piece_trimmed(piece p) {
  piece_skip_blanks(&p);
  while (p.end > p.at && piece_blank(p.end[-1])) p.end--;
  return p;
}

static inline bool piece_take_char(piece *p, char c) {
  if (p->at == p->end || *p->at != c) return false;
  p->at++;
  return true;
}

static inline bool piece_take(piece *p, const char *word) {
  if (!piece_begins(*p, word)) return false;
  p->at += strlen(word);
  return true;
}

/* The same behind blanks, which it also takes where the word is not next. */
static inline bool piece_take_word(piece *p, const char *word) {
  piece_skip_blanks(p);
  return piece_take(p, word);
}

/* The bytes up to the next blank; empty at the end. */
static inline piece piece_next_word(piece *p) {
  piece_skip_blanks(p);
  piece word = {p->at, p->at};
  while (word.end < p->end && !piece_blank(*word.end)) word.end++;
  p->at = word.end;
  return word;
}

/* A whole text, without the byte-order mark that it may begin with. */
static inline piece piece_of_file(const char *text, size_t length) {
  piece p = {text, text + length};
  (void)piece_take(&p, "\xef\xbb\xbf");
  return p;
}

/* Splits the next line off, without its end. A last line without one ends where the text ends. */
static inline bool piece_next_line(piece *text, piece *line) {
  if (text->at >= text->end) return false;
  const char *stop = memchr(text->at, '\n', piece_length(*text));
  *line = (piece){text->at, stop ? stop : text->end};
  text->at = stop ? stop + 1 : text->end;
  return true;
}

/* The value of a digit, of either case; 99: the character is none. */
static inline unsigned piece_digit(char c) {
  const unsigned decimal = (unsigned)(unsigned char)c - '0', letter = ((unsigned)(unsigned char)c | 32) - 'a';
  return decimal < 10 ? decimal : letter < 6 ? letter + 10 : 99;
}

/* A number without sign to the base 10 or 16. False also if it is above 2^64 - 16: that test needs no division. */
static inline bool piece_number(piece *p, unsigned base, uint64_t *out) {
  const char *at = p->at;
  uint64_t value = 0;
  for (unsigned digit; at < p->end && (digit = piece_digit(*at)) < base; at++) {
    if (value > (UINT64_MAX - 15) / base) return false;
    value = value * base + digit;
  }
  if (at == p->at) return false;
  p->at = at;
  *out = value;
  return true;
}

/* A decimal number up to `most`; any larger one is `most` + 1. */
static inline bool piece_count(piece *p, uint32_t most, uint32_t *out) {
  const char *start = p->at;
  uint64_t value = 0;
  for (; p->at < p->end && piece_digit(*p->at) < 10; p->at++)
    if (value <= most) value = value * 10 + piece_digit(*p->at);
  *out = value > most ? most + 1 : (uint32_t)value;
  return p->at > start;
}

/* True if the whole piece is a decimal number up to `most`. */
static inline bool piece_is_count(piece p, uint32_t most, uint32_t *out) {
  return piece_count(&p, most, out) && p.at == p.end && *out <= most;
}

/* The piece as a string to `out` ([room]). False: it is too long, or has a zero byte. */
bool piece_copy(piece p, char *out, size_t room);
/* A number such as 0.25 in thousandths, 0 if it is negative. False: it is none, or has more than three digits behind
 * the point. */
bool piece_thousandths(piece p, uint32_t *out);

/* True if the whole piece is one decimal digit or more. */
static inline bool piece_is_number(piece p) {
  uint32_t ignored;
  return piece_count(&p, 0, &ignored) && p.at == p.end;
}

#endif
