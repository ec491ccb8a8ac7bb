// The description of what `emit` and `read` answer.
#include <string>
#include <utility>

#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/launch/launch_report.h"

namespace loadfactor::report {
namespace {

using engine::EmitAnswer;
using engine::ReadAnswer;
using launch::EmittedFile;
using launch::Guess;

constexpr std::string_view kRoles[] = {"command", "arguments", "config",    "manifest",
                                       "script",  "rules",     "dashboard", "table"};

std::string_view role_of(const EmittedFile& file) {
  return name_of(file.role);
}
std::string scenario_of(const ReadAnswer& answer) {
  return answer.reading.scenario;
}
std::vector<Guess> guesses_of(const ReadAnswer& answer) {
  return answer.reading.guesses;
}
std::vector<std::string> unknown_of(const ReadAnswer& answer) {
  return answer.reading.unknown;
}
std::vector<std::string> remarks_of(const ReadAnswer& answer) {
  return answer.reading.remarks;
}

struct LaunchFiles {
  std::vector<std::string> files;
};

}  // namespace

template <>
constexpr auto kFields<EmittedFile> =
    fields<EmittedFile>(field<&EmittedFile::path>("path", "Where it was written, or its name"),
                        field<role_of>("role", "What it is for").one_of(kRoles),
                        field<&EmittedFile::text>("text", "What it holds"));

template <>
constexpr auto kFields<EmitAnswer> =
    fields<EmitAnswer>(field<&EmitAnswer::target>("target", "What the files are for"),
                       field<&EmitAnswer::files>("files", "The files that launch it"));

template <>
constexpr auto kFields<Guess> = fields<Guess>(field<&Guess::key>("key", "Key of the scenario"),
                                              field<&Guess::value>("value", "What was assumed"),
                                              field<&Guess::why>("why", "What it rests on"));

template <>
constexpr auto kFields<ReadAnswer> =
    fields<ReadAnswer>(field<scenario_of>("scenario", "The scenario as YAML, commented"),
                       field<guesses_of>("guesses", "Values that the files do not say"),
                       field<unknown_of>("unknown", "Keys that are left blank"),
                       field<remarks_of>("remarks", "What was seen and has no key"));

template <>
constexpr auto kFields<LaunchFiles> =
    fields<LaunchFiles>(field<&LaunchFiles::files>("files", "The files that were read"));

namespace {

Value value_of(const EmitAnswer& answer) {
  return described_value<EmitAnswer>(answer, kFields<EmitAnswer>);
}
Value value_of(const ReadAnswer& answer) {
  return described_value<ReadAnswer>(answer, kFields<ReadAnswer>);
}

}  // namespace

AnswerSchema emit_schema() {
  return {"emit",
          "emit",
          "Answer of `loadfactor emit`",
          "The files that launch a scenario or a plan.",
          scenario_schema(),
          described_schema<EmitAnswer>(kFields<EmitAnswer>)};
}

AnswerSchema read_schema() {
  return {"read",
          "read",
          "Answer of `loadfactor read`",
          "What is launched today, as a scenario with every guess marked.",
          described_schema<LaunchFiles>(kFields<LaunchFiles>),
          described_schema<ReadAnswer>(kFields<ReadAnswer>)};
}

std::string emit_json(const EmitAnswer& answer, const std::string& file,
                      const std::string& folder) {
  EmitAnswer shown = answer;
  if (!folder.empty())
    for (EmittedFile& each : shown.files) each.path = folder + "/" + each.path;
  return print_json(
      envelope("emit", scenario_value(answer.scenario, file), value_of(shown), answer.notices, {}));
}

std::string emit_csv(const EmitAnswer& answer) {
  return csv_list(emit_schema().answer, value_of(answer), "files");
}

std::string read_json(const ReadAnswer& answer) {
  const LaunchFiles files{answer.files};
  return print_json(envelope("read", described_value<LaunchFiles>(files, kFields<LaunchFiles>),
                             value_of(answer), answer.notices, {}));
}

std::string read_csv(const ReadAnswer& answer) {
  return csv_list(read_schema().answer, value_of(answer), "guesses");
}

}  // namespace loadfactor::report
