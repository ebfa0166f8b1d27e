/* tokens.h - the tokens of one line of a subnet manager's files, read from left to right. */
#ifndef TABLES_INFINIBAND_TOKENS_H
#define TABLES_INFINIBAND_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The rest of the line; it need not be terminated. */
typedef struct words {
  const char *at, *end;
} words;

static inline bool words_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static inline void words_skip(words *w) {
  while (w->at < w->end && words_blank(*w->at)) w->at++;
}

/* True if only a blank or the end of the line follows. */
static inline bool words_ends(const words *w) { return w->at == w->end || words_blank(*w->at); }

static inline bool words_begin(words w, const char *word) {
  size_t length = strlen(word);
  return (size_t)(w.end - w.at) >= length && memcmp(w.at, word, length) == 0;
}

/* Steps over the word, if it is the next; blanks before it do not matter. */
static inline bool words_take(words *w, const char *word) {
  words_skip(w);
  if (!words_begin(*w, word)) return false;
  w->at += strlen(word);
  return true;
}

static inline unsigned words_digit(char c) {
  unsigned decimal = (unsigned)(unsigned char)c - '0', packet = ((unsigned)(unsigned char)c | 32) - 'a';
  return decimal < 10 ? decimal : packet < 6 ? packet + 10 : 99;
}

/* A number of up to 64 bits to the base; false, and nothing is read, when there is none or it does not fit. */
static inline bool words_number(words *w, unsigned base, uint64_t *out) {
  const char *at = w->at;
  uint64_t value = 0;
  unsigned digit;
  for (; at < w->end && (digit = words_digit(*at)) < base; at++) {
    if (value > (UINT64_MAX - 15) / base) return false;
    value = value * base + digit;
  }
  if (at == w->at) return false;
  w->at = at;
  *out = value;
  return true;
}

static inline bool words_hexadecimal(words *w, uint64_t *out) {
  words copy = *w;
  if (copy.end - copy.at < 3 || copy.at[0] != '0' || (copy.at[1] | 32) != 'x') return false;
  copy.at += 2;
  if (!words_number(&copy, 16, out)) return false;
  *w = copy;
  return true;
}

/* A number in either notation, behind blanks. */
static inline bool words_any_number(words *w, uint64_t *out) {
  words_skip(w);
  return words_hexadecimal(w, out) || words_number(w, 10, out);
}

/* Steps behind the first " WORD" of a line that a number follows, and reads that. */
static inline bool words_find(words w, const char *word, bool (*number)(words *w, uint64_t *out), uint64_t *out) {
  size_t length = strlen(word);
  for (; (size_t)(w.end - w.at) > length; w.at++) {
    if (!words_blank(w.at[0]) || memcmp(w.at + 1, word, length) != 0) continue;
    words behind = {w.at + 1 + length, w.end};
    words_skip(&behind);
    if (behind.at > w.at + 1 + length && number(&behind, out)) return true;
  }
  return false;
}

#endif
