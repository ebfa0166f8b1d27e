/* training.c - training steps of a large model on tp x dp x pp ranks: tensor-parallel ones are adjacent, then
 * data-parallel ones, then stages of the pipeline.
 *
 * A step: each micro-batch goes forward through the layers of each pipeline stage and on to the next, and backward
 * likewise, which takes twice as long. After each layer, in both directions, tensor-parallel ranks sum up its
 * activations, and wait for the sum. When all micro-batches have come back through a layer, data-parallel ranks sum
 * up its gradients, while the layers below are still computed. The next step begins when all gradients of a rank have
 * arrived.
 *
 * With tensor=server the sums of activations are none of the network's business: tensor-parallel ranks are in one
 * server with links of its own, and `compute` includes their sums. */
#include "workload/course.h"

typedef struct config {
  int64_t layers, tp, pp, dp, bytes, activation, compute, micro, steps;
  int32_t tensor; /* index into tensor_words */
} config;

enum { IN_NETWORK, IN_SERVER };
static const char *const tensor_words[] = {[IN_NETWORK] = "network", [IN_SERVER] = "server", NULL};

#define NUMBER(field) .type = RIPSTOP_OPTION_INTEGER, .offset = offsetof(config, field), .max = 1e12
static const ripstop_option options[] = {
    {.name = "layers",
     NUMBER(layers),
     .min = 1,
     .fallback = "8",
     .help = "layers of the model, equally many on each stage"},
    {.name = "tp", NUMBER(tp), .min = 1, .fallback = "1", .help = "ranks that share each layer"},
    {.name = "pp", NUMBER(pp), .min = 1, .fallback = "1", .help = "stages of the pipeline"},
    {.name = "dp", NUMBER(dp), .min = 1, .fallback = "1", .help = "copies of the model"},
    {.name = "bytes", NUMBER(bytes), .min = 0, .fallback = "1048576", .help = "bytes of a layer's gradients on a rank"},
    {.name = "activation",
     NUMBER(activation),
     .min = 0,
     .fallback = "65536",
     .help = "bytes of a micro-batch's activations on a rank: summed up after each layer, sent to the next stage"},
    {.name = "compute",
     NUMBER(compute),
     .min = 0,
     .fallback = "10000",
     .help = "cycles of a layer forward, for a micro-batch; backward twice as many"},
    {.name = "micro", NUMBER(micro), .min = 1, .fallback = "4", .help = "micro-batches of a step"},
    {.name = "steps", NUMBER(steps), .min = 1, .fallback = "1", .help = "number of steps"},
    RIPSTOP_WORD(config, tensor, tensor_words, "network",
                 "sums of activations cross the network, or stay inside a server, as a part of compute", .later = true),
    {0}};

typedef struct model {
  const config *k;
  uint32_t tp, dp, pp, layers; /* layers: of a pipeline stage */
  course *end;                 /* [layers]: all micro-batches have come back to a layer, on all pipeline stages */
} model;

static uint32_t rank_of(const model *m, uint32_t stage, uint32_t copy, uint32_t t) {
  return (stage * m->dp + copy) * m->tp + t;
}

/* A sum over each of the teams; words only say how bytes are divided. */
static void sum_up(course *c, const team *t, uint64_t bytes) {
  const block b = {.bytes = bytes, .all = t->count, .words = t->count};
  ring_scatter(c, t, &b);
  ring_gather(c, t, &b, 1);
}

static void compute_layer(course *c, const model *m, uint32_t stage, uint64_t cycles) {
  for (uint32_t i = 0; i < m->dp * m->tp; i++) {
    const uint32_t rank = rank_of(m, stage, 0, i);
    const ripstop_task one = ripstop_tasks_compute(c->tasks, rank, cycles);
    if (c->after[rank] != RIPSTOP_NONE) ripstop_tasks_after(c->tasks, one, c->after[rank]);
    c->after[rank] = one;
  }
  for (uint32_t copy = 0; copy < m->dp && m->tp > 1 && m->k->tensor == IN_NETWORK; copy++)
    sum_up(c, &(team){rank_of(m, stage, copy, 0), 1, m->tp}, (uint64_t)m->k->activation);
}

