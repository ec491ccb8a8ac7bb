#include "cli/commands.h"

#include <array>
#include <utility>

namespace loadfactor::cli {

using facade::Flags;
using facade::Option;

std::vector<Command> commands() {
  constexpr std::array kParts{"calibrate", "calibrate training", "calibrate kernels",
                              "calibrate serving", "calibrate collectives"};
  std::vector<Command> all;
  const auto ask = [&](const auto& names) {
    for (const char* name : names) all.push_back(ask_command(name));
  };
  ask(std::array{"plan", "diff", "audit", "emit", "read"});
  all.push_back(observe_command());
  all.push_back(demo_command());
  ask(std::array{"fit", "train", "serve", "cost", "demand", "fill", "fleet", "validate"});
  for (Command& command : sweep_commands()) all.push_back(std::move(command));
  all.push_back(web_command());
  all.push_back(probe_command());
  ask(kParts);
  for (Command& command : init_commands()) all.push_back(std::move(command));
  ask(std::array{"catalog", "explain"});
  all.push_back(schema_command());
  all.push_back(doctor_command());
  all.push_back(completion_command());
  all.push_back(manual_command());
  return all;
}

std::unique_ptr<Flags> common_flags(const Command& command, CommonOptions& options) {
  auto flags = std::make_unique<Flags>();
  const Flags& verb = *command.flags;
  const auto* form = dynamic_cast<const facade::Form*>(&verb);
  const bool has_comment = form != nullptr && form->has_comment;
  flags->word("format", options.format,
              !command.formats.empty() ? command.formats
              : has_comment            ? "table, json, csv, md or github-comment"
                                       : "table, json, csv or md",
              "FORMAT");
  flags->word("output", options.output, "write the answer to FILE", "FILE").short_name = "o";
  flags->words("catalog", options.catalog_folders, "lay your own data files over ours", "DIR");
  flags->number("seed", options.seed, "of every random number", "N");
  flags->number("threads", options.threads, "0: all cores", "N", 0, 4096);
  flags->flag("quiet", options.quiet, "no notices, no progress");
  flags->flag("explain", options.explain, "sums and sources behind the figures");
  flags->flag("reproducible", options.reproducible, "leave out run times");
  for (Option& option : flags->options()) option.group = kCommonOptions;
  // A form of its own is named on the page of the verb.
  if (has_comment || !command.formats.empty()) flags->find("format")->group.clear();
  if (!verb.set_help.empty()) flags->words("set", options.set, verb.set_help, "PATH=VALUE");
  return flags;
}

std::vector<Option*> options_of(Flags& verb, Flags& common) {
  std::vector<Option*> all;
  Option* set = common.find("set");
  for (Option& option : common.options())
    if (&option != set) all.push_back(&option);
  for (Option& option : verb.options())
    if (option.is_positional) all.push_back(&option);
  if (set != nullptr) all.push_back(set);
  for (Option& option : verb.options())
    if (!option.is_positional && !option.is_json_only) all.push_back(&option);
  return all;
}

}  // namespace loadfactor::cli
