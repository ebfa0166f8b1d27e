/* torture.c - every request for memory and every call to files of ripstop's commands is refused once.
 *
 * An ordeal is a command. It is done undisturbed first; then once for each call that it makes, with this call refused,
 * and once more for each, with this call and all later ones refused. A trial may end in two ways: it goes unnoticed,
 * and all is as without it (a hint to the system was refused, or a thread that others stand in for); or the exit code
 * is 3 and the message has the reason of the call that was refused. What the command wrote is as it was before, or
 * whole; of a store it may be a part, whose rows are those of an undisturbed run. Then the same command is done again,
 * and ends as if nothing had happened. There are no exceptions.
 *
 * usage: torture TRIALS [ORDEAL]: so many trials of each kind, spread over the calls, or 0 for every one. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "refuse.h"

int ripstop_main(int argc, char **argv); /* src/cli/main.c */

enum { WORDS = 16, HANG_SECONDS = 120 /* a machine may be busy with other things */, SHOWN = 30, STARTS_FAILED = 99 };

typedef struct ordeal {
  const char *name, *words[WORDS]; /* words of the command line, behind "ripstop" */
  const char *from, *to;           /* a file that must be there before, and a copy of what; NULL: nothing */
  const char *store, *file;        /* the command's output files, beside standard output; NULL: none */
  bool counts;                     /* standard output has the number of runs to do: less the second time */
  bool at_once;                    /* the store is as before, or as the command leaves it */
} ordeal;

static const ordeal ordeals[] = {
    {.name = "fabric", .words = {"fabric", "torus:3x3"}},
    {.name = "fabric-json", .words = {"fabric", "--json", "in-ring.edges"}},
    {.name = "faults", .words = {"faults", "flap:2,up=300,down=40,until=900", "--fabric", "torus:3x3"}},
    {.name = "faults-trace", .words = {"faults", "trace:in-outages.txt", "--fabric", "kary-ntree:k=2,n=2"}},
    {.name = "prove",
     .words = {"prove", "kary-ntree:k=2,n=2", "--method", "misroute", "--faults", "in-sets.txt", "--json", "--workers",
               "1"}},
    {.name = "prove-witness",
     .words = {"prove", "torus:3x3", "--method", "dor", "--witness", "w.txt", "--workers", "2"},
     .file = "w.txt"},
    {.name = "prove-samples",
     .words = {"prove", "kary-ntree:k=2,n=2", "--method", "updown", "--count", "1", "--samples", "30"}},
    {.name = "route", .words = {"route", "kary-ntree:k=2,n=2", "--method", "updown", "--entries", "--set", "0/0/2"}},
    {.name = "route-json",
     .words = {"route", "torus:3x2", "--method", "dor", "--entries", "--json", "-o", "t.json"},
     .file = "t.json"},
    {.name = "run", .words = {"run", "in-x.yaml", "--store", "s.db", "--workers", "1"}, .store = "s.db"},
    {.name = "run-on",
     .words = {"run", "in-x.yaml", "--store", "s.db", "--workers", "2"},
     .from = "keep-half.db",
     .to = "s.db",
     .store = "s.db"},
    {.name = "run-workers",
     .words = {"run", "in-x.yaml", "--store", "s.db", "--workers", "2", "--paranoid"},
     .store = "s.db"},
    {.name = "run-threads", .words = {"run", "in-wide.yaml", "--store", "w.db", "--threads", "2"}, .store = "w.db"},
    {.name = "run-program", .words = {"run", "in-program.yaml", "--store", "p.db", "--workers", "1"}, .store = "p.db"},
    {.name = "run-proofs", .words = {"run", "in-proofs.yaml", "--store", "p.db", "--workers", "1"}, .store = "p.db"},
    {.name = "report",
     .words = {"report", "in-x.yaml", "--store", "s.db", "-o", "page.html", "--csv", "csv"},
     .from = "keep-whole.db",
     .to = "s.db",
     .file = "page.html"},
    {.name = "claims",
     .words = {"claims", "in-x.yaml", "--store", "s.db", "--record", "record.json"},
     .from = "keep-whole.db",
     .to = "s.db",
     .file = "record.json"},
    {.name = "store-check", .words = {"store", "check", "s.db"}, .from = "keep-whole.db", .to = "s.db"},
    {.name = "store-merge",
     .words = {"store", "merge", "s.db", "keep-whole.db"},
     .from = "keep-half.db",
     .to = "s.db",
     .store = "s.db",
     .counts = true},
    {.name = "store-migrate",
     .words = {"store", "migrate", "s.db"},
     .from = "keep-older.db",
     .to = "s.db",
     .store = "s.db",
     .counts = true,
     .at_once = true},
    {.name = "store-export",
     .words = {"store", "export", "s.db", "-o", "export.csv"},
     .from = "keep-whole.db",
     .to = "s.db",
     .file = "export.csv"},
    {.name = "claims-record",
     .words = {"claims", "in-x.yaml", "--record", "old.json", "--markdown"},
     .from = "keep-whole.json",
     .to = "old.json",
     .file = "old.json"},
};
enum { ORDEALS = sizeof ordeals / sizeof *ordeals };

