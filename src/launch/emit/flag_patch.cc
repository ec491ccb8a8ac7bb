#include "launch/emit/flag_patch.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

#include "config/document.h"
#include "launch/emit/trainer_words.h"
#include "launch/vocabulary/program.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// A line without the remark behind it.
std::string_view bare(std::string_view line) {
  return trimmed(line.substr(0, std::min(line.find("  # "), line.size())));
}

// `--flag value` or `export LF_NAME=value`; anything else is no setting.
void add_line(const EmittedFile& file, std::string_view line, std::string_view scenario,
              std::vector<FlagSetting>& settings) {
  constexpr std::string_view kVariable = "export LF_";
  const bool is_said =
      scenario.empty() || line.find(std::string(scenario) + ":") != std::string_view::npos;
  line = bare(line);
  if (file.role == Role::kArguments && line.starts_with("-")) {
    const auto end = std::min(line.find(' '), line.size());
    settings.push_back({file.path, std::string(line.substr(0, end)),
                        std::string(trimmed(line.substr(end))), is_said});
  } else if (file.role == Role::kCommand && line.starts_with(kVariable)) {
    line.remove_prefix(std::string_view("export ").size());
    const auto end = std::min(line.find('='), line.size());
    settings.push_back({file.path, std::string(line.substr(0, end)),
                        std::string(line.substr(std::min(end + 1, line.size()))), is_said});
  }
}

void add_tree(const std::string& file, const config::Node& node, const std::string& path,
              std::vector<FlagSetting>& settings) {
  for (const auto& each : node.members)
    add_tree(file, each.value, path.empty() ? each.key : path + "." + each.key, settings);
  for (std::size_t i = 0; i < node.items.size(); ++i)
    add_tree(file, node.items[i], path + "[" + std::to_string(i) + "]", settings);
  if (node.kind == config::NodeKind::kScalar) settings.push_back({file, path, node.scalar});
}

const FlagSetting* find(const std::vector<FlagSetting>& settings, const FlagSetting& wanted) {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const FlagSetting& each) {
    return each.file == wanted.file && each.flag == wanted.flag;
  });
  return found == settings.end() ? nullptr : &*found;
}

// Flags that say in another way what one that is emitted says.
struct OtherSpelling {
  std::string_view flag, other;
};
constexpr std::array kOthers{
    OtherSpelling{"--num-virtual-stages-per-pipeline-rank",
                  "--num-layers-per-virtual-pipeline-stage"},
    OtherSpelling{"--recompute-granularity", "--recompute-activations"},
    OtherSpelling{"--recompute-modules", "--recompute-activations"},
    OtherSpelling{"--recompute-granularity", "--checkpoint-activations"},
    OtherSpelling{"--train-iters", "--train-samples"},
    OtherSpelling{"--vocab-size", "--padded-vocab-size"},
};

// `--no-x` and `--x`.
bool are_opposite(std::string_view one, std::string_view other) {
  constexpr std::string_view kNo = "--no-";
  const auto is_no_of = [&](std::string_view no, std::string_view yes) {
    return no.starts_with(kNo) && yes.starts_with("--") && no.substr(kNo.size()) == yes.substr(2);
  };
  return is_no_of(one, other) || is_no_of(other, one);
}

// The flag itself, or one that says the same thing.
const SaidFlag* find(std::span<const SaidFlag> said, std::string_view flag) {
  for (const SaidFlag& each : said)
    if (each.flag == flag) return &each;
  for (const SaidFlag& each : said) {
    if (are_opposite(each.flag, flag)) return &each;
    for (const auto& [emitted, other] : kOthers)
      if (emitted == flag && other == each.flag) return &each;
  }
  return nullptr;
}

// `-tp` and `--tp`; no number below zero.
bool is_spelled_flag(std::string_view word) {
  return word.starts_with("--") || (word.size() > 1 && word[0] == '-' &&
                                    std::isalpha(static_cast<unsigned char>(word[1])) != 0);
}

// The program whose table has most of the flags that are emitted.
Program program_of(const std::vector<FlagSetting>& settings) {
  constexpr std::array<std::string_view, 4> kPrograms{"megatron", "torchtitan", "vllm", "sglang"};
  Program best;
  std::ptrdiff_t most = 0;
  for (const std::string_view name : kPrograms) {
    Program table = read_program(name);
    const auto known = std::count_if(settings.begin(), settings.end(), [&](const auto& each) {
      return each.flag.starts_with('-') && table.find(each.flag);
    });
    if (known > most) best = std::move(table);
    most = std::max(most, known);
  }
  return best;
}

// The flags that run under the names that emitted files have.
std::vector<SaidFlag> named_as_emitted(std::span<const SaidFlag> said,
                                       const std::vector<FlagSetting>& settings) {
  std::vector<SaidFlag> named(said.begin(), said.end());
  if (named.empty()) return named;
  const Program table = program_of(settings);
  const OldNames old_names(table.name());
  std::map<const Flag*, std::string> emitted;
  for (const FlagSetting& each : settings)
    if (const auto match = table.find(each.flag); match && !match->says_no)
      emitted.emplace(match->flag, each.flag);
  for (SaidFlag& each : named) {
    const auto match = table.find(old_names.current(each.flag));
    if (!match || match->says_no) continue;
    const auto own = emitted.find(match->flag);
    each.flag = own == emitted.end() ? match->flag->name : own->second;
  }
  return named;
}

