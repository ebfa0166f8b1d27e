/* test_detour.c - packets that stay as in-transit packets at end nodes. */
#include "unit/test_transit.methods/test_detour.c" /* NOLINT(bugprone-suspicious-include) */
#include "ripstop/plugin/method.h"
