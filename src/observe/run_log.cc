#include "observe/run_log.h"

#include <algorithm>

namespace loadfactor::observe {
namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

// The first fifth of a run compiles, allocates and fills queues.
std::optional<double> usual_step(const std::vector<LoggedStep>& steps) {
  std::vector<double> times;
  for (std::size_t i = steps.size() / 5; i < steps.size(); ++i)
    if (steps[i].seconds > 0) times.push_back(steps[i].seconds);
  if (times.empty()) return std::nullopt;
  return median_of(std::move(times));
}

// Steps between two lines of the log.
std::int64_t usual_distance(const std::vector<LoggedStep>& steps) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < steps.size(); ++i)
    if (steps[i].number > steps[i - 1].number)
      distances.push_back(static_cast<double>(steps[i].number - steps[i - 1].number));
  return distances.empty() ? 1 : static_cast<std::int64_t>(median_of(std::move(distances)));
}

class RunReader {
 public:
  RunReader(const RunLog& log, double step) : log_(log), distance_(usual_distance(log.steps)) {
    use_.step_seconds = step;
  }

  RunUse read() {
    count_steps();
    measure_time();
    use_.goodput = share(static_cast<double>(use_.steps));
    use_.lost = std::min(1 - use_.goodput, share(static_cast<double>(use_.repeated)));
    if (use_.restarts > 0) use_.mtbf = use_.wall_seconds / use_.restarts;
    find_saves();
    return use_;
  }

 private:
  double share(double steps) const {
    return use_.wall_seconds > 0 ? std::min(1.0, steps * use_.step_seconds / use_.wall_seconds) : 0;
  }
  bool begins_anew(std::size_t i) const {
    return i > 0 && log_.steps[i].number <= log_.steps[i - 1].number;
  }
  // Steps that a line stands for: those since the line before it.
  std::int64_t covered(std::size_t i) const {
    if (i == 0 || begins_anew(i)) return distance_;
    return log_.steps[i].number - log_.steps[i - 1].number;
  }
  void count_steps() {
    std::int64_t farthest = log_.steps.front().number - distance_;
    for (std::size_t i = 0; i < log_.steps.size(); ++i) {
      use_.restarts += begins_anew(i) ? 1 : 0;
      const std::int64_t fresh = std::max<std::int64_t>(0, log_.steps[i].number - farthest);
      const std::int64_t counted = std::min(covered(i), fresh);
      use_.steps += counted;
      use_.repeated += covered(i) - counted;
      farthest = std::max(farthest, log_.steps[i].number);
    }
  }
  void measure_time() {
    const auto& first = log_.steps.front();
    const auto& last = log_.steps.back();
    use_.has_stamps = first.stamp && last.stamp && *last.stamp > *first.stamp;
    if (use_.has_stamps) {
      use_.wall_seconds =
          *last.stamp - *first.stamp + static_cast<double>(distance_) * first.seconds;
      return;
    }
    for (std::size_t i = 0; i < log_.steps.size(); ++i)
      use_.wall_seconds += static_cast<double>(covered(i)) *
                           (log_.steps[i].seconds > 0 ? log_.steps[i].seconds : use_.step_seconds);
  }
  // Work between two checkpoints of one stretch, and the time beyond that of the steps around one.
  void find_saves() {
    std::vector<double> distances;
    std::vector<double> stalls;
    std::optional<std::int64_t> before;
    for (const std::size_t at : log_.saves) {
      if (at == 0) continue;
      const std::int64_t number = log_.steps[at - 1].number;
      if (before && number > *before) distances.push_back(static_cast<double>(number - *before));
      before = number;
      if (at >= log_.steps.size() || begins_anew(at)) continue;
      const auto& from = log_.steps[at - 1].stamp;
      const auto& to = log_.steps[at].stamp;
      if (from && to)
        stalls.push_back(
            std::max(0.0, *to - *from - static_cast<double>(covered(at)) * use_.step_seconds));
    }
    if (!distances.empty()) use_.save_every = median_of(std::move(distances)) * use_.step_seconds;
    if (!stalls.empty()) use_.save_stall = median_of(std::move(stalls));
  }

  const RunLog& log_;
  std::int64_t distance_;
  RunUse use_;
};

}  // namespace

std::optional<RunUse> use_of_run(const RunLog& log) {
  const auto step = usual_step(log.steps);
  if (!step) return std::nullopt;
  return RunReader(log, *step).read();
}

}  // namespace loadfactor::observe
