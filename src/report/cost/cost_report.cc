#include "report/cost/cost_report.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/wrap.h"
#include "report/cost/cost_tables.h"
#include "report/cost/cost_words.h"
#include "report/describe/notice_register.h"

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
  std::string text = answer.scenario;
  if (answer.gpus > 0)
    text += fmt::format(" · {} × {} · load factor {}", format_count(std::llround(answer.gpus)),
                        answer.accelerator, load_text(answer.load_factor));
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
  const auto verb = [](Dollars saving) { return saving > Dollars() ? "saves" : "loses"; };
  const auto size = [](Dollars saving) { return usd(saving > Dollars() ? saving : -saving); };
  std::string text = fmt::format(
      "Rent or own: over {} months owning one GPU {} {} (present value) against renting it day and "
      "night at {:.2f} USD/h, and {} {} against renting only the hours that carry work; equal "
      "there at {:.4g} USD/h, or {} full.",
      row.months, verb(row.saving_around_clock), size(row.saving_around_clock), row.rent.base(),
      verb(row.saving), size(row.saving), row.break_even_rent.base(),
      std::isfinite(row.break_even_load) ? load_text(row.break_even_load) : "never");
  const double months = row.payback ? months_of(*row.payback) : 0;
  if (row.payback && months <= row.months)
    return text + fmt::format(" Those hours pay it back in {:.1f} months.", months);
  return text + " Those hours do not pay it back in its time.";
}

std::string capital_line(const CapitalViews& views) {
  std::string text = fmt::format(
      "Purchase, per GPU and hour: {:.3g} USD as an annuity at {:.1f} % ({}) decides; {:.3g} in "
      "the books, straight line",
      views.annuity.base(), 100 * views.discount, words_of(views.basis), views.book.base());
  if (views.market) text += fmt::format("; {:.3g} lost on the market", views.market->base());
  if (views.debt_rate)
    text += fmt::format(". Capital: {:.0f} % debt at {:.1f} %, the rest equity at {:.1f} %",
                        100 * *views.debt_share, 100 * *views.debt_rate, 100 * *views.equity_rate);
  return text + ".";
}

std::string spot_line(const SpotAnswer& spot) {
  const std::string who = spot.gang == 1 ? std::string("one node is taken at a time, each")
                                         : fmt::format("{} nodes stop together,",
                                                       format_count(std::llround(spot.gang)));
  std::string text = fmt::format(
      "Spot: {} every {:.3g} days; {:.4f} hours are paid for each hour of work; {:.2g} % of the "
      "time it "
      "waits for capacity",
      who, spot.between_interruptions.base() / 86400, spot.multiplier, 100 * spot.waiting_share);
  if (spot.delay_per_month)
    text += fmt::format(", a delay of {} a month", usd(*spot.delay_per_month));
  return text + ".";
}

std::string jumps_text(const RentPaths& paths) {
  if (paths.jumps == 0) return "no jumps";
  std::string sizes;
  if (paths.jump_down < 0) sizes = fmt::format("{:+.0f} %", 100 * paths.jump_down);
  if (paths.jump_up > 0)
    sizes += fmt::format("{}{:+.0f} %", sizes.empty() ? "" : " or ", 100 * paths.jump_up);
  return fmt::format("{:.2g} jumps a year of {}", paths.jumps, sizes);
}

std::string paths_line(const RentPaths& paths) {
  return fmt::format(
      "Roaming rents, {} paths {}: {:+.0f} % a year, ±{:.0f} %, {}. At the end a rent is {:.0f} to "
      "{:.0f} % of today's.",
      paths.paths, words_of(paths.basis), 100 * paths.drift, 100 * paths.volatility,
      jumps_text(paths), 100 * paths.end_p10, 100 * paths.end_p90);
}

std::string tiers_text(const BaseAndBurst& mix) {
  if (!mix.tiers_per_day) return {};
  std::string parts;
  for (const auto& tier : mix.tiers) {
    if (tier.most <= 0) continue;
    parts += parts.empty() ? "" : ", ";
    parts += tier.committed ? fmt::format("{} {:.0f}", tier_words(tier.option), tier.most)
                            : fmt::format("{} up to {:.0f}", tier_words(tier.option), tier.most);
  }
  return fmt::format(" Of all ways asked for, in whole machines: {}: {} a day.", parts,
                     usd(*mix.tiers_per_day));
}

