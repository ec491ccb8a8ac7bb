#include "workload/op_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "workload/weights.h"

namespace loadfactor::workload {
namespace {

Bytes bytes(double count) {
  return Bytes::from_base(count);
}
Flops flops(double count) {
  return Flops::from_base(count);
}

double elements_of(const std::vector<WeightTensor>& tensors) {
  double sum = 0;
  for (const WeightTensor& tensor : tensors) sum += static_cast<double>(tensor.elements());
  return sum;
}

}  // namespace

std::int64_t StepContext::local_tokens(const SequenceGroup& group) const {
  return group.decode ? group.tokens() : share_of(group.tokens(), sharding.cp);
}

std::int64_t StepContext::tokens() const {
  std::int64_t sum = 0;
  for (const SequenceGroup& group : batch.groups) sum += local_tokens(group);
  return sum;
}

std::int64_t StepContext::residual_tokens() const {
  return sharding.sp ? share_of(tokens(), sharding.tp) : tokens();
}

double StepContext::kv_bytes() const {
  return batch.training ? activation_bytes() : catalog::bytes_per_element(options.kv);
}

LocalTensors::LocalTensors(const std::vector<WeightTensor>& tensors, const Sharding& sharding) {
  tensors_.reserve(tensors.size());
  for (const WeightTensor& tensor : tensors) tensors_.push_back(local_part(tensor, sharding));
}

std::vector<WeightTensor> LocalTensors::pick(std::initializer_list<std::string_view> names) const {
  std::vector<WeightTensor> picked;
  for (const std::string_view name : names) {
    for (const WeightTensor& tensor : tensors_) {
      if (tensor.name == name) picked.push_back(tensor);
    }
  }
  return picked;
}

Bytes stored_bytes(const std::vector<WeightTensor>& tensors, const WeightRecipe& recipe) {
  std::int64_t sum = 0;
  for (const WeightTensor& tensor : tensors) {
    sum += data_bytes(tensor, recipe) + scale_bytes(tensor, recipe);
  }
  return bytes(static_cast<double>(sum));
}

void OpWriter::fill_product(Op& op, double rows, const std::vector<WeightTensor>& weights,
                            double share) {
  const BuildOptions& options = context_.options;
  const bool converted = std::any_of(weights.begin(), weights.end(), [&](const WeightTensor& t) {
    return is_converted(t, *options.recipe);
  });
  op.math = converted ? options.recipe->math : options.recipe->plain;
  if (options.math && !weights.empty() && weights.front().linear) op.math = *options.math;

  const auto n = static_cast<double>(op.gemm.n * op.gemm.batch);
  const auto k = static_cast<double>(op.gemm.k);
  const double input_elements = rows * k * static_cast<double>(op.gemm.batch);
  const double element = context_.activation_bytes();
  const double input_element = std::min(element, catalog::bytes_per_element(op.math));
  const Flops arithmetic = flops(2.0 * rows * n * k);
  const Bytes stored = stored_bytes(weights, *options.recipe) * share;
  op.forward = {arithmetic, bytes(input_elements * input_element) + stored,
                bytes(rows * n * element), stored};
  if (!context_.batch.training) return;
  op.backward_input = {arithmetic, bytes(rows * n * element) + stored,
                       bytes(input_elements * element), stored};
  op.backward_weight = {arithmetic, bytes((rows * n + input_elements) * element),
                        bytes(elements_of(weights) * options.gradient_bytes), Bytes()};
}

void OpWriter::gemm(std::string_view name, std::int64_t rows,
                    const std::vector<WeightTensor>& weights) {
  Op op{.name = name, .kind = OpKind::kGemm};
  op.gemm.m = rows;
  for (const WeightTensor& tensor : weights) {
    if (!tensor.linear) continue;
    LF_CHECK(op.gemm.k == 0 || op.gemm.k == tensor.columns, "fused products share their input");
    op.gemm.k = tensor.columns;
    op.gemm.n += tensor.rows;
  }
  if (op.gemm.n == 0 || rows == 0) return;
  fill_product(op, static_cast<double>(rows), weights, 1.0);
  add(std::move(op));
}

void OpWriter::batched_gemm(std::string_view name, const GemmShape& shape,
                            const std::vector<WeightTensor>& weights) {
  if (shape.m == 0) return;
  Op op{.name = name, .kind = OpKind::kGemm, .gemm = shape};
  fill_product(op, static_cast<double>(shape.m), weights, 1.0);
  add(std::move(op));
}

void OpWriter::grouped_gemm(std::string_view name, const Routed& routed,
                            const std::vector<WeightTensor>& weights) {
  Op op{.name = name, .kind = OpKind::kGroupedGemm};
  op.gemm.m = static_cast<std::int64_t>(std::ceil(routed.rows));
  for (const WeightTensor& tensor : weights) {
    if (!tensor.linear) continue;
    op.gemm.k = tensor.columns;
    op.gemm.n += tensor.rows;
    op.groups = static_cast<int>(tensor.copies);
  }
  // A token leaves an expert out with probability 1 - top_k / experts.
  const double left_out = 1.0 - static_cast<double>(routed.top_k) / routed.experts;
  op.groups_touched = op.groups * (1.0 - std::pow(left_out, routed.tokens));
  fill_product(op, routed.rows, weights, op.groups_touched / op.groups);
  add(std::move(op));
}

void OpWriter::norm(std::string_view name, std::int64_t elements,
                    const std::vector<WeightTensor>& weights, bool inner) {
  const std::int64_t streams = inner ? 1 : 2;
  pointwise(name,
            {.read = streams * elements,
             .written = streams * elements,
             .backward_read = (streams + 1) * elements,
             .backward_written = elements},
            weights);
  if (!ops_.empty()) ops_.back().kind = OpKind::kNorm;
}

void OpWriter::pointwise(std::string_view name, const Traffic& traffic,
                         const std::vector<WeightTensor>& weights) {
  Op op{.name = name, .kind = OpKind::kElementwise, .math = context_.options.activation};
  const double element = context_.activation_bytes();
  const auto moved = [&](std::int64_t n) { return bytes(static_cast<double>(n) * element); };
  const Bytes stored = stored_bytes(weights, *context_.options.recipe);
  op.forward = {Flops(), moved(traffic.read) + stored, moved(traffic.written), stored};
  if (context_.batch.training) {
    op.backward_input = {Flops(), moved(traffic.backward_read) + stored,
                         moved(traffic.backward_written), stored};
  }
  add(std::move(op));
}

int OpWriter::ranks_of(RankGroup group) const {
  switch (group) {
    case RankGroup::kTensor:
      return context_.sharding.tp;
    case RankGroup::kContext:
      return context_.sharding.cp;
    case RankGroup::kExpert:
      return context_.sharding.ep;
    case RankGroup::kExpertTensor:
      return context_.sharding.expert_tp();
    case RankGroup::kPipeline:
      return context_.sharding.pp;
    case RankGroup::kNone:
      break;
  }
  return 1;
}

void OpWriter::collective(std::string_view name, const CollectiveCall& call) {
  const int ranks = ranks_of(call.group);
  if (ranks == 1 || (call.pass == Pass::kBackward && !context_.batch.training)) return;
  Op op{.name = name, .kind = call.kind, .math = context_.options.activation};
  op.collective = {.group = call.group,
                   .ranks = ranks,
                   .payload = bytes(call.elements * context_.activation_bytes()),
                   .pass = call.pass};
  add(std::move(op));
}

Op OpWriter::pop() {
  LF_CHECK(!ops_.empty(), "there is no op to take back");
  Op op = std::move(ops_.back());
  ops_.pop_back();
  return op;
}

void OpWriter::save(std::string_view name, SavedPart part, double elements) {
  save_bytes(name, part, elements * context_.activation_bytes());
}

void OpWriter::save_bytes(std::string_view name, SavedPart part, double count) {
  if (!context_.batch.training || count == 0) return;
  LF_CHECK(!ops_.empty(), "a saved tensor belongs to an op");
  ops_.back().saved.push_back({name, part, bytes(count)});
}

}  // namespace loadfactor::workload
