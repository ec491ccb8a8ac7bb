// A question of cost: scenario in, every way to pay and what would change the answer out.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "engine/cost/cost_answer.h"

namespace loadfactor {
namespace {

using engine::CostSetup;

template <typename Figure>
std::size_t least(const CostAnswer& answer, Figure figure) {
  const auto found = std::min_element(
      answer.options.begin(), answer.options.end(),
      [&](const CostOption& a, const CostOption& b) { return figure(a) < figure(b); });
  return static_cast<std::size_t>(found - answer.options.begin());
}

// How sure the first place is: who wins the draws, whose cost is the least on average, and who is
// the cheapest over the horizon where prices are stated to move.
CostVerdict verdict_of(const CostAnswer& answer) {
  constexpr double kSure = 0.5;
  CostVerdict verdict;
  if (answer.options.empty()) return verdict;
  verdict.most_wins = least(answer, [](const CostOption& o) { return -o.wins; });
  verdict.least_mean = least(answer, [](const CostOption& o) { return o.mean_compared; });
  // A run is over before a horizon is.
  verdict.over_horizon = least(answer, [](const CostOption& o) {
    return o.run_time && o.per_run ? *o.per_run : o.expected_present_cost;
  });
  verdict.is_close =
      answer.options.size() > 1 && (answer.options[0].wins < kSure || verdict.least_mean != 0);
  return verdict;
}

void add_capacity(const CostSetup& setup, CostAnswer& answer) {
  const auto& capacity = setup.terms.capacity;
  answer.scenario = setup.scenario.name.value;
  answer.accelerator = setup.chip != nullptr ? setup.chip->name : std::string();
  answer.today = setup.today;
  answer.horizon = setup.terms.horizon;
  answer.gpus = capacity.gpus;
  answer.load_factor = capacity.load_factor;
  answer.load = setup.load;
  answer.most_load = capacity.most_load;
  if (capacity.full_plane <= TokensPerSecond()) return;
  answer.full_plane = capacity.full_plane;
  answer.tokens_per_month = capacity.full_plane * capacity.load_factor * kMonth;
}

void check_bill(const CostSetup& setup, const economics::CostFigures& figures,
                Diagnostics& diagnostics) {
  std::string kinds;
  for (const auto& option : figures.all()) {
    const auto kind = name_of(option.kind);
    if (kind == setup.bill_of) return;
    kinds += (kinds.empty() ? "" : ", ") + std::string(kind);
  }
  diagnostics.add({.code = lf::kUnknownWord,
                   .message = fmt::format("no option '{}' has a price", setup.bill_of),
                   .hint = "one of: " + kinds});
}

Error nothing_priced(const CostSetup& setup) {
  std::string why;
  for (const auto& option : setup.unpriced) why += (why.empty() ? "" : "; ") + option.why;
  return setup.error(lf::kNoOptionPriced, setup.scenario.position,
                     "none of the ways to pay has a price", why);
}

}  // namespace

namespace engine {
namespace {

void add_figures(CostSetup& setup, const economics::CostFigures& figures,
                 const economics::Spreads& spreads, CostAnswer& answer) {
  add_options(setup, figures, spreads, answer);
  add_bill(setup, figures, answer);
  add_decisions(setup, figures, answer);
  add_moves(setup, answer);
  add_capital(setup, answer);
  add_spot(setup, answer);
}

// What was decided at today's values, where an input comes out otherwise. Whatever there is to say
// was said of the answer itself.
CostAnswer answer_at_end(const CostSetup& setup, const economics::CostFigures& decided,
                         const economics::CostCase& terms) {
  CostSetup moved = setup;
  moved.terms = terms;
  Diagnostics unread;
  CostAnswer answer;
  add_capacity(moved, answer);
  add_facility(moved, answer, unread);
  const auto figures = economics::reprice(terms, setup.asked, decided);
  if (figures.count > 0)
    add_figures(moved, figures, economics::without_draws(terms, figures), answer);
  return answer;
}

std::vector<CostAnswer> answers_at_ends(const CostSetup& setup,
                                        const economics::CostFigures& decided,
                                        const CostAnswer& answer) {
  CostSetup asked = setup;
  asked.bill_of = std::string(name_of(answer.bill_of.kind));
  std::vector<CostAnswer> ends;
  for (const auto& input : economics::cases_at_ends(setup.terms, setup.plan.variations)) {
    ends.push_back(answer_at_end(asked, decided, input.low));
    ends.push_back(answer_at_end(asked, decided, input.high));
  }
  return ends;
}

}  // namespace

std::optional<CostAnswer> answer_cost(const CostInputs& request, const catalog::Catalog& catalog,
                                      Diagnostics& diagnostics, Ends ends) {
  const auto setup = make_cost_setup(request, catalog, diagnostics);
  if (!setup) return std::nullopt;
  const auto figures = economics::evaluate(setup->terms, setup->asked);
  CostAnswer answer;
  add_capacity(*setup, answer);
  if (figures.count > 0 && !setup->bill_of.empty()) check_bill(*setup, figures, diagnostics);
  add_facility(*setup, answer, diagnostics);
  if (figures.count == 0 && !setup->scenario.facility) diagnostics.add(nothing_priced(*setup));
  if (!diagnostics.empty()) return std::nullopt;
  if (figures.count > 0) {
    add_figures(*setup, figures, economics::simulate(setup->terms, setup->asked, setup->plan),
                answer);
    add_risk(*setup, figures, answer);
  }
  diagnostics.add_all(setup->missing);
  if (!diagnostics.empty()) return std::nullopt;
  answer.unpriced = setup->unpriced;
  answer.verdict = verdict_of(answer);
  if (ends == Ends::kAsked) answer.ends = answers_at_ends(*setup, figures, answer);
  answer.prices = std::move(setup->prices);
  answer.facts = std::move(setup->facts);
  answer.notices = std::move(setup->notices);
  return answer;
}

}  // namespace engine
}  // namespace loadfactor
