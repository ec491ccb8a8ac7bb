// The planner by events against one that looks at every rank in every slot.
#include "training/step/pipeline_two_stage.h"

#include <array>
#include <map>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace loadfactor::training {
namespace {

// As the header words it, with nothing left out.
class PlainPlanner {
 public:
  explicit PlainPlanner(const PipelineForm& form)
      : form_(form), lengths_{4, form.backward_quarters, form.weight_quarters} {
    const bool folded = form.schedule == Schedule::kZeroBubbleV;
    const std::int64_t count = form.micro_batches;
    for (int rank = 0; rank < form.ranks; ++rank) {
      ways_.push_back({rank, 0, folded ? 1 : 2, folded ? count : (count + 1) / 2});
      ways_.push_back(
          {form.stages() - 1 - rank, folded ? 0 : 1, folded ? 1 : 2, folded ? count : count / 2});
    }
    free_.assign(static_cast<std::size_t>(form.ranks), 0);
  }

  std::vector<PlannedTask> run() {
    for (std::int64_t now = 0; !finished(); ++now)
      for (int rank = 0; rank < form_.ranks; ++rank)
        if (free_[static_cast<std::size_t>(rank)] <= now) start(rank, now);
    return tasks_;
  }

 private:
  struct Way {
    int stage = 0;
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;
    std::array<std::int64_t, 3> started{};

    std::int64_t number(std::size_t pass) const { return first + started[pass] * step; }
  };

  bool finished() const {
    return std::all_of(ways_.begin(), ways_.end(),
                       [](const Way& way) { return way.started[2] == way.count; });
  }
  bool over(Pass pass, int stage, std::int64_t micro_batch, std::int64_t now) const {
    const auto end = ends_.find({pass, stage, micro_batch});
    return end != ends_.end() && end->second <= now;
  }
  bool can_go_back(const Way& way, std::int64_t now) const {
    if (way.started[1] == way.count) return false;
    const std::int64_t number = way.number(1);
    const bool last = way.stage + 1 == form_.stages();
    return over(Pass::kForward, way.stage, number, now) &&
           (last || over(Pass::kBackward, way.stage + 1, number, now));
  }
  bool can_go_forward(const Way& way, std::int64_t now) const {
    const int rest = form_.stages() - way.stage;
    const bool full = way.started[0] - way.started[2] >= rest + rest / 2 + 1;
    if (way.started[0] == way.count || full) return false;
    return way.stage == 0 || over(Pass::kForward, way.stage - 1, way.number(0), now);
  }

  void start(int rank, std::int64_t now) {
    Way& a = ways_[static_cast<std::size_t>(2 * rank)];
    Way& b = ways_[static_cast<std::size_t>(2 * rank + 1)];
    const bool back_a = can_go_back(a, now);
    const bool back_b = can_go_back(b, now);
    if (back_a || back_b)
      return run_pass(back_b && (!back_a || b.number(1) < a.number(1)) ? b : a, 1, rank, now);
    const bool on_a = can_go_forward(a, now);
    const bool on_b = can_go_forward(b, now);
    if (on_a || on_b) return run_pass(on_b && (!on_a || b.stage > a.stage) ? b : a, 0, rank, now);
    if (a.started[2] < a.started[1]) return run_pass(a, 2, rank, now);
    if (b.started[2] < b.started[1]) run_pass(b, 2, rank, now);
  }

  void run_pass(Way& way, std::size_t pass, int rank, std::int64_t now) {
    const std::int64_t end = now + lengths_[pass];
    free_[static_cast<std::size_t>(rank)] = end;
    const auto kind = static_cast<Pass>(pass);
    ends_[{kind, way.stage, way.number(pass)}] = end;
    tasks_.push_back({kind, static_cast<std::int16_t>(rank), way.stage,
                      static_cast<std::int32_t>(way.number(pass))});
    ++way.started[pass];
  }

  PipelineForm form_;
  std::array<std::int64_t, 3> lengths_;
  std::vector<Way> ways_;
  std::vector<std::int64_t> free_;
  std::map<std::tuple<Pass, int, std::int64_t>, std::int64_t> ends_;
  std::vector<PlannedTask> tasks_;
};

TEST(TwoStages, EventsAndRepetitionsGiveTheOrderOfEverySlot) {
  RandomStream draw(5, "two stages");
  for (const Schedule schedule : {Schedule::kZeroBubbleV, Schedule::kDualPipe}) {
    for (int i = 0; i < 60; ++i) {
      PipelineForm form;
      form.schedule = schedule;
      form.ranks = 2 + static_cast<int>(draw.below(7));
      form.chunks = schedule == Schedule::kZeroBubbleV ? 2 : 1;
      form.micro_batches = 1 + static_cast<int>(draw.below(i % 3 == 0 ? 200 : 20));
      form.backward_quarters = 2 + static_cast<int>(draw.below(12));
      form.weight_quarters = 1 + static_cast<int>(draw.below(12));
      EXPECT_EQ(plan_order(form), PlainPlanner(form).run())
          << static_cast<int>(schedule) << ": " << form.ranks << " ranks, " << form.micro_batches
          << " micro-batches, " << form.backward_quarters << ", " << form.weight_quarters;
    }
  }
}

}  // namespace
}  // namespace loadfactor::training
