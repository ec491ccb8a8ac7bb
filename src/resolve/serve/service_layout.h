// How a model is cut over GPUs: what a scenario writes, or the smallest replica that keeps its
// promises.
//
// One rule for every verb. A written tp is the layout as written, what stands beside it left blank
// being 1. A blank tp means, for verbs that answer for one deployment, the smallest replica within
// the scale-up domain that holds its requests and keeps the SLO; verbs that size a fleet weigh all
// of `layouts_within_reach` by cost.
#pragma once

#include <string>
#include <vector>

#include "resolve/serve/service.h"
#include "serving/replica_plan.h"

namespace loadfactor::engine {

// The layout a pool writes: degrees left blank are 1, and experts that are spread wider than tp
// make copies of the attention.
serving::ServingLayout written_layout(const config::Pool& pool);

// LF102 at its place where the written degrees cut no heads, layers or experts; a notice where
// key-value heads are copied.
void check_written_layout(Service& service, Side side, Diagnostics& diagnostics);

// What is wrong with splitting the heads of a model over tp ranks: an error with its code, or, with
// code 0, a remark that key-value heads are copied; nothing where both divide.
struct CutFault {
  int code = 0;
  std::string message;
  std::string hint;
  int copies = 1;  // How often each key-value head is held: no fault, but it takes memory.
};
CutFault find_head_fault(const catalog::ModelSpec& model, int tp);

// Why a model cannot be cut so, whatever the chip: more stages than layers, experts that ep does
// not divide, or ep without experts.
CutFault find_cut_fault(const catalog::ModelSpec& model, const serving::ServingLayout& layout);

// Degrees of tensor parallelism that a pool may have on a chip where it leaves tp blank: powers of
// two that split the heads, within the scale-up domain or a node of eight.
std::vector<int> tensor_degrees(const catalog::ModelSpec& model,
                                const catalog::AcceleratorSpec& chip);

// Every layout that a pool may have on a chip: the one it writes, or all within reach of a blank
// tp, `choose_replica`'s among them.
std::vector<serving::ServingLayout> layouts_within_reach(Service& service, Side side,
                                                         const catalog::AcceleratorSpec& chip,
                                                         const serving::ServicePromise& ask);

// One replica of a pool on a chip for requests of these lengths and bounds: as written, or the
// smallest that keeps them. LF101 at its place where the weights or one request do not fit.
Result<serving::ReplicaPlan> choose_replica(Service& service, Side side,
                                            const catalog::AcceleratorSpec& chip,
                                            const serving::ServicePromise& ask);

// Whether a replica holds one request.
bool holds_request(const serving::ReplicaPlan& plan, const serving::ServicePromise& ask);

// LF120 at the bound that even an idle replica misses; nothing where it keeps them all.
std::optional<Error> find_slo_fault(const Service& service, const serving::CapacityFigures& idle);

}  // namespace loadfactor::engine
