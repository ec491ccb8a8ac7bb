// The descriptions of mixes, moves to other machines, and rents that move at random.
#include "report/cost/cost_fields.h"
#include "report/cost/cost_words.h"

namespace loadfactor::report {

using B = BaseAndBurst;
using P = PortingAnswer;

namespace {

std::string_view tier_of(const MixTierRow& row) {
  return tier_words(row.option);
}
std::string_view basis_of(const In<RentPaths>& in) {
  return words_of(in.row.basis);
}
std::optional<std::vector<MixTierRow>> tiers_of(const In<B>& in) {
  return in.row.tiers_per_day ? std::optional(in.row.tiers) : std::nullopt;
}

}  // namespace

template <>
constexpr auto kFields<MixTierRow> = fields<MixTierRow>(
    field<tier_of>("name", "The way to pay"),
    field<&MixTierRow::committed>("committed", "Whether it is paid around the clock"),
    field<&MixTierRow::most>("most", "GPUs at the busiest hour").at_least(0),
    field<&MixTierRow::mean>("mean", "GPUs on average").at_least(0),
    field<&MixTierRow::by_hour>("by_hour", "GPUs in each hour"));

template <>
constexpr auto kFields<In<B>> = fields<In<B>>(
    plain<&B::owned>("owned", "GPUs that are owned").at_least(0),
    plain<&B::burst>("burst", "GPUs that are rented on average").at_least(0),
    plain<&B::idle>("idle", "GPUs owned and idle on average").at_least(-1e-6),
    price_of<PricedWork::kDay, &B::per_day>("per_day", "Cost of a day"),
    price_of<PricedWork::kDay, &B::all_rented_per_day>("all_rented_per_day",
                                                       "Cost of a day where all are rented"),
    price_of<PricedWork::kDay, &B::peak_owned_per_day>("peak_owned_per_day",
                                                       "Cost of a day where the peak is owned"),
    figure<&B::critical_time>("critical_time",
                              "Time of a day that the last owned GPU must be busy"),
    known_price_of<PricedWork::kDay, &B::tiers_per_day>("tiers_per_day",
                                                        "Cost of a day of the mix of all ways"),
    known_field<tiers_of>("tiers", "All ways with a price, in whole machines"));

template <>
constexpr auto kFields<In<P>> = fields<In<P>>(
    plain<&P::name>("name", "The alternative"),
    known_figure<&P::break_even_work>("break_even_work",
                                      "Work of today's machines from which the move pays; left "
                                      "out where it never does"),
    figure<&P::least_performance>("least_performance",
                                  "Speed over today's machine from which it pays"),
    price_of<PricedWork::kGpuHour, &P::price_after_delay>(
        "price_after_delay", "Cost of an hour of today's work after it"),
    price_of<PricedWork::kGpuHour, &P::incumbent>("incumbent", "Cost of an hour of today's work"),
    figure<&P::longest_delay>("longest_delay", "Idle time at the start that it can bear"),
    figure<&P::longest_delay_discounted>("longest_delay_discounted", "The same, discounted"),
    price_of<PricedWork::kMonth, &P::option_value>("option_value_per_month",
                                                   "Worth of the right to switch"),
    figure<&P::cost>("cost", "Cost of the move"));

template <>
constexpr auto kFields<In<PathOutcome>> = fields<In<PathOutcome>>(
    plain<&PathOutcome::option>("name", "The option"),
    figure<&PathOutcome::p10>("p10", "Present cost, tenth percentile"),
    figure<&PathOutcome::p50>("p50", "Present cost, median"),
    figure<&PathOutcome::p90>("p90", "Present cost, ninetieth percentile"),
    figure<&PathOutcome::mean_regret>("mean_regret", "Cost above the best of each path"),
    percent<&PathOutcome::wins>("wins_pct", "Share of paths on which it is the cheapest"));

template <>
constexpr auto kFields<In<RentPaths>> = fields<In<RentPaths>>(
    plain<&RentPaths::paths>("paths", "Paths that were drawn").at_least(1),
    field<basis_of>("basis", "Where the process comes from"),
    figure<&RentPaths::drift>("drift", "Drift of the mean in a year"),
    figure<&RentPaths::volatility>("volatility",
                                   "Volatility of the logarithm, by the square root of a year"),
    figure<&RentPaths::reversion>("reversion", "Pull to the drifting mean in a year"),
    figure<&RentPaths::jumps>("jumps", "Jumps in a year"),
    figure<&RentPaths::jump_down>("jump_down", "Relative change of a jump down"),
    figure<&RentPaths::jump_up>("jump_up", "Relative change of a jump up"),
    figure<&RentPaths::end_p10>("end_p10", "Rent at the end over today's, tenth percentile"),
    figure<&RentPaths::end_p50>("end_p50", "The same, median"),
    figure<&RentPaths::end_p90>("end_p90", "The same, ninetieth percentile"),
    rows<&RentPaths::options>("options", "Every option"));

Value to_value(const In<B>& mix) {
  return described_value<In<B>>(mix, kFields<In<B>>);
}
Value schema_of(Type<In<B>>) {
  return described_schema<In<B>>(kFields<In<B>>);
}
Value to_value(const In<P>& move) {
  return described_value<In<P>>(move, kFields<In<P>>);
}
Value schema_of(Type<In<P>>) {
  return described_schema<In<P>>(kFields<In<P>>);
}
Value to_value(const In<RentPaths>& paths) {
  return described_value<In<RentPaths>>(paths, kFields<In<RentPaths>>);
}
Value schema_of(Type<In<RentPaths>>) {
  return described_schema<In<RentPaths>>(kFields<In<RentPaths>>);
}

}  // namespace loadfactor::report
