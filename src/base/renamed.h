/* renamed.h - names that users wrote in the version before, and the names of today.
 *
 * Each old name is refused with the new one in the message, whatever reads it: an experiment's file, --set, a flag, a
 * plug-in's name, a verdict in a filter. A store of the version before is brought to the new names by the same table.
 * The next version drops these lines. */
#ifndef RIPSTOP_BASE_RENAMED_H
#define RIPSTOP_BASE_RENAMED_H

#include "ripstop/plugin/base.h"

/* The kit uses it too. */
RIPSTOP_BEGIN

typedef struct ripstop_renamed {
  const char *kind; /* "key" of an experiment, "flag" without its dashes, "verdict", "process" */
  const char *old, *now;
} ripstop_renamed;
extern const ripstop_renamed ripstop_renamed_names[]; /* ends with a NULL kind */

/* The name of today; NULL: nothing of this kind had the name. */
const char *ripstop_renamed_find(const char *kind, const char *name, size_t length);
/* True if something had the name; then the error says how it is named now. */
bool ripstop_renamed_fails(const char *kind, const char *name, size_t length, ripstop_error *err);

RIPSTOP_END

#endif