std::string mix_line(const BaseAndBurst& mix) {
  const std::string text = fmt::format(
      "Own the base, rent the peaks: own {:.0f}, rent {:.1f} on average, {:.1f} owned stand idle: "
      "{} a day (all rented {}, all owned {}). The last owned GPU must be busy {:.1f} hours a day.",
      mix.owned, mix.burst, mix.idle, usd(mix.per_day), usd(mix.all_rented_per_day),
      usd(mix.peak_owned_per_day), mix.critical_time.base() / 3600);
  return text + tiers_text(mix);
}

// Machines of another load do the same work: what a unit of it costs on each.
std::string per_work_line(const CostAnswer& answer) {
  const auto is_other = [](const CostOption& option) {
    return option.kind == OptionKind::kAlternative;
  };
  if (std::none_of(answer.options.begin(), answer.options.end(), is_other)) return {};
  const CostOption& best = answer.options[0];
  std::string text = fmt::format("Per unit of work {} is the cheapest", words_of(best.name));
  if (best.load_factor) text += fmt::format(" at {} full", load_text(best.load_factor->value()));
  for (std::size_t i = 1; i < answer.options.size(); ++i) {
    const CostOption& option = answer.options[i];
    text += fmt::format("{} {} costs {:.2f} times as much", i == 1 ? ":" : ",",
                        words_of(option.name), option.per_month.value() / best.per_month.value());
    if (option.load_factor)
      text += fmt::format(" at {} full", load_text(option.load_factor->value()));
  }
  return text + ".";
}

std::string training_line(const TrainingSize& size) {
  const std::int64_t gpus = std::llround(size.gpus);
  std::string text = fmt::format(
      "Size of the run: {} {} {:.1f} days and cost{} {} with the delay; GPU {} is worth {}.",
      counted(gpus, "GPU"), gpus == 1 ? "takes" : "take", size.time.base() / 86400,
      gpus == 1 ? "s" : "", usd(size.cost), format_count(gpus + 1), usd(size.next_gpu));
  if (std::isfinite(size.best_gpus))
    text += fmt::format(" Cheapest: {}, {}.", counted(std::llround(size.best_gpus), "GPU"),
                        usd(size.cost_at_best));
  return text;
}

std::string porting_line(const PortingAnswer& row) {
  std::string text = fmt::format("Move to {}: ", row.name);
  if (row.break_even_work && row.break_even_work->base() == 0)
    text += "pays at once, for it costs nothing; ";
  else if (row.break_even_work)
    text += fmt::format("pays after {} GPU-hours of today's work; ",
                        format_short_count(row.break_even_work->base() / 3600));
  else
    text += "never pays; ";
  return text +
         fmt::format(
             "must do {:.0f} % of today's work per GPU; an hour of that work costs {:.3g} "
             "USD after the delay (now {:.3g}); may stand idle {:.2f} months at most ({:.2f} "
             "discounted). The right to switch is worth {} per GPU and month.",
             100 * row.least_performance, row.price_after_delay.base(), row.incumbent.base(),
             months_of(row.longest_delay), months_of(row.longest_delay_discounted),
             usd(row.option_value));
}

std::vector<std::string> sentences(const CostAnswer& answer) {
  std::vector<std::string> text;
  if (answer.claim) text.push_back("Claim: " + words_of(*answer.claim) + ".");
  const std::string work = per_work_line(answer);
  if (!work.empty()) text.push_back(work);
  if (answer.rent_or_own) text.push_back(rent_or_own_line(*answer.rent_or_own));
  if (answer.capital) text.push_back(capital_line(*answer.capital));
  if (answer.spot) text.push_back(spot_line(*answer.spot));
  if (answer.marginal) text.push_back("Next GPU: " + words_of(*answer.marginal) + ".");
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
      "Building: {}{} × {}; the chips alone {}, machines {} rated, {} typical, {} idle; {} a month",
      facility.cooling.empty() ? "a part of " : "", format_count(facility.nodes), facility.node,
      format_display(any(facility.gpus_only)), format_display(any(facility.rated)),
      format_display(any(facility.typical)), format_display(any(facility.idle)),
      format_display(any(facility.energy_per_month)));
  if (facility.carbon_kg_per_month)
    text +=
        fmt::format(", {} t CO2", format_count(std::llround(*facility.carbon_kg_per_month / 1000)));
  text += fmt::format(" ({} USD at a PUE of {:.2f})", money_text(facility.energy_cost_per_month, 0),
                      facility.pue);
  if (facility.cooling.empty()) return text + "; a part of a server needs no rack of its own.";
  return text + fmt::format("; {} m² of floor.", format_count(std::llround(facility.floor_area)));
}

