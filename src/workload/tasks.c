/* tasks.c - adds tasks, and the order among them. */
#include "workload/tasks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"

ripstop_tasks *tasks_new(uint32_t ranks, uint32_t ends, bool placed, uint64_t seed) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_tasks *t = RIPSTOP_NEW(arena, ripstop_tasks);
  *t = (ripstop_tasks){.ranks = ranks, .ends = ends, .placed = placed, .seed = seed, .place = "line", .arena = arena};
  return t;
}

void tasks_free(ripstop_tasks *tasks) {
  if (tasks) ripstop_arena_free(tasks->arena);
}

uint32_t ripstop_tasks_ranks(const ripstop_tasks *tasks) { return tasks->ranks; }
uint64_t ripstop_tasks_seed(const ripstop_tasks *tasks) { return tasks->seed; }
ripstop_arena *ripstop_tasks_arena(ripstop_tasks *tasks) { return tasks->arena; }

int ripstop_tasks_need(ripstop_tasks *tasks, uint32_t ranks, ripstop_error *err) {
  if (ranks == 0) return ripstop_fail(err, "there are no ranks");
  if (tasks->placed && ranks != tasks->ranks)
    return ripstop_fail(err, "%u ranks, and it was placed on %u end nodes", ranks, tasks->ranks);
  if (ranks > tasks->ends) return ripstop_fail(err, "%u ranks, and there are %u end nodes", ranks, tasks->ends);
  tasks->ranks = ranks;
  return 0;
}

/* ------------------------------------------------------------------ adding */

/* Makes room for one more entry; lists grow by half. */
static void *grow(ripstop_tasks *t, void *list, uint32_t count, uint32_t *room, size_t size) {
  if (count < *room) return list;
  *room = *room ? *room + *room / 2 : 1024;
  return ripstop_arena_realloc(t->arena, list, *room, size);
}

/* Beyond the greatest number of tasks, each overwrites the last one: a job with too many is refused. */
static uint32_t add(ripstop_tasks *t, task one) {
  if (t->count == RIPSTOP_TASKS_MAX) {
    t->refused++;
    return RIPSTOP_TASKS_MAX - 1;
  }
  t->task = grow(t, t->task, t->count, &t->room, sizeof *t->task);
  t->task[t->count] = one;
  return t->count++;
}

ripstop_task ripstop_tasks_compute(ripstop_tasks *tasks, uint32_t rank, uint64_t cycles) {
  return add(tasks, (task){.kind = TASK_COMPUTE, .rank = rank, .amount = cycles, .partner = RIPSTOP_NONE});
}

ripstop_task ripstop_tasks_wait(ripstop_tasks *tasks, uint32_t rank, uint64_t cycles) {
  return add(tasks, (task){.kind = TASK_WAIT, .rank = rank, .amount = cycles, .partner = RIPSTOP_NONE});
}

ripstop_message ripstop_tasks_message(ripstop_tasks *tasks, uint32_t from, uint32_t to, uint64_t bytes) {
  task send = {.kind = TASK_SEND, .rank = from, .peer = to, .amount = bytes, .partner = RIPSTOP_NONE};
  task receive = {.kind = TASK_RECEIVE, .rank = to, .peer = from, .amount = bytes, .partner = RIPSTOP_NONE};
  ripstop_message m = {.send = add(tasks, send)};
  m.receive = add(tasks, receive);
  tasks->task[m.send].partner = m.receive;
  tasks->task[m.receive].partner = m.send;
  return m;
}

static label *label_of(ripstop_tasks *t, uint32_t number) {
  while (t->labels <= number) {
    t->label = grow(t, t->label, t->labels, &t->label_room, sizeof *t->label);
    t->label[t->labels++] = (label){0};
  }
  return &t->label[number];
}

label tasks_label(const ripstop_tasks *tasks, uint32_t number) {
  return number < tasks->labels ? tasks->label[number] : (label){0};
}

