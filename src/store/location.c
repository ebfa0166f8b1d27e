/* location.c - the place of a store: its path in a form for SQLite, write permission, leftovers of ended processes, and
 * network file systems.
 *
 * A new store is made under another name (base/beside.h). The next process that opens the store for writing removes
 * the leftovers of a killed one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/local.h"
#include "store/inside.h"
#include "store/kept_runs.h"

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

/* SQLite gives "", ":memory:" and "file:..." special meanings. */
void store_plain_path(ripstop_text *out, const char *path) {
  ripstop_text_add(out, "%s%s", *path == '/' ? "" : "./", path);
}

int store_check_file(const char *path, ripstop_error *err) {
  struct stat about;
  if (!*path) return ripstop_fail(err, "the path of the store is empty");
  if (stat(path, &about)) return ripstop_fail_system(err, errno, "store %s", path);
  if (S_ISDIR(about.st_mode)) return ripstop_fail(err, "%s is a folder, not a ripstop store", path);
  return S_ISREG(about.st_mode) ? 0 : ripstop_fail(err, "%s is no file, and so no ripstop store", path);
}

int store_check_rights(const char *path, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(folder);
  int status = 0;
  ripstop_folder_of(&folder, path);
  if (access(path, W_OK))
    status = ripstop_fail_system(err, errno, "store %s cannot be written", path);
  else if (access(folder.data, W_OK | X_OK))
    status =
        ripstop_fail_system(err, errno, "store %s cannot be written, as its folder %s cannot be", path, folder.data);
  return status;
}

void store_clean(const char *path) {
  ripstop_beside_clean(path, store_network(path) ? RIPSTOP_LITTER_OLD : RIPSTOP_LITTER_UNMARKED);
}

/* ------------------------------------------------------------------ network file systems */

/* By the numbers of statfs. */
static const struct {
  unsigned long type;
  const char *name;
} networks[] = {{0x6969, "NFS"},         {0x517B, "SMB"},      {0xFF534D42, "CIFS"},   {0xFE534D42, "SMB"},
                {0x0BD00BD0, "Lustre"},  {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"}, {0x00C36400, "Ceph"},
                {0x5346414F, "AFS"},     {0x6B414653, "AFS"},  {0x01021997, "9P"},     {0x73757245, "Coda"},
                {0x20030528, "OrangeFS"}};
static const unsigned long fuse = 0x65735546;

/* File systems in user space, by their names in mountinfo. */
static const char *const in_user_space[] = {
    "fuse.sshfs",  "fuse.glusterfs", "fuse.ceph-fuse", "fuse.s3fs",      "fuse.rclone", "fuse.davfs2",
    "fuse.beegfs", "fuse.juicefs",   "fuse.gcsfuse",   "fuse.curlftpfs", NULL};

/* "36 35 98:0 /root /mount options - type source options": true if it is about this device. */
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
  ripstop_folder_of(&folder, path);
  bool known = statfs(folder.data, &system) == 0 && stat(folder.data, &about) == 0;
  ripstop_text_free(&folder);
  unsigned long type = known ? (unsigned long)system.f_type & 0xFFFFFFFF : 0;
  return known && type == fuse ? network_of_device(about.st_dev) : store_network_of_type(type);
}

const char *ripstop_store_network(const ripstop_store *store) { return store_network(store->path); }
