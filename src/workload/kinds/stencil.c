/* stencil.c - a grid of ranks that compute and send their halo to their neighbours, step after step. A step begins
 * when the previous step is computed and all its halos have arrived. */
#include <stdlib.h>
#include <string.h>

#include "workload/course.h"

enum { DIMENSIONS = 6 };

typedef struct config {
  const char *grid;
  int64_t bytes, compute, steps;
  bool around;
} config;

#define OPTION(field) .offset = offsetof(config, field)
static const ripstop_option options[] = {
    {.name = "grid",
     .type = RIPSTOP_OPTION_TEXT,
     OPTION(grid),
     .help = "grid of the ranks, as 8x8 or 4x4x4; ranks that differ by 1 are neighbours in the last dimension"},
    {.name = "bytes",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(bytes),
     .min = 0,
     .max = 1e12,
     .fallback = "4096",
     .help = "bytes of a halo, to each neighbour"},
    {.name = "compute",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(compute),
     .min = 0,
     .max = 1e12,
     .fallback = "1000",
     .help = "cycles of a step"},
    {.name = "steps",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(steps),
     .min = 1,
     .max = 1e6,
     .fallback = "10",
     .help = "number of steps"},
    {.name = "around",
     .type = RIPSTOP_OPTION_FLAG,
     OPTION(around),
     .fallback = "on",
     .help = "the grid's ends are neighbours"},
    {0}};

typedef struct grid {
  uint32_t size[DIMENSIONS], stride[DIMENSIONS], dimensions;
  uint64_t ranks;
} grid;

static int read_grid(const char *text, grid *out, ripstop_error *err) {
  *out = (grid){.ranks = 1};
  for (const char *at = text;; at++) {
    char *end;
    unsigned long size = strtoul(at, &end, 10);
    if (end == at || *at < '0' || *at > '9' || size < 1 || size > 1 << 20 || out->dimensions == DIMENSIONS ||
        (*end && *end != 'x'))
      return ripstop_fail(err, "grid '%.60s' has not the form 8x8, with at most %d dimensions", text, DIMENSIONS);
    out->size[out->dimensions++] = (uint32_t)size;
    out->ranks *= size;
    at = end;
    if (!*at || out->ranks > UINT32_MAX) break;
  }
  uint32_t stride = 1;
  for (uint32_t d = out->dimensions; d-- > 0; stride *= out->size[d]) out->stride[d] = stride;
  return 0;
}

/* The neighbour in a dimension; the rank itself if there is none. */
static uint32_t neighbour(const grid *g, uint32_t rank, uint32_t d, bool up, bool around) {
  const uint32_t size = g->size[d], own = rank / g->stride[d] % size;
  if (!around && own == (up ? size - 1 : 0)) return rank;
  return rank + ((own + (up ? 1 : size - 1)) % size - own) * g->stride[d];
}

static void exchange(course *c, const grid *g, const config *k) {
  for (uint32_t r = 0; r < c->ranks; r++)
    for (uint32_t d = 0; d < g->dimensions; d++)
      for (int up = 0; up < 2; up++) {
        const uint32_t to = neighbour(g, r, d, up, k->around);
        const bool same = up && to == neighbour(g, r, d, false, k->around); /* two ranks in a ring have one neighbour */
        if (to != r && !same) course_send(c, r, to, (uint64_t)k->bytes, (ripstop_piece){.count = 0});
      }
  course_step(c);
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  grid g;
  if (read_grid(k->grid, &g, err)) return -1;
  if (ripstop_tasks_need(tasks, g.ranks > UINT32_MAX ? UINT32_MAX : (uint32_t)g.ranks, err)) return -1;
  course c = course_open(tasks);
  for (int64_t n = 0; n < k->steps; n++) {
    for (uint32_t r = 0; r < c.ranks; r++) {
      ripstop_task compute = ripstop_tasks_compute(tasks, r, (uint64_t)k->compute);
      if (c.after[r] != RIPSTOP_NONE) ripstop_tasks_after(tasks, compute, c.after[r]);
      c.after[r] = compute;
    }
    exchange(&c, &g, k);
    if (course_stepped(tasks, k->steps, err)) return -1;
  }
  return 0;
}

const ripstop_workload ripstop_workload_stencil = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "stencil",
    .summary = "a grid of ranks that compute and exchange halos, step after step",
    .options = options,
    .config_size = sizeof(config),
    .small = "grid=2x2,steps=3",
    .build = build,
};
