// The table of verbs: each with its flags as data, and what it does once they are filled in.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session/session.h"
#include "facade/forms/form.h"

namespace loadfactor::cli {

struct Command {
  std::string name;  // `calibrate kernels` is one below another.
  std::string help;
  std::shared_ptr<facade::Flags> flags;
  std::function<void(Session&)> run;
  bool needs_part = false;  // It only stands above others, and does nothing itself.
  std::string formats;      // Those of its answer, where they are not those of all.
};

// All of them, in the order of help; one that stands above others before those.
std::vector<Command> commands();

// The rows: a question of the façade by its name, and the verbs that stand in this folder.
Command ask_command(std::string_view name);
Command completion_command();
Command demo_command();
Command doctor_command();
std::vector<Command> init_commands();
Command manual_command();
Command observe_command();
Command probe_command();
Command schema_command();
std::vector<Command> sweep_commands();
Command web_command();

// Asks the question of a form; its errors have been printed where there is no answer.
std::optional<Answer> ask_form(Session& session, facade::Form& form);
// The same, and writes the answer as the options say.
void ask_and_write(Session& session, facade::Form& form);

inline constexpr const char* kProgramHelp = "How full are your GPUs, and should you have them?";

// The name under which help finds the options that every verb has.
inline constexpr const char* kCommonOptions = "Common";

// Options that every verb has, and --set where this one reads a scenario; they write into
// `options`.
std::unique_ptr<facade::Flags> common_flags(const Command& command, CommonOptions& options);
// All options of a verb in the order of help, the common ones first.
std::vector<facade::Option*> options_of(facade::Flags& verb, facade::Flags& common);

}  // namespace loadfactor::cli
