/* agreement.pml - switches that agree on allowed turns never permit a cycle together (docs/methods/valleys.md, "Why it holds", 3).
 *
 * RING switches form a ring; link i joins switch i and the next one. With CHORD one more link joins switches 0 and 2.
 * The model watches one cycle of channels: once around the ring, by one turn at each switch, from its link behind into its
 * link ahead.
 *
 * Events. The link FLAPPING fails and returns CHANGES times in all; each end notes each change when it likes, or with
 * TOGETHER in the same moment. With RESTARTS switch 0 fails and returns instead, knowing nothing; its neighbours note both when they like.
 *
 * Knowledge. A switch's word of its own links has a stamp that grows with each change. The stamps that a switch knows are
 * its version. It receives words in any order, late and with gaps: any word that their switch has ever sent. No order of
 * LINKS messages does more.
 *
 * Allowed turns. They are any function of the links that are up by a version, and close no cycle. While the whole ring is
 * up one turn is missing; which one may depend on the chord. Otherwise every turn between two links that are up is
 * allowed. Fewer allowed turns permit less, so these are the worst ones.
 *
 * READY and GO. A switch says ready when all below it in the spanning tree have said so of this very version. It permits
 * the allowed turns when it is the root, or the one above it has permitted those of this version. A message may come at any
 * later time, so the model remembers what was ever said. Switches act as soon as they may: one that acts later, or never,
 * permits no more and lets others do no more. With AT_ONCE there is no tree: a switch permits the allowed turns as soon as all of
 * its component have had this version, which lets more happen in fewer states. votes.pml shows that equal
 * sums of stamps mean equal versions.
 *
 * Mutants, which spin refutes: MUTANT_KEEP, MUTANT_HASTE, MUTANT_ANY_GO, below. With REACH the model claims that switches
 * never agree on their last words, and spin refutes that: the model is not safe for want of steps. */
#ifndef RING
#define RING 4
#endif
#ifndef FLAPPING
#define FLAPPING 0
#endif
#ifndef CHANGES
#define CHANGES 2
#endif
#ifdef CHORD
#define LINKS (RING + 1)
#else
#define LINKS RING
#endif

#define AHEAD(s) (((s) + 1) % RING)
#define BEHIND(s) (((s) + RING - 1) % RING)
#define END_A(link) ((link) < RING -> (link) : 0)
#define END_B(link) ((link) < RING -> AHEAD(link) : 2)
#define KNOWN(s, of) known[(s) * RING + (of)]

byte known[RING * RING]; /* stamps, by switch and whose they are; 0: nothing is known */
byte said[RING];         /* the greatest that each has said of itself; it begins with 1 */
bool permits[RING];      /* its turn ahead */
byte missing[2];         /* the turn that is not allowed, without and with the chord */
byte ends;               /* that have something to note still */

/* Versions as numbers, and for each switch the set of versions with which it said so. */
#define STAMPS 4
#if RING == 3
#define VERSIONS 64
#define VERSION(s) (KNOWN(s, 0) + STAMPS * (KNOWN(s, 1) + STAMPS * KNOWN(s, 2)))
#else
#define VERSIONS 256
#define VERSION(s) (KNOWN(s, 0) + STAMPS * (KNOWN(s, 1) + STAMPS * (KNOWN(s, 2) + STAMPS * KNOWN(s, 3))))
#endif
#define WORDS (VERSIONS / 32)
int ready[RING * WORDS], agreed[RING * WORDS];
#define WORD(s, version) (s) * WORDS + (version) / 32
#define HAS(set, s, version) ((set[WORD(s, version)] >> ((version) % 32)) & 1)
#define ADD(set, s, version) set[WORD(s, version)] = set[WORD(s, version)] | (1 << ((version) % 32))
#define DROP(set, s, version) set[WORD(s, version)] = set[WORD(s, version)] & ~(1 << ((version) % 32))

hidden byte i, at, distance[RING], parent[RING], root, who, again, rest;
hidden byte whole, may;
hidden short version;

/* ------------------------------------------------------------------ knowledge and allowed turns */

#ifdef RESTARTS
#define IS_FLAPPING(link) ((link) == 0 || (link) == RING - 1)
#define SAYS_ALL_UP(end) ((end) == 0) /* on_start() does */
#else
#define IS_FLAPPING(link) ((link) == FLAPPING)
#define SAYS_ALL_UP(end) false
#endif

/* s knows of one end that it says the link is up. Stamps 1 and 3 say so of a link that flaps. */
#define SAYS_UP(s, end, link) (KNOWN(s, end) && (!IS_FLAPPING(link) || SAYS_ALL_UP(end) || KNOWN(s, end) % 2))
/* live_ports() */
#define IS_UP(s, link) (SAYS_UP(s, END_A(link), link) && SAYS_UP(s, END_B(link), link))

