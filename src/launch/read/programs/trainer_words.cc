#include "launch/read/programs/trainer_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "launch/read/programs/launchers.h"

namespace loadfactor::launch {
namespace {

std::string word_at(Words words, std::size_t at) {
  return at < words.size() ? words[at].text : std::string();
}
Words behind(Words words, std::size_t at) {
  return words.subspan(std::min(at, words.size()));
}

}  // namespace

bool is_maxtext(const std::string& name, const std::string& module, Words words) {
  constexpr std::array<std::string_view, 4> kTrainers{
      "MaxText.train", "maxtext.train", "maxtext.trainers.pre_train.train", "MaxText.sft_trainer"};
  if (std::find(kTrainers.begin(), kTrainers.end(), module) != kTrainers.end()) return true;
  return name == "train.py" && std::any_of(words.begin(), words.end(), [](const Word& each) {
           return each.text.find("MaxText") != std::string::npos &&
                  (each.text.ends_with("train.py") || each.text.ends_with("base.yml"));
         });
}

bool is_trainer(Words words, std::size_t script) {
  if (!word_at(words, script).ends_with(".py")) return false;
  constexpr std::array<std::string_view, 3> kOwn{"--per_device_train_batch_size", "--deepspeed",
                                                 "--deepspeed_config"};
  const Words arguments = behind(words, script + 1);
  return std::any_of(arguments.begin(), arguments.end(), [&](const Word& each) {
    std::string flag = each.text.substr(0, each.text.find('='));
    if (flag.starts_with("--")) std::replace(flag.begin() + 2, flag.end(), '-', '_');
    return std::find(kOwn.begin(), kOwn.end(), flag) != kOwn.end();
  });
}

bool is_megatron(const std::string& name) {
  return name.starts_with("pretrain_") && name.ends_with(".py");
}

bool is_trl(const std::string& kind) {
  constexpr std::array<std::string_view, 6> kKinds{"sft", "dpo", "grpo", "kto", "rloo", "reward"};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

bool is_neuronx(Words words, std::size_t at) {
  const std::string name = base_name(word_at(words, at));
  if (name == "training_orchestrator.py") return true;
  const Words arguments = behind(words, at + 1);
  return name == "training.py" &&
         std::any_of(arguments.begin(), arguments.end(), [](const Word& each) {
           return each.text.starts_with("--config-name") ||
                  each.text.starts_with("distributed_strategy.");
         });
}

bool is_swift(const std::string& kind) {
  return kind == "sft" || kind == "pt" || kind == "rlhf";
}

bool is_other_swift(const std::string& kind) {
  return kind == "deploy" || kind == "infer" || kind == "rollout";
}

}  // namespace loadfactor::launch
