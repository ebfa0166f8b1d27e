/* counted_central.c - counted.h without a protocol. */
#include "counted.h"

int tables_made;
const ripstop_method ripstop_method_counted_central = {COUNTED("counted-central")};
