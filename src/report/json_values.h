/* json_values.h - numbers and texts as JSON values, which cannot hold all of them. */
#ifndef RIPSTOP_REPORT_JSON_VALUES_H
#define RIPSTOP_REPORT_JSON_VALUES_H

#include <jansson.h>

/* A number; null where it is not finite. */
json_t *ripstop_json_number(double value);
/* A string. JSON is UTF-8, names of files may be any bytes: those that are no UTF-8 become '?'. */
json_t *ripstop_json_text(const char *text);

#endif
