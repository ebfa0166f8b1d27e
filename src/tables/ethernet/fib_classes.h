/* fib_classes.h - lossless classes of an Ethernet fabric: which packets pause whom, by the maps of each port.
 *
 * A switch accounts for a packet at the port by which it came, and pauses there the priorities of its priority group.
 * The packet stands in a queue of the port by which it leaves, which priorities of the next switch may stop. A vertex
 * is a link and a priority by which the switch behind it pauses. A packet that one vertex accounts for waits for all
 * vertices that stop its queue. So its class on the next link depends on its class, on the port it came by, and on the
 * port it leaves by.
 */
#ifndef RIPSTOP_TABLES_ETHERNET_FIB_CLASSES_H
#define RIPSTOP_TABLES_ETHERNET_FIB_CLASSES_H

#include "formats/ethernet/sonic_config.h"
#include "tables/ethernet/fib_waits.h"

typedef struct fib_class_verdict {
  uint8_t lossless; /* a bit for each priority that some port of a switch pauses */
  fib_waits waits;  /* SONIC_PRIORITIES classes */
  fib_cycles cycles;
  fib_names mismatch; /* ports whose packets the next switch pauses by a priority that does not stop their queue */
  fib_names leaves;   /* ports by which packets of lossless classes leave these */
  fib_names without;  /* switches without maps */
} fib_class_verdict;

/* Packets start with every DSCP at every host. Memory from f->arena. */
void fib_classes_judge(fib *f, const sonic_classes *classes, fib_class_verdict *out);

#endif
