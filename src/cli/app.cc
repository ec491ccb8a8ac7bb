// The table of verbs as a program: arguments fill in flags, help shows them. No other file sees the
// library that parses arguments.
#include <algorithm>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/wrap.h"
#include "cli/build_info.h"
#include "cli/commands.h"
#include "cli/session/environment.h"
#include "cli/session/session.h"
#include "cli/welcome.h"
#include "config/reader.h"
#include "loadfactor/version.h"

namespace loadfactor::cli {
namespace {

using facade::Flags;
using facade::Option;
using Words = std::vector<std::string>;

std::string paragraph(const std::string& text) {
  constexpr int kColumns = 80;
  return fmt::format("{}\n", fmt::join(wrap(text, kColumns), "\n"));
}

std::string common_options_text() {
  return paragraph(
      "Every verb takes --format table|json|csv|md, -o FILE (its suffix is a format too), "
      "--catalog DIR (your own data over ours), --seed N, --threads N (0: all cores), "
      "--quiet (no notices), --explain (sums and sources), --reproducible (no run times).");
}

// On the page of a verb, where every line counts.
std::string common_options_names(bool has_all_formats) {
  return paragraph(
      fmt::format("As every verb: {}-o FILE, --catalog DIR, --seed N, --threads N, "
                  "--quiet, --explain, --reproducible; `loadfactor --help` says what they do.",
                  has_all_formats ? "--format table|json|csv|md, " : ""));
}

// Help that fits a terminal, and names the program before the verb.
class HelpPage : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    name = app->get_name();
    for (const CLI::App* above = app->get_parent(); above != nullptr; above = above->get_parent())
      name = above->get_name() + " " + name;
    return Formatter::make_usage(app, name);
  }
  // What every verb takes is said in one sentence at the end, where the verb takes it.
  std::string make_footer(const CLI::App* app) const override {
    if (app->get_parent() == nullptr) return Formatter::make_footer(app);
    const auto groups = app->get_groups();
    const bool takes = std::find(groups.begin(), groups.end(), kCommonOptions) != groups.end();
    if (!takes) return {};
    const CLI::Option* format = app->get_option_no_throw("--format");
    const bool has_csv =
        format == nullptr || format->get_description().find("csv") != std::string::npos;
    return "\n" + common_options_names(has_csv);
  }
  // The name and the kind of value, without the range that a wrong one is told.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = Formatter::make_option_opts(option);
    const auto colon = text.find(':');
    if (colon != std::string::npos) text.resize(colon);
    return text;
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == kCommonOptions) return {};
    return Formatter::make_group(group, is_positional, options);
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return broken(Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, verb->get_display_name(true), broken(verb->get_description()),
                             get_column_width());
    return out.str();
  }

 private:
  std::string broken(const std::string& text) const {
    constexpr int kColumns = 80;
    const int left = static_cast<int>(get_column_width());
    return fmt::format("{}", fmt::join(wrap(text, kColumns - left), "\n"));
  }
};

