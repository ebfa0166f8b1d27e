/* output.c - opens outputs. The checks are made before anything is written, and again before the place is taken. */
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "base/beside.h"
#include "base/inputs.h"
#include "base/local.h"
#include "base/memory.h"

/* Each cleaning reads all names in the folder, which may be many. */
enum { CLEANED_MOST = 64 };

/* ------------------------------------------------------------------ files that are never replaced */

static bool is_database(const char *path) {
  char start[16] = {0};
  FILE *file = fopen(path, "rb");
  size_t length = file ? fread(start, 1, sizeof start, file) : 0;
  if (file) fclose(file);
  return length == sizeof start && !memcmp(start, "SQLite format 3", sizeof start); /* with its terminator */
}

/* A database's log, its index or its journal: changes that are not yet in the database, or that will be undone. */
static bool belongs_to_database(const char *path) {
  static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
  char stem[PATH_MAX];
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    size_t bytes = strlen(suffixes[i]);
    if (length <= bytes || length >= sizeof stem || strcmp(path + length - bytes, suffixes[i]) != 0) continue;
    snprintf(stem, sizeof stem, "%.*s", (int)(length - bytes), path);
    return is_database(stem);
  }
  return false;
}

static int check_type(const char *path, const struct stat *about, ripstop_error *err) {
  const char *what = S_ISDIR(about->st_mode)    ? "a folder"
                     : S_ISBLK(about->st_mode)  ? "a disk"
                     : S_ISSOCK(about->st_mode) ? "a socket"
                                                : NULL;
  return what ? ripstop_fail(err, "%s is %s, and the output is a file", path, what) : 0;
}

static int check_regular(const char *path, const char *place, const struct stat *about, ripstop_output_kind kind,
                         ripstop_error *err) {
  if (kind != RIPSTOP_OUTPUT_UPDATE && ripstop_input_is(about))
    return ripstop_fail(err, "%s is a file that this command reads or has written; name another file for the output",
                        path);
  const int refused = about->st_size > 0 && access(place, R_OK) ? errno : 0;
  if (refused == EACCES)
    return ripstop_fail(err, "%s may not be read, so it could be a store; name another file for the output", path);
  if (refused) return ripstop_fail_system(err, refused, "%s", path);
  if (is_database(place))
    return ripstop_fail(err, "%s is a store or another SQLite database, which no output replaces; name another file",
                        path);
  return 0;
}

/* Refuses to replace a file at the place that must stay. */
static int check_place(const ripstop_output *o, ripstop_error *err) {
  struct stat about;
  const char *place = o->replaces ? o->place : o->path;
  if (belongs_to_database(place))
    return ripstop_fail(err, "%s belongs to the store or database beside it; name another file for the output",
                        o->path);
  if (stat(place, &about)) return 0;
  if (!S_ISREG(about.st_mode)) return check_type(o->path, &about, err);
  return check_regular(o->path, place, &about, o->kind, err);
}

/* ------------------------------------------------------------------ the place */

/* True if there is, or may be, a regular file; `place` is where. Else the path itself is to be written. */
static bool find_place(const char *path, char place[PATH_MAX]) {
  struct stat about;
  if (stat(path, &about) == 0) return S_ISREG(about.st_mode) && realpath(path, place);
  if (lstat(path, &about) == 0) return false; /* a link to nothing */
  return snprintf(place, PATH_MAX, "%s", path) < PATH_MAX;
}

static int find_output(ripstop_output *o, const char *path, ripstop_output_kind kind, ripstop_error *err) {
  *o = (ripstop_output){.path = path, .kind = kind};
  if (!*path) return ripstop_fail(err, "the name of the file to write is empty");
  o->replaces = find_place(path, o->place);
  return check_place(o, err);
}

/* ------------------------------------------------------------------ opening */

static void name_beside(ripstop_output *o) {
  RIPSTOP_LOCAL_TEXT(name);
  const unsigned earlier = ripstop_beside_name(&name, o->place);
  snprintf(o->beside, sizeof o->beside, "%s", name.data);
  if (earlier < CLEANED_MOST) ripstop_beside_clean(o->place, RIPSTOP_LITTER_OWN);
}

/* The link by which a file without a name can get one. */
static void name_of_descriptor(char out[64], int descriptor) { snprintf(out, 64, "/proc/self/fd/%d", descriptor); }