static refuse_report *report;

static _Noreturn void give_up(const char *what) {
  fprintf(stderr, "torture: %s: %s\n", what, strerror(errno));
  exit(STARTS_FAILED);
}

/* ------------------------------------------------------------------ inputs of the commands */

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file)) give_up(path);
}

static void write_inputs(void) {
  write_text("in-ring.edges", "a b\nb c\nc a\n");
  write_text("in-sets.txt", "# two\n0/0/2\n0/0/2 switch:1/0\n");
  write_text("in-outages.txt", "0/0/2 5 90\n");
  write_text("in-papers.yaml", "papers:\n  - {number: \"007\", key: nets, title: On Nets, source: \"A. Author, 1999\", "
                               "places: [Figure 1, Table 1]}\n");
  write_text("in-x.yaml", "title: Small\nfabric: kary-ntree:k=2,n=2\nmethod: [updown, misroute]\n"
                          "faults: {count: [0, 1], samples: 1}\ntraffic: {load: 0.4, packet: 4}\n"
                          "measure: {warmup: 50, cycles: 200, window: 50}\n"
                          "papers: in-papers.yaml\npaper: nets\nreading: as it stands\n"
                          "figures:\n  - {id: lost, x: faults.count, y: lost.share, by: method}\n"
                          "claims:\n  - {id: none, says: nothing is lost, place: Figure 1, figure: lost, "
                          "curve: {method: updown}, measure: {value: 0}, compare: at-most, published: 0}\n");
  write_text("in-wide.yaml", "title: Wide enough for two threads\nfabric: torus:16x16\n"
                             "method: minimal-adaptive:escape=bubble\ntraffic: {load: 0.1, packet: 4}\n"
                             "measure: {warmup: 0, cycles: 30, batches: 20}\n");
  write_text("in-program.yaml", "title: Program\nfabric: torus:2x2\nmethod: dor:dateline=on\n"
                                "program: {kernel: [\"fft:points=64\"]}\n");
  write_text("in-proofs.yaml", "title: Proofs\nfabric: kary-ntree:k=2,n=2\nmethod: misroute\n"
                               "faults: {count: 1}\nprove: {sets: 20}\n");
}

/* ------------------------------------------------------------------ a command in a process of its own */

static void send_to(int stream, const char *path) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0 || dup2(file, stream) < 0) exit(STARTS_FAILED);
  close(file);
}

/* Its status as waitpid has it. */
static int perform(const ordeal *o, refuse_kind kind, long number, bool for_ever) {
  char *words[WORDS + 1] = {(char *)"ripstop"};
  int count = 1;
  for (int i = 0; i < WORDS && o->words[i]; i++) words[count++] = (char *)o->words[i];
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    alarm(HANG_SECONDS);
    send_to(STDOUT_FILENO, ".out");
    send_to(STDERR_FILENO, ".err");
    refuse_begin(kind, number, for_ever);
    _exit(ripstop_main(count, words));
  }
  int status;
  if (waitpid(child, &status, 0) != child) give_up("waitpid");
  return status;
}

