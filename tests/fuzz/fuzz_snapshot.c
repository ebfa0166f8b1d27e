/* fuzz_snapshot.c - any bytes as the plug-in's file of tables, as they are and with a hash that is right: refused with
 * one line, or laid onto a fabric and written again. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "mend/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static char path[100];

static void write_file(const void *data, size_t size, const char *more, size_t bytes) {
  FILE *file = fopen(path, "wb");
  demand(file && fwrite(data, 1, size, file) == size && fwrite(more, 1, bytes, file) == bytes && fclose(file) == 0);
}

static void lay(const snapshot *s) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open("torus:3x3", &err);
  demand(fabric != NULL);
  ripstop_forwarding_free(snapshot_lay(s, fabric));
  ripstop_fabric_free(fabric);
}

static void read_back(void) {
  ripstop_error err = {0};
  bool missing;
  snapshot *s = snapshot_read(path, &missing, &err);
  if (!s) {
    demand(!missing && *err.text && !strchr(err.text, '\n'));
    return;
  }
  lay(s);
  demand(snapshot_write(s, path, &err) == 0);
  snapshot_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char hash[RIPSTOP_HASH];
  snprintf(path, sizeof path, "%s/ripstop-snapshot-%ld", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
           (long)getpid());
  write_file(data, size, "", 0);
  read_back();
  ripstop_hash((const char *)data, size, hash);
  write_file(data, size, hash, RIPSTOP_HASH - 1);
  read_back();
  demand(unlink(path) == 0);
  return 0;
}