/* A killed process leaves nothing of it. NULL: the file system has no such files, or /proc is missing. */
static FILE *open_nameless(const char *folder, mode_t mode) {
#ifdef __O_TMPFILE
  char link[64];
  int descriptor = open(folder, __O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (descriptor < 0) return NULL;
  name_of_descriptor(link, descriptor);
  FILE *file = access(link, F_OK) ? NULL : fdopen(descriptor, "w+");
  if (!file) close(descriptor);
  return file;
#else
  (void)folder, (void)mode;
  return NULL;
#endif
}

/* Never a file that is there already. */
static FILE *open_named(const char *path, mode_t mode) {
  int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w+");
  if (descriptor >= 0 && !file) close(descriptor), remove(path);
  return file;
}

static FILE *open_beside(ripstop_output *o, mode_t mode) {
  ripstop_text folder = {0};
  name_beside(o);
  ripstop_folder_of(&folder, o->place);
  FILE *file = open_nameless(folder.data, mode);
  ripstop_text_free(&folder);
  o->nameless = file != NULL;
  return file ? file : open_named(o->beside, mode);
}

/* Access rules for single users, which the mode does not show. */
static bool has_access_list(const char *place) {
#ifdef __linux__
  return getxattr(place, "system.posix_acl_access", NULL, 0) > 0;
#else
  (void)place;
  return false;
#endif
}

/* True if the new file would have the owner, group and rights of the one that is there. fchown comes first, as it
 * clears bits of the mode. */
static bool keeps_rights(int descriptor, const char *place, const struct stat *old) {
  struct stat new;
  if (has_access_list(place) || fstat(descriptor, &new)) return false;
  bool same = new.st_uid == old->st_uid &&new.st_gid == old->st_gid;
  return (same || !fchown(descriptor, old->st_uid, old->st_gid)) && !fchmod(descriptor, old->st_mode & 07777);
}

/* The folder refuses new files: a file of the system's folder for temporary files is copied into the old one. */
static FILE *open_elsewhere(ripstop_output *o) {
  o->in_place = true;
  o->nameless = true; /* tmpfile leaves no name */
  return tmpfile();
}

static FILE *open_replacing(ripstop_output *o) {
  struct stat old;
  if (stat(o->place, &old)) return open_beside(o, 0666);
  if (access(o->place, W_OK)) return NULL;
  FILE *file = open_beside(o, old.st_mode & 0777);
  if (!file && errno == EACCES) return open_elsewhere(o);
  if (file) o->in_place = old.st_nlink > 1 || !keeps_rights(fileno(file), o->place, &old);
  return file;
}

static int open_output(ripstop_output *o, const char *path, ripstop_output_kind kind, ripstop_error *err) {
  if (find_output(o, path, kind, err)) return -1;
  o->stream = o->replaces ? open_replacing(o) : fopen(path, "w");
  if (!o->stream) return ripstop_fail_system(err, errno, "%s", path);
  errno = 0;
  return 0;
}

int ripstop_output_begin(ripstop_output *o, const char *path, ripstop_output_kind kind, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (kind == RIPSTOP_OUTPUT_NEW && !ripstop_output_is_noted(path))
    return ripstop_fail(err, "%s: internal error: output was not checked before the run; please report it", path);
  return open_output(o, path, kind, err);
}

/* ------------------------------------------------------------------ ending */

/* A file without a name gets the one beside its place, as no call lets it replace another at once. */
static int give_name(ripstop_output *o, ripstop_error *err) {
  char link[64];
  if (!o->nameless) return 0;
  name_of_descriptor(link, fileno(o->stream));
  if (linkat(AT_FDCWD, link, AT_FDCWD, o->beside, AT_SYMLINK_FOLLOW))
    return ripstop_fail_system(err, errno, "%s", o->path);
  o->nameless = false;
  return 0;
}

static void remove_beside(const ripstop_output *o) {
  if (o->replaces && !o->nameless) remove(o->beside);
}

/* No later output of this process replaces it. */
static void note_written(const ripstop_output *o) {
  struct stat about;
  ripstop_output_noted_done(o->path);
  if (stat(o->place, &about) == 0) ripstop_input_written(&about);
}

static int take_place(const ripstop_output *o, ripstop_error *err) {
  if (check_place(o, err)) return -1;
  if (rename(o->beside, o->place)) return ripstop_fail_system(err, errno, "%s", o->path);
  if (o->kind == RIPSTOP_OUTPUT_NEW) note_written(o);
  return 0;
}

static int end_replacing(ripstop_output *o, ripstop_error *err) {
  ripstop_error other;
  bool arrived = fflush(o->stream) == 0 && !ferror(o->stream);
  int status = arrived ? give_name(o, err) : 0;
  if (ripstop_close_file(o->stream, o->path, status ? &other : err)) status = -1;
  if (!status && o->replaces) status = take_place(o, err);
  if (status) remove_beside(o);
  return status;
}

static bool copy(FILE *from, FILE *to) {
  char block[1 << 14];
  size_t bytes;
  rewind(from);
  while ((bytes = fread(block, 1, sizeof block, from)) > 0)
    if (fwrite(block, 1, bytes, to) != bytes) return false;
  return !ferror(from) && !fflush(to) && !ftruncate(fileno(to), ftello(to));
}

/* The old file gets the new text; it keeps its names, its owner and its rights. */
static int write_old(const ripstop_output *o, ripstop_error *err) {
  ripstop_error other;
  if (check_place(o, err)) return -1;
  FILE *old = fopen(o->place, "r+");
  if (!old) return ripstop_fail_system(err, errno, "%s", o->path);
  int status = copy(o->stream, old) ? 0 : ripstop_fail_system(err, errno, "%s", o->path);
  if (ripstop_close_file(old, o->path, status ? &other : err)) status = -1;
  if (!status && o->kind == RIPSTOP_OUTPUT_NEW) note_written(o);
  return status;
}

static int end_in_place(ripstop_output *o, ripstop_error *err) {
  ripstop_error other;
  bool arrived = fflush(o->stream) == 0 && !ferror(o->stream);
  int status = arrived ? write_old(o, err) : 0;
  if (ripstop_close_file(o->stream, o->path, status ? &other : err)) status = -1;
  remove_beside(o);
  return status;
}

int ripstop_output_end(ripstop_output *o, ripstop_error *err) {
  return o->in_place ? end_in_place(o, err) : end_replacing(o, err);
}

void ripstop_output_drop(ripstop_output *o) {
  ripstop_output_noted_done(o->path);
  fclose(o->stream);
  remove_beside(o);
}

/* ------------------------------------------------------------------ checks beforehand */

/* Fails if the output cannot be made; changes nothing. */
static int try_output(const char *path, ripstop_output_kind kind, ripstop_error *err) {
  ripstop_output o;
  if (find_output(&o, path, kind, err)) return -1;
  if (!o.replaces) return 0;
  if (open_output(&o, path, kind, err)) return -1;
  ripstop_output_drop(&o); /* before it is noted */
  return 0;
}

int ripstop_output_check(const char *path, ripstop_output_kind kind, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (try_output(path, kind, err)) return -1;
  if (kind == RIPSTOP_OUTPUT_NEW) ripstop_output_note(path, false);
  return 0;
}

int ripstop_output_remove(const char *path, ripstop_output_kind kind, ripstop_error *err) {
  ripstop_output o;
  if (find_output(&o, path, kind, err)) return -1;
  return !unlink(path) || errno == ENOENT ? 0 : ripstop_fail_system(err, errno, "%s", path);
}

/* The nearest existing folder above must accept new files. */
static int check_above(const char *path, ripstop_error *err) {
  char above[PATH_MAX];
  if (snprintf(above, sizeof above, "%s", path) >= PATH_MAX) return ripstop_fail_system(err, ENAMETOOLONG, "%s", path);
  for (char *slash; access(above, F_OK) && (slash = strrchr(above, '/')); *slash = '\0') continue;
  const char *nearest = !*above ? "/" : access(above, F_OK) ? "." : above;
  return access(nearest, W_OK | X_OK) ? ripstop_fail_system(err, errno, "folder %s", path) : 0;
}

typedef struct folder {
  const char *path;
  ripstop_output_mine *mine;
  const void *context;
  ripstop_output_kind kind;
} folder;

static int check_entry(const folder *f, const char *name, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(path);
  if (!f->mine(f->context, name)) return 0;
  ripstop_text_add(&path, "%s/%s", f->path, name);
  return ripstop_output_check(path.data, f->kind, err);
}

typedef struct entries {
  const folder *f;
  DIR *open;
  ripstop_error *err;
  int status;
} entries;

static const char *next_entry(entries *e) {
  errno = 0;
  const struct dirent *entry = readdir(e->open);
  if (!entry && errno) e->status = ripstop_fail_system(e->err, errno, "folder %s", e->f->path);
  return entry ? entry->d_name : NULL;
}

static void check_each(void *entries_) {
  entries *e = entries_;
  for (const char *name; !e->status && (name = next_entry(e));) e->status = check_entry(e->f, name, e->err);
}

/* The open folder is not memory: it is closed even if the checks run out of it. */
static int check_entries(const folder *f, ripstop_error *err) {
  entries e = {.f = f, .open = opendir(f->path), .err = err};
  if (!e.open) return ripstop_fail_system(err, errno, "folder %s", f->path);
  if (ripstop_try(check_each, &e, err)) e.status = -1;
  closedir(e.open);
  return e.status;
}

int ripstop_output_check_folder(const char *path, ripstop_output_kind kind, ripstop_output_mine *mine,
                                const void *context, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const folder f = {path, mine, context, kind};
  struct stat there;
  if (!*path) return ripstop_fail(err, "the name of the folder to write is empty");
  const bool is_there = stat(path, &there) == 0;
  if (is_there && !S_ISDIR(there.st_mode)) return ripstop_fail(err, "%s is not a folder", path);
  if (check_above(path, err) || (is_there && check_entries(&f, err))) return -1;
  if (kind == RIPSTOP_OUTPUT_NEW) ripstop_output_note(path, true);
  return 0;
}

int ripstop_output_folder(const char *path, ripstop_error *err) {
  struct stat there;
  if (!*path) return ripstop_fail(err, "the name of the folder to write is empty");
  if (mkdir(path, 0777) && errno != EEXIST) return ripstop_fail_system(err, errno, "folder %s", path);
  if (!stat(path, &there) && !S_ISDIR(there.st_mode)) return ripstop_fail(err, "%s is not a folder", path);
  return 0;
}
