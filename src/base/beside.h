/* beside.h - names of files that are made beside their final path, and the files that killed processes left.
 *
 * Such a file is called PATH.new-PROCESS-SERIAL-MARK. The mark is that of the machine, within which a process number
 * means one process. A file that a killed process left is litter, if the mark is that of this machine. */
#ifndef RIPSTOP_BASE_BESIDE_H
#define RIPSTOP_BASE_BESIDE_H

#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

enum { RIPSTOP_MACHINE = 128 };
/* The start of this machine and the PID namespace, within which process numbers mean the same; "": unknown. */
void ripstop_machine(char out[RIPSTOP_MACHINE]);
/* The first line of a file; "" when it cannot be read. */
void ripstop_first_line(const char *path, char *line, int room);

/* Adds the folder that holds the path, as a path. */
void ripstop_folder_of(ripstop_text *out, const char *path);
/* Adds another name in each call of this process. Returns how many earlier calls there were. */
unsigned ripstop_beside_name(ripstop_text *out, const char *path);
/* Kinds of litter; each includes the kinds before it. */
typedef enum ripstop_litter {
  RIPSTOP_LITTER_OWN,     /* has this machine's mark, and its process is gone */
  RIPSTOP_LITTER_OLD,     /* is an hour old: only for files that are written within milliseconds */
  RIPSTOP_LITTER_UNMARKED /* has no mark, as older programs named files, and no process of its number runs here */
} ripstop_litter;
void ripstop_beside_clean(const char *path, ripstop_litter most);

RIPSTOP_END

#endif
