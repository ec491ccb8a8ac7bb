// Whole GPUs in the words of a way to pay.
#include <gtest/gtest.h>

#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

engine::PaidMachines paid(OptionKind kind, int gpus, double mean, double owned = 0) {
  return {.kind = kind,
          .name = {.kind = kind, .gpus = mean, .owned = owned, .of = "h100-sxm"},
          .accelerator = "h100-sxm",
          .gpus = gpus,
          .paid = mean,
          .owned = owned};
}

TEST(PaidMachinesWords, WholeGpusAddUpToThoseOfThePlan) {
  EXPECT_EQ(words_of(paid(OptionKind::kOwn, 8, 8)), "8 × h100-sxm, owned");
  EXPECT_EQ(words_of(paid(OptionKind::kAutoscaled, 4, 2.3)),
            "up to 4 × h100-sxm, rented on demand as needed");
  EXPECT_EQ(words_of(paid(OptionKind::kAutoscaled, 4, 4)),
            "4 × h100-sxm, rented on demand as needed");
  EXPECT_EQ(words_of(paid(OptionKind::kOwnBurst, 3, 2.4, 2)),
            "own 2 × h100-sxm, up to 1 on demand");
}

TEST(PaidMachinesWords, NoneOfSomethingIsNotNamed) {
  EXPECT_EQ(words_of(paid(OptionKind::kOwnSpotBurst, 3, 2.4)), "up to 3 × h100-sxm on spot");
}

}  // namespace
}  // namespace loadfactor::report