// One blank line at most, and none at the end.
std::string without_gaps(std::string text) {
  for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n"))
    text.erase(at, 1);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> flag_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Error usage(std::string message, std::string hint) {
  return Error{.code = lf::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

Error unknown_verb(const std::string& word, const CLI::App& app) {
  const auto names = verb_names(app);
  const auto nearest = config::suggest(word, names);
  return usage(fmt::format("no verb '{}'", word),
               nearest ? fmt::format("did you mean '{}'? `loadfactor --help` lists all", *nearest)
                       : "`loadfactor --help` lists all");
}

// CLI11's complaint in our words, with the nearest flag where one was mistyped.
Error usage_error(const CLI::App& app, const CLI::ParseError& problem, int argc,
                  const char* const* argv) {
  const CLI::App* verb = nullptr;
  for (const CLI::App* candidate : app.get_subcommands()) verb = candidate;
  if (verb == nullptr) return usage(problem.what(), "`loadfactor --help` lists all");
  const std::string help = fmt::format("`loadfactor {} --help` lists all", verb->get_name());
  if (dynamic_cast<const CLI::RequiredError*>(&problem) != nullptr && argc > 2) {
    std::vector<std::string> kinds;
    for (const CLI::App* kind : verb->get_subcommands([](const CLI::App*) { return true; }))
      kinds.push_back(kind->get_name());
    if (!kinds.empty() && !std::string_view(argv[2]).starts_with("-"))
      return usage(fmt::format("'{}' has no '{}'", verb->get_name(), argv[2]),
                   fmt::format("one of: {}", fmt::join(kinds, ", ")));
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr) {
    const auto flags = flag_names(*verb);
    for (int i = 1; i < argc; ++i) {
      const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
      if (!word.starts_with("-") || std::find(flags.begin(), flags.end(), word) != flags.end())
        continue;
      const auto nearest = config::suggest(word, flags);
      if (word.starts_with("--")) {
        return usage(fmt::format("'{}' has no flag '{}'", verb->get_name(), word),
                     nearest ? fmt::format("did you mean '{}'? {}", *nearest, help) : help);
      }
    }
  }
  return usage(fmt::format("{}: {}", verb->get_name(), problem.what()), help);
}

// CLI11 tells the user what is wrong with a word.
void take(Option& option, const std::string& flag, const std::string& word) {
  option.is_given = true;
  const std::string wrong = option.take(word);
  if (!wrong.empty()) throw CLI::ValidationError(flag, wrong);
}

// What takes no word.
bool is_bare(const Option& option) {
  return option.kind == Option::Kind::kSwitch ||
         (option.kind == Option::Kind::kOutput && option.value_name.empty());
}

CLI::Option* add_flag(CLI::App& verb, Option& option) {
  const std::string flag = option.is_positional ? option.name : "--" + option.name;
  const std::string names = option.short_name.empty() ? flag : "-" + option.short_name + "," + flag;
  if (is_bare(option))
    return verb.add_flag_callback(
        names, [&option, flag] { take(option, flag, ""); }, option.help);
  switch (option.kind) {
    case Option::Kind::kWords:
      return verb
          .add_option_function<Words>(
              names,
              [&option, flag](const Words& words) {
                for (const auto& word : words) take(option, flag, word);
              },
              option.help)
          ->allow_extra_args(option.is_positional || option.takes_several);
    default:
      return verb.add_option_function<std::string>(
          names, [&option, flag](const std::string& word) { take(option, flag, word); },
          option.help);
  }
}

void add_option(CLI::App& verb, Option& option) {
  CLI::Option* flag = add_flag(verb, option);
  if (!is_bare(option)) flag->type_name(option.value_name);
  if (option.kind == Option::Kind::kMaybeWord) flag->expected(0, 1);
  if (!option.group.empty()) flag->group(option.group);
  if (!option.shown_default.empty()) flag->default_str(option.shown_default);
  flag->required(option.is_required);
}

// All verbs as the program has them, and the flags of the one that is asked for: the others are not
// read, and to make them all takes a tenth of a short question.
class Program {
 public:
  // `first` is the first word after the program's name.
  Program(CLI::App& app, Session& session, std::string_view first)
      : app_(app), session_(session), first_(first) {
    for (Command& command : commands_) add(command);
  }

 private:
  void add(Command& command) {
    const auto blank = command.name.rfind(' ');
    CLI::App& above = blank == std::string::npos ? app_ : *verbs_.at(command.name.substr(0, blank));
    CLI::App* verb = above.add_subcommand(
        blank == std::string::npos ? command.name : command.name.substr(blank + 1), command.help);
    verbs_[command.name] = verb;
    if (&above != &app_ && above.get_require_subcommand_max() == 0) above.require_subcommand(0, 1);
    if (command.needs_part) {
      verb->require_subcommand(1);
      return;
    }
    if (may_be_asked(command.name)) add_flags(*verb, command);
    verb->callback([verb, &command, this] {
      if (session_.options().output == "-") session_.options().output.clear();  // Is stdout.
      if (verb->get_subcommands().empty()) command.run(session_);
    });
  }

  bool may_be_asked(std::string_view name) const {
    return first_.starts_with("-") || name.substr(0, name.find(' ')) == first_;
  }

  void add_flags(CLI::App& verb, const Command& command) {
    Flags& common = *common_.emplace_back(common_flags(command, session_.options()));
    for (Option* option : options_of(*command.flags, common)) add_option(verb, *option);
  }

  CLI::App& app_;
  Session& session_;
  const std::string_view first_;
  std::vector<Command> commands_ = commands();
  std::vector<std::unique_ptr<Flags>> common_;
  std::map<std::string, CLI::App*> verbs_;
};

constexpr const char* kVersion = "loadfactor " LOADFACTOR_VERSION " (commit " LOADFACTOR_COMMIT
                                 ", prices to " LOADFACTOR_DATA_DATE ")";

int parse_and_run(int argc, const char* const* argv, const Environment& environment, Crew* crew) {
  Session session(environment, crew);
  CLI::App app(kProgramHelp, "loadfactor");
  app.formatter(std::make_shared<HelpPage>());
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(0, 1);
  const Program program(app, session, argc > 1 ? argv[1] : "");
  app.footer(common_options_text());  // Behind the verbs, which would inherit it.
  if (argc <= 1) {
    print_welcome(session);
    return session.status();
  }
  const std::string first = argv[1];
  const auto names = verb_names(app);
  if (!first.starts_with("-") && std::find(names.begin(), names.end(), first) == names.end()) {
    session.fail(unknown_verb(first, app));
    return session.status();
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    *environment.out << without_gaps(chosen.empty() ? app.help() : chosen.front()->help());
  } catch (const CLI::CallForVersion&) {
    *environment.out << kVersion << '\n';
  } catch (const CLI::ParseError& problem) {
    session.fail(usage_error(app, problem, argc, argv));
  }
  return session.status();
}

// Says so in a text that was there before: a message that is made now would need memory, too.
int end_without_memory(std::ostream& err) {
  err << "error[LF606]: memory ran out before there was an answer\n"
         "  help: raise the limit of this process, or --threads 1\n";
  return exit_status(lf::kNoMemory);
}

int end_with_bug(std::ostream& err, const std::string& what) {
  err << render(Error{.code = lf::kInternal,
                      .message = what,
                      .hint = "this is a bug of ours; `loadfactor doctor` prints what a report "
                              "should contain"});
  return exit_status(lf::kInternal);
}

int end_without_thread(std::ostream& err) {
  err << "error[LF606]: no thread can be started\n"
         "  help: raise the limit of processes (`ulimit -u`, a cgroup's `pids.max`)\n";
  return exit_status(lf::kNoMemory);
}

// What was not written is no answer, be it help or a version.
int status_of_output(const Environment& environment) {
  environment.out->flush();
  if (*environment.out) return 0;
  *environment.err << render(
      Error{.code = lf::kCannotWrite, .message = "cannot write to standard output"});
  return exit_status(lf::kCannotWrite);
}

}  // namespace

int run(int argc, const char* const* argv, const Environment& environment, Crew* crew) {
  try {
    const int status = parse_and_run(argc, argv, environment, crew);
    return status == 0 ? status_of_output(environment) : status;
  } catch (const std::bad_alloc&) {
    return end_without_memory(*environment.err);
  } catch (const std::system_error& fault) {
    if (fault.code() == std::errc::resource_unavailable_try_again)
      return end_without_thread(*environment.err);
    return end_with_bug(*environment.err, fault.what());
  } catch (const std::exception& bug) {
    return end_with_bug(*environment.err, bug.what());
  }
}

int run_here(int argc, const char* const* argv) {
  try {
    return run(argc, argv, system_environment());
  } catch (const std::bad_alloc&) {
    return end_without_memory(std::cerr);
  }
}

}  // namespace loadfactor::cli
