/* order.pml - the order of the routers comes to rest, and then leads up to one root (docs/methods/ordered.md, "Why it
 * holds", 1).
 *
 * ROUTERS routers form a ring; port 0 of a router leads to the next one, port 1 to the one before. All know the ring
 * and the order along it; router 0 is the root. Then CHANGES links fail or return, one after the other, at any moments;
 * both ends note that at once, and messages in flight on the link are lost. RANK messages of a link come in order or are
 * overtaken by later ones, which makes them void.
 *
 * The protocol is that of src/methods/ordered/protocol.c without tables: places, claims, insertions, deputies. A numbering
 * and a claim are one number, 8 * epoch + root + 1, of which the greater is the greater claim.
 *
 * Spin shows that no run goes on forever (pan -l: no cycle of states). When nothing is left to do all routers agree on one
 * root for each component. The root has no router above it, and every other router has one.
 *
 * Mutants, which spin refutes: MUTANT_STAY, a router that receives a greater claim keeps its own; MUTANT_CHASE, a router
 * goes below any neighbour, safe or not, as often as it likes; and two go below each other forever. With REACH the model
 * claims that no router ever begins a new numbering. */
#ifndef ROUTERS
#define ROUTERS 4
#endif
#ifndef CHANGES
#define CHANGES 1
#endif
#define STEP 8       /* PLACE_STEP */
#ifdef MUTANT_CHASE
#define INSERTIONS 255
#define IS_SAFE_AT(r, port) known[AT(r, port)]
#else
#define INSERTIONS 2 /* INSERTIONS_IN_ALL */
#define IS_SAFE_AT(r, port) (known[AT(r, port)] && near_safe[AT(r, port)])
#endif
#define NO_PORT 2
#define EPOCH 8

#define AHEAD(r) (((r) + 1) % ROUTERS)
#define BEHIND(r) (((r) + ROUTERS - 1) % ROUTERS)
#define AT(r, port) ((r) * 2 + (port))
#define ROUTER_AT(r, port) ((port) == 0 -> AHEAD(r) : BEHIND(r))
#define LINK_AT(r, port) ((port) == 0 -> (r) : BEHIND(r))
#define IS_LINKED(r, port) is_up[LINK_AT(r, port)]

bool is_up[ROUTERS];                    /* links; link r joins r and the next one */
byte numbering[ROUTERS], value[ROUTERS]; /* own place */
byte claim[ROUTERS];
byte deputy[ROUTERS]; /* port by which the root has said so */
byte inserted[ROUTERS];
bool known[2 * ROUTERS], near_safe[2 * ROUTERS];
byte near_numbering[2 * ROUTERS], near_value[2 * ROUTERS];

/* RANK: numbering, value, claim, is safe, is the deputy. */
chan rank_to[2 * ROUTERS] = [5] of { byte, byte, byte, bool, bool }; /* by receiver and port */

hidden byte old_numbering, old_value, old_claim, old_safe, old_deputy, new_deputy, best, p, q;

#define IS_ROOT(r) (claim[r] % EPOCH == (r) + 1)
/* is_above(): the neighbour's place is. */
#define ABOVE(r, port)                                                                                                 \
  (known[AT(r, port)] &&                                                                                               \
   (near_numbering[AT(r, port)] < numbering[r] ||                                                                      \
    (near_numbering[AT(r, port)] == numbering[r] &&                                                                    \
     (near_value[AT(r, port)] < value[r] || (near_value[AT(r, port)] == value[r] && ROUTER_AT(r, port) < (r))))))
#define HAS_UP(r) (ABOVE(r, 0) || ABOVE(r, 1))
#define IS_SAFE(r) (IS_ROOT(r) || (ABOVE(r, 0) && ABOVE(r, 1)))
/* Port 0 leads to the higher of two known neighbours. */
#define FIRST_IS_HIGHER(r)                                                                                             \
  (near_numbering[AT(r, 0)] < near_numbering[AT(r, 1)] ||                                                              \
   (near_numbering[AT(r, 0)] == near_numbering[AT(r, 1)] &&                                                            \
    (near_value[AT(r, 0)] < near_value[AT(r, 1)] ||                                                                    \
     (near_value[AT(r, 0)] == near_value[AT(r, 1)] && AHEAD(r) < BEHIND(r)))))
