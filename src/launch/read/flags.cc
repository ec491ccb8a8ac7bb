#include "launch/read/flags.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::launch {
namespace {

bool is_flag(const std::string& text) {
  if (text.size() < 2 || text[0] != '-') return false;
  const char second = text[1];
  return second == '-' || (second >= 'a' && second <= 'z') || (second >= 'A' && second <= 'Z');
}

// Spellings of older releases, which scripts still have.
struct OldName {
  std::string_view program;
  std::string_view old;
  std::string_view name;
};
constexpr std::array kOldNames{
    OldName{"sglang", "--tp", "--tp-size"},
    OldName{"sglang", "--dp", "--dp-size"},
    OldName{"sglang", "--pp", "--pp-size"},
    OldName{"torchtitan", "--training.seq_len", "--training.max_context_length"},
};

std::optional<FlagMatch> find_flag(const Program& program, std::string_view written) {
  for (const auto& [name, old, now] : kOldNames)
    if (program.name() == name && old == written) return program.find(now);
  return program.find(written);
}

bool is_truth(std::string_view text) {
  return text == "true" || text == "false" || text == "True" || text == "False";
}

}  // namespace

Place place_of(const Source& source, const Word& word) {
  return {&source, word.line, word.column, std::max(1U, config::count_characters(word.text))};
}

GivenFlags::GivenFlags(const Program& program, const Source& source, std::span<const Word> words,
                       Findings& findings)
    : source_(&source), findings_(&findings) {
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
    const auto match = find_flag(program, name);
    if (match) {
      take(program, *match, i, words, std::move(joined));
      continue;
    }
    unknown_.push_back(word);
    // What stands behind a flag that nobody knows is taken as its value.
    if (!joined && i + 1 < words.size() && !is_flag(words[i + 1].text)) ++i;
  }
}

void GivenFlags::take(const Program& /*program*/, const FlagMatch& match, std::size_t& at,
                      std::span<const Word> words, std::optional<Word> joined) {
  const Flag& flag = *match.flag;
  GivenFlag given{flag.name, {}, match.says_no, words[at]};
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

void GivenFlags::keep(GivenFlag given, const Flag& flag) {
  const bool is_known = std::all_of(given.values.begin(), given.values.end(),
                                    [](const Word& word) { return word.is_known; });
  if (is_known && flag.kind != FlagKind::kList) {
    const std::string wrong =
        value_fault(flag, given.values.empty() ? "" : given.values.front().text);
    if (!wrong.empty())
      return findings_->error(
          lf::kWrongType,
          place_of(*source_, given.values.empty() ? given.at : given.values.front()),
          fmt::format("{}: {}", given.name, wrong));
  }
  const GivenFlag* before = find(given.name);
  if (before != nullptr) {
    const auto words = [](const GivenFlag& each) {
      std::string all = each.says_no ? "no" : "yes";
      for (const Word& word : each.values) all += " " + word.text;
      return all;
    };
    if (words(*before) != words(given))
      findings_->error(
          lf::kContradictoryKeys, place_of(*source_, given.at),
          fmt::format("{} is given twice, and otherwise at line {}", given.name, before->at.line),
          "keep the one that runs");
    return;
  }
  given_.push_back(std::move(given));
}

const GivenFlag* GivenFlags::find(std::string_view name) const {
  const auto found = std::find_if(given_.begin(), given_.end(),
                                  [&](const GivenFlag& each) { return each.name == name; });
  return found == given_.end() ? nullptr : &*found;
}

bool GivenFlags::has(std::string_view name) const {
  const GivenFlag* flag = find(name);
  return flag != nullptr && !flag->says_no;
}

std::optional<std::int64_t> GivenFlags::number(std::string_view name) const {
  return whole_number(text(name));
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
  const GivenFlag* flag = find(name);
  if (flag == nullptr || flag->values.empty()) return;
  const Word& word = flag->values.front();
  if (!word.is_known)
    return findings_->remark(fmt::format("{} is {}, which is set elsewhere", name, word.text),
                             place(name));
  if (const auto value = whole_number(word.text))
    findings_->set(key, *value, place_of(*source_, word));
}

void GivenFlags::word(std::string_view name, std::string_view key) {
  const std::string value = text(name);
  if (!value.empty()) findings_->set(key, value, place(name));
}

}  // namespace loadfactor::launch
