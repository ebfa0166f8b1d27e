/* ripstop.h - the whole public interface of the core library. What a plug-in needs besides is in ripstop/plugin/, what
 * the kit adds (experiments, programs, stores, reports) in ripstop/kit/. */
#ifndef RIPSTOP_H
#define RIPSTOP_H

#include "ripstop/base.h"
#include "ripstop/deadlock.h"
#include "ripstop/fabric.h"
#include "ripstop/faults.h"
#include "ripstop/forwarding.h"
#include "ripstop/judge.h"
#include "ripstop/mend.h"
#include "ripstop/plan.h"
#include "ripstop/planner.h"
#include "ripstop/protocol.h"
#include "ripstop/prove.h"
#include "ripstop/repair.h"
#include "ripstop/simulate.h"
#include "ripstop/tables.h"
#include "ripstop/versions.h"

#endif
