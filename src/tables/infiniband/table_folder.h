/* table_folder.h - a folder of forwarding tables as `ripstop route -o` writes it. */
#ifndef TABLES_INFINIBAND_TABLE_FOLDER_H
#define TABLES_INFINIBAND_TABLE_FOLDER_H

#include "base/output.h"
#include "ripstop/plugin/forwarding.h"

/* Files that such a folder has, of those in it that are tables. */
bool ripstop_table_folder_has(const char *name);
/* Writes lfts.dump, sl.dump and sl2vl.dump; the folder exists. */
int ripstop_table_folder_write(const char *folder, ripstop_output_kind kind, const ripstop_forwarding *tables,
                               ripstop_error *err);
/* Writes lfts.step1.dump, the tables between two writes; NULL: removes the one that an earlier update left, which would
 * be taken for this one's. */
int ripstop_table_folder_between(const char *folder, ripstop_output_kind kind, const ripstop_forwarding *between,
                                 ripstop_error *err);

#endif
