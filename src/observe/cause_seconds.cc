#include "observe/cause_seconds.h"

namespace loadfactor::observe {

Loss loss_of(Cause cause) {
  switch (cause) {
    case Cause::kLoad:
    case Cause::kHeldUnseen:
      return Loss::kLoad;
    case Cause::kUnallocated:
      return Loss::kUnallocated;
    case Cause::kIdle:
      return Loss::kIdle;
    case Cause::kStartUp:
    case Cause::kPause:
    case Cause::kSpinning:
      return Loss::kWaiting;
    case Cause::kFailed:
      return Loss::kFailed;
    default:
      return Loss::kUnsaturated;
  }
}

std::optional<double> SensorMean::at_work() const {
  return seconds > 0 ? std::optional(sum / seconds) : std::nullopt;
}

std::optional<double> SensorMean::overall() const {
  const double all = seconds + rest_seconds;
  return all > 0 ? std::optional((sum + rest_sum) / all) : std::nullopt;
}

void SensorMean::add(double share, double of_seconds) {
  sum += share * of_seconds;
  seconds += of_seconds;
}

void SensorMean::add_rest(double share, double of_seconds) {
  rest_sum += share * of_seconds;
  rest_seconds += of_seconds;
}

SensorMean& SensorMean::operator+=(const SensorMean& other) {
  sum += other.sum;
  seconds += other.seconds;
  rest_sum += other.rest_sum;
  rest_seconds += other.rest_seconds;
  return *this;
}

SensorMean SensorMean::scaled(double factor) const {
  return {sum * factor, seconds * factor, rest_sum * factor, rest_seconds * factor};
}

double CauseSeconds::total() const {
  double sum = 0;
  for (const double value : seconds) sum += value;
  return sum;
}

double CauseSeconds::of(Loss loss) const {
  double sum = 0;
  for (std::size_t i = 0; i < kCauses; ++i)
    if (loss_of(static_cast<Cause>(i)) == loss) sum += seconds[i];
  return sum;
}

CauseSeconds& CauseSeconds::operator+=(const CauseSeconds& other) {
  for (std::size_t i = 0; i < kCauses; ++i) seconds[i] += other.seconds[i];
  return *this;
}

CauseSeconds CauseSeconds::scaled(double factor) const {
  CauseSeconds out = *this;
  for (double& value : out.seconds) value *= factor;
  return out;
}

}  // namespace loadfactor::observe
