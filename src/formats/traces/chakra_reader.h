/* chakra_reader.h - the parts that readers of Chakra's forms share: chakra_trace.c picks the form, chakra_wire.c reads
 * protobuf, chakra_json.c JSON. */
#ifndef RIPSTOP_FORMATS_TRACES_CHAKRA_READER_H
#define RIPSTOP_FORMATS_TRACES_CHAKRA_READER_H

#include "formats/traces/chakra_trace.h"

typedef struct chakra_reader {
  chakra_trace *out;
  ripstop_arena *arena;
  const char *name; /* the file, for messages */
  piece text;
  ripstop_error *err;
} chakra_reader;

/* Sets an attribute that counts by its name; others are left out. */
void chakra_set_number(chakra_node *node, piece name, uint64_t value);
void chakra_set_text(chakra_node *node, piece name, piece value);
void chakra_add_number(chakra_reader *r, chakra_list *list, uint64_t number);
void chakra_add_node(chakra_reader *r, const chakra_node *node);
/* The values of a metadata node: process groups, if they have `pg_name` and `ranks`. */
void chakra_add_groups(chakra_reader *r, piece values);

bool chakra_is_json(piece text);
int chakra_read_json(chakra_reader *r);
int chakra_read_wire(chakra_reader *r);

#endif
