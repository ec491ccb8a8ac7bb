#include "launch/findings/flags.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

bool is_flag(const std::string& text) {
  if (text.size() < 2 || text[0] != '-') return false;
  const char second = text[1];
  return second == '-' || (second >= 'a' && second <= 'z') || (second >= 'A' && second <= 'Z');
}

// A default, a test or another variable may change what a flag is given.
std::string doubt_of(const GivenFlag& flag) {
  if (!flag.at.doubt.empty()) return flag.at.doubt;
  for (const Word& word : flag.values)
    if (!word.doubt.empty()) return word.doubt;
  return {};
}

bool is_truth(std::string_view text) {
  return text == "true" || text == "false" || text == "True" || text == "False";
}

std::string help_for(const Flag& flag, const GivenFlag& given) {
  if (given.values.empty()) return fmt::format("write its value behind it, as in {} 4", flag.name);
  const std::string& value = given.values.front().text;
  if (const auto nearest = config::suggest(value, flag.choices))
    return fmt::format("did you mean '{}'?", *nearest);
  switch (flag.kind) {
    case FlagKind::kInteger:
      return fmt::format("digits alone, as in {} 8", flag.name);
    case FlagKind::kSize:
      return fmt::format("digits, 32k or auto, as in {} 8192", flag.name);
    case FlagKind::kNumber:
      return fmt::format("as in {} 0.9", flag.name);
    default:
      return "the program itself would refuse it";
  }
}

}  // namespace

Place place_of(const Source& source, const Word& word) {
  return {word.origin == nullptr ? &source : word.origin, word.line, word.column,
          std::max(1U, config::count_characters(word.text))};
}

GivenFlags::GivenFlags(const Program& program, const Source& source, std::span<const Word> words,
                       Findings& findings)
    : program_(program.name()), source_(&source), findings_(&findings) {
  const OldNames old_names(program.name());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (!is_flag(word.text)) {
      others_.push_back(word);
      continue;
    }
    const auto equals = word.text.find('=');
    const std::string name = word.text.substr(0, equals);
    std::optional<Word> joined;
    if (equals != std::string::npos) {
      joined = word;
      joined->text = word.text.substr(equals + 1);
      joined->column += static_cast<std::uint32_t>(equals + 1);
    }
    const auto match = program.find(old_names.current(name));
    if (match) {
      take(*match, i, words, std::move(joined));
      continue;
    }
    if (take_part(program, name, i, words, joined)) continue;
    unknown_.push_back(word);
    nearest_.push_back(config::suggest(name, program.names()).value_or(""));
    // What stands behind a flag that nobody knows is taken as its value.
    if (!joined && i + 1 < words.size() && !is_flag(words[i + 1].text)) ++i;
  }
}

void GivenFlags::take(const FlagMatch& match, std::size_t& at, std::span<const Word> words,
                      std::optional<Word> joined) {
  const Flag& flag = *match.flag;
  GivenFlag given{flag.name, {}, match.says_no, words[at], flag.otherwise};
  const auto more = [&] { return at + 1 < words.size() && !is_flag(words[at + 1].text); };
  const bool is_bare = flag.kind == FlagKind::kSwitch || flag.kind == FlagKind::kToggle;
  if (joined) {
    given.values.push_back(*std::move(joined));
  } else if (is_bare) {
    // `--flag true` of a program that takes both.
    if (more() && is_truth(words[at + 1].text)) given.values.push_back(words[++at]);
  } else if (flag.kind == FlagKind::kList) {
    while (more()) given.values.push_back(words[++at]);
  } else if (more()) {
    given.values.push_back(words[++at]);
  }
  if (is_bare && !given.values.empty() && is_truth(given.values.front().text)) {
    const bool is_no = given.values.front().text[0] == 'f' || given.values.front().text[0] == 'F';
    given.says_no = given.says_no != is_no;
    given.values.clear();
  }
  keep(std::move(given), flag);
}

bool GivenFlags::take_part(const Program& program, const std::string& name, std::size_t& at,
                           std::span<const Word> words, const std::optional<Word>& joined) {
  const auto dot = name.find('.');
  if (dot == std::string::npos) return false;
  const auto match = program.find(name.substr(0, dot));
  if (!match || match->flag->kind != FlagKind::kJson) return false;
  const Word& flag = words[at];
  Word value = joined.value_or(flag);
  if (!joined && at + 1 < words.size() && !is_flag(words[at + 1].text)) value = words[++at];
  const std::string part = fmt::format("{}: {}", name.substr(dot + 1), value.text);
  const auto before = std::find_if(given_.begin(), given_.end(), [&](const GivenFlag& each) {
    return each.name == match->flag->name && !each.values.empty();
  });
  if (before != given_.end()) {
    before->values.front().text += ", " + part;
    before->values.front().is_known = before->values.front().is_known && value.is_known;
    return true;
  }
  value.text = part;
  given_.push_back({match->flag->name, {value}, false, flag, match->flag->otherwise});
  return true;
}

