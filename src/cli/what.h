/* what.h - prints a study of `ripstop what-if`. */
#ifndef RIPSTOP_CLI_WHAT_H
#define RIPSTOP_CLI_WHAT_H

#include "report/what_if_study.h"

static inline double what_share(const ripstop_leaf *leaf) { return (double)leaf->have / (double)leaf->need; }
void what_print_text(const what_if_study *study, bool all);
void what_print_json(const what_if_study *study);

#endif