/* The whole file; "" when there is none. To be freed. */
static char *content(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 1);
  size_t length = 0;
  char part[65536];
  for (size_t got; file && (got = fread(part, 1, sizeof part, file)) > 0; length += got) {
    text = realloc(text, length + got + 1);
    memcpy(text + length, part, got);
    text[length + got] = '\0';
  }
  if (file) fclose(file);
  return text;
}

static void copy(const char *from, const char *to) {
  char part[65536];
  int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ssize_t got = 0;
  while (in >= 0 && out >= 0 && (got = read(in, part, sizeof part)) > 0)
    if (write(out, part, (size_t)got) != got) give_up(to);
  if (in < 0 || out < 0 || got < 0 || close(in) || close(out)) give_up(to);
}

/* True if an ordeal reads it: the name begins so. */
static bool is_kept(const char *name) { return !strncmp(name, "in-", 3) || !strncmp(name, "keep-", 5); }

static void empty_folder(const char *path, bool all) {
  DIR *folder = opendir(path);
  char name[5000];
  for (struct dirent *one; folder && (one = readdir(folder));) {
    if (!strcmp(one->d_name, ".") || !strcmp(one->d_name, "..") || (!all && is_kept(one->d_name))) continue;
    snprintf(name, sizeof name, "%s/%s", path, one->d_name);
    if (unlink(name) && errno == EISDIR) empty_folder(name, true), rmdir(name);
  }
  if (folder) closedir(folder);
}

/* ------------------------------------------------------------------ rows of a store */

static const char rows_of[] =
    "SELECT r.id, r.canonical, r.verdict, coalesce(r.reason, ''), r.faults,"
    " (SELECT group_concat(name || unit || coalesce(value, '') || '+-' || coalesce(half, ''))"
    "  FROM (SELECT * FROM numbers JOIN quantities USING (quantity) WHERE run = r.run ORDER BY position)),"
    " (SELECT group_concat(cycle || ' ' || generated || ' ' || injected || ' ' || delivered || ' ' || lost || ' ' ||"
    "  delivered_flits || ' ' || coalesce(latency, '')) FROM (SELECT * FROM windows WHERE run = r.run ORDER BY cycle)) "
    "FROM runs r ORDER BY r.id";

/* A line a run into the file "rows", in a process of its own, since SQLite does not outlive a fork. */
static void print_rows(const char *store) {
  sqlite3 *db;
  sqlite3_stmt *all;
  FILE *file = fopen("rows", "w");
  if (!file || sqlite3_open_v2(store, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(db, rows_of, -1, &all, NULL) != SQLITE_OK)
    exit(1);
  int code;
  while ((code = sqlite3_step(all)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(all); i++) {
      const char *text = (const char *)sqlite3_column_text(all, i);
      for (; text && *text; text++) putc(*text == '\n' ? ' ' : *text, file);
      putc('\t', file);
    }
    putc('\n', file);
  }
  exit(code != SQLITE_DONE || fclose(file));
}

/* The lines; NULL: the store cannot be read. */
static char *rows(const char *store) {
  if (access(store, F_OK)) return content("no such file");
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) print_rows(store);
  int status;
  if (waitpid(child, &status, 0) != child) give_up("waitpid");
  return status ? NULL : content("rows");
}

/* True if each line is one of the others, or an error that says there was no memory. */
static bool are_some_of(char *lines, const char *others) {
  for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
    if (!strstr(others, line) && !strstr(line, "\terror\tout of memory")) return false;
  return true;
}

/* ------------------------------------------------------------------ a trial */

typedef struct wanted {
  char *out, *file, *rows; /* results of the command, undisturbed */
  char *rows_before;
} wanted;

