// What users have at hand: logs of API providers and web servers, exports of spreadsheets, sacct.
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "demand/read/import.h"

namespace loadfactor::demand {
namespace {

Import import_of(const std::string& text, const ReadOptions& options = {}) {
  auto import = import_demand("f", text, options);
  EXPECT_TRUE(import) << (import ? "" : import.error().message);
  return import ? std::move(*import) : Import{};
}

Error error_of(const std::string& text, const ReadOptions& options = {}) {
  const auto import = import_demand("f", text, options);
  EXPECT_FALSE(import);
  return import ? Error{} : import.error();
}

Nanoseconds seconds(std::int64_t count) {
  return count * kNanosecondsPerSecond;
}

TEST(ProviderLogsTest, ReadsTheUsageOfChatCompletions) {
  const Import import = import_of(
      R"({"id":"a","created":1770000000,"usage":{"prompt_tokens":120,"completion_tokens":40,"prompt_tokens_details":{"cached_tokens":64}}})"
      "\n"
      R"({"id":"b","created":1770000010,"usage":{"prompt_tokens":220,"completion_tokens":50}})");
  const auto& trace = std::get<Trace>(import.data);
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_TRUE(trace.has_calendar);
  EXPECT_EQ(trace.requests[0], (Request{0, 120, 40}));  // Cached tokens are among the 120.
  EXPECT_EQ(trace.requests[1], (Request{seconds(10), 220, 50}));
}

TEST(ProviderLogsTest, ReadsAnswersOfABatch) {
  const Import import = import_of(
      R"({"custom_id":"a","response":{"status_code":200,"body":{"created":1770000000,"usage":{"prompt_tokens":12,"completion_tokens":4}}}})"
      "\n"
      R"({"custom_id":"b","response":{"status_code":200,"body":{"created":1770000007,"usage":{"prompt_tokens":13,"completion_tokens":5}}}})");
  const auto& trace = std::get<Trace>(import.data);
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace.requests[1], (Request{seconds(7), 13, 5}));
}

TEST(ProviderLogsTest, AddsInputThatAProviderCountsApart) {
  const Import import = import_of(
      R"({"timestamp":"2026-03-01T10:00:00Z","response":{"usage":{"input_tokens":25,"cache_creation_input_tokens":5,"cache_read_input_tokens":2000,"output_tokens":9}}})"
      "\n"
      R"({"timestamp":"2026-03-01T10:00:04Z","response":{"usage":{"input_tokens":35,"output_tokens":8}}})");
  const auto& trace = std::get<Trace>(import.data);
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace.requests[0], (Request{0, 2030, 9}));
  EXPECT_EQ(trace.requests[1], (Request{seconds(4), 35, 8}));
}

TEST(ProviderLogsTest, TheTopLevelWinsOverWhatLiesInside) {
  const Import import = import_of(
      R"({"usage":{"input_tokens":1,"output_tokens":1},"timestamp":1.5,"input_tokens":7,"output_tokens":3})"
      "\n"
      R"({"usage":{"input_tokens":1,"output_tokens":1},"timestamp":2.5,"input_tokens":8,"output_tokens":4})");
  EXPECT_EQ(std::get<Trace>(import.data).requests[1], (Request{seconds(1), 8, 4}));
}

