/* kinds.h - the kinds of files that programs of InfiniBand write, and how their lines begin. A file is of a kind by its
 * content, never by its name.
 *
 * To add one, add a row to the table in kinds.c. Messages take their names ("this looks like ...") from it. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_KINDS_H
#define RIPSTOP_FORMATS_INFINIBAND_KINDS_H

#include "formats/infiniband/dump.h"
#include "formats/plain_lines.h"

typedef struct ib_kind {
  const char *name; /* behind "this looks like" */
  /* True for a line that only files of this kind have. */
  bool (*has)(piece line);
  /* True for a line that begins as one of this kind, but may be damaged; NULL: `has` is as good. */
  bool (*begins)(piece line);
  /* Adds its nodes and ports to a dump; NULL: it has none. */
  int (*read)(ripstop_ib_dump *dump, plain_lines lines, ripstop_error *err);
} ib_kind;

/* The kind of a text, and the line that shows it; NULL: none of these. A text with lines of several kinds is of the
 * first one in the table. If no line is of any kind, the first lines that begin as one decide. */
const ib_kind *ib_kind_of(plain_lines lines, uint32_t *line);
/* The kind of which a line is, or as which it begins; NULL: none. */
const ib_kind *ib_kind_of_line(piece line);

#endif