typedef struct tally {
  long calls, trials, told, unnoticed, crashed, hung, wrong;
} tally;

static tally sum;

static void clean_up(const ordeal *o) {
  empty_folder(".", false);
  if (o->from) copy(o->from, o->to);
}

static bool same_file(const char *path, const char *text) {
  char *is = content(path);
  bool same = !strcmp(is, text);
  free(is);
  return same;
}

static bool are_good(const ordeal *o, const wanted *w, char *now) {
  if (o->at_once) return !strcmp(now, w->rows) || !strcmp(now, w->rows_before);
  return are_some_of(now, w->rows);
}

/* The fault in the files after a command that was refused something; NULL: none. */
static const char *judge_files(const ordeal *o, const wanted *w, const char *before) {
  if (o->file && !same_file(o->file, w->file) && !same_file(o->file, before) && !strstr("w.txt t.json", o->file))
    return "the file is neither as before nor whole";
  if (!o->store) return NULL;
  char *now = rows(o->store);
  const char *wrong = !now ? "the store cannot be read" : are_good(o, w, now) ? NULL : "a wrong row is stored";
  free(now);
  return wrong;
}

static const char *judge_all_done(const ordeal *o, const wanted *w, bool again) {
  if (!(again && o->counts) && !same_file(".out", w->out)) return "another output";
  if (o->file && !same_file(o->file, w->file)) return "another file";
  char *now = o->store ? rows(o->store) : NULL;
  const char *wrong = o->store && (!now || strcmp(now, w->rows) != 0) ? "other rows" : NULL;
  free(now);
  return wrong;
}

static const char *reason(int number) { return number == ENOMEM ? "out of memory" : strerror(number); }

/* SQLite does not always say why it could not lock a file. */
static bool reports_of(const char *said, int number) {
  return strstr(said, reason(number)) || (number == ENOLCK && strstr(said, "locks do not work there"));
}

/* True if the message has the reason of a call that was refused. */
static bool reports_why(void) {
  char *said = content(".err");
  bool told = false;
  for (int i = 0; i < REFUSE_NUMBERS && report->number[i]; i++) told |= reports_of(said, report->number[i]);
  free(said);
  return told;
}

static const char *judge(const ordeal *o, const wanted *w, int status, const char *before, tally *t) {
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGALRM ? (t->hung++, "hangs") : (t->crashed++, "crashes");
  const char *wrong = NULL;
  if (WEXITSTATUS(status) == 0) {
    wrong = judge_all_done(o, w, false);
    t->unnoticed += !wrong;
  } else if (WEXITSTATUS(status) != 3 || !reports_why()) {
    wrong = "another code or reason";
  } else {
    wrong = judge_files(o, w, before);
    t->told += !wrong;
  }
  t->wrong += wrong != NULL;
  return wrong;
}

static void complain(const ordeal *o, long number, bool for_ever, int status, const char *what, const tally *t) {
  if (t->wrong + t->crashed + t->hung > SHOWN) return;
  char *said = content(".err");
  printf("%s: call %ld, %s (%s)%s: %s; status %x: %s\n", o->name, number, report->name, reason(report->number[0]),
         for_ever ? " and all later ones" : "", what, (unsigned)status, said);
  fflush(stdout);
  free(said);
}

/* False: there was no such call. */
static bool try_once(const ordeal *o, const wanted *w, refuse_kind kind, long number, bool for_ever, tally *t) {
  clean_up(o);
  char *before = o->file ? content(o->file) : NULL;
  int status = perform(o, kind, number, for_ever);
  bool refused = report->number[0] != 0;
  if (refused) {
    t->trials++;
    const char *wrong = judge(o, w, status, before, t);
    if (wrong) complain(o, number, for_ever, status, wrong, t);
    status = perform(o, kind, 0, false);
    wrong = status ? "fails afterwards" : judge_all_done(o, w, true);
    if (wrong) t->wrong++, complain(o, number, for_ever, status, wrong, t);
  }
  free(before);
  return refused;
}

