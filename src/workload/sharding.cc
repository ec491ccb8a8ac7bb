#include "workload/sharding.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/error_codes.h"

namespace loadfactor::workload {
namespace {

using catalog::AttentionKind;
using catalog::LayerSpec;
using catalog::ModelSpec;

// A count that a degree has to divide. Where ranks may hold copies (key-value heads), the
// count may divide the degree instead.
struct Rule {
  std::string_view what;
  std::int64_t units = 0;
  bool copies = false;

  bool allows(std::int64_t degree) const {
    return units == 0 || units % degree == 0 || (copies && degree % units == 0);
  }
  friend bool operator==(const Rule&, const Rule&) = default;
};
using Rules = std::vector<Rule>;

void add_once(Rules& rules, Rule rule) {
  if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
}

void add_attention_rules(Rules& rules, const catalog::AttentionSpec& attention) {
  switch (attention.kind) {
    case AttentionKind::kNone:
      break;
    case AttentionKind::kStandard:
      add_once(rules, {"attention heads", attention.heads});
      add_once(rules, {"key-value heads", attention.kv_heads, true});
      break;
    case AttentionKind::kLatent:
      add_once(rules, {"attention heads", attention.heads});
      break;
    case AttentionKind::kLinear:
      add_once(rules, {"key heads of linear attention", attention.key_heads});
      add_once(rules, {"value heads of linear attention", attention.value_heads});
      break;
    case AttentionKind::kMamba2:
      add_once(rules, {"state-space heads", attention.value_heads});
      add_once(rules, {"state-space groups", attention.groups, true});
      break;
  }
}

Rules tp_rules(const ModelSpec& model) {
  Rules rules;
  for (const LayerSpec& kind : model.kinds) {
    add_attention_rules(rules, kind.attention);
    add_once(rules, {"features of the MLP", kind.mlp.width});
    add_once(rules, {"features of the shared experts", kind.moe.shared_width});
  }
  return rules;
}

Rules expert_rules(const ModelSpec& model, std::string_view what, int catalog::MoeSpec::*field) {
  Rules rules;
  for (const LayerSpec& kind : model.kinds) add_once(rules, {what, kind.moe.*field});
  return rules;
}

bool allowed(const Rules& rules, std::int64_t degree) {
  return std::all_of(rules.begin(), rules.end(), [&](const Rule& r) { return r.allows(degree); });
}

// "8 or 16": the nearest degrees below and above that `legal` accepts.
std::string nearest(int degree, int limit, const std::function<bool(int)>& legal) {
  std::string text;
  for (int below = std::min(degree - 1, limit); below >= 1; --below) {
    if (!legal(below)) continue;
    text = fmt::format("{}", below);
    break;
  }
  for (int above = degree + 1; above <= limit; ++above) {
    if (!legal(above)) continue;
    text += text.empty() ? fmt::format("{}", above) : fmt::format(" or {}", above);
    break;
  }
  return text;
}

void check_rules(std::string_view name, int degree, const Rules& rules, Diagnostics& found) {
  for (const Rule& rule : rules) {
    if (rule.allows(degree)) continue;
    const int limit = static_cast<int>(std::max<std::int64_t>(rule.units, degree));
    const auto legal = [&](int d) { return allowed(rules, d); };
    found.add(Error{
        .code = lf::kNotDivisible,
        .message =
            fmt::format("{} {} does not divide the {} {}", name, degree, rule.units, rule.what),
        .hint = fmt::format("the nearest {} that does is {}", name, nearest(degree, limit, legal)),
    });
  }
}

bool check_degrees(const Sharding& s, Diagnostics& found) {
  const std::pair<std::string_view, int> degrees[] = {
      {"tp", s.tp}, {"cp", s.cp}, {"ep", s.ep}, {"etp", s.etp == 0 ? 1 : s.etp},
      {"pp", s.pp}, {"vp", s.vp}, {"dp", s.dp},
  };
  for (const auto& [name, degree] : degrees) {
    if (degree >= 1) continue;
    found.add(Error{.code = lf::kOutOfRange,
                    .message = fmt::format("{} must be at least 1, not {}", name, degree),
                    .hint = fmt::format("write {}: 1 to leave it out", name)});
  }
  return found.empty();
}

void check_layers(int layers, const Sharding& s, Diagnostics& found) {
  if (s.vp > 1 && s.pp == 1) {
    found.add(Error{.code = lf::kNotDivisible,
                    .message = fmt::format("vp {} needs a pipeline, and pp is 1", s.vp),
                    .hint = "set pp to 2 or more, or vp to 1"});
    return;
  }
  const auto legal = [&](int pp) {
    const int chunks = pp * s.vp;
    return s.uneven ? chunks <= layers : layers % chunks == 0;
  };
  if (legal(s.pp)) return;
  const std::string near = nearest(s.pp, layers, legal);
  found.add(Error{
      .code = lf::kNotDivisible,
      .message = fmt::format("{} layers do not split into {} equal chunks (pp {} × vp {})", layers,
                             s.pp * s.vp, s.pp, s.vp),
      .hint = near.empty() ? "lower vp"
                           : fmt::format("the nearest pp that does is {}{}", near,
                                         s.uneven ? "" : "; or allow uneven stages"),
  });
}

void check_expert_ranks(const Sharding& s, Diagnostics& found) {
  const std::int64_t ranks = std::int64_t{s.tp} * s.cp * s.dp;
  const std::int64_t wanted = std::int64_t{s.ep} * s.expert_tp();
  if (ranks % wanted == 0) return;
  const auto legal = [&](int ep) { return ranks % (std::int64_t{ep} * s.expert_tp()) == 0; };
  const std::string near =
      nearest(s.ep, static_cast<int>(std::min<std::int64_t>(ranks, 1 << 20)), legal);
  found.add(Error{
      .code = lf::kNotDivisible,
      .message = fmt::format("ep {} × etp {} does not divide the {} ranks of a stage "
                             "(tp {} × cp {} × dp {})",
                             s.ep, s.expert_tp(), ranks, s.tp, s.cp, s.dp),
      .hint = near.empty() ? fmt::format("lower etp to a divisor of {}", ranks)
                           : fmt::format("the nearest ep that does is {}", near),
  });
}

std::vector<int> chunk_sizes(int layers, int chunks) {
  std::vector<int> sizes(static_cast<std::size_t>(chunks), layers / chunks);
  const int rest = layers % chunks;
  for (int i = 0; i < rest; ++i) ++sizes[static_cast<std::size_t>(chunks - 2 - i)];
  return sizes;
}

}  // namespace

Stage whole_model(const ModelSpec& model) {
  Stage stage;
  stage.layers.resize(static_cast<std::size_t>(model.num_layers()));
  std::iota(stage.layers.begin(), stage.layers.end(), 0);
  return stage;
}

Stage pipeline_stage(const ModelSpec& model, const Sharding& sharding, int index) {
  LF_CHECK(index >= 0 && index < sharding.pp, "there is no such stage");
  const int chunks = sharding.pp * sharding.vp;
  Stage stage{.layers = {}, .first = index == 0, .last = index == sharding.pp - 1};
  int next = 0;
  const std::vector<int> sizes = chunk_sizes(model.num_layers(), chunks);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    for (int i = 0; i < sizes[static_cast<std::size_t>(chunk)]; ++i, ++next) {
      if (chunk % sharding.pp == index) stage.layers.push_back(next);
    }
  }
  return stage;
}