TEST(ProviderLogsTest, AnAccessLogGivesTheRateOfWhatWasAnswered) {
  std::string text;
  for (int minute = 0; minute < 20; ++minute)
    for (int second = 0; second < 60; second += minute % 2 ? 30 : 10)
      text += "10.0.0.1 - - [01/Mar/2026:10:" + std::string(minute < 10 ? "0" : "") +
              std::to_string(minute) + ":" + (second < 10 ? "0" : "") + std::to_string(second) +
              " +0100] \"POST /v1/chat/completions HTTP/1.1\" 200 1523 \"-\" \"x\"\n";
  text += "10.0.0.1 - - [01/Mar/2026:10:01:00 +0100] \"GET /health HTTP/1.1\" 200 2 \"-\" \"x\"\n";
  text += "10.0.0.1 - - [01/Mar/2026:10:01:00 +0100] \"POST /v1 HTTP/1.1\" 500 2 \"-\" \"x\"\n";
  const Import import = import_of(text);
  const auto& profile = std::get<RateProfile>(import.data);
  ASSERT_EQ(profile.windows.size(), 19U);  // The twentieth minute is not whole.
  EXPECT_DOUBLE_EQ(profile.windows[0].rate.base(), 6.0 / 60);
  EXPECT_DOUBLE_EQ(profile.windows[1].rate.base(), 2.0 / 60);
  EXPECT_EQ(import.report.rows_dropped(), 2);
  EXPECT_EQ(profile.origin, seconds(1772355600));  // 09:00 UTC.
}

TEST(ProviderLogsTest, DatesWithTheYearLastAreReadWhereOneTellsTheOrder) {
  const std::string header = "timestamp,input_tokens,output_tokens\n";
  const Import months = import_of(header + "3/4/2026 9:05:00 AM,1,1\n3/14/2026 12:05:00 PM,1,1\n");
  EXPECT_EQ(std::get<Trace>(months.data).requests[1].at, seconds(10 * 86400 + 3 * 3600));
  // The first row alone could be either: the second says that it was the day.
  const Import days = import_of(header + "03/04/2026 09:05,1,1\n14/04/2026 12:05,1,1\n");
  EXPECT_EQ(std::get<Trace>(days.data).requests[1].at, seconds(11 * 86400 + 3 * 3600));
  const Import dots = import_of(header + "03.04.2026 09:05,1,1\n04.04.2026 09:05,1,1\n");
  EXPECT_EQ(std::get<Trace>(dots.data).requests[1].at, seconds(86400));
}

TEST(ProviderLogsTest, DatesThatCanBeReadInTwoWaysAreAskedAbout) {
  const std::string text =
      "timestamp,input_tokens,output_tokens\n03/04/2026 09:05,1,1\n04/04/2026 09:05,1,1\n";
  EXPECT_EQ(error_of(text).code, lf::kAmbiguousDates);
  const Import months = import_of(text, {.stamps = {.date_order = DateOrder::kMonthFirst}});
  EXPECT_EQ(std::get<Trace>(months.data).requests[1].at, seconds(31 * 86400));
  const Import days = import_of(text, {.stamps = {.date_order = DateOrder::kDayFirst}});
  EXPECT_EQ(std::get<Trace>(days.data).requests[1].at, seconds(86400));
  EXPECT_EQ(error_of("timestamp,input_tokens,output_tokens\n14/04/2026 09:05,1,1\n"
                     "04/15/2026 09:05,1,1\n")
                .code,
            lf::kAmbiguousDates);
}

TEST(ProviderLogsTest, LinesOfTwoProvidersAreReadEachInItsOwnUnit) {
  const std::string openai =
      R"({"created":1772355600,"usage":{"prompt_tokens":7,"completion_tokens":3}})";
  const std::string anthropic =
      R"({"timestamp":"2026-03-01T09:00:02Z","usage":{"input_tokens":8,"output_tokens":4}})";
  const std::string millis = R"({"timestamp":1772355604000,"input_tokens":9,"output_tokens":5})";
  for (const auto& text :
       {openai + "\n" + anthropic + "\n" + millis, anthropic + "\n" + millis + "\n" + openai,
        millis + "\n" + openai + "\n" + anthropic}) {
    const Import import = import_of(text);
    const auto& requests = std::get<Trace>(import.data).requests;
    ASSERT_EQ(requests.size(), 3U) << text;
    EXPECT_EQ(requests[1], (Request{seconds(2), 8, 4})) << text;
    EXPECT_EQ(requests[2], (Request{seconds(4), 9, 5})) << text;
    EXPECT_EQ(import.report.rows_dropped(), 0) << text;
  }
}

