#include "training/job/stack_file.h"

#include <set>

#include "training/job/testing/shipped_stacks.h"

namespace loadfactor::training {
namespace {

using testing::shipped_stacks;

std::string stack_of(const StackShelf& shelf, const std::string& framework, int year) {
  StackQuery query;
  query.framework = framework;
  query.year = year;
  const StackTraits* stack = shelf.match(query);
  return stack == nullptr ? "" : stack->name;
}

// Every stack that runs were fitted to is a way to fit them; those known by their traits are not.
TEST(StackFile, FewStacksAreFittedToAndEveryRuleNamesOne) {
  const StackShelf shelf = shipped_stacks();
  std::size_t fitted = 0;
  for (const StackTraits& stack : shelf.stacks) fitted += stack.seen() ? 1 : 0;
  EXPECT_LE(fitted, 27U);  // One of them differs from another by its abilities alone.
  for (const StackRule& rule : shelf.rules)
    EXPECT_NE(shelf.find(rule.stack), nullptr) << rule.stack;
}

TEST(StackFile, FrameworkReleaseAndYearDecide) {
  const StackShelf shelf = shipped_stacks();
  EXPECT_EQ(stack_of(shelf, "Megatron-LM", 2021), "megatron-2021");
  EXPECT_EQ(stack_of(shelf, "MaxText (JAX)", 2024), "xla");
  EXPECT_EQ(stack_of(shelf, "Megatron-Bridge/NeMo 26.02", 2026), "megatron-core-2026");
  EXPECT_EQ(stack_of(shelf, "NeMo 24.05", 2024), "nemo-2023");
  EXPECT_FALSE(stack_of(shelf, "a framework of next year", 2027).empty());
}

TEST(StackFile, ReleasesAreReadFromNames) {
  EXPECT_DOUBLE_EQ(release_of("NVIDIA NeMo Framework Release 25.09"), 25.09);
  EXPECT_DOUBLE_EQ(release_of("Megatron-LM"), 0.0);
}

// Each value of each switch that changes the step is used by some stack, and no switch by none.
TEST(StackFile, NoSwitchIsTheSameInAllStacks) {
  const StackShelf shelf = shipped_stacks();
  std::set<AttentionGeneration> attention;
  std::set<PointwiseClass> pointwise;
  std::set<HostClass> host;
  std::set<TpOverlap> tp;
  std::set<MoeDispatch> moe;
  for (const StackTraits& stack : shelf.stacks) {
    attention.insert(stack.attention);
    pointwise.insert(stack.pointwise);
    host.insert(stack.host);
    tp.insert(stack.tp_overlap);
    moe.insert(stack.moe);
  }
  EXPECT_EQ(attention.size(), 4U);
  EXPECT_EQ(pointwise.size(), 4U);
  EXPECT_EQ(host.size(), 4U);
  EXPECT_EQ(tp.size(), 4U);
  EXPECT_EQ(moe.size(), 4U);
}

}  // namespace
}  // namespace loadfactor::training