static void try_all(const ordeal *o, const wanted *w, refuse_kind kind, bool for_ever, long trials, long calls) {
  static const char *const kinds[] = {[REFUSE_MEMORY] = "memory", [REFUSE_FILES] = "files"};
  tally t = {.calls = calls};
  long step = trials && calls > trials ? calls / trials : 1;
  for (long number = 1 + (step - 1) * (for_ever + kind) / 3; try_once(o, w, kind, number, for_ever, &t); number += step)
    ;
  printf("%-15s %-7s %-4s %7ld calls %7ld tried %7ld reported %7ld unnoticed %4ld wrong %4ld crashed %4ld hung\n",
         o->name, kinds[kind], for_ever ? "all" : "one", t.calls, t.trials, t.told, t.unnoticed, t.wrong, t.crashed,
         t.hung);
  fflush(stdout);
  sum.trials += t.trials, sum.told += t.told, sum.unnoticed += t.unnoticed;
  sum.wrong += t.wrong, sum.crashed += t.crashed, sum.hung += t.hung;
}

static void endure(const ordeal *o, long trials) {
  wanted w = {0};
  long calls[2];
  clean_up(o);
  if (o->at_once) w.rows_before = rows(o->store);
  for (int kind = REFUSE_MEMORY; kind <= REFUSE_FILES; kind++) {
    clean_up(o);
    if (perform(o, (refuse_kind)kind, 0, false) != 0) {
      printf("%s fails undisturbed: %s\n", o->name, content(".err"));
      sum.wrong++;
      return;
    }
    calls[kind] = report->calls;
  }
  w.out = content(".out");
  w.file = o->file ? content(o->file) : NULL;
  w.rows = o->store ? rows(o->store) : NULL;
  for (int kind = REFUSE_MEMORY; kind <= REFUSE_FILES; kind++)
    for (int for_ever = 0; for_ever < 2; for_ever++) try_all(o, &w, (refuse_kind)kind, for_ever, trials, calls[kind]);
  free(w.out), free(w.file), free(w.rows), free(w.rows_before);
}

/* Makes the inputs of some ordeals: stores, and a record. */
static void prepare(void) {
  static const ordeal first[] = {
      {.words = {"run", "in-x.yaml", "--store", "keep-whole.db"}},
      {.words = {"run", "in-x.yaml", "--store", "keep-half.db", "--set", "method=updown"}},
      {.words = {"claims", "in-x.yaml", "--store", "keep-whole.db", "--record", "keep-whole.json"}},
  };
  write_inputs();
  if (system("gunzip -c " RIPSTOP_SOURCE_DIR "/tests/data/stores/c846427f.db.gz >keep-older.db")) give_up("gunzip");
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    if (perform(&first[i], REFUSE_MEMORY, 0, false) != 0) {
      fprintf(stderr, "torture: %s\n", content(".err"));
      exit(STARTS_FAILED);
    }
}

int main(int argc, char **argv) {
  char *end = NULL, folder[4096];
  long trials = argc > 1 ? strtol(argv[1], &end, 10) : -1;
  if (argc > 3 || trials < 0 || *end) {
    fprintf(stderr, "usage: torture TRIALS [ORDEAL]\n");
    return 2;
  }
  const char *place = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/torture-XXXXXX", place ? place : "/tmp");
  if (!(report = refuse_open()) || !mkdtemp(folder) || chdir(folder)) give_up(folder);
  prepare();
  for (int i = 0; i < ORDEALS; i++)
    if (argc < 3 || !strcmp(argv[2], ordeals[i].name)) endure(&ordeals[i], trials);
  printf("%ld calls refused: %ld reported, %ld unnoticed, %ld wrong, %ld crashed, %ld hung\n", sum.trials, sum.told,
         sum.unnoticed, sum.wrong, sum.crashed, sum.hung);
  empty_folder(folder, true);
  if (chdir("/") || rmdir(folder)) give_up(folder);
  return sum.trials == 0 || sum.wrong + sum.crashed + sum.hung > 0;
}
