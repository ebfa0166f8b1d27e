/* bundles.c - memory for the candidates of heads that need more than one bundle.
 *
 * A part begins with one bundle for each of its queues beside those in the queues' rows, which is enough for heads with
 * two kinds of candidates, such as adaptive ones and an escape. Methods whose candidates differ in more than that, each
 * in its header, say, make it take more, a block at a time; what has been taken is used again. */
#include "simulate/core.h"

enum { BLOCK = 1024 };

bundle *unused_bundle(part *t) {
  if (t->unused_bundles == 0) {
    t->unused = RIPSTOP_ARRAY(t->more, BLOCK, bundle);
    t->unused_bundles = BLOCK;
  }
  t->unused_bundles--;
  return t->unused++;
}
