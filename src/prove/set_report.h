/* set_report.h - prints paths, of one set and of many. */
#ifndef PROVE_SET_REPORT_H
#define PROVE_SET_REPORT_H

#include "ripstop/kit/proofs.h"

/* The kit uses it too. */
RIPSTOP_BEGIN
void ripstop_paths_print(ripstop_text *out, const ripstop_paths *paths);
RIPSTOP_END

#endif
