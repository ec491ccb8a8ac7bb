#include "web/jobs/jobs.h"

#include <atomic>

#include <gtest/gtest.h>

#include "web/jobs/uploads.h"

namespace loadfactor::web {
namespace {

using std::chrono::milliseconds;

// Works until it is stopped, or is done at once.
class Runners final : public Runner {
 public:
  Finished run(const Work& work, const Stop& stop,
               const std::function<void(double)>& report) override {
    ++started;
    report(0.5);
    while (work.verb == "long" && !stop.is_asked()) std::this_thread::sleep_for(milliseconds(1));
    if (stop.is_asked()) return {.status = 409};
    return {.body = "answer to " + work.verb};
  }
  std::atomic<int> started{0};
};

JobView until_over(const Job& job) {
  JobView view = job.view();
  for (int i = 0; i < 500 && !view.is_over(); ++i) view = job.wait(view, milliseconds(10));
  return view;
}

std::shared_ptr<Job> add(Jobs& jobs, const char* verb, const char* caller = "me") {
  Refusal refusal{};
  return jobs.add({.verb = verb}, caller, Lane::kLong, refusal);
}

Refusal refusal_of(Jobs& jobs, const char* caller) {
  Refusal refusal{};
  EXPECT_EQ(jobs.add({.verb = "long"}, caller, Lane::kLong, refusal), nullptr);
  return refusal;
}

TEST(JobsTest, AJobEndsWithItsAnswer) {
  Runners runner;
  Jobs jobs(runner, {.running = 1});
  const auto job = add(jobs, "fit");
  const JobView view = until_over(*job);
  EXPECT_EQ(view.state, JobState::kDone);
  EXPECT_EQ(view.progress, 1);
  EXPECT_EQ(job->result().body, "answer to fit");
  EXPECT_EQ(jobs.find(job->id()), job);
  jobs.forget(*job);
  EXPECT_EQ(jobs.find(job->id()), nullptr);
}

TEST(JobsTest, WhatRunsAndWhatWaitsCanBeCancelled) {
  Runners runner;
  Jobs jobs(runner, {.running = 1});
  const auto first = add(jobs, "long");
  const auto second = add(jobs, "long");
  while (runner.started == 0) std::this_thread::yield();
  jobs.cancel(*second);
  EXPECT_EQ(second->view().state, JobState::kCancelled);
  jobs.cancel(*first);
  EXPECT_EQ(until_over(*first).state, JobState::kCancelled);
  EXPECT_EQ(runner.started, 1);
}

TEST(JobsTest, AFullQueueAndABusyCallerAreRefused) {
  Runners runner;
  Jobs jobs(runner, {.running = 1, .waiting = 3, .of_one_caller = 3});
  add(jobs, "long");
  while (runner.started == 0) std::this_thread::yield();
  add(jobs, "long");
  add(jobs, "long");
  EXPECT_EQ(refusal_of(jobs, "me"), Refusal::kCallerBusy);
  EXPECT_NE(add(jobs, "long", "another"), nullptr);
  EXPECT_EQ(refusal_of(jobs, "third"), Refusal::kQueueFull);
  jobs.drain(milliseconds(0));
  EXPECT_EQ(refusal_of(jobs, "fourth"), Refusal::kEnding);
}

TEST(JobsTest, LongQuestionsDoNotKeepShortOnesWaiting) {
  Runners runner;
  Jobs jobs(runner, {.running = 1});
  add(jobs, "long");
  Refusal refusal{};
  const auto job = jobs.add({.verb = "train"}, "me", Lane::kShort, refusal);
  EXPECT_EQ(until_over(*job).state, JobState::kDone);
}

TEST(JobsTest, TheOldestAreForgotten) {
  Runners runner;
  Jobs jobs(runner, {.running = 1, .kept = 2});
  const auto first = add(jobs, "a");
  until_over(*first);
  for (const char* verb : {"b", "c", "d"}) until_over(*add(jobs, verb));
  EXPECT_EQ(jobs.find(first->id()), nullptr);
}

TEST(JobsTest, WorkTravelsBetweenProcesses) {
  Work work{.verb = "plan", .json = "{}", .scenario = std::string("a\0b", 3), .given = {"u-1"}};
  work.uploads.push_back({.id = "u-1", .name = "week.csv", .path = "/tmp/x"});
  work.settings = {.seed = 7, .threads = 3, .today = "2026-11-17"};
  const Work read = unpack_work(pack(work));
  EXPECT_EQ(read.scenario, work.scenario);
  EXPECT_EQ(read.given, work.given);
  EXPECT_EQ(read.uploads.front().name, "week.csv");
  EXPECT_EQ(read.settings.seed, 7U);
  EXPECT_EQ(read.settings.today, "2026-11-17");
  const Finished finished = unpack_finished(pack(Finished{.status = 422, .body = "no"}));
  EXPECT_EQ(finished.status, 422);
  EXPECT_EQ(finished.body, "no");
}

TEST(UploadsTest, AFileIsThereOnceItIsWhole) {
  auto made = Uploads::create({.files = 2});
  ASSERT_TRUE(made);
  Uploads& uploads = **made;
  {
    Uploads::Writer broken(uploads, "half.csv");
    broken.write("a");
  }
  EXPECT_TRUE(uploads.all().empty());
  std::string first;
  for (const char* name : {"a.csv", "b.csv", "c.csv"}) {
    Uploads::Writer writer(uploads, name);
    EXPECT_TRUE(writer.write("1,2\n"));
    const UploadedFile file = writer.keep();
    if (first.empty()) first = file.id;
    EXPECT_EQ(file.bytes, 4U);
  }
  EXPECT_EQ(uploads.all().size(), 2U);  // The oldest went.
  EXPECT_TRUE(uploads.named_in(first).empty());
  EXPECT_FALSE(uploads.remove(first));
}

}  // namespace
}  // namespace loadfactor::web
