#include "config/schema.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::config {
namespace {

struct Outcome {
  int version = 0;
  Diagnostics diagnostics;
};

Outcome schema_of(const std::string& text) {
  Outcome outcome;
  const auto document = parse_yaml("t.yaml", text);
  MapReader reader(*document, document->root, "entry", outcome.diagnostics);
  outcome.version = check_schema(reader, "gpu", 2);
  return outcome;
}

TEST(SchemaTest, AcceptsItsKindUpToTheNewestVersion) {
  EXPECT_EQ(schema_of("schema: gpu/1\n").version, 1);
  EXPECT_EQ(schema_of("schema: gpu/2\n").version, 2);
  EXPECT_TRUE(schema_of("schema: gpu/2\n").diagnostics.empty());
}

TEST(SchemaTest, RefusesEverythingElseWithItsPlace) {
  for (const std::string text : {"a: 1\n", "schema: model/1\n", "schema: gpu\n", "schema: gpu/0\n",
                                 "schema: gpu/x\n", "schema: [gpu/1]\n", "schema:\n"}) {
    const Outcome outcome = schema_of(text);
    EXPECT_EQ(outcome.version, 0) << text;
    ASSERT_EQ(outcome.diagnostics.size(), 1U) << text;
    EXPECT_EQ(outcome.diagnostics.errors()[0].code, lf::kWrongSchema) << text;
    EXPECT_EQ(outcome.diagnostics.errors()[0].where.line, 1U) << text;
  }
}

TEST(SchemaTest, SaysThatANewerFileNeedsANewerProgram) {
  const Outcome outcome = schema_of("schema: gpu/3\n");
  ASSERT_EQ(outcome.diagnostics.size(), 1U);
  EXPECT_NE(outcome.diagnostics.errors()[0].message.find("up to version 2"), std::string::npos);
  EXPECT_NE(outcome.diagnostics.errors()[0].hint.find("update"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor::config
