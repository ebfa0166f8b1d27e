/* The runner of an agent in the differential test: the engine or the model. */
#ifndef DIFFERENTIAL_RUNNER_H
#define DIFFERENTIAL_RUNNER_H

#include "ripstop/kit/simulation.h"

typedef struct stage { /* the calls of ripstop_agent_now and so on */
  void *runner;
  uint64_t (*now)(void *runner);
  void (*send)(void *runner, const ripstop_agent_packet *agent_packet);
  void (*alarm)(void *runner, uint64_t cycle, uint64_t number);
  void (*change)(void *runner, const ripstop_change *change);
  void (*finish)(void *runner);
} stage;

typedef struct model_agent { /* the functions of ripstop_agent, none NULL */
  uint32_t classes, shortest, longest;
  void (*start)(void *context, const stage *on);
  void (*delivered)(void *context, const stage *on, const ripstop_agent_packet *agent_packet);
  void (*lost)(void *context, const stage *on, const ripstop_agent_packet *agent_packet);
  void (*alarm)(void *context, const stage *on, uint64_t number);
  void *context;
} model_agent;

#endif
