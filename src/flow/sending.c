/* sending.c - messages from when they are ready until their last flit has left.
 *
 * Active messages of one pair have the same rate, so the one with the least left ends first: a pair keeps them in a
 * heap by stream.served at their end. It is a skew heap (Sleator and Tarjan 1986), whose links are in the messages. */
#include "flow/timeline.h"

#include "base/growing.h"
#include "base/sort.h"

static const message_list empty = {RIPSTOP_NONE, RIPSTOP_NONE};

void sending_open(timeline *t, ripstop_fluid_nic nic) {
  const uint32_t senders = nic == RIPSTOP_FLUID_SERIAL ? t->paths.view->fabric->ends : t->pairs;
  t->nic = nic;
  t->spare = RIPSTOP_NONE;
  for (uint32_t i = 0; i < t->pairs; i++) t->pair[i].top = RIPSTOP_NONE, t->pair[i].standing = empty;
  if (nic == RIPSTOP_FLUID_SHARE) return;
  t->sender = RIPSTOP_ARRAY(t->arena, (size_t)senders + 1, sender);
  t->freed = RIPSTOP_ARRAY(t->arena, (size_t)senders + 1, sender *);
  for (uint32_t i = 0; i < senders; i++) t->sender[i].waiting = empty;
}

static sender *sender_of(const timeline *t, uint32_t number) {
  if (t->nic == RIPSTOP_FLUID_SHARE) return NULL;
  return &t->sender[t->nic == RIPSTOP_FLUID_SERIAL ? t->pair[number].source : number];
}

/* ------------------------------------------------------------------ lists */

static uint32_t new_message(timeline *t) {
  const uint32_t number = t->spare;
  if (number != RIPSTOP_NONE) {
    t->spare = t->message[number].next;
    return number;
  }
  RIPSTOP_GROW_IN(t->arena, t->message, t->messages, t->message_room);
  return t->messages++;
}

void sending_drop(timeline *t, uint32_t number) {
  t->message[number].next = t->spare;
  t->spare = number;
}

static void append(timeline *t, message_list *l, uint32_t number) {
  t->message[number].next = RIPSTOP_NONE;
  if (l->first == RIPSTOP_NONE)
    l->first = number;
  else
    t->message[l->last].next = number;
  l->last = number;
}

static uint32_t take_first(timeline *t, message_list *l) {
  const uint32_t number = l->first;
  if (number != RIPSTOP_NONE) l->first = t->message[number].next;
  return number;
}

static bool is_before(const message *a, const message *b) {
  if (a->ready < b->ready || a->ready > b->ready) return a->ready < b->ready;
  return a->job < b->job || (a->job == b->job && a->task < b->task);
}

/* Nearly always at the end. */
static void insert(timeline *t, message_list *l, uint32_t number) {
  message *m = t->message;
  if (l->first == RIPSTOP_NONE || !is_before(&m[number], &m[l->last])) {
    append(t, l, number);
    return;
  }
  uint32_t *at = &l->first;
  while (!is_before(&m[number], &m[*at])) at = &m[*at].next;
  m[number].next = *at;
  *at = number;
}

/* ------------------------------------------------------------------ the heap of a pair */

static uint32_t merge(timeline *t, uint32_t a, uint32_t b) {
  uint32_t top = RIPSTOP_NONE, *at = &top;
  while (a != RIPSTOP_NONE && b != RIPSTOP_NONE) {
    if (t->message[b].target < t->message[a].target) {
      const uint32_t other = a;
      a = b, b = other;
    }
    message *m = &t->message[a];
    *at = a;
    a = m->right;
    m->right = m->left;
    at = &m->left;
  }
  *at = a != RIPSTOP_NONE ? a : b;
  return top;
}

static void set_top(timeline *t, uint32_t number, uint32_t top) {
  t->pair[number].top = top;
  if (top != RIPSTOP_NONE) t->fluid.stream[number].target = t->message[top].target;
}

static uint32_t take_top(timeline *t, uint32_t number) {
  const uint32_t top = t->pair[number].top;
  set_top(t, number, merge(t, t->message[top].left, t->message[top].right));
  return top;
}

/* Its volume is left. */
static void set_under_way(timeline *t, uint32_t number) {
  message *m = &t->message[number];
  fluid_add(&t->fluid, m->pair);
  m->target = fluid_served(&t->fluid, &t->fluid.stream[m->pair]) + m->volume;
  m->left = m->right = RIPSTOP_NONE;
  set_top(t, m->pair, merge(t, t->pair[m->pair].top, number));
}

