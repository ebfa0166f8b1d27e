/* names.h - for the checker whether names tell parts apart, for readers of faults patterns of names. */
#ifndef RIPSTOP_FABRIC_NAMES_H
#define RIPSTOP_FABRIC_NAMES_H

#include "ripstop/plugin/family.h"

/* -1 and a message when a part has no name, or two of one kind have the same. */
int ripstop_names_check(const ripstop_fabric *fabric, ripstop_error *err);

/* True if a name of the part, or another name that its family knows, matches a pattern: '*' any text, '?' any one
 * byte. */
bool ripstop_names_match(const ripstop_names *names, ripstop_part_kind what, uint32_t part, const char *pattern,
                         size_t length);

#endif
