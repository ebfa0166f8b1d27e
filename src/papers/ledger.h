/* ledger.h - what the writers of the claims of many experiments share: text, Markdown, records and the book's index. */
#ifndef PAPERS_LEDGER_H
#define PAPERS_LEDGER_H

#include "report/plot.h"
#include "ripstop/kit/papers.h"

/* "at least 0.4 (± 0.01)"; "0.4123 ± 0.0021, in a transient, by 12 of 50 runs", "nothing". */
void plot_print_published(ripstop_text *out, const ripstop_claim *claim);
void plot_print_measured(ripstop_text *out, const ripstop_claim_row *row);
/* True if the claim is about this result of the paper; `place` may be RIPSTOP_NOWHERE. */
bool plot_is_about(const ripstop_claim_row *row, const ripstop_paper *paper, size_t place);
/* True if some claim about it has a finding. */
bool plot_is_found(const ripstop_ledger *ledger, const ripstop_paper *paper, size_t place);

#endif
