// Laws of fleets by region, on a shipped service.
#include "engine/regions/plan_regions.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "engine/plan/plan_levers.h"
#include "engine/testing/planned.h"
#include "engine/years/plan_years.h"
#include "resolve/demand/fleet_demand.h"

namespace loadfactor::engine {
namespace {

using testing::asked;
using testing::notice;
using testing::planned;
using testing::scenario;
using testing::shipped;
using testing::verdict;

const std::string kService = "chatbot-spiky";

PlanAnswer by_regions(const std::string& regions, std::vector<std::string> set = {}) {
  set.push_back("serve.regions=" + regions);
  set.emplace_back("money.electricity=");
  PlanInputs question = asked(scenario(kService), set);
  question.levers = false;
  question.draws = 64;
  PlanAnswer answer = planned(question);
  add_regions(shipped(), question, answer);
  EXPECT_TRUE(answer.regions);
  return answer;
}

TEST(PlanRegionsTest, ARegionCostsWhatThePlanOfItsPartOfTheTrafficDoes) {
  const auto answer =
      by_regions("[{name: germany, share: 40 %}, {name: us-virginia, share: 60 %}]");
  const PlanRegions& regions = *answer.regions;
  ASSERT_EQ(regions.sites.size(), 2U);
  const std::vector<std::string> requests{"1.2 M", "1.8 M"};
  double sum = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const SiteFleet& site = regions.sites[i];
    const auto alone =
        verdict(scenario(kService), {"money.electricity=", "money.region=" + site.region,
                                     "serve.demand.requests_per_month=" + requests[i]});
    const PlanOption* cheapest = cheapest_machines(alone);
    ASSERT_NE(cheapest, nullptr);
    ASSERT_TRUE(site.per_month);
    EXPECT_EQ(site.gpus, cheapest->gpus) << site.region;
    EXPECT_NEAR(site.per_month->value().base(), cheapest->amount.base(), 1e-6) << site.region;
    EXPECT_LT(site.per_month->low(), site.per_month->value());
    EXPECT_GT(site.per_month->high(), site.per_month->value());
    sum += cheapest->amount.base();
  }
  EXPECT_EQ(regions.gpus, regions.sites[0].gpus + regions.sites[1].gpus);
  ASSERT_TRUE(regions.per_month);
  EXPECT_NEAR(regions.per_month->value().base(), sum, 1e-6);
}

TEST(PlanRegionsTest, OneRegionIsOnePlaceWithoutAWay) {
  const auto answer = by_regions("[{name: germany, share: 100 %}]");
  const PlanRegions& regions = *answer.regions;
  ASSERT_EQ(regions.places.size(), 1U);
  EXPECT_EQ(regions.places[0].round_trip.value(), Seconds());
  EXPECT_TRUE(regions.places[0].site.is_found);
  EXPECT_EQ(regions.places[0].site.gpus, regions.gpus);
  ASSERT_TRUE(regions.per_month && regions.places[0].site.per_month);
  EXPECT_NEAR(regions.places[0].site.per_month->value().base(), regions.per_month->value().base(),
              1e-6);
}

TEST(PlanRegionsTest, APlaceIsPlannedWithAFirstTokenThatIsDueEarlier) {
  const auto answer =
      by_regions("[{name: germany, share: 40 %}, {name: us-virginia, share: 60 %}]");
  for (const CentralFleet& place : answer.regions->places) {
    // About 6500 km: no cable is shorter, and packets are known to take 80 to 100 ms.
    const double trip = place.round_trip.value().base();
    EXPECT_GT(trip, 2 * 6500.0 / 204000);
    EXPECT_LT(trip, 0.15);
    EXPECT_LT(place.round_trip.low(), place.round_trip.value());
    const auto earlier =
        verdict(scenario(kService), {"money.electricity=", "money.region=" + place.site.region,
                                     "serve.slo.ttft_p95=" + std::to_string(2 - trip) + " s"});
    const PlanOption* cheapest = cheapest_machines(earlier);
    ASSERT_NE(cheapest, nullptr);
    EXPECT_TRUE(place.site.is_found);
    EXPECT_NEAR(place.site.per_month->value().base(), cheapest->amount.base(), 1e-6);
  }
}

TEST(PlanRegionsTest, AWayLongerThanThePromiseKeepsItNowhereButAtHome) {
  const auto answer = by_regions("[{name: australia, share: 50 %}, {name: ireland, share: 50 %}]",
                                 {"serve.slo.ttft_p95=200 ms"});
  for (const SiteFleet& site : answer.regions->sites) EXPECT_TRUE(site.is_found) << site.region;
  ASSERT_EQ(answer.regions->places.size(), 2U);
  for (const CentralFleet& place : answer.regions->places) {
    EXPECT_GT(place.round_trip.value(), Seconds::from_base(0.2));
    EXPECT_FALSE(place.site.is_found) << place.site.region;
    EXPECT_FALSE(place.site.per_month);
  }
}

TEST(PlanRegionsTest, WhereTheSiteIsDecidedItIsTheOnlyPlace) {
  const auto answer = by_regions("[{name: germany, share: 40 %}, {name: us-virginia, share: 60 %}]",
                                 {"money.region=ireland"});
  ASSERT_EQ(answer.regions->places.size(), 1U);
  EXPECT_EQ(answer.regions->places[0].site.region, "ireland");
}

TEST(PlanRegionsTest, FleetsTogetherAreHeldToTheLimits) {
  const std::string regions = "[{name: germany, share: 50 %}, {name: us-virginia, share: 50 %}]";
  const auto roomy = by_regions(regions);
  EXPECT_TRUE(roomy.regions->is_within_limits);
  const auto tight =
      by_regions(regions, {"limits.gpus=" + std::to_string(roomy.regions->gpus - 1)});
  EXPECT_FALSE(tight.regions->is_within_limits);
}

TEST(PlanRegionsTest, RentsThatAreNotKnownByRegionAreSaidToBe) {
  const std::string regions = "[{name: germany, share: 50 %}, {name: us-virginia, share: 50 %}]";
  const auto rented = by_regions(regions, {"money.options=[on-demand]"});
  EXPECT_NE(notice(rented, "region-rents"), nullptr);
  const auto owned = by_regions(regions, {"money.options=[own]"});
  EXPECT_EQ(notice(owned, "region-rents"), nullptr);
  EXPECT_GT(owned.regions->sites[0].per_month->value(), owned.regions->sites[1].per_month->value())
      << "electricity costs more in Germany";
}

TEST(PlanRegionsTest, AnUnknownRegionIsRefusedAtItsPlace) {
  const auto question =
      asked(scenario(kService), {"serve.regions=[{name: atlantis, share: 100 %}]"});
  Diagnostics diagnostics;
  EXPECT_FALSE(check_regions(shipped(), question.scenario(), diagnostics));
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics.errors()[0].code, lf::kUnknownRegion);
}

