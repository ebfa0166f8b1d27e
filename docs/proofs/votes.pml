/* votes.pml - READY and GO name a version by the sum of its stamps; where one counts, the sum means the same knowledge
 * (docs/methods/valleys.md, "How switches agree"; holds(), count_links() and begin_port() of
 * src/methods/valleys/protocol.c).
 *
 * A sender and a receiver share a link. There are two words of other switches, with stamps up to STAMPS_MOST. Both may receive
 * them from elsewhere at any time. The sender passes on by LINKS what others than the receiver sent it, numbers LINKS on
 * the link, and says READY of a version with the sum of its stamps and the number of its last LINKS. Messages overtake
 * each other as they like.
 *
 * The link fails and returns once: the sender begins to count again and sends all that it knows, the receiver forgets the
 * vote. Messages in flight are lost, all or some, or come late. With RESTARTS the sender has forgotten all when the link returns, and
 * numbers LINKS from beyond all that went before.
 *
 * Whenever a vote counts, the receiver knows just what the sender knew when it sent the vote. GO is the same message down
 * the tree.
 *
 * Mutants, which spin refutes: MUTANT_EARLY, a vote counts before all LINKS that went before it have come; MUTANT_LIVES, it
 * counts in a later incarnation of the link (refuted with RESTARTS); MUTANT_SAME, an incarnation begins with the last
 * number of the one before, so that a vote of the earlier one seems to be of this. With REACH the model claims that no vote ever counts after
 * the failure. */
#define STAMPS_MOST 2
#define BEYOND 8 /* greater than all numbers of an earlier incarnation: the cycle, shifted by STAMP_CYCLE */

mtype = { LINKS, READY };
/* LINKS: word, stamp, first, number. READY: sum, word 0, word 1 (for the check alone), number of the last LINKS. */
#ifndef ROOM
#define ROOM 5
#endif
chan under_way = [ROOM] of { mtype, byte, byte, byte, byte };

byte knows[2], has[2];  /* stamps that the sender, and the receiver, know */
byte first, sent, told; /* the sender's port_memory; the version of its last vote */
byte from, last, heard; /* the receiver's port_memory */
byte vote, vote_sent;   /* the receiver's port_memory.ready; 0: none */
byte vote_knew[2];      /* the sender's knowledge then */
bool has_failed, is_down;

#define SUM (knows[0] + knows[1])

/* holds(), has_heard() */
#ifdef MUTANT_EARLY
#define HAS_HEARD true
#else
#define HAS_HEARD (heard == last && heard >= vote_sent)
#endif
#ifdef MUTANT_LIVES
#define IS_OF_THIS_LIFE true
#else
#define IS_OF_THIS_LIFE (vote_sent >= from)
#endif
#define COUNTS (vote && vote == has[0] + has[1] && IS_OF_THIS_LIFE && HAS_HEARD)

inline check() {
  assert(!COUNTS || (vote_knew[0] == has[0] && vote_knew[1] == has[1]));
#ifdef REACH
  assert(!(COUNTS && has_failed && vote_sent > first))
#endif
}

/* send_word() */
inline send_word(word) {
  sent++;
  under_way!LINKS(word, knows[word], first, sent)
}

/* From others, or from the receiver, which needs no message then. */
#define SENDER_HEARS(word)                                                                                             \
  :: atomic { !is_down && knows[word] < STAMPS_MOST && nfull(under_way) -> knows[word]++; send_word(word) }            \
  :: knows[word] < has[word] -> knows[word] = has[word]

proctype sender() {
end_quiet:
  do
  SENDER_HEARS(0)
  SENDER_HEARS(1)
  :: atomic {
       !is_down && SUM > told && nfull(under_way) -> /* send_vote() */
       told = SUM;
       under_way!READY(SUM, knows[0], knows[1], sent)
     }
  od
}

#define RECEIVER_HEARS(word) :: d_step { has[word] < STAMPS_MOST -> has[word]++; check() }

/* count_links() */
inline take_links(word, stamp, begun, number) {
  if
  :: begun < from
  :: begun >= from ->
     if
     :: begun > from -> from = begun; heard = begun; last = begun
     :: else
     fi;
     heard++;
     last = (number > last -> number : last)
  fi;
  has[word] = (stamp > has[word] -> stamp : has[word])
}

#define LINKS_COME(number)                                                                                             \
  :: d_step { under_way??LINKS(a, b, c, number) -> take_links(a, b, c, number); a = 0; b = 0; c = 0; check() }

/* on_message(): the greatest that came. */
#define READY_COMES(sum)                                                                                               \
  :: d_step {                                                                                                          \
       under_way??READY(sum, a, b, c) ->                                                                               \
       if                                                                                                              \
       :: sum > vote -> vote = sum; vote_knew[0] = a; vote_knew[1] = b; vote_sent = c                                  \
       :: else                                                                                                         \
       fi;                                                                                                             \
       a = 0; b = 0; c = 0;                                                                                            \
       check()                                                                                                         \
     }

proctype receiver() {
  byte a, b, c;
end_quiet:
  do
  RECEIVER_HEARS(0)
  RECEIVER_HEARS(1)
  LINKS_COME(1)
  LINKS_COME(2)
  LINKS_COME(3)
  LINKS_COME(4)
  LINKS_COME(5)
  LINKS_COME(6)
  LINKS_COME(7)
  LINKS_COME(8)
  LINKS_COME(9)
  LINKS_COME(10)
  LINKS_COME(11)
  LINKS_COME(12)
  LINKS_COME(13)
  LINKS_COME(14)
  READY_COMES(1)
  READY_COMES(2)
  READY_COMES(3)
  READY_COMES(4)
  od
}

init {
  atomic {
    run sender();
    run receiver()
  }
  /* begin_port() of both. */
  d_step {
    has_failed = true;
    is_down = true;
    vote = 0; vote_sent = 0; vote_knew[0] = 0; vote_knew[1] = 0;
    told = 0;
#ifdef RESTARTS
    knows[0] = 0;
    knows[1] = 0;
    sent = BEYOND;
#else
#ifndef MUTANT_SAME /* LINKS go on from the last number of the earlier incarnation */
    sent++;
#endif
#endif
    first = sent
  }
  atomic { /* all messages in flight are lost, or the first ones */
    do
    :: nempty(under_way) -> under_way?_, _, _, _, _
    :: break
    od
  }
  atomic { /* meet() */
    len(under_way) <= ROOM - 2 ->
    is_down = false;
    if
    :: knows[0] -> send_word(0)
    :: else
    fi;
    if
    :: knows[1] -> send_word(1)
    :: else
    fi
  }
}
