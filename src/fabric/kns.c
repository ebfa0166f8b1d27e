/* kns.c - recognising a k-ary n-direct s-indirect fabric; its family keeps the geometry. */
#include "fabric/kns.h"

#include <string.h>

bool rs_kns_from(const rs_fabric *fabric, rs_kns *out) {
  if (strcmp(fabric->family->name, "kns") != 0) return false;
  *out = *(const rs_kns *)fabric->detail;
  out->fabric = fabric;
  return true;
}
