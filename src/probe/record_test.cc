#include "probe/record.h"

#include <limits>

#include <gtest/gtest.h>

namespace loadfactor::probe {
namespace {

TEST(ProbeRecordTest, TextIsEscapedAndNumbersReadBackAsTheSame) {
  JsonWriter json;
  json.begin_object()
      .text("a\"b", "line\nend\\")
      .number("third", 1.0 / 3)
      .number("none", std::numeric_limits<double>::quiet_NaN())
      .whole("n", -7)
      .truth("yes", true);
  EXPECT_EQ(json.finish(),
            "{\n  \"a\\\"b\": \"line\\u000aend\\\\\",\n  \"third\": 0.3333333333333333,\n"
            "  \"none\": null,\n  \"n\": -7,\n  \"yes\": true\n}\n");
}

TEST(ProbeRecordTest, ARowOfMeasurementsStandsOnOneLine) {
  Record record;
  record.machine.text("device", "a chip");
  record.sections["gemm"].push_back(
      Row().text("dtype", "bf16").whole("m", 1).timing({2, 1, 3, 1, 9}));
  record.failures.push_back({"copies", "refused"});
  record.warnings.push_back("a warning");
  const std::string text = to_json(record);
  EXPECT_NE(text.find("\n      {\"dtype\": \"bf16\", \"m\": 1, \"seconds\": 2, \"low\": 1, "
                      "\"high\": 3, \"best\": 1, \"repeats\": 9}"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"schema\": \"probe/1\""), std::string::npos);
  EXPECT_NE(text.find("\"reason\": \"refused\""), std::string::npos) << text;
}

TEST(ProbeRecordTest, AnEmptyRecordIsStillWhole) {
  const std::string text = to_json(Record{});
  EXPECT_EQ(text.front(), '{');
  EXPECT_EQ(text.substr(text.size() - 2), "}\n");
  EXPECT_NE(text.find("\"measurements\": {}"), std::string::npos) << text;
}

}  // namespace
}  // namespace loadfactor::probe
