/* counted.c - what a claim counts as.
 *
 * A finding says how a number compares with what was claimed. Not every agreement is a reproduction: a reading that was
 * chosen after results were seen was chosen to agree, and a tolerance of half the published number says little. Claims
 * of an experiment's own are no paper's, so they hold or do not, and have counts of their own. */
#include <math.h>

#include "report/judging.h"
#include "report/plot.h"

const char *const ripstop_counted_words[] = {[RIPSTOP_COUNTED_REPRODUCED] = "reproduced",
                                             [RIPSTOP_COUNTED_CHOSEN] = "agrees, chosen after seeing results",
                                             [RIPSTOP_COUNTED_ROUGH] = "agrees in order of magnitude",
                                             [RIPSTOP_COUNTED_DIFFERS] = "differs",
                                             [RIPSTOP_COUNTED_OPEN] = "cannot be told",
                                             [RIPSTOP_COUNTED_NO_DATA] = "no data",
                                             [RIPSTOP_COUNTED_HOLDS] = "holds",
                                             [RIPSTOP_COUNTED_FAILS] = "does not hold",
                                             NULL};

enum { PARTS = 2 }; /* a tolerance of one part in so many of the published number is too wide to reproduce it */

/* Decimal fractions are rounded: 0.15 is half of 0.3. A published 0 has no parts. */
static bool is_rough(const ripstop_claim *claim) {
  const double slack = 1 - 1e-9;
  return claim->compare == RIPSTOP_COMPARE_ABOUT && claim->published != 0 &&
         PARTS * claim->tolerance >= slack * fabs(claim->published);
}

static ripstop_counted of_agreement(const ripstop_claim *claim) {
  if (!claim->paper) return RIPSTOP_COUNTED_HOLDS;
  if (claim->chosen_after) return RIPSTOP_COUNTED_CHOSEN;
  return is_rough(claim) ? RIPSTOP_COUNTED_ROUGH : RIPSTOP_COUNTED_REPRODUCED;
}

ripstop_counted ripstop_claim_counts_as(const ripstop_claim *claim, const ripstop_judgement *judgement) {
  switch (judgement->finding) {
  case RIPSTOP_REPRODUCED:
    return of_agreement(claim);
  case RIPSTOP_DIFFERS:
    return claim->paper ? RIPSTOP_COUNTED_DIFFERS : RIPSTOP_COUNTED_FAILS;
  case RIPSTOP_CANNOT_BE_TOLD:
    return RIPSTOP_COUNTED_OPEN;
  case RIPSTOP_NO_DATA:
    break;
  }
  return RIPSTOP_COUNTED_NO_DATA;
}
