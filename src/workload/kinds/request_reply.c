/* request_reply.c - clients send requests to servers, wait for the answer, think, and send to the next server. */
#include "workload/course.h"

typedef struct config {
  int64_t servers, requests, ask, answer, serve, think;
} config;

#define NUMBER(field) .type = RIPSTOP_OPTION_INTEGER, .offset = offsetof(config, field)
static const ripstop_option options[] = {
    {.name = "servers", NUMBER(servers), .min = 1, .max = 1e9, .fallback = "1", .help = "ranks that answer: the first"},
    {.name = "requests",
     NUMBER(requests),
     .min = 1,
     .max = 1e6,
     .fallback = "10",
     .help = "requests of each of the other ranks"},
    {.name = "ask", NUMBER(ask), .min = 0, .max = 1e12, .fallback = "64", .help = "bytes of a request"},
    {.name = "answer", NUMBER(answer), .min = 0, .max = 1e12, .fallback = "4096", .help = "bytes of an answer"},
    {.name = "serve",
     NUMBER(serve),
     .min = 0,
     .max = 1e12,
     .fallback = "0",
     .help = "cycles of a server for an answer; it makes one at a time"},
    {.name = "think",
     NUMBER(think),
     .min = 0,
     .max = 1e12,
     .fallback = "1000",
     .help = "cycles of a client from an answer to its next request"},
    {0}};

enum {
  ASK = 5,
  THINK = 1
}; /* tasks of a request: two messages, a computation; a think time before all but the
    * first */

/* Returns the answer's receive. */
static ripstop_task ask(ripstop_tasks *tasks, const config *k, uint32_t client, uint32_t server, ripstop_task after) {
  ripstop_message question = ripstop_tasks_message(tasks, client, server, (uint64_t)k->ask);
  if (after != RIPSTOP_NONE) {
    ripstop_task think = ripstop_tasks_compute(tasks, client, (uint64_t)k->think);
    ripstop_tasks_after(tasks, think, after);
    ripstop_tasks_after(tasks, question.send, think);
  }
  ripstop_task serve = ripstop_tasks_compute(tasks, server, (uint64_t)k->serve);
  ripstop_tasks_after(tasks, serve, question.receive);
  ripstop_message answer = ripstop_tasks_message(tasks, server, client, (uint64_t)k->answer);
  ripstop_tasks_after(tasks, answer.send, serve);
  return answer.receive;
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  const uint32_t ranks = ripstop_tasks_ranks(tasks);
  if (k->servers >= ranks)
    return ripstop_fail(err, "%lld servers leave no client among %u ranks", (long long)k->servers, ranks);
  const uint64_t clients = ranks - (uint64_t)k->servers;
  if (course_room((ASK + THINK) * clients, ASK * clients, k->requests, err)) return -1;
  for (uint32_t client = (uint32_t)k->servers; client < ranks; client++) {
    ripstop_task after = RIPSTOP_NONE;
    for (int64_t n = 0; n < k->requests; n++)
      after = ask(tasks, k, client, (uint32_t)((client + n) % k->servers), after);
  }
  return 0;
}

const ripstop_workload ripstop_workload_request_reply = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "request-reply",
    .summary = "clients send requests to servers, wait for the answer, and think",
    .options = options,
    .config_size = sizeof(config),
    .small = "requests=3",
    .build = build,
};
