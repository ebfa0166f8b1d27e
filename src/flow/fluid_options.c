/* fluid_options.c - the words and the options of `flow:`. */
#include "ripstop/kit/fluid.h"

#define FLOW(field) .offset = offsetof(ripstop_fluid_config, field)

const char *const ripstop_model_words[] = {[RIPSTOP_MODEL_PACKET] = "packet", [RIPSTOP_MODEL_FLOW] = "flow", NULL};
const char *const ripstop_fluid_path_words[] = {[RIPSTOP_FLUID_ONE] = "one",
                                                [RIPSTOP_FLUID_HASH] = "hash",
                                                [RIPSTOP_FLUID_SPRAY] = "spray",
                                                [RIPSTOP_FLUID_ADAPTIVE] = "adaptive",
                                                NULL};
static const char *const nic_words[] = {[RIPSTOP_FLUID_AUTO] = "auto",
                                        [RIPSTOP_FLUID_PAIRS] = "pairs",
                                        [RIPSTOP_FLUID_SERIAL] = "serial",
                                        [RIPSTOP_FLUID_SHARE] = "share",
                                        NULL};

const ripstop_option ripstop_fluid_options[] = {
    {.name = "model",
     .type = RIPSTOP_OPTION_WORD,
     FLOW(model),
     .words = ripstop_model_words,
     .fallback = "packet",
     .later = true,
     .help = "packet: every packet is simulated; flow: messages are flows at max-min fair rates. `model: flow` beside "
             "the sections is short for it"},
    {.name = "paths",
     .type = RIPSTOP_OPTION_WORD,
     FLOW(paths),
     .words = ripstop_fluid_path_words,
     .fallback = "spray",
     .later = true,
     .help = "one: the method's forwarding table; hash: a path for each pair; spray: equal shares over all candidates; "
             "adaptive: shares by the capacity behind each, without regard to load"},
    {.name = "nic",
     .type = RIPSTOP_OPTION_WORD,
     FLOW(nic),
     .words = nic_words,
     .fallback = "auto",
     .later = true,
     .help = "messages of a sender go one after another (serial), those of a pair (pairs), or all at once (share); "
             "auto: pairs with workload.transport, serial without"},
    {.name = "reaction",
     .type = RIPSTOP_OPTION_INTEGER,
     FLOW(reaction),
     .min = 0,
     .max = 1e15,
     .fallback = "0",
     .later = true,
     .help = "cycles from a change of the fabric until messages follow a new plan"},
    {.name = "seed",
     .type = RIPSTOP_OPTION_INTEGER,
     FLOW(seed),
     .min = 0,
     .max = 1e15,
     .fallback = "1",
     .later = true,
     .help = "seed of the paths of hash"},
    {.name = "at",
     .type = RIPSTOP_OPTION_TEXT,
     FLOW(at),
     .fallback = "",
     .later = true,
     .help = "cycles, separated by commas, at which 'ripstop simulate --json' prints the load of every channel"},
    {0}};
