// Questions that run one after the other on a bounded number of workers, and a bounded queue.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "web/jobs/runner.h"

namespace loadfactor::web {

using Clock = std::chrono::steady_clock;

enum class JobState : std::uint8_t { kQueued, kRunning, kDone, kFailed, kCancelled };
std::string_view name_of(JobState state);

// What is known of a job at one moment.
struct JobView {
  std::string id;
  std::string verb;
  JobState state = JobState::kQueued;
  double progress = 0;
  double seconds = 0;  // Since it was asked, or until it ended.
  int status = 0;      // The HTTP status of its result; 0 while there is none.
  bool has_answer = false;
  bool is_over() const { return state > JobState::kRunning; }
};

class Job {
 public:
  Job(std::string id, std::string caller, Work work);

  const std::string& id() const { return id_; }
  const std::string& caller() const { return caller_; }
  JobView view() const;
  // What came of it; empty while it runs.
  Finished result() const;
  // Waits until something is different from what was seen, or the time is over.
  JobView wait(const JobView& seen, std::chrono::milliseconds patience) const;

 private:
  friend class Jobs;
  JobView locked_view() const;

  const std::string id_;
  const std::string caller_;
  Work work_;
  Stop stop_;
  const Clock::time_point asked_ = Clock::now();
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  JobState state_ = JobState::kQueued;
  double progress_ = 0;
  Finished finished_;
  Clock::time_point ended_;
};

// Long questions do not keep short ones waiting: each kind has workers of its own.
enum class Lane : std::uint8_t { kShort, kLong };

struct JobBounds {
  int running = 2;         // In each lane.
  int waiting = 16;        // In each lane.
  int of_one_caller = 12;  // That have not ended.
  std::size_t kept = 64;   // That have ended.
  std::size_t kept_bytes = std::size_t{128} << 20U;
  std::chrono::minutes keeping{15};
};

enum class Refusal : std::uint8_t { kNone, kQueueFull, kCallerBusy, kEnding };

class Jobs {
 public:
  Jobs(Runner& runner, const JobBounds& bounds);
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Nothing, and why, where it is not taken.
  std::shared_ptr<Job> add(Work work, const std::string& caller, Lane lane, Refusal& refusal);
  std::shared_ptr<Job> find(const std::string& id) const;
  void cancel(Job& job);
  // Forgets one that has ended, so that nobody finds it any more.
  void forget(const Job& job);

  // Takes nothing more; gives what runs that long to end, then stops it.
  void drain(std::chrono::milliseconds patience);

  struct Counts {
    int running = 0;
    int waiting = 0;
    int kept = 0;
  };
  Counts counts() const;

 private:
  struct LaneState {
    std::deque<std::shared_ptr<Job>> queue;
    int running = 0;
    std::condition_variable has_work;
  };
  void serve(LaneState& lane);
  void end();  // Once, with its threads.
  void run(Job& job);
  void drop_old();
  bool is_idle() const;
  int unfinished_of(const std::string& caller) const;

  Runner* runner_;
  const JobBounds bounds_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
  LaneState lanes_[2];
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

// A name that nobody guesses: `j-` and 32 digits.
std::string random_id(char letter);

}  // namespace loadfactor::web
