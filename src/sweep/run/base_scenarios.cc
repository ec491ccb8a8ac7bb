#include "sweep/run/base_scenarios.h"

#include <algorithm>
#include <set>

#include "base/error_codes.h"
#include "sweep/run/value_typer.h"

namespace loadfactor::sweep {

std::string beside(const std::string& folder, const std::string& path) {
  return path.starts_with('/') ? path : folder + path;
}

namespace {

std::string code_of(const config::Scenario& scenario) {
  const auto& currency = scenario.money.currency;
  return currency ? currency->code.value : std::string();
}

bool has_same_money(const config::Scenario& a, const config::Scenario& b) {
  const auto rate = [](const config::Scenario& scenario) {
    const auto& currency = scenario.money.currency;
    return currency ? currency->per_usd.value : 1.0;
  };
  return code_of(a) == code_of(b) && rate(a) == rate(b);
}

// Cases that are tried for a scenario that does not read alone.
constexpr std::size_t kMostTried = 500;

}  // namespace

bool is_about_several(const Error& error) {
  return error.code == lf::kContradictoryKeys || error.code == lf::kInconsistentFigures ||
         error.code == lf::kMissingKey || error.code == lf::kOutOfRange ||
         error.code == lf::kNotDivisible;
}

FilterMoney BaseScenarios::money() const {
  if (currency().empty()) return {.code = "USD"};
  return {.code = currency(), .per_usd = all_.front().read.money.currency->per_usd.value};
}

std::string BaseScenarios::currency() const {
  return all_.empty() ? std::string() : code_of(all_.front().read);
}

bool BaseScenarios::read(Diagnostics& diagnostics) {
  std::vector<WrittenText> names;
  const Sweep& sweep = file_.sweep;
  if (sweep.scenario)
    names.push_back({.text = sweep.scenario->value, .position = sweep.scenario->position});
  for (const Block& block : sweep.blocks)
    for (std::size_t i = 0; i < block.targets.size(); ++i)
      if (sweep.targets[block.targets[i]].kind == TargetKind::kScenario)
        for (const Point& point : block.points)
          if (point.values[i].is_said()) names.push_back(point.values[i]);
  bool is_sound = true;
  std::set<std::string> seen;
  for (const WrittenText& name : names) {
    if (!seen.insert(name.text).second) continue;
    const std::string path = beside(folder_, name.text);
    const auto opened = files_.open(path);
    if (!opened) {
      const Error& error = opened.error();
      diagnostics.add(file_.error(error.code, name, error.message, error.hint));
      is_sound = false;
      continue;
    }
    const std::string text(opened->bytes);
    Diagnostics wrong;
    auto scenario = files_.parse(path, text, {}, wrong);
    const bool reads_alone = scenario.has_value();
    if (!reads_alone && std::all_of(wrong.errors().begin(), wrong.errors().end(), is_about_several))
      scenario = read_in_a_case(path, text);
    if (!scenario) diagnostics.add_all(wrong);
    is_sound = scenario.has_value() && is_sound;
    if (scenario && !all_.empty() && !has_same_money(*scenario, all_.front().read)) {
      diagnostics.add(file_.error(lf::kContradictoryKeys, name,
                                  "the scenarios of the sweep are not in one currency at one rate",
                                  "give all of them the same 'money.currency', or none"));
      is_sound = false;
    }
    if (scenario) all_.push_back({path, text, *std::move(scenario), reads_alone});
  }
  return is_sound;
}

// Axes may set all keys that contradict each other in the file.
std::optional<config::Scenario> BaseScenarios::read_in_a_case(const std::string& path,
                                                              const std::string& text) const {
  const Sweep& sweep = file_.sweep;
  std::optional<config::Scenario> read;
  if (sweep.blocks.empty()) return read;
  std::size_t tried = 0;
  const auto visit = [&](const std::vector<std::size_t>& points) {
    if (path_of(points) != path) return false;
    Diagnostics ignored;
    read = files_.parse(path, text, assignments(points), ignored);
    return read.has_value() || ++tried >= kMostTried;
  };
  const std::size_t firsts = sweep.blocks.front().points.size();
  const std::size_t each = std::max<std::size_t>(1, kMostTried / firsts);
  for (std::size_t p = 0; p < std::min(firsts, kMostTried) && tried < kMostTried; ++p)
    if (visit_cases_with(sweep, 0, p, each, visit)) break;
  return read;
}

std::string BaseScenarios::path_of(const std::vector<std::size_t>& points) const {
  const Sweep& sweep = file_.sweep;
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const Block& block = sweep.blocks[b];
    for (std::size_t t = 0; t < block.targets.size(); ++t) {
      if (sweep.targets[block.targets[t]].kind != TargetKind::kScenario) continue;
      const WrittenText& name = block.points[points[b]].values[t];
      return name.is_said() ? beside(folder_, name.text) : std::string();
    }
  }
  return sweep.scenario ? beside(folder_, sweep.scenario->value) : std::string();
}

const BaseScenario* BaseScenarios::of(const std::vector<std::size_t>& points) const {
  const std::string path = path_of(points);
  for (const BaseScenario& scenario : all_)
    if (scenario.path == path) return &scenario;
  return nullptr;
}

std::vector<std::string> BaseScenarios::assignments(const Block& block, std::size_t point) const {
  std::vector<std::string> out;
  for (std::size_t t = 0; t < block.targets.size(); ++t) {
    const Target& target = file_.sweep.targets[block.targets[t]];
    const WrittenText& value = block.points[point].values[t];
    if (target.kind == TargetKind::kKey && !value.is_base)
      out.push_back(target.key + "=" + (value.is_blank ? "" : value.text));
  }
  return out;
}

std::vector<std::string> BaseScenarios::assignments(const std::vector<std::size_t>& points) const {
  std::vector<std::string> all;
  for (std::size_t b = 0; b < points.size(); ++b) {
    const auto some = assignments(file_.sweep.blocks[b], points[b]);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::optional<config::Scenario> BaseScenarios::before_edits(
    const BaseScenario& base, const std::vector<std::size_t>& points) const {
  if (base.reads_alone) return base.read;
  Diagnostics ignored;
  return with(base, assignments(points), ignored);
}

std::optional<config::Scenario> BaseScenarios::with(const BaseScenario& base,
                                                    const std::vector<std::string>& assignments,
                                                    Diagnostics& diagnostics) const {
  return files_.parse(base.path, base.text, assignments, diagnostics);
}

}  // namespace loadfactor::sweep
