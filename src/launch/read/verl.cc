// verl: `python3 -m verl.trainer.main_ppo`, whose arguments are Hydra's overrides of a
// configuration, and that configuration itself.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/findings/nodes.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

const std::string kMethod = "train.method.";

struct KeyRow {
  std::string_view theirs, ours;
};
// Whole numbers that a scenario has under another name.
constexpr std::array kCounts{
    KeyRow{"data.train_batch_size", "train.method.prompts"},
    KeyRow{"data.max_response_length", "train.method.answer_most"},
    KeyRow{"actor_rollout_ref.rollout.n", "train.method.group"},
    KeyRow{"actor_rollout_ref.rollout.response_length", "train.method.answer_most"},
    KeyRow{"actor_rollout_ref.rollout.tensor_model_parallel_size", "train.method.rollout.tp"},
    KeyRow{"actor_rollout_ref.rollout.max_num_seqs", "train.method.rollout.max_seqs"},
    KeyRow{"actor_rollout_ref.actor.ppo_epochs", "train.method.epochs"},
    KeyRow{"actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu", "train.layout.micro_batch"},
    KeyRow{"actor_rollout_ref.actor.ulysses_sequence_parallel_size", "train.layout.cp"},
    KeyRow{"actor_rollout_ref.actor.megatron.tensor_model_parallel_size", "train.layout.tp"},
    KeyRow{"actor_rollout_ref.actor.megatron.pipeline_model_parallel_size", "train.layout.pp"},
    KeyRow{"actor_rollout_ref.actor.megatron.context_parallel_size", "train.layout.cp"},
    KeyRow{"actor_rollout_ref.actor.megatron.expert_model_parallel_size", "train.layout.ep"},
    KeyRow{"actor_rollout_ref.actor.megatron.expert_tensor_parallel_size", "train.layout.etp"},
    KeyRow{"actor_rollout_ref.model.lora_rank", "train.lora"},
    KeyRow{"trainer.n_gpus_per_node", "gpus_per_node"},
    KeyRow{"trainer.nnodes", "nodes"},
    KeyRow{"trainer.total_training_steps", "train.method.steps"},
};

class VerlReader {
 public:
  VerlReader(const Invocation& call, Findings& findings) : call_(call), findings_(findings) {
    for (std::size_t i = 0; i < call.words.size(); ++i) {
      take(call.words[i]);
      const bool is_last = i + 1 == call.words.size();
      if (call.words[i].text == "--config-name" && !is_last)
        configuration_name_ = call.words[i + 1].text;
    }
  }

  void read() {
    findings_.has_launch = true;
    findings_.guess("program", "verl", call_.is_dump ? "by its keys" : "by its module");
    // Adapters of rank 0 are none.
    if (text("actor_rollout_ref.model.lora_rank") == "0") find("actor_rollout_ref.model.lora_rank");
    for (const auto& [theirs, ours] : kCounts)
      if (!(ours == "train.lora" && text(theirs) == "0")) count(theirs, ours);
    findings_.guess("nodes", "1", "verl's default");
    findings_.guess("gpus_per_node", "8", "verl's default");
    model();
    kind();
    critic();
    reference();
    rollout();
    trainer();
    reward();
    remark_rest();
  }