void GivenFlags::keep(GivenFlag given, const Flag& flag) {
  if (is_secret_name(given.name))
    for (const Word& value : given.values) findings_->secrets().keep(value.text);
  const bool is_number = flag.kind == FlagKind::kInteger || flag.kind == FlagKind::kSize ||
                         flag.kind == FlagKind::kNumber;
  if (is_number)
    for (Word& value : given.values) value.text = plain_number(value.text);
  const bool is_known = std::all_of(given.values.begin(), given.values.end(),
                                    [](const Word& word) { return word.is_known; });
  if (is_known && flag.kind != FlagKind::kList) {
    const std::string wrong =
        value_fault(flag, given.values.empty() ? "" : given.values.front().text);
    if (!wrong.empty())
      return findings_->error(
          lf::kWrongType,
          place_of(*source_, given.values.empty() ? given.at : given.values.front()),
          fmt::format("{}: {}", given.name, wrong), help_for(flag, given));
  }
  const GivenFlag* before = find(given.name);
  if (before != nullptr) {
    const auto words = [](const GivenFlag& each) {
      std::string all = each.says_no ? "no" : "yes";
      for (const Word& word : each.values) all += " " + word.text;
      return all;
    };
    if (words(*before) == words(given)) return;
    if (const std::string doubt = doubt_of(given); !doubt.empty())
      return findings_->remark(fmt::format("{} is given again, {}: line {} is taken", given.name,
                                           doubt, before->at.line),
                               place_of(*source_, given.at));
    findings_->error(lf::kContradictoryKeys, place_of(*source_, given.at),
                     fmt::format("{} is given twice with two values; the other stands at line {}",
                                 given.name, before->at.line),
                     "keep the one that runs");
    return;
  }
  given_.push_back(std::move(given));
}

const GivenFlag* GivenFlags::find(std::string_view name) const {
  const auto found = std::find_if(given_.begin(), given_.end(),
                                  [&](const GivenFlag& each) { return each.name == name; });
  if (found == given_.end()) return nullptr;
  found->is_used = true;
  return &*found;
}

bool GivenFlags::is_unknown(std::string_view name) const {
  const GivenFlag* flag = find(name);
  return flag != nullptr && std::any_of(flag->values.begin(), flag->values.end(),
                                        [](const Word& word) { return !word.is_known; });
}

bool GivenFlags::has(std::string_view name) const {
  const GivenFlag* flag = find(name);
  return flag != nullptr && !flag->says_no;
}

std::optional<std::int64_t> GivenFlags::number(std::string_view name) const {
  return size_of(text(name));
}

std::string GivenFlags::text(std::string_view name) const {
  const GivenFlag* flag = find(name);
  if (flag == nullptr || flag->values.empty() || !flag->values.front().is_known) return {};
  return flag->values.front().text;
}

Place GivenFlags::place(std::string_view name) const {
  const GivenFlag* flag = find(name);
  return flag == nullptr ? Place{source_} : place_of(*source_, flag->at);
}

void GivenFlags::count(std::string_view name, std::string_view key) {
  if (leaves_open(name, key)) return;
  if (const auto value = number(name)) {
    const GivenFlag* flag = find(name);
    findings_->take(key, std::to_string(*value), place_of(*source_, flag->values.front()),
                    doubt_of(*flag));
  }
}

void GivenFlags::word(std::string_view name, std::string_view key) {
  if (leaves_open(name, key)) return;
  const std::string value = text(name);
  if (!value.empty()) say(name, key, value);
}

void GivenFlags::say(std::string_view name, std::string_view key, std::string value) const {
  const GivenFlag* flag = find(name);
  const bool is_elsewhere =
      flag != nullptr && !flag->values.empty() && flag->values.front().origin != nullptr;
  findings_->take(key, std::move(value),
                  is_elsewhere ? place_of(*source_, flag->values.front()) : place(name),
                  flag == nullptr ? std::string() : doubt_of(*flag));
}

