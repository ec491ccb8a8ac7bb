// Options of the verbs that a sweep asks, tried before a case runs.
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "sweep/run/case_maker.h"
#include "sweep/run/fit_options.h"
#include "sweep/run/verb_form.h"

namespace loadfactor::sweep {

std::set<std::string> CaseMaker::verbs() const {
  const Sweep& sweep = file_.sweep;
  std::set<std::string> out;
  if (sweep.verb) out.insert(sweep.verb->value);
  for (const Block& block : sweep.blocks)
    for (std::size_t t = 0; t < block.targets.size(); ++t)
      if (sweep.targets[block.targets[t]].kind == TargetKind::kVerb)
        for (const Point& point : block.points) out.insert(point.values[t].text);
  return out;
}

// An axis that the only verb passes over would give the same answer many times. Beside other verbs
// it has a meaning.
bool CaseMaker::try_keys(Diagnostics& diagnostics) const {
  const bool is_fit = verbs() == std::set<std::string>{"fit"};
  bool is_sound = true;
  for (const Target& target : file_.sweep.targets) {
    if (target.key.starts_with("money.currency")) {
      is_sound = false;
      diagnostics.add(file_.error(lf::kUsage, {.position = target.position},
                                  "all cases of a sweep are in one currency",
                                  "write 'money.currency' in the scenario"));
    }
    if (!is_fit || target.kind != TargetKind::kKey || fit_reads(target.key)) continue;
    is_sound = false;
    diagnostics.add(file_.error(
        lf::kUsage, {.position = target.position},
        fmt::format("'fit' does not look at '{}'", target.key),
        "vary an option of fit instead, such as `--context`, or ask train, serve or plan"));
  }
  return is_sound;
}

// Whether the verbs know the options; what an option means together with others is found case by
// case.
bool CaseMaker::try_options(Diagnostics& diagnostics) const {
  const Sweep& sweep = file_.sweep;
  const std::set<std::string> asked = verbs();
  bool is_sound = true;
  std::set<std::string> told;
  const auto check = [&](const std::string& only, const std::string& name,
                         const std::vector<std::string>& words, const WrittenText& at) {
    std::string wrong;
    for (const std::string& verb : asked) {
      if (!only.empty() && only != verb) continue;
      const std::unique_ptr<facade::Form> form = row_of(verb)->form();
      wrong = give(*form, verb, name, words);
      if (wrong.empty()) return;
    }
    if (wrong.empty()) return;
    is_sound = false;
    if (!told.insert(wrong).second) return;  // The same is wrong with every value of an axis.
    diagnostics.add(file_.error(lf::kUsage, at, wrong, "options are those of the command line"));
  };
  for (const OptionGroup& group : sweep.options)
    for (const Option& option : group.options)
      check(group.verb, option.name, option.words, {.position = option.position});
  for (const Block& block : sweep.blocks)
    for (std::size_t t = 0; t < block.targets.size(); ++t) {
      const Target& target = sweep.targets[block.targets[t]];
      if (target.kind != TargetKind::kOption) continue;
      for (const Point& point : block.points)
        if (point.values[t].is_said())
          check("", target.key, {point.values[t].text}, point.values[t]);
    }
  return is_sound;
}

// Words that a form takes and a question refuses, such as a number that is none.
bool CaseMaker::try_option_values(Diagnostics& diagnostics) const {
  const Sweep& sweep = file_.sweep;
  constexpr std::size_t kMostTried = 500;
  std::set<std::pair<std::string, std::string>> told;
  const auto check = [&](const std::vector<std::size_t>& points, const std::string& name,
                         const std::string& word, const WrittenText& at) {
    const MadeCase made = make(number_of(sweep, points));
    for (const Error& error : made.errors.errors())
      if (facade::is_at_option(error, name, word) && told.emplace(name, word).second)
        diagnostics.add(file_.error(error.code, at, error.message, error.hint));
  };
  const auto kinds = kinds_of_cases();
  for (const OptionGroup& group : sweep.options)
    for (const Option& option : group.options)
      for (const std::string& word : option.words)
        for (const auto& points : kinds)
          check(points, option.name, word, {.position = option.position});
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const Block& block = sweep.blocks[b];
    for (std::size_t t = 0; t < block.targets.size(); ++t) {
      const Target& target = sweep.targets[block.targets[t]];
      std::set<std::string> tried;
      for (std::size_t p = 0; p < block.points.size() && tried.size() < kMostTried; ++p) {
        const WrittenText& value = block.points[p].values[t];
        const bool is_new = target.kind == TargetKind::kOption && value.is_said() &&
                            tried.insert(value.text).second;
        for (std::vector<std::size_t> points : kinds) {
          if (!is_new) break;
          points[b] = p;
          check(points, target.key, value.text, value);
        }
      }
    }
  }
  return told.empty();
}

}  // namespace loadfactor::sweep
