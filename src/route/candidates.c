/* candidates.c - expands and filters candidates, which are ranges of adjacent ports. */
#include <string.h>

#include "ripstop/plugin/method.h"

enum { RUN_MOST = UINT8_MAX + 1 }; /* ports of one ripstop_candidate */

int ripstop_candidates_up(const uint8_t *up, uint32_t first, uint32_t count, ripstop_candidate like,
                          ripstop_candidate *candidates) {
  int written = 0;
  for (uint32_t port = first, end = first + count; port < end; port++) {
    if (!up[port]) continue;
    uint32_t room = end - port < RUN_MOST ? end - port : RUN_MOST;
    const uint8_t *dead = memchr(&up[port], 0, room);
    uint32_t more = (dead ? (uint32_t)(dead - &up[port]) : room) - 1;
    like.port = (uint16_t)port;
    like.more = (uint8_t)more;
    candidates[written++] = like;
    port += more;
  }
  return written;
}

int ripstop_candidates_expand(ripstop_candidate *candidates, int count, uint32_t most) {
  uint32_t all = 0;
  for (int i = 0; i < count; i++) all += 1u + candidates[i].more;
  if (all > most) return (int)most + 1;
  for (uint32_t to = all; count-- > 0;) { /* from the last: earlier ones have not been moved */
    ripstop_candidate run = candidates[count];
    for (uint32_t i = 1u + run.more; i-- > 0;) {
      candidates[--to] = run;
      candidates[to].port = (uint16_t)(run.port + i);
      candidates[to].more = 0;
    }
  }
  return (int)all;
}
