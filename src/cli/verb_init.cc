// `loadfactor init serve|train`: six questions, or flags, and a commented scenario.
#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/commands.h"
#include "cli/init_questions.h"
#include "cli/session/files.h"
#include "cli/session/mapped_file.h"
#include "facade/tools/catalogue.h"

namespace loadfactor::cli {
namespace {

struct InitFlags final : facade::Flags {
  explicit InitFlags(std::span<const Prompt> prompts) : answers(prompts.size()) {
    for (std::size_t i = 0; i < prompts.size(); ++i)
      word(std::string(prompts[i].flag), answers[i],
           fmt::format("{} {}", prompts[i].asked, prompts[i].help), "TEXT");
    flag("force", force, "replace the file of -o if it exists");
  }
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

Result<bool> has_lengths(const std::string& path) {
  TRY(const auto file, MappedFile::open(path));
  return facade::has_lengths(path, file.bytes());
}

// A kind of scenario that `init` writes.
struct Kind {
  const char* name;
  std::span<const Prompt> prompts;
  std::string (*scenario)(const std::vector<std::string>& answers);
  bool is_service;
};

// What is wrong with the answers so far; the others are as if nobody had answered.
using Check = std::function<Diagnostics(std::vector<std::string> answers)>;

// Answers that no flag gave: asked for on a terminal, again where they mean nothing, else read line
// by line from what is piped in; what is not answered takes its default, and that is said.
class Asker {
 public:
  Asker(Session& session, const Kind& kind, Check check)
      : session_(session),
        prompts_(kind.prompts),
        is_service_(kind.is_service),
        check_(std::move(check)) {
    const Environment& environment = session.environment();
    asks_ = environment.in != nullptr && environment.in_is_terminal;
  }

  Result<bool> run(std::vector<std::string>& answers) {
    for (std::size_t i = 0; i < prompts_.size(); ++i) {
      if (is_service_ && i == AnswerAt::kTokens && is_path(answers[AnswerAt::kRequests])) {
        TRY(const bool known, has_lengths(answers[AnswerAt::kRequests]));
        if (known && !answers[i].empty())
          return init_refusal(
              fmt::format("'{}' says how long requests are", answers[AnswerAt::kRequests]),
              "leave out --tokens");
        if (known) continue;
      }
      if (answers[i].empty()) ask(i, answers);
    }
    if (!defaults_.empty() && !asks_)
      session_.tell(
          fmt::format("note: not a terminal, and nothing said of {}: the defaults are "
                      "taken",
                      fmt::join(defaults_, ", ")));
    return true;
  }

 private:
  // On a terminal until the answer means something; those before it are kept.
  void ask(std::size_t i, std::vector<std::string>& answers) {
    for (;;) {
      answers[i] = answer_to(prompts_[i]);
      if (!asks_ || !*session_.environment().in) return;
      const Diagnostics wrong = check_(answers);
      if (wrong.empty()) return;
      *session_.environment().err << render(wrong) << std::flush;
    }
  }

  std::string answer_to(const Prompt& prompt) {
    const Environment& environment = session_.environment();
    std::string answer;
    if (asks_) {
      *environment.err << fmt::format("{} ({})\n  [{}] ", prompt.asked, prompt.help,
                                      prompt.otherwise)
                       << std::flush;
      std::getline(*environment.in, answer);
    } else if (is_piped()) {
      std::getline(*environment.in, answer);
    }
    if (!answer.empty() && answer.back() == '\r') answer.pop_back();
    if (!answer.empty()) return answer;
    defaults_.push_back(fmt::format("--{}", prompt.flag));
    return std::string(prompt.otherwise);
  }

  bool is_piped() {
    const Environment& environment = session_.environment();
    if (!piped_)
      piped_ = environment.in != nullptr && (!environment.has_input || environment.has_input());
    return *piped_;
  }

  Session& session_;
  std::span<const Prompt> prompts_;
  bool is_service_;
  Check check_;
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

// All that is wrong with answers; what nobody answered yet is as its default has it.
Diagnostics faults_of(Session& session, const Kind& kind, std::vector<std::string> answers) {
  Diagnostics wrong;
  bool has_tokens = false;
  if (kind.is_service && is_path(answers[AnswerAt::kRequests])) {
    const auto known = has_lengths(answers[AnswerAt::kRequests]);
    if (!known) return wrong.add(known.error()), wrong;
    has_tokens = *known;
  }
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (answers[i].empty() && !(has_tokens && i == AnswerAt::kTokens))
      answers[i] = kind.prompts[i].otherwise;
  if (kind.is_service)
    if (const auto paired = check_pairs(answers); !paired) return wrong.add(paired.error()), wrong;
  const Engine* engine = session.engine();
  if (engine == nullptr) return wrong;
  return facade::check_scenario(*engine, "answers", kind.scenario(answers));
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

void run_init(Session& session, const Kind& kind, InitFlags& flags) {
  if (!accepts_yaml(session)) return;
  auto& answers = flags.answers;
  const Check check = [&](std::vector<std::string> so_far) {
    return faults_of(session, kind, std::move(so_far));
  };
  if (const auto asked = Asker(session, kind, check).run(answers); !asked)
    return session.fail(asked.error());
  if (kind.is_service) {
    if (const auto paired = check_pairs(answers); !paired) return session.fail(paired.error());
    move_path(session.options().output, answers[AnswerAt::kRequests]);
  }
  move_path(session.options().output, answers[AnswerAt::kModel]);
  const std::string text = kind.scenario(answers);
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const Diagnostics problems = facade::check_scenario(*engine, "answers", text);
  if (!problems.empty()) return session.fail(problems);
  write_scenario(session, text, flags.force);
}

Command command_of(const Kind& kind) {
  auto flags = std::make_shared<InitFlags>(kind.prompts);
  return {fmt::format("init {}", kind.name),
          fmt::format("a scenario with a `{}` section", kind.name), flags,
          [flags, kind](Session& session) { run_init(session, kind, *flags); }};
}

}  // namespace

std::vector<Command> init_commands() {
  Command above{"init", "six questions, and a commented scenario", nullptr, nullptr, true};
  return {std::move(above), command_of({"serve", serve_prompts(), serve_scenario, true}),
          command_of({"train", train_prompts(), train_scenario, false})};
}

}  // namespace loadfactor::cli
