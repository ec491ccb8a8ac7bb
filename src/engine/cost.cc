// A question of cost: scenario in, every way to pay and what would change the answer out.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "economics/periods.h"
#include "engine/cost_answer.h"
#include "loadfactor/engine.h"

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

std::string verdict_of(const CostAnswer& answer, const CostSetup& setup) {
  if (answer.options.empty()) return "NO PRICE is known for any way asked for.";
  const CostOption& best = answer.options[0];
  std::string text =
      fmt::format("CHEAPEST: {}, {} a month", best.name, dollars(best.per_month.value()));
  if (best.per_mtoken)
    text += fmt::format(", {:.3g} USD per M tokens", best.per_mtoken->value().base());
  if (answer.options.size() > 1) {
    const CostOption& next = answer.options[1];
    text += fmt::format("; next {}, {} more", next.name,
                        dollars(next.per_month.value() - best.per_month.value()));
  }
  text += fmt::format(" (cheapest in {:.0f} % of {} draws).", 100 * best.wins,
                      format_count(answer.draws));
  for (const auto& option : answer.options) {
    if (option.kind == "api" || option.kind == "alternative") continue;
    return text + break_even_words(option, setup);
  }
  return text;
}

void add_capacity(const CostSetup& setup, CostAnswer& answer) {
  const auto& capacity = setup.terms.capacity;
  answer.scenario = setup.scenario.name.value;
  answer.accelerator = setup.chip != nullptr ? setup.chip->name : std::string();
  answer.today = setup.today;
  answer.gpus = capacity.gpus;
  answer.load_factor = capacity.load_factor;
  if (capacity.full_plane <= TokensPerSecond()) return;
  answer.full_plane = capacity.full_plane;
  answer.tokens_per_month = capacity.full_plane * capacity.load_factor * economics::kMonth;
}

Error nothing_priced(const CostSetup& setup) {
  std::string why;
  for (const auto& option : setup.unpriced) why += (why.empty() ? "" : "; ") + option.why;
  return setup.error(lf::kNoOptionPriced, setup.document.root.position,
                     "none of the ways to pay has a price", why);
}

}  // namespace

std::optional<CostAnswer> Engine::cost(const CostRequest& request, Diagnostics& diagnostics) const {
  const auto setup = engine::make_cost_setup(request, *catalog_, diagnostics);
  if (!setup) return std::nullopt;
  const auto figures = economics::evaluate(setup->terms, setup->asked);
  CostAnswer answer;
  add_capacity(*setup, answer);
  engine::add_facility(*setup, answer, diagnostics);
  if (figures.count == 0 && !setup->scenario.facility) diagnostics.add(nothing_priced(*setup));
  if (!diagnostics.empty()) return std::nullopt;
  if (figures.count > 0) {
    engine::add_options(*setup, figures, answer);
    engine::add_bill(*setup, figures, answer);
    engine::add_decisions(*setup, figures, answer);
    engine::add_moves(*setup, answer);
    engine::add_risk(*setup, figures, answer);
  }
  answer.unpriced = setup->unpriced;
  answer.verdict = verdict_of(answer, *setup);
  answer.prices = std::move(setup->prices);
  answer.facts = std::move(setup->facts);
  answer.notices = std::move(setup->notices);
  return answer;
}

}  // namespace loadfactor
