/* replace.c - files that are written beside their place, where that is one for a regular file. */
#include "base/replace.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SERIALS = 1000 }; /* files of the same name that others may have left */

/* Whether there is, or may be, a regular file, and where; else the path itself is to be written. */
static bool find_place(const char *path, char place[PATH_MAX]) {
  struct stat about;
  if (stat(path, &about) == 0) return S_ISREG(about.st_mode) && realpath(path, place);
  if (lstat(path, &about) == 0) return false; /* a link to nothing */
  return snprintf(place, PATH_MAX, "%s", path) < PATH_MAX;
}

/* Never one that is there already, whoever it belongs to. */
static FILE *open_beside(ripstop_replacement *r) {
  FILE *file = NULL;
  errno = EEXIST;
  for (unsigned serial = 0; !file && errno == EEXIST && serial < SERIALS; serial++) {
    snprintf(r->beside, sizeof r->beside, "%s.new-%ld-%u", r->place, (long)getpid(), serial);
    file = fopen(r->beside, "wx");
  }
  return file;
}

int ripstop_replacement_begin(ripstop_replacement *r, const char *path, ripstop_error *err) {
  *r = (ripstop_replacement){.path = path};
  if (!*path) return ripstop_fail(err, "the name of the file to write is empty");
  r->stream = find_place(path, r->place) ? open_beside(r) : fopen(path, "w");
  if (!r->stream) return ripstop_fail_system(err, errno, "%s", path);
  errno = 0;
  return 0;
}

int ripstop_replacement_end(ripstop_replacement *r, ripstop_error *err) {
  int status = ripstop_close_file(r->stream, r->path, err);
  if (!*r->beside) return status;
  if (!status && rename(r->beside, r->place)) status = ripstop_fail_system(err, errno, "%s", r->path);
  if (status) remove(r->beside);
  return status;
}

void ripstop_replacement_drop(ripstop_replacement *r) {
  fclose(r->stream);
  if (*r->beside) remove(r->beside);
}