 private:
  struct Override {
    Word word;  // The value, where it stands.
    bool is_used = false;
  };
  // `a.b=c`, `+a.b=c` and `++a.b=c`.
  void take(const Word& word) {
    const auto equals = word.text.find('=');
    const bool is_override =
        equals != std::string::npos && !word.text.starts_with('-') && !word.text.starts_with('~');
    if (!is_override) {
      constexpr std::string_view kName = "--config-name=";
      if (word.text.starts_with("--config")) configuration_ = &word;
      if (word.text.starts_with(kName)) configuration_name_ = word.text.substr(kName.size());
      if (!word.is_known && word.text.starts_with('$')) open_ = &word;
      return;
    }
    std::string name = word.text.substr(0, equals);
    name.erase(0, std::min(name.find_first_not_of('+'), name.size()));
    Word value = word;
    value.text = word.text.substr(equals + 1);
    std::erase_if(value.text, [](char c) { return c == '"' || c == '\''; });
    const auto [found, is_new] = given_.try_emplace(name, Override{value});
    if (is_new) return order_.push_back(name);
    if (found->second.word.text != value.text)
      findings_.error(lf::kContradictoryKeys, place_of(call_.source, word),
                      fmt::format("{} is given twice with two values; the other stands at line {}",
                                  name, found->second.word.line),
                      "keep the one that runs");
  }
  const Word* find(std::string_view name) {
    const auto found = given_.find(name);
    if (found == given_.end()) return nullptr;
    found->second.is_used = true;
    return &found->second.word;
  }
  std::string text(std::string_view name) {
    const Word* word = find(name);
    return word == nullptr || !word->is_known ? "" : word->text;
  }
  bool is_true(std::string_view name) {
    const std::string value = text(name);
    return value == "True" || value == "true";
  }
  Place place(std::string_view name) {
    const Word* word = find(name);
    return word == nullptr ? call_.at : place_of(call_.source, *word);
  }
  // Whether the key is given with a value that is not in the files.
  bool leaves_open(std::string_view name, const std::string& key) {
    const Word* word = find(name);
    if (word == nullptr || word->is_known) return false;
    findings_.leave_open(key, place_of(call_.source, *word),
                         fmt::format("{} is {}, which is set elsewhere", name, word->text));
    return true;
  }
  void say(std::string_view name, std::string_view key, std::string value) {
    const Word* word = find(name);
    findings_.take(key, std::move(value), place(name), word == nullptr ? "" : word->doubt);
  }
  void count(std::string_view name, std::string_view key) {
    const Word* word = find(name);
    if (word == nullptr || leaves_open(name, std::string(key))) return;
    const std::string value = plain_number(word->text);
    if (value == "null" || value == "None") return;
    if (whole_number(value)) return say(name, key, value);
    findings_.error(lf::kWrongType, place(name),
                    fmt::format("{}: '{}' is no whole number", name, word->text),
                    "digits alone, or leave it out");
  }
  void model() {
    constexpr const char* kPath = "actor_rollout_ref.model.path";
    if (!leaves_open(kPath, "train.model") && !text(kPath).empty())
      say(kPath, "train.model", text(kPath));
    if (const Word* word = find("data.max_prompt_length"))
      findings_.remark(fmt::format("data.max_prompt_length {}: prompts are cut there; add "
                                   "method.prompt_tokens, their mean length",
                                   word->text),
                       place_of(call_.source, *word));
    findings_.leave_open(kMethod + "answer_tokens", place("data.max_response_length"),
                         "the mean length of an answer is of the model, and no argument has it");
  }
  // What the advantage is computed of says whether a critic is trained beside the model.
  void kind() {
    constexpr const char* kEstimator = "algorithm.adv_estimator";
    if (leaves_open(kEstimator, kMethod + "kind")) return;
    const std::string estimator = text(kEstimator);
    if (estimator.empty()) return findings_.guess(kMethod + "kind", "ppo", "verl's default, gae");
    if (estimator == "gae") return say(kEstimator, kMethod + "kind", "ppo");
    if (estimator == "grpo") return say(kEstimator, kMethod + "kind", "grpo");
    findings_.guess(
        kMethod + "kind", "grpo",
        fmt::format("{} is {}: answers without a critic, as grpo", kEstimator, estimator));
  }
  // The critic is of the model's size unless another checkpoint is named.
  void critic() {
    constexpr const char* kPath = "critic.model.path";
    const Finding* method = findings_.find(kMethod + "kind");
    if (method == nullptr || method->value != "ppo") return;
    if (leaves_open(kPath, kMethod + "value.model")) return;
    const std::string path = text(kPath);
    if (!path.empty() && path != text("actor_rollout_ref.model.path"))
      say(kPath, kMethod + "value.model", path);
  }
  // A frozen copy reads the answers where their distance from it counts.
  void reference() {
    constexpr const char* kLoss = "actor_rollout_ref.actor.use_kl_loss";
    constexpr const char* kReward = "algorithm.use_kl_in_reward";
    for (const char* name : {kLoss, kReward})
      if (leaves_open(name, kMethod + "reference")) return;
    for (const char* name : {kLoss, kReward})
      if (is_true(name)) return say(name, kMethod + "reference", "true");
    findings_.guess(kMethod + "reference", "false", "no distance from a frozen copy is asked for");
  }
  void rollout() {
    findings_.guess(kMethod + "placement", "colocated", "verl shares the GPUs unless it is told");
    constexpr const char* kEngine = "actor_rollout_ref.rollout.name";
    const std::string engine = text(kEngine);
    if (engine == "vllm" || engine == "sglang")
      say(kEngine, kMethod + "rollout.engine", engine);
    else if (!engine.empty())
      findings_.remark(fmt::format("{} {}: no engine of the catalogue", kEngine, engine),
                       place(kEngine));
    constexpr const char* kFormat = "actor_rollout_ref.rollout.dtype";
    const std::string format = text(kFormat);
    if (!format.empty())
      say(kFormat, kMethod + "rollout.precision",
          format == "bfloat16"                      ? "bf16"
          : format == "float16" || format == "half" ? "fp16"
                                                    : format);
  }
  // How the model learns.
  void trainer() {
    constexpr const char* kStrategy = "actor_rollout_ref.actor.strategy";
    const std::string strategy = text(kStrategy);
    const bool is_megatron = strategy == "megatron";
    if (leaves_open(kStrategy, "train.stack.framework")) return;
    if (is_megatron) {
      say(kStrategy, "train.stack.framework", "megatron-lm");
    } else {
      findings_.guess("train.stack.framework", "fsdp2",
                      strategy.empty() ? "verl's default" : "by its strategy, " + strategy);
      findings_.guess("train.layout.zero", "3", "FSDP shards the parameters");
    }
    constexpr const char* kRecompute = "actor_rollout_ref.model.enable_gradient_checkpointing";
    if (find(kRecompute) == nullptr && !is_megatron)
      findings_.guess("train.layout.recompute", "full", "verl's default");
    else if (find(kRecompute) != nullptr && !leaves_open(kRecompute, "train.layout.recompute"))
      say(kRecompute, "train.layout.recompute", is_true(kRecompute) ? "full" : "none");
    const std::string engine =
        std::string("actor_rollout_ref.actor.") + (is_megatron ? "megatron." : "fsdp_config.");
    const bool parameters = is_true(engine + "param_offload");
    const bool optimizer = is_true(engine + "optimizer_offload");
    if (parameters || optimizer)
      say(engine + (optimizer ? "optimizer_offload" : "param_offload"), "train.layout.offload",
          parameters && optimizer ? "[optimizer, parameters]"
          : optimizer             ? "[optimizer]"
                                  : "[parameters]");
  }
  void reward() {
    constexpr const char* kPath = "reward_model.model.path";
    if (!is_true("reward_model.enable")) return;
    if (text(kPath).empty())
      return findings_.remark(
          "reward_model.enable: which model judges is not said: add "
          "method.reward",
          place("reward_model.enable"));
    say(kPath, kMethod + "reward.model", text(kPath));
  }
  void remark_rest() {
    const bool is_read =
        !configuration_name_.empty() &&
        (findings_.reads(configuration_name_ + ".yaml") || findings_.reads(configuration_name_));
    if (configuration_ != nullptr && !is_read)
      findings_.remark(
          fmt::format("{} is not read, and what it sets is not known", configuration_->text),
          place_of(call_.source, *configuration_));
    if (open_ != nullptr)
      findings_.remark(fmt::format("{} may give any key, and is set elsewhere", open_->text),
                       place_of(call_.source, *open_));
    const Harmless harmless("verl");
    std::vector<std::string> rest;
    for (const std::string& name : order_) {
      const Override& given = given_.find(name)->second;
      if (!given.is_used && !harmless.has(name, given.word.text)) rest.push_back(name);
    }
    if (call_.is_dump) return remark_dump(rest);
    for (const std::string& name : rest)
      findings_.remark(
          fmt::format("{}: a scenario has no word for it, and the prediction is without it", name),
          place_of(call_.source, given_.find(name)->second.word));
  }
  // A configuration lists all keys, whether they differ from the default or not.
  void remark_dump(const std::vector<std::string>& rest) {
    constexpr std::size_t kNamed = 5;
    if (rest.empty()) return;
    const std::size_t shown = std::min(kNamed, rest.size());
    std::string names = fmt::format("{}", fmt::join(rest.begin(), rest.begin() + shown, ", "));
    if (rest.size() > shown) names += fmt::format(" and {} more", rest.size() - shown);
    findings_.remark(
        fmt::format("a scenario has no word for {}, and the prediction is without them", names),
        call_.at);
  }

