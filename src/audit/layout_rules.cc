// What must be whole in a layout, and what must be there to be shared out.
#include <array>
#include <cmath>

#include "audit/rule.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

// The last line of the working must be a whole number.
Finding whole(Working& working, Check check, F target) {
  Finding finding = working.finding(check, target);
  finding.relation = Relation::kWhole;
  const double floor = std::floor(finding.computed);
  finding.ratio = floor > 0 ? finding.computed / floor : finding.computed;
  if (finding.computed != floor) finding.verdict = Verdict::kInconsistent;
  return finding;
}

// GPUs must divide into whole replicas.
std::optional<Finding> whole_replicas(const Claim& claim, const Values& values) {
  const bool asks = values.stated(F::kGpus) && (values.stated(F::kTp) || values.stated(F::kPp));
  if (!asks || values.stated(F::kDp)) return std::nullopt;
  Working working(claim, values);
  for (const F degree : {F::kTp, F::kPp, F::kCp}) {
    if (!values.stated(degree)) working.assume(degree, 1);
  }
  working.product(F::kReplicas, 1, {{F::kGpus}, {F::kTp, -1}, {F::kPp, -1}, {F::kCp, -1}});
  return whole(working, Check::kWholeReplicas, F::kGpus);
}

std::optional<Finding> heads_divide(const Claim& claim, const Values& values) {
  if (!values.stated(F::kTp) || !have(values, {F::kHeads})) return std::nullopt;
  Working working(claim, values);
  working.product(F::kShare, 1, {{F::kHeads}, {F::kTp, -1}});
  return whole(working, Check::kHeadsDivide, F::kTp);
}

// Every rank works on as many micro-batches as every other.
std::optional<Finding> whole_micro_batches(const Claim& claim, const Values& values) {
  if (!values.stated(F::kGlobalBatch) || !have(values, {F::kDp})) return std::nullopt;
  if (values.stated(F::kMicroBatches) && values.stated(F::kMicroBatch)) return std::nullopt;
  const double each = values.find(F::kGlobalBatch)->value / values.find(F::kDp)->value;
  if (each < 1) return std::nullopt;  // Another rule says so.
  Working working(claim, values);
  if (!values.stated(F::kMicroBatch)) working.assume(F::kMicroBatch, 1);
  working.product(F::kMicroBatches, 1, {{F::kGlobalBatch}, {F::kDp, -1}, {F::kMicroBatch, -1}});
  return whole(working, Check::kWholeMicroBatches, F::kGlobalBatch);
}

// A rank of expert parallelism has at least one expert. Serving may keep copies of busy experts, so
// that more ranks than experts have something to do.
std::optional<Finding> ranks_of_experts(const Claim& claim, const Values& values) {
  if (!values.stated(F::kEp) || !have(values, {F::kExperts}) || serves(claim)) return std::nullopt;
  Working working(claim, values);
  working.product(F::kEp, 1, {{F::kExperts}});
  return working.compare(Check::kRanksOfExperts, F::kEp, Relation::kAtMost, Ground::kArithmetic,
                         kExact);
}

// Expert parallelism lies inside the ranks that are neither stages nor, in training, slices of a
// tensor.
std::optional<Finding> ranks_for_experts(const Claim& claim, const Values& values) {
  if (!values.stated(F::kEp) || !have(values, {F::kGpus})) return std::nullopt;
  Working working(claim, values);
  for (const F degree : {F::kTp, F::kPp}) {
    if (!values.stated(degree) || (degree == F::kTp && serves(claim))) working.assume(degree, 1);
  }
  working.product(F::kEp, 1, {{F::kGpus}, {F::kTp, -1}, {F::kPp, -1}});
  return working.compare(Check::kRanksForExperts, F::kEp, Relation::kAtMost, Ground::kArithmetic,
                         kExact);
}

constexpr std::array<FormulaRule, 5> kLayout{whole_replicas, heads_divide, whole_micro_batches,
                                             ranks_of_experts, ranks_for_experts};

}  // namespace

std::span<const FormulaRule> layout_rules() {
  return kLayout;
}

}  // namespace loadfactor::audit
