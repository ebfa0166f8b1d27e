/* db_csv.h - reads the sections of ibdiagnet's file of tables (ibdiagnet2.db_csv), whatever they are about:
 *
 *   START_PORTS                          the section PORTS begins
 *   NodeGuid,PortNum,LID,...             the names of its columns
 *   0xfa0b1e0000001000,1,4,...           a row, a cell for each column
 *   END_PORTS
 *
 * Versions of ibdiagnet write other columns, in another order and with other capitals, so a reader finds a column by
 * its names. A cell in quotes may hold commas and quotes. Text between sections and lines that begin with # are
 * skipped. Use:
 *
 *   ib_csv csv = ib_csv_of(arena, text);
 *   while (ib_csv_section(&csv)) {
 *     if (!ib_csv_is(&csv, "PORTS")) continue;
 *     const uint32_t number = ib_csv_column(&csv, "PortNumber PortNum");
 *     while (ib_csv_row(&csv))
 *       if (ib_csv_number(&csv, number, &value)) ...
 *   }
 *
 * Everything points into the text, which must stay, or belongs to the arena. Cost: O(length). */
#ifndef RIPSTOP_FORMATS_INFINIBAND_DB_CSV_H
#define RIPSTOP_FORMATS_INFINIBAND_DB_CSV_H

#include "base/piece.h"
#include "formats/plain_lines.h"
#include "ripstop/plugin/base.h"

typedef struct ib_csv {
  ripstop_arena *arena;
  plain_lines lines; /* that are not read yet */
  uint32_t line;     /* number of the last line that was read */
  piece section;     /* the name of the section, "PORTS" */
  bool open;         /* its END line is still to come; at the end of the text: the file was cut off */
  piece row;         /* the line of the last row */
  piece *title;      /* [titles]: the names of the columns */
  piece *cell;       /* [cells]: the last row's, without quotes and blanks around them */
  uint32_t titles, cells, titles_room, cells_room;
} ib_csv;

ib_csv ib_csv_of(ripstop_arena *arena, piece text);
/* A text without sections: its first line has the names of the columns, behind a # or not. Only rows follow. */
ib_csv ib_csv_table(ripstop_arena *arena, piece text);
ib_csv ib_csv_of_lines(ripstop_arena *arena, plain_lines lines);
/* Steps to the next section and reads the names of its columns; skips the rest of this one. False: there is none. */
bool ib_csv_section(ib_csv *csv);
/* True if this is the name of the section; capitals do not matter. */
bool ib_csv_is(const ib_csv *csv, const char *name);
/* The column with one of these names, which blanks separate; capitals do not matter. RIPSTOP_NONE: there is none. */
uint32_t ib_csv_column(const ib_csv *csv, const char *names);
/* Reads the next row of the section. False: the section is at its end. A row may have fewer cells than columns. */
bool ib_csv_row(ib_csv *csv);
/* The text of a cell; empty if the row or the section does not have it, and for N/A. */
piece ib_csv_cell(const ib_csv *csv, uint32_t column);
/* A number in a cell: decimal, or hexadecimal behind 0x. False: it has none (N/A, -1, empty, another text). */
bool ib_csv_number(const ib_csv *csv, uint32_t column, uint64_t *out);

#endif
