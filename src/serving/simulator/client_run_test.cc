// Clients of one replica: what they must see whatever the deployment.
#include "serving/simulator/client_run.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "serving/simulator/simulation.h"
#include "serving/simulator/sparse_table.h"
#include "serving/simulator/tabulate.h"
#include "serving/testing/serving_fixture.h"
#include "sim/recorded_arrivals.h"

namespace loadfactor::serving {
namespace {

constexpr int kSequences = 32;
constexpr int kTokens = 2048;

class ClientRunTest : public ::testing::Test {
 protected:
  ClientRunTest()
      : step_(shipped().step("llama-3.1-8b", "h100-sxm", "fp8")),
        steps_(tabulate_steps(step_, shipped().constants, kSequences, kTokens)) {
    GroupRules& group = rules_.groups.emplace_back();
    group.steps = &steps_;
    group.scheduler = {.token_budget = kTokens, .max_seqs = kSequences, .kv_blocks = 4000};
  }

  static ClientLoad alike(std::size_t count, std::int64_t users) {
    ClientLoad load;
    load.requests.assign(count, {.prompt = 300, .output = 50});
    load.users = users;
    return load;
  }

  StepModel step_;
  sim::StepTable steps_;
  ClusterRules rules_;
};

TEST_F(ClientRunTest, RequestsWithTimesOfTheirOwnFareAsInASimulation) {
  ClientLoad load;
  sim::ArrivalBatch batch;
  for (int i = 0; i < 200; ++i) {
    const Ticks at = (i * i % 37 + 20 * i) * sim::kMillisecond;
    load.requests.push_back(
        {.sent = at, .prompt = 50 + 37 * (i % 13), .output = 1 + 11 * (i % 17)});
  }
  std::stable_sort(load.requests.begin(), load.requests.end(),
                   [](const auto& a, const auto& b) { return a.sent < b.sent; });
  for (const ClientRequest& request : load.requests) {
    batch.time.push_back(request.sent);
    batch.tokens_in.push_back(request.prompt);
    batch.tokens_out.push_back(request.output);
  }
  for (const Batching batching : {Batching::kMixed, Batching::kPrefillFirst}) {
    rules_.groups.front().scheduler.batching = batching;
    sim::RecordedArrivals again(batch);
    const SimulationResult result = simulate(rules_, again, {.keeps_log = true});
    const ClientRun run = run_clients(rules_, load);
    ASSERT_EQ(run.outcomes.size(), result.outcomes.size());
    for (std::size_t i = 0; i < run.outcomes.size(); ++i) {
      EXPECT_EQ(run.outcomes[i].first, result.outcomes[i].first) << i;
      EXPECT_EQ(run.outcomes[i].end, result.outcomes[i].end) << i;
    }
    EXPECT_EQ(run.end, result.end);
  }
}

// A low load: the mean first token of a long stream is that of the closed form, and where steps are
// settled ahead it is one step later in both.
TEST_F(ClientRunTest, FirstTokensAtALowLoadAreThoseOfTheClosedForm) {
  constexpr double kRate = 12;
  constexpr std::size_t kRequests = 2000;
  constexpr double kGolden = 0.6180339887498949;
  ClientLoad load = alike(kRequests, 0);
  double at = 0;
  for (std::size_t i = 0; i < kRequests; ++i) {
    const double share = std::fmod(kGolden * static_cast<double>(i * i % 7919), 1.0);
    at -= std::log1p(-share) / kRate;
    load.requests[i].sent = sim::ticks_of(Seconds::from_base(at));
  }
  const auto& engine = *step_.deployment().engine;
  load.front = sim::ticks_of(
      Seconds::from_base(shipped().constants.of(engine.index, EngineConstant::kFront)));
  const auto simulated = [&](bool ahead) {
    rules_.groups.front().scheduler.schedules_ahead = ahead;
    double sum = 0;
    for (const auto& outcome : run_clients(rules_, load).outcomes)
      sum += static_cast<double>(outcome.first - outcome.arrival);
    return sum / kRequests / static_cast<double>(sim::kSecond);
  };
  const auto predicted = [&](bool ahead) {
    EngineTraits traits = engine;
    traits.schedules_ahead = ahead;
    ServingDeployment deployment = step_.deployment();
    deployment.engine = &traits;
    const StepModel step(deployment);
    Pool pool;
    pool.step = &step;
    pool.slots = kSequences;
    pool.chunk = kTokens;
    Load open;
    open.kind = LoadKind::kOpenLoop;
    open.input = 300;
    open.output = 50;
    open.rate = Hertz::from_base(kRate);
    open.prompts = -1;
    return closed_form(pool, open, shipped().constants);
  };
  const double later = simulated(true) - simulated(false);
  EXPECT_NEAR(later / (predicted(true).ttft - predicted(false).ttft).base(), 1.0, 0.15);
  EXPECT_NEAR(simulated(false) / predicted(false).ttft.base(), 1.0, 0.1);
  EXPECT_NEAR(simulated(true) / predicted(true).ttft.base(), 1.0, 0.1);
}

TEST_F(ClientRunTest, AUserSendsTheNextRequestWhenTheLastIsAnswered) {
  ClientLoad load = alike(5, 1);
  load.between = 3 * sim::kMillisecond;
  load.front = 2 * sim::kMillisecond;
  const ClientRun run = run_clients(rules_, load);
  for (std::size_t i = 1; i < run.outcomes.size(); ++i) {
    EXPECT_EQ(run.outcomes[i].arrival, run.outcomes[i - 1].end + load.between);
    EXPECT_EQ(run.outcomes[i].first - run.outcomes[i].arrival,
              run.outcomes[0].first - run.outcomes[0].arrival);
  }
}

TEST_F(ClientRunTest, SoManyUsersHaveNoMoreRequestsAtOnce) {
  constexpr std::int64_t kUsers = 7;
  ClientLoad load = alike(60, kUsers);
  for (std::size_t i = 0; i < load.requests.size(); ++i)
    load.requests[i].output = 10 + static_cast<std::int32_t>(13 * i % 29);
  const ClientRun run = run_clients(rules_, load);
  for (const RequestOutcome& one : run.outcomes) {
    const auto live = std::count_if(run.outcomes.begin(), run.outcomes.end(), [&](const auto& o) {
      return o.arrival <= one.arrival && one.arrival < o.end;
    });
    EXPECT_LE(live, kUsers);
    EXPECT_GT(one.end, one.first);
  }
}

TEST_F(ClientRunTest, AFrontEndThatTakesOneAfterTheOtherDelaysAllButTheFirst) {
  const ClientRun at_once = run_clients(rules_, alike(30, 0));
  ClientLoad load = alike(30, 0);
  load.admission = 4 * sim::kMillisecond;
  const ClientRun one_by_one = run_clients(rules_, load);
  EXPECT_LT(one_by_one.outcomes.front().first,
            at_once.outcomes.front().first);  // Alone in its step.
  EXPECT_GT(one_by_one.outcomes.back().first, 29 * load.admission);
  EXPECT_EQ(one_by_one.outcomes.back().arrival, 0);  // The client sent it at once.
}

// Attention goes up in waves: a line from 32 to 34 sequences misses the step at 33.
TEST(SparseTableTest, ItIsTheWholeTableButForTheStepsOfWaves) {
  for (const char* model : {"llama-3.1-8b", "qwen3-30b-a3b"}) {
    const StepModel step = shipped().step(model, "h100-sxm", "fp8");
    const auto whole = tabulate_steps(step, shipped().constants, 300, 3000);
    const auto sparse = tabulate_sparsely(step, shipped().constants, 300, 3000);
    ASSERT_EQ(sim::find_fault(sparse), "");
    double sum = 0;
    int count = 0;
    const auto compare = [&](Ticks rough, Ticks exact) {
      const double apart = std::abs(static_cast<double>(rough) / static_cast<double>(exact) - 1);
      EXPECT_LT(apart, 0.06) << model << ' ' << count;
      sum += apart;
      ++count;
    };
    for (int n = 1; n <= 300; ++n)
      for (const std::int64_t context : {100, 1000, 20000})
        compare(sparse.decode_step(n, n * context), whole.decode_step(n, n * context));
    EXPECT_LT(sum / count, 0.01) << model;
    for (std::size_t tokens = 1; tokens <= 3000; tokens += 7)
      EXPECT_NEAR(static_cast<double>(sparse.mixed_base[tokens]) /
                      static_cast<double>(whole.mixed_base[tokens]),
                  1, 0.01)
          << model << ' ' << tokens;
  }
}

}  // namespace
}  // namespace loadfactor::serving
