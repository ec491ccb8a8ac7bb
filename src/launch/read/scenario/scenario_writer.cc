#include "launch/read/scenario/scenario_writer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"
#include "launch/vocabulary/tree.h"

namespace loadfactor::launch {
namespace {

constexpr std::array kTrainKeys{
    "train.model",
    "train.precision",
    "train.tokens",
    "train.sequence",
    "train.global_batch",
    "train.lora",
    "train.lora_targets",
    "train.method",
    "train.method.kind",
    "train.method.prompts",
    "train.method.group",
    "train.method.steps",
    "train.method.answer_tokens",
    "train.method.answer_most",
    "train.method.epochs",
    "train.method.reference",
    "train.method.placement",
    "train.method.reward.model",
    "train.method.value.model",
    "train.method.rollout.tp",
    "train.method.rollout.engine",
    "train.method.rollout.precision",
    "train.method.rollout.max_seqs",
    "train.layout.gpus",
    "train.layout.tp",
    "train.layout.pp",
    "train.layout.vp",
    "train.layout.first_layers",
    "train.layout.last_layers",
    "train.layout.cp",
    "train.layout.ep",
    "train.layout.etp",
    "train.layout.dp",
    "train.layout.zero",
    "train.layout.shard_group",
    "train.layout.micro_batch",
    "train.layout.recompute",
    "train.layout.schedule",
    "train.layout.sequence_parallel",
    "train.layout.offload",
    "train.layout.offload_layers",
    "train.layout.gradients",
    "train.layout.moments",
    "train.layout.moe.capacity_factor",
    "train.layout.moe.padded",
    "train.stack.framework",
    "train.failures.checkpoint",
};
constexpr std::array kPoolKeys{"gpu",      "tp",       "pp",    "ep", "dp",
                               "replicas", "max_seqs", "chunk", "kv"};

class ScenarioWriter {
 public:
  explicit ScenarioWriter(Findings& findings) : findings_(findings) {}

  LaunchReading write(const std::vector<Question>& questions) {
    for (const Question& each : questions) ask(each.key, each.value, each.what);
    Tree root = Tree::map();
    root.set("loadfactor", Tree::number(1));
    const Finding* name = findings_.find("name");
    root.set("name", Tree::text(name == nullptr ? "read" : name->value));
    ask_open();
    serve(root);
    train(root);
    hardware(root);
    reading_.scenario = head() + to_yaml(root) + questions_and_remarks();
    reading_.remarks = findings_.remarks();
    return std::move(reading_);
  }

