/* result.h - what a run or a proof found: values by name, each with its unit, and texts by name.
 *
 * `ripstop help values` prints the names, units and meanings of all values. JSON, CSV, figures and documents use the
 * same names. A result has memory of its own, and outlives whatever it is a result of. */
#ifndef RIPSTOP_RESULT_H
#define RIPSTOP_RESULT_H

#include "ripstop/error.h"

RIPSTOP_BEGIN

typedef struct ripstop_result ripstop_result;

/* The verdict on a run. */
typedef enum ripstop_verdict {
  RIPSTOP_NO_VERDICT = -1, /* the result is that of a proof, or NULL */
  RIPSTOP_STEADY,          /* the network carried all offered packets */
  RIPSTOP_SATURATED,       /* packets piled up at the sources */
  RIPSTOP_DEADLOCKED,      /* some packets wait for each other forever */
  RIPSTOP_LOSSY            /* some packets were lost for want of a route */
} ripstop_verdict;

/* A number with its unit. For a value that is 0 and cannot be negative the interval goes from 0 to `half`. */
typedef struct ripstop_value {
  const char *name, *unit;
  double value;
  double half; /* half the width of its confidence interval; NAN: it has none; INFINITY: the run is too short for one */
} ripstop_value;

/* The value of this name; NAN: the result has none, or is NULL. A verdict of yes or no is 1 or 0: compare it with
 * 1, for NAN is not 0. */
double ripstop_result_value(const ripstop_result *result, const char *name);
/* The values one after another: number 0, 1, ... ; NULL: there are no more. */
const ripstop_value *ripstop_result_at(const ripstop_result *result, size_t number);
/* The verdict of a run; as a word it is the text "verdict". */
ripstop_verdict ripstop_result_verdict(const ripstop_result *result);
/* The text of this name, or NULL where the result has none:
 *   verdict  a run: "steady", "saturated", "deadlocked", "lossy"; a proof: whether and under which flow control packets
 *            can deadlock, as a sentence: "impossible with credits or PFC: ..."
 *   witness  a run: the queues of the deadlock, or the first packet that was lost for want of a route
 *   lost, never, livelock  a proof: a walk by which a packet is lost, cannot be delivered, or loops forever */
const char *ripstop_result_text(const ripstop_result *result, const char *name);
void ripstop_result_free(ripstop_result *result); /* NULL is fine */

RIPSTOP_END

#endif
