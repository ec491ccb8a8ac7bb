// Arguments of the Trainer of Hugging Face, on a command line or in a file, and of what is built on
// it: LLaMA-Factory, TRL, Axolotl.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "launch/findings/flags.h"
#include "launch/findings/nodes.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

constexpr const char* kZero = "train.layout.zero";
constexpr const char* kOffload = "train.layout.offload";
constexpr const char* kMethod = "train.method";

// The table's flags, and those that are read in words of their own.
Program trainer_flags(const std::vector<TrainerFlag>& rows) {
  std::vector<Flag> known;
  for (const TrainerFlag& row : rows) known.push_back(row.flag);
  for (const char* name : {"--deepspeed_config", "--optim", "--optimizer", "--adapter", "--config"})
    known.push_back({name, {}, FlagKind::kText, {}, {}});
  // The Trainer's own `--deepspeed` names a file, that of DeepSpeed stands alone.
  for (const char* name :
       {"--fsdp", "--deepspeed", "--lora_target", "--lora_target_modules", "--target_modules"})
    known.push_back({name, {}, FlagKind::kList, {}, {}});
  for (const char* name : {"--load_in_4bit", "--lora_target_linear", "--fsdp_offload_params",
                           "--fsdp_activation_checkpointing", "--disable_gradient_checkpointing"})
    known.push_back({name, {}, FlagKind::kSwitch, {}, {}});
  known.push_back({"--quantization_bit", {}, FlagKind::kInteger, {}, {}});
  known.push_back({"--fsdp_reshard_after_forward", {}, FlagKind::kText, {}, {}});
  return {"trainer", {}, std::move(known)};
}

// All words behind a flag in one text.
std::string all_words(const GivenFlags& flags, std::string_view name) {
  const GivenFlag* given = flags.find(name);
  std::string all;
  if (given != nullptr)
    for (const Word& word : given->values) all += (all.empty() ? "" : " ") + word.text;
  return all;
}

// `--fsdp "full_shard auto_wrap"`.
void read_sharding(const GivenFlags& flags) {
  const std::string words = all_words(flags, "--fsdp");
  const auto has = [&](std::string_view word) { return words.find(word) != std::string::npos; };
  const std::string reshard = flags.text("--fsdp_reshard_after_forward");
  const bool keeps = reshard == "false" || reshard == "False";
  if (has("full_shard")) flags.say("--fsdp", kZero, keeps ? 2 : 3);
  if (has("shard_grad_op")) flags.say("--fsdp", kZero, 2);
  if (has("offload")) flags.say("--fsdp", kOffload, "[optimizer, parameters]");
  if (flags.has("--fsdp_offload_params"))
    flags.say("--fsdp_offload_params", kOffload, "[optimizer, parameters]");
  if (flags.has("--fsdp_activation_checkpointing"))
    flags.say("--fsdp_activation_checkpointing", "train.layout.recompute", "full");
  if (!has("hybrid_shard")) return;
  flags.say("--fsdp", kZero, has("hybrid_shard_zero2") ? 2 : 3);
  flags.say("--fsdp", "hybrid_shard", "hybrid_shard");
}

// The first of several flags that say one thing stands for all, where none is given.
void ask_for_open_words(const GivenFlags& flags, const std::vector<TrainerFlag>& rows) {
  std::vector<GivenFlags::FlagKey> open;
  std::set<std::string> said;
  for (const TrainerFlag& row : rows)
    if (flags.find(row.flag.name) != nullptr) said.insert(row.key);
  if (flags.find("--fsdp") != nullptr || flags.find("--deepspeed") != nullptr) said.insert(kZero);
  for (const TrainerFlag& row : rows)
    if (row.key.starts_with("train.") && said.insert(row.key).second)
      open.push_back({row.flag.name, row.key});
  flags.leave_rest_open(false, open);
}

// A recipe that is named beside the arguments, `--config sft.yaml` or a word of its own, may say
// what they leave out.
void ask_for_recipe(const Invocation& call, const GivenFlags& flags,
                    const std::vector<TrainerFlag>& rows, Findings& findings) {
  constexpr const char* kFlag = "--config";
  std::string file = flags.text(kFlag);
  Place where = flags.place(kFlag);
  for (const Word& word : flags.others()) {
    const bool is_recipe = word.text.ends_with(".yaml") || word.text.ends_with(".yml");
    if (!is_recipe || !word.is_known || !file.empty()) continue;
    file = word.text;
    where = place_of(call.source, word);
  }
  if (file.empty() || findings.is_given(file)) return;
  // Degrees of parallelism stand in few recipes, and would leave all of the layout open.
  for (const char* key : {"train.model", "train.precision", "train.sequence",
                          "train.layout.micro_batch", "train.layout.recompute"}) {
    const bool is_said = std::any_of(rows.begin(), rows.end(), [&](const TrainerFlag& row) {
      return row.key == key && flags.find(row.flag.name) != nullptr;
    });
    if (!is_said)
      findings.leave_open(key, where, fmt::format("{} may say it: give that file, too", file));
  }
  findings.remark(fmt::format("{} is not read, and what it sets is not known", file), where);
}