TEST(ProviderLogsTest, TimesThatNoOrderJoinsAreAnErrorAtTheirRow) {
  const std::string date =
      R"({"timestamp":"2026-03-01T09:00:02Z","input_tokens":8,"output_tokens":4})";
  const std::string since_start = R"({"timestamp":1500,"input_tokens":8,"output_tokens":4})";
  const std::string other_name = R"({"arrival_s":1.5,"input_tokens":8,"output_tokens":4})";
  const std::string later = R"({"timestamp":2500,"input_tokens":8,"output_tokens":4})";
  for (const auto& text :
       {since_start + "\n" + later + "\n" + date, date + "\n" + date + "\n" + since_start,
        since_start + "\n" + later + "\n" + other_name}) {
    const Error error = error_of(text);
    EXPECT_EQ(error.code, lf::kNothingUsable) << text;
    EXPECT_EQ(error.where.line, 3U) << text;
  }
  const Error row =
      error_of("timestamp,input_tokens,output_tokens\n0.5,1,1\n1.5,1,1\n2026-03-01 09:00:02,1,1\n");
  EXPECT_EQ(row.where.line, 4U);
}

TEST(ProviderLogsTest, JobsWithoutAHeaderAreToldByTheirContent) {
  const Import import = import_of(
      "9|a|acct|8|COMPLETED|0:0|2026-03-01T10:00:00|2026-03-01T10:05:00|2026-03-01T12:05:00|"
      "02:00:00|billing=8,cpu=8,gres/gpu=8,node=1\n"
      "9.batch|batch|acct|8|COMPLETED|0:0|2026-03-01T10:05:00|2026-03-01T10:05:00|"
      "2026-03-01T12:05:00|02:00:00|cpu=8\n"
      "10|b|acct|8|FAILED|1:0|2026-03-01T10:00:00|2026-03-01T10:07:00|2026-03-01T11:05:00|"
      "00:58:00|cpu=8,gres/gpu:h100=4\n");
  const auto& jobs = std::get<JobTrace>(import.data).jobs;
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].gpus, 8);
  EXPECT_EQ(jobs[0].start, seconds(300));
  EXPECT_EQ(jobs[0].end, seconds(7500));
  EXPECT_EQ(jobs[1].gpus, 4);
  EXPECT_FALSE(jobs[1].succeeded);
}

TEST(ProviderLogsTest, ATraceWithoutSpanIsAnErrorAtItsRow) {
  const std::string header = "timestamp,input_tokens,output_tokens\n";
  const Error one = error_of(header + "1770000000,5,5\n");
  EXPECT_EQ(one.code, lf::kNothingUsable);
  EXPECT_EQ(one.where.line, 2U);
  const Error same = error_of(header + "1770000000,5,5\n1770000000,6,6\n");
  EXPECT_EQ(same.code, lf::kNothingUsable);
  EXPECT_EQ(same.where.line, 3U);
}

TEST(ProviderLogsTest, ARequestThatNobodyCanSendIsAnErrorAtItsRow) {
  const Error error =
      error_of("timestamp,input_tokens,output_tokens\n1770000000,5,5\n1770000001,1000000000,5\n");
  EXPECT_EQ(error.code, lf::kTooManyTokens);
  EXPECT_EQ(error.where.line, 3U);
}

TEST(ProviderLogsTest, SemicolonsAndDecimalCommasOfASpreadsheetAreRead) {
  const Import import = import_of(
      "timestamp;input_tokens;output_tokens\n2026-03-01 10:00:00,5;1200;200\n"
      "2026-03-01 10:00:02,0;1300,0;210\n");
  EXPECT_EQ(std::get<Trace>(import.data).requests[1], (Request{seconds(3) / 2, 1300, 210}));
  const Import rates =
      import_of("time;requests_per_s\n2026-03-01 10:00;0,5\n2026-03-01 10:01;1,25\n");
  EXPECT_DOUBLE_EQ(std::get<RateProfile>(rates.data).windows[1].rate.base(), 1.25);
}

}  // namespace
}  // namespace loadfactor::demand
