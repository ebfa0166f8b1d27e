/* place.c - where a store lies: its path as SQLite takes it, who can write there, what dead processes have left, and
 * whether other machines see it.
 *
 * A new store is made under another name, PATH.new-PROCESS-SERIAL-MARK, in which the mark is that of the machine
 * (store_machine). One that a killed process left is litter. It is removed by the next that opens the store to write:
 * if the mark is its own and the process is gone, or if it is an hour old, as making one takes milliseconds. A name
 * without a mark, as programs before gave it, is judged by its process where no other machine sees the folder. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "store/inside.h"

enum { LITTER_SECONDS = 3600, MARK = 8 };

/* ------------------------------------------------------------------ paths */

int ripstop_make_folders(const char *path, ripstop_error *err) {
  if (!*path) return 0;
  char *copy = ripstop_realloc(NULL, strlen(path) + 1, 1);
  memcpy(copy, path, strlen(path) + 1);
  int status = 0;
  for (char *slash = strchr(copy + 1, '/'); slash && !status; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(copy, 0777) && errno != EEXIST) status = ripstop_fail_system(err, errno, "folder %s", copy);
    *slash = '/';
  }
  ripstop_free(copy);
  return status;
}

/* SQLite has meanings of its own for "", ":memory:" and "file:...". */
void store_plain_path(ripstop_text *out, const char *path) {
  ripstop_text_add(out, "%s%s", *path == '/' ? "" : "./", path);
}

/* The folder of a path, without the end of a file's name. */
static void folder_of(ripstop_text *out, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    ripstop_text_add(out, ".");
  else
    ripstop_text_add_bytes(out, path, slash == path ? 1 : (size_t)(slash - path));
}

int store_check_file(const char *path, ripstop_error *err) {
  struct stat about;
  if (!*path) return ripstop_fail(err, "the path of the store is empty");
  if (stat(path, &about)) return ripstop_fail_system(err, errno, "store %s", path);
  if (S_ISDIR(about.st_mode)) return ripstop_fail(err, "%s is a folder, not a ripstop store", path);
  return S_ISREG(about.st_mode) ? 0 : ripstop_fail(err, "%s is no file, and so no ripstop store", path);
}

int store_check_rights(const char *path, ripstop_error *err) {
  ripstop_text folder = {0};
  int status = 0;
  folder_of(&folder, path);
  if (access(path, W_OK))
    status = ripstop_fail_system(err, errno, "store %s cannot be written", path);
  else if (access(folder.data, W_OK | X_OK))
    status =
        ripstop_fail_system(err, errno, "store %s cannot be written, as its folder %s cannot be", path, folder.data);
  ripstop_text_free(&folder);
  return status;
}

/* ------------------------------------------------------------------ litter */

static void make_mark(char out[MARK + 1]) {
  char machine[STORE_MACHINE], hash[RIPSTOP_HASH];
  store_machine(machine);
  ripstop_hash(machine, strlen(machine), hash);
  snprintf(out, MARK + 1, "%.*s", *machine ? MARK : 0, hash);
}

void store_temporary_path(ripstop_text *out, const char *path) {
  static atomic_uint serial; /* threads may create stores too */
  char mark[MARK + 1];
  make_mark(mark);
  ripstop_text_add(out, "%s.new-%ld-%u-%s", path, (long)getpid(), atomic_fetch_add(&serial, 1), mark);
}

static bool is_old(const char *path) {
  struct stat about;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return stat(path, &about) == 0 && now.tv_sec - about.st_mtim.tv_sec > LITTER_SECONDS;
}

/* Whether a file is litter whose name goes on so behind "PATH.new-": the process, its serial number, the mark, and
 * maybe
 * "-journal". */
static bool is_litter(const char *file, const char *rest, const char *own, bool shared) {
  char *end;
  errno = 0;
  long long process = strtoll(rest, &end, 10);
  if (errno || end == rest || process <= 0 || process > INT32_MAX) return false;
  if (is_old(file)) return true;
  bool gone = kill((pid_t)process, 0) && errno == ESRCH;
  const char *mark = *end == '-' ? strchr(end + 1, '-') : NULL;
  bool marked = mark && strncmp(mark, "-journal", strlen("-journal")) != 0;
  return gone && (marked ? *own && !strncmp(mark + 1, own, strlen(own)) : !shared);
}

