#include <vector>

#include <gtest/gtest.h>

#include "serving/arrivals_from_demand.h"

namespace loadfactor::serving {
namespace {

struct Arrivals {
  std::vector<sim::Ticks> time;
  std::vector<std::int32_t> tokens_in, tokens_out;

  bool operator==(const Arrivals&) const = default;
};

Arrivals all_of(sim::ArrivalStream& stream) {
  Arrivals all;
  sim::ArrivalBatch batch;
  for (stream.pull(batch, 999); batch.size() > 0; stream.pull(batch, 999)) {
    all.time.insert(all.time.end(), batch.time.begin(), batch.time.end());
    all.tokens_in.insert(all.tokens_in.end(), batch.tokens_in.begin(), batch.tokens_in.end());
    all.tokens_out.insert(all.tokens_out.end(), batch.tokens_out.begin(), batch.tokens_out.end());
  }
  return all;
}

// One request after the other, drawn as it comes.
Arrivals generated(const demand::TrafficModel& model, std::uint64_t seed, Seconds duration) {
  GeneratedArrivals stream(model, seed, duration);
  return all_of(stream);
}

demand::TrafficModel busy_days(double cv) {
  demand::TrafficModel model;
  model.base = Hertz::from_base(2);
  model.day = {0.5, 14};
  model.weekend = 0.6;
  model.day_sigma = 0.2;
  model.fast = {0.3, Seconds::from_base(60)};
  model.cv = cv;
  model.input = {{{0.3, 5, 0.5}, {0.7, 7, 1.1}}, 8'000};
  model.output = demand::lengths_of_mean(200, 1, 1'000);
  return model;
}

const Seconds kDay = Seconds::from_base(86'400);

TEST(DrawnArrivalsTest, AreTheGeneratorsToTheLastRequestAtEveryRateAndEverySpread) {
  for (const double cv : {0.0, 0.5, 1.0, 1.06, 3.0}) {
    demand::DrawStore store;
    demand::TrafficModel model = busy_days(cv);
    for (const double times : {1.0, 0.4, 1.7}) {
      model.base = Hertz::from_base(2 * times);
      const Arrivals wanted = generated(model, 11, kDay);
      ASSERT_GT(wanted.time.size(), 30'000U);
      EXPECT_EQ(all_of(*arrivals_of(model, 11, kDay, &store)), wanted);
      EXPECT_EQ(all_of(*arrivals_of(model, 11, kDay, nullptr)), wanted);
    }
  }
}

TEST(DrawnArrivalsTest, AStoreKeepsOtherSeedsAndLengthsApart) {
  demand::DrawStore store;
  const demand::TrafficModel model = busy_days(1.2);
  demand::TrafficModel shorter = model;
  shorter.input = demand::scaled_to_mean(model.input, 500);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(all_of(*arrivals_of(model, 1, kDay, &store)), generated(model, 1, kDay));
    EXPECT_EQ(all_of(*arrivals_of(model, 2, kDay, &store)), generated(model, 2, kDay));
    EXPECT_EQ(all_of(*arrivals_of(shorter, 1, kDay, &store)), generated(shorter, 1, kDay));
  }
}

TEST(DrawnArrivalsTest, TenantsAndSessionsAndAFullStoreMakeTheSameTrafficToo) {
  demand::DrawStore store;
  demand::TrafficModel tenants = busy_days(1.2);
  tenants.tenants = 3;
  demand::TrafficModel sessions = busy_days(1.2);
  sessions.sessions = {3, 3, 1};
  demand::TrafficModel too_many = busy_days(1.2);
  EXPECT_EQ(store.of(tenants, 1, 10), nullptr);
  EXPECT_EQ(store.of(sessions, 1, 10), nullptr);
  EXPECT_EQ(store.of(too_many, 1, 1e12), nullptr);
  for (const auto& model : {tenants, sessions, too_many})
    EXPECT_EQ(all_of(*arrivals_of(model, 5, kDay, &store)), generated(model, 5, kDay));
}

}  // namespace
}  // namespace loadfactor::serving
