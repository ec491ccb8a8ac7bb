#include "facade/ask.h"

#include <array>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "facade/currency.h"
#include "facade/unread_keys.h"
#include "facade/verbs.h"

namespace loadfactor {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<Question>> kVerbs{
    "plan",     "fit",       "train",   "search", "scale", "serve",   "simulate",
    "size",     "fill",      "cost",    "demand", "audit", "explain", "diff",
    "validate", "calibrate", "catalog", "emit",   "read",  "observe", "fleet"};

// Every scenario of a question, with the verb that is asked about it.
template <typename Visit>
void for_each_scenario(const Question& question, Visit visit) {
  std::visit(
      [&](const auto& asked) {
        using Asked = std::decay_t<decltype(asked)>;
        std::string_view verb = verb_of(question);
        if constexpr (std::is_same_v<Asked, PlanQuestion>) {
          if (asked.years > 0) verb = "years";
          if (asked.launch) verb = "launch";
        }
        if constexpr (std::is_same_v<Asked, DiffQuestion>) {
          for (const PlanSide* side : {&asked.before, &asked.after})
            if (const auto* about = std::get_if<ScenarioWithFiles>(side))
              visit(verb, about->scenario);
        } else if constexpr (std::is_same_v<Asked, ExplainQuestion>) {
          if (asked.about) visit(verb, asked.about->scenario);
        } else if constexpr (std::is_same_v<Asked, CalibrateQuestion>) {
          if (const auto* site = std::get_if<SiteMeasurements>(&asked.from))
            for (const ScenarioWithFiles& about : site->scenarios) visit(verb, about.scenario);
        } else if constexpr (requires { asked.scenarios; }) {
          for (const ScenarioWithFiles& about : asked.scenarios) visit(verb, about.scenario);
        } else if constexpr (requires { asked.about.scenario; }) {
          visit(verb, asked.about.scenario);
        }
      },
      question);
}

std::optional<Answer> ask_of(const engine::Core& core, const Question& question,
                             Diagnostics& diagnostics, const Progress& progress) {
  const std::size_t before = diagnostics.size();
  for_each_scenario(question, [&](std::string_view verb, const config::Scenario& scenario) {
    if (auto error = facade::find_unhonoured(verb, scenario)) diagnostics.add(*std::move(error));
  });
  if (diagnostics.size() > before) return std::nullopt;
  const facade::Desk desk{core, progress, diagnostics};
  return std::visit([&](const auto& asked) { return facade::ask(desk, asked); }, question);
}

// All money is in the currency, that of the catalogue too, so that nothing between the reader and
// the words of the answer knows of it.
std::optional<Answer> ask_in(const config::Currency& currency, const engine::Core& core,
                             const Question& question, Diagnostics& diagnostics,
                             const Progress& progress) {
  const std::shared_ptr<const engine::Core> converted = core.in_currency(currency.per_usd);
  Diagnostics found;
  auto answer = ask_of(*converted, facade::in_currency(question, currency), found, progress);
  for (const Error& error : found.errors()) diagnostics.add(facade::in_words_of(currency, error));
  if (!answer) return std::nullopt;
  return facade::in_words_of(currency, *std::move(answer), converted);
}

}  // namespace

std::unique_ptr<Engine> Engine::create(const std::vector<OverlayFile>& overlays,
                                       Diagnostics& diagnostics) {
  auto core = engine::Core::create(overlays, diagnostics);
  return core == nullptr ? nullptr : std::unique_ptr<Engine>(new Engine(std::move(core)));
}

std::unique_ptr<Engine> engine::Core::engine_of(Crew& crew,
                                                const std::vector<OverlayFile>& overlays,
                                                Diagnostics& diagnostics) {
  auto core = create(overlays, diagnostics);
  if (core == nullptr) return nullptr;
  core->crew_ = &crew;
  return std::unique_ptr<Engine>(new Engine(std::move(core)));
}

Engine::Engine(std::unique_ptr<const engine::Core> core) : core_(std::move(core)) {}
Engine::~Engine() = default;

std::string_view verb_of(const Question& question) {
  return kVerbs[question.index()];
}

std::optional<Answer> Engine::ask(const Question& question, Diagnostics& diagnostics,
                                  const Progress& progress) const {
  Diagnostics found;
  std::optional<Answer> answer;
  const auto currency = facade::currency_of(question);
  if (!currency)
    found.add(currency.error());
  else
    answer = *currency ? ask_in(**currency, *core_, question, found, progress)
                       : ask_of(*core_, question, found, progress);
  // A search that was stopped has the best so far; half of any other answer is none.
  const bool keeps_best = std::holds_alternative<SearchQuestion>(question) ||
                          std::holds_alternative<ScaleQuestion>(question);
  if (progress.is_cancelled() && !keeps_best) {
    diagnostics.add(facade::cancelled());
    return std::nullopt;
  }
  diagnostics.add_all(found);
  return answer;
}

Result<Answer> Engine::ask(const Question& question, const Progress& progress) const {
  Diagnostics diagnostics;
  auto answer = ask(question, diagnostics, progress);
  if (!answer) return facade::as_one(diagnostics);
  return *std::move(answer);
}

namespace facade {

Error cancelled() {
  return {.code = kCancelled, .message = "cancelled before there was an answer"};
}

Error as_one(const Diagnostics& diagnostics) {
  Error all = diagnostics.errors().front();
  for (std::size_t i = 1; i < diagnostics.size(); ++i) {
    const Error& error = diagnostics.errors()[i];
    const std::string place =
        error.where.file.empty()
            ? std::string()
            : fmt::format("{}:{}:{}: ", error.where.file, error.where.line, error.where.column);
    all.notes.push_back(fmt::format("{}LF{:03}: {}", place, error.code, error.message));
  }
  return all;
}

}  // namespace facade
}  // namespace loadfactor
