#include "validation/training/row_check.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace loadfactor::validation {

namespace {

double or_one(const std::optional<double>& value) {
  return value.value_or(1.0);
}

bool divides(double part, double whole) {
  return std::fmod(whole, part) == 0.0;
}

std::string wrong_product(const TrainingRow& row) {
  if (!row.gpus) return {};
  const double replica = or_one(row.tp) * or_one(row.pp) * or_one(row.cp);
  const double ranks = replica * or_one(row.dp);
  if (row.dp && ranks != *row.gpus)
    return fmt::format("tp {} · pp {} · cp {} · dp {} is {}, not {} GPUs", or_one(row.tp),
                       or_one(row.pp), or_one(row.cp), *row.dp, ranks, *row.gpus);
  if (!divides(replica, *row.gpus))
    return fmt::format("tp · pp · cp = {} does not divide {} GPUs", replica, *row.gpus);
  return {};
}

std::string wrong_split(const TrainingRow& row, const catalog::LayerSpec& kind) {
  const bool has_heads = kind.attention.heads > 0;
  if (has_heads && !divides(or_one(row.tp), kind.attention.heads))
    return fmt::format("{} heads do not divide by tp {}", kind.attention.heads, *row.tp);
  const double ep = std::max(1.0, or_one(row.ep));
  if (kind.moe.experts > 0 && !divides(ep, kind.moe.experts))
    return fmt::format("{} experts do not divide by ep {}", kind.moe.experts, ep);
  return {};
}

}  // namespace

std::string impossible_layout(const TrainingRow& row, const catalog::ModelSpec& model) {
  if (auto wrong = wrong_product(row); !wrong.empty()) return wrong;
  for (const auto& kind : model.kinds) {
    if (auto wrong = wrong_split(row, kind); !wrong.empty()) return wrong;
  }
  if (or_one(row.pp) > model.num_layers())
    return fmt::format("{} layers do not fill pp {}", model.num_layers(), *row.pp);
  const double sequence = or_one(row.sequence);
  if (row.sequence && !divides(or_one(row.cp), sequence))
    return fmt::format("sequences of {} do not divide by cp {}", sequence, *row.cp);
  return {};
}

}  // namespace loadfactor::validation
