/* pack.h - numbers, texts and outcomes as bytes, for ranks of the same program on machines of the same kind. */
#ifndef RIPSTOP_CAMPAIGN_PACK_H
#define RIPSTOP_CAMPAIGN_PACK_H

#include "ripstop/kit/experiment.h"

void pack_number(ripstop_text *out, uint64_t number);
void pack_text(ripstop_text *out, const char *text); /* NULL stays NULL */
void pack_outcome(ripstop_text *out, const ripstop_outcome *outcome);

/* The rest of a message. After it was too short, everything read is zero, NULL or empty, and `bad` says so. */
typedef struct unpacking {
  const char *at, *end;
  bool bad;
} unpacking;

unpacking unpack(const ripstop_text *message);
uint64_t unpack_number(unpacking *u);
const char *unpack_text(unpacking *u, ripstop_arena *arena);
/* Memory from an arena of its own (outcome->arena). */
void unpack_outcome(unpacking *u, ripstop_outcome *out);

#endif
