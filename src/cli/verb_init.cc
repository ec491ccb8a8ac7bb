// `loadfactor init serve|train`: five questions, or flags, and a commented scenario.
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/catalog.h"
#include "cli/init_questions.h"
#include "cli/session/files.h"
#include "cli/session/mapped_file.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "config/reading/scenario_reader.h"
#include "demand/read/import.h"

namespace loadfactor::cli {
namespace {

struct InitFlags {
  std::vector<std::string> answers;
  bool force = false;
};

// Where the answers to the questions of a service stand.
struct AnswerAt {
  static constexpr std::size_t kModel = 0;
  static constexpr std::size_t kRequests = 1;
  static constexpr std::size_t kTokens = 2;
  static constexpr std::size_t kSlo = 3;
};

Error init_refusal(std::string message, std::string hint) {
  return Error{.code = lf::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

// Whether a file of traffic says how long its requests are.
Result<bool> has_lengths(const std::string& path) {
  TRY(const auto file, MappedFile::open(path));
  TRY(const auto import, demand::import_demand(path, file.bytes()));
  if (const auto* profile = std::get_if<demand::RateProfile>(&import.data))
    return profile->mean_input > Tokens() && profile->mean_output > Tokens();
  return true;
}

// Answers that no flag gave: asked for on a terminal, else read line by line from what is piped in;
// what is not answered takes its default, and that is said.
class Asker {
 public:
  Asker(Session& session, std::span<const Question> questions, bool is_service)
      : session_(session), questions_(questions), is_service_(is_service) {
    const Environment& environment = session.environment();
    asks_ = environment.in != nullptr && environment.in_is_terminal;
  }

  Result<bool> run(std::vector<std::string>& answers) {
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      if (is_service_ && i == AnswerAt::kTokens && is_path(answers[AnswerAt::kRequests])) {
        TRY(const bool known, has_lengths(answers[AnswerAt::kRequests]));
        if (known && !answers[i].empty())
          return init_refusal(
              fmt::format("'{}' says how long requests are", answers[AnswerAt::kRequests]),
              "leave out --tokens");
        if (known) continue;
      }
      if (answers[i].empty()) answers[i] = answer_to(questions_[i]);
    }
    if (!defaults_.empty() && !asks_)
      session_.tell(
          fmt::format("note: not a terminal, and nothing said of {}: the defaults are "
                      "taken",
                      fmt::join(defaults_, ", ")));
    return true;
  }

 private:
  std::string answer_to(const Question& question) {
    const Environment& environment = session_.environment();
    std::string answer;
    if (asks_) {
      *environment.err << fmt::format("{} ({})\n  [{}] ", question.asked, question.help,
                                      question.otherwise)
                       << std::flush;
      std::getline(*environment.in, answer);
    } else if (is_piped()) {
      std::getline(*environment.in, answer);
    }
    if (!answer.empty() && answer.back() == '\r') answer.pop_back();
    if (!answer.empty()) return answer;
    defaults_.emplace_back(question.flag);
    return std::string(question.otherwise);
  }

  bool is_piped() {
    const Environment& environment = session_.environment();
    if (!piped_)
      piped_ = environment.in != nullptr && (!environment.has_input || environment.has_input());
    return *piped_;
  }

  Session& session_;
  std::span<const Question> questions_;
  bool is_service_;
  bool asks_ = false;
  std::optional<bool> piped_;
  std::vector<std::string> defaults_;
};

// Two tokens, two times.
Result<bool> check_pairs(const std::vector<std::string>& answers) {
  const auto has_two = [](const std::string& text, char separator) {
    return !halves(text, separator)[0].empty() && !halves(text, separator)[1].empty();
  };
  if (!answers[AnswerAt::kTokens].empty() && !has_two(answers[AnswerAt::kTokens], ' '))
    return init_refusal(fmt::format("--tokens '{}' is not two numbers", answers[AnswerAt::kTokens]),
                        "tokens in and out, as '2000 400'");
  if (!has_two(answers[AnswerAt::kSlo], ','))
    return init_refusal(fmt::format("--slo '{}' is not two times", answers[AnswerAt::kSlo]),
                        "of the first token and of each further one, as '1.5 s, 40 ms'");
  return true;
}

// A scenario names files from where it stands itself.
void move_path(const std::string& output, std::string& path) {
  if (output.empty() || !is_path(path) || std::filesystem::path(path).is_absolute()) return;
  std::error_code ignored;
  const auto folder = std::filesystem::absolute(output, ignored).parent_path();
  const auto moved = std::filesystem::proximate(std::filesystem::absolute(path), folder, ignored);
  if (!moved.empty()) path = moved.string();
}

// Names that the catalogue does not have, where they stand.
void check_names(const catalog::Catalog& catalog, const config::Scenario& scenario,
                 Diagnostics& diagnostics) {
  const auto refuse = [&](const Error& error, config::Position at) {
    diagnostics.add(scenario.error(error.code, at, error.message, error.hint));
  };
  for (const auto& chip : scenario.hardware) {
    const auto found = catalog.find_accelerator(chip.value);
    if (!found) refuse(found.error(), chip.position);
  }
  const config::ModelAsk& model = scenario.serve ? scenario.serve->model : scenario.train->model;
  const auto* named = std::get_if<config::CatalogModel>(&model.model);
  if (named == nullptr) return;
  const auto found = catalog.find_model(named->name.value);
  if (!found) refuse(found.error(), named->name.position);
}

Diagnostics problems_of(const catalog::Catalog& catalog, const std::string& text) {
  Diagnostics diagnostics;
  const auto scenario = config::parse_scenario("answers", text, {}, diagnostics);
  if (scenario) check_names(catalog, *scenario, diagnostics);
  return diagnostics;
}

// A scenario is YAML, whatever it is called.
bool accepts_yaml(Session& session) {
  const auto& options = session.options();
  const std::string suffix = std::filesystem::path(options.output).extension().string();
  const bool is_yaml = suffix.empty() || suffix == ".yaml" || suffix == ".yml";
  if (is_yaml && options.format.empty()) return true;
  session.fail(init_refusal("a scenario is written as YAML",
                            is_yaml ? "leave out --format" : "call it something.yaml"));
  return false;
}

void write_scenario(Session& session, const std::string& text, bool force) {
  const std::string path = session.options().output;
  if (path.empty()) return session.write(text);
  if (!force && std::filesystem::exists(path))
    return session.fail(init_refusal(fmt::format("'{}' exists", path),
                                     "give another name, or --force to replace it"));
  const auto written = write_file(path, text);
  if (!written) return session.fail(written.error());
  session.tell(fmt::format("wrote {}; next: loadfactor plan {}", path, path));
}

using Template = std::string (*)(const std::vector<std::string>&);

void add_kind(CLI::App& verb, Session& session, const char* kind,
              std::span<const Question> questions, Template make) {
  CLI::App* sub = verb.add_subcommand(kind, fmt::format("a scenario with a `{}` section", kind));
  session.add_common_options(*sub);
  auto flags = std::make_shared<InitFlags>();
  flags->answers.resize(questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i)
    sub->add_option(std::string(questions[i].flag), flags->answers[i],
                    fmt::format("{} {}", questions[i].asked, questions[i].help));
  sub->add_flag("--force", flags->force, "replace the file of -o if it exists");
  const bool is_service = std::string_view(kind) == "serve";
  sub->callback([flags, &session, questions, make, is_service] {
    if (!accepts_yaml(session)) return;
    auto& answers = flags->answers;
    if (const auto asked = Asker(session, questions, is_service).run(answers); !asked)
      return session.fail(asked.error());
    if (is_service) {
      if (const auto paired = check_pairs(answers); !paired) return session.fail(paired.error());
      move_path(session.options().output, answers[AnswerAt::kRequests]);
    }
    move_path(session.options().output, answers[AnswerAt::kModel]);
    const std::string text = make(answers);
    const Engine* engine = session.engine();
    if (engine == nullptr) return;
    const Diagnostics problems = problems_of(engine->catalog(), text);
    if (!problems.empty()) return session.fail(problems);
    write_scenario(session, text, flags->force);
  });
}

}  // namespace

void add_init(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("init", "five questions, and a commented scenario");
  verb->require_subcommand(1);
  add_kind(*verb, session, "serve", serve_questions(), serve_scenario);
  add_kind(*verb, session, "train", train_questions(), train_scenario);
}

}  // namespace loadfactor::cli