/* `beginning`: of the names that are looked at. Takes no memory, as the folder is open. */
static void clean_folder(const char *folder, const char *beginning, bool shared) {
  char mark[MARK + 1], file[PATH_MAX];
  size_t length = strlen(beginning);
  make_mark(mark);
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    if (strncmp(entry->d_name, beginning, length) != 0) continue;
    int bytes = snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
    if (bytes < (int)sizeof file && is_litter(file, entry->d_name + length, mark, shared)) unlink(file);
  }
  if (entries) closedir(entries);
}

void store_clean(const char *path) {
  ripstop_text folder = {0}, beginning = {0};
  const char *slash = strrchr(path, '/');
  folder_of(&folder, path);
  ripstop_text_add(&beginning, "%s.new-", slash ? slash + 1 : path);
  clean_folder(folder.data, beginning.data, store_network(path) != NULL);
  ripstop_text_free(&folder);
  ripstop_text_free(&beginning);
}

/* ------------------------------------------------------------------ network file systems */

/* By the numbers that statfs gives them. */
static const struct {
  unsigned long type;
  const char *name;
} networks[] = {{0x6969, "NFS"},         {0x517B, "SMB"},      {0xFF534D42, "CIFS"},   {0xFE534D42, "SMB"},
                {0x0BD00BD0, "Lustre"},  {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"}, {0x00C36400, "Ceph"},
                {0x5346414F, "AFS"},     {0x6B414653, "AFS"},  {0x01021997, "9P"},     {0x73757245, "Coda"},
                {0x20030528, "OrangeFS"}};
static const unsigned long fuse = 0x65735546;

/* Of those in user space: what a line of mountinfo calls them. */
static const char *const in_user_space[] = {
    "fuse.sshfs",  "fuse.glusterfs", "fuse.ceph-fuse", "fuse.s3fs",      "fuse.rclone", "fuse.davfs2",
    "fuse.beegfs", "fuse.juicefs",   "fuse.gcsfuse",   "fuse.curlftpfs", NULL};

/* "36 35 98:0 /root /mount options - type source options": whether it is about this device. */
static bool is_about(const char *line, unsigned long major_number, unsigned long minor_number) {
  const char *at = strchr(line, ' ');
  char *end;
  at = at ? strchr(at + 1, ' ') : NULL;
  if (!at || strtoul(at + 1, &end, 10) != major_number || *end != ':') return false;
  return strtoul(end + 1, &end, 10) == minor_number && *end == ' ';
}

const char *store_network_of_mount(const char *line, unsigned major_number, unsigned minor_number) {
  const char *type = strstr(line, " - ");
  if (!type || !is_about(line, major_number, minor_number)) return NULL;
  for (const char *const *name = in_user_space; *name; name++)
    if (!strncmp(type + 3, *name, strlen(*name)) && type[3 + strlen(*name)] == ' ') return *name;
  return NULL;
}

static const char *network_of_device(dev_t device) {
  char line[4096];
  const char *found = NULL;
  FILE *mounts = fopen("/proc/self/mountinfo", "r");
  while (mounts && !found && fgets(line, sizeof line, mounts))
    found = store_network_of_mount(line, major(device), minor(device));
  if (mounts) fclose(mounts);
  return found;
}

const char *store_network_of_type(unsigned long type) {
  for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
    if (networks[i].type == type) return networks[i].name;
  return NULL;
}

const char *store_network(const char *path) {
  ripstop_text folder = {0};
  struct statfs system;
  struct stat about;
  folder_of(&folder, path);
  bool known = statfs(folder.data, &system) == 0 && stat(folder.data, &about) == 0;
  ripstop_text_free(&folder);
  unsigned long type = known ? (unsigned long)system.f_type & 0xFFFFFFFF : 0;
  return known && type == fuse ? network_of_device(about.st_dev) : store_network_of_type(type);
}

const char *ripstop_store_network(const ripstop_store *store) { return store_network(store->path); }
