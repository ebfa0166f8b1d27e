/* shares.c - the proofs of many fault sets as values: shares of sets, with intervals. */
#include <math.h>

#include "prove/proof.h"

/* Clopper and Pearson's interval is no longer on one side than on the other; a value has one half width, the longer. */
static ripstop_value share_of(const char *name, uint64_t hits, uint64_t sets, const ripstop_many *many) {
  if (!sets) return (ripstop_value){name, "share", NAN, NAN};
  double share = (double)hits / (double)sets;
  if (many->kind != RIPSTOP_SETS_SAMPLED) return (ripstop_value){name, "share", share, NAN};
  ripstop_interval i = ripstop_clopper_pearson(hits, sets, many->confidence);
  return (ripstop_value){name, "share", share, fmax(share - i.low, i.high - share)};
}

size_t ripstop_tally_shares(const ripstop_many *many, const ripstop_tally *tally, ripstop_value *value) {
  const ripstop_counts_of_sets *all = &tally->all, *connected = &tally->connected;
  value[0] = (ripstop_value){"sets", "sets", (double)all->sets, NAN};
  value[1] = share_of("tolerated", all->tolerated, all->sets, many);
  value[2] = share_of("tolerated.connected", connected->tolerated, connected->sets, many);
  value[3] = share_of("not-tolerated", all->sets - all->tolerated, all->sets, many);
  value[4] = share_of("connected", connected->sets, all->sets, many);
  return 5;
}

/* Returns how many there are. */
static size_t add_transients(const ripstop_many *many, const ripstop_tally *tally, ripstop_value *value) {
  const ripstop_counts_of_sets *all = &tally->all, *connected = &tally->connected;
  value[0] = share_of("safe", all->safe, all->sets, many);
  value[1] = share_of("safe.connected", connected->safe, connected->sets, many);
  value[2] = share_of("deadlocked", all->deadlocked, all->sets, many);
  value[3] = share_of("deadlocked.connected", connected->deadlocked, connected->sets, many);
  value[4] = share_of("livelocked", all->livelocked, all->sets, many);
  return 5;
}

/* Shares of sets of the plan itself, without transient states. Returns how many there are. */
static size_t add_deadlocks(const ripstop_many *many, const ripstop_tally *tally, ripstop_value *value) {
  const ripstop_counts_of_sets *all = &tally->all, *connected = &tally->connected;
  value[0] = share_of("deadlock.possible", all->deadlocked, all->sets, many);
  value[1] = share_of("deadlock.possible.connected", connected->deadlocked, connected->sets, many);
  value[2] = share_of("deadlock.possible.tolerated", all->tolerated - all->safe, all->tolerated, many);
  value[3] = share_of("livelock.possible", all->livelocked, all->sets, many);
  return 4;
}

size_t ripstop_tally_waits(const ripstop_many *many, const ripstop_tally *tally, ripstop_value *value) {
  if (many->mixed) return add_transients(many, tally, value);
  return many->tolerance ? 0 : add_deadlocks(many, tally, value);
}
