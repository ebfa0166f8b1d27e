/* fates.c - the fates of packets: delivery, loss, livelock, and lengths of walks.
 *
 * Depth-first search over the states (Tarjan 1972): a component of states that reach each other is finished after all
 * that it leads to, so a state's outcome is known from its successors' when it is left. Most components are one
 * state; only members of others are kept on a list until their component is finished (Pearce 2016).
 *
 * Until it is known, an outcome contains the state's own candidates. While the walk is at the state or waits for the
 * rest of its component, the fate is the least number that the state is known to lead back to, its own to begin
 * with. */
#include "base/memory.h"
#include "prove/prover.h"

#define KNOWN (UINT32_C(1) << 31) /* beside the fates */

/* A state that was entered and not left. */
struct frame {
  uint32_t number;
  uint32_t next, end; /* successors to look at */
  uint32_t index;     /* FATES + the number of states entered before it and itself */
  uint32_t opened;    /* length of the list `open` when it was entered */
  outlook outlook;    /* the known part */
};

/* The present search. */
typedef struct descent {
  state *state;
  const uint32_t *edge;
  frame *bottom, *top; /* the first entry is not used */
  uint32_t *open;      /* states that were left, in no finished component */
  uint32_t opened, entered;
} descent;

static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t greatest(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Adds the known outcome of `to` to `from`, one link before it. */
static inline void learn(outlook *from, const outlook *to) {
  from->fate |= to->fate;
  from->longest = greatest(from->longest, to->longest + 1);
  from->shortest = least(from->shortest, to->shortest + 1);
}

/* If all successors' outcomes are known, so is the state's. */
static inline bool conclude(const descent *d, state *s) {
  outlook own = s->outlook;
  own.fate |= KNOWN;
  for (const uint32_t *next = d->edge + s->first, *end = d->edge + s[1].first; next < end; next++) {
    const outlook *to = &d->state[*next].outlook;
    if (!(to->fate & KNOWN)) return false;
    learn(&own, to);
  }
  s->outlook = own;
  return true;
}

static inline void enter(descent *d, uint32_t number) {
  state *s = &d->state[number];
  frame *own = ++d->top;
  *own = (frame){.number = number,
                 .next = s->first,
                 .end = s[1].first,
                 .index = ++d->entered,
                 .opened = d->opened,
                 .outlook = s->outlook};
  s->outlook.fate = own->index;
}

/* All states left since `root` was entered are in its component, and share its fate. */
static inline void close_component(descent *d, frame *root) {
  if (d->opened > root->opened) root->outlook.fate |= FATE_CYCLE;
  root->outlook.fate |= KNOWN;
  while (d->opened > root->opened) d->state[d->open[--d->opened]].outlook.fate = root->outlook.fate;
  d->state[root->number].outlook = root->outlook;
}

/* Leaves the last state of the path, and updates the one before it. */
static inline void leave(descent *d) {
  frame *own = d->top--;
  uint32_t *before = d->top == d->bottom ? NULL : &d->state[d->top->number].outlook.fate;
  uint32_t low = d->state[own->number].outlook.fate;
  if (low == own->index) {
    close_component(d, own);
  } else if (before) { /* the first state of a path closes a component */
    d->open[d->opened++] = own->number;
    *before = least(*before, low);
  }
  if (before) learn(&d->top->outlook, &own->outlook);
}

/* Goes to the next successor of the last state of the path. */
static inline void look_on(descent *d) {
  frame *own = d->top;
  uint32_t target = d->edge[own->next++];
  const outlook *to = &d->state[target].outlook;
  if (to->fate & KNOWN || (to->fate <= FATES && conclude(d, &d->state[target]))) {
    learn(&own->outlook, to);
  } else if (to->fate <= FATES) {
    enter(d, target);
  } else {
    uint32_t *low = &d->state[own->number].outlook.fate;
    *low = least(*low, to->fate);
    if (target == own->number) own->outlook.fate |= FATE_CYCLE;
  }
}

static void walk_from(descent *d, uint32_t start) {
  enter(d, start);
  while (d->top != d->bottom) {
    if (d->top->next < d->top->end)
      look_on(d);
    else
      leave(d);
  }
}

/* States found late lead to early ones more often than the reverse, so starting with the last needs few walks. */
void fates_find(ripstop_prover *p) {
  if (p->frames < p->state_room) {
    p->frames = p->state_room;
    p->frame = ripstop_arena_realloc(p->keep, p->frame, p->frames, sizeof *p->frame);
    p->open = ripstop_arena_realloc(p->keep, p->open, p->frames, sizeof *p->open);
  }
  descent d = {
      .state = p->state, .edge = p->edge, .bottom = p->frame, .top = p->frame, .open = p->open, .entered = FATES};
  for (uint32_t i = p->states; i-- > 0;)
    if (!(p->state[i].outlook.fate & KNOWN) && !conclude(&d, &p->state[i])) walk_from(&d, i);
}
