#include "training/step/model_work.h"

#include <algorithm>

#include "training/memory/mixer_work.h"
#include "workload/layer_weights.h"
#include "workload/parameters.h"
#include "workload/sharding.h"
#include "workload/weight_tensor.h"

namespace loadfactor::training {

namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;

bool is_of_mixer(workload::ProductRole role) {
  return role >= workload::ProductRole::kMixerIn && role <= workload::ProductRole::kMixerOut;
}

// What a tensor counts for one token: of the experts, those that a token meets.
using Weight = double (*)(const catalog::ModelSpec&, const workload::WeightTensor&);

// Inputs and outputs of the products with adapters, by how much each tensor counts.
double sum_widths(const catalog::ModelSpec& model, Adapted adapted, Weight weight) {
  double widths = 0;
  const auto tensors = workload::stage_tensors(model, workload::whole_model(model));
  for (const workload::WeightTensor& tensor : tensors) {
    const bool has_one = adapted == Adapted::kLayer || is_of_mixer(tensor.role);
    if (!has_one || !tensor.is_linear() || tensor.role == workload::ProductRole::kOutside) continue;
    widths += double(tensor.rows + tensor.columns) * weight(model, tensor);
  }
  return widths;
}

double all_copies(const catalog::ModelSpec&, const workload::WeightTensor& tensor) {
  return static_cast<double>(tensor.copies);
}

double copies_of_token(const catalog::ModelSpec& model, const workload::WeightTensor& tensor) {
  const bool is_routed = tensor.role == workload::ProductRole::kExpertUp ||
                         tensor.role == workload::ProductRole::kExpertDown;
  double chosen = 0;
  for (const auto& kind : model.kinds) chosen = std::max<double>(chosen, kind.moe.top_k);
  return is_routed ? std::min(chosen, all_copies(model, tensor)) : all_copies(model, tensor);
}

}  // namespace

double adapted_widths(const catalog::ModelSpec& model, Adapted adapted) {
  return sum_widths(model, adapted, copies_of_token);
}

double adapter_share(const catalog::ModelSpec& model, int rank, Adapted adapted) {
  // A product a → b gets a · rank and rank · b.
  const double adapters = double(rank) * sum_widths(model, adapted, all_copies);
  // The same total that shares are taken of.
  return adapters / static_cast<double>(workload::count_parameters(model).total());
}

Flops forward_products_per_token(const catalog::ModelSpec& model) {
  double weights = workload::table_weights(model);
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const auto layers = std::count(model.layers.begin(), model.layers.end(), kind);
    weights +=
        static_cast<double>(layers) * workload::layer_weights(model, model.kinds[kind]).active();
  }
  return Flops::from_base(2.0 * weights);
}

Flops forward_attention_per_token(const catalog::ModelSpec& model, std::int64_t sequence,
                                  AttentionCount count) {
  const double length = static_cast<double>(sequence);
  double work = 0;
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const auto layers = std::count(model.layers.begin(), model.layers.end(), kind);
    const AttentionSpec& spec = model.kinds[kind].attention;
    double width = 0;
    if (spec.kind == AttentionKind::kStandard) width = 2.0 * spec.heads * spec.head_dim;
    if (spec.kind == AttentionKind::kLatent) {
      width = double(spec.heads) * (spec.nope_dim + spec.rope_dim + spec.value_dim);
    }
    if (has_state(spec)) {
      const ScanWidths widths = scan_widths(spec);
      work += 2.0 * widths.products * widths.state * static_cast<double>(layers);
    }
    const double keys = count == AttentionCount::kFull ? length : attended_keys(spec, length);
    work += 2.0 * width * keys * static_cast<double>(layers);
  }
  return Flops::from_base(work);
}

Flops training_work_per_token(const catalog::ModelSpec& model, std::int64_t sequence,
                              AttentionCount count) {
  return 3.0 *
         (forward_products_per_token(model) + forward_attention_per_token(model, sequence, count));
}

}  // namespace loadfactor::training
