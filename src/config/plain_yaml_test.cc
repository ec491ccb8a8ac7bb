// Read in one pass and read by yaml-cpp: the same trees.
#include "config/plain_yaml.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "config/document.h"
#include "config/foreign_yaml.h"
#include "config/testing/same_tree.h"

namespace loadfactor::config {
namespace {

std::optional<Node> in_one_pass(const std::string& text) {
  const LineIndex lines(text);
  TreeBuilder builder(text, lines, kYamlLimits);
  if (!read_plain_yaml(text, builder)) return std::nullopt;
  return builder.take_root();
}

// Files of others are always yaml-cpp's.
void expect_as_yaml_cpp(const std::string& text, const Node& root) {
  const auto document = parse_foreign_yaml("t.yaml", text);
  ASSERT_TRUE(document.has_value()) << text << "\n" << render(document.error());
  EXPECT_TRUE(is_same_tree(document->root, root)) << text;
}

const std::vector<std::string>& plain_texts() {
  static const std::vector<std::string> kTexts{
      "a: 1\nb: two words\n",
      "# first\n\na: 1  # behind\n# between\nb: x#y\n\n",
      "a:\n  b:\n    c: 1\n  d: -1\ne: .5\n",
      "a:\n- x\n- y\nb:\n  - z\n",
      "- a: 1\n  b: 2\n-   c: 3\n    d:\n    - 4\n- 5\n",
      "- - a\n  - b\n-\n  c: d\n",
      "a: {b: 1, c: [x, y z, \"q, r\"], d: {}, e: []}\n",
      "a: {b: 1,\n    c: [x,\n      y],\n   d: 'it is'}\nb: 2",
      "a: \"x: # y\"  # z\nb: ''\nc: \"é\"\nü: 1\n",
      "a:\nb: 1\nc:  # nothing\n",
      "a: http://x/y?z\nb: 12:30\nc: a-b, c [d]\n",
      "[a, b]\n",
      "{a: b}\n",
      "   a: 1\n   b: 2\n",
      "a: one\n  two  three \n  four\nb:\n  - x\n    y\n  - z\n",
      "note: >-\n  one # two\n  three: four\nb: 1\n",
      "a: [b, # c\n  d]\ne: {f: 1,  # g\n  h: i # j\n  }\n",
  };
  return kTexts;
}

TEST(PlainYamlTest, GrowsTheTreeOfYamlCppWithItsPlaces) {
  int taken = 0;
  for (const std::string& text : plain_texts()) {
    const auto root = in_one_pass(text);
    taken += root.has_value() ? 1 : 0;
    if (root) expect_as_yaml_cpp(text, *root);
  }
  EXPECT_GE(taken, 10);
}

TEST(PlainYamlTest, DeclinesWhatIsWrittenInAnotherWay) {
  for (const std::string_view text : {"",
                                      "# nothing\n",
                                      "word\n",
                                      "a: 1\nb\n",
                                      "a: b: c\n",
                                      "a: |\n  x\n",
                                      "a: >\n  x\n",
                                      "a: >-\n  x\n\n  y\n",
                                      "a: >-\n  x\n   y\n",
                                      "a: >-\nb: 1\n",
                                      "a: x # y\n  z\n",
                                      "a: x\n  y: z\n",
                                      "a: x\n\n  y\n",
                                      "a: [b# c\n  d]\n",
                                      "a: &x 1\n",
                                      "a: *x\n",
                                      "a: !t 1\n",
                                      "<<: {a: 1}\n",
                                      "a: null\n",
                                      "a: ~\n",
                                      "~: 1\n",
                                      "? a\n: b\n",
                                      "--- \na: 1\n",
                                      "a: 1\n---\nb: 1\n",
                                      "a: 1\n...\n",
                                      "a:\t1\n",
                                      "a: 1\r\n",
                                      "a: \"x\\n\"\n",
                                      "a: 'it''s'\n",
                                      "a: \"x\n",
                                      "a: \"x\" y\n",
                                      "a: [b\n",
                                      "a: [b,, c]\n",
                                      "a: [b: c]\n",
                                      "a: {b}\n",
                                      "a: {b: c, }\n",
                                      "a: [b,\nc]\n",
                                      "a: {b: x\n  y}\n",
                                      "a: 1\n  b: 2\n",
                                      "  a: 1\nb: 2\n",
                                      "- a\nb: 1\n",
                                      "a: 1\n- b\n",
                                      "-\n",
                                      "- a\n - b\n",
                                      "a: @b\n",
                                      "a: `b\n",
                                      "a: % b\n",
                                      "%YAML 1.2\n",
                                      "a: - b\n",
                                      "a: [b]c\n",
                                      "a: [x?]\n"})
    EXPECT_FALSE(in_one_pass(std::string(text))) << text;
}

TEST(PlainYamlTest, DeclinesWhatIsBeyondTheLimits) {
  const std::string deep(1000, '[');
  EXPECT_FALSE(in_one_pass("a: " + deep));
}

// A few letters put in, taken out or changed: what is still read is what yaml-cpp reads.
TEST(PlainYamlTest, ChangedTextsAreDeclinedOrTheSameTree) {
  constexpr std::string_view kLetters = "  \n\n:-,[]{}#'\"&*!?|>%@~ab0.";
  constexpr int kTexts = 4000;
  RandomStream draw(7, "changed texts");
  int taken = 0;
  for (int i = 0; i < kTexts; ++i) {
    std::string text = plain_texts()[draw.below(plain_texts().size())];
    for (std::uint64_t change = 1 + draw.below(3); change > 0 && !text.empty(); --change) {
      const auto at = static_cast<std::size_t>(draw.below(text.size()));
      const char letter = kLetters[draw.below(kLetters.size())];
      switch (draw.below(3)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, letter);
          break;
        default:
          text[at] = letter;
      }
    }
    const auto root = in_one_pass(text);
    if (!root) continue;
    ++taken;
    expect_as_yaml_cpp(text, *root);
  }
  EXPECT_GT(taken, kTexts / 20);
}

}  // namespace
}  // namespace loadfactor::config