  const Invocation& call_;
  Findings& findings_;
  std::map<std::string, Override, std::less<>> given_;
  std::vector<std::string> order_;
  const Word* configuration_ = nullptr;
  std::string configuration_name_;  // The file's, without its ending.
  const Word* open_ = nullptr;
};

}  // namespace

void read_verl(const Invocation& call, Findings& findings) {
  VerlReader(call, findings).read();
}

namespace {

// The keys of a tree as overrides: `data.train_batch_size=1024`.
class Overrides {
 public:
  explicit Overrides(const config::Node& root) : root_(root) { add(root, ""); }
  const std::vector<Word>& words() const { return words_; }

 private:
  void add(const config::Node& node, const std::string& path) {
    for (const auto& each : node.members) {
      const std::string key = path.empty() ? each.key : path + "." + each.key;
      if (each.key.starts_with('_') || key == "defaults") continue;
      if (each.value.kind == config::NodeKind::kMap) add(each.value, key);
      if (each.value.kind == config::NodeKind::kScalar) add_value(key, each.value);
    }
  }
  // `???` must be given by the command, and `${a.b}` is the value of another key.
  void add_value(const std::string& key, const config::Node& value) {
    if (value.scalar == "???") return;
    Word word = launch::word(value);
    constexpr int kMaxSteps = 8;  // From key to key; more go in a circle.
    for (int i = 0; i < kMaxSteps; ++i)
      if (const config::Node* named = named_by(word.text)) word.text = named->scalar;
    word.is_known = word.text.find("${") == std::string::npos;
    word.text = key + "=" + word.text;
    words_.push_back(std::move(word));
  }
  const config::Node* named_by(const std::string& text) const {
    const bool is_name = text.starts_with("${") && text.ends_with('}') &&
                         text.find(':') == std::string::npos && text.rfind('$') == 0;
    if (!is_name) return nullptr;
    const config::Node* found = at(root_, std::string_view(text).substr(2, text.size() - 3));
    return found != nullptr && found->kind == config::NodeKind::kScalar ? found : nullptr;
  }

  const config::Node& root_;
  std::vector<Word> words_;
};

}  // namespace

bool looks_like_verl(const config::Node& root) {
  const config::Node* actor = member(root, "actor_rollout_ref");
  return actor != nullptr && actor->kind == config::NodeKind::kMap;
}

void read_verl_yaml(const Source& source, const config::Node& root, Findings& findings) {
  const AsConfiguration weight(findings);
  const Overrides overrides(root);
  VerlReader({.source = source, .words = overrides.words(), .at = {&source, 1}, .is_dump = true},
             findings)
      .read();
}

}  // namespace loadfactor::launch
