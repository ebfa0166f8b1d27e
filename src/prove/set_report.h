/* set_report.h - prints paths, of one set and of many. */
#ifndef PROVE_SET_REPORT_H
#define PROVE_SET_REPORT_H

#include "ripstop/kit/proofs.h"

void paths_print(ripstop_text *out, const ripstop_paths *paths);

#endif
