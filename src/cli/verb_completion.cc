// `loadfactor completion bash|zsh|fish` and `loadfactor man`: both written from the table of verbs.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/commands.h"
#include "loadfactor/version.h"

namespace loadfactor::cli {
namespace {

using facade::Option;

// A verb as completions and the manual show it.
struct Page {
  std::string name;
  std::string help;
  std::vector<Option> options;
  std::vector<std::pair<std::string, std::string>> parts;  // Names and help of those below it.
};

std::vector<Option> shown_options(const Command& command) {
  std::vector<Option> all;
  Option& help = all.emplace_back();
  help.name = "help";
  help.short_name = "h";
  help.help = "Print this help message and exit";
  if (command.flags == nullptr) return all;
  CommonOptions unused;
  const auto common = common_flags(command, unused);
  for (const Option* option : options_of(*command.flags, *common)) all.push_back(*option);
  return all;
}

std::vector<Page> pages() {
  std::vector<Page> all;
  for (const Command& command : commands()) {
    const auto blank = command.name.find(' ');
    if (blank != std::string::npos) {
      all.back().parts.emplace_back(command.name.substr(blank + 1), command.help);
    } else {
      all.push_back({command.name, command.help, shown_options(command), {}});
    }
  }
  return all;
}

std::vector<std::string> flags_of(const Page& verb) {
  std::vector<std::string> flags;
  for (const Option& option : verb.options)
    if (!option.is_positional) flags.push_back("--" + option.name);
  return flags;
}

std::string verb_words() {
  std::vector<std::string> names;
  for (const Page& verb : pages()) names.push_back(verb.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string bash() {
  std::string cases;
  for (const Page& verb : pages()) {
    std::vector<std::string> words = flags_of(verb);
    for (const auto& part : verb.parts) words.push_back(part.first);
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb.name, fmt::join(words, " "));
  }
  return fmt::format(
      "# loadfactor completion bash > /etc/bash_completion.d/loadfactor\n"
      "_loadfactor() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then words=\"{}\"; else case \"${{COMP_WORDS[1]}}\" in\n"
      "{}  esac; fi\n"
      "  if [ \"$COMP_CWORD\" -gt 1 ] && [[ \"$word\" != -* ]]; then\n"
      "    COMPREPLY=($(compgen -f -- \"$word\") $(compgen -W \"$words\" -- \"$word\"))\n"
      "  else COMPREPLY=($(compgen -W \"$words\" -- \"$word\")); fi\n"
      "}}\n"
      "complete -o filenames -F _loadfactor loadfactor\n",
      verb_words(), cases);
}

// zsh reads bash's completions.
std::string zsh() {
  return "#compdef loadfactor\nautoload -U +X bashcompinit && bashcompinit\n" + bash();
}

std::string fish() {
  std::string text = "complete -c loadfactor -n __fish_use_subcommand -f\n";
  for (const Page& verb : pages()) {
    text += fmt::format("complete -c loadfactor -n __fish_use_subcommand -a {} -d '{}'\n",
                        verb.name, verb.help);
    for (const auto& flag : flags_of(verb))
      text += fmt::format("complete -c loadfactor -n '__fish_seen_subcommand_from {}' -l {}\n",
                          verb.name, flag.substr(2));
  }
  return text;
}

// roff reads a leading dot or quote as a command, and '-' as a hyphen.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '-' || c == '\\') out += '\\';
    out += c;
  }
  return (out.starts_with(".") || out.starts_with("'")) ? "\\&" + out : out;
}

std::string man_options(const Page& verb) {
  std::string text;
  for (const Option& option : verb.options) {
    const std::string flag = option.is_positional ? option.name : "--" + option.name;
    text += fmt::format(
        ".TP\n.B {}\n{}\n",
        roff(option.short_name.empty() ? flag : fmt::format("-{},{}", option.short_name, flag)),
        roff(option.help));
  }
  return text;
}

std::string man() {
  std::string text = fmt::format(
      ".TH LOADFACTOR 1 \"\" \"loadfactor {}\"\n.SH NAME\nloadfactor \\- {}\n"
      ".SH SYNOPSIS\n.B loadfactor\n.I VERB\n[\\fISCENARIO\\fR|\\fIFILE\\fR|\\fINAME\\fR] [flags]\n"
      ".SH VERBS\n",
      LOADFACTOR_VERSION, roff(kProgramHelp));
  for (const Page& verb : pages()) {
    text += fmt::format(".SS {}\n{}\n", verb.name, roff(verb.help));
    text += man_options(verb);
    for (const auto& [name, help] : verb.parts)
      text += fmt::format(".TP\n.B {} {}\n{}\n", verb.name, name, roff(help));
  }
  return text +
         ".SH EXIT STATUS\n0 an answer; 1 the answer is no (only with \\-\\-gate); 2 your input; 3 "
         "a valid question without a feasible answer: nothing fits, or a limit that the scenario "
         "writes is missed; 4 the outside world; 70 a bug of ours.\n";
}

void run_completion(Session& session, const std::string& shell) {
  if (shell == "bash") return session.write(bash());
  if (shell == "zsh") return session.write(zsh());
  if (shell == "fish") return session.write(fish());
  session.fail(Error{.code = lf::kUsage,
                     .message = fmt::format("no completions for '{}'", shell),
                     .hint = "write bash, zsh or fish"});
}

struct CompletionFlags final : facade::Flags {
  CompletionFlags() { positional(word("shell", shell, "bash, zsh or fish", "SHELL")); }
  std::string shell;
};

}  // namespace

Command completion_command() {
  auto flags = std::make_shared<CompletionFlags>();
  return {"completion", "completions for bash, zsh or fish", flags,
          [flags](Session& session) { run_completion(session, flags->shell); }};
}

Command manual_command() {
  return {"man", "the manual page, as troff", std::make_shared<facade::Flags>(),
          [](Session& session) { session.write(man()); }};
}

}  // namespace loadfactor::cli
