#include "web/jobs/jobs.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/random.h>

#include "web/wire/problem.h"

namespace loadfactor::web {
namespace {

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

Finished cancelled() {
  const Reply reply = problem(409, "cancelled before there was an answer");
  return {.status = reply.status, .type = reply.type, .body = reply.body};
}

}  // namespace

std::string random_id(char letter) {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("no random number can be had");
  std::string id{letter, '-'};
  for (const unsigned char byte : bytes) id += fmt::format("{:02x}", byte);
  return id;
}

std::string_view name_of(JobState state) {
  constexpr std::array<std::string_view, 5> kNames{"queued", "running", "done", "failed",
                                                   "cancelled"};
  return kNames[static_cast<std::size_t>(state)];
}

Job::Job(std::string id, std::string caller, Work work)
    : id_(std::move(id)), caller_(std::move(caller)), work_(std::move(work)) {}

JobView Job::locked_view() const {
  JobView view{.id = id_, .verb = work_.verb, .state = state_, .progress = progress_};
  view.seconds = seconds_between(asked_, view.is_over() ? ended_ : Clock::now());
  if (!view.is_over()) return view;
  view.status = finished_.status;
  view.has_answer = finished_.status == 200;
  return view;
}

JobView Job::view() const {
  const std::lock_guard lock(mutex_);
  return locked_view();
}

Finished Job::result() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

JobView Job::wait(const JobView& seen, std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience,
                    [&] { return state_ != seen.state || progress_ != seen.progress; });
  return locked_view();
}

Jobs::Jobs(Runner& runner, const JobBounds& bounds) : runner_(&runner), bounds_(bounds) {
  try {
    for (LaneState& lane : lanes_)
      for (int i = 0; i < bounds.running; ++i)
        threads_.emplace_back([this, &lane] { serve(lane); });
  } catch (const std::system_error&) {  // There are no more threads: those that run are ended.
    end();
    throw;
  }
}

Jobs::~Jobs() {
  end();
}

void Jobs::end() {
  drain(std::chrono::milliseconds(0));
  for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<Job> Jobs::add(Work work, const std::string& caller, Lane lane, Refusal& refusal) {
  const std::lock_guard lock(mutex_);
  drop_old();
  LaneState& chosen = lanes_[static_cast<std::size_t>(lane)];
  refusal = Refusal::kNone;
  if (is_ending_)
    refusal = Refusal::kEnding;
  else if (static_cast<int>(chosen.queue.size()) >= bounds_.waiting)
    refusal = Refusal::kQueueFull;
  else if (unfinished_of(caller) >= bounds_.of_one_caller)
    refusal = Refusal::kCallerBusy;
  if (refusal != Refusal::kNone) return nullptr;
  auto job = std::make_shared<Job>(random_id('j'), caller, std::move(work));
  jobs_[job->id()] = job;
  chosen.queue.push_back(job);
  chosen.has_work.notify_one();
  return job;
}

std::shared_ptr<Job> Jobs::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : found->second;
}

void Jobs::cancel(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    const std::lock_guard inner(job.mutex_);
    if (job.state_ > JobState::kRunning) return;
    if (job.state_ == JobState::kQueued) {
      for (LaneState& lane : lanes_)
        std::erase_if(lane.queue, [&](const auto& waiting) { return waiting.get() == &job; });
      job.state_ = JobState::kCancelled;
      job.finished_ = cancelled();
      job.ended_ = Clock::now();
    }
  }
  job.stop_.ask();
  job.changed_.notify_all();
}

void Jobs::forget(const Job& job) {
  const std::lock_guard lock(mutex_);
  jobs_.erase(job.id());
}

void Jobs::drain(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  is_ending_ = true;
  ended_.wait_for(lock, patience, [&] { return is_idle(); });
  std::vector<std::shared_ptr<Job>> left;
  for (const auto& [id, job] : jobs_) left.push_back(job);
  lock.unlock();
  for (const auto& job : left) cancel(*job);
  for (LaneState& lane : lanes_) lane.has_work.notify_all();
}

Jobs::Counts Jobs::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts;
  for (const LaneState& lane : lanes_) {
    counts.running += lane.running;
    counts.waiting += static_cast<int>(lane.queue.size());
  }
  counts.kept = static_cast<int>(jobs_.size()) - counts.running - counts.waiting;
  return counts;
}

bool Jobs::is_idle() const {
  return std::all_of(std::begin(lanes_), std::end(lanes_),
                     [](const LaneState& lane) { return lane.running == 0 && lane.queue.empty(); });
}

int Jobs::unfinished_of(const std::string& caller) const {
  return static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
    return entry.second->caller() == caller && !entry.second->view().is_over();
  }));
}

// The oldest go first, those that are too old in any case.
void Jobs::drop_old() {
  std::vector<std::pair<Clock::time_point, Job*>> over;
  std::size_t bytes = 0;
  for (const auto& [id, job] : jobs_) {
    const std::lock_guard lock(job->mutex_);
    if (job->state_ <= JobState::kRunning) continue;
    over.emplace_back(job->ended_, job.get());
    bytes += job->finished_.body.size();
  }
  std::sort(over.begin(), over.end());
  std::size_t left = over.size();
  for (const auto& [ended, job] : over) {
    const bool is_old = Clock::now() - ended > bounds_.keeping;
    if (!is_old && left <= bounds_.kept && bytes <= bounds_.kept_bytes) break;
    bytes -= job->result().body.size();
    --left;
    jobs_.erase(std::string(job->id()));
  }
}

void Jobs::serve(LaneState& lane) {
  std::unique_lock lock(mutex_);
  for (;;) {
    lane.has_work.wait(lock, [&] { return is_ending_ || !lane.queue.empty(); });
    if (lane.queue.empty()) return;
    const std::shared_ptr<Job> job = lane.queue.front();
    lane.queue.pop_front();
    ++lane.running;
    {
      const std::lock_guard inner(job->mutex_);
      job->state_ = JobState::kRunning;
    }
    lock.unlock();
    job->changed_.notify_all();
    run(*job);
    lock.lock();
    --lane.running;
    ended_.notify_all();
  }
}

void Jobs::run(Job& job) {
  Finished finished = runner_->run(job.work_, job.stop_, [&job](double share) {
    const std::lock_guard lock(job.mutex_);
    // A change that nobody can see wakes nobody.
    constexpr double kVisible = 0.001;
    if (share - job.progress_ < kVisible) return;
    job.progress_ = std::min(share, 1.0);
    job.changed_.notify_all();
  });
  {
    const std::lock_guard lock(job.mutex_);
    job.finished_ = std::move(finished);
    job.ended_ = Clock::now();
    const bool is_answer = job.finished_.status == 200;
    job.state_ = job.stop_.is_asked() ? JobState::kCancelled
                 : is_answer          ? JobState::kDone
                                      : JobState::kFailed;
    if (is_answer && job.state_ == JobState::kDone) job.progress_ = 1;
    job.work_.json.clear();
    job.work_.scenario.reset();
  }
  job.changed_.notify_all();
}

}  // namespace loadfactor::web
