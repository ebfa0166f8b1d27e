/* sizes.h - sizes of dimensions or levels as a text: "8x8", "4.4.2". */
#ifndef RIPSTOP_FABRIC_SIZES_H
#define RIPSTOP_FABRIC_SIZES_H

#include "ripstop/plugin/base.h"

enum { RIPSTOP_SIZES_MAX = 26 }; /* 2^26 routers are more than RIPSTOP_FABRIC_MAX_PORTS allows */

typedef struct ripstop_sizes {
  uint32_t count;
  uint32_t size[RIPSTOP_SIZES_MAX]; /* in the order in which they are written */
} ripstop_sizes;

/* `family` is for messages; each size is `least` to 65535. */
int ripstop_sizes_parse(const char *family, const char *text, char separator, uint32_t least, ripstop_sizes *out,
                        ripstop_error *err);
uint64_t ripstop_sizes_product(const ripstop_sizes *s);

#endif
