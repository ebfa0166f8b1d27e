/* table_files.h - reads one set of forwarding tables, from whatever holds it: files of OpenSM and infiniband-diags, a
 * folder of them, or the file of OpenSM's plug-in (snapshot.h). */
#ifndef MEND_TABLE_FILES_H
#define MEND_TABLE_FILES_H

#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/forwarding.h"

typedef struct ripstop_table_files {
  const char *const *path; /* [paths]: files that belong together, or folders with a set like `route -o` or OpenSM
                            * writes it */
  unsigned paths;
} ripstop_table_files;

/* `view` may be NULL: nothing has failed. `notes` (begun) gets a line, with its end, for everything in the files that
 * was left out. *levels (may be NULL): the files have service levels; otherwise 0 is taken for all packets. NULL on
 * error; to be freed by ripstop_forwarding_free. */
ripstop_forwarding *ripstop_table_files_read(const ripstop_table_files *files, const ripstop_fabric *fabric,
                                             const ripstop_view *view, ripstop_text *notes, bool *levels,
                                             ripstop_error *err);

#endif
