/* weighted.c - an output divides its bandwidth among the virtual channels by shares, as the arbitration tables of
 * InfiniBand do: packet by packet and work-conserving.
 *
 * The rule. Every channel has a lead: how far, in flits per share, it has been served ahead of an ideal division of the
 * link flit by flit. At each pick
 *   1. the requesting channel with the smallest lead wins (the lower number of two that are equal);
 *   2. all leads are reduced by the winner's; those of channels that do not request stop at zero;
 *   3. the winner's lead grows by the length of its packet divided by its share.
 * Among the queues of the winning channel the first after the one served last wins, cyclically.
 *
 * This is start-time fair queueing (Goyal, Vin, Cheng: IEEE/ACM Trans. Networking 5(5), 1997) relative to its virtual
 * clock. Like a deficit round robin it needs no clock of the network, but its error does not grow with the number of
 * rounds: while channels i and j both request at every pick, the flits served to them satisfy
 *   | flits_i / share_i - flits_j / share_j | <= longest_i / share_i + longest_j / share_j
 * over any interval and for any packet lengths. A channel that does not request leaves its part to those that do, in
 * proportion to their shares, so the division is max-min fair. It saves nothing up (step 2 stops at zero), but its lead
 * stays until the others have caught up. Otherwise a channel with a small share that sends single packets, without a
 * request between two of them, would start each time without debt and get far more than its share. For the same reason
 * only picks count as time: the arbiter does not know whether the link idled between two of them, and keeps all leads.
 *
 * A channel with share 0 is served when no channel with a share requests; the queues of such channels take turns packet
 * by packet.
 *
 * Leads are integers in units of 1 / scale flits per share, with scale the least common multiple of the shares: nothing
 * is ever rounded. Invariant: a channel's lead is at most that of its last packet alone, longest packet / share. */
#include "base/divisor.h"
#include "ripstop/plugin/arbiter.h"
#include "simulate/arbiters/per_channel.h"

#define SCALE_MAX (UINT64_C(1) << 40) /* with packets of less than 2^16 flits leads stay below 2^56 */

typedef struct weighted_config {
  const char *shares;
} weighted_config;

/* One virtual channel at one output port. */
typedef struct weighted_channel {
  uint64_t lead;
  uint64_t step; /* by which a flit increases the lead: scale / share; 0 for share 0 */
  uint32_t next; /* the queue after the one of this channel served last */
} weighted_channel;

typedef struct weighted {
  uint32_t channels;
  uint32_t sharing; /* bits: channels with a share */
  uint32_t next;    /* the queue after the one served last without a share */
  weighted_channel channel[];
} weighted;

/* The least common multiple of the shares that are not 0. */
static int find_scale(const char *text, uint32_t channels, const uint64_t *share, uint64_t *scale, ripstop_error *err) {
  *scale = 1;
  for (uint32_t c = 0; c < channels; c++) {
    if (share[c] > 0) *scale = *scale / ripstop_common_divisor(*scale, share[c]) * share[c];
    if (*scale > SCALE_MAX)
      return ripstop_fail(err, "arbiter weighted: shares=%s have no common multiple below 2^40; take rounder ones",
                          text);
  }
  return 0;
}

static int parse_shares(const char *text, uint32_t channels, uint64_t *share, uint64_t *scale, ripstop_error *err) {
  if (ripstop_parse_by_channel("weighted", "share", text, channels, share, err)) return -1;
  return find_scale(text, channels, share, scale, err);
}

static int check(const void *config, uint32_t channels, ripstop_error *err) {
  const weighted_config *given = config;
  uint64_t share[RIPSTOP_CHANNELS_MAX], scale;
  return parse_shares(given->shares, channels, share, &scale, err);
}

static size_t state_size(const void *config, uint32_t channels) {
  (void)config;
  return sizeof(weighted) + channels * sizeof(weighted_channel);
}

static void init(const void *config, uint32_t channels, void *state) {
  const weighted_config *given = config;
  weighted *port = state;
  uint64_t share[RIPSTOP_CHANNELS_MAX], scale;
  ripstop_error unused; /* `check` has accepted the shares */
  *port = (weighted){.channels = channels};
  if (parse_shares(given->shares, channels, share, &scale, &unused) != 0) return;
  for (uint32_t c = 0; c < channels; c++) {
    port->channel[c] = (weighted_channel){.step = share[c] > 0 ? scale / share[c] : 0};
    if (share[c] > 0) port->sharing |= 1u << c;
  }
}

/* The channel with the smallest lead among `requested`, which is not empty. */
static uint32_t least_ahead(const weighted *port, uint32_t requested) {
  uint32_t least = ripstop_ctz64(requested);
  for (uint32_t c = least + 1; c < port->channels; c++)
    if ((requested >> c & 1) != 0 && port->channel[c].lead < port->channel[least].lead) least = c;
  return least;
}

/* The ideal division has caught up with the channel of smallest lead. */
static void catch_up(weighted *port, uint64_t lead) {
  for (uint32_t c = 0; c < port->channels; c++) {
    weighted_channel *channel = &port->channel[c];
    channel->lead = channel->lead > lead ? channel->lead - lead : 0;
  }
}

static uint32_t pick(const void *config, void *state, const ripstop_requests *requests) {
  (void)config;
  weighted *port = state;
  uint32_t requested = ripstop_requested_channels(requests);
  if ((requested & port->sharing) == 0) return ripstop_request_in_turn(requests, requested, &port->next);

  uint32_t winner = least_ahead(port, requested & port->sharing);
  weighted_channel *channel = &port->channel[winner];
  uint32_t queue = ripstop_request_in_turn(requests, 1u << winner, &channel->next);
  catch_up(port, channel->lead);
  channel->lead = requests->flits[queue] * channel->step;
  return queue;
}

static const ripstop_option options[] = {
    RIPSTOP_TEXT(
        weighted_config, shares, NULL,
        "a whole number per virtual channel, joined by slashes, e.g. 1/35/54/10; 0: only when no other requests"),
    {0}};

const ripstop_arbiter ripstop_arbiter_weighted = {
    .abi = RIPSTOP_ARBITER_ABI,
    .name = "weighted",
    .summary = "divides a link among its virtual channels by shares, packet by packet, work-conserving",
    .options = options,
    .config_size = sizeof(weighted_config),
    .weighs = true,
    .check = check,
    .state_size = state_size,
    .init = init,
    .pick = pick,
};
