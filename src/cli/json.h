/* json.h - texts of files as JSON: they may hold any bytes, JSON holds UTF-8. */
#ifndef RIPSTOP_CLI_JSON_H
#define RIPSTOP_CLI_JSON_H

#include <jansson.h>

#include "formats/odd.h"
#include "report/json_values.h"
#include "ripstop/kit/deadlock.h"

/* A list of {"what", "where", "places", "text", "line", "count"}: `where` is the first of the places, `line` 0 if no
 * line has it, `count` how many parts the row stands for. */
void ripstop_cli_json_odds(json_t *list, const ripstop_odds *odds);
/* Adds the verdict: "credit_loop" with the flow control that the routes require, "credit_loop_without_bubble" on
 * switches with credits or PFC alone, and "deadlock", the sentence. */
void ripstop_cli_json_deadlock(json_t *object, ripstop_deadlock verdict);
/* [{"name", "type", "help"}] and, where there is one, "default", "least" and "most", "words". */
json_t *ripstop_cli_json_options(const ripstop_option *options);
/* Prints it in one line and frees it. */
void ripstop_cli_json_print(json_t *value);

#endif
