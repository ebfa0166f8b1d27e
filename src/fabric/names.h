/* names.h - the private part of ripstop_names: whether all names are unique, for the checker of fabrics; and patterns
 * of names, for readers of fault files. */
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
