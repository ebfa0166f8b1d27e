/* packet_lines.h - the waiting packets of an input queue in several lines: docs/model.md, "Lines".
 *
 * A line is a row like a queue's: its first packet is a head, with candidates and a state, so heads.c and choose.h work
 * on it. The queue's own row is EMPTY, or LEAVING with the packet that was granted last; then slot 0 of its slots has
 * that packet. The other slots are linked, in lines and in a list of free ones.
 *
 * The sets of a node have a bit for each input queue, as without lines. A queue wants what the heads of its lines want.
 *
 * Invariants between two cycles, beside those of state.h
 *   - Each packet of a queue that is not granted is in exactly one line. No line is empty.
 *   - The packets of a line have the same candidates unless the line is `mixed`, and are in order of arrival.
 *   - A queue is listed exactly if one of its lines is WAITING. It wants the output VCs of all WAITING lines, or, if a
 *     line is to be discarded, none. */
#ifndef SIMULATE_PACKET_LINES_H
#define SIMULATE_PACKET_LINES_H

#include "simulate/state.h"

typedef struct line {
  queue head;          /* `slot`, `head`: its first packet; `length`: its packets */
  struct line *next;   /* in the queue, or among the spare lines */
  head_request wanted; /* in this round; no candidates: nothing */
  uint16_t tail;       /* slot of the last packet */
  uint16_t local;      /* output port of `wanted` */
  bool mixed;          /* packets behind the first may have other candidates or another header */
} line;

/* Beside the row of each input queue. */
typedef struct line_queue {
  line *first, *last; /* its lines; the one that a packet joined last */
  uint16_t free;      /* the first free slot; 0: none */
  uint16_t lines;     /* how many */
  uint64_t until;     /* with a speedup: the part of a cycle in which the LEAVING packet has crossed. crossbar.c */
} line_queue;

typedef struct lines {
  line_queue *queue;     /* [queues]; shared by all parts, as `next` and what each entry refers to */
  uint16_t *next;        /* [slots]: the next slot of the line, or the next free one; 0: none */
  uint32_t most;         /* lines of a queue */
  bool turning;          /* the first output of a round is cycle mod ports; else port 0 */
  void **matching_state; /* [nodes]; of ripstop_matching */
  uint64_t *ending; /* [nodes * shape.enters_words], with a speedup: queues whose packets cross within this cycle */
  /* the part's own */
  line *spare, *unused;
  uint32_t unused_lines;
  uint64_t full;       /* packets that joined a line of other candidates because there were no more lines */
  uint64_t *examined;  /* [words]: scratch of a decision: queues whose wants are to be computed again */
  uint64_t step;       /* with a speedup: the present part of a cycle */
  uint64_t *inputs;    /* with a matching: [outputs of a node * words]: crossbar inputs that request each output */
  uint32_t *output_of; /* [queues of a node]: the output that each crossbar input gets */
  uint16_t *sorted;    /* [slots of a queue]: scratch */
} lines;

/* Gives all switches lines, at most `most` for each queue. Call it when queues are laid out. */
int lines_open(run *r, uint32_t most, bool turning, ripstop_error *err);
/* Packets that joined a line of other candidates, in all parts. */
uint64_t lines_full(const run *r);

/* Adds a packet to a queue of a switch. */
void lines_add(part *t, queue *q, uint32_t packet_index, uint32_t arrived);
/* Requests the candidates of all waiting packets of a queue again, and puts the packets into lines in order of arrival.
 */
void lines_rebuild(part *t, queue *q);
/* Moves the first packet of a line into the queue's row, which must be EMPTY, for a grant or a discard. */
void lines_present(part *t, queue *q, const line *own);
/* Removes the first packet of a line, whose slot has been read. The next one becomes its head, or the line ends. */
void lines_pop(part *t, queue *q, line *own);
/* Computes again what a queue wants, and lists it. */
void lines_list(part *t, const sim_node *n, const queue *q);

/* Queues have one line each: they are FIFOs. */
static inline bool is_fifo(const part *t) { return t->lines->most == 1; }
/* This input queue has lines. */
static inline bool has_lines(const part *t, const queue *q) { return t->lines && !is_interface(&t->shape, q->node); }
static inline line *lines_of(const part *t, const queue *q) { return t->lines->queue[index_of(&t->shape, q)].first; }
/* The cycle in which the head of a line came off its link. No two packets of an input port have the same. */
static inline uint32_t line_arrived(const part *t, const line *own) {
  return t->shape.slot[own->head.slot + own->head.head].arrived;
}

/* The packets of an input queue with or without lines, first the one that is LEAVING. Start with a walk of zeros. */
typedef struct packet_walk {
  uint32_t i;
  const line *line;
  uint16_t slot;
  uint32_t bound; /* the row of the present packet that waits at an output */
} packet_walk;
/* The next packet's slot, or NULL. */
const sim_slot *next_packet(const part *t, const queue *q, packet_walk *walk);

#endif