#ifdef CHORD
#define MISSING(s) (IS_UP(s, RING) -> missing[1] : missing[0])
#else
#define MISSING(s) missing[0]
#endif

/* ripstop_valleys_build(), in small. */
#define FRAME_HAS(s) (IS_UP(s, s) && IS_UP(s, BEHIND(s)) && !(whole && MISSING(s) == s))

inline look_at_ring(s) {
  whole = 1;
  for (i : 0 .. RING - 1) {
    whole = whole && IS_UP(s, i)
  }
}

/* make_frame() with take_turns(): a turn stays permitted if it is still allowed. */
inline make_frame(s) {
  look_at_ring(s);
#ifndef MUTANT_KEEP /* a switch keeps turns that are not allowed any more */
  permits[s] = permits[s] && FRAME_HAS(s)
#endif
}

/* ------------------------------------------------------------------ the spanning tree */

#define NOWHERE RING /* no distance; no parent */

/* Links to what has distance 0, of the component of s as s knows it. */
inline spread(s) {
  for (i : 1 .. RING - 1) {
    for (at : 0 .. LINKS - 1) {
      if
      :: IS_UP(s, at) && distance[END_A(at)] + 1 < distance[END_B(at)] -> distance[END_B(at)] = distance[END_A(at)] + 1
      :: IS_UP(s, at) && distance[END_B(at)] + 1 < distance[END_A(at)] -> distance[END_A(at)] = distance[END_B(at)] + 1
      :: else
      fi
    }
  }
}

/* ripstop_valleys_span(): the root is the greatest member; each other one's parent is nearer to it. */
inline span(s) {
  for (i : 0 .. RING - 1) {
    distance[i] = (i == s -> 0 : NOWHERE)
  }
  spread(s);
  root = RING - 1;
  do
  :: distance[root] == NOWHERE -> root--
  :: else -> break
  od;
  for (i : 0 .. RING - 1) {
    distance[i] = (i == root -> 0 : NOWHERE);
    parent[i] = NOWHERE
  }
  spread(s);
  for (at : 0 .. LINKS - 1) {
    if
    :: IS_UP(s, at) && distance[END_A(at)] + 1 == distance[END_B(at)] && parent[END_B(at)] == NOWHERE ->
       parent[END_B(at)] = END_A(at)
    :: IS_UP(s, at) && distance[END_B(at)] + 1 == distance[END_A(at)] && parent[END_A(at)] == NOWHERE ->
       parent[END_A(at)] = END_B(at)
    :: else
    fi
  }
}

/* ------------------------------------------------------------------ agree() */

/* READY: all_below_ready(). */
inline say_ready(s) {
  may = 1;
#ifndef AT_ONCE
  for (i : 0 .. RING - 1) {
    may = may && (parent[i] != s || HAS(ready, i, VERSION(s)))
  }
#endif
  if
  :: may && !HAS(ready, s, VERSION(s)) -> ADD(ready, s, VERSION(s)); again = 1
  :: else
  fi
}

/* GO: of this very version. */
inline await_go(s) {
#ifdef MUTANT_HASTE /* a switch that is ready goes on, without the root's GO */
  may = 1;
#else
  may = parent[s] == NOWHERE || HAS(agreed, parent[s], VERSION(s));
#endif
#if defined(AT_ONCE) && !defined(MUTANT_HASTE)
  may = 1;
  for (i : 0 .. RING - 1) {
    may = may && (distance[i] == NOWHERE || HAS(ready, i, VERSION(s)))
  }
#endif
#ifdef MUTANT_ANY_GO /* a GO counts although the version has changed since */
  for (i : 0 .. WORDS - 1) {
    may = may || agreed[parent[s] * WORDS + i]
  }
#endif
}

/* permit_all(). */
inline permit_all(s) {
  await_go(s);
  if
  :: may ->
     ADD(agreed, s, VERSION(s));
     look_at_ring(s);
     permits[s] = FRAME_HAS(s);
     again = 1
  :: else
  fi
}

/* All switches, until nothing changes any more. */
inline agree() {
  again = 1;
  do
  :: again ->
     again = 0;
     for (who : 0 .. RING - 1) {
       if
       :: !HAS(agreed, who, VERSION(who)) ->
          span(who);
          say_ready(who);
          if
          :: HAS(ready, who, VERSION(who)) -> permit_all(who)
          :: else
          fi
       :: else
       fi
     }
  :: else -> break
  od
}

