/* ranks.c - finds out whether this process is one of several, loads MPI then, and brings the ranks together: the same
 * files and the same runs for all, or one line that says who differs. */
#include "campaign/ranks.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/local.h"
#include "base/memory.h"
#include "campaign/pack.h"

/* ------------------------------------------------------------------ launchers */

/* Launchers that start several processes. Each process finds its rank and their number in its environment. */
static const struct starter {
  const char *name, *size, *rank;
  const char *trace; /* is there if they can find each other: srun may start processes without PMIx */
} starters[] = {
    {"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"mpiexec", "PMI_SIZE", "PMI_RANK", "PMI_RANK"},
    {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "PMIX_RANK"},
};
static const char blind[] = "do not see each other (another MPI's mpirun, or srun without --mpi=pmix)";

/* A variable's number; 0: it is not there, or no number. */
static long number_in(const char *variable) {
  const char *text = getenv(variable);
  return text ? strtol(text, NULL, 10) : 0;
}

/* NULL: this process is alone. */
static const struct starter *find_starter(void) {
  for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
    if (getenv(starters[i].size)) return number_in(starters[i].size) > 1 ? &starters[i] : NULL;
  return NULL;
}

static void fail_once(const struct starter *by, ripstop_error *err, const char *why) {
  err->text[0] = 0;
  if (number_in(by->rank) == 0)
    ripstop_fail(err, "%s has started %ld processes, which %s; start one, or parts with --shard", by->name,
                 number_in(by->size), why);
}

int ripstop_ranks_none(const char *command, ripstop_error *err) {
  const struct starter *by = find_starter();
  err->text[0] = 0;
  if (by && number_in(by->rank) == 0)
    ripstop_fail(err, "%s has started %ld processes, and %s is for one", by->name, number_in(by->size), command);
  return by ? -1 : 0;
}

/* ------------------------------------------------------------------ the module */

#ifndef RIPSTOP_NET_FOLDERS /* cmake/mpi.cmake: a build without the module looks for none */
#define RIPSTOP_NET_FOLDERS
#endif

/* Folders that may have the module, each with its final slash; "" last: the loader's own search path. */
static const char *const folders[] = {RIPSTOP_NET_FOLDERS ""};

/* Opens the module, or NULL and the loader's reason. A module that is there and cannot be loaded ends the search. */
static void *open_module(char *why, size_t room) {
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    snprintf(path, sizeof path, "%s%s", folders[i], RIPSTOP_NET_MODULE);
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI's own modules look for MPI's names */
    snprintf(why, room, "%s", module ? "it is another file of this name" : dlerror());
    if (module) return module;
    if (!strstr(why, RIPSTOP_NET_MODULE)) break;
  }
  return NULL;
}

static int load(ripstop_ranks *r, char *why, size_t room) {
  char said[300];
  r->module = open_module(said, sizeof said);
  r->net = r->module ? dlsym(r->module, RIPSTOP_NET_SYMBOL) : NULL;
  if (!r->net)
    snprintf(why, room, "cannot work together without MPI (%s)", said);
  else if (r->net->abi != RIPSTOP_NET_ABI)
    snprintf(why, room, "cannot work together: %s is another version's", RIPSTOP_NET_MODULE);
  else
    return 0;
  return -1;
}

static int join(ripstop_ranks *r, const struct starter *by, char *why, size_t room) {
  bool trace = getenv(by->trace) != NULL;
  if (trace && (load(r, why, room) || !r->net->open(&r->at, why, room))) return -1;
  if (trace && r->at.ranks > 1) return 0;
  if (trace) r->net->close();
  snprintf(why, room, "%s", blind);
  return -1;
}

int ripstop_ranks_open(ripstop_ranks **out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  char why[400];
  const struct starter *by = find_starter();
  *out = NULL;
  if (!by) return 0;
  ripstop_ranks *r = ripstop_realloc(NULL, 1, sizeof *r);
  *r = (ripstop_ranks){0};
  if (join(r, by, why, sizeof why)) {
    fail_once(by, err, why);
    ripstop_free(r);
    return -1;
  }
  r->under_way = ripstop_realloc(NULL, r->at.ranks, sizeof *r->under_way);
  memset(r->under_way, 0, r->at.ranks * sizeof *r->under_way);
  pthread_mutex_init(&r->lock, NULL);
  *out = r;
  return 0;
}

unsigned ripstop_ranks_own(const ripstop_ranks *ranks) { return ranks->at.rank; }

unsigned ripstop_ranks_count(const ripstop_ranks *ranks) { return ranks->at.ranks; }

