/* refuse.c - the calls of the C library that can be refused, in the place of its own.
 *
 * The program's definitions come before those of any shared library, so SQLite and libyaml are served by these too.
 * Streams read and write inside of the C library, where no definition can intervene: fopen gives a stream over the
 * calls below (fopencookie), and so is standard output from refuse_begin on. */
#define _GNU_SOURCE
#include "refuse.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static refuse_report *report;
static atomic_bool counting;
static refuse_kind counted;
static atomic_long calls;
static long refused;
static bool all_later;
/* True if this thread runs the program's own functions. Memory that the C library, or a sanitizer, takes to start a
 * thread is not the program's: a sanitizer aborts when that is refused. */
static _Thread_local bool ours;

refuse_report *refuse_open(void) {
  report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return report == MAP_FAILED ? NULL : report;
}

static void note(int number) {
  for (int i = 0; i < REFUSE_NUMBERS; i++) {
    if (!report->number[i]) report->number[i] = number;
    if (report->number[i] == number) return;
  }
}

/* True if this call is the one to refuse; errno is set then. */
static bool refuse(refuse_kind kind, const char *name, int number) {
  if (!ours || !atomic_load_explicit(&counting, memory_order_relaxed) || kind != counted) return false;
  long call = atomic_fetch_add(&calls, 1) + 1;
  report->calls = call;
  if (!refused || (all_later ? call < refused : call != refused)) return false;
  if (!report->number[0]) strncpy(report->name, name, sizeof report->name - 1);
  note(number);
  errno = number;
  return true;
}

/* ------------------------------------------------------------------ memory */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* gcc says it so, clang so: */
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#ifdef SANITIZED
#define HEAP(name) __interceptor_##name
#else
#define HEAP(name) __libc_##name
#endif
void *HEAP(malloc)(size_t bytes);
void *HEAP(calloc)(size_t count, size_t size);
void *HEAP(realloc)(void *memory, size_t bytes);
void *HEAP(memalign)(size_t alignment, size_t bytes);

