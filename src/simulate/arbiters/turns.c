/* turns.c - a weighted round robin: the virtual channels of an output take turns, and each may send a number of packets
 * in its turn (as Reinemo, Skeie and Lysne describe InfiniBand's low-priority table).
 *
 * The rule. At each pick
 *   1. the channel of the present turn goes on if it requests and has packets of its turn left;
 *   2. else the turn ends, and the next channel that requests, cyclically, begins one with its full number of packets;
 *   3. among the queues of that channel the first after the one served last wins, cyclically.
 * The rest of a turn is lost when its channel stops requesting. A turn counts packets of any length. So channels that
 * always request are served in proportion to the numbers over whole rounds; within a round, large numbers make service
 * uneven. The arbiter `weighted` has the same proportions packet by packet.
 *
 * A channel with 0 packets is served when no other channel requests; the queues of such channels take turns packet by
 * packet. */
#include "ripstop/plugin/arbiter.h"
#include "simulate/arbiters/per_channel.h"

typedef struct turns_config {
  const char *packets;
} turns_config;

typedef struct turns {
  uint32_t channels;
  uint32_t sharing;       /* bits: channels with packets */
  uint32_t current, left; /* the channel of the present turn, and its packets left */
  uint32_t next_idle;     /* the queue after the one served last of the channels without packets */
  struct {
    uint32_t packets; /* in each turn */
    uint32_t next;    /* the queue after the one of this channel that was served last */
  } channel[];
} turns;

static int check(const void *config, uint32_t channels, ripstop_error *err) {
  const turns_config *given = config;
  uint64_t packets[RIPSTOP_CHANNELS_MAX];
  return ripstop_parse_by_channel("turns", "packet", given->packets, channels, packets, err);
}

static size_t state_size(const void *config, uint32_t channels) {
  (void)config;
  const turns *port = NULL;
  return sizeof *port + channels * sizeof port->channel[0];
}

static void init(const void *config, uint32_t channels, void *state) {
  const turns_config *given = config;
  turns *port = state;
  uint64_t packets[RIPSTOP_CHANNELS_MAX];
  ripstop_error unused; /* `check` has accepted the numbers */
  *port = (turns){.channels = channels, .current = channels - 1};
  if (ripstop_parse_by_channel("turns", "packet", given->packets, channels, packets, &unused) != 0) return;
  for (uint32_t c = 0; c < channels; c++) {
    port->channel[c].packets = (uint32_t)packets[c];
    port->channel[c].next = 0;
    if (packets[c] > 0) port->sharing |= 1u << c;
  }
}

/* Gives the turn to the next of these channels after the current one, cyclically. */
static void begin_turn(turns *port, uint32_t channels) {
  do port->current = (port->current + 1) % port->channels;
  while ((channels >> port->current & 1) == 0);
  port->left = port->channel[port->current].packets;
}

static uint32_t pick(const void *config, void *state, const ripstop_requests *requests) {
  (void)config;
  turns *port = state;
  const uint32_t all = ripstop_requested_channels(requests), requested = all & port->sharing;
  if (requested == 0) return ripstop_request_in_turn(requests, all, &port->next_idle);
  if (port->left == 0 || (requested >> port->current & 1) == 0) begin_turn(port, requested);
  port->left--;
  return ripstop_request_in_turn(requests, 1u << port->current, &port->channel[port->current].next);
}

static const ripstop_option options[] = {RIPSTOP_TEXT(turns_config, packets, NULL,
                                                      "packets in a row for each virtual channel, joined by slashes, "
                                                      "e.g. 1/35/54/10; 0: only when no other requests"),
                                         {0}};

const ripstop_arbiter ripstop_arbiter_turns = {
    .abi = RIPSTOP_ARBITER_ABI,
    .name = "turns",
    .summary = "serves the virtual channels in turns of so many packets each: a weighted round robin",
    .options = options,
    .config_size = sizeof(turns_config),
    .weighs = true,
    .check = check,
    .state_size = state_size,
    .init = init,
    .pick = pick,
};
