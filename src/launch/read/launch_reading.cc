#include "launch/read/launch_reading.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/readers.h"
#include "launch/read/scenario/scenario_writer.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

// Whether a file names another one that is given.
bool names_another(const LaunchFile& file, const std::vector<LaunchFile>& files) {
  return std::any_of(files.begin(), files.end(), [&](const LaunchFile& other) {
    const std::string name = other.name.substr(other.name.rfind('/') + 1);
    return other.name != file.name && file.text.find(name) != std::string::npos;
  });
}

void hide_secrets(const Secrets& secrets, LaunchReading& reading) {
  reading.scenario = secrets.hidden_in_comments(reading.scenario);
  for (Guess& guess : reading.guesses) guess.why = secrets.hidden(guess.why);
  for (std::string& remark : reading.remarks) remark = secrets.hidden(remark);
}

// Variables that the engine takes from its environment, however a file sets them.
void remark_variables(const std::vector<const Source*>& sources, Findings& findings) {
  const Finding* engine = findings.find("serve.deployment.engine");
  if (engine == nullptr) return;
  for (const std::string& name : variables_of(engine->value))
    for (const Source* source : sources)
      for (std::uint32_t line = 1; line <= source->lines.size(); ++line) {
        const std::string_view text = source->lines.line(source->text, line);
        const auto at = text.substr(0, text.find('#')).find(name);
        if (at != std::string_view::npos)
          findings.remark(fmt::format("{}: a scenario has no word for it, and the prediction is "
                                      "that of the program's own choice",
                                      name),
                          {source, line});
      }
}

std::optional<LaunchReading> read_together(const std::vector<LaunchFile>& files, const Names& names,
                                           Findings& findings, Diagnostics& diagnostics) {
  for (const LaunchFile& file : files)
    if (file.name.ends_with(".yaml") || file.name.ends_with(".yml")) findings.promise(file.name);
  for (const LaunchFile& file : files) findings.offer(file.name, file.text);
  // What starts comes before the configurations of it.
  std::vector<LaunchFile> ordered = files;
  std::stable_partition(ordered.begin(), ordered.end(),
                        [&](const LaunchFile& file) { return !findings.reads(file.name); });
  // Who submits a script comes before that script.
  std::stable_partition(ordered.begin(), ordered.end(), [&](const LaunchFile& file) {
    return file.text.find("sbatch ") != std::string::npos && names_another(file, files);
  });
  // Pods come before the ConfigMaps whose scripts they start.
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const LaunchFile& file) { return !holds_values(file.text); });
  // A list of a cluster's nodes comes last: jobs say which of them they take.
  std::stable_partition(ordered.begin(), ordered.end(), [](const LaunchFile& file) {
    return file.text.find("NodeName=") == std::string::npos;
  });
  std::vector<const Source*> sources;
  for (const LaunchFile& file : ordered) {
    std::string text = file.text;
    if (auto wrong = config::refuse_unreadable(file.name, text, config::kYamlLimits)) {
      diagnostics.add(*std::move(wrong));
      continue;
    }
    sources.push_back(&findings.add(file.name, std::move(text)));
    keep_values(*sources.back(), findings);
  }
  for (const Source* source : sources) read_any(*source, findings);
  remark_variables(sources, findings);
  if (diagnostics.empty()) complete(findings);
  if (!diagnostics.empty()) return std::nullopt;
  if (!findings.has_launch) {
    std::string all;
    for (const LaunchFile& file : files) all += (all.empty() ? "" : ", ") + file.name;
    diagnostics.add({.code = lf::kNothingLaunched,
                     .message = fmt::format("nothing that launches is found in {}", all),
                     .hint = "a launch script, a manifest, a configuration, or the output of ps, "
                             "nvidia-smi -L or scontrol show nodes",
                     .where = {.file = files.empty() ? "" : files.front().name}});
    return std::nullopt;
  }
  const auto questions = settle_names(findings, names);
  auto reading = write_scenario(findings, questions);
  if (!diagnostics.empty()) return std::nullopt;
  return reading;
}

}  // namespace

std::optional<LaunchReading> read_launch(const std::vector<LaunchFile>& files, const Names& names,
                                         Diagnostics& diagnostics) {
  Diagnostics told;
  Findings findings(told);
  for (const LaunchFile& file : files) findings.secrets().learn(file.text);
  auto reading = read_together(files, names, findings, told);
  for (const Error& error : told.errors()) diagnostics.add(findings.secrets().hidden(error));
  if (reading) hide_secrets(findings.secrets(), *reading);
  return reading;
}

}  // namespace loadfactor::launch
