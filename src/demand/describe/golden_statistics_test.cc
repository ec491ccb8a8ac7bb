// Statistics of published traces against figures computed independently from the same files.
//
// The files lie beside the project where they were fetched; without them the test is skipped.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "config/document.h"
#include "demand/describe/characterise.h"
#include "demand/read/import.h"

namespace loadfactor::demand {
namespace {

std::string traces_folder() {
  for (const char* place : {"/../shared/data/traces", "/../../shared/data/traces"}) {
    const std::string folder = std::string(LF_SOURCE_DIR) + place;
    if (std::filesystem::exists(folder)) return folder;
  }
  return {};
}

std::string read_all(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

const std::string& golden_text(const config::Node& row, const std::string& key) {
  static const std::string kNone = "nan";
  for (const auto& member : row.members)
    if (member.key == key) return member.value.scalar;
  ADD_FAILURE() << "no " << key;
  return kNone;
}

double golden(const config::Node& row, const std::string& key) {
  return std::stod(golden_text(row, key));
}

// Equal to three significant digits, or to the last digit the golden figure shows.
void expect_close(double value, const config::Node& row, const std::string& key) {
  const std::string& text = golden_text(row, key);
  const std::size_t point = text.find('.');
  const auto places = point == std::string::npos ? 0 : static_cast<double>(text.size() - point - 1);
  const double wanted = std::stod(text);
  EXPECT_NEAR(value, wanted, std::max(0.501 * std::pow(10, -places), 0.0005 * std::abs(wanted)))
      << key;
}

void check_lengths(const LengthStatistics& s, const config::Node& row, const std::string& side) {
  expect_close(s.mean, row, side + "_mean");
  expect_close(s.cv, row, side + "_cv");
  EXPECT_EQ(s.longest, golden(row, side + "_max"));
  EXPECT_EQ(s.zeros, golden(row, side + "_zero"));
  expect_close(s.lognormal_mu, row, side + "_lognorm_mu");
  expect_close(s.lognormal_sigma, row, side + "_lognorm_sigma");
  EXPECT_NEAR(s.lognormal_ks, golden(row, side + "_lognorm_KS"), 0.001) << side;
  for (const auto& member : row.members) {
    if (member.key != side + "_pct") continue;
    for (std::size_t i = 0; i < kLengthPercentiles.size(); ++i)
      // They were cut to whole tokens.
      EXPECT_EQ(std::floor(s.percentiles[i]), std::stod(member.value.members[i].value.scalar))
          << side << " p" << kLengthPercentiles[i];
  }
}

void check_row(const config::Node& row, const Characterisation& c) {
  EXPECT_EQ(c.requests, golden(row, "rows"));
  expect_close(c.span.base(), row, "span_s");
  expect_close(c.mean_rate.base(), row, "mean_rps");
  expect_close(*c.cv, row, "cv_iat");
  expect_close(c.zero_gaps, row, "zero_iat_frac");
  for (const auto& window : c.windows) {
    const std::string suffix = std::to_string(static_cast<int>(window.window.base())) + "s";
    expect_close(window.peak.base(), row, "peak_rps_" + suffix);
    expect_close(window.peak_to_mean(), row, "peak_to_mean_" + suffix);
    expect_close(window.dispersion, row, "dispersion_" + suffix);
  }
  check_lengths(*c.input, row, "in");
  check_lengths(*c.output, row, "out");
  expect_close(*c.length_correlation, row, "spearman_in_out");
}

TEST(GoldenStatisticsTest, AgreesWithFiguresComputedElsewhereToThreeDigits) {
  const std::string folder = traces_folder();
  if (folder.empty()) GTEST_SKIP() << "the traces are not beside the project";
  std::ifstream lines(folder + "/stats.jsonl");
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    const auto document = config::parse_json("stats.jsonl", line);
    ASSERT_TRUE(document);
    const std::string name = document->root.members.front().value.scalar;
    SCOPED_TRACE(name);
    const std::string text = read_all(folder + "/" + name);
    const auto import = import_demand(name, text);
    ASSERT_TRUE(import) << render(import.error());
    check_row(document->root, characterise(std::get<Trace>(import->data)));
  }
  EXPECT_EQ(rows, 4);
}

TEST(GoldenStatisticsTest, MooncakePromptsAreFoundAsOftenAsPublished) {
  const std::string folder = traces_folder();
  if (folder.empty()) GTEST_SKIP() << "the traces are not beside the project";
  const std::string text = read_all(folder + "/mooncake/conversation_trace.jsonl");
  const auto import = import_demand("mooncake", text);
  ASSERT_TRUE(import);
  EXPECT_NEAR(import->report.batch_interval.base(), 3.0, 0.1);
  const auto reuse = measure_prefix_reuse(std::get<Trace>(import->data));
  EXPECT_EQ(reuse.total_blocks, 288500);
  EXPECT_EQ(reuse.unique_blocks, 182790);
  EXPECT_NEAR(100 * reuse.unlimited_hit, 37.36, 0.005);
  EXPECT_NEAR(100 * reuse.hit(1000), 4.5, 0.05);
  EXPECT_NEAR(100 * reuse.hit(5000), 11.3, 0.06);
  EXPECT_NEAR(100 * reuse.hit(10000), 21.5, 0.05);
  EXPECT_NEAR(100 * reuse.hit(30000), 33.2, 0.05);
  EXPECT_NEAR(100 * reuse.hit(100000), 37.1, 0.05);
}

TEST(GoldenStatisticsTest, AnAzureWeekIsFiftySevenPercentOfItsPeakOnAverage) {
  const std::string folder = traces_folder();
  if (folder.empty()) GTEST_SKIP() << "the traces are not beside the project";
  const std::string text = read_all(folder + "/azure-2024-week/azure2024_conv_rate_10min.csv");
  const auto import = import_demand("week", text);
  ASSERT_TRUE(import);
  const auto c = characterise(std::get<RateProfile>(import->data));
  EXPECT_NEAR(c.window(600)->mean_to_peak(), 0.57, 0.01);
  EXPECT_NEAR(static_cast<double>(c.requests), 27'303'999, 0.002 * 27'303'999);
}

}  // namespace
}  // namespace loadfactor::demand
