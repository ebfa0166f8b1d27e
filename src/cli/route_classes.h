/* route_classes.h - `ripstop route CABLES --classes-out DIR`: class maps of Ethernet switches. */
#ifndef RIPSTOP_CLI_ROUTE_CLASSES_H
#define RIPSTOP_CLI_ROUTE_CLASSES_H

#include "ripstop/plugin/base.h"

typedef struct route_classes_request {
  const char *cables, *folder;
  uint64_t bounces; /* turns that packets stay lossless with */
  bool json;
} route_classes_request;

int route_classes(const route_classes_request *asked, ripstop_error *err);

#endif
