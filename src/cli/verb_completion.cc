// `loadfactor completion bash|zsh|fish` and `loadfactor man`: both written from the verbs
// themselves.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "loadfactor/version.h"

namespace loadfactor::cli {
namespace {

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> flags_of(const CLI::App& verb) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : verb.get_options()) {
    for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string verb_words(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs_of(app)) names.push_back(verb->get_name());
  return joined(names);
}

std::string bash(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* verb : verbs_of(app)) {
    std::vector<std::string> words = flags_of(*verb);
    for (const CLI::App* part : verbs_of(*verb)) words.push_back(part->get_name());
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb->get_name(), joined(words));
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
      verb_words(app), cases);
}

// zsh reads bash's completions.
std::string zsh(const CLI::App& app) {
  return "#compdef loadfactor\nautoload -U +X bashcompinit && bashcompinit\n" + bash(app);
}

std::string fish(const CLI::App& app) {
  std::string text = "complete -c loadfactor -n __fish_use_subcommand -f\n";
  for (const CLI::App* verb : verbs_of(app)) {
    text += fmt::format("complete -c loadfactor -n __fish_use_subcommand -a {} -d '{}'\n",
                        verb->get_name(), verb->get_description());
    for (const auto& flag : flags_of(*verb))
      text += fmt::format("complete -c loadfactor -n '__fish_seen_subcommand_from {}' -l {}\n",
                          verb->get_name(), flag.substr(2));
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

std::string man_options(const CLI::App& verb) {
  std::string text;
  for (const CLI::Option* option : verb.get_options()) {
    text += fmt::format(".TP\n.B {}\n{}\n", roff(option->get_name(false, true)),
                        roff(option->get_description()));
  }
  return text;
}

std::string man(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH LOADFACTOR 1 \"\" \"loadfactor {}\"\n.SH NAME\nloadfactor \\- {}\n"
      ".SH SYNOPSIS\n.B loadfactor\n.I VERB\n[\\fISCENARIO\\fR|\\fIFILE\\fR|\\fINAME\\fR] [flags]\n"
      ".SH VERBS\n",
      LOADFACTOR_VERSION, roff(app.get_description()));
  for (const CLI::App* verb : verbs_of(app)) {
    text += fmt::format(".SS {}\n{}\n", verb->get_name(), roff(verb->get_description()));
    text += man_options(*verb);
    for (const CLI::App* part : verbs_of(*verb))
      text += fmt::format(".TP\n.B {} {}\n{}\n", verb->get_name(), part->get_name(),
                          roff(part->get_description()));
  }
  return text +
         ".SH EXIT STATUS\n0 an answer; 1 the answer is no (only with \\-\\-gate); 2 your input; 3 "
         "a valid question without a feasible answer: nothing fits, or a limit that the scenario "
         "writes is missed; 4 the outside world; 70 a bug of ours.\n";
}

void run_completion(Session& session, const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return session.write(bash(app));
  if (shell == "zsh") return session.write(zsh(app));
  if (shell == "fish") return session.write(fish(app));
  session.fail(Error{.code = lf::kUsage,
                     .message = fmt::format("no completions for '{}'", shell),
                     .hint = "write bash, zsh or fish"});
}

}  // namespace

void add_completion(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("completion", "completions for bash, zsh or fish");
  session.add_common_options(*verb);
  auto shell = std::make_shared<std::string>();
  verb->add_option("shell", *shell, "bash, zsh or fish")->required()->type_name("SHELL");
  verb->callback([shell, &session, &app] { run_completion(session, app, *shell); });

  CLI::App* page = app.add_subcommand("man", "the manual page, as troff");
  session.add_common_options(*page);
  page->callback([&session, &app] { session.write(man(app)); });
}

}  // namespace loadfactor::cli