unsigned ranks_busy(const ripstop_ranks *ranks) {
  unsigned busy = ranks->own_work;
  for (unsigned i = 0; i < ranks->at.ranks; i++) busy += ranks->under_way[i] > 0;
  return busy;
}

unsigned ripstop_ranks_share(const ripstop_ranks *ranks) {
  unsigned share = ranks->at.processors / ranks->at.neighbours;
  return share ? share : 1;
}

unsigned ranks_threads(const ripstop_ranks *r, unsigned wished) {
  unsigned threads = wished ? wished : ripstop_ranks_share(r);
  bool room = r->at.neighbours * threads <= r->at.processors;
  return r->at.rank == 0 && !room ? threads - 1 : threads;
}

/* ------------------------------------------------------------------ messages */

static bool is_over(ripstop_ranks *r, ripstop_net_passage passage) {
  pthread_mutex_lock(&r->lock);
  bool over = r->net->over(passage);
  pthread_mutex_unlock(&r->lock);
  return over;
}

static void wait_for(ripstop_ranks *r, ripstop_net_passage passage) {
  for (ranks_nap nap = {0}; !is_over(r, passage); ranks_sleep(&nap)) continue;
}

void ranks_send(ripstop_ranks *r, unsigned to, int tag, const ripstop_text *message) {
  pthread_mutex_lock(&r->lock);
  ripstop_net_passage passage = r->net->send(to, tag, message->data, message->length);
  pthread_mutex_unlock(&r->lock);
  wait_for(r, passage);
}

bool ranks_receive(ripstop_ranks *r, int tag, unsigned *from, ripstop_text *out) {
  size_t length;
  pthread_mutex_lock(&r->lock);
  bool there = r->net->look(tag, from, &length);
  pthread_mutex_unlock(&r->lock);
  if (!there) return false;
  out->data = ripstop_realloc(NULL, length + 1, 1);
  out->capacity = length + 1;
  pthread_mutex_lock(&r->lock);
  ripstop_net_passage passage = r->net->take(*from, tag, out->data, length);
  pthread_mutex_unlock(&r->lock);
  wait_for(r, passage);
  out->data[out->length = length] = 0;
  return true;
}

void ranks_sleep(ranks_nap *nap) {
  enum { SHORTEST = 20000, LONGEST = 1000000 };
  nap->nanoseconds = nap->nanoseconds ? 2 * nap->nanoseconds : SHORTEST;
  if (nap->nanoseconds > LONGEST) nap->nanoseconds = LONGEST;
  nanosleep(&(struct timespec){.tv_nsec = nap->nanoseconds}, NULL);
}

bool ranks_wait(ripstop_ranks *r, int tag, const atomic_int *stop, unsigned *from, ripstop_text *out) {
  for (ranks_nap nap = {0}; !ranks_receive(r, tag, from, out); ranks_sleep(&nap))
    if (ripstop_stopped(stop)) return false;
  return true;
}

/* Rank 0 to all others. */
static void report_all(ripstop_ranks *r, const ripstop_text *message) {
  for (unsigned to = 1; to < r->at.ranks; to++) ranks_send(r, to, TAG_MEETING, message);
}

/* ------------------------------------------------------------------ the same files */

void ripstop_ranks_enter(ripstop_ranks *ranks) {
  if (ranks->at.rank > 0) ripstop_guard_course(&(ripstop_course){.files = &ranks->files});
}

/* Below this call rank 0 records the files that it reads. */
static void record_files(ripstop_ranks *ranks) {
  ripstop_text_begin(&ranks->files.content);
  ripstop_guard_course(&(ripstop_course){.files = &ranks->files});
}

/* Rank 0 says whether there is something to do, and sends the files that it has read; the others wait for them, and
 * read no others. Returns whether there is something to do. The first message is empty where there is not; the record
 * may be empty too. */
static bool begin(ripstop_ranks *ranks, bool work) {
  unsigned from;
  RIPSTOP_LOCAL_TEXT(go);
  if (ranks->at.rank == 0) {
    if (work) ripstop_text_add(&go, "!");
    report_all(ranks, &go);
    if (work) report_all(ranks, &ranks->files.content);
  } else {
    ranks_wait(ranks, TAG_MEETING, NULL, &from, &go);
    work = go.length > 0;
    if (work) ranks_wait(ranks, TAG_MEETING, NULL, &from, &ranks->files.content);
    ranks->files.complete = true;
  }
  return work;
}

/* ------------------------------------------------------------------ the same work */

static void greet(ripstop_ranks *r, const char *has, const char *failed) {
  RIPSTOP_LOCAL_TEXT(message);
  pack_text(&message, r->at.host);
  pack_text(&message, has);
  pack_text(&message, failed);
  ranks_send(r, 0, TAG_MEETING, &message);
}

