// Our own marks in a script, and the variables that programs take from their environment.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/read/scripts/script_parts.h"
#include "launch/shell/shell_reader.h"
#include "launch/vocabulary/titan_models.h"

namespace loadfactor::launch {

void read_marks(const Source& source, const ShellText& script, Findings& findings) {
  constexpr std::string_view kMark = "# loadfactor:";
  for (const Word& comment : script.comments) {
    if (!comment.text.starts_with(kMark)) continue;
    const auto words =
        split_words(std::string_view(comment.text).substr(kMark.size()), comment.line,
                    comment.column + static_cast<std::uint32_t>(kMark.size()));
    for (const Word& word : words) {
      const auto equals = word.text.find('=');
      if (equals == std::string::npos) continue;
      const std::string key = word.text.substr(0, equals);
      const std::string value = word.text.substr(equals + 1);
      const Place place = place_of(source, word);
      if (value.empty()) continue;
      if (key == "hardware") findings.set("hardware", value, place);
      if (key == "framework") findings.set("train.stack.framework", value, place);
      if (key == "model") findings.set("mark.model", value, place);
      if (key == "release") findings.set("serve.deployment.release", '"' + value + '"', place);
      if (key == "gpus") findings.set("world", value, place);
      if (key == "gpus") findings.set("mark.gpus", value, place);
      if (key == "replicas") findings.set("serve.deployment.replicas", value, place);
      if (key == "prefill.replicas")
        findings.set("serve.deployment.prefill.replicas", value, place);
      if (key == "decode.replicas") findings.set("serve.deployment.decode.replicas", value, place);
    }
  }
}

namespace {

void read_strategy(const Source& source, const Word& word, Findings& findings) {
  struct StrategyRow {
    std::string_view word, stage;
  };
  constexpr std::array kStrategies{StrategyRow{"ddp", "0"}, StrategyRow{"zero-1", "1"},
                                   StrategyRow{"fsdp-gradients", "2"}, StrategyRow{"fsdp", "3"},
                                   StrategyRow{"hsdp", "3"}};
  const auto* row = std::find_if(kStrategies.begin(), kStrategies.end(),
                                 [&](const StrategyRow& each) { return each.word == word.text; });
  if (row == kStrategies.end())
    return findings.error(lf::kWrongType, place_of(source, word),
                          fmt::format("LF_STRATEGY: '{}' is no strategy", word.text),
                          "ddp, zero-1, fsdp-gradients, fsdp or hsdp");
  findings.take("train.layout.zero", std::string(row->stage), place_of(source, word), word.doubt);
  findings.guess("train.stack.framework", word.text == "ddp" ? "distributeddataparallel" : "fsdp2",
                 "by its strategy");
}

}  // namespace

void read_variables(const Source& source, const ShellText& script, Findings& findings) {
  struct VariableRow {
    std::string_view name, key;
  };
  constexpr std::array kRows{
      VariableRow{"LF_MODEL", "train.model"},
      VariableRow{"LF_SEQUENCE", "train.sequence"},
      VariableRow{"LF_MICRO_BATCH", "train.layout.micro_batch"},
      VariableRow{"LF_GRADIENT_ACCUMULATION", "accumulation"},
      VariableRow{"LF_GLOBAL_BATCH", "train.global_batch"},
      VariableRow{"LF_PRECISION", "train.precision"},
      VariableRow{"LF_STEPS", "steps"},
      VariableRow{"LF_SHARD_GROUP", "train.layout.shard_group"},
  };
  const auto find = [&](std::string_view name) {
    const auto found = script.variables.find(name);
    return found == script.variables.end() || !found->second.is_known ? nullptr : &found->second;
  };
  for (const auto& [name, key] : kRows)
    if (const Word* word = find(name))
      findings.take(key, word->text, place_of(source, *word), word->doubt);
  if (const Word* word = find("LF_RECOMPUTE")) {
    const bool is_word = word->text == "none" || word->text == "selective" || word->text == "full";
    const bool is_layers = word->text.starts_with("layers:");
    findings.set("train.layout.recompute",
                 is_word     ? word->text
                 : is_layers ? "{layers: " + word->text.substr(7) + "}"
                             : "[" + word->text + "]",
                 place_of(source, *word));
  }
  if (const Word* word = find("LF_SAVE_MODE"); word != nullptr && word->text == "synchronous")
    findings.take("train.failures.checkpoint", word->text, place_of(source, *word), word->doubt);
  if (const Word* word = find("NEURON_LOGICAL_NC_CONFIG");
      word != nullptr && whole_number(word->text))
    findings.take(kNeuronJoined, word->text, place_of(source, *word), word->doubt);
  if (const Word* word = find("LF_OFFLOAD"))
    findings.set("train.layout.offload", "[" + word->text + "]", place_of(source, *word));
  if (const Word* word = find("LF_STRATEGY")) read_strategy(source, *word, findings);
}

void read_visible(std::string_view devices, const Place& place, Findings& findings) {
  if (devices.empty() || devices.front() == '-') return;
  const auto count = std::count(devices.begin(), devices.end(), ',') + 1;
  // Servers of one script may have different ones: the most that one of them has.
  if (findings.number("visible").value_or(0) >= count) return;
  findings.erase("visible");
  findings.set("visible", static_cast<std::int64_t>(count), place);
}

void read_titan_variables(const Source& source, const Variables& variables, Findings& findings) {
  const Finding* program = findings.find("program");
  if (program == nullptr || program->value != "torchtitan") return;
  const auto find = [&](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() || !found->second.is_known ? nullptr : &found->second;
  };
  if (const Word* word = find("NGPU"); word != nullptr && whole_number(word->text))
    findings.take("gpus_per_node", word->text, place_of(source, *word), word->doubt);
  for (const char* name : {"CONFIG", "CONFIG_FILE"}) {
    const Word* word = find(name);
    if (word == nullptr) continue;
    // A file of an earlier release is called as the configuration is today.
    std::string_view config = word->text;
    config.remove_prefix(config.rfind('/') + 1);
    if (config.ends_with(".toml")) config.remove_suffix(5);
    if (const auto model = titan_model_of(std::string(config)); !model.model.empty())
      findings.guess("train.model", model.model, "the configuration " + word->text);
  }
}

void read_factory_variables(const Source& source, const Variables& variables, Findings& findings) {
  const Finding* launcher = findings.find(kPlainLauncher);
  const bool is_factory = launcher != nullptr && launcher->value == "llamafactory-cli";
  if (!is_factory && findings.find(kPlainSwift) == nullptr) return;
  for (const auto& [name, key] :
       {std::pair("NNODES", "nodes"), std::pair("NPROC_PER_NODE", "gpus_per_node")}) {
    const auto found = variables.find(std::string_view(name));
    if (found == variables.end()) continue;
    const Word& word = found->second;
    if (word.is_known && whole_number(word.text))
      findings.take(key, word.text, place_of(source, word), word.doubt);
    else
      findings.leave_open(key, place_of(source, word), std::string(name) + " is set elsewhere");
  }
  if (!is_factory && findings.find("gpus_per_node") != nullptr)
    findings.guess("nodes", "1", "ms-swift's default");
}

}  // namespace loadfactor::launch
