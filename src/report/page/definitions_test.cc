#include "report/page/definitions.h"

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

const std::vector<PageWord> kWords{
    {"replica", "A copy."}, {"replicas", "A copy."}, {"tp", "Shared products."}};

std::vector<std::string> found_in(const Value& part) {
  std::vector<std::string> words;
  const Value found = words_within(kWords, part);
  for (const Value& each : *found.list()) words.push_back(*each.find("word")->text());
  return words;
}

TEST(DefinitionsTest, WordsAreFoundWholeAndAtAnyDepth) {
  const Value part =
      Value::Object{{"rows", Value::List{Value::Object{{"words", "two replicas of tp 4, pp 1"}}}}};
  EXPECT_EQ(found_in(part), (std::vector<std::string>{"replicas", "tp"}));
  EXPECT_TRUE(found_in(Value::Object{{"text", "https://replicated"}}).empty());
}

TEST(DefinitionsTest, OfSeveralFormsOfOneWordTheFirstIsExplained) {
  EXPECT_EQ(found_in(Value::List{"one replica", "two replicas"}),
            std::vector<std::string>{"replica"});
}

}  // namespace
}  // namespace loadfactor::report
