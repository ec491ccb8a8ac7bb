// The description of fleets in several regions, and of what a promised availability adds.
#include <string>

#include "report/plan/plan_parts.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

constexpr auto kAmount = [](Dollars amount) { return plan_estimate(amount); };
constexpr auto kShare = [](double share) { return plan_estimate(share); };
std::string site_option(const engine::SiteFleet& site) {
  return site.paid ? words_of(*site.paid) : std::string();
}

}  // namespace

template <>
constexpr auto kFields<engine::PlanPromise> = fields<engine::PlanPromise>(
    field<&engine::PlanPromise::asked>("asked",
                                       "Availability; null where only zones or deploys are"),
    field<&engine::PlanPromise::zones>("zones", "Zones of which any one may be lost; 0: none"),
    field<&engine::PlanPromise::deployed>("spare", "Replicas that a deploy takes out at once"),
    field<&engine::PlanPromise::spares>("spares", "Replicas that stand by, those for deploys too"),
    field<&engine::PlanPromise::enough, kShare>(
        "availability", "Share of the time in which no more are out, also while a deploy goes on"),
    field<&engine::PlanPromise::plain_gpus>("plain_gpus", "GPUs without the promise"),
    field<&engine::PlanPromise::plain_spares>("plain_spares", "Spares without the promise"),
    field<&engine::PlanPromise::plain_enough, kShare>("plain_availability",
                                                      "Availability without the promise"),
    field<&engine::PlanPromise::plain_per_month, kAmount>(
        "plain_per_month", "Cost of a month of machines without the promise"),
    field<&engine::PlanPromise::more, kPlanEstimateIfKnown>("more",
                                                            "What the promise adds to a month"));

Value to_value(const engine::PlanPromise& promise) {
  return described_value<engine::PlanPromise>(promise, kFields<engine::PlanPromise>);
}
Value schema_of(Type<engine::PlanPromise>) {
  return described_schema<engine::PlanPromise>(kFields<engine::PlanPromise>);
}

template <>
constexpr auto kFields<engine::SiteFleet> = fields<engine::SiteFleet>(
    field<&engine::SiteFleet::region>("region", "Catalogue name"),
    field<&engine::SiteFleet::share, kPercent>("share_pct", "Part of the demand that it serves")
        .in("%"),
    field<&engine::SiteFleet::is_found>("keeps_promise", "Whether machines there keep the promise"),
    field<&engine::SiteFleet::accelerator>("accelerator", "Catalogue name; empty where none does"),
    field<&engine::SiteFleet::gpus>("gpus", "Whole machines' GPUs at the busiest hour"),
    field<&engine::SiteFleet::replicas>("replicas", "Replicas, spares among them"),
    field<site_option>("option", "The cheapest way to have them; empty where none has a price"),
    field<&engine::SiteFleet::per_month, kPriceOfMonthIfKnown>("per_month",
                                                               "Cost of a month; null: not known"),
    field<&engine::SiteFleet::is_within_limits>("within_limits",
                                                "Whether it keeps the limits by itself"),
    field<&engine::SiteFleet::years>("years", "Its books; null where no years are asked"));

template <>
constexpr auto kFields<engine::CentralFleet> = fields<engine::CentralFleet>(
    spliced<engine::CentralFleet>([](const engine::CentralFleet& place) { return place.site; }),
    field<&engine::CentralFleet::round_trip>(
        "round_trip", "To the farthest region and back, before the first token of its users"),
    field<&engine::CentralFleet::farthest>("farthest", "That region as people write it"));

template <>
constexpr auto kFields<engine::PlanRegions> = fields<engine::PlanRegions>(
    field<&engine::PlanRegions::sites>("sites", "A fleet in each region for its own users"),
    field<&engine::PlanRegions::gpus>("gpus", "GPUs of all; 0 where some region has none"),
    field<&engine::PlanRegions::replicas>("replicas", "Replicas of all"),
    field<&engine::PlanRegions::per_month, kPriceOfMonthIfKnown>(
        "per_month", "Cost of a month of all; null: not known"),
    field<&engine::PlanRegions::is_within_limits>("within_limits",
                                                  "Whether all together keep the limits"),
    field<&engine::PlanRegions::places>(
        "places",
        "One place for all users, with a first token that is due earlier by the round "
        "trip: the cheapest first"));

Value to_value(const engine::PlanRegions& regions) {
  return described_value<engine::PlanRegions>(regions, kFields<engine::PlanRegions>);
}
Value schema_of(Type<engine::PlanRegions>) {
  return described_schema<engine::PlanRegions>(kFields<engine::PlanRegions>);
}

}  // namespace loadfactor::report
