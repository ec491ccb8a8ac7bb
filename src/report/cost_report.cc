#include "report/cost_report.h"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "base/wrap.h"
#include "report/cost_tables.h"

namespace loadfactor::report {
namespace {

std::string lines_of(const std::string& text, int width, const std::string& first = "",
                     const std::string& rest = "") {
  std::string out;
  bool is_first = true;
  for (const auto& line : wrap(text, width - static_cast<int>(rest.size()))) {
    out += (is_first ? first : rest) + line + "\n";
    is_first = false;
  }
  return out;
}

std::string usd(Dollars amount) {
  return money_text(amount, 0) + " USD";
}

std::string heading(const CostAnswer& answer) {
  std::string text = fmt::format("{} · {} × {} · load factor {}", answer.scenario,
                                 format_count(std::llround(answer.gpus)), answer.accelerator,
                                 load_text(answer.load_factor));
  if (answer.full_plane)
    text += fmt::format(" of {} tokens/s when full",
                        format_count(std::llround(answer.full_plane->base())));
  if (answer.tokens_per_month)
    text += fmt::format(" · {} tokens/month", format_short_count(answer.tokens_per_month->base()));
  return text;
}

std::string total_line(const CostAnswer& answer) {
  if (!answer.full_plane_per_mtoken || !answer.tokens_per_month) return {};
  const double millions = answer.tokens_per_month->base() / 1e6;
  return fmt::format("{:.3g} USD per M tokens as full as it is; a full plane: {:.3g}\n",
                     answer.total.base() / millions, answer.full_plane_per_mtoken->base());
}

std::string rent_or_own_line(const RentOrOwn& row) {
  const bool own = row.saving > Dollars();
  std::string text = fmt::format(
      "Rent or own: over {} months owning one GPU {} {} against renting its useful hours at "
      "{:.2f} USD; equal at {:.4g} USD/h.",
      row.months, own ? "saves" : "loses", usd(own ? row.saving : -row.saving), row.rent.base(),
      row.break_even_rent.base());
  if (row.payback_months) text += fmt::format(" Pays back in {:.1f} months.", *row.payback_months);
  if (!row.payback_months) text += " It never pays back.";
  return text;
}

std::string mix_line(const BaseAndBurst& mix) {
  std::string text = fmt::format(
      "Own the base, rent the peaks: own {:.1f}, rent {:.1f} on average, {:.1f} owned stand idle: "
      "{} a day (all rented {}, all owned {}). The last owned GPU must be busy {:.1f} hours a day.",
      mix.owned, mix.burst, mix.idle, usd(mix.per_day), usd(mix.all_rented_per_day),
      usd(mix.peak_owned_per_day), mix.critical_hours);
  if (mix.solved_per_day)
    text += mix.solved_exactly
                ? " The integer programme agrees."
                : fmt::format(" In whole units the integer programme finds {} a day.",
                              usd(*mix.solved_per_day));
  return text;
}

std::string training_line(const TrainingSize& size) {
  std::string text = fmt::format(
      "Size of the run: {} GPUs take {:.1f} days and cost {} with the delay; GPU {} is "
      "worth {}.",
      format_count(std::llround(size.gpus)), size.time.base() / 86400, usd(size.cost),
      format_count(std::llround(size.gpus) + 1), usd(size.next_gpu));
  if (std::isfinite(size.best_gpus))
    text += fmt::format(" Cheapest: {} GPUs, {}.", format_count(std::llround(size.best_gpus)),
                        usd(size.cost_at_best));
  return text;
}

std::string porting_line(const PortingAnswer& row) {
  std::string text = fmt::format("Move to {}: ", row.name);
  if (row.break_even_gpu_hours)
    text += fmt::format("pays after {} GPU-hours of today's work; ",
                        format_short_count(*row.break_even_gpu_hours));
  else
    text += "never pays; ";
  return text +
         fmt::format(
             "must do {:.0f} % of today's work per GPU; an hour of that work costs {:.3g} "
             "USD after the delay (now {:.3g}); may stand idle {:.2f} months at most ({:.2f} "
             "discounted). The right to switch is worth {} per GPU and month.",
             100 * row.least_performance, row.price_after_delay.base(), row.incumbent.base(),
             row.longest_delay_months, row.longest_delay_discounted_months, usd(row.option_value));
}

std::vector<std::string> sentences(const CostAnswer& answer) {
  std::vector<std::string> text;
  if (answer.claim) text.push_back("Claim: " + answer.claim->sentence + ".");
  if (answer.rent_or_own) text.push_back(rent_or_own_line(*answer.rent_or_own));
  if (answer.marginal) text.push_back("Next GPU: " + answer.marginal->sentence + ".");
  if (answer.mix) text.push_back(mix_line(*answer.mix));
  if (answer.training) text.push_back(training_line(*answer.training));
  for (const auto& row : answer.porting) text.push_back(porting_line(row));
  if (answer.waiting)
    text.push_back(fmt::format(
        "Waiting for the next generation {} {} per GPU{}.",
        answer.waiting->value > Dollars() ? "saves" : "costs",
        usd(answer.waiting->value > Dollars() ? answer.waiting->value : -answer.waiting->value),
        answer.waiting->least_gain ? fmt::format("; it pays from {:.2f} times the work per dollar",
                                                 *answer.waiting->least_gain)
                                   : std::string("; no gain makes it pay")));
  return text;
}

std::string facility_heading(const FacilityAnswer& facility) {
  std::string text = fmt::format(
      "Building: {} × {}; the chips alone {:.3g} MW, machines {:.3g} MW rated, {:.3g} typical, "
      "{:.3g} idle; {} MWh a month",
      format_count(facility.nodes), facility.node, facility.gpus_only.base() / 1e6,
      facility.rated.base() / 1e6, facility.typical.base() / 1e6, facility.idle.base() / 1e6,
      format_count(std::llround(facility.energy_per_month.base() / 3.6e9)));
  if (facility.carbon_kg_per_month)
    text += fmt::format(", {:.3g} t CO2", *facility.carbon_kg_per_month / 1000);
  return text + fmt::format("; {:.0f} m² of floor; hosts of {} cores and {} of memory.",
                            facility.floor_area, facility.host_cores,
                            format_display(any(facility.host_memory)));
}

std::string facility_text(const FacilityAnswer& facility, const TextOptions& options) {
  return "\n" + lines_of(facility_heading(facility), options.width) +
         render_text(cooling_table(facility), options) + "\n" +
         render_text(network_table(facility), options) + "\n" +
         render_text(cap_table(facility), options);
}

std::string prices_line(const CostAnswer& answer) {
  std::optional<int> oldest;
  std::size_t undated = 0;
  for (const auto& price : answer.prices) {
    if (!price.age_days) ++undated;
    if (price.age_days) oldest = std::max(oldest.value_or(0), *price.age_days);
  }
  std::string text = fmt::format("{} prices used", answer.prices.size());
  if (oldest) text += fmt::format(", oldest {} days", *oldest);
  if (undated > 0) text += fmt::format(", {} not dated", undated);
  return text +
         fmt::format(". {} not found. --explain shows each with its date.", answer.unpriced.size());
}

std::string risk_text(const CostAnswer& answer, const TextOptions& options) {
  std::string text;
  if (!answer.tornado.empty()) text += "\n" + render_text(tornado_table(answer), options);
  if (!answer.inputs.empty()) text += "\n" + render_text(inputs_table(answer), options);
  if (!answer.regret.empty()) text += "\n" + render_text(regret_table(answer), options);
  return text;
}

std::string notes(const CostAnswer& answer, int width) {
  std::string text;
  for (const auto& option : answer.unpriced)
    text += lines_of(fmt::format("LF{}: {}", option.code, option.why), width, "! ", "  ");
  for (const auto& notice : answer.notices)
    text += lines_of(notice.text, width, notice.severity == Severity::kCaution ? "! " : "· ", "  ");
  return text;
}

}  // namespace

std::string cost_text(const CostAnswer& answer, const CostTextOptions& options) {
  const TextOptions table{.width = options.width, .colour = options.colour};
  std::string text = lines_of(answer.verdict, options.width);
  text += lines_of(heading(answer), options.width) + "\n";
  if (!answer.lines.empty()) text += render_text(bill_table(answer), table) + total_line(answer);
  if (!answer.options.empty() || !answer.unpriced.empty())
    text += "\n" + render_text(options_table(answer), table);
  if (!answer.break_evens.empty()) text += "\n" + render_text(break_even_table(answer), table);
  if (!answer.loads.empty()) text += "\n" + render_text(load_table(answer), table);
  const auto decided = sentences(answer);
  if (!decided.empty()) text += "\n";
  for (const auto& sentence : decided) text += lines_of(sentence, options.width, "", "  ");
  if (options.tornado || options.explain) text += risk_text(answer, table);
  const bool show_building =
      answer.facility && (options.facility || options.explain || answer.options.empty());
  if (show_building) text += facility_text(*answer.facility, table);
  if (options.explain) text += "\n" + render_text(prices_table(answer), table);
  text += "\n" + lines_of(prices_line(answer), options.width);
  return text + notes(answer, options.width);
}

std::string cost_markdown(const CostAnswer& answer) {
  std::string text = fmt::format("**{}**\n\n{}\n\n", answer.verdict, heading(answer));
  text +=
      render_markdown(bill_table(answer)) + "\n" + render_markdown(options_table(answer)) + "\n";
  if (!answer.break_evens.empty()) text += render_markdown(break_even_table(answer)) + "\n";
  text += render_markdown(load_table(answer)) + "\n";
  for (const auto& sentence : sentences(answer)) text += fmt::format("- {}\n", sentence);
  text += "\n" + render_markdown(tornado_table(answer)) + "\n" +
          render_markdown(prices_table(answer)) + "\n";
  for (const auto& notice : answer.notices) text += fmt::format("- {}\n", notice.text);
  return text;
}

std::string cost_csv(const CostAnswer& answer) {
  return render_csv(options_table(answer));
}

}  // namespace loadfactor::report
