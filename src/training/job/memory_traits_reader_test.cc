#include "training/job/memory_traits_reader.h"

#include <string>

#include <gtest/gtest.h>

#include "config/document.h"
#include "training/job/testing/shipped_stacks.h"

namespace loadfactor::training {
namespace {

MemoryTraits read(const std::string& text, Diagnostics& diagnostics) {
  const auto document = config::parse_yaml("stack.yaml", text);
  EXPECT_TRUE(document);
  config::MapReader block(*document, document->root, "memory", diagnostics);
  return read_memory_traits(block);
}

const std::string kSmallest =
    "loss_per_logit: 4\nslack: 4.5 %\ncontext: 1.6 GB\nladder: modules\n"
    "kind: published\nsource: somewhere\ndate: 2026\n";

TEST(MemoryTraitsReaderTest, FillsInWhatIsUsual) {
  Diagnostics diagnostics;
  const MemoryTraits traits = read(kSmallest, diagnostics);
  EXPECT_TRUE(diagnostics.errors().empty());
  EXPECT_EQ(traits.loss_tp, 4);  // The same on vocabulary shards.
  EXPECT_EQ(traits.state.gradient, 4);
  EXPECT_EQ(traits.ladder, RecomputeLadder::kModules);
  EXPECT_DOUBLE_EQ(traits.slack, 0.045);
  EXPECT_FALSE(traits.dummy_gradients);
}

TEST(MemoryTraitsReaderTest, StateInFp16IsThatOfBf16UnlessSaid) {
  Diagnostics diagnostics;
  const std::string state = "state: {weight: 4, gradient: 4, optimizer: 8}\n";
  EXPECT_EQ(read(state + kSmallest, diagnostics).state_fp16.optimizer, 8);
  const std::string both = state + "state_fp16: {weight: 2, gradient: 2, optimizer: 12}\n";
  EXPECT_EQ(read(both + kSmallest, diagnostics).state_fp16.optimizer, 12);
  EXPECT_TRUE(diagnostics.errors().empty());
}

TEST(MemoryTraitsReaderTest, RefusesAnUnknownColumnAndAMissingOne) {
  Diagnostics diagnostics;
  read("dummy_gradient: true\n" + kSmallest, diagnostics);
  EXPECT_EQ(diagnostics.errors().size(), 1U);
  read("slack: 4.5 %\n", diagnostics);
  EXPECT_GT(diagnostics.errors().size(), 3U);
}

TEST(MemoryTraitsReaderTest, EveryStackSaysWhatItKeeps) {
  const StackShelf shelf = testing::shipped_stacks();
  EXPECT_GE(shelf.stacks.size(), 15U);
  for (const StackTraits& stack : shelf.stacks) {
    EXPECT_GT(stack.memory.state.weight + stack.memory.state.optimizer, 0) << stack.name;
    EXPECT_FALSE(stack.memory.provenance.sources.empty()) << stack.name;
  }
}

}  // namespace
}  // namespace loadfactor::training
