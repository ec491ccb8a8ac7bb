#include "serving/simulator/span_arrivals.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "demand/generate.h"

namespace loadfactor::serving {
namespace {

demand::TrafficModel wavy_model() {
  demand::TrafficModel model;
  model.base = Hertz::from_base(20);
  model.day = {0.8, 14};
  model.slow = {0.3, Seconds::from_base(3600)};
  model.input = demand::lengths_of_mean(500, 0.5, 2000);
  model.output = demand::lengths_of_mean(50, 0.5, 200);
  return model;
}

TEST(SpanArrivalsTest, AsManyComeAsThePathOfTheWeekHasAndInOrder) {
  const demand::TrafficModel model = wavy_model();
  const auto steps = demand::rate_steps(model, 7, Seconds::from_base(2 * 86400));
  DrawReader draws(std::make_shared<demand::RequestDraws>(model, 7, demand::Keeping::kNothing));
  for (const double from : {0.0, 30000.5, 50000.0, 150000.0}) {
    const WeekSpan span{from, from + 5000};
    double expected = 0;
    for (const demand::RateStep& step : steps) {
      const double overlap =
          std::min(span.until, step.start + step.length) - std::max(span.from, step.start);
      expected += std::max(0.0, overlap) * demand::rate_of(model, step);
    }
    SpanArrivals arrivals(model, steps, span, draws);
    sim::ArrivalBatch batch;
    double count = 0;
    sim::Ticks last = 0;
    for (arrivals.pull(batch, 777); batch.size() > 0; arrivals.pull(batch, 777)) {
      for (const sim::Ticks time : batch.time) {
        EXPECT_GE(time, last);
        last = time;
      }
      count += static_cast<double>(batch.size());
    }
    EXPECT_LT(last, 5000 * sim::kSecond);
    EXPECT_NEAR(count, expected, 4 * std::sqrt(expected));
  }
}

}  // namespace
}  // namespace loadfactor::serving
