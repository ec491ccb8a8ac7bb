#include "observe/read/readers.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::observe {
namespace {

class Kept final : public SampleSink {
 public:
  struct Sample {
    std::string metric;
    Labels labels;
    double time;
    double value;
  };
  int series(std::string_view metric, const Labels& labels) override {
    heads_.push_back({std::string(metric), labels});
    return static_cast<int>(heads_.size()) - 1;
  }
  void sample(int series, double time, double value) override {
    const auto& head = heads_[static_cast<std::size_t>(series)];
    all.push_back({head.first, head.second, time, value});
  }
  std::vector<Sample> all;

 private:
  std::vector<std::pair<std::string, Labels>> heads_;
};

TEST(PrometheusText, ReadsLabelsValuesAndStamps) {
  Kept kept;
  const auto count =
      read_prometheus_text({"f",
                            "# TYPE a gauge\na{x=\"1\",y=\"q\\\"\\n\"} 2.5 1700000000000\n\nb NaN\n"
                            "{__name__=\"c\",z=\"w\"} +Inf 1700000001.5\n# EOF\n"},
                           7, kept);
  ASSERT_TRUE(count);
  ASSERT_EQ(kept.all.size(), 3U);
  EXPECT_EQ(kept.all[0].time, 1700000000);
  EXPECT_EQ(find_label(kept.all[0].labels, "y"), "q\"\n");
  EXPECT_TRUE(std::isnan(kept.all[1].value));
  EXPECT_EQ(kept.all[1].time, 7);
  EXPECT_EQ(kept.all[2].metric, "c");
  EXPECT_EQ(kept.all[2].time, 1700000001.5);
}

TEST(PrometheusText, PointsAtTheFirstLineThatIsNone) {
  Kept kept;
  const auto count = read_prometheus_text({"f", "a{x=\"1\n!!\n??\n"}, 0, kept);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().where.line, 1U);
}

TEST(PrometheusText, ALineOfNoTimeIsNoSample) {
  for (const char* stamp : {"1e30", "-1", "253402300800000", "NaN", "+Inf"}) {
    Kept kept;
    const auto count =
        read_prometheus_text({"f", "a 1 5\na 2 6\na 3 " + std::string(stamp)}, 0, kept);
    ASSERT_TRUE(count) << stamp;
    EXPECT_EQ(count->bad_lines, 1U) << stamp;
    EXPECT_EQ(kept.all.size(), 2U) << stamp;
  }
}

TEST(PrometheusJson, ATimeThatCannotBeIsRefused) {
  for (const char* stamp : {"1e30", "-1", "253402300800"}) {
    Kept kept;
    const std::string text =
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"a"},"value":[)" +
        std::string(stamp) + R"(,"1.5"]}]}})";
    const auto count = read_prometheus_json({"f", text}, 0, kept);
    ASSERT_FALSE(count) << stamp;
    EXPECT_EQ(count.error().where.line, 1U) << stamp;
  }
}

TEST(PrometheusJson, ReadsRangesVectorsAndExports) {
  for (
      const char* text :
      {R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"a"},"values":[[5,"1.5"],[6,"NaN"]]}]}})",
       R"({"metric":{"__name__":"a"},"values":[1.5,null],"timestamps":[5000,6000]})"}) {
    Kept kept;
    const auto count = read_prometheus_json({"f", text}, 0, kept);
    ASSERT_TRUE(count) << text;
    ASSERT_EQ(kept.all.size(), 2U) << text;
    EXPECT_EQ(kept.all[0].time, 5);
    EXPECT_EQ(kept.all[0].value, 1.5);
    EXPECT_TRUE(std::isnan(kept.all[1].value));
  }
}

TEST(PrometheusJson, ReadsASampleHoweverItIsWritten) {
  for (const char* pair : {R"([5,"0.3127"])", R"([5.0,"0.31270"])", R"( [ 5 , "3127e-4" ] )",
                           R"([5,"0.312700000000000000000000"])", R"([5e0,0.3127])"}) {
    Kept kept;
    const std::string text = R"({"metric":{"__name__":"a"},"values":[)" + std::string(pair) + "]}";
    ASSERT_TRUE(read_prometheus_json({"f", text}, 0, kept)) << pair;
    ASSERT_EQ(kept.all.size(), 1U) << pair;
    EXPECT_EQ(kept.all[0].time, 5) << pair;
    EXPECT_EQ(kept.all[0].value, 0.3127) << pair;
  }
}