 private:
  // Sets a key below a section, or keeps it as a question.
  void put(Tree& section, std::string_view name, std::string_view key) {
    const Finding* found = findings_.find(key);
    if (found == nullptr) return;
    std::string remark = found->is_guess ? "guess: " + found->why : to_text(found->place);
    section.set(std::string(name), Tree::word(found->value), remark);
    if (found->is_guess) reading_.guesses.push_back({std::string(key), found->value, found->why});
  }
  void ask(std::string_view key, std::string_view what) { ask(key, "?", what); }
  void ask(std::string_view key, std::string_view value, std::string_view what) {
    if (std::find(reading_.unknown.begin(), reading_.unknown.end(), key) != reading_.unknown.end())
      return;
    reading_.unknown.emplace_back(key);
    questions_ += fmt::format("# {}: {}   # not in the files: {}\n", key, value, what);
  }
  // Keys that a file sets to something that is not in the files.
  void ask_open() {
    for (const auto& [key, open] : findings_.open()) {
      const bool is_wanted = (key.starts_with("train.") && starts_run(findings_)) ||
                             (key.starts_with("serve.") && starts_service(findings_));
      if (is_wanted)
        ask(key, fmt::format("{}: {}", to_text(open.place), open.why));
      else
        findings_.remark(open.why, open.place);
    }
  }
  void train(Tree& root) {
    if (!starts_run(findings_)) return;
    Tree& train = root.at("train");
    for (const std::string_view key : kTrainKeys) {
      Tree* section = &train;
      std::string_view name = key.substr(6);
      for (auto dot = name.find('.');
           dot != std::string_view::npos && findings_.find(key) != nullptr; dot = name.find('.')) {
        section = &section->at(std::string(name.substr(0, dot)));
        name.remove_prefix(dot + 1);
      }
      put(*section, name, key);
    }
    drop_empty(train);
    ask_for_run();
  }
  // Who writes its own answers has prompts and their answers; others have tokens in sequences.
  void ask_for_run() {
    const bool writes = findings_.find("train.method.kind") != nullptr;
    if (findings_.find("train.model") == nullptr) ask("train.model", "which model is trained?");
    if (writes && findings_.find("train.method.prompts") == nullptr)
      ask("train.method.prompts", "how many prompts has a step?");
    if (writes && findings_.find("train.method.steps") == nullptr)
      ask("train.method.steps", "how many steps has the run?");
    if (writes) return;
    if (findings_.find("train.tokens") == nullptr) ask("train.tokens", "how many tokens in all?");
    if (findings_.find("train.sequence") == nullptr)
      ask("train.sequence", "how many tokens has a sequence?");
    if (findings_.find("train.global_batch") == nullptr)
      ask("train.global_batch", "how many sequences has a step?");
    if (findings_.find("train.layout.dp") == nullptr &&
        findings_.find("train.layout.gpus") == nullptr)
      ask("train.layout.gpus", "on how many GPUs does it run?");
  }
  static void drop_empty(Tree& section) {
    std::erase_if(section.branches, [](const Branch& branch) {
      return branch.value.kind == Tree::Kind::kMap && branch.value.branches.empty();
    });
  }
  void serve(Tree& root) {
    if (!starts_service(findings_)) return;
    Tree& serve = root.at("serve");
    put(serve, "model", "serve.model");
    put(serve, "precision", "serve.precision");
    Tree& deployment = serve.at("deployment");
    put(deployment, "engine", "serve.deployment.engine");
    put(deployment, "release", "serve.deployment.release");
    for (const char* key : kPoolKeys) put(deployment, key, fmt::format("serve.deployment.{}", key));
    put(deployment, "memory_fraction", "serve.deployment.memory_fraction");
    put(deployment, "max_waiting", "serve.deployment.max_waiting");
    for (const char* key : {"rank", "active"})
      put(deployment.at("lora"), key, fmt::format("serve.deployment.lora.{}", key));
    for (const char* key : {"least", "most", "target", "interval", "cooldown"})
      put(deployment.at("scaling"), key, fmt::format("serve.deployment.scaling.{}", key));
    for (const char* pool : {"prefill", "decode"})
      for (const char* key : kPoolKeys)
        put(deployment.at(pool), key, fmt::format("serve.deployment.{}.{}", pool, key));
    drop_empty(deployment);
    if (findings_.find("serve.model") == nullptr) ask("serve.model", "which model is served?");
    ask("serve.demand",
        "write requests_per_month, tokens_in and tokens_out, or trace: requests.csv");
    ask("serve.slo", "write ttft_p95 and tpot_p95 where something is promised");
  }
  void hardware(Tree& root) {
    const Finding* found = findings_.find("hardware");
    if (found != nullptr) {
      const std::string remark = found->is_guess ? "guess: " + found->why : to_text(found->place);
      root.set("hardware", Tree::word("[" + found->value + "]"), remark);
      if (found->is_guess) reading_.guesses.push_back({"hardware", found->value, found->why});
    } else {
      ask("hardware", "on which GPU does it run? `nvidia-smi -L` tells");
    }
    Tree limits = Tree::map();
    put(limits, "gpus", "limits.gpus");
    if (!limits.branches.empty()) root.set("limits", std::move(limits));
    if (const Finding* spot = findings_.find(kSpot)) {
      Tree money = Tree::map();
      money.set("options", Tree::word("[spot]"), to_text(spot->place));
      root.set("money", std::move(money));
    }
    if (!starts_service(findings_) && !starts_run(findings_))
      ask("serve or train", "what shall run on it?");
  }
  std::string head() const {
    return "# What runs today, read by loadfactor read. Behind each value stands where it was "
           "found; a guess\n"
           "# says why. `loadfactor plan` gives the verdict on it.\n";
  }
  std::string questions_and_remarks() const {
    std::string text = questions_.empty() ? "" : "\n" + questions_;
    const auto remarks = findings_.remarks();
    if (!remarks.empty()) text += "\n";
    for (const auto& remark : remarks) text += "# " + remark + "\n";
    return text + flags();
  }
  // The flags as they run, from which `diff` makes a patch of them.
  std::string flags() const {
    constexpr std::size_t kWidth = 90;
    std::string text;
    std::size_t width = kWidth;
    for (const std::string& flag : findings_.flags()) {
      if (width + flag.size() > kWidth) {
        text += fmt::format("\n{}", kFlagsMark);
        width = 0;
      }
      text += " " + flag;
      width += flag.size() + 1;
    }
    return text.empty() ? text : text + "\n";
  }

  Findings& findings_;
  LaunchReading reading_;
  std::string questions_;
};

}  // namespace

LaunchReading write_scenario(Findings& findings, const std::vector<Question>& questions) {
  return ScenarioWriter(findings).write(questions);
}

}  // namespace loadfactor::launch
