// `train.method` and `train.examples`: what is trained of a model, and on what.
#include <initializer_list>
#include <string>

#include "base/error_codes.h"
#include "config/magnitudes.h"
#include "config/reading/scenario_sections.h"
#include "config/scenario/scenario_words.h"

namespace loadfactor::config {
namespace {

constexpr Range kCountOfTexts = magnitude::band(1, 1e7, "a number of prompts, answers or steps");
constexpr Range kSteps = magnitude::band(1, 1e9, "steps of the run");

bool writes_answers(MethodWord kind) {
  return kind == MethodWord::kGrpo || kind == MethodWord::kPpo;
}

JudgeSection read_judge(MapReader& reader) {
  JudgeSection judge;
  judge.position = reader.position();
  judge.model = read_model(reader);
  judge.precision = placed_text(reader, "precision");
  reader.finish();
  return judge;
}

RolloutSection read_rollout(MapReader& reader) {
  RolloutSection rollout;
  rollout.position = reader.position();
  rollout.gpus = placed_int(reader, "gpus", magnitude::kNumGpus);
  rollout.tp = placed_int(reader, "tp", magnitude::kDegree);
  rollout.engine = placed_text(reader, "engine");
  rollout.release = placed_text(reader, "release");
  rollout.precision = placed_text(reader, "precision");
  rollout.kv = placed_text(reader, "kv");
  rollout.max_seqs =
      placed_integer(reader, "max_seqs", magnitude::band(1, 1e7, "sequences in one batch"));
  if (rollout.release && !rollout.engine)
    reader.report("release", lf::kContradictoryKeys, "a release without an engine",
                  "write 'engine: vllm' as well");
  const bool uneven = rollout.gpus && rollout.tp && rollout.gpus->value % rollout.tp->value != 0;
  if (uneven)
    reader.report("gpus", lf::kNotDivisible,
                  std::to_string(rollout.gpus->value) +
                      " GPUs are no whole number of replicas of " +
                      std::to_string(rollout.tp->value),
                  "gpus = replicas · tp");
  reader.finish();
  return rollout;
}

void read_numbers(MapReader& reader, MethodSection& ask) {
  ask.prompts = placed_integer(reader, "prompts", kCountOfTexts);
  ask.group = placed_integer(reader, "group", kCountOfTexts);
  ask.steps = placed_integer(reader, "steps", kSteps);
  const auto tokens = [&](std::string_view key) {
    return placed(reader, key, reader.maybe_amount<Tokens>(key, magnitude::kSequenceTokens));
  };
  ask.prompt_tokens = tokens("prompt_tokens");
  ask.answer_tokens = tokens("answer_tokens");
  ask.answer_most = tokens("answer_most");
  ask.answer_spread = placed(
      reader, "answer_spread",
      reader.maybe_count(
          "answer_spread",
          {0, 3, false, "the standard deviation of the logarithm of a length, such as 0.8"}));
  ask.epochs = placed_integer(reader, "epochs",
                              {1, 100, false, "times that the trainer goes over the answers"});
  ask.reference = placed(reader, "reference", reader.maybe_boolean("reference"));
  ask.placement =
      placed(reader, "placement", reader.maybe_word<PlacementWord>("placement", kPlacementWords));
  ask.off_policy = placed_int(reader, "off_policy",
                              {0, 64, false, "steps by which answers may be older: 0, 1, 2"});
  if (auto map = reader.map("reward", false)) ask.reward = read_judge(*map);
  if (auto map = reader.map("teacher", false)) ask.teacher = read_judge(*map);
  if (auto map = reader.map("value", false)) ask.value = read_judge(*map);
  if (auto map = reader.map("rollout", false)) ask.rollout = read_rollout(*map);
}

void refuse_all(MapReader& reader, std::initializer_list<std::string_view> keys,
                const std::string& why, const std::string& hint) {
  for (const std::string_view key : keys)
    if (reader.has(key))
      reader.report(key, lf::kContradictoryKeys, "'" + std::string(key) + "' " + why, hint);
}

// GRPO compares the answers of a group, and the others have no value to learn.
void check_value(MapReader& reader, MethodWord kind) {
  if (kind == MethodWord::kPpo || !reader.has("value")) return;
  reader.report("value", lf::kContradictoryKeys,
                "only ppo trains a value model beside the one that answers",
                "write kind: ppo, or leave out 'value'; a model that judges answers and is not "
                "trained is 'reward'");
}

void check_answers(MapReader& reader, const MethodSection& ask) {
  for (const std::string_view key : {"prompts", "answer_tokens"})
    if (!reader.has(key))
      reader.report(key, lf::kMissingKey,
                    "a method whose answers are written needs '" + std::string(key) + "'",
                    "such as method: {kind: grpo, prompts: 64, group: 16, answer_tokens: 2000}");
  if (ask.answer_most && ask.answer_tokens && ask.answer_most->value < ask.answer_tokens->value)
    reader.report("answer_most", lf::kInconsistentFigures,
                  "answers cannot be cut below their mean length",
                  "swap 'answer_most' and 'answer_tokens', or correct one");
  if (ask.kind.value == MethodWord::kGrpo && ask.group && ask.group->value < 2)
    reader.report("group", lf::kOutOfRange, "a group of one answer has nothing to compare",
                  "write group: 8, or kind: ppo");
  const bool colocated = ask.placement && ask.placement->value == PlacementWord::kColocated;
  if (colocated && ask.off_policy && ask.off_policy->value > 0)
    reader.report("off_policy", lf::kContradictoryKeys,
                  "the same GPUs cannot write the next answers while they learn from these",
                  "write placement: split, or off_policy: 0");
  if (colocated && ask.rollout && ask.rollout->gpus)
    reader.report("rollout", lf::kContradictoryKeys,
                  "colocated GPUs all write and all learn, so that 'rollout.gpus' shares out none",
                  "write placement: split, or leave out 'gpus'");
  refuse_all(reader, {"teacher"}, "belongs to kind: distillation", "leave it out");
}

void check_method(MapReader& reader, const MethodSection& ask) {
  const MethodWord kind = ask.kind.value;
  check_value(reader, kind);
  if (writes_answers(kind)) return check_answers(reader, ask);
  refuse_all(reader,
             {"prompts", "group", "prompt_tokens", "answer_tokens", "answer_spread", "answer_most",
              "epochs", "reward", "placement", "off_policy", "rollout", "steps"},
             "belongs to methods that write answers, grpo and ppo",
             "leave it out, or change 'kind'");
  if (kind != MethodWord::kDpo)
    refuse_all(reader, {"reference"}, "belongs to kind: dpo, grpo and ppo", "leave it out");
  if (kind == MethodWord::kDistillation && !reader.has("teacher"))
    reader.report("teacher", lf::kMissingKey, "distillation needs a 'teacher'",
                  "such as teacher: {model: llama-3.3-70b}");
  if (kind != MethodWord::kDistillation)
    refuse_all(reader, {"teacher"}, "belongs to kind: distillation", "leave it out");
}

}  // namespace

std::optional<MethodSection> read_method(MapReader& section) {
  const Node* node = section.node("method");
  if (node == nullptr) return std::nullopt;
  MethodSection ask;
  ask.position = section.position_of("method");
  if (node->kind == NodeKind::kScalar) {
    const auto word = section.maybe_word<MethodWord>("method", kMethodWords);
    if (!word) return std::nullopt;
    ask.kind = {*word, ask.position};
    if (writes_answers(*word) || *word == MethodWord::kDistillation)
      section.report("method", lf::kMissingKey, "this method has numbers of its own",
                     "such as method: {kind: grpo, prompts: 64, group: 16, answer_tokens: 2000}");
    return ask;
  }
  auto map = section.map("method", false);
  if (!map) return std::nullopt;
  const auto word = map->maybe_word<MethodWord>("kind", kMethodWords);
  if (!map->has("kind"))
    map->report("kind", lf::kMissingKey, "'method' needs 'kind'",
                "one of: full, lora, qlora, dpo, distillation, grpo, ppo");
  ask.kind = {word.value_or(MethodWord::kFull), map->position_of("kind")};
  read_numbers(*map, ask);
  if (word) check_method(*map, ask);
  map->finish();
  return ask;
}

std::optional<ExampleSection> read_examples(MapReader& section) {
  auto map = section.map("examples", false);
  if (!map) return std::nullopt;
  ExampleSection ask;
  ask.position = map->position();
  const auto tokens = map->maybe_amount<Tokens>("tokens", magnitude::kSequenceTokens);
  if (!map->has("tokens"))
    map->report("tokens", lf::kMissingKey, "'examples' needs 'tokens', their mean length",
                "such as examples: {tokens: 600, packing: true}");
  ask.tokens = {tokens.value_or(Tokens::from_base(1.0)), map->position_of("tokens")};
  ask.packing = placed(*map, "packing", map->maybe_boolean("packing"));
  map->finish();
  return ask;
}

void check_tuning(MapReader& section, const TrainSection& ask) {
  const bool is_whole = ask.method && ask.method->kind.value == MethodWord::kFull;
  if (ask.lora && is_whole)
    section.report("lora", lf::kContradictoryKeys,
                   "adapters of a rank, and a method that trains all weights",
                   "write method: lora, or leave out 'lora'");
  const bool adapts = ask.lora || (ask.method && (ask.method->kind.value == MethodWord::kLora ||
                                                  ask.method->kind.value == MethodWord::kQlora));
  if (ask.lora_targets && !adapts)
    section.report("lora_targets", lf::kContradictoryKeys,
                   "what has adapters is said, and all weights are trained",
                   "add lora: 16, or leave out 'lora_targets'");
  const bool writes = ask.method && writes_answers(ask.method->kind.value);
  if (writes && ask.tokens)
    section.report("tokens", lf::kContradictoryKeys,
                   "the tokens of this method are what prompts, answers and steps make",
                   "leave out 'tokens', and write method.steps");
  if (writes && ask.global_batch)
    section.report("global_batch", lf::kContradictoryKeys,
                   "the batch of this method is prompts · group", "leave out 'global_batch'");
  if (writes && ask.examples)
    section.report("examples", lf::kContradictoryKeys,
                   "this method learns from answers, whose lengths 'method' says",
                   "leave out 'examples'");
  if (ask.examples && ask.sequence &&
      ask.examples->tokens.value > Tokens::from_base(static_cast<double>(ask.sequence->value)))
    section.report("examples", lf::kInconsistentFigures,
                   "examples are longer than the sequences they stand in",
                   "raise 'sequence', or correct 'examples.tokens'");
}

}  // namespace loadfactor::config
