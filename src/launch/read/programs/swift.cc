// Command lines of ms-swift: the Trainer's arguments, some under names of its own.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "launch/findings/flags.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

struct NameRow {
  std::string_view theirs, trainer;
};
constexpr std::array kNames{NameRow{"--model", "--model_name_or_path"},
                            NameRow{"--model_id_or_path", "--model_name_or_path"},
                            NameRow{"--quant_bits", "--quantization_bit"},
                            NameRow{"--batch_size", "--per_device_train_batch_size"}};
// Names that tell what is trained, older ones among them.
constexpr std::array<std::string_view, 3> kTypes{"--train_type", "--tuner_type", "--sft_type"};

struct StageRow {
  std::string_view word, zero;
  bool leaves;  // The optimizer is on the host.
};
constexpr std::array kStages{
    StageRow{"zero0", "0", false},        StageRow{"zero1", "1", false},
    StageRow{"zero2", "2", false},        StageRow{"zero3", "3", false},
    StageRow{"zero2_offload", "2", true}, StageRow{"zero3_offload", "3", true}};

class SwiftWords {
 public:
  SwiftWords(const Invocation& call, Findings& findings) : call_(call), findings_(findings) {}

  // What the Trainer reads; what it has no words for is said here.
  std::vector<Word> translate() {
    for (std::size_t i = 0; i < call_.words.size(); ++i) {
      const Word& word = call_.words[i];
      const auto equals = word.text.find('=');
      std::string name = word.text.substr(0, equals);
      std::replace(name.begin(), name.end(), '-', '_');
      if (name.starts_with("__")) name.replace(0, 2, "--");
      Word value = word;
      const bool is_joined = word.text.starts_with("--") && equals != std::string::npos;
      const bool has_next =
          i + 1 < call_.words.size() && !call_.words[i + 1].text.starts_with("--");
      if (is_joined)
        value.text = word.text.substr(equals + 1);
      else if (has_next)
        value = call_.words[i + 1];
      const bool is_taken =
          word.text.starts_with("--") && (is_joined || has_next) && take(name, word, value);
      if (!is_taken)
        words_.push_back(word);
      else if (!is_joined)
        ++i;
    }
    return std::move(words_);
  }
  bool adapts() const { return adapts_; }

 private:
  bool take(const std::string& name, const Word& flag, const Word& value) {
    for (const auto& [theirs, trainer] : kNames)
      if (name == theirs) return add(flag, trainer, &value), true;
    if (std::find(kTypes.begin(), kTypes.end(), name) != kTypes.end())
      return type(flag, value), true;
    if (name == "--torch_dtype") return dtype(flag, value), true;
    if (name == "--deepspeed") return stage(flag, value);
    if (name == "--rlhf_type") return pairs(flag, value), true;
    return false;
  }
  void add(const Word& flag, std::string_view name, const Word* value = nullptr) {
    words_.push_back(flag);
    words_.back().text = std::string(name);
    if (value != nullptr) words_.push_back(*value);
  }
  Place at(const Word& word) const { return place_of(call_.source, word); }
  void type(const Word& flag, const Word& value) {
    adapts_ = value.text != "full";
    if (!value.is_known)
      return findings_.leave_open("train.method", at(flag),
                                  fmt::format("{} is set elsewhere", flag.text));
    if (value.text == "lora") return add(flag, "--adapter", &value);
    if (value.text != "full")
      findings_.remark(fmt::format("{} {}: a scenario trains all weights, or adapters of low rank",
                                   flag.text, value.text),
                       at(flag));
  }
  void dtype(const Word& flag, const Word& value) {
    if (value.text == "bfloat16") return add(flag, "--bf16");
    if (value.text == "float16") return add(flag, "--fp16");
    findings_.leave_open("train.precision", at(flag),
                         fmt::format("--torch_dtype is {}", value.text));
  }
  // One of its own configurations by name; a file is the Trainer's to read.
  bool stage(const Word& flag, const Word& value) {
    for (const auto& [word, zero, leaves] : kStages) {
      if (value.text != word) continue;
      findings_.take("train.layout.zero", std::string(zero), at(value), value.doubt);
      if (leaves) {
        const bool is_all = zero == "3";
        findings_.take("train.layout.offload", is_all ? "[optimizer, parameters]" : "[optimizer]",
                       at(value), value.doubt);
      }
      findings_.guess("train.stack.framework", "deepspeed 0.18",
                      fmt::format("by {} {}", flag.text, value.text));
      return true;
    }
    return false;
  }
  void pairs(const Word& flag, const Word& value) {
    if (value.text == "dpo") return findings_.take("train.method", "dpo", at(flag), value.doubt);
    findings_.remark(fmt::format("{} {}: what is learned from answers is not read: write method",
                                 flag.text, value.text),
                     at(flag));
  }

  const Invocation& call_;
  Findings& findings_;
  std::vector<Word> words_;
  bool adapts_ = true;
};

}  // namespace

void read_swift(const Invocation& call, Findings& findings) {
  findings.has_launch = true;
  findings.set(kPlainSwift, "seen", call.at);
  SwiftWords translation(call, findings);
  const std::vector<Word> words = translation.translate();
  Invocation trainer = call;
  trainer.words = words;
  read_trainer(trainer, findings);
  findings.set(kPlainTrainer, "seen", call.at);
  findings.set(kPlainProcess, "seen", call.at);
  if (translation.adapts()) {
    findings.guess("train.method", "lora", "ms-swift's default");
    findings.guess("train.lora", "8", "ms-swift's default");
  }
  findings.guess("train.precision", "bf16",
                 "assumed to be that of the checkpoint, as ms-swift takes it");
  findings.guess("train.layout.recompute", "full", "ms-swift's default");
  findings.guess("train.layout.micro_batch", "1", "ms-swift's default");
  findings.guess("program", "pytorch", "by ms-swift");
}

}  // namespace loadfactor::launch