/* Reports the first difference. */
static void compare(const ripstop_ranks *r, unsigned from, const ripstop_text *greeting, const char *has,
                    ripstop_arena *scratch, ripstop_error *err) {
  unpacking u = unpack(greeting);
  const char *host = unpack_text(&u, scratch), *others = unpack_text(&u, scratch), *failed = unpack_text(&u, scratch);
  if (err->text[0] || (others && has && !strcmp(others, has))) return;
  if (failed)
    ripstop_fail(err, "rank %u on %s: %s", from, host, failed);
  else
    ripstop_fail(err, "rank %u on %s has %s; rank 0 on %s has %s: program and command line must be the same", from,
                 host, others, r->at.host, has);
}

static int meet_all(ripstop_ranks *r, const char *has, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  err->text[0] = 0;
  for (unsigned i = 1; i < r->at.ranks; i++) {
    RIPSTOP_LOCAL_TEXT(greeting);
    unsigned from;
    ranks_wait(r, TAG_MEETING, NULL, &from, &greeting);
    compare(r, from, &greeting, has, scratch, err);
  }
  return err->text[0] ? -1 : 0;
}

/* `has`: NULL where this rank could not read what all read. Rank 0 answers with a byte if all agree. */
static int agree(ripstop_ranks *ranks, const char *has, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(answer);
  unsigned from;
  int status;
  if (ranks->at.rank == 0) {
    status = meet_all(ranks, has, err);
    if (!status) ripstop_text_add(&answer, "!");
    report_all(ranks, &answer);
  } else {
    greet(ranks, has, has ? NULL : err->text);
    ranks_wait(ranks, TAG_MEETING, NULL, &from, &answer);
    status = answer.length ? 0 : -1;
    err->text[0] = 0;
  }
  return status;
}

int ripstop_ranks_join(ripstop_ranks *ranks, const ripstop_joint *joint, unsigned rounds, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const bool first = ranks->at.rank == 0;
  ripstop_text has = {0};
  if (first) record_files(ranks);
  int bad = first ? joint->read(joint->context, true, err) : 0;
  if (!first) err->text[0] = 0;
  if (!begin(ranks, !bad)) return -1;
  ripstop_ranks_enter(ranks);
  if (!first) bad = joint->read(joint->context, false, err);
  if (!bad) joint->describe(joint->context, &has);
  const int status = agree(ranks, has.data, err);
  if (!status) ranks->rounds = rounds;
  ripstop_text_free(&has);
  return status;
}

/* ------------------------------------------------------------------ gathering */

/* MPI's own end waits busily, and rank 0 may have long tables to make: the others wait here for it. */
static void part(ripstop_ranks *r) {
  RIPSTOP_LOCAL_TEXT(goodbye);
  unsigned from;
  if (r->at.rank == 0)
    report_all(r, &goodbye);
  else
    ranks_wait(r, TAG_MEETING, NULL, &from, &goodbye);
}

void ripstop_ranks_end(ripstop_ranks *ranks, int status) {
  if (!ranks) return;
  if (ranks->rounds) ranks->net->end_all(status);
  part(ranks);
  ranks->net->close();
  pthread_mutex_destroy(&ranks->lock);
  ripstop_text_free(&ranks->files.content);
  ripstop_free(ranks->under_way);
  ripstop_free(ranks->waiting);
  ripstop_free(ranks);
}

void ranks_end_round(ripstop_ranks *r) {
  r->round++;
  r->rounds--;
}

static int gather_all(ripstop_ranks *r, const ripstop_text *own, const atomic_int *stop,
                      int (*each)(void *context, unsigned rank, const ripstop_text *bytes), void *context) {
  int status = each(context, 0, own);
  for (unsigned i = 1; i < r->at.ranks && !status; i++) {
    ripstop_text bytes = {0};
    unsigned from;
    status = ranks_wait(r, tag_of_round(r), stop, &from, &bytes) ? each(context, from, &bytes) : -1;
    ripstop_text_free(&bytes);
  }
  return status;
}

int ripstop_ranks_gather(ripstop_ranks *ranks, const ripstop_text *own, const atomic_int *stop,
                         int (*each)(void *context, unsigned rank, const ripstop_text *bytes), void *context) {
  RIPSTOP_GUARD(NULL, -1);
  int status = 0;
  if (ranks->at.rank == 0)
    status = gather_all(ranks, own, stop, each, context);
  else
    ranks_send(ranks, 0, tag_of_round(ranks), own);
  if (!status) ranks_end_round(ranks);
  return status ? -1 : 0;
}
