/* names.h - for the checker: whether names tell parts apart. */
#ifndef RIPSTOP_FABRIC_NAMES_H
#define RIPSTOP_FABRIC_NAMES_H

#include "ripstop/fabric.h"

/* -1 and a message when a part has no name, or two of one kind have the same. */
int ripstop_names_check(const ripstop_fabric *fabric, ripstop_error *err);

#endif
