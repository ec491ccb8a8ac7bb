#include "validation/training/row_model.h"

#include <algorithm>
#include <cmath>

#include "base/error_codes.h"
#include "validation/row_text.h"
#include "workload/layer_weights.h"

namespace loadfactor::validation {

namespace {

using catalog::LayerSpec;
using catalog::MlpKind;
using catalog::ModelSpec;

int whole(const std::optional<double>& value, int otherwise = 0) {
  return value ? static_cast<int>(std::lround(*value)) : otherwise;
}

bool has_dimensions(const TrainingRow& row) {
  return row.layers && row.hidden && row.heads && row.ffn && row.vocab;
}

bool same_shape(const ModelSpec& model, const TrainingRow& row) {
  if (model.kinds.empty()) return false;
  const bool layers = !row.layers || whole(row.layers) == model.num_layers();
  const bool hidden = !row.hidden || whole(row.hidden) == model.hidden;
  const bool experts =
      !row.experts || std::any_of(model.kinds.begin(), model.kinds.end(), [&](const LayerSpec& k) {
        return k.moe.experts == whole(row.experts);
      });
  const bool heads =
      !row.heads || std::any_of(model.kinds.begin(), model.kinds.end(), [&](const LayerSpec& k) {
        return k.attention.heads == whole(row.heads) ||
               k.attention.kind != catalog::AttentionKind::kStandard;
      });
  return layers && hidden && experts && heads;
}

// The row's word on what the catalogue also says.
void override_dimensions(ModelSpec& model, const TrainingRow& row) {
  if (row.vocab) model.embedding.vocab = whole(row.vocab);
  for (LayerSpec& kind : model.kinds) {
    if (kind.attention.kind == catalog::AttentionKind::kStandard && row.kv_heads) {
      kind.attention.kv_heads = whole(row.kv_heads);
    }
    if (kind.moe.experts == 0 && kind.mlp.width > 0 && row.ffn && !row.experts) {
      kind.mlp.width = whole(row.ffn);
    }
    if (const auto head = number_after(row.notes, "head_dim ")) {
      if (kind.attention.kind == catalog::AttentionKind::kStandard) {
        kind.attention.head_dim = static_cast<int>(*head);
      }
    }
  }
}

double parameters(const ModelSpec& model) {
  double sum = 0;
  for (int i = 0; i < model.num_layers(); ++i) {
    sum += workload::layer_weights(model, model.layer(i)).total();
  }
  return sum;
}

// Two or three matrices in the MLP: whichever comes nearer to the published count, with the
// embedding stored once or twice.
MlpKind likelier_mlp(ModelSpec model, double published) {
  const double table = static_cast<double>(model.embedding.vocab) * model.hidden;
  const auto distance = [&](MlpKind kind) {
    model.kinds.front().mlp.kind = kind;
    const double layers = parameters(model);
    return std::min(std::abs(layers + table - published),
                    std::abs(layers + 2.0 * table - published));
  };
  return distance(MlpKind::kPlain) <= distance(MlpKind::kGated) ? MlpKind::kPlain : MlpKind::kGated;
}

// Widths of experts that nobody printed follow from the number of parameters.
int expert_width(const TrainingRow& row, const ModelSpec& model) {
  if (const auto stated = number_after(row.notes, "expert ffn ")) return static_cast<int>(*stated);
  if (!row.parameters) return whole(row.ffn);
  const double per_expert = 0.97 * *row.parameters * 1e9 / (model.num_layers() * *row.experts);
  return static_cast<int>(std::round(per_expert / (3.0 * model.hidden) / 64.0) * 64.0);
}

ModelSpec dimensions_of_row(const TrainingRow& row) {
  ModelSpec model;
  model.name = row.model;
  model.hidden = whole(row.hidden);
  model.embedding.vocab = whole(row.vocab);
  LayerSpec layer;
  layer.attention.heads = whole(row.heads);
  layer.attention.kv_heads = whole(row.kv_heads, whole(row.heads));
  layer.attention.head_dim =
      static_cast<int>(number_after(row.notes, "head_dim ").value_or(*row.hidden / *row.heads));
  layer.mlp.width = whole(row.ffn);
  model.layers.assign(static_cast<std::size_t>(whole(row.layers)), 0);
  model.kinds = {layer};
  if (row.experts && *row.experts > 0) {
    model.kinds.front().mlp.width = 0;
    catalog::MoeSpec& moe = model.kinds.front().moe;
    moe.experts = whole(row.experts);
    moe.top_k = whole(row.top_k, 1);
    moe.width = expert_width(row, model);
    if (mentions(row.notes, "shared expert")) moe.shared_width = moe.width;
  } else if (row.parameters) {
    model.kinds.front().mlp.kind = likelier_mlp(model, *row.parameters * 1e9);
    // Norms changed with the MLP.
    if (model.kinds.front().mlp.kind == MlpKind::kPlain) model.norm = catalog::NormKind::kLayer;
  }
  return model;
}

}  // namespace

Result<RowModel> model_of_row(const TrainingRow& row, const catalog::Catalog& catalog) {
  RowModel result;
  result.from_row = has_dimensions(row);
  auto found = catalog.find_model(row.model);
  if (found && same_shape(**found, row)) {
    result.spec = **found;
    override_dimensions(result.spec, row);
  } else if (has_dimensions(row)) {
    result.spec = dimensions_of_row(row);
  } else if (!found) {
    return std::move(found).error();
  } else {
    Error error;
    error.code = lf::kUnknownModel;
    error.message =
        "the dimensions of '" + row.model + "' are not the catalogue's and not complete";
    error.hint = "give layers, hidden, heads, ffn and vocab";
    return error;
  }
  result.spec.mtp_layers = mentions(row.notes, "w/ MTP") ? std::max(1, result.spec.mtp_layers) : 0;
  return result;
}

}  // namespace loadfactor::validation
