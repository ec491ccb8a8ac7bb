// `loadfactor explain LFnnn | TERM`: what an error code or a word of ours means;
// `loadfactor explain QUANTITY SCENARIO`: where a number comes from.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/catalog.h"
#include "cli/plan_question.h"
#include "cli/session/scenario_files.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "config/reader.h"
#include "engine/explain/explain.h"
#include "report/explanation.h"

namespace loadfactor::cli {
namespace {

// The number of `LF502`, `lf502` or `502`, or nothing.
std::optional<int> code_of(std::string_view word) {
  if (word.size() > 2 && (word.starts_with("LF") || word.starts_with("lf"))) word.remove_prefix(2);
  int number = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failed != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

void explain_code(Session& session, int code) {
  const ErrorCodeRow* row = find_error_code(code);
  if (row == nullptr) {
    session.fail(Error{.code = lf::kUnknownQuantity,
                       .message = fmt::format("no error code LF{:03}", code),
                       .hint = "`loadfactor explain codes` lists all"});
    return;
  }
  session.write(report::explain_code(*row));
}

// As the glossary spells it: lower case, words joined.
std::string folded(std::string_view word) {
  std::string out;
  for (const char c : word) {
    const bool joins = c == ' ' || c == '-' || c == '/';
    out += joins ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// By its name, or as tables print it: in the plural, or with the word that goes before it.
const catalog::GlossaryTerm* find_term(const std::vector<catalog::GlossaryTerm>& terms,
                                       const std::string& word) {
  const std::string wanted = folded(word);
  const std::string singular = wanted.ends_with('s') ? wanted.substr(0, wanted.size() - 1) : wanted;
  for (const std::string& name : {wanted, singular}) {
    for (const auto& term : terms) {
      if (term.name == name || (name.size() > term.name.size() && name.ends_with("_" + term.name)))
        return &term;
    }
  }
  return nullptr;
}

void explain_term(Session& session, const std::string& word) {
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const auto& terms = engine->catalog().glossary();
  // Answers name the generation of an engine; one term tells of all.
  const bool is_generation = engine->catalog().find_generation(word) != nullptr;
  const std::string spoken = is_generation ? "generation" : word;
  if (const auto* term = find_term(terms, spoken))
    return session.write(report::explain_term(*term));
  std::vector<std::string> names{"codes", "terms"};
  for (const auto& term : terms) names.push_back(term.name);
  const auto nearest = config::suggest(word, names);
  session.fail(Error{.code = lf::kUnknownQuantity,
                     .message = fmt::format("nothing named '{}' to explain", word),
                     .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : "") +
                             "`loadfactor explain terms` and `loadfactor explain codes` list all"});
}

// The last word names a scenario; those before it a quantity of its plan.
bool asks_for_tree(const std::vector<std::string>& words) {
  if (words.size() < 2) return false;
  const std::string& last = words.back();
  return last == "-" || last.ends_with(".yaml") || last.ends_with(".yml") ||
         last.ends_with(".json");
}

void explain_number(Session& session, std::vector<std::string> words) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  if (*format != "table" && *format != "json")
    return session.fail(Error{.code = lf::kUsage,
                              .message = fmt::format("a tree has no form '{}'", *format),
                              .hint = "use --format json, or leave it out"});
  const std::string file = words.back();
  words.pop_back();
  const std::string quantity = folded(fmt::format("{}", fmt::join(words, " ")));
  auto files = read_plan_files(session, file);
  if (!files) return;
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const auto write = [&](const engine::ExplainNode& tree, const std::string& scenario) {
    session.write(*format == "json" ? report::explain_json(tree, {quantity, scenario, file})
                                    : report::explain_tree(tree));
  };
  const auto& question = files->question;
  if (const auto tree = engine::explain_run(*engine, question, quantity))
    return write(*tree, question.scenario().name.value);
  Diagnostics diagnostics;
  const auto answer = engine::make_plan(*engine, question, diagnostics);
  if (!answer) return session.fail(diagnostics);
  const auto tree = engine::explain_quantity(*engine, question, *answer, quantity);
  if (!tree) return session.fail(tree.error());
  const std::string why = engine::why_of_the_plan(*engine, question);
  if (!why.empty()) session.tell(why);
  write(*tree, answer->scenario);
}

void run_explain(Session& session, const std::vector<std::string>& words) {
  if (asks_for_tree(words)) return explain_number(session, words);
  if (!session.accepts_text_only()) return;
  const std::string word = words.empty() ? "terms" : fmt::format("{}", fmt::join(words, " "));
  if (word == "codes") {
    session.write(report::list_codes(error_codes()));
  } else if (word == "terms") {
    if (const Engine* engine = session.engine())
      session.write(report::list_terms(engine->catalog().glossary()));
  } else if (const auto code = code_of(word)) {
    explain_code(session, *code);
  } else {
    explain_term(session, word);
  }
}

}  // namespace

void add_explain(CLI::App& app, Session& session) {
  CLI::App* verb =
      app.add_subcommand("explain", "where a number comes from; what a code or a word means");
  session.add_common_options(*verb);
  auto words = std::make_shared<std::vector<std::string>>();
  verb->add_option("word", *words,
                   "LFnnn, a term such as mfu, `codes`, `terms`, or QUANTITY SCENARIO")
      ->type_name("CODE|TERM|QUANTITY SCENARIO");
  add_set_option(*verb, session);
  verb->callback([words, &session] { run_explain(session, *words); });
}

}  // namespace loadfactor::cli
