/* tables.c - routing by forwarding tables from files, as a subnet manager wrote them: each switch looks up a packet's
 * address, and gets the virtual lane from its service level and both ports (tables/infiniband/lfts.h says which files).
 *
 * Tables do not react to faults: an entry whose port is down loses the packet, until other tables are written
 * (subnet-manager.c). If an end node has several addresses, each packet gets a random one when it is generated. */
#include "methods/shared/lookup.h"

typedef struct config {
  const char *file[RIPSTOP_LOOKUP_FILES];
  const char *hash;
  ripstop_lookup lookup; /* not an option: read from the files */
} config;

static const ripstop_option options[] = {
    {.name = "lfts",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, file),
     .fallback = "",
     .help = "forwarding tables as OpenSM, dump_lfts or ibroute print them"},
    {.name = "sls",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, file) + sizeof(const char *),
     .fallback = "",
     .help = "service levels of paths: opensm-path-records.dump, saquery PR, ibdmchk's; empty: 0 for all"},
    {.name = "sl2vl",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, file) + 2 * sizeof(const char *),
     .fallback = "",
     .help = "virtual lanes by service level: opensm-sl2vl.dump, smpquery sl2vl, ibdmchk's; empty: the service level's "
             "number"},
    RIPSTOP_TEXT(config, hash, "", "required hash of the files together (XXH3, 16 hexadecimal digits); empty: any"),
    {0}};

static int name_files(ripstop_arena *arena, const char *beside, void *named_, void *opened_, ripstop_error *err) {
  config *named = named_, *opened = opened_;
  if (ripstop_lookup_name(arena, beside, named->file, opened->file, RIPSTOP_LOOKUP_FILES, &named->hash, err)) return -1;
  opened->hash = named->hash;
  return 0;
}

static ripstop_answer load(ripstop_arena *arena, const ripstop_fabric *fabric, void *config_, ripstop_error *err) {
  config *c = config_;
  return ripstop_lookup_load(arena, fabric, c->file, &c->lookup, err);
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  (void)err;
  p->data = &c->lookup;
  p->channels = c->lookup.tables->lanes;
  p->random_headers = c->lookup.most;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate) {
  const ripstop_lookup *l = p->data;
  return ripstop_is_end(p->fabric, head->node) ? ripstop_lookup_send(p, l, l, head, candidate)
                                               : ripstop_lookup_forward(p, l, head, candidate);
}

const ripstop_method ripstop_method_tables = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "tables",
    .summary = "any fabric: forwarding tables, virtual lanes and service levels from files",
    .source = "InfiniBand Architecture Specification 1.3, volume 1, sections 14.2.5.6 and 14.2.5.8",
    .options = options,
    .config_size = sizeof(config),
    .preset = "modern",
    .losses = ripstop_lookup_losses,
    .name_files = name_files,
    .load = load,
    .plan = plan,
    .route = route,
    .guarantees = ripstop_lookup_guarantees,
};
