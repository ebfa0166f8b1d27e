/* kns.c - recognising a k-ary n-direct s-indirect fabric, whose family keeps the geometry. */
#include "fabric/kns.h"

#include <string.h>

bool ripstop_kns_from(const ripstop_fabric *fabric, ripstop_kns *out) {
  if (strcmp(fabric->family->name, "kns") != 0) return false;
  *out = *(const ripstop_kns *)fabric->detail;
  out->fabric = fabric;
  return true;
}
