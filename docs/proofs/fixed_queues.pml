/* fixed_queues.pml - queues under the fixed turns always drain (docs/methods/valleys.md, "The fixed turns in any
 * transient state").
 *
 * Every channel between two switches of a two-level tree has a queue with room for one packet, full or empty at first.
 * Each head waits for one fixed turn, whichever its switch's table has at that moment; or it has arrived at its end
 * node, or is lost for want of a turn. It moves when the next queue is empty. Packets that may choose wait for
 * less. Spin looks for a state in which some queue is full and none can move: an invalid end state. */
#define LEVELS 2
#include "tree.pml"

#define CHANNELS (TOP * HALF + HALF * TOP) /* towards top switches, and towards leaves */
#define NUMBER_OF(level, number, in_port)                                                                              \
  ((level) == 1 -> (number) * TOP + (in_port) : TOP * HALF + (number) * HALF + (in_port) - HALF)

bool is_full[CHANNELS];

/* The queue that a turn leads to. */
#define NEXT(level, number, out_port)                                                                                  \
  (IS_UP(level, out_port) -> NUMBER_OF(1, (out_port) - HALF, number) : NUMBER_OF(0, out_port, HALF + (number)))

proctype queue(byte level, number, in_port) {
  byte own = NUMBER_OF(level, number, in_port), next;
end_empty:
  do
  :: is_full[own] ->
     if
     :: TURNS(level, in_port, 0) -> next = NEXT(level, number, 0)
     :: TURNS(level, in_port, 1) -> next = NEXT(level, number, 1)
     :: TURNS(level, in_port, 2) && PORTS(level) > 2 -> next = NEXT(level, number, 2)
     :: TURNS(level, in_port, 3) && PORTS(level) > 3 -> next = NEXT(level, number, 3)
     :: next = own /* it leaves the network */
     fi;
     atomic {
       next == own || !is_full[next];
       is_full[own] = false;
       if
       :: next != own -> is_full[next] = true
       :: else
       fi;
       next = 0
     }
  od
}

init {
  byte at = 0, port;
  atomic {
    do
    :: at < CHANNELS -> is_full[at] = true; at++
    :: at < CHANNELS -> at++
    :: at == CHANNELS -> break
    od;
    at = 0;
    do
    :: at == HALF -> break
    :: at < HALF && port < TOP -> run queue(1, at, port); port++
    :: at < HALF && port == TOP -> at++; port = 0
    od;
    at = 0;
    port = HALF;
    do
    :: at == TOP -> break
    :: at < TOP && port < 2 * HALF -> run queue(0, at, port); port++
    :: at < TOP && port == 2 * HALF -> at++; port = HALF
    od
  }
}
