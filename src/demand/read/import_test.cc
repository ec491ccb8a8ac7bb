#include "demand/read/import.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "demand/read/byte_blocks.h"
#include "demand/testing/gzip.h"

namespace loadfactor::demand {
namespace {

Import import_of(const std::string& text, const ReadOptions& options = {}) {
  auto import = import_demand("f.csv", text, options);
  EXPECT_TRUE(import) << (import ? "" : render(import.error()));
  return import ? *std::move(import) : Import{};
}

Trace trace_of(const std::string& text, const ReadOptions& options = {}) {
  const Import import = import_of(text, options);
  const auto* trace = std::get_if<Trace>(&import.data);
  EXPECT_NE(trace, nullptr);
  return trace != nullptr ? *trace : Trace{};
}

int code_of(const std::string& text) {
  const auto import = import_demand("f", text);
  return import ? 0 : import.error().code;
}

constexpr Nanoseconds kMillisecond = 1'000'000;

TEST(ImportTest, ReadsAzureStampsOfSevenDecimalsToTheNanosecond) {
  const Trace trace = trace_of(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2023-11-16 18:15:46.6805900,374,44\n"
      "2023-11-16 18:15:50.9951690,396,109");  // No newline at the end, as published.
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_TRUE(trace.has_calendar);
  EXPECT_EQ(trace.origin, 1700158546'680590000);
  EXPECT_EQ(trace.requests[1], (Request{4'314'579'000, 396, 109}));
}

TEST(ImportTest, FindsColumnsByNameWhateverTheirOrder) {
  // BurstGPT v3 puts two columns before those of v1.
  const Trace v1 = trace_of(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,1087,230,1317,Conversation log\n");
  const Trace v3 = trace_of(
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log "
      "Type\n"
      "5.0,a-b,43,GPT-4,472,18,490,Conversation log\n45.0,c-d,2,GPT-4,1087,230,1317,x\n");
  EXPECT_EQ(v1.requests, v3.requests);
  EXPECT_EQ(v1.requests[1].at, 40 * kNanosecondsPerSecond);
  EXPECT_EQ(v3.sessions, (std::vector<std::int32_t>{0, 1}));
}

TEST(ImportTest, EverySpellingOfACleanFileGivesTheSameTrace) {
  const std::string clean = "arrival_s,input_tokens,output_tokens\n0,10,1\n1.5,20,2\n";
  const auto wanted = trace_of(clean).requests;
  ASSERT_EQ(wanted.size(), 2U);
  for (const std::string& text : {
           std::string("arrival_s,input_tokens,output_tokens\r\n0,10,1\r\n1.5,20,2\r\n"),  // CRLF.
           std::string("arrival_s,input_tokens,output_tokens\r\n0,10,1\r\n1.5,20,2"),
           std::string("\xEF\xBB\xBF") + clean,
           std::string("\n\narrival_s,input_tokens,output_tokens\n\n0,10,1\n\n1.5,20,2\n\n"),
           std::string("\"arrival_s\",\"input_tokens\",\"output_tokens\"\n\"0\",\"10\",\"1\"\n"
                       "\"1.5\",\"20\",\"2\"\n"),
           std::string("arrival_s, input_tokens, output_tokens\n0, 10, 1\n1.5, 20, 2\n"),
           std::string("arrival_s;input_tokens;output_tokens\n0;10;1\n1.5;20;2\n"),
           std::string("arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,10,1\n1.5,20,2\n"),
           std::string("arrival_ms,prompt_tokens,completion_tokens\n0,10,1\n1500,20,2\n"),
           std::string("arrival_time,input_length,output_length,note\n0.0,10.0,1.0,\"a, \"\"b\"\"\n"
                       "line\"\n1.5,20,2,\n"),
           std::string("timestamp,input_toks,output_toks\n2024-05-12T00:00:00Z,10,1\n"
                       "2024-05-12T02:00:01.500000000+02:00,20,2\n"),
           std::string("timestamp,input_toks,output_toks\n1715472000,10,1\n1715472001.5,20,2\n"),
           std::string(
               "timestamp,input_toks,output_toks\n1715472000000,10,1\n1715472001500,20,2\n"),
           std::string("timestamp,input_toks,output_toks\n1715472000000000000,10,1\n"
                       "1715472001500000000,20,2\n"),
       }) {
    EXPECT_EQ(trace_of(text).requests, wanted) << text;
    EXPECT_EQ(trace_of(packed(text)).requests, wanted) << text;
  }
}

TEST(ImportTest, CountsEveryDroppedRowWithItsReasonAndItsFirstLine) {
  const Import import = import_of(
      "Timestamp,Request tokens,Response tokens\n"
      "1,0,0\n"     // Failed.
      "2,5,1\n"     //
      "soon,5,1\n"  // No time.
      "3,many,1\n"  // No tokens.
      "4,-5,1\n"    // Negative.
      "5,7\n"       // Too few cells.
      "6,0,9\n"     // Output only is work.
      "1,8,8\n");   // Out of order.
  const auto& report = import.report;
  const auto& trace = std::get<Trace>(import.data);
  EXPECT_EQ(report.rows_read, 8);
  EXPECT_EQ(report.rows_used, 3);
  EXPECT_EQ(report.rows_dropped(), 5);
  const auto dropped = [&report](DropReason reason) {
    return report.dropped[static_cast<std::size_t>(reason)];
  };
  EXPECT_EQ(dropped(DropReason::kZeroTokens).rows, 1);
  EXPECT_EQ(dropped(DropReason::kZeroTokens).first_line, 2);
  EXPECT_EQ(dropped(DropReason::kBadStamp).first_line, 4);
  EXPECT_EQ(dropped(DropReason::kBadTokens).rows, 2);
  EXPECT_EQ(dropped(DropReason::kBadCells).rows, 1);
  EXPECT_EQ(report.out_of_order, 1);
  EXPECT_EQ(trace.requests.front().input, 8);  // Put in order.
}

TEST(ImportTest, SaysWhichUnitItGuessedAndBelievesADeclaredOne) {
  const std::string text = "timestamp,input_tokens,output_tokens\n0,1,1\n3000,1,1\n";
  const Import guessed = import_of(text);
  EXPECT_EQ(guessed.report.time_unit, TimeUnit::kSeconds);
  EXPECT_FALSE(guessed.report.time_unit_why.empty());
  const Import declared = import_of(text, {.stamps = {.time_unit = TimeUnit::kMilliseconds}});
  EXPECT_EQ(std::get<Trace>(declared.data).requests[1].at, 3 * kNanosecondsPerSecond);
  EXPECT_EQ(declared.report.time_unit_why, "declared");
}

TEST(ImportTest, ReadsMooncakeLinesWithTheirBlocksAndSeesTheBatches) {
  const Import import = import_of(
      "{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [7, 9]}\n"
      "{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [7, 8]}\n"
      "{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [7, 8]}\n"
      "{\"timestamp\": 3000, \"input_length\": 60, \"output_length\": 5, \"hash_ids\": [1]}\n"
      "{\"timestamp\": 3000, \"input_length\": 60, \"output_length\": 5, \"hash_ids\": [1]}\n"
      "{\"timestamp\": 3000, \"input_length\": 60, \"output_length\": 5, \"hash_ids\": [1]}\n"
      "{\"timestamp\": 6000, \"input_length\": 60, \"output_length\": 5, \"hash_ids\": []}\r\n"
      "{\"timestamp\": 6000, \"input_length\": 60, \"output_le");  // Cut off.
  const auto& trace = std::get<Trace>(import.data);
  EXPECT_EQ(trace.size(), 7U);
  EXPECT_EQ(import.report.rows_dropped(), 1);
  EXPECT_EQ(trace.requests.back().at, 6000 * kMillisecond);
  EXPECT_EQ(trace.prefixes.ids, (std::vector<std::uint32_t>{0, 1, 0, 2, 0, 2, 3, 3, 3}));
  EXPECT_EQ(trace.prefixes.first.size(), 8U);
  EXPECT_DOUBLE_EQ(import.report.batch_interval.base(), 3.0);
  const Trace spread_out = spread(trace, import.report.batch_interval);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(spread_out.requests[i].at, 3000 * kMillisecond);
    EXPECT_LT(spread_out.requests[i].at, spread_out.requests[i + 1].at);
  }
}

TEST(ImportTest, QwenStampsWithDecimalsAreSeconds) {
  const Trace trace = trace_of(
      "{\"chat_id\": 3, \"parent_chat_id\": -1, \"timestamp\": 61.114, \"input_length\": 5, "
      "\"output_length\": 1, \"type\": \"text\", \"turn\": 1, \"hash_ids\": [1]}\n"
      "{\"chat_id\": 4, \"parent_chat_id\": 3, \"timestamp\": 62.114, \"input_length\": 5, "
      "\"output_length\": 1, \"type\": \"text\", \"turn\": 2, \"hash_ids\": [1]}\n");
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace.requests[1].at, kNanosecondsPerSecond);
}

TEST(ImportTest, RateColumnsAreFoundByRuleAndHolesAreNotSilence) {
  const Import import = import_of(
      "window_start_utc,window_s,requests_per_min_lo,requests_per_min,requests_per_min_hi\n"
      "2024-05-12 00:00:00,600,0,60,90\n"
      "2024-05-12 00:20:00,600,0,120,150\n");  // The window at 00:10 is missing.
  const auto& profile = std::get<RateProfile>(import.data);
  ASSERT_EQ(profile.windows.size(), 2U);
  EXPECT_DOUBLE_EQ(profile.windows[0].rate.base(), 1.0);
  EXPECT_DOUBLE_EQ(profile.windows[1].rate.base(), 2.0);
  ASSERT_EQ(import.report.gaps.size(), 1U);
  EXPECT_EQ(import.report.gaps[0].length, 600 * kNanosecondsPerSecond);
}

TEST(ImportTest, ALongImprobableSilenceIsAGap) {
  std::string text = "arrival_s,input_tokens,output_tokens\n";
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + ",1,1\n";
  for (int i = 0; i < 2000; ++i) text += std::to_string(12000 + i) + ",1,1\n";
  const Import import = import_of(text);
  ASSERT_EQ(import.report.gaps.size(), 1U);
  EXPECT_EQ(import.report.gaps[0].length, 10001 * kNanosecondsPerSecond);
  EXPECT_EQ(import.report.silent_minutes, 166);  // 12000/60 - 1999/60 - 1.
}

TEST(ImportTest, ReadsJobsOfSlurmAndOfAcme) {
  const Import slurm = import_of(
      "JobID|User|AllocTRES|ElapsedRaw|State|Submit|Start|End\n"
      "56|me|billing=8,cpu=8,gres/gpu=8,mem=5G,node=1|3600|COMPLETED|2024-10-20T20:00:00|"
      "2024-10-20T21:00:00|2024-10-20T22:00:00\n"
      "56.batch|me|cpu=1,gres/gpu=8|3600|COMPLETED|2024-10-20T20:00:00|2024-10-20T21:00:00|"
      "2024-10-20T22:00:00\n"
      "57|me|cpu=1|60|COMPLETED|2024-10-20T20:00:00|2024-10-20T21:00:00|2024-10-20T21:01:00\n"
      "58|me|gres/gpu:h100=2|0|CANCELLED|2024-10-20T20:30:00|Unknown|Unknown\n"
      "59|me|gres/gpu:h100=2|60|FAILED|2024-10-20T20:30:00|2024-10-20T21:00:00|"
      "2024-10-20T21:01:00\n");
  const auto& jobs = std::get<JobTrace>(slurm.data).jobs;
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0], (Job{0, 3600 * kNanosecondsPerSecond, 7200 * kNanosecondsPerSecond, 8, true}));
  EXPECT_EQ(jobs[1].gpus, 2);
  EXPECT_FALSE(jobs[1].succeeded);
  EXPECT_EQ(slurm.report.rows_dropped(), 3);
  const Import acme = import_of(
      "job_id,submit_time,gpu_num,duration_s,queue_s\n"
      "a,2023-05-17 11:00:58+00:00,64,18.0,10.0\n");
  const auto& job = std::get<JobTrace>(acme.data).jobs.at(0);
  EXPECT_EQ(job, (Job{0, 10 * kNanosecondsPerSecond, 28 * kNanosecondsPerSecond, 64, true}));
}

TEST(ImportTest, ReadsBenchmarksOfVllmAndOthers) {
  const Trace detailed = trace_of(
      "{\"backend\": \"vllm\", \"duration\": 10.0, \"completed\": 2, \"request_rate\": \"inf\", "
      "\"total_input_tokens\": 30, \"total_output_tokens\": 3, \"input_lens\": [10, 20], "
      "\"output_lens\": [1, 2], \"start_times\": [100.0, 101.5]}");
  EXPECT_EQ(detailed.requests[1], (Request{1'500'000'000, 20, 2}));
  const Import summary = import_of(
      "{\"duration\": 10.0, \"completed\": 20, \"total_input_tokens\": 300, "
      "\"total_output_tokens\": 60}");
  const auto& profile = std::get<RateProfile>(summary.data);
  EXPECT_DOUBLE_EQ(profile.windows.at(0).rate.base(), 2.0);
  EXPECT_DOUBLE_EQ(profile.mean_input.base(), 15.0);
  const Trace guidellm = trace_of(
      "{\"benchmarks\": [{\"requests\": {\"successful\": [{\"start_time\": 5.0, \"prompt_tokens\": "
      "7, \"output_tokens\": 3}, {\"start_time\": 6.0, \"prompt_tokens\": 8, \"output_tokens\": "
      "3}], \"errored\": []}}]}");
  EXPECT_EQ(guidellm.size(), 2U);
  const Import aiperf = import_of(
      "{\"request_throughput\": {\"unit\": \"requests/sec\", \"avg\": 4.0}, \"request_count\": "
      "{\"avg\": 40}, \"input_sequence_length\": {\"avg\": 550}, \"output_sequence_length\": "
      "{\"avg\": 256}}");
  EXPECT_DOUBLE_EQ(std::get<RateProfile>(aiperf.data).windows.at(0).rate.base(), 4.0);
}

TEST(ImportTest, QueryRangeAddsSeriesAndTreatsNanAsMissing) {
  const Import rates = import_of(
      "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
      "{\"metric\":{\"pod\":\"a\"},\"values\":[[100,\"1\"],[160,\"NaN\"],[220,\"3\"],[280,\"3\"]]},"
      "{\"metric\":{\"pod\":\"b\"},\"values\":[[100,\"1\"],[220,\"1\"],[280,\"1\"]]}]}}");
  const auto& profile = std::get<RateProfile>(rates.data);
  ASSERT_EQ(profile.windows.size(), 3U);
  EXPECT_DOUBLE_EQ(profile.windows[1].rate.base(), 4.0);
  EXPECT_EQ(rates.report.gaps.size(), 1U);
  const Import counters = import_of(
      "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
      "{\"metric\":{\"__name__\":\"vllm:request_success_total\"},\"values\":[[0,\"0\"],[60,\"60\"],"
      "[120,\"30\"]]}]}}");  // Restarted between: 30 since.
  const auto& counted = std::get<RateProfile>(counters.data);
  ASSERT_EQ(counted.windows.size(), 2U);
  EXPECT_DOUBLE_EQ(counted.windows[0].rate.base(), 1.0);
  EXPECT_DOUBLE_EQ(counted.windows[1].rate.base(), 0.5);
}

TEST(ImportTest, RefusesWhatIsNoDemandAndSaysWhy) {
  EXPECT_EQ(code_of(""), lf::kEmptyFile);
  EXPECT_EQ(code_of("\n\n  \n"), lf::kEmptyFile);
  EXPECT_EQ(code_of("a,b,c\n1,2,3\n"), lf::kNotDemand);
  EXPECT_EQ(code_of("0.5,17,20\n0.9,18,20\n"), lf::kNotDemand);  // No header.
  EXPECT_EQ(code_of("timestamp,input_tokens\n1,2\n"), lf::kMissingColumn);
  EXPECT_EQ(code_of("timestamp,input_tokens,output_tokens\n"), lf::kNothingUsable);
  EXPECT_EQ(code_of("timestamp,input_tokens,output_tokens\nx,1,1\n"), lf::kNothingUsable);
  EXPECT_EQ(code_of("gpus,user\n1,me\n"), lf::kMissingColumn);
  EXPECT_EQ(code_of("{\"a\": 1}"), lf::kNotDemand);
  EXPECT_EQ(code_of("{\"a\": "), lf::kSyntax);
  EXPECT_EQ(code_of("# HELP up Up.\nup 1\n"), lf::kNotDemand);
  EXPECT_EQ(code_of(std::string("t\0i\0m\0e\0", 8)), lf::kBadEncoding);
  EXPECT_EQ(code_of("\x1f\x8bgarbage"), lf::kBrokenArchive);
  const std::string archive = packed("timestamp,input_tokens,output_tokens\n1,1,1\n");
  EXPECT_EQ(code_of(archive.substr(0, archive.size() / 2)), lf::kBrokenArchive);
}

TEST(ImportTest, AnUnclosedQuoteBreaksOnlyItsRow) {
  const Import import = import_of("arrival_s,input_tokens,output_tokens\n1,1,1\n2,1,1\n\"3,1,1\n");
  EXPECT_EQ(import.report.rows_used, 2);
  EXPECT_EQ(import.report.rows_dropped(), 1);
}

TEST(ImportTest, LongArchivesAreReadInPiecesToTheLastRow) {
  std::string text = "arrival_s,input_tokens,output_tokens,remark\n";
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i) + ",10,20,\"x, y\"\n";
  const std::string bytes = packed(text) + packed("200000,7,7,z\n");  // Two archives in a row.
  const Trace trace = trace_of(bytes);
  EXPECT_EQ(trace.size(), 200'001U);
  EXPECT_EQ(trace.requests.back().input, 7);
}

TEST(ImportTest, AnEndlessRowInAnArchiveIsLookedAtFewTimes) {
  const std::string bytes = packed(std::string(40'000'000, 'x'));
  ByteBlocks blocks("f", bytes);
  int looks = 0;
  std::size_t seen = 0;
  do {
    const auto block = blocks.next(0);
    ASSERT_TRUE(block);
    seen = block->size();
    ++looks;
  } while (!blocks.is_last());
  EXPECT_EQ(seen, 40'000'000U);
  EXPECT_LE(looks, 8);
}

TEST(ImportTest, LengthsWithoutTimesAreReadAsSuch) {
  const Trace trace = trace_of("input_tokens,output_tokens\n156,67\n115,390\n");
  EXPECT_FALSE(trace.is_timed);
  EXPECT_EQ(trace.size(), 2U);
}

TEST(ImportTest, RatesOfSeveralClientsInOneWindowAddUp) {
  const Import import = import_of(
      "client_id,window_start_s,rate_rps,cv\n"
      "a,0,3,1\nb,0,1,3\na,600,2,1\n");
  const auto& profile = std::get<RateProfile>(import.data);
  ASSERT_EQ(profile.windows.size(), 2U);
  EXPECT_DOUBLE_EQ(profile.windows[0].rate.base(), 4);
  EXPECT_DOUBLE_EQ(profile.windows[1].rate.base(), 2);
  // Variances add up: (3 · 1 + 1 · 9) / 4 = 3.
  EXPECT_NEAR(profile.windows[0].cv * profile.windows[0].cv, 3, 1e-12);
  EXPECT_EQ(import.report.rows_used, 3);
  EXPECT_EQ(import.report.rows_dropped(), 0);
}

TEST(ImportTest, RowsWithoutARateAreMissingDataAndNotLongerWindows) {
  const Import import = import_of("time_s,rate\n0,5\n600,-3\n1200,abc\n1800,7\n");
  const auto& profile = std::get<RateProfile>(import.data);
  ASSERT_EQ(profile.windows.size(), 2U);
  EXPECT_EQ(profile.windows[0].length, 600 * kNanosecondsPerSecond);
  ASSERT_EQ(import.report.gaps.size(), 1U);
  EXPECT_EQ(import.report.gaps[0].length, 1200 * kNanosecondsPerSecond);
  // The shorter of two steps is the window, and no window reaches into the next.
  const Import few = import_of("time_s,rate\n0,1\n600,1\n4000,2\n");
  EXPECT_EQ(std::get<RateProfile>(few.data).windows[1].length, 600 * kNanosecondsPerSecond);
}

TEST(ImportTest, AWindowWithinAnotherIsDroppedAtItsLine) {
  const Import import = import_of("window_start_s,window_s,rate\n0,600,1\n300,600,2\n600,600,3\n");
  const auto& dropped = import.report.dropped[static_cast<std::size_t>(DropReason::kBadValue)];
  EXPECT_EQ(dropped.rows, 1);
  EXPECT_EQ(dropped.first_line, 3);
}

TEST(ImportTest, ARateWithoutTimesSaysWhichColumnItMisses) {
  const auto import = import_demand("f", "hour_of_day,requests_per_hour_mean\n0,5\n");
  ASSERT_FALSE(import);
  EXPECT_EQ(import.error().code, lf::kMissingColumn);
  EXPECT_NE(import.error().hint.find("window_start"), std::string::npos);
}

TEST(ImportTest, LinesThatAreNoRequestsAreSaidToBeThat) {
  const auto import = import_demand(
      "trace.jsonl", "{\"timestamp\":1,\"event\":{\"input_tokens\":15}}\n{\"timestamp\":2}\n");
  ASSERT_FALSE(import);
  EXPECT_EQ(import.error().code, lf::kNotDemand);
  EXPECT_NE(import.error().hint.find("output_length"), std::string::npos);
}

// Whatever the size of the file, and before all of it is split.
TEST(ImportTest, ARowWiderThanAnyTableIsRefusedAtItsLine) {
  const std::string wide(8 << 20, ',');
  for (const auto& [text, line] :
       {std::pair(wide, 1U), {"arrival_s,input_tokens,output_tokens\n0,1,2\n" + wide, 3U}}) {
    const auto import = import_demand("f.csv", text);
    ASSERT_FALSE(import);
    EXPECT_EQ(import.error().code, lf::kNotDemand);
    EXPECT_EQ(import.error().where.line, line) << render(import.error());
  }
  const std::string few(1000, ',');
  const std::string rows = "\n0,1,2" + few + "\n5,1,2" + few + "\n";
  EXPECT_EQ(import_of("arrival_s,input_tokens,output_tokens" + few + rows).report.rows_used, 2);
}

}  // namespace
}  // namespace loadfactor::demand
