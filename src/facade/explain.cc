// `explain`: where a number comes from; what a code or a word means.
#include "engine/explain/explain.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/catalog.h"
#include "config/reader.h"
#include "facade/body.h"
#include "facade/plans.h"
#include "facade/texts.h"
#include "facade/verbs.h"
#include "report/explain/explain_words.h"
#include "report/explain/explanation.h"

namespace loadfactor::facade {
namespace {

// The number of `LF502`, `lf502` or `502`, or nothing.
std::optional<int> code_of(std::string_view word) {
  if (word.size() > 2 && (word.starts_with("LF") || word.starts_with("lf"))) word.remove_prefix(2);
  int number = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failed != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
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

Result<std::string> explain_term(const catalog::Catalog& catalog, const std::string& word) {
  const auto& terms = catalog.glossary();
  // Answers name the generation of an engine; one term tells of all.
  const bool is_generation = catalog.find_generation(word) != nullptr;
  if (const auto* term = find_term(terms, is_generation ? "generation" : word))
    return report::explain_term(*term);
  std::vector<std::string> names{"codes", "terms"};
  for (const auto& term : terms) names.push_back(term.name);
  const auto nearest = config::suggest(word, names);
  return Error{.code = lf::kUnknownQuantity,
               .message = fmt::format("nothing named '{}' to explain", word),
               .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : "") +
                       "`loadfactor explain terms` and `loadfactor explain codes` list all"};
}

Result<std::string> explain_word(const catalog::Catalog& catalog, const std::string& word) {
  if (word == "codes") return report::list_codes(error_codes());
  if (word == "terms") return report::list_terms(catalog.glossary());
  const auto code = code_of(word);
  if (!code) return explain_term(catalog, word);
  if (const ErrorCodeRow* row = find_error_code(*code)) return report::explain_code(*row);
  return Error{.code = lf::kUnknownQuantity,
               .message = fmt::format("no error code LF{:03}", *code),
               .hint = "`loadfactor explain codes` lists all"};
}

Answer tree_answer(engine::ExplainNode tree, report::ExplainedQuantity asked, Beside beside) {
  return make_answer<engine::ExplainNode>(
      "explain", std::move(tree),
      [asked = std::move(asked)](const engine::ExplainNode& node, Format format,
                                 const Style& /*style*/) -> Result<std::string> {
        if (format == Format::kJson) return report::explain_json(node, asked);
        if (format == Format::kTable) return report::explain_tree(node);
        return Error{.code = lf::kUsage,
                     .message = fmt::format("a tree has no form '{}'", name_of(format)),
                     .hint = "use --format json, or leave it out"};
      },
      std::move(beside));
}

std::optional<Answer> explain_number(const Desk& desk, const ExplainQuestion& question) {
  const std::string quantity = folded(question.subject);
  const auto asked = plan_question(*question.about, question.settings, desk.progress);
  if (!asked) return desk.refuse(asked.error());
  const auto& scenario = question.about->scenario;
  if (auto tree = engine::explain_run(desk.engine, *asked, quantity))
    return tree_answer(*std::move(tree), {quantity, scenario.name.value, scenario.file()}, {});
  if (auto tree = engine::explain_service(desk.engine, *asked, quantity))
    return tree_answer(*std::move(tree), {quantity, scenario.name.value, scenario.file()}, {});
  const auto answer = engine::make_plan(desk.engine, *asked, desk.diagnostics);
  if (!answer) return std::nullopt;
  auto tree = engine::explain_quantity(desk.engine, *asked, *answer, quantity);
  if (!tree) return desk.refuse(tree.error());
  Beside beside;
  if (const auto misfit = engine::misfit_run(desk.engine, *asked))
    beside.remarks.push_back(report::misfit_words(*misfit));
  return tree_answer(*std::move(tree), {quantity, answer->scenario, scenario.file()},
                     std::move(beside));
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const ExplainQuestion& question) {
  if (question.about) return explain_number(desk, question);
  auto text = explain_word(desk.engine.catalog(), question.subject);
  if (!text) return desk.refuse(text.error());
  return text_answer("explain", {*std::move(text)});
}

}  // namespace loadfactor::facade
