#include "catalog/import/foreign_map.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

class ForeignMapTest : public testing::Test {
 protected:
  ForeignMap read(std::string json) {
    auto parsed = config::parse_json("x.json", std::move(json));
    EXPECT_TRUE(parsed.has_value());
    document_ = *std::move(parsed);
    return *as_map(document_, "x", diagnostics_);
  }
  int last_code() const { return diagnostics_.empty() ? 0 : diagnostics_.errors().back().code; }

  config::Document document_;
  Diagnostics diagnostics_;
};

TEST_F(ForeignMapTest, TakesTheFirstNameThatIsSet) {
  auto map = read(R"({"n_layer": null, "num_layers": 12})");
  EXPECT_EQ(map.integer({"num_hidden_layers", "n_layer", "num_layers"}), 12);
  EXPECT_TRUE(diagnostics_.empty());
}

TEST_F(ForeignMapTest, RefusesTwoNamesThatDisagree) {
  auto map = read(R"({"n_layer": 12, "num_layers": 13})");
  map.integer({"n_layer", "num_layers"});
  EXPECT_EQ(last_code(), lf::kInconsistentFigures);
}

TEST_F(ForeignMapTest, KnowsNullFromAbsent) {
  auto map = read(R"({"window": null})");
  EXPECT_TRUE(map.is_null("window"));
  EXPECT_FALSE(map.is_null("other"));
  EXPECT_FALSE(map.has("window"));
}

TEST_F(ForeignMapTest, ReadsWholeNumbersHoweverWritten) {
  auto map = read(R"({"a": 4096.0, "b": 1e3, "c": 9007199254740993})");
  EXPECT_EQ(map.integer({"a"}), 4096);
  EXPECT_EQ(map.integer({"b"}), 1000);
  EXPECT_EQ(map.integer({"c"}), 9007199254740993);  // Beyond what a double holds.
  EXPECT_TRUE(diagnostics_.empty());
}

TEST_F(ForeignMapTest, NamesWhatIsWrongWithANumber) {
  struct Case {
    const char* json;
    int code;
  };
  for (const Case& row :
       {Case{R"({"a": "32"})", lf::kWrongType}, Case{R"({"a": 1.5})", lf::kWrongType},
        Case{R"({"a": [1]})", lf::kWrongType}, Case{R"({"a": true})", lf::kWrongType},
        Case{R"({"a": 0})", lf::kOutOfRange}, Case{R"({"a": -1})", lf::kOutOfRange},
        Case{R"({"a": 101})", lf::kAbsurdMagnitude},
        Case{R"({"a": 99999999999999999999})", lf::kAbsurdMagnitude}}) {
    auto map = read(row.json);
    EXPECT_FALSE(map.count({"a"}, 1, 100).has_value()) << row.json;
    EXPECT_EQ(last_code(), row.code) << row.json;
  }
}

TEST_F(ForeignMapTest, ListsTheKeysNobodyAskedFor) {
  auto map = read(R"({"a": 1, "b": 2, "c": 3})");
  map.integer({"b"});
  map.allow({"c"});
  EXPECT_EQ(map.unread(), std::vector<std::string>{"a"});
}

TEST_F(ForeignMapTest, RefusesTheWrongKindOfValue) {
  auto map = read(R"({"a": 1})");
  EXPECT_FALSE(map.text({"a"}).has_value());
  EXPECT_FALSE(map.boolean({"a"}).has_value());
  EXPECT_FALSE(map.map({"a"}).has_value());
  EXPECT_EQ(map.list({"a"}), nullptr);
  EXPECT_EQ(diagnostics_.size(), 4U);
  for (const auto& error : diagnostics_.errors()) EXPECT_EQ(error.code, lf::kWrongType);
}

TEST_F(ForeignMapTest, ReportsDuplicatesWhereverTheyStand) {
  read(R"({"a": 1, "b": [{"x": 1,
    "x": 2}], "a": 3})");
  report_duplicates(document_, diagnostics_);
  ASSERT_EQ(diagnostics_.size(), 2U);
  EXPECT_EQ(diagnostics_.errors()[0].where.line, 2U);
  EXPECT_EQ(diagnostics_.errors()[1].code, lf::kDuplicateKey);
}

TEST_F(ForeignMapTest, OnlyAnObjectIsAMap) {
  auto parsed = config::parse_json("x.json", "[1, 2]");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_FALSE(as_map(*parsed, "a config", diagnostics_).has_value());
  EXPECT_EQ(last_code(), lf::kWrongType);
}

}  // namespace
}  // namespace loadfactor::catalog
