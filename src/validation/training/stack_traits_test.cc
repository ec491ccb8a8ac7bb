// A trait of a training stack is physics: it shows in the results of more than one source, and no
// rule that picks a stack looks at the name of a source, a model or a row.
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "training/step/step_time.h"
#include "validation/training/published_fixture.h"

namespace loadfactor::validation {
namespace {

// The columns of a stack file that hold one word or number, by name, without those of memory and
// without what a stack is able to do at all: that decides which layouts are legal, not how long
// they take.
std::map<std::string, std::string> columns_of(const std::string& stack) {
  std::istringstream text(training::read_data("stacks/" + stack + ".yaml"));
  // What a file leaves out has the usual value.
  std::map<std::string, std::string> columns{{"splits_sends", "true"},
                                             {"shards_tensors", "false"},
                                             {"remats", "false"},
                                             {"adds_apart", "false"}};
  for (std::string line; std::getline(text, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos || line[0] == ' ' || line[0] == '#') continue;
    columns[line.substr(0, colon)] = line.substr(colon + 2);
  }
  if (columns.count("gather_overlap") == 0) columns["gather_overlap"] = columns["dp_overlap"];
  for (const char* words :
       {"schema", "name", "title", "kind", "source", "date", "family", "runs_on"}) {
    columns.erase(words);
  }
  return columns;
}

TEST(StackTraits, EveryColumnDistinguishesRunsOfAtLeastTwoSources) {
  Shipped shipped;
  const PublishedTable table = make_runs(shipped.rows, shipped.context());
  std::map<std::string, std::map<std::string, std::set<std::string>>> used;
  for (const auto& run : table.runs) {
    for (const auto& [column, value] : columns_of(run->job.stack->name)) {
      used[column][value].insert(run->publication);
    }
  }
  ASSERT_GT(used.size(), 10U);
  for (const auto& [column, values] : used) {
    // A column nobody's stack differs in is no trait; one that sets a single source apart is a key.
    EXPECT_GE(values.size(), 2U) << column;
    std::size_t shared = 0;
    for (const auto& [value, sources] : values) shared += sources.size() >= 2 ? 1 : 0;
    EXPECT_GE(shared, 2U) << column << " is shared by too few sources";
  }
}

// For each value of a trait, the publications with a run whose step the other value would change.
template <typename Value, typename Other>
std::map<Value, std::set<std::string>> sources_that_feel(Value training::StackTraits::*trait,
                                                         const Other& other) {
  Shipped shipped;
  const PublishedTable table = make_runs(shipped.rows, shipped.context());
  const training::Calibration calibration = shipped.calibration.calibration();
  std::map<Value, std::set<std::string>> felt;
  for (const auto& run : table.runs) {
    const auto* chip = calibration.find(run->chip);
    if (chip == nullptr) continue;
    const auto step = [&](const training::StackTraits& stack) {
      training::TrainingJob job = run->job;
      job.stack = &stack;
      return training::step_time(job, calibration.shared, *chip, calibration.families[chip->family])
          .total();
    };
    training::StackTraits changed = *run->job.stack;
    changed.*trait = other(changed.*trait);
    const Value value = run->job.stack->*trait;
    if (step(changed) != step(*run->job.stack)) felt[value].insert(run->publication);
  }
  return felt;
}

TEST(StackTraits, HowTheOptimizerRunsIsFeltByAtLeastTwoSourcesEitherWay) {
  const auto felt =
      sources_that_feel(&training::StackTraits::fused_optimizer, [](bool fused) { return !fused; });
  EXPECT_GE(felt.at(true).size(), 2U);
  EXPECT_GE(felt.at(false).size(), 2U);
}

TEST(StackTraits, TheWidthOfShardedGradientsIsFeltByAtLeastTwoSourcesEitherWay) {
  const auto felt = sources_that_feel(&training::StackTraits::shard_gradient_bytes,
                                      [](double bytes) { return bytes > 2.0 ? 2.0 : 4.0; });
  EXPECT_GE(felt.at(2.0).size(), 2U);
  EXPECT_GE(felt.at(4.0).size(), 2U);
}

TEST(StackTraits, EveryPublishedRunIsOneThatItsSoftwareCanRun) {
  Shipped shipped;
  const PublishedTable table = make_runs(shipped.rows, shipped.context());
  ASSERT_GT(table.runs.size(), 700U);
  for (const auto& run : table.runs) {
    const training::StackTraits& stack = *run->job.stack;
    training::Layout layout = run->job.layout;
    const bool stated = run->row.recompute == "full" || run->row.recompute == "selective";
    if (!stated) layout.recompute = {};  // Guessed from memory, whatever the software.
    for (const auto ability : training::abilities_of(layout, run->job.precision))
      EXPECT_TRUE(stack.abilities.has(ability))
          << run->row.id << " " << stack.name << " " << training::words_of(ability);
  }
}

// Software whose runs nobody published is its traits, and says so; its intervals are wider.
TEST(StackTraits, StacksThatSayTheyArePublishedHaveRuns) {
  Shipped shipped;
  const PublishedTable table = make_runs(shipped.rows, shipped.context());
  std::set<std::string> run;
  for (const auto& one : table.runs) run.insert(one->job.stack->family);
  for (const training::StackTraits& stack : shipped.stacks.stacks) {
    if (stack.name == "pytorch-compiled") continue;  // Measured by us, step by step.
    EXPECT_EQ(stack.seen(), run.count(stack.family) > 0) << stack.name;
  }
}

TEST(StackTraits, SoftwareNobodyNamedIsNoTunedRecipe) {
  Shipped shipped;
  training::StackQuery query;
  query.framework = "a trainer of our own";
  query.year = 2026;
  const training::StackTraits* stack = shipped.stacks.match(query);
  ASSERT_NE(stack, nullptr);
  EXPECT_FALSE(stack->seen());
  using training::JobClass;
  const auto known = shipped.calibration.interval(JobClass::kDense, {});
  const auto foreign = shipped.calibration.interval(JobClass::kDense, {.software = false});
  EXPECT_GT(foreign.low + foreign.high, known.low + known.high);
}

TEST(StackTraits, NoRuleKnowsASourceAModelOrARow) {
  Shipped shipped;
  const std::string rules = training::read_data("stacks/rules.yaml");
  for (const TrainingRow& row : shipped.rows) {
    EXPECT_EQ(rules.find(row.id), std::string::npos) << row.id;
    EXPECT_EQ(rules.find(row.source), std::string::npos) << row.source;
  }
  for (const std::string& model : shipped.catalog.model_names()) {
    EXPECT_EQ(rules.find(model), std::string::npos) << model;
  }
}

}  // namespace
}  // namespace loadfactor::validation