/* Forget what was said of a version that no switch has any more, so that fewer states differ. */
inline forget_one() {
  may = 0;
  for (who : 0 .. RING - 1) {
    rest = version;
    again = 1;
    for (i : 0 .. RING - 1) {
      again = again && KNOWN(who, i) <= rest % STAMPS;
      rest = rest / STAMPS
    }
    may = may || again
  }
  for (who : 0 .. RING - 1) {
    if
    :: !may -> DROP(ready, who, version); DROP(agreed, who, version)
#ifdef AT_ONCE
    :: may && version != VERSION(who) -> DROP(agreed, who, version)
#endif
    :: else
    fi
  }
}

inline forget() {
  for (version : 0 .. VERSIONS - 1) {
    if
    :: HAS(ready, 0, version) || HAS(ready, 1, version) || HAS(ready, 2, version) || HAS(ready, RING - 1, version) ->
       forget_one()
    :: else
    fi
  }
  version = 0
}

inline follow_up(s) {
  make_frame(s);
  assert(!(permits[0] && permits[1] && permits[2] && permits[RING - 1]));
  agree();
  assert(!(permits[0] && permits[1] && permits[2] && permits[RING - 1]));
#ifdef REACH
  may = ends == 0;
  for (i : 0 .. RING - 1) {
    for (at : 0 .. RING - 1) {
      may = may && KNOWN(i, at) == said[at]
    }
    may = may && HAS(agreed, i, VERSION(i))
  }
  assert(!may);
#endif
#ifndef MUTANT_ANY_GO
  forget()
#endif
}

/* ------------------------------------------------------------------ events */

#define HEARS(of, more)                                                                                                \
  s != of && KNOWN(s, of) + more <= said[of] -> d_step { KNOWN(s, of) = KNOWN(s, of) + more; follow_up(s) }

/* on_message() and the functions that it calls for a word. */
proctype agent(byte s) {
end_quiet:
  do
  :: HEARS(0, 1)
  :: HEARS(0, 2)
  :: HEARS(1, 1)
  :: HEARS(1, 2)
  :: HEARS(1, 3)
  :: HEARS(2, 1)
  :: HEARS(2, 2)
  :: HEARS(2, 3)
#if RING > 3
  :: HEARS(3, 1)
  :: HEARS(3, 2)
  :: HEARS(3, 3)
#endif
  od
}

#ifdef TOGETHER
/* on_link(): both ends of a link note in one moment that it has failed, or returned. */
proctype link_between(byte s, other) {
  byte change;
  do
  :: change < CHANGES ->
     d_step {
       said[s] = said[s] + 1;
       KNOWN(s, s) = said[s];
       said[other] = said[other] + 1;
       KNOWN(other, other) = said[other];
       change++;
       ends = ends - (change == CHANGES -> 2 : 0);
       make_frame(other);
       follow_up(s)
     }
  :: else -> break
  od
}
#endif

/* on_link(): an end of a link notes that it has failed, or returned. */
proctype end_of_link(byte s) {
  byte change;
  do
  :: change < CHANGES ->
     d_step {
       said[s] = said[s] + 1;
       KNOWN(s, s) = said[s];
       change++;
       ends = ends - (change == CHANGES -> 1 : 0);
       follow_up(s)
     }
  :: else -> break
  od
}

#ifdef RESTARTS
/* on_start(): a switch that returns knows nothing but itself, and permits nothing. A time in which it is down is like one
 * in which it receives nothing. */
proctype restart() {
  d_step {
    permits[0] = false;
    said[0] = said[0] + 1;
    for (i : 1 .. RING - 1) {
      KNOWN(0, i) = 0
    }
    KNOWN(0, 0) = said[0];
    ends--;
    follow_up(0)
  }
}
#endif

/* know_first(): all know the ring as it is wired, and have agreed on its allowed turns. */
init {
  atomic {
    do
    :: missing[0] + 1 < RING -> missing[0] = missing[0] + 1
    :: break
    od;
#ifdef CHORD
    do
    :: missing[1] + 1 < RING -> missing[1] = missing[1] + 1
    :: break
    od;
#endif
    skip; /* a d_step is not to be jumped into */
    d_step {
      for (i : 0 .. RING * RING - 1) {
        known[i] = 1;
        said[i % RING] = 1
      }
      for (who : 0 .. RING - 1) {
        ADD(ready, who, VERSION(who));
        ADD(agreed, who, VERSION(who));
        look_at_ring(who);
        permits[who] = FRAME_HAS(who)
      }
    }
    run agent(0);
    run agent(1);
    run agent(2);
#if RING > 3
    run agent(3);
#endif
#ifdef RESTARTS
    ends = 3;
    run restart();
    run end_of_link(1);
    run end_of_link(RING - 1)
#else
    ends = 2;
#ifdef TOGETHER
    run link_between(END_A(FLAPPING), END_B(FLAPPING))
#else
    run end_of_link(END_A(FLAPPING));
    run end_of_link(END_B(FLAPPING))
#endif
#endif
  }
}
