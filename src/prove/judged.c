/* judged.c - the whole verdict on a set of forwarding tables: what they do, whether packets can deadlock, what can
 * happen while they are written in the place of older ones, and the credit loop that is shown for it. */
#include "base/local.h"
#include "base/memory.h"
#include "fabric/ib.h"
#include "faults/describe.h"
#include "ripstop/kit/proofs.h"

/* ------------------------------------------------------------------ a credit loop in words */

/* " 'leaf-3'": what the switch that sends into a channel says of itself, if it does. */
static void add_reported(ripstop_text *text, ripstop_arena *arena, const ripstop_fabric *f, uint32_t port) {
  const char *words = ripstop_describe_node(arena, f, f->port_node[port]);
  if (words[0]) ripstop_text_add(text, " %s", words);
}

/* " (unicast, 0xC000)": the packets that wait at a link of the verdict's cycle; nothing if all are unicast. */
static void add_waiters(ripstop_text *text, const ripstop_table_verdict *j, uint32_t i) {
  if (!j || !j->waiter_first) return;
  for (uint32_t k = j->waiter_first[i]; k < j->waiter_first[i + 1]; k++) {
    ripstop_text_add(text, "%s", k == j->waiter_first[i] ? " (" : ", ");
    ripstop_text_add(text, j->waiter[k] ? "0x%04X" : "unicast", j->waiter[k]);
  }
  ripstop_text_add(text, ")");
}

typedef struct cycle {
  const uint32_t *loop; /* [length]: VLs of links */
  uint32_t length, lanes;
  const char *between;                /* " > " in a cycle, ", " in a set */
  const ripstop_table_verdict *waits; /* the packets that wait; NULL: they are not shown */
} cycle;

static const char *cycle_text(ripstop_arena *arena, const ripstop_fabric *f, const cycle *c, bool told) {
  enum { SHOWN = 12 };
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_begin(&text);
  for (uint32_t i = 0; i < c->length && i < SHOWN; i++) {
    if (i) ripstop_text_add(&text, "%s", c->between);
    ripstop_judge_print_lane(&text, f, c->lanes, c->loop[i]);
    if (told) add_reported(&text, arena, f, c->loop[i] / c->lanes);
    add_waiters(&text, c->waits, i);
  }
  if (c->length > SHOWN) ripstop_text_add(&text, "%s... (%u in all)", c->between, c->length);
  return ripstop_arena_text(arena, text.data);
}

const char *ripstop_judge_cycle(ripstop_arena *arena, const ripstop_fabric *fabric, uint32_t lanes,
                                const uint32_t *loop, uint32_t length, bool told) {
  return cycle_text(arena, fabric, &(cycle){loop, length, lanes, " > ", NULL}, told);
}

/* ------------------------------------------------------------------ deadlock */

/* The VLs that wait for each other in a proof's deadlock, in place of a cycle. */
static void take_waiting(ripstop_arena *arena, const ripstop_plan *plan, const ripstop_plan_waits *waits,
                         ripstop_judged *out) {
  uint32_t *loop = RIPSTOP_ARRAY(arena, waits->queues, uint32_t);
  for (uint32_t i = 0; i < waits->queues; i++)
    loop[i] = waits->queue[i].port * plan->channels + waits->queue[i].channel;
  out->now.loop = loop;
  out->now.lanes = plan->channels;
  out->now.in_loops = out->now.loop_length = waits->queues;
  out->waiting = true;
}

/* Decides by the graph of the tables, or by a proof of their plan. If the tables are judged as if packets took one
 * channel, or bubble flow control drains some of their cycles, the proof's queues are shown instead of a cycle. */
static int decide_deadlock(ripstop_arena *arena, const ripstop_judging *what, ripstop_judged *out, ripstop_error *err) {
  ripstop_plan_waits waits;
  out->deadlock = ripstop_deadlock_of_tables(out->now.credit_loop);
  if (!what->plan) return 0;
  if (ripstop_plan_deadlock(arena, what->plan, out->now.credit_loop, what->whole, &waits, err)) return -1;
  out->deadlock = waits.verdict;
  out->now.lanes_used = what->plan->channels;
  bool by_cycle = what->plan->channels == 1 && out->deadlock != RIPSTOP_DEADLOCK_DESPITE;
  if (waits.proved && !by_cycle) take_waiting(arena, what->plan, &waits, out);
  return 0;
}

/* ------------------------------------------------------------------ all of it */

static uint32_t count_own_cables(const ripstop_fabric *f) {
  const ripstop_ib_dump *dump = ripstop_ib_of(f) ? ripstop_ib_of(f)->dump : NULL;
  uint32_t ends = 0;
  for (uint32_t i = 0; dump && i < dump->ports; i++) {
    const ripstop_ib_port *port = &dump->port[i];
    ends += port->mate != RIPSTOP_NONE && dump->port[port->mate].node == port->node &&
            dump->node[port->node].kind == RIPSTOP_IB_SWITCH;
  }
  return ends / 2;
}

int ripstop_judge_whole(ripstop_arena *arena, const ripstop_judging *what, ripstop_judged *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const ripstop_fabric *f = what->view->fabric;
  *out = (ripstop_judged){.mixed = what->before != NULL, .own = count_own_cables(f)};
  if (ripstop_judge(arena, what->view, what->tables, NULL, &out->now, err) || decide_deadlock(arena, what, out, err))
    return -1;
  if (out->now.loop_length > 0) {
    const char *between = out->waiting ? ", " : " > ";
    cycle shown = {out->now.loop, out->now.loop_length, out->now.lanes, between, NULL};
    out->witness = cycle_text(arena, f, &shown, false);
    shown.waits = &out->now;
    out->named = cycle_text(arena, f, &shown, true);
  }
  if (!what->before) return 0;
  return ripstop_judge_transient(arena, what->view, what->before, what->tables, &out->transient, err);
}
