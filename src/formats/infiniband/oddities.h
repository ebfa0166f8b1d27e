/* oddities.h - reports contradictions of a dump as oddities. The readers call it while they put the dump together. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_ODDITIES_H
#define RIPSTOP_FORMATS_INFINIBAND_ODDITIES_H

#include "base/piece.h"
#include "formats/infiniband/dump.h"

/* Two nodes had one id, and the second got another id. */
void ripstop_ib_say_renamed(ripstop_ib_dump *dump, uint32_t first, uint32_t second);
/* A port that has a second line. */
void ripstop_ib_say_again(ripstop_ib_dump *dump, const ripstop_ib_port *first, const ripstop_ib_port *second);
void ripstop_ib_say_half_link(ripstop_ib_dump *dump, uint32_t port);
/* `port` names `mate`, which names another port. */
void ripstop_ib_say_conflict(ripstop_ib_dump *dump, uint32_t port, uint32_t mate);
/* An end that the file must list, as it lists others of its kind; the first one alone is reported. */
void ripstop_ib_say_unlisted(ripstop_ib_dump *dump, piece text, uint32_t line);
void ripstop_ib_say_lid_twice(ripstop_ib_dump *dump, uint32_t lid, uint32_t node);
/* A line that begins as `what` and lacks what is `missing`; where the file ends in it, the file was cut off. */
void ripstop_ib_say_broken(ripstop_ib_dump *dump, const char *what, const char *missing, piece line, uint32_t number,
                           bool last);
/* A line among a node's ports that is none. */
void ripstop_ib_say_stray(ripstop_ib_dump *dump, piece line, uint32_t number);
/* Everything that shows when the cables are known. */
void ripstop_ib_say_rest(ripstop_ib_dump *dump);

#endif
