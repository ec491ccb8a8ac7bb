// A search that processes share is the search of one of them, byte for byte.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/crew.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "loadfactor/ask.h"

namespace loadfactor {
namespace {

// Where members meet: each does every so-manieth item, and nobody goes on before all have.
class Meeting {
 public:
  explicit Meeting(int members) : members_(members) {}
  int members() const { return members_; }
  int items() const { return items_; }

  std::vector<std::string> share(int rank, std::size_t count, const Crew::Work& work) {
    std::vector<std::string> mine(count);
    const auto step = static_cast<std::size_t>(members_);
    for (auto i = static_cast<std::size_t>(rank); i < count; i += step)
      mine[i] = work(static_cast<std::int64_t>(i));
    std::unique_lock lock(mutex_);
    if (arrived_ == 0) open_.assign(count, {});
    EXPECT_EQ(open_.size(), count) << "members are not at the same place";
    for (auto i = static_cast<std::size_t>(rank); i < open_.size(); i += step) open_[i] = mine[i];
    const int meeting = meetings_;
    if (++arrived_ == members_) {
      arrived_ = 0;
      items_ += static_cast<int>(count);
      done_ = std::move(open_);
      ++meetings_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return meetings_ != meeting; });
    return done_;
  }

 private:
  const int members_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  int meetings_ = 0;
  int items_ = 0;
  std::vector<std::string> open_;
  std::vector<std::string> done_;
};

class Member final : public Crew {
 public:
  Member(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return meeting_.members(); }
  void farm(const std::vector<std::int64_t>&, const Work&, const Take&,
            const std::function<bool()>&) override {
    ADD_FAILURE() << "a search farms nothing out";
  }
  std::vector<std::string> share(std::size_t count, const Work& work) override {
    return meeting_.share(rank_, count, work);
  }

 private:
  Meeting& meeting_;
  int rank_;
};

std::string answered(const Engine& engine, const Question& question) {
  const auto answer = engine.ask(question);
  EXPECT_TRUE(answer) << render(answer.error());
  return answer ? to_json(*answer) : "";
}

std::string answer_of_one(const Question& question) {
  Diagnostics diagnostics;
  return answered(*Engine::create({}, diagnostics), question);
}

std::vector<std::string> answers_of_crew(Meeting& meeting, const Question& question) {
  std::vector<std::string> answers(static_cast<std::size_t>(meeting.members()));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < meeting.members(); ++rank)
    threads.emplace_back([&, rank] {
      Member member(meeting, rank);
      Diagnostics diagnostics;
      const auto engine = engine::Core::engine_of(member, {}, diagnostics);
      answers[static_cast<std::size_t>(rank)] = answered(*engine, question);
    });
  for (std::thread& thread : threads) thread.join();
  return answers;
}

void expect_the_same_from_a_crew(const Question& question) {
  const std::string one = answer_of_one(question);
  for (const int members : {2, 3}) {
    Meeting meeting(members);
    for (const std::string& answer : answers_of_crew(meeting, question)) EXPECT_EQ(answer, one);
    EXPECT_GT(meeting.items(), 4) << "the work was not shared";
  }
}

TEST(SharedSearch, DeploymentsOfACrewAreThoseOfOneProcess) {
  const auto service = config::testing::sound(
      "loadfactor: 1\nname: chat\nserve:\n  model: llama-3.1-8b\n"
      "  demand: {requests_per_second: 0.3, tokens_in: 1000, tokens_out: 200, shape: global-chat}\n"
      "  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}\nhardware: [h100-sxm, l40s]\n");
  expect_the_same_from_a_crew(SizeQuestion{.about = {service, {}}, .weeks = 6});
}

TEST(SharedSearch, LayoutsOfACrewAreThoseOfOneProcess) {
  const auto run = config::testing::sound(
      "loadfactor: 1\nname: run\ntrain:\n  model: llama-3.1-8b\n  tokens: 100 B\n"
      "  sequence: 4096\n  global_batch: 256\nhardware: [h100-sxm]\nlimits: {gpus: 64}\n");
  expect_the_same_from_a_crew(SearchQuestion{.about = {run, {}}});
}

}  // namespace
}  // namespace loadfactor
