#include "resolve/serve/users_way.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "resolve/serve/testing/served.h"

namespace loadfactor::engine {
namespace {

catalog::RegionSpec region(const char* title, double latitude, double longitude) {
  catalog::RegionSpec spec;
  spec.name = spec.title = title;
  spec.location = {.place = title, .latitude = latitude, .longitude = longitude};
  return spec;
}

const catalog::Fact& fact(const char* name) {
  for (const auto& row : testing::shipped().facility())
    if (row.name == name) return row;
  throw std::runtime_error(name);
}

// There and back at the speed of light in a cable that is longer than the great circle.
double seconds_over(double km) {
  return 2 * km * fact("network_route").value / fact("network_speed").value;
}

TEST(UsersWayTest, AQuarterOfTheGlobeIsAQuarterOfItsCircle) {
  const auto pole = region("pole", 90, 0);
  const auto equator = region("equator", 0, 40);
  const auto antipode = region("antipode", 0, -140);
  const auto way = way_to_users(testing::shipped(), pole, {&equator});
  ASSERT_TRUE(way);
  const double quarter = 6371 * std::acos(-1.0) / 2;
  EXPECT_NEAR(way->round_trip.value().base(), seconds_over(quarter), 1e-9);
  const auto half = way_to_users(testing::shipped(), equator, {&antipode});
  EXPECT_NEAR(half->round_trip.value().base(), seconds_over(2 * quarter), 1e-6);
  // Sixty degrees along the equator, and along a meridian.
  const auto east = region("east", 0, 100);
  const auto north = region("north", 60, 40);
  for (const auto* there : {&east, &north})
    EXPECT_NEAR(way_to_users(testing::shipped(), equator, {there})->round_trip.value().base(),
                seconds_over(quarter * 2 / 3), 1e-9);
}

TEST(UsersWayTest, TheLongestCableAtTheSlowestPaceIsTheUpperEnd) {
  const auto pole = region("pole", 90, 0);
  const auto equator = region("equator", 0, 0);
  const auto trip = way_to_users(testing::shipped(), pole, {&equator})->round_trip;
  const auto& speed = fact("network_speed");
  const auto& route = fact("network_route");
  EXPECT_NEAR(trip.high() / trip.value(), *route.high / route.value * speed.value / *speed.low,
              1e-9);
  EXPECT_NEAR(trip.low() / trip.value(), *route.low / route.value * speed.value / *speed.high,
              1e-9);
}

TEST(UsersWayTest, TheFarthestRegionDecides) {
  const auto here = region("here", 50, 8);
  const auto near = region("near", 48, 2);
  const auto far = region("far", -33, 151);
  const auto same = region("same as far", -33, 151);
  for (const auto& order :
       {std::vector<const catalog::RegionSpec*>{&near, &far, &same}, {&far, &same, &near}}) {
    const auto way = way_to_users(testing::shipped(), here, order);
    EXPECT_EQ(way->farthest, "far");
    EXPECT_EQ(way->facts.size(), 2U);
  }
  const auto home = way_to_users(testing::shipped(), here, {&here});
  EXPECT_EQ(home->farthest, "here");
  EXPECT_EQ(home->round_trip.value().base(), 0);
  const auto nobody = way_to_users(testing::shipped(), here, {});
  EXPECT_EQ(nobody->round_trip.value().base(), 0);
}

TEST(UsersWayTest, APlaceThatIsNowhereHasNoWay) {
  const auto here = region("here", 50, 8);
  catalog::RegionSpec nowhere;
  EXPECT_FALSE(way_to_users(testing::shipped(), nowhere, {&here}));
  EXPECT_FALSE(way_to_users(testing::shipped(), here, {&here, &nowhere}));
}

TEST(UsersWayTest, TheWayIsTakenFromBoundsOnAnswersAndNotFromTheTimePerToken) {
  const auto serve = [](const char* slo) { return *testing::Scene{.slo = slo}.scenario().serve; };
  const auto edits =
      earlier_by(serve("{ttft_p95: 1 s, tpot_p95: 40 ms}"), Seconds::from_base(0.25));
  ASSERT_TRUE(edits);
  ASSERT_EQ(edits->size(), 1U);
  EXPECT_EQ(edits->front().path, "serve.slo.ttft_p95");
  EXPECT_EQ(std::get<AnyQuantity>(edits->front().value), any(Seconds::from_base(0.75)));
  EXPECT_FALSE(earlier_by(serve("{ttft_p95: 1 s}"), Seconds::from_base(1)));  // Nothing is left.
  EXPECT_TRUE(earlier_by(serve("{ttft_p95: 1 s}"), Seconds::from_base(0.999)));
  EXPECT_TRUE(earlier_by(serve("{tpot_p95: 40 ms}"), Seconds::from_base(1))->empty());
  EXPECT_TRUE(earlier_by(serve(""), Seconds::from_base(1))->empty());
}

}  // namespace
}  // namespace loadfactor::engine
