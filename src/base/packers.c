/* packers.c - see packers.h. Every reader of files comes here, through ripstop_read_file or by itself. */
#include "base/packers.h"

#include <string.h>

int ripstop_check_unpacked(const char *name, const char *text, size_t length, ripstop_error *err) {
  static const struct {
    const char *begins, *program;
  } packers[] = {{"\xfd"
                  "7zXZ",
                  "xz"},
                 {"BZh", "bzip2"},
                 {"\x28\xb5\x2f\xfd", "zstd"}};
  for (unsigned i = 0; i < sizeof packers / sizeof *packers; i++) {
    const size_t bytes = strlen(packers[i].begins);
    if (length > bytes && memcmp(text, packers[i].begins, bytes) == 0)
      return ripstop_fail(err, "%s: packed by %s; unpack it first (%s -d)", name, packers[i].program,
                          packers[i].program);
  }
  return 0;
}
