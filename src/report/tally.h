/* tally.h - what was counted over many fault sets, for people and programs. */
#ifndef REPORT_TALLY_H
#define REPORT_TALLY_H

#include "ripstop/kit/proofs.h"

/* One line of JSON; `whole`: these were all sets, or enough. */
void tally_json(FILE *file, const ripstop_many *many, const ripstop_tally *tally, bool whole);
/* A table; `whole` likewise. */
void tally_print(FILE *file, const ripstop_many *many, const ripstop_tally *tally, bool whole);

/* The result of `ripstop prove --rare`. */
void rarity_print(FILE *file, const ripstop_rare *rare, const ripstop_rarity *r);
void rarity_json(FILE *file, const ripstop_rare *rare, const ripstop_rarity *r);

#endif
