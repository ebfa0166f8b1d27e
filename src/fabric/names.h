/* names.h - for the checker: an index that refuses two parts with one name. */
#ifndef RIPSTOP_FABRIC_NAMES_H
#define RIPSTOP_FABRIC_NAMES_H

#include "ripstop/fabric.h"

/* As ripstop_names_new; NULL and a message when a name is used twice or does not fit. */
ripstop_names *ripstop_names_checked(const ripstop_fabric *fabric, ripstop_error *err);

#endif