// What changes of a flag where those that run are known: `now` is its setting as advised.
void change_said(const FlagSetting& setting, const SaidFlag* given, const FlagSetting* now,
                 std::vector<FlagChange>& changes) {
  if (given == nullptr) {
    if (now != nullptr)
      changes.push_back({setting.file, setting.flag, "", now->value, false, true});
    return;
  }
  if (given->flag == setting.flag) {
    const bool is_same = now != nullptr && now->value == given->value;
    if (!is_same)
      changes.push_back({setting.file, given->written, given->value,
                         now == nullptr ? "" : now->value, true, now != nullptr});
    return;
  }
  const bool is_gone = std::any_of(changes.begin(), changes.end(), [&](const FlagChange& change) {
    return change.flag == given->written && !change.is;
  });
  if (!is_gone) changes.push_back({setting.file, given->written, given->value, "", true, false});
  if (now != nullptr) changes.push_back({setting.file, setting.flag, "", now->value, false, true});
}

// What changes of a flag that the first launch has, where nobody knows more than its scenario says.
void change_unsaid(const FlagSetting& setting, const FlagSetting* now,
                   std::vector<FlagChange>& changes) {
  const bool is_same = now != nullptr && now->value == setting.value;
  if (is_same && setting.is_said) return;
  changes.push_back({setting.file, setting.flag, setting.is_said ? setting.value : "",
                     now == nullptr ? "" : now->value, setting.is_said, now != nullptr,
                     !setting.is_said && (is_same || now == nullptr)});
}

// What a file of keys gets is a key, too.
void spell_as_keys(std::span<const SaidFlag> said, std::vector<FlagChange>& changes) {
  const bool is_file = std::any_of(
      said.begin(), said.end(), [](const SaidFlag& each) { return each.written.ends_with(":"); });
  if (!is_file) return;
  for (FlagChange& change : changes)
    if (change.flag.starts_with("--")) change.flag = change.flag.substr(2) + ":";
}

}  // namespace

std::vector<SaidFlag> said_flags(std::string_view scenario_text) {
  std::vector<SaidFlag> said;
  for (std::string_view rest = scenario_text; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.starts_with(kFlagsMark)) continue;
    line = trimmed(line.substr(kFlagsMark.size()));
    while (!line.empty()) {
      const auto space = std::min(line.find(' '), line.size());
      const std::string_view word = line.substr(0, space);
      line = trimmed(line.substr(space));
      const bool is_key = word.size() > 1 && word.ends_with(':');
      if (is_key)
        said.push_back(
            {"--" + std::string(word.substr(0, word.size() - 1)), {}, std::string(word)});
      else if (is_spelled_flag(word))
        said.push_back({std::string(word), {}, std::string(word)});
      else if (!said.empty())
        said.back().value += (said.back().value.empty() ? "" : " ") + std::string(word);
    }
  }
  return said;
}

std::vector<FlagSetting> flag_settings(std::span<const EmittedFile> files,
                                       std::string_view scenario) {
  std::vector<FlagSetting> settings;
  for (const EmittedFile& file : files) {
    if (file.role == Role::kConfig) {
      const bool is_json = file.path.ends_with(".json");
      if (!is_json && !file.path.ends_with(".yaml")) continue;
      const auto tree = is_json ? config::parse_json(file.path, file.text)
                                : config::parse_yaml(file.path, file.text);
      if (tree) add_tree(file.path, tree->root, "", settings);
      continue;
    }
    for (std::string_view rest = file.text; !rest.empty();) {
      const auto end = std::min(rest.find('\n'), rest.size());
      add_line(file, rest.substr(0, end), scenario, settings);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return settings;
}

std::vector<FlagChange> flag_patch(std::span<const EmittedFile> before,
                                   std::span<const EmittedFile> after, std::string_view running,
                                   std::span<const SaidFlag> spelled) {
  const bool is_trainer = are_of_trainer(spelled);
  const auto settings = [&](std::span<const EmittedFile> files, std::string_view scenario) {
    auto found = flag_settings(files, scenario);
    return is_trainer ? in_trainer_words(found, spelled) : found;
  };
  const auto old = settings(before, running);
  const auto fresh = settings(after, {});
  auto all = old;
  all.insert(all.end(), fresh.begin(), fresh.end());
  const std::vector<SaidFlag> said =
      is_trainer ? std::vector(spelled.begin(), spelled.end()) : named_as_emitted(spelled, all);
  const auto is_known = [&](const FlagSetting& each) {
    return !said.empty() && each.flag.starts_with('-');
  };
  std::vector<FlagChange> changes;
  for (const FlagSetting& each : old) {
    const FlagSetting* now = find(fresh, each);
    const bool is_same = now != nullptr && now->value == each.value;
    if (!is_known(each))
      change_unsaid(each, now, changes);
    else if (!is_same)
      change_said(each, find(said, each.flag), now, changes);
    else if (find(said, each.flag) == nullptr)
      changes.push_back({each.file, each.flag, "", now->value, false, true, true});
  }
  for (const FlagSetting& each : fresh) {
    if (find(old, each) != nullptr) continue;
    if (is_known(each))
      change_said(each, find(said, each.flag), &each, changes);
    else
      changes.push_back({each.file, each.flag, "", each.value, false, true});
  }
  if (is_trainer) spell_as_keys(spelled, changes);
  return changes;
}

}  // namespace loadfactor::launch
