/* coherence.c - the transitions of the coherence protocol. tests/unit/test_programs_coherence.c explores all of
 * them. */
#include "programs/coherence.h"

const char *const co_kind_words[CO_KINDS] = {"load",    "store",       "evict",          "get-shared", "get-owned",
                                             "upgrade", "put-clean",   "put-dirty",      "invalidate", "share",
                                             "yield",   "data-shared", "data-exclusive", "data-owned", "grant",
                                             "ack",     "put-done",    "copy-clean",     "copy-dirty", "unblock"};
const char *const co_class_words[CO_CLASSES] = {"request", "forward", "response", "completion"};
const char *const co_state_words[CO_STATES] = {"I", "S", "E", "M", "IS", "IS-once", "IM", "SM", "EI", "MI", "II"};

co_class co_class_of(co_kind kind) {
  if (kind <= CO_PUT_DIRTY) return CO_REQUEST;
  if (kind <= CO_YIELD) return CO_FORWARD;
  return kind <= CO_PUT_DONE ? CO_RESPONSE : CO_COMPLETION;
}

bool co_has_data(co_kind kind) {
  return kind == CO_PUT_DIRTY || kind == CO_DATA_SHARED || kind == CO_DATA_EXCLUSIVE || kind == CO_DATA_OWNED ||
         kind == CO_COPY_DIRTY;
}

static co_message *add(co_out *out, co_kind kind, uint32_t from, uint32_t to) {
  co_message *m = &out->message[out->count++];
  *m = (co_message){.kind = (uint8_t)kind, .from = (uint8_t)from, .to = (uint8_t)to};
  return m;
}

/* ------------------------------------------------------------------ the cache */

static void request(co_line *line, uint32_t home, const co_message *in, co_out *out) {
  uint32_t self = in->to;
  switch (in->kind) {
  case CO_LOAD:
    if (line->state == CO_I) {
      add(out, CO_GET_SHARED, self, home);
      line->state = CO_IS;
    } else {
      out->ready = co_readable(line), out->wrong = !out->ready;
    }
    return;
  case CO_STORE:
    if (co_writable(line)) {
      line->state = CO_M;
      out->ready = true;
    } else if (line->state == CO_I || line->state == CO_S) {
      add(out, line->state == CO_I ? CO_GET_OWNED : CO_UPGRADE, self, home);
      *line = (co_line){.state = line->state == CO_I ? CO_IM : CO_SM};
    } else {
      out->wrong = true;
    }
    return;
  default:                     /* CO_EVICT */
    if (line->state == CO_S) { /* the home is not notified */
      line->state = CO_I;
    } else if (co_writable(line)) {
      add(out, line->state == CO_E ? CO_PUT_CLEAN : CO_PUT_DIRTY, self, home);
      line->state = line->state == CO_E ? CO_EI : CO_MI;
    } else {
      out->wrong = true;
    }
  }
}

static void invalidate(co_line *line, const co_message *in, co_out *out) {
  switch (line->state) {
  case CO_S:
    line->state = CO_I;
    break;
  case CO_SM:
    line->state = CO_IM;
    break;
  case CO_IS:
    line->state = CO_IS_ONCE;
    break;
  case CO_I: /* evicted earlier */
  case CO_II:
  case CO_IM:
  case CO_IS_ONCE:
    break;
  default:
    out->wrong = true;
    return;
  }
  add(out, CO_ACK, in->to, in->requester);
}

/* The owner receives a request for the line, which it may be writing back. */
static void hand_on(co_line *line, uint32_t home, const co_message *in, co_out *out) {
  bool leaving = line->state == CO_EI || line->state == CO_MI;
  if (!co_writable(line) && !leaving) {
    out->wrong = true;
    return;
  }
  bool dirty = line->state == CO_M || line->state == CO_MI;
  if (in->kind == CO_SHARE) {
    add(out, CO_DATA_SHARED, in->to, in->requester)->holds = true;
    add(out, dirty ? CO_COPY_DIRTY : CO_COPY_CLEAN, in->to, home);
    line->state = leaving ? CO_II : CO_S;
  } else {
    add(out, CO_DATA_OWNED, in->to, in->requester);
    line->state = leaving ? CO_II : CO_I;
  }
}

/* The data for a load. While the home waits for the unblock message it invalidates no copy, so this copy may be kept
 * even if an older invalidation has arrived. */
static void read_data(co_line *line, uint32_t home, const co_message *in, co_out *out) {
  if (line->state != CO_IS && line->state != CO_IS_ONCE) {
    out->wrong = true;
    return;
  }
  bool exclusive = in->kind == CO_DATA_EXCLUSIVE, holds = exclusive || in->holds;
  out->keep = out->ready = true;
  if (holds) add(out, CO_UNBLOCK, in->to, home);
  line->state = exclusive ? CO_E : line->state == CO_IS || holds ? CO_S : CO_I;
}

