#include "launch/emit/shell_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace loadfactor::launch {
namespace {

bool is_safe(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:=,@%+").find(c) != std::string_view::npos;
}

// A model as a scenario names it: another checkpoint than the catalogue's own by its repository.
const std::string& marked_name(const ModelShape& model) {
  return model.is_variant ? model.repository : model.name;
}

// What the flags of a run do not say.
std::string run_marks(const RunPlan& run) {
  std::string marks = fmt::format("hardware={} framework={}", run.machine.chip, run.framework);
  if (!run.model.name.empty()) marks += " model=" + marked_name(run.model);
  return marks + fmt::format(" gpus={}", run.layout.gpus);
}

std::string service_marks(const ServicePlan& service) {
  std::string marks = fmt::format("hardware={}", service.pools.back().machine.chip);
  if (!service.release.empty()) marks += " release=" + service.release;
  if (!service.model.name.empty()) marks += " model=" + marked_name(service.model);
  for (const ReplicaPool& pool : service.pools)
    marks += fmt::format(" {}replicas={}", pool.name.empty() ? "" : pool.name + ".", pool.replicas);
  return marks;
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_safe)) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string file_head(const LaunchPlan& plan, const std::vector<std::string>& sentences,
                      const std::string& remarks) {
  const std::string& file = plan.scenario.file();
  std::string text = fmt::format("# {}, written by loadfactor emit{}.\n", plan.name,
                                 file.empty() ? "" : " from " + file);
  for (const auto& sentence : sentences) text += "# " + sentence + "\n";
  if (plan.service && !plan.service->left_to_gateway.empty())
    text += fmt::format(
        "# Predicted with {}, which no server does: what stands before the servers must.\n",
        fmt::join(plan.service->left_to_gateway, ", "));
  if (plan.run && (plan.run->routing.imbalance > 1 || plan.run->routing.spread > 0))
    text +=
        "# Predicted with uneven experts (layout.moe), which come of the data and of no flag.\n";
  text += remarks;
  text += "# Behind each value stands who gave it: a line of the scenario, or what chose it.\n";
  return text + fmt::format("# loadfactor: {}\n",
                            plan.run ? run_marks(*plan.run) : service_marks(*plan.service));
}

std::string script_head(const LaunchPlan& plan, const std::vector<std::string>& sentences,
                        const std::string& remarks) {
  return "#!/usr/bin/env bash\n" + file_head(plan, sentences, remarks) + "set -euo pipefail\n";
}

std::string beside_script(std::string text, std::string_view file) {
  const auto at = text.find(file);
  if (at != std::string::npos) text.replace(at, file.size(), fmt::format("\"$here/{}\"", file));
  return text;
}

std::string hours_and_minutes(Seconds time) {
  const auto minutes = static_cast<std::int64_t>(std::ceil(time.base() / 60.0));
  return fmt::format("{}-{:02}:{:02}:00", minutes / 1440, minutes / 60 % 24, minutes % 60);
}

std::string plain_name(std::string_view name) {
  constexpr std::size_t kLongest = 50;
  std::string out;
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool is_capital = c >= 'A' && c <= 'Z';
    if (is_letter) out += c;
    if (is_capital) out += static_cast<char>(c - 'A' + 'a');
    if (!is_letter && !is_capital && !out.empty() && out.back() != '-') out += '-';
  }
  out.resize(std::min(out.size(), kLongest));
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "loadfactor" : out;
}

}  // namespace loadfactor::launch
