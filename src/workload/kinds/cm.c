/* cm.c - a connection matrix of htsim: flows that start at a time, or when others are done.
 *
 * A flow is a message. It is received when its last byte is at its destination. Its sender knows that by an
 * acknowledgement, an empty message back, which is no message of the job. A trigger starts flows of any rank in the
 * cycle of its last activation. */
#include "base/local.h"
#include "formats/traces/htsim_matrix.h"
#include "workload/tasks.h"
#include "workload/trace_file.h"

typedef struct config {
  ripstop_workload_file from; /* first */
  int32_t time;               /* htsim_unit */
} config;

static const char *const time_words[] = {
    [HTSIM_AUTO] = "auto", [HTSIM_PICOSECONDS] = "ps", [HTSIM_MICROSECONDS] = "us", NULL};

static const ripstop_option options[] = {
    RIPSTOP_WORKLOAD_FILE_OPTIONS("path of the connection matrix (.cm)"),
    {.name = "time",
     .type = RIPSTOP_OPTION_WORD,
     .offset = offsetof(config, time),
     .words = time_words,
     .fallback = "auto",
     .help = "the unit of starts: ps, or us as some versions of htsim write them; auto: ps, but numbers that look like "
             "microseconds are refused"},
    {0}};

/* The activations of a trigger, in the order of the file. */
typedef struct activations {
  ripstop_task *task; /* [fired] */
  uint32_t count;
  uint32_t next; /* flows that have their activation */
} activations;

static void activate(activations *all, uint32_t trigger, ripstop_task by) {
  all[trigger].task[all[trigger].count++] = by;
}

static void add_flow(ripstop_tasks *tasks, const htsim_flow *f, activations *all, ripstop_task *send) {
  const ripstop_message m = ripstop_tasks_message(tasks, f->source, f->destination, f->bytes);
  *send = m.send;
  ripstop_tasks_line(tasks, m.send, f->line);
  ripstop_tasks_line(tasks, m.receive, f->line);
  if (f->trigger == RIPSTOP_NONE && (f->start || f->more)) {
    const uint64_t cycles = tasks_cycles(tasks, f->start, f->more);
    ripstop_tasks_after(tasks, m.send, ripstop_tasks_wait(tasks, f->source, cycles));
  }
  if (f->recv_done != RIPSTOP_NONE) activate(all, f->recv_done, m.receive);
  if (f->send_done == RIPSTOP_NONE) return;
  const ripstop_message back = tasks_control(tasks, f->destination, f->source);
  ripstop_tasks_after(tasks, back.send, m.receive);
  activate(all, f->send_done, back.receive);
}

/* A flow of a multishot starts at the activation of its own number. Flows of other triggers start after all
 * activations: one task waits for these, and all flows for it. */
static void start(ripstop_tasks *tasks, const htsim_trigger *t, activations *by, ripstop_task send) {
  const bool each = t->shot == HTSIM_MULTISHOT;
  if (by->count == 0) return;
  if (!each && by->next++ == 0) {
    const ripstop_task all = ripstop_tasks_wait(tasks, tasks->task[send].rank, 0);
    for (uint32_t i = 0; i < by->count; i++) ripstop_tasks_after(tasks, all, by->task[i]);
    by->task[0] = all;
    by->count = 1;
  }
  for (uint32_t i = 0; i < by->count; i++) ripstop_tasks_after(tasks, send, by->task[i]);
  if (each) tasks_enough(tasks, send, ++by->next);
}

static void add_flows(ripstop_tasks *tasks, const htsim_matrix *m) {
  RIPSTOP_LOCAL_ARENA(scratch);
  activations *all = RIPSTOP_ARRAY(scratch, m->triggers + 1, activations);
  ripstop_task *send = RIPSTOP_ARRAY(scratch, m->flows + 1, ripstop_task);
  for (uint32_t i = 0; i < m->triggers; i++)
    all[i].task = RIPSTOP_ARRAY(scratch, m->trigger[i].fired + 1, ripstop_task);
  for (uint32_t i = 0; i < m->flows; i++) add_flow(tasks, &m->flow[i], all, &send[i]);
  for (uint32_t i = 0; i < m->flows; i++) {
    const uint32_t trigger = m->flow[i].trigger;
    if (trigger != RIPSTOP_NONE) start(tasks, &m->trigger[trigger], &all[trigger], send[i]);
  }
}

/* Each flow of a multishot comes after each of its activations. */
static int check_multishots(const htsim_matrix *m, ripstop_error *err) {
  enum { MOST = 1 << 29 }; /* orders: some 6 GB */
  uint64_t orders = 0;
  for (uint32_t i = 0; i < m->triggers; i++) {
    const htsim_trigger *t = &m->trigger[i];
    if (t->shot == HTSIM_MULTISHOT) orders += (uint64_t)t->fired * t->waiting;
    if (orders > MOST)
      return ripstop_fail(err,
                          "%s: line %u: trigger %u: %u activations times %u flows are too many for a multishot, whose "
                          "products may be %d in all",
                          HTSIM_MATRIX, t->line, t->id, t->fired, t->waiting, MOST);
  }
  return 0;
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *c = config_;
  RIPSTOP_LOCAL_ARENA(scratch);
  const char *text;
  size_t length;
  htsim_matrix m;
  if (trace_file_read(scratch, c->from.path, "cm", &text, &length, err)) return -1;
  if (ripstop_htsim_matrix_read(&m, scratch, text, length, (htsim_unit)c->time, err)) return -1;
  if (check_multishots(&m, err) || ripstop_tasks_need(tasks, m.nodes, err)) return -1;
  add_flows(tasks, &m);
  return 0;
}

const ripstop_workload ripstop_workload_cm = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "cm",
    .summary = "a connection matrix of htsim: flows that start at a time or when others are done",
    .options = options,
    .config_size = sizeof(config),
    .build = build,
};