// A scenario has two moments in one format; what an optimizer keeps otherwise is said.
void read_optimizer(const GivenFlags& flags, std::string_view flag, Findings& findings) {
  constexpr const char* kMoments = "train.layout.moments";
  if (flags.leaves_open(flag, kMoments)) return;
  std::string name = flags.text(flag);
  if (name.empty()) return;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto known = optimizer_named(name);
  if (known && known->says.empty()) return;
  const bool is_short = known && known->moments == "bf16";
  if (is_short)
    findings.guess(kMoments, "bf16",
                   fmt::format("{}: the nearest format that a scenario has", name));
  findings.remark(fmt::format("{} {}: {}; the prediction has two of each trained parameter, in {} "
                              "bits",
                              flag, name, known ? known->says : "what it keeps is not known",
                              is_short ? 16 : 32),
                  flags.place(flag));
}

// Whether adapters stand beside the attention alone, by the names of the products.
void read_targets(const GivenFlags& flags, std::string_view flag, Findings& findings) {
  constexpr const char* kTargets = "train.lora_targets";
  const std::string words = all_words(flags, flag);
  const Finding* method = findings.find(kMethod);
  const bool adapts = findings.find("train.lora") != nullptr ||
                      (method != nullptr && method->value.ends_with("lora"));
  if (words.empty() || !adapts || flags.leaves_open(flag, kTargets)) return;
  if (words == "all" || words == "all-linear") return flags.say(flag, kTargets, "all-linear");
  const bool has_mlp =
      words.find("gate") != std::string::npos || words.find("up_proj") != std::string::npos ||
      words.find("down_proj") != std::string::npos || words.find("mlp") != std::string::npos;
  findings.guess(kTargets, has_mlp ? "all-linear" : "attention",
                 fmt::format("{} is {}", flag, words.substr(0, 80)));
}

// What is trained of the model: adapters beside weights of 16 or 4 bits, or on pairs of answers.
void read_method(const GivenFlags& flags, Findings& findings) {
  const std::string adapter = flags.text("--adapter");
  const auto bits = flags.number("--quantization_bit");
  const char* four = flags.has("--load_in_4bit") ? "--load_in_4bit"
                     : bits && *bits == 4        ? "--quantization_bit"
                     : adapter == "qlora"        ? "--adapter"
                                                 : nullptr;
  const char* pairs = flags.text("--stage") == "dpo" ? "--stage"
                      : flags.text("--rl") == "dpo"  ? "--rl"
                                                     : nullptr;
  if (pairs != nullptr) flags.say(pairs, kMethod, "dpo");
  if (four != nullptr && pairs != nullptr)
    findings.remark(fmt::format("{}: a scenario of pairs has its frozen weights in 16 bits", four),
                    flags.place(four));
  else if (four != nullptr)
    flags.say(four, kMethod, "qlora");
  else if (pairs == nullptr && (adapter == "lora" || flags.text("--finetuning_type") == "lora"))
    flags.say(adapter == "lora" ? "--adapter" : "--finetuning_type", kMethod, "lora");
  if (bits && *bits != 4)
    findings.remark(fmt::format("--quantization_bit {}: a scenario has frozen weights in 16 bits "
                                "(lora) or 4 (qlora)",
                                *bits),
                    flags.place("--quantization_bit"));
  for (const char* name : {"--lora_target", "--lora_target_modules", "--target_modules"})
    read_targets(flags, name, findings);
  if (flags.has("--lora_target_linear"))
    flags.say("--lora_target_linear", "train.lora_targets", "all-linear");
}

// Which trainer it is, by arguments that it alone has.
void name_trainer(const Invocation& call, const GivenFlags& flags, Findings& findings) {
  for (const char* name : {"--per_device_train_batch_size", "--model_name_or_path", "--base_model"})
    if (flags.find(name) != nullptr) findings.set(kPlainTrainer, "seen", call.at);
  if (flags.find("--finetuning_type") != nullptr || flags.find("--cutoff_len") != nullptr)
    findings.set(kPlainFactory, "seen", call.at);
  if (flags.has("--disable_gradient_checkpointing"))
    flags.say("--disable_gradient_checkpointing", "train.layout.recompute", "none");
}

void read_row(GivenFlags& flags, const TrainerFlag& row, Findings& findings) {
  const GivenFlag* given = flags.find(row.flag.name);
  if (given == nullptr) return;
  if (row.key.empty()) {
    const std::string words = all_words(flags, row.flag.name);
    const std::string value = !words.empty() ? words : given->says_no ? "no" : "yes";
    const std::string harmless = fmt::format("|{}|", row.value);
    if (harmless.find(fmt::format("|{}|", value)) == std::string::npos)
      findings.remark(fmt::format("{} {}: {}", row.flag.name, value.substr(0, 80), row.remark),
                      flags.place(row.flag.name));
  } else if (row.value.empty()) {
    row.flag.kind == FlagKind::kInteger ? flags.count(row.flag.name, row.key)
                                        : flags.word(row.flag.name, row.key);
  } else if (!given->says_no) {
    flags.say(row.flag.name, row.key, row.value);
  }
}