#define HIGHEST(r, has_0, has_1) (has_0 && (!(has_1) || FIRST_IS_HIGHER(r)) -> 0 : ((has_1) -> 1 : NO_PORT))
/* find_deputy() */
#define DEPUTY_OF(r) (IS_ROOT(r) -> HIGHEST(r, known[AT(r, 0)], known[AT(r, 1)]) : NO_PORT)

/* The last report to the neighbours. */
inline note_said(r) {
  old_numbering = numbering[r];
  old_value = value[r];
  old_claim = claim[r];
  old_safe = IS_SAFE(r);
  old_deputy = DEPUTY_OF(r)
}

/* send_rank(): a message into a failed link is lost. */
inline send_rank(r, port) {
  if
  :: IS_LINKED(r, port) ->
     assert(nfull(rank_to[AT(ROUTER_AT(r, port), 1 - port)]));
     rank_to[AT(ROUTER_AT(r, port), 1 - port)]!numbering[r], value[r], claim[r], IS_SAFE(r), DEPUTY_OF(r) == port
  :: else
  fi
}

inline say_place(r) {
  new_deputy = DEPUTY_OF(r);
  q = old_numbering != numbering[r] || old_value != value[r] || old_claim != claim[r] || old_safe != IS_SAFE(r);
  for (p : 0 .. 1) {
    if
    :: q || (new_deputy != old_deputy && (new_deputy == p || old_deputy == p)) -> send_rank(r, p)
    :: else
    fi
  }
}

inline take_claim(r, new) {
  claim[r] = new;
  deputy[r] = NO_PORT;
  inserted[r] = 0
}

#define CLAIM_OF(r) ((claim[r] / EPOCH + 1) * EPOCH + (r) + 1) /* claim_root() */

/* find_candidate_up(), ripstop_ordered_insert(). */
inline find_way_up(r) {
  best = HIGHEST(r, IS_SAFE_AT(r, 0), IS_SAFE_AT(r, 1));
  if
  :: HAS_UP(r) || !(known[AT(r, 0)] || known[AT(r, 1)]) || IS_ROOT(r)
  :: else ->
     if
     :: inserted[r] < INSERTIONS && best != NO_PORT ->
        inserted[r] = inserted[r] + 1;
        numbering[r] = near_numbering[AT(r, best)];
        assert(near_value[AT(r, best)] < 255 - STEP); /* no router moves again and again */
        value[r] = near_value[AT(r, best)] + 1
     :: else ->
        take_claim(r, CLAIM_OF(r));
        numbering[r] = claim[r];
        value[r] = 0;
#ifdef REACH
        assert(false)
#endif
     fi
  fi
}

inline mend_order(r) {
  find_way_up(r);
  say_place(r);
  best = 0
}

hidden byte was_deputy;

/* forget() and on_link_down() */
inline on_link_down(r, port) {
  note_said(r);
  was_deputy = deputy[r] == port;
  known[AT(r, port)] = false;
  near_safe[AT(r, port)] = false;
  near_numbering[AT(r, port)] = 0;
  near_value[AT(r, port)] = 0;
  if
  :: was_deputy -> deputy[r] = NO_PORT
  :: else
  fi;
  if
  :: was_deputy && !HAS_UP(r) -> take_claim(r, CLAIM_OF(r))
  :: else
  fi;
  mend_order(r)
}

hidden byte is_news, is_greater;

inline on_rank(r, port, m_numbering, m_value, m_claim, m_safe, m_deputy) {
  note_said(r);
  is_news = !known[AT(r, port)] || near_numbering[AT(r, port)] != m_numbering || near_value[AT(r, port)] != m_value;
  is_greater = m_claim > claim[r];
  known[AT(r, port)] = true;
  near_numbering[AT(r, port)] = m_numbering;
  near_value[AT(r, port)] = m_value;
  near_safe[AT(r, port)] = m_safe;
#ifdef MUTANT_STAY
  is_greater = 0;
#endif
  if
  :: is_greater -> /* join() */
     take_claim(r, m_claim);
     if
     :: m_numbering == m_claim -> numbering[r] = m_claim; value[r] = m_value + STEP
     :: else
     fi
  :: else
  fi;
  if
  :: m_deputy -> deputy[r] = port
  :: !m_deputy && deputy[r] == port -> deputy[r] = NO_PORT
  :: else
  fi;
  if
  :: is_news || is_greater -> mend_order(r)
  :: else
  fi;
  best = 0
}

