/* class_maps.h - the class maps of a switch that keep packets lossless while they turn from down to up, as a part of
 * SONiC's config_db.json. */
#ifndef RIPSTOP_REPORT_CLASS_MAPS_H
#define RIPSTOP_REPORT_CLASS_MAPS_H

#include <jansson.h>

#include "tables/ethernet/turn_classes.h"

/* The priority and the DSCP of a class, as in SONiC's usual map: 3, 4, 5. */
static inline unsigned class_maps_priority(uint32_t class_) { return class_ + 3; }
/* The object of a switch, which the caller frees. */
json_t *class_maps_of(const turn_classes *t, uint32_t node);

#endif
