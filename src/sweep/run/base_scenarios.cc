#include "sweep/run/base_scenarios.h"

#include <set>

#include "base/error_codes.h"

namespace loadfactor::sweep {

std::string beside(const std::string& folder, const std::string& path) {
  return path.starts_with('/') ? path : folder + path;
}

namespace {

std::string code_of(const config::Scenario& scenario) {
  const auto& currency = scenario.money.currency;
  return currency ? currency->code.value : std::string();
}

}  // namespace

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
    auto scenario = files_.parse(path, text, {}, diagnostics);
    is_sound = scenario.has_value() && is_sound;
    if (scenario && !all_.empty() && code_of(*scenario) != currency()) {
      diagnostics.add(file_.error(lf::kContradictoryKeys, name,
                                  "the scenarios of the sweep are not in one currency",
                                  "give all of them the same 'money.currency', or none"));
      is_sound = false;
    }
    if (scenario) all_.push_back({path, text, *std::move(scenario)});
  }
  return is_sound;
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

std::optional<config::Scenario> BaseScenarios::with(const BaseScenario& base,
                                                    const std::vector<std::string>& assignments,
                                                    Diagnostics& diagnostics) const {
  return files_.parse(base.path, base.text, assignments, diagnostics);
}

}  // namespace loadfactor::sweep
