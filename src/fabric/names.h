/* names.h - for the checker: an index that refuses two parts with one name. */
#ifndef RS_FABRIC_NAMES_H
#define RS_FABRIC_NAMES_H

#include "ripstop/fabric.h"

/* As rs_names_new; NULL and a message when a name is used twice or does not fit. */
rs_names *rs_names_checked(const rs_fabric *fabric, rs_error *err);

#endif
