/* cells.h - cells of comma-separated values. */
#ifndef STORE_CELLS_H
#define STORE_CELLS_H

#include <stdio.h>

/* A text, quoted if necessary. A text that a spreadsheet would take for a formula gets an apostrophe before it: its
 * first character is = + - @, a tabulator or an end of line, and it is no number. */
void csv_text(FILE *file, const char *text);
/* A number with as many digits as it takes to read the same back; empty for NAN. */
void csv_number(FILE *file, double number);

#endif
