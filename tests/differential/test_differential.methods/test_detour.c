/* test_detour.c - packets that stay as guests on their way. */
#include "unit/test_guests.methods/test_detour.c" /* NOLINT(bugprone-suspicious-include) */
#include "ripstop/plugin/method.h"
