/* fluid.h - the flow model: jobs whose messages are flows at max-min fair rates, in place of packets (docs/flow.md). */
#ifndef RIPSTOP_KIT_FLUID_H
#define RIPSTOP_KIT_FLUID_H

#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

/* Which model makes a run's numbers; the key `model` of experiments, which is short for flow.model. */
typedef enum ripstop_model_kind { RIPSTOP_MODEL_PACKET, RIPSTOP_MODEL_FLOW } ripstop_model_kind;
extern const char *const ripstop_model_words[];

/* The paths of a pair's flits. */
typedef enum ripstop_fluid_paths {
  RIPSTOP_FLUID_ONE,
  RIPSTOP_FLUID_HASH,
  RIPSTOP_FLUID_SPRAY,
  RIPSTOP_FLUID_ADAPTIVE
} ripstop_fluid_paths;

/* Which messages of a sender are active together. AUTO: pairs with a transport, serial without. */
typedef enum ripstop_fluid_nic {
  RIPSTOP_FLUID_AUTO,
  RIPSTOP_FLUID_PAIRS,
  RIPSTOP_FLUID_SERIAL,
  RIPSTOP_FLUID_SHARE
} ripstop_fluid_nic;

/* Keys of `flow:`. */
typedef struct ripstop_fluid_config {
  int32_t model;    /* ripstop_model_kind */
  int32_t paths;    /* ripstop_fluid_paths */
  int32_t nic;      /* ripstop_fluid_nic */
  int64_t reaction; /* cycles from a change of the fabric until streams follow a new plan */
  int64_t seed;     /* for flow.paths = hash */
  const char *at;   /* cycles, separated by commas, at which the loads of all channels are kept; "": none */
} ripstop_fluid_config;
extern const char *const ripstop_fluid_path_words[];
extern const ripstop_option ripstop_fluid_options[];

/* A message, with measure.messages. */
typedef struct ripstop_message_record {
  uint32_t job;                 /* from 0 */
  uint32_t source, destination; /* end nodes */
  uint64_t bytes;
  /* Cycles: the message begins to leave its sender, its last flit leaves, its last flit arrives. NAN: it has not. */
  double start, sent, finish;
} ripstop_message_record;

/* Loads at one time of flow.at, after all that happens at that time. */
typedef struct ripstop_channel_loads {
  double time;
  uint32_t count;
  const uint32_t *port; /* [count]: that sends into the channel; ascending, those without load left out */
  const double *load;   /* [count]: flits a cycle */
} ripstop_channel_loads;

RIPSTOP_END

#endif
