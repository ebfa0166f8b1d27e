/* book.h - many experiments as one book: what papers claim and what came of it, and an index of the experiments' pages.
 */
#ifndef RIPSTOP_KIT_BOOK_H
#define RIPSTOP_KIT_BOOK_H

#include "ripstop/kit/report.h"

RIPSTOP_BEGIN

/* An experiment in a book. */
typedef struct ripstop_book_entry {
  const ripstop_spec *spec;
  const char *page;  /* where its page lies, from the index; NULL: it has none, for no run is done */
  size_t runs, done; /* asked for, and those that are done */
  double seconds;    /* of a processor, of the latter */
} ripstop_book_entry;

typedef struct ripstop_book {
  const ripstop_ledger *ledger; /* of the entries */
  size_t entries;
  const ripstop_book_entry *entry;
} ripstop_book;

/* The index as one page without outside resources: the figures and tables of the papers with what came of them, every
 * claim with its reading, every experiment. `command` is shown as it is. */
int ripstop_book_html(const ripstop_book *book, const char *command, ripstop_text *out, ripstop_error *err);

RIPSTOP_END

#endif
