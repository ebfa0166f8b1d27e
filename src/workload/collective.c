/* collective.c - collectives of a list of ranks. Bytes are cut into parts as course.h cuts them: part i of g is bytes
 * floor(i s / g) to floor((i + 1) s / g). */
#include "workload/collective.h"

#include "workload/course.h"

static uint64_t part_bytes(const collective *c, uint64_t bytes, uint32_t part) {
  const block all = {.bytes = bytes, .all = c->ranks, .words = 1, .first = part % c->ranks};
  return block_bytes(&all);
}

static ripstop_message send(const collective *c, uint32_t from, uint32_t to, uint64_t bytes) {
  const ripstop_message m = ripstop_tasks_message(c->tasks, c->rank[from], c->rank[to], bytes);
  ripstop_tasks_after(c->tasks, m.send, c->start[from]);
  ripstop_tasks_after(c->tasks, c->done[from], m.send);
  if (c->line) ripstop_tasks_line(c->tasks, m.send, c->line);
  return m;
}

static void begin(const collective *c) {
  for (uint32_t i = 0; i < c->ranks; i++) ripstop_tasks_after(c->tasks, c->done[i], c->start[i]);
}

/* `steps` steps of a ring: in step k the i-th rank sends part i + shift - k on, when it has received that. */
static void ring(const collective *c, uint64_t bytes, uint32_t steps, uint32_t shift) {
  ripstop_task *before = RIPSTOP_ARRAY(ripstop_tasks_arena(c->tasks), 2 * (size_t)c->ranks, ripstop_task);
  ripstop_task *next = before + c->ranks;
  for (uint32_t k = 0; k < steps; k++) {
    for (uint32_t i = 0; i < c->ranks; i++) {
      const uint32_t to = (i + 1) % c->ranks;
      const uint64_t part = (uint64_t)i + shift + 2 * (uint64_t)c->ranks - k;
      const ripstop_message m = send(c, i, to, part_bytes(c, bytes, (uint32_t)(part % c->ranks)));
      if (k > 0) ripstop_tasks_after(c->tasks, m.send, before[i]);
      if (k + 1 == steps) ripstop_tasks_after(c->tasks, c->done[to], m.receive);
      next[to] = m.receive;
    }
    ripstop_task *swap = before;
    before = next, next = swap;
  }
}

void collective_all_reduce(const collective *c, uint64_t bytes) {
  begin(c);
  if (bytes && c->ranks > 1) ring(c, bytes, 2 * (c->ranks - 1), 0);
}

void collective_reduce_scatter(const collective *c, uint64_t bytes) {
  begin(c);
  if (bytes && c->ranks > 1) ring(c, bytes, c->ranks - 1, 0);
}

void collective_all_gather(const collective *c, uint64_t bytes) {
  begin(c);
  if (bytes && c->ranks > 1) ring(c, bytes, c->ranks - 1, 0);
}

void collective_all_to_all(const collective *c, uint64_t bytes) {
  begin(c);
  for (uint32_t i = 0; bytes && i < c->ranks; i++)
    for (uint32_t s = 1; s < c->ranks; s++) {
      const uint32_t to = (i + s) % c->ranks;
      const ripstop_message m = send(c, i, to, part_bytes(c, bytes, to));
      ripstop_tasks_after(c->tasks, c->done[to], m.receive);
    }
}
