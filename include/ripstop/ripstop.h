/* ripstop.h - the whole public interface. */
#ifndef RIPSTOP_H
#define RIPSTOP_H

#include "ripstop/base.h"
#include "ripstop/experiment.h"
#include "ripstop/fabric.h"
#include "ripstop/faults.h"
#include "ripstop/method.h"
#include "ripstop/plan.h"
#include "ripstop/programs.h"
#include "ripstop/protocol.h"
#include "ripstop/prove.h"
#include "ripstop/report.h"
#include "ripstop/simulate.h"
#include "ripstop/store.h"

#endif
