#include "launch/emit/trainer_words.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

struct VariableRow {
  std::string_view variable;
  std::string_view
      key;  // As the table of the Trainer's flags has it; empty: it says no such thing.
};
constexpr std::array kVariables{
    VariableRow{"LF_MODEL", ""},
    VariableRow{"LF_GLOBAL_BATCH", ""},
    VariableRow{"LF_SAVE_MODE", ""},
    VariableRow{"LF_SEQUENCE", "train.sequence"},
    VariableRow{"LF_MICRO_BATCH", "train.layout.micro_batch"},
    VariableRow{"LF_GRADIENT_ACCUMULATION", "accumulation"},
    VariableRow{"LF_PRECISION", "train.precision"},
    VariableRow{"LF_RECOMPUTE", "train.layout.recompute"},
    VariableRow{"LF_STEPS", "steps"},
};
constexpr std::string_view kSaveSteps = "--save_steps";
constexpr std::string_view kOwnRecompute = "fsdp_config.fsdp_activation_checkpointing";

bool is_said(std::span<const SaidFlag> said, std::string_view flag) {
  return std::any_of(said.begin(), said.end(),
                     [&](const SaidFlag& each) { return each.flag == flag; });
}

class TrainerWords {
 public:
  explicit TrainerWords(std::span<const SaidFlag> said) : said_(said) {
    is_file_ = std::any_of(said.begin(), said.end(),
                           [](const SaidFlag& each) { return each.written.ends_with(":"); });
  }

  std::vector<FlagSetting> write(const std::vector<FlagSetting>& settings) const {
    const TrainerFlag* recompute = flag_of("train.layout.recompute", "full");
    const bool recomputes = recompute != nullptr && is_said(said_, recompute->flag.name);
    std::vector<FlagSetting> words;
    for (const FlagSetting& each : settings) {
      const auto* row = std::find_if(kVariables.begin(), kVariables.end(), [&](const auto& known) {
        return known.variable == each.flag;
      });
      // FSDP recomputes by one of two switches, and both together are refused.
      const bool has_both = has(settings, kOwnRecompute);
      if (each.flag == kOwnRecompute && recomputes) continue;
      if (each.flag == "LF_RECOMPUTE" && has_both && !recomputes) continue;
      if (each.flag == "LF_SAVE_EVERY")
        words.push_back({each.file, std::string(kSaveSteps), each.value, each.is_said});
      else if (row == kVariables.end())
        words.push_back(each);
      else if (!row->key.empty())
        add(each, row->key, words);
    }
    return words;
  }

 private:
  static bool has(const std::vector<FlagSetting>& settings, std::string_view flag) {
    return std::any_of(settings.begin(), settings.end(),
                       [&](const FlagSetting& each) { return each.flag == flag; });
  }
  // The flag that runs of those that say one thing, else the first of them.
  const TrainerFlag* flag_of(std::string_view key, std::string_view value) const {
    const TrainerFlag* first = nullptr;
    for (const TrainerFlag& row : rows_) {
      if (row.key != key || (!row.value.empty() && row.value != value)) continue;
      if (is_said(said_, row.flag.name)) return &row;
      if (first == nullptr) first = &row;
    }
    return first;
  }
  void add(const FlagSetting& each, std::string_view key, std::vector<FlagSetting>& words) const {
    const TrainerFlag* flag = flag_of(key, each.value);
    const bool is_off = each.value == "none";
    if (flag == nullptr && !is_off) return words.push_back(each);
    if (flag == nullptr) return;
    const bool is_switch = !flag->value.empty();
    words.push_back({each.file, flag->flag.name,
                     is_switch ? std::string(is_file_ ? "true" : "") : each.value, each.is_said});
  }

  const std::vector<TrainerFlag> rows_ = read_trainer_flags();
  std::span<const SaidFlag> said_;
  bool is_file_ = false;  // Whether the trainer is told by a file.
};

}  // namespace

bool are_of_trainer(std::span<const SaidFlag> said) {
  const auto rows = read_trainer_flags();
  return std::any_of(said.begin(), said.end(), [&](const SaidFlag& each) {
    return std::any_of(rows.begin(), rows.end(), [&](const TrainerFlag& row) {
      return row.flag.name == each.flag && row.key == "train.layout.micro_batch";
    });
  });
}

std::vector<FlagSetting> in_trainer_words(const std::vector<FlagSetting>& settings,
                                          std::span<const SaidFlag> said) {
  return TrainerWords(said).write(settings);
}

}  // namespace loadfactor::launch