// The busiest ten minutes of a service whose users are in these regions.
double busiest(const std::string& regions, const std::string& shape) {
  const auto asked = config::testing::sound(
      "loadfactor: 1\nname: days\nserve:\n  model: llama-3.1-8b\n"
      "  demand: {requests_per_second: 2, tokens_in: 500, tokens_out: 100}\n",
      {"serve.demand.shape=" + shape, "serve.regions=" + regions}, "a.yaml");
  std::vector<Notice> notices;
  Diagnostics diagnostics;
  const auto demand =
      derive_demand({.scenario = &asked, .serve = &*asked.serve, .catalog = &shipped().catalog()},
                    notices, diagnostics);
  EXPECT_TRUE(demand) << render(diagnostics);
  return demand ? demand->peak() : 0;
}

TEST(PlanRegionsTest, DescribedDaysOfFarRegionsLevelEachOther) {
  const std::string day = "{daily_peak: 3, peak_hour: 20}";
  const double one = busiest("[{name: germany, share: 100 %}]", day);
  const double near = busiest("[{name: germany, share: 50 %}, {name: france, share: 50 %}]", day);
  const double far = busiest("[{name: germany, share: 50 %}, {name: us-oregon, share: 50 %}]", day);
  EXPECT_NEAR(one, 6, 0.01 * one);  // Three times the mean.
  EXPECT_NEAR(near, one, 0.02 * one);
  EXPECT_LT(far, 0.7 * one);
  EXPECT_GE(far, 0.5 * one);  // One of both is at its peak.
}

TEST(PlanRegionsTest, RecordedDaysAreThoseOfAllRegions) {
  EXPECT_EQ(busiest("[{name: germany, share: 100 %}]", "global-chat"),
            busiest("[{name: germany, share: 50 %}, {name: japan, share: 50 %}]", "global-chat"));
}

TEST(PlanRegionsTest, YearsOfARegionAreThoseOfItsPartOfTheTrafficAtItsPower) {
  std::vector<std::string> set{
      "serve.regions=[{name: germany, share: 40 %}, {name: us-virginia, "
      "share: 60 %}]",
      "money.electricity=", "serve.demand.growth=3 %/month"};
  PlanInputs question = asked(scenario(kService), set);
  question.levers = false;
  PlanAnswer answer = planned(question);
  add_regions(shipped(), question, answer, 2);
  ASSERT_TRUE(answer.regions);
  const std::vector<std::string> requests{"1.2 M", "1.8 M"};
  for (std::size_t i = 0; i < 2; ++i) {
    const SiteFleet& site = answer.regions->sites.at(i);
    const PlanAnswer alone =
        verdict(scenario(kService),
                {"money.electricity=", "serve.demand.growth=3 %/month",
                 "money.region=" + site.region, "serve.demand.requests_per_month=" + requests[i]});
    const auto years = plan_years(shipped().catalog(), alone, 2);
    ASSERT_TRUE(years && site.years);
    EXPECT_EQ(site.years->best.first, years->plans.front().first);
    EXPECT_EQ(site.years->best.money.npv, years->plans.front().money.npv);
    EXPECT_EQ(site.years->grams_per_kwh, years->grams_per_kwh);
    const auto* region = *shipped().catalog().find_region(site.region);
    EXPECT_EQ(site.years->electricity, region->electricity);
    EXPECT_EQ(site.years->grams_per_kwh, region->carbon_grams_per_kwh);
  }
}

}  // namespace
}  // namespace loadfactor::engine