static void hand_over(course *c, const model *m, uint32_t from, uint32_t to) {
  for (uint32_t i = 0; i < m->dp * m->tp; i++)
    course_send(c, rank_of(m, from, 0, i), rank_of(m, to, 0, i), (uint64_t)m->k->activation,
                (ripstop_piece){.count = 0});
  course_step(c);
}

static void forward(course *c, const model *m) {
  for (uint32_t stage = 0; stage < m->pp; stage++) {
    if (stage) hand_over(c, m, stage - 1, stage);
    for (uint32_t layer = 0; layer < m->layers; layer++) compute_layer(c, m, stage, (uint64_t)m->k->compute);
  }
}

/* Joins the tasks of a pipeline stage at this layer with those of earlier micro-batches. */
static void keep(const model *m, const course *c, uint32_t stage, uint32_t layer) {
  course own = course_open(c->tasks);
  for (uint32_t i = 0; i < m->dp * m->tp; i++) own.after[rank_of(m, stage, 0, i)] = c->after[rank_of(m, stage, 0, i)];
  course_join(&m->end[layer], &own);
}

static void backward(course *c, const model *m) {
  for (uint32_t stage = m->pp; stage-- > 0;) {
    if (stage + 1 < m->pp) hand_over(c, m, stage + 1, stage);
    for (uint32_t layer = m->layers; layer-- > 0;) {
      compute_layer(c, m, stage, 2 * (uint64_t)m->k->compute);
      keep(m, c, stage, layer);
    }
  }
}

/* Layers from the last down, each in a `course` of its own. */
static void sum_gradients(course *c, const model *m) {
  for (uint32_t layer = m->layers; layer-- > 0; course_join(c, &m->end[layer]))
    for (uint32_t i = 0; i < m->pp * m->tp && m->dp > 1; i++)
      sum_up(&m->end[layer], &(team){rank_of(m, i / m->tp, 0, i % m->tp), m->tp, m->dp}, (uint64_t)m->k->bytes);
}

static void step(course *c, const model *m) {
  const course start = course_fork(c);
  for (uint32_t layer = 0; layer < m->layers; layer++) m->end[layer] = course_open(c->tasks);
  for (int64_t n = 0; n < m->k->micro; n++) {
    course own = course_fork(&start);
    forward(&own, m);
    backward(&own, m);
  }
  sum_gradients(c, m);
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  const double ranks = (double)k->tp * (double)k->dp * (double)k->pp;
  if (k->layers % k->pp)
    return ripstop_fail(err, "%lld layers are not as many on each of %lld stages", (long long)k->layers,
                        (long long)k->pp);
  if (ranks > RIPSTOP_FABRIC_MAX_PORTS || k->layers > RIPSTOP_FABRIC_MAX_PORTS)
    return ripstop_fail(err, "tp x dp x pp = %.0f ranks of %lld layers are too many", ranks, (long long)k->layers);
  if (ripstop_tasks_need(tasks, (uint32_t)ranks, err)) return -1;
  model m = {.k = k, .tp = (uint32_t)k->tp, .dp = (uint32_t)k->dp, .pp = (uint32_t)k->pp};
  m.layers = (uint32_t)(k->layers / k->pp);
  m.end = RIPSTOP_ARRAY(ripstop_tasks_arena(tasks), m.layers, course);
  course c = course_open(tasks);
  for (int64_t n = 0; n < k->steps; n++) {
    step(&c, &m);
    if (course_stepped(tasks, k->steps, err)) return -1;
  }
  return 0;
}

const ripstop_workload ripstop_workload_training = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "training",
    .summary = "steps of training: computation, tensor-, pipeline- and data-parallel sums that overlap",
    .options = options,
    .config_size = sizeof(config),
    .small = "layers=2,dp=2,bytes=4096,activation=1024,compute=100,micro=2",
    .build = build,
};
