/* receiver.c - a flow's receiver: the packets that it hands over, and its answers.
 *
 *   go-back-n   accepts only the next packet. Out of order: it reports once which one is missing (RECORD_NAK)
 *   selective   accepts every packet in the window; a message is complete when all of its packets are there
 *   trim        the same, and answers a packet that a switch has cut with RECORD_NAK: its sender sends it again
 *
 * All answer a duplicate: the answer to the first copy may have been lost. */
#include "base/mix.h"
#include "workload/flow.h"

uint64_t packet_word(uint32_t number) { return ripstop_mix((number + UINT64_C(1)) * RIPSTOP_GOLDEN); }

static void answer(transport *t, ripstop_agent_context *on, const packet_record *p, record_kind kind, bool marked) {
  const flow *f = &t->flow[p->flow];
  const packet_record a = {.flow = p->flow,
                           .number = p->number,
                           .next = f->expected,
                           .pulls = f->requests.pulls,
                           .kind = (uint8_t)kind,
                           .marked = marked};
  ++*(kind == RECORD_ACK ? &t->counts.acks : kind == RECORD_NAK ? &t->counts.naks : &t->counts.notes);
  record_send(t, on, a, (uint32_t)t->config->ack, true);
}

/* With dcqcn a mark causes a notification, at limited frequency. */
static void heed(transport *t, ripstop_agent_context *on, const packet_record *p) {
  flow *f = &t->flow[p->flow];
  const uint64_t now = ripstop_agent_now(on);
  t->counts.marked++;
  if (t->config->congestion.kind != RIPSTOP_CONGESTION_DCQCN || now < f->quiet) return;
  f->quiet = now + (uint64_t)t->config->congestion.notify;
  answer(t, on, p, RECORD_NOTE, true);
}

static bool hand_over(transport *t, flow *f, uint32_t number, uint32_t flits, transport_message *there) {
  flow_message *m = message_of(f, number);
  t->disordered |= goes_back(t) && number != f->handovers;
  f->handovers++;
  f->handed += packet_word(number);
  f->handed_flits += flits;
  if (--m->missing) return false;
  *there = m->message;
  return true;
}

static bool is_there(const flow *f, uint32_t number) { return number < f->expected || slot_at(f, number)->is_there; }

static void take(flow *f, uint32_t number) {
  slot_at(f, number)->is_there = true;
  while (f->expected < f->most && slot_at(f, f->expected)->is_there) f->expected++;
  f->complained = false;
}

static bool take_whole(transport *t, ripstop_agent_context *on, const packet_record *p,
                       const ripstop_agent_packet *packet, transport_message *there) {
  flow *f = &t->flow[p->flow];
  bool whole = false;
  if (is_there(f, p->number)) {
    t->counts.duplicates++;
  } else if (goes_back(t) && p->number != f->expected) {
    t->counts.refused++;
    if (!f->complained) answer(t, on, p, RECORD_NAK, packet->marked);
    f->complained = true;
    return false;
  } else {
    take(f, p->number);
    whole = hand_over(t, f, p->number, packet->flits, there);
  }
  answer(t, on, p, RECORD_ACK, packet->marked);
  return whole;
}

bool receiver_takes(transport *t, ripstop_agent_context *on, const packet_record *p, const ripstop_agent_packet *packet,
                    transport_message *there) {
  bool whole = false;
  if (packet->marked) heed(t, on, p);
  if (!packet->cut) whole = take_whole(t, on, p, packet, there);
  if (packet->cut) t->counts.trimmed++, answer(t, on, p, RECORD_NAK, packet->marked);
  if (t->puller) pulls_arrived(t, on, &t->flow[p->flow], p, packet->cut);
  return whole;
}
