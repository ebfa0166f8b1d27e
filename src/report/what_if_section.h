/* what_if_section.h - the sections of the page of `ripstop what-if`, each in a file of its own. A section whose input
 * is not there writes nothing; the list of contents (what_if.c) says how to give it. */
#ifndef REPORT_WHAT_IF_SECTION_H
#define REPORT_WHAT_IF_SECTION_H

#include "report/page.h"
#include "report/what_if.h"

typedef struct what_if_sheet {
  const what_if *w;
  const picture *o;     /* its drawing */
  ripstop_arena *arena; /* freed with the page */
  ripstop_odds odd;     /* ranked */
  ripstop_text *out;
} what_if_sheet;

/* ------------------------------------------------------------------ the sections, in their order */

void what_if_put_odd(const what_if_sheet *p);
void what_if_put_errors(const what_if_sheet *p);
/* The parts whose failure was tried, and the leaves. */
void what_if_put_next(const what_if_sheet *p);
void what_if_put_safe(const what_if_sheet *p);
void what_if_put_mends(const what_if_sheet *p);
void what_if_put_changed(const what_if_sheet *p);

/* ------------------------------------------------------------------ shared by them (what_if.c) */

void what_if_put(const what_if_sheet *p, const char *text);
/* page_element */
void what_if_element(const what_if_sheet *p, const char *open, const char *text, const char *close);
/* The list of heads ends with NULL; the first `words` columns have words, the others numbers. */
void what_if_open_table(const what_if_sheet *p, const char *const *head, unsigned words);
void what_if_number(const what_if_sheet *p, uint64_t value);

#endif
