/* odd.h - what is odd about a fabric: a kind in a few words, where, and a sentence.
 *
 * Readers of dumps and the recogniser of regular fabrics fill the same list. Kinds are words that scripts may rely on
 * (docs/fabrics.md has them all). */
#ifndef RIPSTOP_FORMATS_ODD_H
#define RIPSTOP_FORMATS_ODD_H

#include "ripstop/plugin/base.h"

#define RIPSTOP_ODD_OWN_CABLE "cable from a switch to itself" /* its name is the first place */

typedef struct ripstop_odd {
  const char *what;   /* the kind, e.g. "half link" */
  const char *text;   /* a sentence */
  const char **where; /* [places]: the parts concerned by name, the one to look at first */
  uint32_t places, room;
  uint32_t line;  /* in the file; 0: no line says so */
  uint32_t count; /* how many parts the row stands for */
} ripstop_odd;

typedef struct ripstop_odds {
  ripstop_arena *arena;
  ripstop_odd *list;
  uint32_t count, room;
} ripstop_odds;

/* The names of parts for ripstop_odds_add. */
#define RIPSTOP_AT(...) \
  (const char *const[]) { __VA_ARGS__, NULL }

/* Adds an oddity at the parts `where`, which ends with NULL; the sentence follows as by printf. The answer is valid
 * until the next one is added. */
ripstop_odd *ripstop_odds_add(ripstop_odds *odds, const char *what, uint32_t line, const char *const *where,
                              const char *format, ...) RIPSTOP_PRINTF(5, 6);
void ripstop_odd_place(ripstop_odds *odds, ripstop_odd *odd, const char *name);

#endif
