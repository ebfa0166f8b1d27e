/* what_if.h - the page of `ripstop what-if`: a fabric's picture, what is odd about it, what each part takes with it
 * when it fails, what may be taken out of service, and where a cable more would help most. */
#ifndef REPORT_WHAT_IF_H
#define REPORT_WHAT_IF_H

#include "draw/fabric_picture.h"

/* A cable that is not there, or not what it should be, and what the next fault of a cable at its ends would do. */
typedef struct what_if_mend {
  const char *what, *where, *text; /* the oddity's */
  uint64_t disconnected;           /* pairs that the next failed cable at either end disconnects */
  bool loop;                       /* after which the repaired tables have a credit loop */
  uint64_t worst;                  /* most paths on a channel after it */
  uint64_t on_it;
  double share;  /* at the weaker end: uplink capacity over what its hosts can send; 1 without hosts */
  uint32_t more; /* cables that are not as they should be at that end, this one included */
} what_if_mend;

typedef struct what_if {
  picture drawn;
  const char *tables;           /* their origin, in words */
  const char *part, *parts;     /* the kind of part that fails: "cable", "cables between switches" */
  ripstop_deadlock deadlock;    /* the verdict on the tables, or on the method that makes them */
  const char *reroute;          /* the method that makes tables after each part, and for the set; NULL: none */
  const char *const *safe_name; /* [drawn.safe->links] */
  const uint32_t *safe_off;     /* [safe_offs]: nodes that a subnet manager does not reach without the safe set */
  uint32_t safe_offs;
  const what_if_mend *mend; /* [mends]: which to mend first */
  uint32_t mends;
} what_if;

/* Finds cables that are missing or not as they should be, the one to mend first before others. The parts are cables. */
void what_if_find_mends(ripstop_arena *arena, what_if *w);
void what_if_page(const what_if *w, ripstop_text *out);

#endif
