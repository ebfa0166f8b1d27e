/* adapter_words.h - the words of an adapter's description: its host, and which of the host's adapters it is.
 *
 *   "n0101 mlx5_0", "n0101:mlx5_0", "'n0101 HCA-1'"                  host n0101
 *   "MT4129 ConnectX7   Mellanox Technologies"                       a factory's name, and no host */
#ifndef RIPSTOP_FORMATS_INFINIBAND_ADAPTER_WORDS_H
#define RIPSTOP_FORMATS_INFINIBAND_ADAPTER_WORDS_H

#include <regex.h>

#include "base/piece.h"
#include "ripstop/error.h"

/* Either may be empty. */
void ib_adapter_words(const char *text, piece *host, piece *adapter);
bool ib_is_factory_name(const char *text);
/* An extended regular expression for second words; end it with regfree. -1: it is none. */
int ib_adapter_pattern(regex_t *out, const char *text, ripstop_error *err);

#endif
