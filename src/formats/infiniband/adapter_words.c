/* adapter_words.c - see adapter_words.h. */
#include "formats/infiniband/adapter_words.h"

#include "ripstop/plugin/base.h"

void ib_adapter_words(const char *text, piece *host, piece *adapter) {
  piece all = piece_trimmed(piece_of(text));
  while (all.at < all.end && *all.at == '\'') all.at++;
  while (all.at < all.end && all.end[-1] == '\'') all.end--;
  piece rest = all;
  const piece first = piece_next_word(&rest);
  *adapter = piece_next_word(&rest);
  *host = first;
  const char *colon = memchr(first.at, ':', piece_length(first));
  if (!colon) return;
  host->end = colon;
  if (adapter->at == adapter->end) *adapter = (piece){colon + 1, first.end};
}

bool ib_is_factory_name(const char *text) {
  piece p = piece_of(text);
  uint32_t number;
  return piece_take(&p, "MT") && piece_count(&p, UINT32_MAX - 1, &number) && p.at < p.end && piece_blank(*p.at);
}

int ib_adapter_pattern(regex_t *out, const char *text, ripstop_error *err) {
  char why[200];
  const int wrong = regcomp(out, text, REG_EXTENDED | REG_NOSUB);
  if (wrong == 0) return 0;
  regerror(wrong, out, why, sizeof why);
  return ripstop_fail(err, "'%.100s' is no extended regular expression: %s", text, why);
}