proctype router(byte r, port) {
  byte a, b, c;
  bool d, e;
end_quiet:
  do
  :: d_step {
       rank_to[AT(r, port)]?a, b, c, d, e ->
       on_rank(r, port, a, b, c, d, e);
       a = 0; b = 0; c = 0; d = 0; e = 0
     }
  /* Overtaken: a message counts only until a later one has come. */
  :: d_step { len(rank_to[AT(r, port)]) > 1 -> rank_to[AT(r, port)]?a, b, c, d, e; a = 0; b = 0; c = 0; d = 0; e = 0 }
  od
}

#define CHANGES_LINK(link)                                                                                             \
  :: changes < CHANGES && is_up[link] ->                                                                               \
     d_step {                                                                                                          \
       changes++;                                                                                                      \
       is_up[link] = false;                                                                                            \
       do                                                                                                              \
       :: nempty(rank_to[AT(link, 0)]) -> rank_to[AT(link, 0)]?_, _, _, _, _                                           \
       :: nempty(rank_to[AT(AHEAD(link), 1)]) -> rank_to[AT(AHEAD(link), 1)]?_, _, _, _, _                             \
       :: empty(rank_to[AT(link, 0)]) && empty(rank_to[AT(AHEAD(link), 1)]) -> break                                   \
       od;                                                                                                             \
       on_link_down(link, 0);                                                                                          \
       on_link_down(AHEAD(link), 1)                                                                                    \
     }                                                                                                                 \
  :: changes < CHANGES && !is_up[link] ->                                                                              \
     d_step { /* on_link_up(): both ends send each other their places     */                                           \
       changes++;                                                                                                      \
       is_up[link] = true;                                                                                             \
       send_rank(link, 0);                                                                                             \
       send_rank(AHEAD(link), 1);                                                                                      \
       best = 0                                                                                                        \
     }

#define AT_REST(r)                                                                                                     \
  ((IS_ROOT(r) -> !HAS_UP(r) : HAS_UP(r) || !(IS_LINKED(r, 0) || IS_LINKED(r, 1))) &&                                  \
   (!IS_LINKED(r, 0) || (claim[r] == claim[AHEAD(r)] && known[AT(r, 0)] && known[AT(AHEAD(r), 1)] &&                   \
                         near_numbering[AT(r, 0)] == numbering[AHEAD(r)] && near_value[AT(r, 0)] == value[AHEAD(r)])))

init {
  byte changes, r;
  d_step {
    for (r : 0 .. ROUTERS - 1) {
      is_up[r] = true;
      claim[r] = 1;
      value[r] = r * STEP;
      deputy[r] = (r == 1 -> 1 : NO_PORT);
      known[AT(r, 0)] = true;
      known[AT(r, 1)] = true;
      near_value[AT(r, 0)] = AHEAD(r) * STEP;
      near_value[AT(r, 1)] = BEHIND(r) * STEP
    }
    /* Router 0 is the root; the last one has both its neighbours above it, the others one. */
    near_safe[AT(1, 1)] = true;
    near_safe[AT(ROUTERS - 1, 0)] = true;
    near_safe[AT(0, 1)] = true;
    near_safe[AT(ROUTERS - 2, 0)] = true;
    r = 0
  }
  atomic {
    for (r : 0 .. ROUTERS - 1) {
      run router(r, 0);
      run router(r, 1)
    }
    r = 0
  }
  do
  CHANGES_LINK(0)
  CHANGES_LINK(1)
  CHANGES_LINK(2)
#if ROUTERS > 3
  CHANGES_LINK(3)
#endif
  :: changes == CHANGES -> break
  od;
end_quiet:
  timeout -> assert(AT_REST(0) && AT_REST(1) && AT_REST(2) && AT_REST(ROUTERS - 1))
}
