#include "catalog/validators/model_validator.h"

#include <string>
#include <string_view>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

// One rule: where it is broken, and what it says.
struct Rule {
  bool broken;
  std::string_view key;
  std::string_view message;
};

void apply(const ModelSpec& spec, std::initializer_list<Rule> rules, const EntryCheck& check) {
  for (const auto& rule : rules) {
    if (!rule.broken) continue;
    check.report(spec.provenance, rule.key,
                 Error{.code = lf::kInconsistentFigures,
                       .message = spec.name + ": " + std::string(rule.message)});
  }
}

bool divides(int divisor, int number) {
  return divisor > 0 && number % divisor == 0;
}

void check_attention(const ModelSpec& model, const AttentionSpec& spec, const EntryCheck& check) {
  const bool standard = spec.kind == AttentionKind::kStandard;
  const bool linear = spec.kind == AttentionKind::kLinear;
  const bool mamba = spec.kind == AttentionKind::kMamba2;
  apply(
      model,
      {{standard && !divides(spec.kv_heads, spec.heads), "kv_heads", "kv_heads must divide heads"},
       {standard && spec.head_dim % 2 != 0, "head_dim", "head_dim must be even"},
       {(spec.out_rank > 0) != (spec.out_groups > 0), "out_rank",
        "out_rank and out_groups come together"},
       {spec.out_groups > 0 && !divides(spec.out_groups, spec.heads), "out_groups",
        "out_groups must divide heads"},
       {spec.compress > 0 && spec.window == 0, "compress",
        "compress speaks of tokens past a window, and there is none"},
       {spec.sparse_top_k > 0 && spec.q_rank == 0, "sparse",
        "the indexer of sparse attention reads the compressed query: q_rank is missing"},
       {linear && !divides(spec.key_heads, spec.value_heads), "key_heads",
        "key_heads must divide value_heads"},
       {mamba && !divides(spec.groups, spec.value_heads), "groups",
        "groups must divide inner_heads"}},
      check);
}

void check_moe(const ModelSpec& model, const MoeSpec& spec, const EntryCheck& check) {
  apply(model,
        {{spec.top_k > spec.experts, "top_k", "more experts are chosen than there are"},
         {spec.shared_gate && spec.shared_width == 0, "gate",
          "a gate of a shared expert that does not exist"}},
        check);
}

}  // namespace

void validate(const ModelSpec& spec, const EntryCheck& check) {
  for (const auto& kind : spec.kinds) {
    check_attention(spec, kind.attention, check);
    check_moe(spec, kind.moe, check);
    apply(spec,
          {{kind.attention.kind == AttentionKind::kNone && kind.mlp.width == 0 &&
                kind.moe.experts == 0,
            "layer_kinds", "a kind of layer has nothing in it"}},
          check);
  }
  apply(spec,
        {{spec.embedding.head_bias && spec.embedding.tied && spec.embedding.project > 0,
          "head_bias", "a bias of a head that is projected and tied"},
         {spec.has_decoder_apart() && !spec.tower, "cross",
          "layers that attend to a tower, and there is none"},
         {!spec.causal && spec.generates(), "causal",
          "tokens that see the tokens after them cannot be written one after the other"},
         {!spec.kinds.empty() && spec.layer(0).attention.kv == KvSource::kReuse, "kv",
          "the first layer has no earlier one whose keys it could reuse"}},
        check);
  check.check_provenance(spec.provenance, "architecture of " + spec.name);
  check.check_provenance(spec.published_provenance, "published count of " + spec.name);
}

}  // namespace loadfactor::catalog
