/* renamed.c - the one table of renamed names, and the message that refuses an old one. */
#include "base/renamed.h"

#include <string.h>

const ripstop_renamed ripstop_renamed_names[] = {{"key", "switch.choice", "switch.selection"},
                                                 {"flag", "mixtures", "transients"},
                                                 {"flag", "for-ever", "permanent"},
                                                 {"process", "draw", "random"},
                                                 {"verdict", "disconnected", "lossy"},
                                                 {NULL, NULL, NULL}};

const char *ripstop_renamed_find(const char *kind, const char *name, size_t length) {
  for (const ripstop_renamed *n = ripstop_renamed_names; n->kind; n++)
    if (!strcmp(n->kind, kind) && strlen(n->old) == length && !memcmp(n->old, name, length)) return n->now;
  return NULL;
}

bool ripstop_renamed_fails(const char *kind, const char *name, size_t length, ripstop_error *err) {
  const char *now = ripstop_renamed_find(kind, name, length);
  if (!now) return false;
  const bool key = !strcmp(kind, "key"), flag = !strcmp(kind, "flag"), value = !strcmp(kind, "verdict");
  const char *dashes = flag ? "--" : "", *quote = value ? "'" : "";
  ripstop_fail(err, "%s%s%s%s%.*s%s is now %s%s%s%s", key || flag ? "" : kind, key || flag ? "" : " ", dashes, quote,
               (int)length, name, quote, dashes, quote, now, quote);
  return true;
}