ripstop_task ripstop_tasks_send(ripstop_tasks *tasks, uint32_t rank, uint32_t to, uint64_t bytes, uint32_t tag) {
  task one = {.kind = TASK_SEND, .rank = rank, .peer = to, .amount = bytes, .partner = RIPSTOP_NONE};
  uint32_t number = add(tasks, one);
  label_of(tasks, number)->tag = tag;
  return number;
}

ripstop_task ripstop_tasks_receive(ripstop_tasks *tasks, uint32_t rank, uint32_t from, uint64_t bytes, uint32_t tag) {
  task one = {.kind = TASK_RECEIVE, .rank = rank, .peer = from, .amount = bytes, .partner = RIPSTOP_NONE};
  uint32_t number = add(tasks, one);
  label_of(tasks, number)->tag = tag;
  return number;
}

void ripstop_tasks_processor(ripstop_tasks *tasks, ripstop_task number, uint8_t processor) {
  if (tasks->task[number].kind == TASK_COMPUTE) tasks->task[number].processor = processor;
}

void ripstop_tasks_line(ripstop_tasks *tasks, ripstop_task number, uint32_t line) {
  label_of(tasks, number)->line = line;
}

void ripstop_tasks_step(ripstop_tasks *tasks) {
  tasks->step = grow(tasks, tasks->step, tasks->steps, &tasks->step_room, sizeof *tasks->step);
  tasks->step[tasks->steps++] = tasks->count;
}

