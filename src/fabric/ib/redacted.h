/* redacted.h - telling apart nodes whose ids people replaced by one text. */
#ifndef RIPSTOP_FABRIC_IB_REDACTED_H
#define RIPSTOP_FABRIC_IB_REDACTED_H

#include "fabric/ib/dump.h"

/* After the lines are read, before nodes of one id are joined. */
void ripstop_ib_part_redacted(ripstop_ib_dump *dump);

#endif
