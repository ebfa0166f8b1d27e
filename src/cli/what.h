/* what.h - prints a study of `ripstop what-if`. */
#ifndef RIPSTOP_CLI_WHAT_H
#define RIPSTOP_CLI_WHAT_H

#include "report/what_if_study.h"

static inline double what_share(const ripstop_leaf *leaf) { return (double)leaf->have / (double)leaf->need; }
/* `folder`: the tables of the proof are there; NULL: nowhere. */
void what_print_text(const what_if_study *study, bool all, const char *folder);
void what_print_json(const what_if_study *study);

#endif
