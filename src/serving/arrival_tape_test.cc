#include "serving/arrival_tape.h"

#include <gtest/gtest.h>

#include "serving/arrivals_from_demand.h"
#include "sim/recorded_arrivals.h"

namespace loadfactor::serving {
namespace {

sim::ArrivalBatch all_of(sim::ArrivalStream& stream) {
  sim::ArrivalBatch all;
  sim::ArrivalBatch batch;
  for (stream.pull(batch, 1000); batch.size() > 0; stream.pull(batch, 1000)) {
    all.time.insert(all.time.end(), batch.time.begin(), batch.time.end());
    all.tokens_in.insert(all.tokens_in.end(), batch.tokens_in.begin(), batch.tokens_in.end());
    all.tokens_out.insert(all.tokens_out.end(), batch.tokens_out.begin(), batch.tokens_out.end());
  }
  return all;
}

TEST(ArrivalTapeTest, PlaysWhatTheGeneratorMadeAsOftenAsAsked) {
  demand::TrafficModel model;
  model.base = Hertz::from_base(3);
  model.input = demand::lengths_of_mean(1000, 1.5, 200'000);
  model.output = demand::lengths_of_mean(2, 1, 8);
  const Seconds hour = Seconds::from_base(3600);
  GeneratedArrivals made(model, 7, hour);
  const sim::ArrivalBatch wanted = all_of(made);
  GeneratedArrivals again(model, 7, hour);
  const ArrivalTape tape(again);
  ASSERT_EQ(tape.size(), std::ssize(wanted.time));
  EXPECT_GT(tape.size(), 9000);  // Three a second.
  std::int64_t several = 0;
  for (const auto tokens : wanted.tokens_out) several += tokens > 1 ? 1 : 0;
  EXPECT_EQ(tape.with_next_tokens(), several);
  for (int i = 0; i < 2; ++i) {
    const sim::ArrivalBatch played = all_of(*tape.play());
    EXPECT_EQ(played.time, wanted.time);
    EXPECT_EQ(played.tokens_in, wanted.tokens_in);
    EXPECT_EQ(played.tokens_out, wanted.tokens_out);
  }
}

TEST(ArrivalTapeTest, KeepsWhatDoesNotFitItsFieldsAlsoOnItsWayToAnotherProcess) {
  sim::ArrivalBatch batch;
  const sim::Ticks day = 24 * sim::kHour;  // A gap of four seconds fits, one of a day does not.
  batch.time = {0, 4 * sim::kSecond, day, day + 4'294'967'295 * sim::kNanosecond};
  batch.tokens_in = {65'534, 65'535, 65'536, 1'000'000};
  batch.tokens_out = {1, 2, 70'000, 1};
  sim::RecordedArrivals stream(batch);
  const ArrivalTape tape(stream);
  const sim::ArrivalBatch played = all_of(*tape.play());
  EXPECT_EQ(played.time, batch.time);
  EXPECT_EQ(played.tokens_in, batch.tokens_in);
  EXPECT_EQ(played.tokens_out, batch.tokens_out);
  EXPECT_EQ(tape.with_next_tokens(), 2);
  const ArrivalTape sent(tape.bytes());
  const sim::ArrivalBatch there = all_of(*sent.play());
  EXPECT_EQ(there.time, batch.time);
  EXPECT_EQ(there.tokens_in, batch.tokens_in);
  EXPECT_EQ(there.tokens_out, batch.tokens_out);
  EXPECT_EQ(sent.with_next_tokens(), 2);
}

}  // namespace
}  // namespace loadfactor::serving
