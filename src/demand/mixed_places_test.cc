#include "demand/mixed_places.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "demand/week_factor.h"

namespace loadfactor::demand {
namespace {

TrafficModel with_days() {
  TrafficModel model;
  model.base = Hertz::from_base(2);
  model.day = {.amplitude = 0.8, .peak_hour = 14};
  model.weekend = 0.5;
  return model;
}

double busiest(const TrafficModel& model) {
  double most = 0;
  for (int i = 0; i < 7 * 24 * 6; ++i)
    most = std::max(most, model.base.base() * factor_at(model, (i + 0.5) / 6));
  return most;
}

TEST(MixedPlacesTest, TheMeanStaysWhereverUsersAre) {
  const auto model = with_days();
  for (const double later : {-11.0, -3.5, 0.0, 6.0, 12.0}) {
    const std::array places{PlaceOfUsers{0.3, 0}, PlaceOfUsers{0.7, later}};
    EXPECT_NEAR(expected_rate(mixed_places(model, places)).base(), expected_rate(model).base(),
                1e-9);
  }
}

TEST(MixedPlacesTest, NobodyWhoIsMovedChangesNothing) {
  const auto model = with_days();
  const std::array together{PlaceOfUsers{0.3, 0}, PlaceOfUsers{0.7, 0}};
  EXPECT_TRUE(has_same_shape(mixed_places(model, together), model));
  const std::array apart{PlaceOfUsers{0.5, 0}, PlaceOfUsers{0.5, 12}};
  TrafficModel even;
  even.base = Hertz::from_base(2);
  EXPECT_TRUE(has_same_shape(mixed_places(even, apart), even));
}

TEST(MixedPlacesTest, APlaceThatIsLaterHasTheSameHoursLater) {
  const auto model = with_days();
  const std::array later{PlaceOfUsers{1, 6}};
  const auto moved = mixed_places(model, later);
  const double scale = moved.base / model.base;
  for (int i = 0; i < 7 * 24 * 6; ++i) {
    const double hour = (i + 0.5) / 6;
    const double before = std::fmod(hour - 6 + 7 * 24, 7 * 24);
    EXPECT_NEAR(scale * factor_at(moved, hour), factor_at(model, before), 1e-6) << hour;
  }
  // Monday morning there is still Sunday.
  EXPECT_LT(factor_at(moved, 5.9), factor_at(moved, 24 + 5.9));
}

TEST(MixedPlacesTest, DaysOnOppositeSidesOfTheGlobeLevelEachOther) {
  const auto model = with_days();
  double before = busiest(model) + 1e-9;
  for (const double later : {0.0, 3.0, 6.0, 9.0, 12.0}) {
    const std::array places{PlaceOfUsers{0.5, 0}, PlaceOfUsers{0.5, later}};
    const double most = busiest(mixed_places(model, places));
    EXPECT_LT(most, before + 1e-3 * before) << later;
    before = most;
  }
  EXPECT_LT(before, 0.75 * busiest(model));
}

TEST(MixedPlacesTest, FactorsOfAWeekAreMovedAsWavesAre) {
  TrafficModel model;
  model.base = Hertz::from_base(1);
  model.week.assign(7 * 24, 1.0);
  model.week[30] = 5;
  const std::array later{PlaceOfUsers{1, 4}};
  const auto moved = mixed_places(model, later);
  EXPECT_NEAR(factor_at(moved, 34.5) / factor_at(moved, 30.5), 5, 1e-9);
}

}  // namespace
}  // namespace loadfactor::demand
