#include "facade/currency.h"

#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/currency.h"
#include "config/override.h"
#include "facade/body.h"
#include "facade/json.h"
#include "report/describe/currency_text.h"
#include "report/describe/tree.h"

namespace loadfactor::facade {
namespace {

using config::Currency;
using Found = Result<std::optional<Currency>>;

report::CurrencyWords words_of(const Currency& currency) {
  return report::currency_words(currency.code, currency.per_usd);
}

Error in_dollars_only(const config::Scenario& scenario, const std::string& who) {
  return scenario.error(lf::kUsage, scenario.money.currency->code.position,
                        fmt::format("{} in US dollars", who),
                        "take 'money.currency' out; amounts are written in USD then");
}

template <typename T>
Found currency_in(const T& question) {
  if constexpr (requires { question.about.scenario; }) return currency_of(question.about.scenario);
  return std::optional<Currency>();
}

Found currency_in(const ExplainQuestion& question) {
  return question.about ? currency_of(question.about->scenario) : std::nullopt;
}

Found currency_in(const EmitQuestion& question) {
  const bool has_one = question.about.scenario.money.currency.has_value();
  if (has_one && question.target == "litellm")
    return in_dollars_only(question.about.scenario, "LiteLLM counts");
  return currency_of(question.about.scenario);
}

Found currency_in(const ObserveQuestion& question) {
  for (const ScenarioWithFiles& about : question.scenarios)
    if (about.scenario.money.currency) return in_dollars_only(about.scenario, "'observe' counts");
  return std::optional<Currency>();
}

Found currency_in(const DiffQuestion& question) {
  const auto scenario_of = [](const PlanSide& side) {
    const auto* about = std::get_if<ScenarioWithFiles>(&side);
    return about == nullptr ? nullptr : &about->scenario;
  };
  const config::Scenario* before = scenario_of(question.before);
  const config::Scenario* after = scenario_of(question.after);
  const auto first = before == nullptr ? std::nullopt : currency_of(*before);
  const auto second = after == nullptr ? std::nullopt : currency_of(*after);
  const bool is_same = first && second
                           ? first->code == second->code && first->per_usd == second->per_usd
                           : !first && !second;
  if (is_same) return first;
  const config::Scenario& one = first ? *before : *after;
  return one.error(
      lf::kContradictoryKeys, one.money.currency->code.position,
      "the two that are compared are not in one currency",
      "give both the same 'money.currency', or none; a plan that was saved is compared "
      "with scenarios in US dollars alone");
}

Found currency_in(const FleetQuestion& question) {
  const auto document = config::parse_overridden(question.fleet.shown(),
                                                 std::string(question.fleet.bytes), question.set);
  return document ? document->currency : std::nullopt;  // Its reader says what is wrong.
}

// An answer that renders another one in the words of a currency.
class ConvertedBody final : public AnswerBody {
 public:
  ConvertedBody(Answer inner, const Currency& currency, std::shared_ptr<const engine::Core> core)
      : inner_(std::move(inner)), core_(std::move(core)), words_(words_of(currency)) {
    const AnswerBody& body = inside(inner_);
    verb = body.verb;
    outcome = body.outcome;
    is_timed = body.is_timed;
    files = body.files;
    for (Notice notice : body.notices) {
      notice.text = report::in_currency(notice.text, words_);
      notices.push_back(std::move(notice));
    }
    for (const GateVerdict& gate : body.gates)
      gates.push_back({gate.holds, report::in_currency(gate.words, words_)});
    for (const std::string& remark : body.remarks)
      remarks.push_back(report::in_currency(remark, words_));
  }
  Result<std::string> render(Format format, const Style& style) const override {
    TRY(const std::string text, inside(inner_).render(format, style));
    switch (format) {
      case Format::kJson:
        return report::print_json(report::value_in_currency(value_of_json(text), words_)) + "\n";
      case Format::kPage:
        return report::page_in_currency(text, words_);
      case Format::kWorkbook:
        return report::labels_in_currency(text, words_);
      case Format::kTrace:
      case Format::kSeries:
        return text;
      default:
        return report::in_currency(text, words_);
    }
  }
  const void* find(const std::type_info& type) const override { return inside(inner_).find(type); }

 private:
  Answer inner_;
  std::shared_ptr<const engine::Core> core_;
  report::CurrencyWords words_;
};

}  // namespace

std::optional<Currency> currency_of(const config::Scenario& scenario) {
  const auto& section = scenario.money.currency;
  if (!section) return std::nullopt;
  return Currency{section->code.value, section->per_usd.value};
}

Result<std::optional<Currency>> currency_of(const Question& question) {
  return std::visit([](const auto& asked) { return currency_in(asked); }, question);
}

Question in_currency(Question question, const Currency& currency) {
  if (auto* scale = std::get_if<ScaleQuestion>(&question); scale != nullptr && scale->day_value)
    scale->day_value = *scale->day_value * currency.per_usd;
  return question;
}

Answer in_words_of(const Currency& currency, Answer answer,
                   std::shared_ptr<const engine::Core> core) {
  return AnswerBody::as_answer(
      std::make_shared<ConvertedBody>(std::move(answer), currency, std::move(core)));
}

Error in_words_of(const Currency& currency, Error error) {
  const report::CurrencyWords words = words_of(currency);
  error.message = report::in_currency(error.message, words);
  error.hint = report::in_currency(error.hint, words);
  for (std::string& note : error.notes) note = report::in_currency(note, words);
  return error;
}

std::vector<std::string> readings_of_gate(const std::string& gate) {
  constexpr std::size_t kLetters = 3;
  std::vector<std::string> readings{gate};
  for (std::size_t i = 0; i + kLetters <= gate.size(); ++i) {
    const std::string_view word = std::string_view(gate).substr(i, kLetters);
    if (!config::is_currency_code(word)) continue;
    if (auto in_dollars = config::in_dollars(gate, word))
      readings.push_back(*std::move(in_dollars));
  }
  return readings;
}

Result<std::string> gate_text(const std::string& gate, const std::optional<Currency>& currency) {
  if (!currency || currency->code == "USD") return gate;
  if (gate.find('$') != std::string::npos || config::in_dollars(gate, "USD"))
    return Error{
        .code = lf::kUsage,
        .message = fmt::format("'{}' is in dollars, and the plan in {}", gate, currency->code),
        .hint = fmt::format("write amounts in {}", currency->code)};
  return config::in_dollars(gate, currency->code).value_or(gate);
}

}  // namespace loadfactor::facade
