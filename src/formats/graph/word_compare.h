/* word_compare.h - the comparisons of words that the readers of graphs share. */
#ifndef RIPSTOP_FORMATS_GRAPH_WORD_COMPARE_H
#define RIPSTOP_FORMATS_GRAPH_WORD_COMPARE_H

#include <string.h>
#include <strings.h>

#include "formats/graph/named_graph.h"

typedef ripstop_graph_line piece;

static inline size_t length_of(piece word) { return (size_t)(word.end - word.at); }

/* The same letters; capitals do not matter. */
static inline bool is(piece word, const char *text) {
  return length_of(word) == strlen(text) && strncasecmp(word.at, text, length_of(word)) == 0;
}

/* One digit or more, and nothing else. */
static inline bool is_number(piece word) {
  for (const char *c = word.at; c < word.end; c++)
    if (*c < '0' || *c > '9') return false;
  return word.at < word.end;
}

#endif