std::string host_line(const HostAnswer& host) {
  std::string text = fmt::format("Each host: {} cores, {} of memory, {} NICs", host.cores,
                                 format_display(any(host.memory)), host.nics);
  if (host.nvme)
    text += fmt::format(
        "; a checkpoint of {} in {} takes {} from each, {} of NVMe and {} drive{}",
        format_display(any(*host.checkpoint)), format_display(any(*host.checkpoint_within)),
        format_display(any(*host.checkpoint_bandwidth)), format_display(any(*host.nvme)),
        *host.drives, *host.drives == 1 ? "" : "s");
  else
    text += "; facility.host.checkpoint or a `train` section sizes its drives";
  if (host.loading)
    text += fmt::format("; training data loads at {}", format_display(any(*host.loading)));
  if (host.shortfall) text += "; " + words_of(*host.shortfall);
  return text + ".";
}

std::string facility_text(const FacilityAnswer& facility, const TextOptions& options) {
  return "\n" + lines_of(facility_heading(facility), options.width) +
         (facility.cooling.empty() ? std::string()
                                   : render_text(cooling_table(facility), options) + "\n") +
         (facility.networks.empty() ? std::string()
                                    : render_text(network_table(facility), options) + "\n") +
         render_text(cap_table(facility), options) + "\n" +
         lines_of(host_line(facility.host), options.width) +
         (facility.assumed.empty()
              ? std::string()
              : lines_of(fmt::format("assumed: {}", fmt::join(facility.assumed, ", ")),
                         options.width, "! ", "  "));
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
         fmt::format(". {} not found. --explain names their sources.", answer.unpriced.size());
}

std::string risk_text(const CostAnswer& answer, const TextOptions& options) {
  std::string text;
  if (!answer.tornado.empty()) text += "\n" + render_text(tornado_table(answer), options);
  if (!answer.inputs.empty()) text += "\n" + render_text(inputs_table(answer), options);
  if (!answer.regret.empty()) text += "\n" + render_text(regret_table(answer), options);
  if (answer.rent_paths)
    text += "\n" + lines_of(paths_line(*answer.rent_paths), options.width) +
            render_text(paths_table(answer), options);
  return text;
}

std::string notes(const CostAnswer& answer, int width) {
  std::string text;
  for (const auto& option : answer.unpriced)
    text += lines_of(fmt::format("LF{}: {}", option.code, option.why), width, "! ", "  ");
  for (const auto& notice : answer.notices)
    text += lines_of(text_of(notice), width,
                     severity_of(notice) == Severity::kCaution ? "! " : "· ", "  ");
  return text;
}

}  // namespace

std::string cost_text(const CostAnswer& answer, const CostTextOptions& options) {
  const TextOptions table{.width = options.width, .colour = options.colour};
  std::string text = lines_of(cost_verdict(answer), options.width);
  text += lines_of(heading(answer), options.width) + "\n";
  if (!answer.lines.empty()) text += render_text(bill_table(answer), table) + total_line(answer);
  if (!answer.options.empty() || !answer.unpriced.empty())
    text += "\n" + render_text(options_table(answer), table);
  if (!answer.options.empty()) text += "\n" + render_text(spread_table(answer), table);
  if (!answer.break_evens.empty()) text += "\n" + render_text(break_even_table(answer), table);
  if (!answer.loads.empty()) text += "\n" + render_text(load_table(answer), table);
  const auto decided = sentences(answer);
  if (!decided.empty()) text += "\n";
  for (const auto& sentence : decided) text += lines_of(sentence, options.width, "", "  ");
  if (options.tornado || options.explain) text += risk_text(answer, table);
  const bool show_building =
      answer.facility && (options.facility || options.explain || answer.options.empty());
  if (show_building) text += facility_text(*answer.facility, table);
  if (!answer.prices.empty())
    text += "\n" + render_text(prices_table(answer, options.explain), table);
  text += lines_of(prices_line(answer), options.width);
  return text + notes(answer, options.width);
}

std::string cost_markdown(const CostAnswer& answer) {
  std::string text = fmt::format("**{}**\n\n{}\n\n", cost_verdict(answer), heading(answer));
  text +=
      render_markdown(bill_table(answer)) + "\n" + render_markdown(options_table(answer)) + "\n";
  if (!answer.break_evens.empty()) text += render_markdown(break_even_table(answer)) + "\n";
  text += render_markdown(load_table(answer)) + "\n";
  for (const auto& sentence : sentences(answer)) text += fmt::format("- {}\n", sentence);
  text += "\n" + render_markdown(tornado_table(answer)) + "\n" +
          render_markdown(prices_table(answer, true)) + "\n";
  for (const auto& notice : answer.notices) text += fmt::format("- {}\n", text_of(notice));
  return text;
}

}  // namespace loadfactor::report