uint32_t tasks_step(const ripstop_tasks *tasks, uint32_t number) {
  uint32_t low = 0, high = tasks->steps;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (number < tasks->step[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

void ripstop_tasks_words(ripstop_tasks *tasks, uint32_t words) { tasks->words = words; }

void ripstop_tasks_carry(ripstop_tasks *tasks, ripstop_message message, const ripstop_piece *piece) {
  while (tasks->cargos <= message.send) {
    tasks->cargo = grow(tasks, tasks->cargo, tasks->cargos, &tasks->cargo_room, sizeof *tasks->cargo);
    tasks->cargo[tasks->cargos++] = (cargo){0};
  }
  tasks->cargo[message.send] =
      (cargo){piece->from, piece->to, piece->count, piece->run, piece->stride, (uint8_t)piece->how};
}

static void add_order(ripstop_tasks *t, uint32_t before, uint32_t after) {
  if (t->orders == UINT32_MAX) {
    t->refused++;
    return;
  }
  t->order = grow(t, t->order, t->orders, &t->order_room, sizeof *t->order);
  t->order[t->orders++] = (order){before, after};
}

void ripstop_tasks_after(ripstop_tasks *tasks, ripstop_task number, ripstop_task before) {
  add_order(tasks, before, number);
}

void ripstop_tasks_after_begin(ripstop_tasks *tasks, ripstop_task number, ripstop_task before) {
  add_order(tasks, before | ORDER_BEGIN, number);
}

ripstop_message tasks_control(ripstop_tasks *tasks, uint32_t from, uint32_t to) {
  const ripstop_message m = ripstop_tasks_message(tasks, from, to, 0);
  tasks->task[m.send].processor = TASK_CONTROL;
  return m;
}

static ripstop_task add_turn(ripstop_tasks *tasks, task_kind kind, uint32_t rank, uint8_t turn) {
  tasks->turns = true;
  return add(tasks, (task){.kind = (uint8_t)kind, .rank = rank, .processor = turn, .partner = RIPSTOP_NONE});
}

ripstop_task tasks_take(ripstop_tasks *tasks, uint32_t rank, uint8_t turn) {
  return add_turn(tasks, TASK_TAKE, rank, turn);
}

ripstop_task tasks_give(ripstop_tasks *tasks, uint32_t rank, uint8_t turn) {
  return add_turn(tasks, TASK_GIVE, rank, turn);
}

void tasks_enough(ripstop_tasks *tasks, ripstop_task number, uint32_t count) {
  tasks->enough = grow(tasks, tasks->enough, tasks->enoughs, &tasks->enough_room, sizeof *tasks->enough);
  tasks->enough[tasks->enoughs++] = (enough){number, count};
}

uint64_t tasks_round_up(double cycles) {
  static const double slack = 1e-6;
  const double whole = ceil(cycles - slack);
  return whole < 0x1p64 ? (uint64_t)whole : UINT64_MAX;
}

uint64_t tasks_cycles(const ripstop_tasks *tasks, uint64_t picoseconds, bool more) {
  enum { PICO = 1000 };
  if (tasks->tick <= 0) return picoseconds / PICO + (picoseconds % PICO > 0 || more);
  return tasks_round_up(((double)picoseconds + more) / (tasks->tick * PICO));
}

/* ------------------------------------------------------------------ followers */

static uint32_t number_of(uint32_t before) { return before & ~ORDER_BEGIN; }

/* Sorted by the follower, by counting: then the followers of each task are in order. */
static order *sort_by_after(const ripstop_tasks *t, ripstop_arena *scratch) {
  order *sorted = RIPSTOP_ARRAY(scratch, (size_t)t->orders + 1, order);
  uint32_t *at = RIPSTOP_ARRAY(scratch, (size_t)t->count + 1, uint32_t);
  for (uint32_t i = 0; i < t->orders; i++) at[t->order[i].after + 1]++;
  for (uint32_t i = 0; i < t->count; i++) t->waits[i] = at[i + 1];
  for (uint32_t i = 0; i < t->count; i++) at[i + 1] += at[i];
  for (uint32_t i = 0; i < t->orders; i++) sorted[at[t->order[i].after]++] = t->order[i];
  return sorted;
}

static void list_followers(ripstop_tasks *t) {
  ripstop_arena *scratch = ripstop_arena_new();
  t->waits = RIPSTOP_ARRAY(t->arena, (size_t)t->count + 1, uint32_t);
  t->base = RIPSTOP_ARRAY(t->arena, (size_t)t->count + 2, uint32_t);
  t->follower = RIPSTOP_ARRAY(t->arena, (size_t)t->orders + 1, uint32_t);
  const order *sorted = sort_by_after(t, scratch);
  for (uint32_t i = 0; i < t->enoughs; i++) t->waits[t->enough[i].task] = t->enough[i].count;
  uint32_t *base = t->base + 1; /* one further: filling moves each entry to its place */
  for (uint32_t i = 0; i < t->orders; i++) base[number_of(sorted[i].before) + 1]++;
  for (uint32_t i = 0; i < t->count; i++) base[i + 1] += base[i];
  for (uint32_t i = 0; i < t->orders; i++)
    t->follower[base[number_of(sorted[i].before)]++] = sorted[i].after | (sorted[i].before & ORDER_BEGIN);
  ripstop_arena_free(scratch);
  ripstop_free(t->order);
  t->order = NULL;
}

/* ------------------------------------------------------------------ matching sends and receives */

/* A send or receive without partner, with its search key. */
typedef struct loose {
  uint32_t from, to, tag, number;
} loose;

static int by_ends(const loose *x, const loose *y) {
  if (x->to != y->to) return x->to < y->to ? -1 : 1;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

static int by_all(const void *a, const void *b) {
  const loose *x = a, *y = b;
  int ends = by_ends(x, y);
  return ends ? ends : (x->number > y->number) - (x->number < y->number);
}

static size_t list_loose(const ripstop_tasks *t, uint8_t kind, loose *out) {
  size_t count = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    const task *one = &t->task[i];
    if (one->kind != kind || one->partner != RIPSTOP_NONE) continue;
    loose it = {.from = one->rank, .to = one->peer, .tag = tasks_label(t, i).tag, .number = i};
    if (kind == TASK_RECEIVE) it.from = one->peer, it.to = one->rank;
    if (!t->asks[it.to]) out[count++] = it;
  }
  qsort(out, count, sizeof *out, by_all);
  return count;
}

static int report_unequal(const ripstop_tasks *t, const loose *of, size_t sends, size_t receives, ripstop_error *err) {
  ripstop_fail(err, "from rank %u to rank %u with tag %u there are %zu sends and %zu receives", of->from, of->to,
               of->tag, sends, receives);
  uint32_t line = tasks_label(t, of->number).line;
  return line ? ripstop_fail_at(err, "%s %u", t->place, line) : -1;
}

static size_t run_of(const loose *list, size_t count) {
  size_t length = 1;
  while (length < count && by_ends(&list[0], &list[length]) == 0) length++;
  return length;
}

static int pair(ripstop_tasks *t, const loose *send, const loose *receive, size_t count, ripstop_error *err) {
  for (size_t i = 0; i < count; i++) {
    task *one = &t->task[send[i].number], *other = &t->task[receive[i].number];
    if (one->amount != other->amount)
      return ripstop_fail(err, "%s %u: %llu bytes from rank %u are received in %s %u as %llu", t->place,
                          tasks_label(t, send[i].number).line, (unsigned long long)one->amount, one->rank, t->place,
                          tasks_label(t, receive[i].number).line, (unsigned long long)other->amount);
    one->partner = receive[i].number, other->partner = send[i].number;
  }
  return 0;
}

/* Both lists have the same order: the first difference is a task without partner. */
static int pair_all(ripstop_tasks *t, const loose *send, size_t sends, const loose *receive, size_t receives,
                    ripstop_error *err) {
  for (size_t s = 0, r = 0; s < sends || r < receives;) {
    int first = s == sends ? 1 : r == receives ? -1 : by_ends(&send[s], &receive[r]);
    size_t ss = first <= 0 ? run_of(send + s, sends - s) : 0, rr = first >= 0 ? run_of(receive + r, receives - r) : 0;
    if (ss != rr) return report_unequal(t, ss > rr ? &send[s + rr] : &receive[r + ss], ss, rr, err);
    if (pair(t, send + s, receive + r, ss, err)) return -1;
    s += ss, r += rr;
  }
  return 0;
}

/* Ranks that receive from any source must get as many messages as they receive. */
static int count_asked(const ripstop_tasks *t, ripstop_error *err) {
  int64_t *more = RIPSTOP_ARRAY(t->arena, t->ranks, int64_t);
  for (uint32_t i = 0; i < t->count; i++) {
    if (t->task[i].kind == TASK_SEND) more[t->task[i].peer]++;
    if (t->task[i].kind == TASK_RECEIVE) more[t->task[i].rank]--;
  }
  for (uint32_t rank = 0; rank < t->ranks; rank++)
    if (t->asks[rank] && more[rank] != 0)
      return ripstop_fail(err, "rank %u: %lld messages are sent to it %s it receives", rank,
                          (long long)(more[rank] < 0 ? -more[rank] : more[rank]),
                          more[rank] < 0 ? "fewer than" : "more than");
  return 0;
}

static void find_asking(ripstop_tasks *t) {
  t->asks = RIPSTOP_ARRAY(t->arena, (size_t)t->ranks + 1, bool);
  for (uint32_t i = 0; i < t->labels; i++) {
    const task *one = &t->task[i];
    if (one->kind == TASK_RECEIVE && (one->peer == RIPSTOP_ANY || t->label[i].tag == RIPSTOP_ANY))
      t->asks[one->rank] = true;
  }
}

static int find_partners(ripstop_tasks *t, ripstop_error *err) {
  if (!t->labels) return 0;
  RIPSTOP_LOCAL_ARENA(scratch);
  loose *send = RIPSTOP_ARRAY(scratch, (size_t)t->count + 1, loose);
  loose *receive = RIPSTOP_ARRAY(scratch, (size_t)t->count + 1, loose);
  size_t sends = list_loose(t, TASK_SEND, send), receives = list_loose(t, TASK_RECEIVE, receive);
  return pair_all(t, send, sends, receive, receives, err);
}

int tasks_close(ripstop_tasks *tasks, ripstop_error *err) {
  if (tasks->refused)
    return ripstop_fail(err, "%llu tasks or orders more than the %d that there can be",
                        (unsigned long long)tasks->refused, RIPSTOP_TASKS_MAX);
  find_asking(tasks);
  if (find_partners(tasks, err) || count_asked(tasks, err)) return -1;
  list_followers(tasks);
  return 0;
}
