#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/reader.h"

namespace loadfactor::config {
namespace {

const std::vector<std::string>& keys() {
  static const std::vector<std::string> kKeys{"tokens_in", "tokens_out", "tp",      "pp",
                                              "max_seqs",  "memory",     "h100-sxm"};
  return kKeys;
}

TEST(SuggestTest, FindsTheKeyBehindASlip) {
  EXPECT_EQ(suggest("tokns_in", keys()), "tokens_in");   // A letter lost.
  EXPECT_EQ(suggest("tokens_ni", keys()), "tokens_in");  // Two swapped.
  EXPECT_EQ(suggest("memmory", keys()), "memory");       // One doubled.
  EXPECT_EQ(suggest("Tokens-In", keys()), "tokens_in");  // Case and separator.
  EXPECT_EQ(suggest("H100-SMX", keys()), "h100-sxm");
  EXPECT_EQ(suggest("max_seqs_per_gpu", keys()), "max_seqs");  // Begins like it.
}

TEST(SuggestTest, SaysNothingWhereNothingIsNear) {
  EXPECT_FALSE(suggest("flavour", keys()).has_value());
  EXPECT_FALSE(suggest("", keys()).has_value());
  EXPECT_FALSE(suggest(std::string(100'000, 'x'), keys()).has_value());
  EXPECT_FALSE(suggest("tokens", {}).has_value());
}

TEST(SuggestTest, AWordAlwaysSuggestsItself) {
  for (const std::string& key : keys()) EXPECT_EQ(suggest(key, keys()), key);
}

TEST(SuggestTest, PrefersTheBeginningOfAWordAmongEqualSlips) {
  const std::vector<std::string> candidates{"xtp95", "tp95x"};
  EXPECT_EQ(suggest("tp95", candidates), "tp95x");
}

}  // namespace
}  // namespace loadfactor::config