void *malloc(size_t bytes) { return refuse(REFUSE_MEMORY, "malloc", ENOMEM) ? NULL : HEAP(malloc)(bytes); }
void *calloc(size_t count, size_t size) {
  return refuse(REFUSE_MEMORY, "calloc", ENOMEM) ? NULL : HEAP(calloc)(count, size);
}
void *realloc(void *memory, size_t bytes) {
  return refuse(REFUSE_MEMORY, "realloc", ENOMEM) ? NULL : HEAP(realloc)(memory, bytes);
}
void *memalign(size_t alignment, size_t bytes);
void *memalign(size_t alignment, size_t bytes) {
  return refuse(REFUSE_MEMORY, "memalign", ENOMEM) ? NULL : HEAP(memalign)(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **out, size_t alignment, size_t bytes) {
  *out = memalign(alignment, bytes);
  return *out ? 0 : ENOMEM;
}

/* ------------------------------------------------------------------ files */

/* The C library's own. */
#define REAL(type, name, ...)                              \
  static type (*real)(__VA_ARGS__);                        \
  if (!real) {                                             \
    void *found = dlsym(RTLD_NEXT, name);                  \
    memcpy(&real, &found, sizeof found); /* POSIX idiom */ \
  }

/* A sanitizer calls this at a long jump, and aborts when its memory is refused. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes) {
  REAL(int, "pthread_getattr_np", pthread_t, pthread_attr_t *)
  const bool before = ours;
  ours = false;
  int status = real(thread, attributes);
  ours = before;
  return status;
}

/* A call, and its twin for large files under another name. */
#define CALL(type, failure, number, name, parameters, arguments, ...)      \
  type name parameters;                                                    \
  type name parameters {                                                   \
    REAL(type, #name, __VA_ARGS__)                                         \
    return refuse(REFUSE_FILES, #name, number) ? failure : real arguments; \
  }

CALL(ssize_t, -1, EIO, read, (int f, void *p, size_t n), (f, p, n), int, void *, size_t)
CALL(ssize_t, -1, EIO, pread, (int f, void *p, size_t n, off_t at), (f, p, n, at), int, void *, size_t, off_t)
CALL(ssize_t, -1, EIO, pread64, (int f, void *p, size_t n, off_t at), (f, p, n, at), int, void *, size_t, off_t)
CALL(ssize_t, -1, ENOSPC, write, (int f, const void *p, size_t n), (f, p, n), int, const void *, size_t)
CALL(ssize_t, -1, ENOSPC, pwrite, (int f, const void *p, size_t n, off_t at), (f, p, n, at), int, const void *, size_t,
     off_t)
CALL(ssize_t, -1, ENOSPC, pwrite64, (int f, const void *p, size_t n, off_t at), (f, p, n, at), int, const void *,
     size_t, off_t)
CALL(int, -1, ENOSPC, ftruncate, (int f, off_t n), (f, n), int, off_t)
CALL(int, -1, ENOSPC, ftruncate64, (int f, off_t n), (f, n), int, off_t)
CALL(off_t, -1, EIO, lseek, (int f, off_t at, int from), (f, at, from), int, off_t, int)
CALL(off_t, -1, EIO, lseek64, (int f, off_t at, int from), (f, at, from), int, off_t, int)
CALL(int, -1, EIO, stat, (const char *path, struct stat *s), (path, s), const char *, struct stat *)
CALL(int, -1, EIO, stat64, (const char *path, struct stat64 *s), (path, s), const char *, struct stat64 *)
CALL(int, -1, EIO, lstat, (const char *path, struct stat *s), (path, s), const char *, struct stat *)
CALL(int, -1, EIO, lstat64, (const char *path, struct stat64 *s), (path, s), const char *, struct stat64 *)
CALL(int, -1, EIO, fstat, (int f, struct stat *s), (f, s), int, struct stat *)
CALL(int, -1, EIO, fstat64, (int f, struct stat64 *s), (f, s), int, struct stat64 *)
CALL(int, -1, EIO, access, (const char *path, int mode), (path, mode), const char *, int)
CALL(int, -1, EIO, unlink, (const char *path), (path), const char *)
CALL(int, -1, EIO, remove, (const char *path), (path), const char *)
CALL(int, -1, ENOSPC, link, (const char *from, const char *to), (from, to), const char *, const char *)
CALL(int, -1, ENOSPC, rename, (const char *from, const char *to), (from, to), const char *, const char *)
CALL(int, -1, ENOSPC, mkdir, (const char *path, mode_t mode), (path, mode), const char *, mode_t)
CALL(DIR *, NULL, EMFILE, opendir, (const char *path), (path), const char *)
CALL(FILE *, NULL, EMFILE, tmpfile, (void), (), void)
CALL(FILE *, NULL, EMFILE, tmpfile64, (void), (), void)

/* Nothing has to survive a power cut here. */
static int sync_file(const char *name) { return refuse(REFUSE_FILES, name, EIO) ? -1 : 0; }
int fsync(int file) { return (void)file, sync_file("fsync"); }
int fdatasync(int file) { return (void)file, sync_file("fdatasync"); }

/* Closed it is all the same. */
int close(int file) {
  REAL(int, "close", int)
  bool failed = refuse(REFUSE_FILES, "close", EIO);
  int status = real(file);
  if (failed) errno = EIO;
  return failed ? -1 : status;
}

/* A second try at the same file, in another mode, is refused too: SQLite makes one, and reports its errno as the
 * reason. */
static bool refuse_open_of(const char *path) {
  static char last[PATH_MAX];
  static long at;
  bool again = at && at == atomic_load(&calls) && !strcmp(path, last);
  if (again || !refuse(REFUSE_FILES, "open", EMFILE)) return again ? errno = EMFILE, true : false;
  at = atomic_load(&calls);
  strncpy(last, path, sizeof last - 1);
  return true;
}

static int open_file(const char *path, int flags, mode_t mode) {
  REAL(int, "open64", const char *, int, ...)
  return refuse_open_of(path) ? -1 : real(path, flags, mode);
}

static mode_t mode_after(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; }

#define OPEN(name)                                              \
  int name(const char *path, int flags, ...);                   \
  int name(const char *path, int flags, ...) {                  \
    va_list list;                                               \
    va_start(list, flags);                                      \
    int file = open_file(path, flags, mode_after(flags, list)); \
    va_end(list);                                               \
    return file;                                                \
  }
OPEN(open)
OPEN(open64)

/* Locks, which SQLite takes. It waits for one that is not given, however often: so none but the first is refused. */
static bool refuse_once(const char *name) {
  bool later = all_later;
  all_later = false;
  bool refused_it = refuse(REFUSE_FILES, name, ENOLCK);
  all_later = later;
  return refused_it;
}

#define FCNTL(name)                                                                 \
  int name(int file, int what, ...);                                                \
  int name(int file, int what, ...) {                                               \
    REAL(int, #name, int, int, ...)                                                 \
    va_list list;                                                                   \
    va_start(list, what);                                                           \
    void *argument = va_arg(list, void *);                                          \
    va_end(list);                                                                   \
    return what == F_SETLK && refuse_once(#name) ? -1 : real(file, what, argument); \
  }
FCNTL(fcntl)
FCNTL(fcntl64)

static void *map(void *at, size_t bytes, int rights, int flags, int file, off_t from) {
  REAL(void *, "mmap64", void *, size_t, int, int, int, off_t)
  return refuse(REFUSE_MEMORY, "mmap", ENOMEM) ? MAP_FAILED : real(at, bytes, rights, flags, file, from);
}
void *mmap(void *at, size_t bytes, int rights, int flags, int file, off_t from) {
  return map(at, bytes, rights, flags, file, from);
}
void *mmap64(void *at, size_t bytes, int rights, int flags, int file, off_t from) {
  return map(at, bytes, rights, flags, file, from);
}

/* ------------------------------------------------------------------ streams */

static ssize_t stream_read(void *cookie, char *bytes, size_t length) {
  return read((int)(intptr_t)cookie, bytes, length);
}

/* 0, not -1, is what the C library wants when it fails. */
static ssize_t stream_write(void *cookie, const char *bytes, size_t length) {
  ssize_t written = write((int)(intptr_t)cookie, bytes, length);
  return written < 0 ? 0 : written;
}

static int stream_close(void *cookie) { return close((int)(intptr_t)cookie); }

static FILE *stream_over(int file, const char *mode) {
  const cookie_io_functions_t calls_of_file = {.read = stream_read, .write = stream_write, .close = stream_close};
  return fopencookie((void *)(intptr_t)file, mode, calls_of_file); /* NOLINT(performance-no-int-to-ptr) */
}

static FILE *open_stream(const char *path, const char *mode) {
  int only = strchr(mode, 'x') ? O_EXCL : 0;
  int file =
      open(path, *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | only | (*mode == 'w' ? O_TRUNC : O_APPEND), 0666);
  FILE *stream = file < 0 ? NULL : stream_over(file, mode);
  if (file >= 0 && !stream) close(file);
  return stream;
}
FILE *fopen(const char *path, const char *mode) { return open_stream(path, mode); }
FILE *fopen64(const char *path, const char *mode);
FILE *fopen64(const char *path, const char *mode) { return open_stream(path, mode); }

/* ------------------------------------------------------------------ threads */

typedef struct beginning {
  void *(*function)(void *);
  void *argument;
} beginning;

static void *begin_thread(void *argument) {
  beginning own = *(beginning *)argument;
  free(argument);
  ours = true;
  return own.function(own.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
  REAL(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
  if (refuse(REFUSE_FILES, "pthread_create", EAGAIN)) return EAGAIN;
  beginning *own = HEAP(malloc)(sizeof *own);
  if (!own) return EAGAIN;
  *own = (beginning){function, argument};
  int status = real(thread, attributes, begin_thread, own);
  if (status) free(own);
  return status;
}

/* ------------------------------------------------------------------ */

void refuse_begin(refuse_kind kind, long number, bool for_ever) {
  stdout = stream_over(STDOUT_FILENO, "w");
  *report = (refuse_report){0};
  counted = kind, refused = number, all_later = for_ever;
  ours = true;
  atomic_store(&counting, true);
}
