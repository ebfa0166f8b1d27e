/* messages.c - delay and length of messages by the options of messages.h. */
#include "methods/shared/messages.h"

ripstop_answer ripstop_check_message_times(const ripstop_plan *p, ripstop_error *err) {
  const message_times *c = p->config;
  if (c->message_flits <= c->delay) return RIPSTOP_APPLIES;
  ripstop_fail(err, "%s: message_flits=%lld, but a hop takes delay=%lld cycles", p->method->name,
               (long long)c->message_flits, (long long)c->delay);
  return RIPSTOP_ERROR;
}

uint64_t ripstop_message_delay(const ripstop_plan *p, const void *message) {
  (void)message;
  return (uint64_t)((const message_times *)p->config)->delay;
}

uint32_t ripstop_message_flits(const ripstop_plan *p, const void *message) {
  (void)message;
  return (uint32_t)((const message_times *)p->config)->message_flits;
}
