/* fixed_frame.pml - the fixed turns close no cycle of channels (docs/methods/valleys.md, "Why it holds", 1).
 *
 * A walker starts in any channel between two switches and takes any fixed turn, as long as there is one.
 * It never comes to the channel where it started. Every transient state of tables permits a part of these turns, and so does
 * every fabric with failed links. So what holds here holds for all of them.
 *
 * A channel is the switch at its end and the port by which it comes in there. With LIST, spin's simulation prints every
 * turn instead; the test compares them with those that the program's switches permit. */
#include "tree.pml"

byte level, number, in_port;          /* the channel that the walker is in */
byte first_level, first_number, first_port; /* the channel in which it started */

#define PICK(what, below)                                                                                              \
  what = 0;                                                                                                            \
  do                                                                                                                   \
  :: what + 1 < (below) -> what++                                                                                      \
  :: break                                                                                                             \
  od

inline go_on(out_port) {
  if
  :: IS_UP(level, out_port) ->
     in_port = DIGIT(level, number);
     number = REPLACED(level, number, out_port - HALF);
     level++
  :: else ->
     level--;
     in_port = HALF + DIGIT(level, number);
     number = REPLACED(level, number, out_port)
  fi
}

#ifdef LIST
active proctype list() {
  byte out_port;
  do
  :: level == LEVELS -> break
  :: level < LEVELS && number == SWITCHES(level) -> level++; number = 0
  :: level < LEVELS && number < SWITCHES(level) && in_port == PORTS(level) -> number++; in_port = 0
  :: level < LEVELS && number < SWITCHES(level) && in_port < PORTS(level) ->
     out_port = 0;
     do
     :: out_port == PORTS(level) -> break
     :: out_port < PORTS(level) ->
        if
        :: LEADS_TO_SWITCH(level, in_port) && TURNS(level, in_port, out_port) ->
           printf("turn %d %d %d %d\n", level, number, in_port, out_port)
        :: else
        fi;
        out_port++
     od;
     in_port++
  od
}
#else
active proctype walker() {
  byte out_port;
  atomic {
    PICK(level, LEVELS);
    PICK(number, SWITCHES(level));
    PICK(in_port, PORTS(level));
    LEADS_TO_SWITCH(level, in_port);
    first_level = level;
    first_number = number;
    first_port = in_port
  }
end:
  do
  :: atomic {
       PICK(out_port, PORTS(level));
       TURNS(level, in_port, out_port);
       go_on(out_port);
       out_port = 0;
       assert(level != first_level || number != first_number || in_port != first_port)
     }
  od
}
#endif