/* ------------------------------------------------------------------ ready, and begun */

void sending_ready(timeline *t, uint32_t owner, uint32_t number) {
  const uint32_t added = new_message(t);
  uint64_t packets;
  const uint64_t flits = stage_flits(&t->run->config, t->job[owner].job->tasks->task[number].amount, &packets);
  t->message[added] = (message){.job = owner,
                                .task = number,
                                .pair = t->job[owner].pair[number],
                                .ready = t->fluid.now,
                                .flits = flits,
                                .volume = (double)flits};
  RIPSTOP_GROW_IN(t->arena, t->sending, t->sendings, t->sending_room);
  t->sending[t->sendings++] = added;
}

static void begin(timeline *t, uint32_t number) {
  message *m = &t->message[number];
  if (t->job[m->job].record) t->job[m->job].record[m->task].start = t->fluid.now;
  t->happened++;
  if (fluid_changes_block(t, m->pair))
    append(t, &t->pair[m->pair].standing, number);
  else
    set_under_way(t, number);
  fluid_tasks_left(t, m->job, m->task);
}

static void begin_next(timeline *t, sender *s) {
  const uint32_t number = s->busy ? RIPSTOP_NONE : take_first(t, &s->waiting);
  if (number == RIPSTOP_NONE) return;
  s->busy = true;
  begin(t, number);
}

static int by_task(const void *context, const void *a, const void *b) {
  const message *all = context, *x = &all[*(const uint32_t *)a], *y = &all[*(const uint32_t *)b];
  if (x->job != y->job) return x->job < y->job ? -1 : 1;
  return (x->task > y->task) - (x->task < y->task);
}

/* Messages that became ready at one time go in the order of the workload. */
static void sort_sending(timeline *t) {
  for (size_t i = 1; i < t->sendings; i++)
    if (by_task(t->message, &t->sending[i - 1], &t->sending[i]) > 0) {
      ripstop_sort(t->sending, t->sendings, sizeof *t->sending, by_task, t->message);
      return;
    }
}

bool sending_go_on(timeline *t) {
  const size_t count = t->sendings, frees = t->frees;
  if (!count && !frees) return false;
  sort_sending(t);
  for (size_t i = 0; i < count && t->sender; i++)
    insert(t, &sender_of(t, t->message[t->sending[i]].pair)->waiting, t->sending[i]);
  for (size_t i = 0; i < frees; i++) begin_next(t, t->freed[i]);
  for (size_t i = 0; i < count; i++) {
    sender *s = sender_of(t, t->message[t->sending[i]].pair);
    if (s)
      begin_next(t, s);
    else
      begin(t, t->sending[i]);
  }
  t->sendings = t->frees = 0;
  return true;
}

void sending_last_flit(timeline *t, uint32_t number) {
  const pair *p = &t->pair[number];
  const uint32_t ended = take_top(t, number);
  message *m = &t->message[ended];
  sender *s = sender_of(t, number);
  if (t->job[m->job].record) t->job[m->job].record[m->task].sent = t->fluid.now;
  fluid_remove(&t->fluid, number);
  fluid_sort(&t->fluid, number);
  const uint64_t latency = p->delays + (p->links - 1) * stage_through(&t->wires, m->flits) - 1;
  timeline_post(t, (event){t->fluid.now + (double)latency, EVENT_ARRIVE, m->job, m->task, ended});
  if (!s) return;
  s->busy = false;
  t->freed[t->frees++] = s;
}

/* ------------------------------------------------------------------ standing still */

void sending_stop(timeline *t, uint32_t number) {
  const double served = fluid_served(&t->fluid, &t->fluid.stream[number]);
  while (t->pair[number].top != RIPSTOP_NONE) {
    const uint32_t stopped = take_top(t, number);
    message *m = &t->message[stopped];
    m->volume = m->target > served ? m->target - served : 0;
    fluid_remove(&t->fluid, number);
    append(t, &t->pair[number].standing, stopped);
  }
  fluid_sort(&t->fluid, number);
}

void sending_resume(timeline *t, uint32_t number) {
  message_list standing = t->pair[number].standing;
  if (fluid_changes_block(t, number)) return;
  t->pair[number].standing = empty;
  for (uint32_t m; (m = take_first(t, &standing)) != RIPSTOP_NONE;) set_under_way(t, m);
}

bool sending_stands(const timeline *t) {
  for (uint32_t i = 0; i < t->pairs; i++)
    if (t->pair[i].standing.first != RIPSTOP_NONE) return true;
  return false;
}
