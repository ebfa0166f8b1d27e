/* ledger.h - what the writers of the claims of many experiments share: text, Markdown, records and the book's index. */
#ifndef PAPERS_LEDGER_H
#define PAPERS_LEDGER_H

#include "report/plot.h"
#include "ripstop/kit/papers.h"

/* "at least 0.4 (± 0.01)"; "0.4123 ± 0.0021, in a transient, by 12 of 50 runs", "nothing". */
void ledger_print_published(ripstop_text *out, const ripstop_claim *claim);
void ledger_print_measured(ripstop_text *out, const ripstop_claim_row *row);
#define LEDGER_ANYWHERE (RIPSTOP_NOWHERE - 1) /* any place of a paper, or none */
/* True if the claim is about this result of the paper; `paper` NULL: true if it is about no paper. */
bool ledger_is_about(const ripstop_claim_row *row, const ripstop_paper *paper, size_t place);
ripstop_claim_tally ledger_tally(const ripstop_ledger *ledger, const ripstop_paper *paper, size_t place);
/* Calls for each claim about the paper, by its places; then those about none of them. `paper` NULL: about no paper. */
typedef void ledger_visit(void *context, const ripstop_claim_row *row);
void ledger_each(const ripstop_ledger *ledger, const ripstop_paper *paper, ledger_visit *visit, void *context);
/* True if some claim about this result of the paper has a finding, and the number of such results. */
bool ledger_is_found(const ripstop_ledger *ledger, const ripstop_paper *paper, size_t place);
size_t ledger_found(const ripstop_ledger *ledger, const ripstop_paper *paper);

/* The claim as it stands now, by what the record measured, and the name of that basis; "" and no number where the
 * record has nothing. */
ripstop_claim_row record_row(const ripstop_record *record, const ripstop_claim_row *row, const char **basis);

#endif
