#include "config/document_text.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace loadfactor::config {
namespace {

TEST(DocumentText, ReplacesOneValueAndKeepsTheRest) {
  const std::vector<std::string> set{"serve.demand.tokens_in=7", "hardware=[b]", "name="};
  const auto text = replaced_text(
      "a.yaml", "name: x\nserve: {demand: {tokens_in: 5, shape: 'a: b'}}\nhardware: [a, c]\n", set);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "\"serve\":\n  \"demand\":\n    \"tokens_in\": 7\n    \"shape\": \"a: b\"\n"
            "\"hardware\":\n  - b\n");
}

TEST(DocumentText, ReadsBackToItself) {
  const auto once = replaced_text("a.json", R"({"a": [{"b": "1 %"}, 2.5, true, []], "c": {}})", {});
  ASSERT_TRUE(once);
  EXPECT_EQ(replaced_text("a.yaml", *once, {}), once);
}

}  // namespace
}  // namespace loadfactor::config