TEST(PrometheusJson, RefusesWhatIsCutOffNestedOrAnError) {
  Kept kept;
  EXPECT_FALSE(read_prometheus_json({"f", R"({"data":{"result":[{"metric":{"a)"}, 0, kept));
  EXPECT_FALSE(read_prometheus_json({"f", R"({"x":)" + std::string(5000, '[')}, 0, kept));
  const auto refused =
      read_prometheus_json({"f", R"({"status":"error","error":"bad query"})"}, 0, kept);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("bad query"), std::string::npos);
}

TEST(PrometheusJson, ListsWithinListsAreRefusedHoweverDeepTheyAre) {
  for (const std::size_t depth : {std::size_t{100}, std::size_t{1'000'000}}) {
    Kept kept;
    const auto count = read_prometheus_json({"f", std::string(depth, '[')}, 0, kept);
    ASSERT_FALSE(count) << depth;
    EXPECT_EQ(count.error().code, lf::kSyntax) << depth;
  }
}

TEST(Kind, OfWhatIsNoTextIsNone) {
  const std::string packed("\x1f\x08|\x02", 4);
  EXPECT_FALSE(find_kind({"f", packed}));
}

TEST(Smi, ReadsTablesWithUnitsAndAbsentSensors) {
  Kept kept;
  const auto count =
      read_smi_table({"f",
                      "timestamp, uuid, name, utilization.gpu [%], power.draw [W]\n"
                      "2026/11/10 10:00:00.000, GPU-1, NVIDIA H100, 35 %, [N/A]\n"
                      "2026/11/10 10:01:00.000, GPU-1, NVIDIA H100, 40 %, 310.50 W\n"},
                     0, kept);
  ASSERT_TRUE(count);
  std::map<std::string, int> seen;
  for (const auto& sample : kept.all)
    ++seen[sample.metric + (std::isnan(sample.value) ? " absent" : "")];
  EXPECT_EQ(seen["utilization.gpu"], 2);
  EXPECT_EQ(seen["power.draw"], 1);
  EXPECT_EQ(seen["power.draw absent"], 1);
}

TEST(Smi, ReadsTheMonitorWithoutStamps) {
  Kept kept;
  const auto count = read_smi_monitor({"f",
                                       "# gpu   pwr    sm   mem\n# Idx     W     %     %\n"
                                       "    0    90    10     5\n    0    95    20     6\n"},
                                      100, kept);
  ASSERT_TRUE(count);
  double first = 1e9;
  for (const auto& sample : kept.all) first = std::min(first, sample.time);
  EXPECT_EQ(first, 99);
}

TEST(FileKind, IsToldByTheLook) {
  const auto kind = [](const char* text) { return *find_kind({"f", text}); };
  EXPECT_EQ(kind("# HELP a b\na 1\n"), FileKind::kPrometheusText);
  EXPECT_EQ(kind("{__name__=\"a\"} 1 2\n"), FileKind::kPrometheusText);
  EXPECT_EQ(kind("{\"status\":\"success\"}"), FileKind::kPrometheusJson);
  EXPECT_EQ(kind("a{x=\"1|2|COMPLETED\"} 1\n"), FileKind::kPrometheusText);
  EXPECT_EQ(kind("# HELP a either | or, jobid\na 1\n"), FileKind::kPrometheusText);
  EXPECT_EQ(kind("56|wrap|normal|root|1|cpu=1|COMPLETED|0:0\n"), FileKind::kSlurmJobs);
  EXPECT_EQ(kind("normal*|up|c1|idle|gpu:tesla:4|gpu:tesla:3(IDX:0)\n"), FileKind::kSlurmNodes);
  EXPECT_EQ(kind("# gpu   pwr    sm\n"), FileKind::kSmiMonitor);
  EXPECT_EQ(kind("timestamp, uuid, utilization.gpu [%]\n"), FileKind::kSmiTable);
  EXPECT_FALSE(find_kind({"f", "<html>"}));
  EXPECT_FALSE(find_kind({"f", "  \n"}));
}

TEST(Smi, ALogWithoutItsHeaderIsNamedAsOne) {
  const auto kind = find_kind({"f", "2026/11/09 00:00:00.123, 0, GPU-0, 80 %\n"});
  ASSERT_FALSE(kind.has_value());
  EXPECT_NE(kind.error().message.find("without its header"), std::string::npos);
}

TEST(Smi, RowsOfOneGpuWithoutTimesAreRefusedAtTheSecond) {
  struct : SampleSink {
    int series(std::string_view, const Labels&) override { return 0; }
    void sample(int, double, double) override {}
  } sink;
  const std::string head = "uuid, name, utilization.gpu [%]\nGPU-1, H100, 50 %\n";
  EXPECT_TRUE(read_smi_table({"f", head}, 0, sink));
  const auto twice = read_smi_table({"f", head + "GPU-1, H100, 60 %\n"}, 0, sink);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().where.line, 3U);
}

TEST(Smi, ADateThatMayBeTwoIsPointedAt) {
  Kept sink;
  const auto count = read_smi_table(
      {"smi.csv", "timestamp, index, utilization.gpu [%]\n01/02/2026 10:00:00, 0, 50 %\n"}, 0,
      sink);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code, lf::kBadDate);
  EXPECT_EQ(count.error().where.line, 2U);
  EXPECT_NE(count.error().message.find("timestamp"), std::string::npos);
}

TEST(PrometheusJson, AWarningOfTheServerIsKept) {
  Kept kept;
  const auto count = read_prometheus_json(
      {"f",
       R"({"status":"success","warnings":["store is gone"],"data":{"resultType":"matrix","result":[]}})"},
      0, kept);
  ASSERT_TRUE(count);
  EXPECT_EQ(count->warning, "store is gone");
}

TEST(PrometheusJson, NamesThatAServerRefusesAreRefusedInItsWords) {
  const auto names =
      read_label_values({"f", R"({"status":"error","errorType":"x","error":"no tenant"})"});
  ASSERT_FALSE(names);
  EXPECT_NE(names.error().message.find("no tenant"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor::observe
