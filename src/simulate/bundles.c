/* bundles.c - memory for the candidates of heads that need more than one bundle.
 *
 * A part begins with one spare bundle per queue, beside the one in the queue's row. That suffices for heads with two
 * kinds of candidates, such as adaptive ones and an escape. Methods whose candidates differ in more, for example in
 * headers, make a part allocate blocks of bundles. Bundles are reused and never freed before the run ends. */
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
