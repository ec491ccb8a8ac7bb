// Laws of fleets whose pools and users have places.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "engine/fleet/fleet.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

const Engine& shipped() {
  static const auto made = [] {
    Diagnostics diagnostics;
    return Engine::create({}, diagnostics);
  }();
  return *made;
}

struct Asked {
  std::string pool = "region: us-virginia";  // The only pool has it.
  std::string first_token = "2 s";
  std::string regions = "[{name: germany, share: 100 %}]";
  std::string money = "[own, on-demand]";
};

std::string fleet_of(const Asked& asked) {
  std::string text =
      fmt::format("loadfactor: 1\nname: f\npools:\n- {{name: main, accelerator: l40s{}}}\n",
                  asked.pool.empty() ? "" : ", " + asked.pool);
  text += fmt::format("money: {{options: {}}}\nworkloads:\n- name: chat\n  serve:\n", asked.money);
  text +=
      "    model: llama-3.1-8b\n    precision: fp8\n"
      "    demand: {requests_per_second: 4, tokens_in: 800, tokens_out: 100}\n";
  text += fmt::format("    slo: {{ttft_p95: {}, tpot_p95: 60 ms}}\n", asked.first_token);
  if (!asked.regions.empty()) text += fmt::format("    regions: {}\n", asked.regions);
  return text;
}

Result<Answer> answer_of(const Asked& asked) {
  return shipped().ask(FleetQuestion{.fleet = InputFile::of("fleet.yaml", fleet_of(asked))});
}
engine::FleetAnswer sound(const Asked& asked) {
  const auto answer = answer_of(asked);
  EXPECT_TRUE(answer) << render(answer.error());
  return answer ? *answer->as<engine::FleetAnswer>() : engine::FleetAnswer();
}

TEST(FleetRegionsTest, TheWayToTheUsersIsTakenOffTheBoundOnTheFirstToken) {
  const auto far = sound({.first_token = "400 ms"});
  ASSERT_EQ(far.workloads.size(), 1U);
  ASSERT_TRUE(far.workloads[0].round_trip);
  const Seconds way = far.workloads[0].round_trip->value();
  EXPECT_GT(way, Seconds::from_base(0.06));  // Light in fibre needs 65 ms for 6,500 km and back.
  EXPECT_LT(way, Seconds::from_base(0.15));
  const auto stricter =
      sound({.first_token = fmt::format("{:.17g} s", 0.4 - way.base()), .regions = ""});
  EXPECT_EQ(far.per_month, stricter.per_month);
  EXPECT_EQ(far.workloads[0].within_slo, stricter.workloads[0].within_slo);
  EXPECT_EQ(far.workloads[0].layout, stricter.workloads[0].layout);
}

TEST(FleetRegionsTest, UsersAtThePoolHaveNoWay) {
  const auto near = sound({.pool = "region: germany"});
  ASSERT_TRUE(near.workloads[0].round_trip);
  EXPECT_EQ(near.workloads[0].round_trip->value(), Seconds());
  const auto plain = sound({.pool = "region: germany", .regions = ""});
  EXPECT_EQ(near.per_month, plain.per_month);
  EXPECT_EQ(near.pools[0].region, "germany");
}

TEST(FleetRegionsTest, PowerOfOwnMachinesIsThatOfTheirPool) {
  const char* own = "[own], own: {price: 10 K USD}";
  const auto here = sound({.pool = "region: germany", .regions = "", .money = own});
  const auto there = sound({.pool = "region: us-virginia", .regions = "", .money = own});
  ASSERT_EQ(here.pools.size(), 1U);
  ASSERT_EQ(there.pools.size(), 1U);
  EXPECT_GT(here.pools[0].idle.next_idle_hour, there.pools[0].idle.next_idle_hour * 1.5);
  EXPECT_GT(here.per_month, there.per_month);
}

TEST(FleetRegionsTest, EnergyIsThatOfThePaidGpusAndCarbonThatOfTheirPlace) {
  const std::string own =
      "[own], electricity: 0.1 USD/kWh, own: {price: 10 K USD, power: 1 kW, "
      "electrical_load: 80 %, idle_power: 25 %, pue: 1.4}";
  const auto here = sound({.pool = "region: germany", .regions = "", .money = own});
  ASSERT_EQ(here.pools.size(), 1U);
  const auto& pool = here.pools[0];
  const double share = 0.25 + 0.75 * pool.after.load_factor;
  const double kilowatt_hours = pool.after.gpus * 730 * 0.8 * share * 1.4;
  EXPECT_NEAR(pool.after.energy.base() / 3.6e6, kilowatt_hours, 1e-6 * kilowatt_hours);
  EXPECT_LT(pool.after.of_energy.low, 1);
  EXPECT_GT(pool.after.of_energy.high, 1);
  const auto there = sound({.pool = "region: us-virginia", .regions = "", .money = own});
  EXPECT_EQ(there.pools[0].after.energy, pool.after.energy);
  ASSERT_TRUE(pool.grams_per_kwh && there.pools[0].grams_per_kwh);
  EXPECT_NE(*pool.grams_per_kwh, *there.pools[0].grams_per_kwh);
  const auto nowhere = sound({.pool = "", .regions = "", .money = own});
  EXPECT_FALSE(nowhere.pools[0].grams_per_kwh);
  EXPECT_EQ(nowhere.pools[0].after.energy, pool.after.energy);
}

TEST(FleetRegionsTest, MachinesThatAreRentedDrawPowerToo) {
  const auto rented = sound({.pool = "region: germany", .regions = "", .money = "[on-demand]"});
  EXPECT_GT(rented.pools[0].after.energy, Joules());
}

TEST(FleetRegionsTest, APlaceWithoutAWayToPayIsRefused) {
  const auto answer = answer_of({.pool = "region: germany", .regions = "", .money = "[own]"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, lf::kNoOptionPriced);
}

TEST(FleetRegionsTest, UsersOfAPoolWithoutAPlaceAreRefusedAtTheirLine) {
  const auto answer = answer_of({.pool = ""});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, lf::kMissingKey);
  EXPECT_EQ(answer.error().where.line, 13U);
}

TEST(FleetRegionsTest, APromiseThatIsShorterThanTheWayIsRefused) {
  const auto answer =
      answer_of({.first_token = "90 ms", .regions = "[{name: australia, share: 100 %}]"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, lf::kNoPlan);
  EXPECT_NE(answer.error().message.find("ms"), std::string::npos);
}

TEST(FleetRegionsTest, RegionsThatNobodyKnowsAreRefusedAtTheirLine) {
  const auto pool = answer_of({.pool = "region: germny"});
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().code, lf::kUnknownRegion);
  EXPECT_EQ(pool.error().where.line, 4U);
  const auto users = answer_of({.regions = "[{name: germny, share: 100 %}]"});
  ASSERT_FALSE(users);
  EXPECT_EQ(users.error().code, lf::kUnknownRegion);
  EXPECT_EQ(users.error().where.line, 13U);
}

}  // namespace
}  // namespace loadfactor