// Words of a file as a command line would have them.
void add_words(const Source& source, const config::Member& each, std::vector<Word>& all,
               Findings& findings) {
  const Node& value = each.value;
  const bool is_full = each.key == "bf16" && value.scalar == "full";
  const bool moves_activations = each.key == "gradient_checkpointing" && value.scalar == "offload";
  if (each.key == "bf16" && value.scalar == "auto")
    findings.guess("train.precision", "bf16", "bf16 is auto: so it is where the GPU has it");
  if (value.kind == NodeKind::kScalar && value.scalar == "auto")
    return findings.remark(each.key + " is auto: the program decides", place(source, &value));
  if (value.kind == NodeKind::kNull || value.kind == NodeKind::kMap) return;
  const auto add = [&](std::string flag) {
    all.push_back({std::move(flag), each.key_position.line, each.key_position.column, true});
  };
  if (moves_activations) add("--activation_offloading");
  add(is_full ? "--pure_bf16" : "--" + each.key);
  if (value.kind == NodeKind::kScalar && !is_full && !moves_activations) all.push_back(word(value));
  for (const Node& item : value.items)
    if (item.kind == NodeKind::kScalar) all.push_back(word(item));
}

// `fsdp_config` of the Trainer, whose keys have a prefix or none.
void add_sharding(const Source& source, const Node& config, std::vector<Word>& all,
                  Findings& findings) {
  constexpr std::string_view kPrefix = "fsdp_";
  for (auto each : config.members) {
    if (!each.key.starts_with(kPrefix)) each.key = std::string(kPrefix) + each.key;
    add_words(source, each, all, findings);
  }
}

// Axolotl shards by PyTorch's second FSDP where its configuration stands without a list of words.
void add_second_sharding(const Node& root, std::vector<Word>& all) {
  const Node* version = member(root, "fsdp_version");
  const bool is_second = version != nullptr && version->scalar == "2";
  if (!is_second || member(root, "base_model") == nullptr || member(root, "fsdp") != nullptr)
    return;
  for (const auto& each : root.members) {
    if (each.key != "fsdp_config" || each.value.members.empty()) continue;
    for (const char* text : {"--fsdp", "full_shard"})
      all.push_back({text, each.key_position.line, each.key_position.column, true});
  }
}

}  // namespace

void read_trainer(const Invocation& call, Findings& findings) {
  const auto rows = read_trainer_flags();
  GivenFlags flags(trainer_flags(rows), call.source, call.words, findings);
  for (const TrainerFlag& row : rows) read_row(flags, row, findings);
  name_trainer(call, flags, findings);
  read_sharding(flags);
  read_method(flags, findings);
  for (const char* name : {"--optim", "--optimizer"}) read_optimizer(flags, name, findings);
  // Only PyTorch's second FSDP has other degrees beside it.
  const bool has_degrees = findings.number("train.layout.tp").value_or(1) > 1 ||
                           findings.number("train.layout.cp").value_or(1) > 1;
  if (flags.find("--fsdp") != nullptr)
    findings.guess("train.stack.framework", has_degrees ? "fsdp2" : "hf-fsdp", "by --fsdp");
  ask_for_open_words(flags, rows);
  ask_for_recipe(call, flags, rows, findings);
  for (const char* name : {"--deepspeed", "--deepspeed_config"})
    ask_for_file(flags, name, {kZero, "train.precision"}, findings);
  if (flags.find("--deepspeed") != nullptr)
    findings.guess("train.stack.framework", "deepspeed 0.18", "by --deepspeed");
  call.is_dump ? flags.tell_keys() : flags.tell();
}

bool looks_like_trainer(const Node& root) {
  const bool is_trainer = member(root, "model_name_or_path") != nullptr &&
                          member(root, "per_device_train_batch_size") != nullptr;
  const bool is_axolotl =
      member(root, "base_model") != nullptr && member(root, "micro_batch_size") != nullptr;
  return is_trainer || is_axolotl;
}

void read_trainer_yaml(const Source& source, const Node& root, Findings& findings) {
  findings.has_launch = true;
  const AsConfiguration weight(findings);
  std::vector<Word> all;
  for (const auto& each : root.members) add_words(source, each, all, findings);
  if (const Node* config = member(root, "fsdp_config"))
    add_sharding(source, *config, all, findings);
  add_second_sharding(root, all);
  read_trainer({.source = source, .words = all, .at = {&source, 1}, .is_dump = true}, findings);
  if (const Node* zero = member(root, "deepspeed"); zero != nullptr && zero->kind == NodeKind::kMap)
    read_deepspeed_json(source, *zero, findings);
  findings.guess("program", "pytorch", "by the Trainer's arguments");
}

}  // namespace loadfactor::launch
