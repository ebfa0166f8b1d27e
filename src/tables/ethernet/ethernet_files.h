/* ethernet_files.h - the files about an Ethernet fabric, each known by its content: cables from LLDP, plans and
 * configurations; routes. A folder has a file for each switch, named by it. */
#ifndef RIPSTOP_TABLES_ETHERNET_ETHERNET_FILES_H
#define RIPSTOP_TABLES_ETHERNET_ETHERNET_FILES_H

#include "formats/ethernet/sonic_config.h"
#include "tables/ethernet/fib.h"

/* True if the path is a folder, or a file that is a plan of cables. */
bool ethernet_files_are_cables(const char *path);
/* Reads cables from a plan or from a folder. Notes are lines. */
int ethernet_cabling_read(cabling *c, const char *path, ripstop_text *notes, ripstop_error *err);
/* Reads the routes of the switches in the folders and files ([count]); a switch without cables becomes a node. */
int ethernet_routes_read(cabling *c, const char *const *path, uint32_t count, fib_source **out, uint32_t *sources,
                         ripstop_text *notes, ripstop_error *err);
/* Reads the class maps of switches from a folder of config_db.json. Those of others than the sources are noted. */
int ethernet_classes_read(sonic_classes *s, cabling *c, const char *path, const fib_source *now, uint32_t sources,
                          ripstop_error *err);
/* Notes that a file is of no switch with routes, so that nothing of it counts. */
void ethernet_note_no_routes(ripstop_text *notes, const char *file);

#endif
