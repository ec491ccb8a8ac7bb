#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/magnitudes.h"
#include "config/reading/scenario_sections.h"
#include "config/scenario/scenario_words.h"

namespace loadfactor::config {
namespace {

constexpr Range kStageLayers{1, 1e6, false, "layers of a stage"};

bool is_recompute_word(std::string_view text) {
  return std::any_of(kRecomputeWords.begin(), kRecomputeWords.end(),
                     [text](const auto& word) { return word.text == text; });
}

// With all three forms.
void refuse_recompute(MapReader& reader, const Node& node) {
  std::vector<std::string> words;
  std::string hint;
  for (const auto& word : kRecomputeWords) {
    words.emplace_back(word.text);
    hint += (hint.empty() ? "one of: " : ", ") + words.back();
  }
  const char* before = "; or a list such as [";
  for (const auto& word : kModuleWords) {
    hint += before + std::string(word.text);
    before = ", ";
  }
  const auto nearest = suggest(node.scalar, words);
  reader.report("recompute", lf::kUnknownWord,
                "'" + node.scalar + "' is not a value of 'recompute'",
                (nearest ? "did you mean '" + *nearest + "'? " : std::string()) + hint +
                    "]; or {layers: 4} of each stage");
}

// One word, a list of modules, or how many layers of each stage: `{layers: 4}`.
void read_recompute(MapReader& reader, Layout& layout) {
  const Node* node = reader.node("recompute");
  if (node == nullptr || (node->kind != NodeKind::kList && node->kind != NodeKind::kMap)) {
    const bool word = node != nullptr && node->kind == NodeKind::kScalar;
    if (word && !is_recompute_word(node->scalar)) return refuse_recompute(reader, *node);
    layout.recompute =
        placed(reader, "recompute", reader.maybe_word<RecomputeWord>("recompute", kRecomputeWords));
    return;
  }
  const Position place = reader.position_of("recompute");
  if (node->kind == NodeKind::kMap) {
    auto map = reader.map("recompute");
    const auto layers = placed_int(*map, "layers", {1, 1e6, false, "layers of each stage"});
    if (!layers && !map->has("layers"))
      map->report("layers", lf::kMissingKey, "'recompute' needs 'layers'",
                  "write recompute: {layers: 4}, or recompute: full");
    map->finish();
    layout.recompute = Placed<RecomputeWord>{RecomputeWord::kFull, place};
    layout.recompute_layers = layers ? layers->value : 0;
    return;
  }
  for (const Node* item : reader.items("recompute")) {
    if (const auto word = reader.word_of<ModuleWord>(*item, "recompute", kModuleWords))
      layout.recompute_modules.push_back(*word);
  }
  layout.recompute = Placed<RecomputeWord>{
      node->items.empty() ? RecomputeWord::kNone : RecomputeWord::kModules, place};
}

// `none`, one word or a list of words.
Given<std::vector<OffloadWord>> read_offload(MapReader& reader) {
  if (!reader.has("offload")) {
    reader.allow("offload");
    return std::nullopt;
  }
  Placed<std::vector<OffloadWord>> offload{{}, reader.position_of("offload")};
  const auto items = reader.items("offload");
  const bool is_none = items.size() == 1 && items[0]->scalar == "none";
  if (is_none) return offload;
  for (const Node* item : items) {
    if (const auto word = reader.word_of<OffloadWord>(*item, "offload", kOffloadWords))
      offload.value.push_back(*word);
  }
  return offload;
}

std::int64_t value_or_one(const Given<int>& degree) {
  return degree ? degree->value : 1;
}

// The numbers of GPUs next to the one given that two products of degrees divide.
std::string nearest_gpus(std::int64_t gpus, std::int64_t fixed, std::int64_t rest) {
  constexpr std::int64_t kMaxGpus = 10'000'000;  // Beyond it nobody builds, and 64 bits would end.
  const bool absurd = fixed > kMaxGpus || rest > kMaxGpus || fixed * rest > kMaxGpus;
  if (absurd) return "gpus = tp · pp · cp · dp";
  const std::int64_t product = fixed * rest;
  const std::int64_t below = gpus / product * product;
  const std::string above = std::to_string(below + product);
  if (below == 0) return "gpus = tp · pp · cp · dp; nearest that is: gpus: " + above;
  return "gpus = tp · pp · cp · dp; nearest that are: gpus: " + std::to_string(below) + " and " +
         above;
}

// The divisors of a number next to a degree that is none, below and above it. Heads divide by
// powers of two as a rule and by little else, so that tp is offered those alone.
std::string nearest_degrees(const std::string& key, std::int64_t wanted, std::int64_t gpus) {
  const auto divides = [&](std::int64_t degree) {
    const bool offered = key != "tp" || (degree & (degree - 1)) == 0;
    return offered && gpus % degree == 0;
  };
  std::int64_t below = std::min(wanted, gpus);
  while (!divides(below)) --below;
  std::int64_t above = wanted;
  while (above <= gpus && !divides(above)) ++above;
  const std::string found = key + ": " + std::to_string(below);
  if (above > gpus) return "nearest that does: " + found;
  return "nearest that do: " + found + " and " + std::to_string(above);
}

// Where one degree alone does not divide the GPUs, another one; else another number of GPUs.
std::string product_hint(const Layout& layout, std::int64_t fixed, std::int64_t rest) {
  const std::int64_t gpus = layout.gpus->value;
  const std::pair<const char*, const Given<int>*> degrees[] = {
      {"tp", &layout.tp}, {"cp", &layout.cp}, {"pp", &layout.pp}, {"dp", &layout.dp}};
  for (const auto& [key, degree] : degrees)
    if (*degree && gpus % (*degree)->value != 0)
      return "gpus = tp · pp · cp · dp; " + nearest_degrees(key, (*degree)->value, gpus);
  return nearest_gpus(gpus, fixed, rest);
}

bool pp_alone_divides_not(const Layout& layout) {
  const auto divides = [&](const Given<int>& degree) {
    return !degree || layout.gpus->value % degree->value == 0;
  };
  return divides(layout.tp) && divides(layout.cp) && !divides(layout.pp);
}

// gpus = tp · pp · cp · dp; what is not given may still be chosen, so the rest must divide.
void check_product(MapReader& reader, const Layout& layout) {
  if (!layout.gpus) return;
  const std::int64_t gpus = layout.gpus->value;
  const std::int64_t fixed = value_or_one(layout.tp) * value_or_one(layout.pp);
  // Two steps, each of factors below 10^6, so that the product stays within 64 bits.
  const std::int64_t rest = value_or_one(layout.cp) * value_or_one(layout.dp);
  const bool fits = fixed <= gpus && rest <= gpus && fixed * rest <= gpus;
  const bool complete = layout.tp && layout.pp && layout.cp && layout.dp;
  if (complete && (!fits || fixed * rest != gpus)) {
    reader.report("gpus", lf::kInconsistentFigures,
                  "tp · pp · cp · dp is not " + std::to_string(gpus),
                  "correct one of them, or leave 'dp' to the planner");
  } else if (pp_alone_divides_not(layout)) {
    return;  // Told where the layers are known.
  } else if (!fits || gpus % (fixed * rest) != 0) {
    reader.report("gpus", lf::kNotDivisible,
                  "tp, pp, cp and dp as given do not divide " + std::to_string(gpus) + " GPUs",
                  product_hint(layout, fixed, rest));
  }
}

void check_pipeline(MapReader& reader, const Layout& layout) {
  const bool one_stage = layout.pp && layout.pp->value == 1;
  if (one_stage && layout.vp && layout.vp->value > 1)
    reader.report("vp", lf::kContradictoryKeys, "virtual stages need a pipeline, and pp is 1",
                  "leave it out, or write pp: 2 or more");
  if (one_stage && layout.schedule)
    reader.report("schedule", lf::kContradictoryKeys, "a schedule needs a pipeline, and pp is 1",
                  "leave it out, or write pp: 2 or more");
  const bool interleaved = layout.schedule && layout.schedule->value == ScheduleWord::kInterleaved;
  if (interleaved && layout.vp && layout.vp->value == 1)
    reader.report("vp", lf::kContradictoryKeys, "an interleaved schedule needs vp: 2 or more",
                  "write vp: 2, or schedule: 1f1b");
  if (!interleaved && layout.schedule && layout.vp && layout.vp->value > 1)
    reader.report("vp", lf::kContradictoryKeys,
                  "vp counts the chunks of an interleaved schedule, and another one is written",
                  "leave vp out, or write schedule: interleaved");
}

// The first and the last stage may differ from the rest where a rank does not hold both.
void check_ends(MapReader& reader, const Layout& layout) {
  for (const char* key : {"first_layers", "last_layers"}) {
    if (!reader.has(key)) continue;
    if (layout.pp && layout.pp->value == 1)
      reader.report(key, lf::kContradictoryKeys,
                    "a first and a last stage need a pipeline, and pp is 1",
                    "leave it out, or write pp: 2 or more");
    const bool both_ends =
        layout.schedule && (layout.schedule->value == ScheduleWord::kZeroBubbleV ||
                            layout.schedule->value == ScheduleWord::kDualPipe);
    if (both_ends)
      reader.report(key, lf::kContradictoryKeys,
                    "under this schedule a rank holds a stage of either half, the first and the "
                    "last one together",
                    "leave it out, or write schedule: 1f1b, interleaved, gpipe or zero-bubble");
  }
}

// Keys that say more about another one need that one.
void check_companions(MapReader& reader, const Layout& layout) {
  if (layout.shard_group && !(layout.zero && layout.zero->value > 0))
    reader.report("shard_group", lf::kContradictoryKeys,
                  "a group to shard over needs something to shard: zero: 1, 2 or 3",
                  "write zero: 3 as well, or leave it out");
  const bool activations =
      layout.offload && std::find(layout.offload->value.begin(), layout.offload->value.end(),
                                  OffloadWord::kActivations) != layout.offload->value.end();
  if (layout.offload_layers && !activations)
    reader.report("offload_layers", lf::kContradictoryKeys,
                  "layers to offload need offload: activations",
                  "write it as well, or leave 'offload_layers' out");
  const bool inputs_only = layout.recompute && layout.recompute->value == RecomputeWord::kFull;
  if (layout.offload_layers && inputs_only)
    reader.report("offload_layers", lf::kContradictoryKeys,
                  "of layers that are recomputed in full the inputs leave, of all alike",
                  "leave it out");
}

void check_expert_groups(MapReader& reader, const Layout& layout) {
  if (!layout.gpus) return;
  const std::int64_t experts = value_or_one(layout.ep) * value_or_one(layout.etp);
  if (experts > layout.gpus->value)
    reader.report("ep", lf::kInconsistentFigures,
                  "experts are spread over " + std::to_string(experts) + " of " +
                      std::to_string(layout.gpus->value) + " GPUs");
}

ExpertSection read_experts(MapReader& reader) {
  ExpertSection ask;
  ask.position = reader.position();
  ask.imbalance = placed_ratio(reader, "imbalance",
                               {1, 64, false, "tokens of the busiest rank over the mean: 1.2"});
  ask.spread =
      placed_ratio(reader, "spread", {0, 2, false, "the standard deviation of its logarithm: 0.2"});
  ask.capacity_factor =
      placed_ratio(reader, "capacity_factor",
                   {0.1, 64, false, "tokens that an expert takes over the mean: 1.25"});
  ask.padded = placed(reader, "padded", reader.maybe_boolean("padded"));
  ask.dispatch =
      placed(reader, "dispatch", reader.maybe_word<DispatchWord>("dispatch", kDispatchWords));
  reader.finish();
  return ask;
}

CompressionSection read_compression(MapReader& reader) {
  CompressionSection ask;
  ask.position = reader.position();
  ask.kind = placed(reader, "kind", reader.maybe_word<CompressionWord>("kind", kCompressionWords));
  ask.rank = placed_int(reader, "rank", {1, 1024, false, "4 is usual"});
  if (!ask.kind)
    reader.report("kind", lf::kMissingKey, "'compression' needs 'kind'", "kind: powersgd or 1-bit");
  if (ask.rank && ask.kind && ask.kind->value != CompressionWord::kPowerSgd)
    reader.report("rank", lf::kContradictoryKeys, "only powersgd has a rank", "leave it out");
  reader.finish();
  return ask;
}

Layout read_layout(MapReader& reader) {
  Layout layout;
  layout.position = reader.position();
  layout.gpus = placed_int(reader, "gpus", magnitude::kNumGpus);
  layout.tp = placed_int(reader, "tp", magnitude::kDegree);
  layout.pp = placed_int(reader, "pp", magnitude::kDegree);
  layout.vp = placed_int(reader, "vp", magnitude::kDegree);
  layout.first_layers = placed_int(reader, "first_layers", kStageLayers);
  layout.last_layers = placed_int(reader, "last_layers", kStageLayers);
  layout.cp = placed_int(reader, "cp", magnitude::kDegree);
  layout.ep = placed_int(reader, "ep", magnitude::kDegree);
  layout.etp = placed_int(reader, "etp", magnitude::kDegree);
  layout.dp = placed_int(reader, "dp", magnitude::kDegree);
  layout.zero = placed_int(reader, "zero", {0, 3, false, "ZeRO stages are 0, 1, 2 and 3"});
  layout.shard_group =
      placed_int(reader, "shard_group", {2, 1e6, false, "data-parallel ranks that share one copy"});
  layout.micro_batch = placed_integer(reader, "micro_batch", magnitude::band(1, 1e6, "sequences"));
  read_recompute(reader, layout);
  layout.schedule =
      placed(reader, "schedule", reader.maybe_word<ScheduleWord>("schedule", kScheduleWords));
  layout.sequence_parallel =
      placed(reader, "sequence_parallel", reader.maybe_boolean("sequence_parallel"));
  layout.offload = read_offload(reader);
  layout.offload_layers = placed_int(reader, "offload_layers", kStageLayers);
  layout.offload_link =
      placed(reader, "offload_link",
             reader.maybe_quantity<BytesPerSecond>("offload_link", magnitude::kBandwidth));
  layout.gradients =
      placed(reader, "gradients", reader.maybe_word<GradientWord>("gradients", kGradientWords));
  layout.moments =
      placed(reader, "moments", reader.maybe_word<MomentWord>("moments", kMomentWords));
  layout.kept = placed(reader, "kept", reader.maybe_word<KeptWord>("kept", kKeptWords));
  if (auto map = reader.map("moe", false)) layout.moe = read_experts(*map);
  if (auto map = reader.map("compression", false)) layout.compression = read_compression(*map);
  check_product(reader, layout);
  check_pipeline(reader, layout);
  check_ends(reader, layout);
  check_companions(reader, layout);
  check_expert_groups(reader, layout);
  reader.finish();
  return layout;
}

Stack read_stack(MapReader& reader) {
  Stack stack;
  stack.position = reader.position();
  stack.framework = placed_text(reader, "framework");
  stack.release = placed_text(reader, "release");
  stack.year = placed_int(reader, "year", {2012, 2100, false, "the year of the software"});
  if (reader.has("release") && !reader.has("framework"))
    reader.report("release", lf::kContradictoryKeys, "a release without a framework",
                  "write 'framework: megatron' as well");
  reader.finish();
  return stack;
}

FailureSection read_failures(MapReader& reader) {
  const auto time = [&](std::string_view key) {
    return placed(reader, key, reader.maybe_quantity<Seconds>(key, magnitude::kRecovery));
  };
  FailureSection ask;
  ask.checkpoint = placed(reader, "checkpoint",
                          reader.maybe_word<CheckpointWord>("checkpoint", kCheckpointWords));
  ask.interval = time("interval");
  ask.storage = placed(reader, "storage",
                       reader.maybe_quantity<BytesPerSecond>("storage", magnitude::kBandwidth));
  ask.restart = time("restart");
  ask.detection = time("detection");
  ask.repair = time("repair");
  ask.spares = placed_int(reader, "spares", {0, 1e6, false, "nodes that stand by"});
  ask.elastic = placed(reader, "elastic", reader.maybe_boolean("elastic"));
  reader.finish();
  return ask;
}

// One word, or a list that a search may choose from.
void read_precision(MapReader& section, TrainSection& ask) {
  if (!section.has("precision")) return section.allow("precision");
  const auto items = section.items("precision");
  for (const Node* item : items) {
    auto word = section.text_of(*item, "precision");
    if (word) ask.precisions.push_back({*std::move(word), item->position});
  }
  if (!ask.precisions.empty()) ask.precision = ask.precisions[0];
  if (items.empty())
    section.report("precision", lf::kMissingKey, "'precision' is an empty list",
                   "name one, or leave 'precision' out for bf16");
}

constexpr Range kSequences = magnitude::band(1, 1e9, "in sequences, not in tokens");

StageSection read_stage(MapReader& reader) {
  StageSection stage;
  stage.position = reader.position();
  stage.sequence = placed_integer(reader, "sequence", magnitude::kSequenceTokens);
  stage.tokens =
      placed(reader, "tokens", reader.maybe_amount<Tokens>("tokens", magnitude::kTrainingTokens));
  stage.global_batch = placed_integer(reader, "global_batch", kSequences);
  for (const char* key : {"sequence", "tokens"})
    if (!reader.has(key))
      reader.report(key, lf::kMissingKey, fmt::format("a stage needs '{}'", key),
                    "write stages: [{sequence: 131072, tokens: 100 B, global_batch: 64}]");
  reader.finish();
  return stage;
}

// The first stage is what the section itself says, so that every other key has one meaning.
void check_stages(MapReader& section, const TrainSection& ask) {
  if (ask.stages.empty()) return;
  if (!ask.sequence || !ask.tokens)
    section.report("stages", lf::kMissingKey,
                   "the first stage stands in 'train' itself, and 'stages' are those that follow",
                   fmt::format("write the first one as train: {{sequence: …, tokens: …, "
                               "global_batch: …}} and {} here",
                               ask.stages.size() > 1 ? "the others" : "what comes after it"));
  const auto kind = ask.method ? ask.method->kind.value : MethodWord::kFull;
  const bool is_text =
      kind == MethodWord::kFull || kind == MethodWord::kLora || kind == MethodWord::kQlora;
  if (!is_text)
    section.report("stages", lf::kContradictoryKeys,
                   "stages are of training on text, and the method has phases beside it",
                   "leave out 'stages', or write method: full");
  if (ask.examples)
    section.report("stages", lf::kContradictoryKeys,
                   "stages differ in the length of sequences, and examples fill sequences of one",
                   "leave out 'examples', or ask for each stage by itself");
}

// A batch beyond the critical one is refused where it stands.
void check_critical_batch(MapReader& section, const TrainSection& ask) {
  if (!ask.critical_batch || !ask.global_batch || !ask.sequence) return;
  const double batch =
      static_cast<double>(ask.global_batch->value) * static_cast<double>(ask.sequence->value);
  if (batch > ask.critical_batch->value.base())
    section.report("global_batch", lf::kInconsistentFigures,
                   "a step of " + std::to_string(static_cast<std::int64_t>(batch)) +
                       " tokens is beyond the critical batch",
                   "lower 'global_batch', or leave it out: the search then keeps to the critical "
                   "batch");
}

// A global batch is a whole number of micro-batches on every data-parallel rank.
void check_batch(MapReader& section, const TrainSection& ask) {
  if (!ask.global_batch || !ask.layout || !ask.layout->dp) return;
  const std::int64_t per_step =
      ask.layout->dp->value * (ask.layout->micro_batch ? ask.layout->micro_batch->value : 1);
  if (ask.global_batch->value % per_step != 0)
    section.report("global_batch", lf::kNotDivisible,
                   "a global batch of " + std::to_string(ask.global_batch->value) +
                       " is not a multiple of dp · micro_batch = " + std::to_string(per_step));
}

}  // namespace

TrainSection read_train(MapReader& section) {
  TrainSection ask;
  ask.position = section.position();
  ask.model = read_model(section);
  read_precision(section, ask);
  ask.tokens =
      placed(section, "tokens", section.maybe_amount<Tokens>("tokens", magnitude::kTrainingTokens));
  ask.deadline = placed(section, "deadline",
                        section.maybe_quantity<Seconds>("deadline", magnitude::kDeadline));
  ask.sequence = placed_integer(section, "sequence", magnitude::kSequenceTokens);
  ask.global_batch = placed_integer(section, "global_batch", kSequences);
  ask.lora = placed_int(section, "lora", {1, 65536, false, "the rank of the adapters"});
  ask.lora_targets = placed(section, "lora_targets",
                            section.maybe_word<LoraTargets>("lora_targets", kLoraTargets));
  if (section.has("method")) ask.method = read_method(section);
  section.allow("method");
  ask.examples = read_examples(section);
  for (auto& map : section.maps("stages", false)) ask.stages.push_back(read_stage(map));
  ask.data_rate =
      placed(section, "data_rate",
             section.maybe_quantity<TokensPerSecond>("data_rate", magnitude::kTokenRate));
  ask.critical_batch =
      placed(section, "critical_batch",
             section.maybe_amount<Tokens>("critical_batch", magnitude::kTrainingTokens));
  if (auto map = section.map("failures", false)) ask.failures = read_failures(*map);
  check_critical_batch(section, ask);
  if (auto map = section.map("layout", false)) ask.layout = read_layout(*map);
  if (auto map = section.map("stack", false)) ask.stack = read_stack(*map);
  check_batch(section, ask);
  check_tuning(section, ask);
  check_stages(section, ask);
  section.finish();
  return ask;
}

}  // namespace loadfactor::config
