// Weeks of a demand, made once and served to every fleet that is tried on them.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "search/serving_sizing.h"
#include "serving/arrival_tape.h"

namespace loadfactor::search {

// Any thread may ask. The problem outlives this.
class RecordedWeeks {
 public:
  using Tape = std::shared_ptr<const serving::ArrivalTape>;

  // Up to `most` requests stay in memory; weeks beyond are made anew each time.
  RecordedWeeks(const SizingProblem& problem, std::int64_t most) : problem_(problem), room_(most) {}

  const SizingProblem& problem() const { return problem_; }

  // So many seconds of the week of this seed; nothing where the demand is a trace.
  Tape week(std::uint64_t seed, double seconds);

  // For one thread, before and after others ask: a week that is recorded already. The first tape of
  // a week stays.
  void keep(std::uint64_t seed, double seconds, Tape tape);
  Tape known(std::uint64_t seed, double seconds) const;

 private:
  Tape record(std::uint64_t seed, double seconds, std::int64_t expected) const;
  // Requests that so many seconds get room for.
  std::int64_t expected_in(double seconds) const;

  const SizingProblem& problem_;
  std::mutex mutex_;
  std::int64_t room_;
  std::map<std::pair<std::uint64_t, double>, std::shared_future<Tape>> kept_;
};

}  // namespace loadfactor::search