bool GivenFlags::leaves_open(std::string_view name, std::string_view key) const {
  if (!is_unknown(name)) return false;
  const GivenFlag* flag = find(name);
  findings_->leave_open(key, place(name),
                        fmt::format("{} is {}, which is set elsewhere", name,
                                    flag->values.front().text.substr(0, 80)));
  return true;
}

const Word* GivenFlags::open_words(bool has_subject) const {
  const auto names_flags = [](const std::string& text) {
    return text.starts_with("**") || text.find('@') != std::string::npos ||
           text.find("ARG") != std::string::npos || text.find("OPT") != std::string::npos ||
           text.find("FLAG") != std::string::npos;
  };
  for (std::size_t i = 0; i < others_.size(); ++i) {
    const Word& word = others_[i];
    const bool is_subject = i == 0 && has_subject && !names_flags(word.text);
    const bool may_hold_flags = word.text.starts_with('$') || word.text.starts_with("**");
    if (!word.is_known && may_hold_flags && !is_subject) return &word;
  }
  return nullptr;
}

void GivenFlags::leave_rest_open(bool has_subject, std::span<const FlagKey> keys) const {
  const Word* word = open_words(has_subject);
  if (word == nullptr) return;
  // What emit wrote gives every flag that matters; its `"$@"` is for those who add to it.
  const bool is_emitted = source_->text.find("written by loadfactor emit") != std::string::npos;
  if (is_emitted && word->text == "$@") return;
  const Place where = place_of(*source_, *word);
  for (const auto& [flag, key] : keys)
    if (find(flag) == nullptr)
      findings_->leave_open(key, where,
                            fmt::format("{} may give {}, and is set elsewhere", word->text, flag));
  findings_->remark(fmt::format("{} may give any flag, and is set elsewhere", word->text), where);
}

void GivenFlags::tell(std::string_view behind) const {
  constexpr std::size_t kLongest = 200;
  for (const GivenFlag& flag : given_) {
    // As the script spells it; several parts of one flag, `--compilation-config.level 3`, are told
    // as that flag.
    std::string text = flag.at.text.substr(0, flag.at.text.find('='));
    if (!flag.says_no && text.starts_with(flag.name + ".")) text = flag.name;
    const bool is_negated =
        text.find("no-") != std::string::npos || text.find("no_") != std::string::npos;
    if (!behind.empty()) text = text.substr(text.find_first_not_of('-')) + std::string(behind);
    for (const Word& value : flag.values) text += " " + (value.is_known ? value.text : "?");
    if (flag.says_no && !is_negated) text += " false";
    if (!flag.says_no && flag.values.empty() && !behind.empty()) text += " true";
    if (text.size() < kLongest) findings_->add_flag(std::move(text));
  }
}

void GivenFlags::remark_rest(std::string_view title, bool is_dump) const {
  for (std::size_t i = 0; i < unknown_.size(); ++i)
    findings_->remark(
        fmt::format("{} is no flag of {} that we know{}", unknown_[i].text.substr(0, 80), title,
                    nearest_[i].empty() ? "" : fmt::format(": did you mean {}?", nearest_[i])),
        place_of(*source_, unknown_[i]));
  const Harmless harmless(program_);
  for (const GivenFlag& flag : given_) {
    if (flag.is_used) continue;
    std::string value = flag.says_no ? "no" : "yes";
    if (!flag.values.empty()) value = flag.values.front().text;
    if (harmless.has(flag.name, value)) continue;
    if (is_dump && (flag.otherwise.empty() || flag.otherwise == value)) continue;
    const bool turns_off =
        flag.says_no || flag.name.starts_with("--no-") || flag.name.starts_with("--disable-");
    findings_->remark(
        fmt::format("{}: a scenario has no word for it, and the prediction is {}",
                    flag.at.text.substr(0, 80),
                    turns_off ? "that of the program without this flag" : "without it"),
        place_of(*source_, flag.at));
  }
}

void ask_for_file(const GivenFlags& flags, std::string_view name,
                  std::initializer_list<std::string> keys, Findings& findings) {
  const std::string file = flags.text(name);
  if (file.empty() || findings.is_given(file)) return;
  for (const std::string& key : keys)
    findings.leave_open(key, flags.place(name),
                        fmt::format("{} may say it: give that file, too", file));
  findings.remark(fmt::format("{} is not read, and what it sets is not known", file),
                  flags.place(name));
}

}  // namespace loadfactor::launch
