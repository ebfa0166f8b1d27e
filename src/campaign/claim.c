/* claim.c - a list whose runs other processes may do too.
 *
 * A process claims as many runs as it begins in the next second or two, so that other processes find some. It claims
 * runs of others again from time to time until they are stored, since an owner may die.
 *
 * Threads see two numbers: how many runs were granted, and whether it is decided that there will be no more. */
#include "campaign/claim.h"

#include "base/memory.h"

enum { ASK_MOST = 4096, STEP = 16 };
static const double AHEAD_SECONDS = 1; /* least granted work; a claim is for twice as much */
static const double AGAIN_SECONDS = 1; /* between two looks for what others have */

void claims_open(claims *c, const ripstop_run *const *run, size_t count, const ripstop_workers *workers) {
  *c = (claims){.list = run, .count = count, .workers = workers};
  if (!workers->claim) {
    c->granted_run = run;
    atomic_init(&c->granted, count);
    atomic_init(&c->decided, true);
    return;
  }
  c->arena = ripstop_arena_new();
  c->granted_run = c->mine = RIPSTOP_ARRAY(c->arena, count, const ripstop_run *);
  c->others = RIPSTOP_ARRAY(c->arena, count, const ripstop_run *);
  atomic_init(&c->decided, count == 0);
}

void claims_close(claims *c) { ripstop_arena_free(c->arena); }

const ripstop_run *claims_fetch(claims *c) {
  size_t at = atomic_load_explicit(&c->next, memory_order_relaxed);
  do
    if (at >= atomic_load_explicit(&c->granted, memory_order_acquire)) return NULL;
  while (!atomic_compare_exchange_weak(&c->next, &at, at + 1));
  return c->granted_run[at];
}

size_t claims_waiting(const claims *c) {
  size_t granted = atomic_load_explicit(&c->granted, memory_order_acquire), next = atomic_load(&c->next);
  return next < granted ? granted - next : 0;
}

/* Order matters: runs that were granted last count before the list is decided. */
bool claims_more(const claims *c) { return !atomic_load(&c->decided) || claims_waiting(c) > 0; }

/* Some runs, which go to `mine` or `others`. */
static int ask(claims *c, const ripstop_run *const *run, size_t count) {
  ripstop_claimed answer[ASK_MOST];
  size_t granted = atomic_load_explicit(&c->granted, memory_order_relaxed);
  if (c->workers->claim(c->workers->context, run, count, answer)) return -1;
  for (size_t i = 0; i < count; i++) {
    if (answer[i] == RIPSTOP_CLAIM_GRANTED) c->mine[granted++] = run[i];
    if (answer[i] == RIPSTOP_CLAIM_OTHERS) c->others[c->with_others++] = run[i];
    c->stored += answer[i] == RIPSTOP_CLAIM_STORED;
  }
  atomic_store_explicit(&c->granted, granted, memory_order_release);
  return 0;
}

static int ask_for_new(claims *c, size_t count) {
  size_t left = c->count - c->claimed, from = c->claimed;
  if (count > left) count = left;
  if (count > ASK_MOST) count = ASK_MOST;
  c->claimed += count;
  return ask(c, c->list + from, count);
}

/* `ask` puts what is still with others where it was, or further to the front. */
static int ask_again(claims *c, double now) {
  size_t count = c->with_others;
  if (now - c->looked < AGAIN_SECONDS) return 0;
  c->looked = now;
  c->with_others = 0;
  for (size_t from = 0; from < count; from += ASK_MOST)
    if (ask(c, c->others + from, count - from < ASK_MOST ? count - from : ASK_MOST)) return -1;
  return 0;
}

/* The first time a run for each thread. What others have done or are doing is passed over in growing steps. */
int claims_refresh(claims *c, unsigned threads, size_t done, double now) {
  if (atomic_load(&c->decided)) return 0;
  if (!c->begun) c->begun = now;
  double rate = now > c->begun ? (double)done / (now - c->begun) : 0;
  size_t ahead = (size_t)(rate * AHEAD_SECONDS) + 1;
  size_t step = c->claimed ? 2 * ahead : threads + 1;
  for (; claims_waiting(c) < ahead && c->claimed < c->count; step *= STEP)
    if (ask_for_new(c, step)) return -1;
  if (claims_waiting(c) < ahead && c->with_others && ask_again(c, now)) return -1;
  if (c->claimed == c->count && !c->with_others) atomic_store(&c->decided, true);
  return 0;
}
