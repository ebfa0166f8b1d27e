/* packers.h - refuses files that a program packed which is not read here. (gzip is: fabric/content.h.) */
#ifndef RIPSTOP_BASE_PACKERS_H
#define RIPSTOP_BASE_PACKERS_H

#include "ripstop/plugin/base.h"

/* -1: the text begins as files of xz, bzip2 or zstd do; the error has the command that unpacks the file `name`. */
int ripstop_check_unpacked(const char *name, const char *text, size_t length, ripstop_error *err);

#endif
