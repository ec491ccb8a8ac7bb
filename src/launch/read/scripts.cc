// Scripts, command by command, and lists of processes.
#include <string>
#include <utility>
#include <vector>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/read/scripts/script_parts.h"
#include "launch/shell/shell_reader.h"

namespace loadfactor::launch {

void read_script(const Source& source, Findings& findings) {
  read_script(source, ScriptStart{}, findings);
}

bool read_script(const Source& source, const ScriptStart& start, Findings& findings) {
  const auto submitted = findings.submissions_of(source.name);
  const bool is_given = start.arguments == nullptr && submitted.size() == 1;
  const auto read = [&](Variables variables) {
    return read_shell(source.text, std::move(variables), &findings.offered(),
                      is_given ? &submitted.front().arguments : start.arguments);
  };
  ShellText script = read(start.variables);
  // Once more with the variables that the batch system sets.
  if (const auto words = batch_words(script); !words.empty() || !submitted.empty()) {
    Variables variables = start.variables;
    for (const Submission& each : submitted) {
      variables.insert(each.variables.begin(), each.variables.end());
      variables.merge(batch_variables(*each.source, each.words));
    }
    variables.merge(batch_variables(source, words));
    script = read(std::move(variables));
  }
  if (script.unclosed) {
    findings.error(lf::kSyntax, place_of(source, *script.unclosed), "nothing closes this quote",
                   "the shell would not run the script");
    return false;
  }
  read_sbatch(source, script, findings);
  read_marks(source, script, findings);
  read_variables(source, script, findings);
  if (const auto found = script.variables.find("CUDA_VISIBLE_DEVICES");
      found != script.variables.end() && found->second.is_known)
    read_visible(found->second.text, place_of(source, found->second), findings);
  for (const HereDocument& document : script.here_documents)
    if (document.file.ends_with(".yaml") || document.file.ends_with(".yml") ||
        document.file.ends_with(".json") || document.file.ends_with(".toml"))
      findings.promise(document.file);
  bool found = false;
  for (std::size_t i = 0; i < script.commands.size(); ++i) {
    const auto& command = script.commands[i];
    if (!read_command(source, command, findings, start.pool)) continue;
    found = true;
    if (script.in_open_loop.contains(i) && !findings.servers().empty())
      findings.leave_open("serve.deployment.replicas", place_of(source, command.front()),
                          "it starts in a loop, and how often is not in the text");
  }
  read_titan_variables(source, script.variables, findings);
  read_factory_variables(source, script.variables, findings);
  read_here_documents(source, script, found, findings);
  if (found) return true;
  // A file of flags alone, one or more a line.
  std::vector<Word> words;
  for (const auto& command : script.commands) {
    if (!command.front().text.starts_with("--")) return false;
    words.insert(words.end(), command.begin(), command.end());
  }
  return !words.empty() && read_bare_arguments(source, words, findings);
}

void read_processes(const Source& source, Findings& findings) {
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const auto words = split_words(source.lines.line(source.text, line), line, 1);
    read_command(source, words, findings);
  }
}

}  // namespace loadfactor::launch