/* One part of what a store waits for: data, grant or acknowledgement. */
static void write_part(co_line *line, uint32_t home, const co_message *in, co_out *out) {
  bool first = in->kind != CO_ACK;
  bool fits = line->state == CO_IM || line->state == CO_SM;
  if (in->kind == CO_GRANT) fits = line->state == CO_SM;
  if (!fits || (first && line->granted)) {
    out->wrong = true;
    return;
  }
  if (first) {
    line->granted = true;
    line->acks = (int8_t)(line->acks + in->acks);
    out->keep = in->kind == CO_DATA_OWNED;
  } else {
    line->acks--;
  }
  if (!line->granted || line->acks) return;
  *line = (co_line){.state = CO_M};
  out->ready = true;
  add(out, CO_UNBLOCK, in->to, home);
}

void co_cache_step(co_line *line, uint32_t home, const co_message *in, co_out *out) {
  out->count = 0;
  out->keep = out->ready = out->defer = out->wrong = false;
  switch (in->kind) {
  case CO_LOAD:
  case CO_STORE:
  case CO_EVICT:
    request(line, home, in, out);
    break;
  case CO_INVALIDATE:
    invalidate(line, in, out);
    break;
  case CO_SHARE:
  case CO_YIELD:
    hand_on(line, home, in, out);
    break;
  case CO_DATA_SHARED:
  case CO_DATA_EXCLUSIVE:
    read_data(line, home, in, out);
    break;
  case CO_DATA_OWNED:
  case CO_GRANT:
  case CO_ACK:
    write_part(line, home, in, out);
    break;
  case CO_PUT_DONE:
    out->wrong = line->state != CO_EI && line->state != CO_MI && line->state != CO_II;
    line->state = CO_I;
    break;
  default:
    out->wrong = true;
  }
}

/* ------------------------------------------------------------------ the home */

static uint64_t bit(uint32_t node) { return UINT64_C(1) << node; }

static void get_shared(co_home *line, const co_message *in, co_out *out) {
  if (line->owned) {
    add(out, CO_SHARE, in->to, line->owner)->requester = in->from;
    line->sharers = bit(line->owner) | bit(in->from);
    line->owned = false;
    line->awaits_unblock = line->awaits_copy = true;
  } else if (line->sharers) {
    add(out, CO_DATA_SHARED, in->to, in->from);
    line->sharers |= bit(in->from);
  } else {
    add(out, CO_DATA_EXCLUSIVE, in->to, in->from);
    line->owner = in->from;
    line->owned = line->awaits_unblock = true;
  }
}

static void get_owned(co_home *line, const co_message *in, co_out *out) {
  if (line->owned) {
    add(out, CO_YIELD, in->to, line->owner)->requester = in->from;
  } else {
    bool has_copy = in->kind == CO_UPGRADE && (line->sharers & bit(in->from));
    co_message *answer = add(out, has_copy ? CO_GRANT : CO_DATA_OWNED, in->to, in->from);
    uint8_t acks = 0;
    for (uint32_t node = 0; node < CO_NODES_MAX; node++)
      if (node != in->from && (line->sharers & bit(node))) {
        add(out, CO_INVALIDATE, in->to, node)->requester = in->from;
        acks++;
      }
    answer->acks = acks;
  }
  line->sharers = 0;
  line->owner = in->from;
  line->owned = line->awaits_unblock = true;
}

static void put(co_home *line, const co_message *in, co_out *out) {
  if (line->owned && line->owner == in->from) {
    line->owned = false;
    out->keep = in->kind == CO_PUT_DIRTY;
  } /* else a forward has reached the owner before its write-back arrived */
  add(out, CO_PUT_DONE, in->to, in->from);
}

void co_home_step(co_home *line, const co_message *in, co_out *out) {
  out->count = 0;
  out->keep = out->ready = out->wrong = false;
  out->defer = co_class_of(in->kind) == CO_REQUEST && co_busy(line);
  if (out->defer) return;
  switch (in->kind) {
  case CO_GET_SHARED:
    out->wrong = line->owned && line->owner == in->from;
    get_shared(line, in, out);
    break;
  case CO_GET_OWNED:
  case CO_UPGRADE:
    out->wrong = line->owned && line->owner == in->from;
    get_owned(line, in, out);
    break;
  case CO_PUT_CLEAN:
  case CO_PUT_DIRTY:
    put(line, in, out);
    break;
  case CO_COPY_CLEAN:
  case CO_COPY_DIRTY:
    out->wrong = !line->awaits_copy;
    out->keep = in->kind == CO_COPY_DIRTY;
    line->awaits_copy = false;
    break;
  case CO_UNBLOCK:
    out->wrong = !line->awaits_unblock;
    line->awaits_unblock = false;
    break;
  default:
    out->wrong = true;
  }
}