Diagnostics validate_sharding(const ModelSpec& model, const Sharding& sharding) {
  Diagnostics found;
  if (!check_degrees(sharding, found)) return found;
  check_rules("tp", sharding.tp, tp_rules(model), found);
  const Rules experts = expert_rules(model, "experts", &catalog::MoeSpec::experts);
  check_rules("ep", sharding.ep, experts, found);
  const bool has_experts =
      std::any_of(experts.begin(), experts.end(), [](const Rule& r) { return r.units > 0; });
  if (has_experts) {
    check_rules("etp", sharding.expert_tp(),
                expert_rules(model, "features of an expert", &catalog::MoeSpec::width), found);
    check_expert_ranks(sharding, found);
  } else if (sharding.ep > 1) {
    found.add(
        Error{.code = lf::kNotDivisible,
              .message = fmt::format("ep {} spreads experts, and the model has none", sharding.ep),
              .hint = "set ep to 1"});
  }
  check_layers(model.num_layers(), sharding, found);
  return found;
}

std::vector<int> legal_tp(const ModelSpec& model, int limit) {
  std::vector<int> legal;
  const Rules rules = tp_rules(model);
  for (int tp = 1; tp <= limit; ++tp) {
    if (allowed(rules, tp)) legal.push_back(tp);
  }
  return legal;
}

}  // namespace loadfactor::workload
