#include "training/job/memory_traits_reader.h"

#include <array>
#include <string_view>

#include "catalog/load/entry_reader.h"

namespace loadfactor::training {
namespace {

using config::MapReader;
using config::Range;
using config::Word;

constexpr std::array kLadders{Word<RecomputeLadder>{"modules", RecomputeLadder::kModules},
                              Word<RecomputeLadder>{"layers", RecomputeLadder::kLayers},
                              Word<RecomputeLadder>{"host", RecomputeLadder::kHost}};
constexpr Range kWidth{0, 32};      // Bytes per element.
constexpr Range kReserve{0, 64e9};  // Bytes.

StateWidths read_widths(MapReader& reader, std::string_view key, StateWidths otherwise) {
  auto block = reader.map(key, false);
  if (!block) return otherwise;
  StateWidths widths;
  widths.weight = block->ratio("weight", kWidth);
  widths.gradient = block->ratio("gradient", kWidth);
  widths.optimizer = block->ratio("optimizer", kWidth);
  widths.shard_gradient = block->maybe_ratio("shard_gradient", kWidth).value_or(0.0);
  block->finish();
  return widths;
}

void read_kept_tensors(MapReader& block, MemoryTraits& traits) {
  const auto claim = [&](std::string_view key) { return block.maybe_boolean(key).value_or(false); };
  traits.norm_copies = block.maybe_ratio("norm_copies", kWidth).value_or(0.0);
  traits.gate_copies = block.maybe_ratio("gate_copies", kWidth).value_or(0.0);
  traits.rotary_copies = claim("rotary_copies");
  traits.dropout_masks = claim("dropout_masks");
  traits.narrow_inputs = claim("narrow_inputs");
  traits.narrow_gate = claim("narrow_gate");
  traits.in_place_gate = claim("in_place_gate");
  traits.expert_output = claim("expert_output");
  traits.stage_outputs = claim("stage_outputs");
  traits.dummy_gradients = claim("dummy_gradients");
}

void read_gathered(MapReader& reader, MemoryTraits& traits) {
  auto block = reader.map("gathered", false);
  if (!block) return;
  traits.gathered_weight = block->ratio("weight", kWidth);
  traits.gathered_gradient = block->ratio("gradient", kWidth);
  traits.gathered_layers = static_cast<int>(block->integer("layers", {0, 16}));
  traits.pipeline_gradient = block->maybe_ratio("pipeline_gradient", kWidth).value_or(0.0);
  block->finish();
}

}  // namespace

MemoryTraits read_memory_traits(MapReader& block) {
  MemoryTraits traits;
  traits.state = read_widths(block, "state", traits.state);
  traits.state_fp16 = read_widths(block, "state_fp16", traits.state);
  traits.loss = block.ratio("loss_per_logit", kWidth);
  traits.loss_tp = block.maybe_ratio("loss_per_logit_tp", kWidth).value_or(traits.loss);
  traits.head_gradient_at_loss = block.maybe_boolean("head_gradient_at_loss").value_or(false);
  traits.late_gradient = block.maybe_ratio("late_gradient", kWidth).value_or(0.0);
  read_kept_tensors(block, traits);
  read_gathered(block, traits);
  traits.buckets = block.maybe_quantity<Bytes>("buckets", kReserve).value_or(Bytes());
  traits.driver = block.maybe_quantity<Bytes>("driver", kReserve).value_or(Bytes());
  traits.slack = block.ratio("slack");
  traits.context = block.quantity<Bytes>("context", kReserve);
  traits.ladder = block.word<RecomputeLadder>("ladder", kLadders, traits.ladder);
  traits.provenance = catalog::read_provenance(block);
  block.finish();
  return traits;
}

}  // namespace loadfactor::training
