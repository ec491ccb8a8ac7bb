// The answer to a question of cost in a few sentences.
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/quantity_text.h"
#include "report/cost/cost_words.h"

namespace loadfactor::report {
namespace {

std::string dollars(Dollars amount) {
  return fmt::format("{} USD", format_count(std::llround(amount.base())));
}

std::string break_even_words(const CostOption& option, double most_load) {
  if (!option.against) return {};
  const std::string against = words_of(*option.against);
  if (!option.break_even) return fmt::format(" No load factor makes it pay against {}.", against);
  const double life = option.break_even_life->value();
  const double today = option.break_even->value();
  const bool moves = std::abs(life - today) > 0.0005;
  const double load = option.load_factor->value();
  std::string text = fmt::format(" {} breaks even at {:.1f} % against {}", words_of(option.name),
                                 100 * today, against);
  if (moves) text += fmt::format(", {:.1f} % over its life", 100 * life);
  if (life > most_load) return text + ": never, for it cannot be that full.";
  text += fmt::format("; it is {:.1f} % full", 100 * load);
  if (load >= today && load < life) return text + ": it pays today and not over its life.";
  return text + (load >= life ? ": it pays." : ": not full enough.");
}

// How sure the first place is.
std::string certainty_words(const CostAnswer& answer) {
  const CostOption& best = answer.options[0];
  const CostOption& favourite = answer.options[answer.verdict.most_wins];
  const CostOption& expected = answer.options[answer.verdict.least_mean];
  std::string text =
      fmt::format(" Cheapest in {:.0f} % of {} draws", 100 * best.wins, format_count(answer.draws));
  if (&favourite != &best)
    text += fmt::format("; {} in {:.0f} %", words_of(favourite.name), 100 * favourite.wins);
  if (&expected != &best)
    text += fmt::format("; on average {} is the cheapest, by {}", words_of(expected.name),
                        dollars(best.mean_compared - expected.mean_compared));
  return text + ".";
}

// Prices that are stated to move may make another one the cheapest over the horizon.
std::string horizon_words(const CostAnswer& answer) {
  if (answer.verdict.over_horizon == 0) return {};
  const CostOption& best = answer.options[0];
  const CostOption& later = answer.options[answer.verdict.over_horizon];
  return fmt::format(" Over {:.0f} months, with prices moving as stated, {} costs {} less.",
                     answer.horizon / kMonth, words_of(later.name),
                     dollars(best.expected_present_cost - later.expected_present_cost));
}

}  // namespace

std::string cost_verdict(const CostAnswer& answer) {
  if (answer.options.empty()) return "NO PRICE is known for any way asked for.";
  const CostOption& best = answer.options[0];
  const std::string later = horizon_words(answer);
  const char* head = answer.verdict.is_close ? "A CLOSE CALL"
                     : later.empty()         ? "CHEAPEST"
                                             : "CHEAPEST TODAY";
  std::string text =
      fmt::format("{}: {}, {} a month", head, words_of(best.name), dollars(best.per_month.value()));
  if (best.per_mtoken)
    text += fmt::format(", {:.3g} USD per M tokens", best.per_mtoken->value().base());
  if (answer.options.size() > 1) {
    const CostOption& next = answer.options[1];
    text += fmt::format("; next {}, {} more", words_of(next.name),
                        dollars(next.per_month.value() - best.per_month.value()));
  }
  text += "." + certainty_words(answer) + later;
  for (const auto& option : answer.options) {
    if (option.kind == OptionKind::kApi || option.kind == OptionKind::kAlternative) continue;
    return text + break_even_words(option, answer.most_load);
  }
  return text;
}

}  // namespace loadfactor::report
