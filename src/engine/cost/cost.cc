// A question of cost: scenario in, every way to pay and what would change the answer out.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "engine/cost/cost_answer.h"

namespace loadfactor {
namespace {

using engine::CostSetup;

std::string dollars(Dollars amount) {
  return fmt::format("{} USD", format_count(std::llround(amount.base())));
}

std::string break_even_words(const CostOption& option, const CostSetup& setup) {
  if (option.verdict.empty()) return {};
  if (!option.break_even)
    return fmt::format(" No load factor makes it pay against {}.", option.against);
  const double life = option.break_even_life->value();
  const double today = option.break_even->value();
  const bool moves = std::abs(life - today) > 0.0005;
  const double load = option.load_factor->value();
  std::string text = fmt::format(" {} breaks even at {:.1f} % against {}", option.name, 100 * today,
                                 option.against);
  if (moves) text += fmt::format(", {:.1f} % over its life", 100 * life);
  if (life > setup.terms.capacity.most_load) return text + ": never, for it cannot be that full.";
  text += fmt::format("; it is {:.1f} % full", 100 * load);
  if (load >= today && load < life) return text + ": it pays today and not over its life.";
  return text + (load >= life ? ": it pays." : ": not full enough.");
}

template <typename Figure>
const CostOption& least(const CostAnswer& answer, Figure figure) {
  return *std::min_element(
      answer.options.begin(), answer.options.end(),
      [&](const CostOption& a, const CostOption& b) { return figure(a) < figure(b); });
}

// How sure the first place is: who wins the draws, and whose cost is the least on average.
std::string certainty_words(const CostAnswer& answer) {
  const CostOption& best = answer.options[0];
  const CostOption& favourite = least(answer, [](const CostOption& o) { return -o.wins; });
  const CostOption& expected = least(answer, [](const CostOption& o) { return o.mean_per_month; });
  std::string text =
      fmt::format(" Cheapest in {:.0f} % of {} draws", 100 * best.wins, format_count(answer.draws));
  if (&favourite != &best)
    text += fmt::format("; {} in {:.0f} %", favourite.name, 100 * favourite.wins);
  if (&expected != &best)
    text += fmt::format("; on average {} is the cheapest, by {}", expected.name,
                        dollars(best.mean_per_month - expected.mean_per_month));
  return text + ".";
}

bool is_close(const CostAnswer& answer) {
  constexpr double kSure = 0.5;
  const CostOption& best = answer.options[0];
  return answer.options.size() > 1 && (best.wins < kSure || &least(answer, [](const CostOption& o) {
                                         return o.mean_per_month;
                                       }) != &best);
}

// Prices that are stated to move may make another one the cheapest over the horizon.
std::string horizon_words(const CostAnswer& answer) {
  const CostOption& best = answer.options[0];
  const CostOption& later =
      least(answer, [](const CostOption& o) { return o.expected_present_cost; });
  if (&later == &best) return {};
  return fmt::format(" Over {:.0f} months, with prices moving as stated, {} costs {} less.",
                     answer.horizon / kMonth, later.name,
                     dollars(best.expected_present_cost - later.expected_present_cost));
}

std::string verdict_of(const CostAnswer& answer, const CostSetup& setup) {
  if (answer.options.empty()) return "NO PRICE is known for any way asked for.";
  const CostOption& best = answer.options[0];
  const std::string later = horizon_words(answer);
  const char* head = is_close(answer) ? "A CLOSE CALL"
                     : later.empty()  ? "CHEAPEST"
                                      : "CHEAPEST TODAY";
  std::string text =
      fmt::format("{}: {}, {} a month", head, best.name, dollars(best.per_month.value()));
  if (best.per_mtoken)
    text += fmt::format(", {:.3g} USD per M tokens", best.per_mtoken->value().base());
  if (answer.options.size() > 1) {
    const CostOption& next = answer.options[1];
    text += fmt::format("; next {}, {} more", next.name,
                        dollars(next.per_month.value() - best.per_month.value()));
  }
  text += "." + certainty_words(answer) + later;
  for (const auto& option : answer.options) {
    if (option.kind == OptionKind::kApi || option.kind == OptionKind::kAlternative) continue;
    return text + break_even_words(option, setup);
  }
  return text;
}

void add_capacity(const CostSetup& setup, CostAnswer& answer) {
  const auto& capacity = setup.terms.capacity;
  answer.scenario = setup.scenario.name.value;
  answer.accelerator = setup.chip != nullptr ? setup.chip->name : std::string();
  answer.today = setup.today;
  answer.horizon = setup.terms.horizon;
  answer.gpus = capacity.gpus;
  answer.load_factor = capacity.load_factor;
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

std::optional<CostAnswer> answer_cost(const CostInputs& request, const catalog::Catalog& catalog,
                                      Diagnostics& diagnostics) {
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
    add_options(*setup, figures, answer);
    add_bill(*setup, figures, answer);
    add_decisions(*setup, figures, answer);
    add_moves(*setup, answer);
    add_capital(*setup, answer);
    add_spot(*setup, answer);
    add_risk(*setup, figures, answer);
  }
  diagnostics.add_all(setup->missing);
  if (!diagnostics.empty()) return std::nullopt;
  answer.unpriced = setup->unpriced;
  answer.verdict = verdict_of(answer, *setup);
  answer.prices = std::move(setup->prices);
  answer.facts = std::move(setup->facts);
  answer.notices = std::move(setup->notices);
  return answer;
}

}  // namespace engine
}  // namespace loadfactor
