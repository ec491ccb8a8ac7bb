// Every reader against every way in which real files are dirty: one table of readers, one of dirt.
#include <functional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "demand/read/import.h"
#include "demand/testing/gzip.h"

namespace loadfactor::demand {
namespace {

struct ReaderRow {
  const char* name;
  std::string clean;
  std::size_t kind;  // Index of the alternative in DemandData.
  std::int64_t used;
};

const std::vector<ReaderRow>& readers() {
  static const std::vector<ReaderRow> kRows{
      {"Azure requests",
       "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n"
       "2023-11-16 18:15:50.9951690,396,109\n",
       0, 2},
      {"BurstGPT requests",
       "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
       "5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,1087,230,1317,Conversation log\n",
       0, 2},
      {"BurstGPT requests with sessions",
       "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log "
       "Type\n19440110.0,a-b,43,GPT-4,906,446,1352,x\n19440161.0,c-d,2,ChatGPT,36,29,65,x\n",
       0, 2},
      {"our requests",
       "arrival_s,input_tokens,output_tokens,session,client\n0,10,1,1,7\n1.5,20,2,1,7\n", 0, 2},
      {"Vidur requests", "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,10,1\n1.5,20,2\n", 0,
       2},
      {"Mooncake lines",
       "{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [7, 9]}\n"
       "{\"timestamp\": 3000, \"input_length\": 60, \"output_length\": 5, \"hash_ids\": [1]}\n",
       0, 2},
      {"Qwen lines",
       "{\"chat_id\": 3, \"parent_chat_id\": -1, \"timestamp\": 61.114, \"input_length\": 5, "
       "\"output_length\": 1, \"type\": \"text\", \"turn\": 1, \"hash_ids\": [1]}\n"
       "{\"chat_id\": 4, \"parent_chat_id\": -1, \"timestamp\": 62.5, \"input_length\": 6, "
       "\"output_length\": 2, \"type\": \"text\", \"turn\": 1, \"hash_ids\": [1]}\n",
       0, 2},
      {"rates with a spread", "window_start_s,window_s,rate_rps,cv\n0,600,3,1\n600,600,2,1.5\n", 1,
       2},
      {"rates",
       "window_start_utc,window_s,requests_per_min\n2024-05-12 00:00:00,600,60\n"
       "2024-05-12 00:10:00,600,120\n",
       1, 2},
      {"Slurm jobs",
       "JobID|AllocTRES|ElapsedRaw|State|Submit|Start|End\n"
       "56|cpu=8,gres/gpu=8|3600|COMPLETED|2024-10-20T20:00:00|2024-10-20T21:00:00|"
       "2024-10-20T22:00:00\n",
       2, 1},
      {"Acme jobs",
       "job_id,submit_time,gpu_num,duration_s,queue_s\na,2023-05-17 11:00:58+00:00,64,18.0,10.0\n",
       2, 1},
      {"Helios jobs",
       "job_id,user,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
       "1,u,8,64,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:01:00,2020-04-01 01:01:00,3600,60\n",
       2, 1},
      {"Philly jobs",
       "jobid,status,submitted_time,start_time,end_time,gpus\n"
       "a_1,Pass,2017-10-03 00:00:00,2017-10-03 00:10:00,2017-10-03 01:10:00,4\n",
       2, 1},
      {"openb jobs",
       "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
       "deletion_time,scheduled_time\nopenb-pod-0000,12000,16384,1,1000,,LS,Running,0,12537496,0\n",
       2, 1},
      {"GuideLLM results",
       "{\"benchmarks\": [{\"requests\": {\"successful\": [{\"start_time\": 5.0, "
       "\"prompt_tokens\":\n7, \"output_tokens\": 3}, {\"start_time\": 6.0, \"prompt_tokens\": 8, "
       "\"output_tokens\": 3}]}}]}\n",
       0, -1},
      {"AIPerf results",
       "{\"request_throughput\": {\"unit\": \"requests/sec\", \"avg\": 4.0},\n\"request_count\": "
       "{\"avg\": 40}, \"input_sequence_length\": {\"avg\": 550}, \"output_sequence_length\": "
       "{\"avg\": 256}}\n",
       1, -1},
      {"vLLM results",
       "{\"duration\": 10.0, \"completed\": 20, \"total_input_tokens\": 300,\n"
       "\"total_output_tokens\": 60}\n",
       1, -1},
      {"query_range",
       "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
       "{\"metric\":{\"pod\":\"a\"},\"values\":[[100,\"1\"],[160,\"2\"]]}]}}\n",
       1, -1},
      {"DCGM text",
       "# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).\n"
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 98\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 300\n",
       3, -1},
      {"Prometheus text",
       "# TYPE vllm:request_success_total counter\n"
       "vllm:request_success_total{model_name=\"m\"} 12\n"
       "vllm:prompt_tokens_total{model_name=\"m\"} 1200\n",
       3, -1},
  };
  return kRows;
}

struct DirtRow {
  const char* name;
  std::function<std::string(const std::string&)> make;
};

std::string with_crlf(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return out;
}

const std::vector<DirtRow>& dirt() {
  static const std::vector<DirtRow> kRows{
      {"as it is", [](const std::string& text) { return text; }},
      {"CRLF", with_crlf},
      {"no last newline", [](const std::string& text) { return text.substr(0, text.size() - 1); }},
      {"CRLF, no last newline",
       [](const std::string& text) {
         const std::string crlf = with_crlf(text);
         return crlf.substr(0, crlf.size() - 2);
       }},
      {"a byte-order mark", [](const std::string& text) { return "\xEF\xBB\xBF" + text; }},
      {"gzip", packed},
      {"gzip of CRLF", [](const std::string& text) { return packed(with_crlf(text)); }},
      {"an empty line at the end", [](const std::string& text) { return text + "\n"; }},
  };
  return kRows;
}

TEST(DirtyInputTest, EveryReaderReadsEveryKindOfFile) {
  for (const ReaderRow& reader : readers()) {
    for (const DirtRow& row : dirt()) {
      const auto import = import_demand("f", row.make(reader.clean));
      ASSERT_TRUE(import) << reader.name << ", " << row.name << ": " << render(import.error());
      EXPECT_EQ(import->data.index(), reader.kind) << reader.name << ", " << row.name;
      EXPECT_EQ(import->report.rows_dropped(), 0) << reader.name << ", " << row.name;
      if (reader.used >= 0) {
        EXPECT_EQ(import->report.rows_used, reader.used) << reader.name << ", " << row.name;
      }
    }
  }
}

TEST(DirtyInputTest, StampsOfEverySpellingAreTheSameMoment) {
  for (int decimals = 0; decimals <= 9; ++decimals) {
    const std::string fraction =
        decimals == 0
            ? ""
            : "." + std::string("500000000").substr(0, static_cast<std::size_t>(decimals));
    for (const char* between : {" ", "T"}) {
      for (const char* zone : {"", "Z", "+00:00"}) {
        const std::string text =
            std::string("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-12") + between +
            "00:00:00,1,1\n2024-05-12" + between + "00:00:07" + fraction + zone + ",1,1\n";
        const auto import = import_demand("f", text);
        ASSERT_TRUE(import) << text;
        const auto& trace = std::get<Trace>(import->data);
        EXPECT_EQ(trace.requests.at(1).at, (decimals == 0 ? 7'000'000'000 : 7'500'000'000)) << text;
      }
    }
  }
}

TEST(DirtyInputTest, EveryReasonForDroppingARowIsCountedAndTheUnitIsSaid) {
  struct Case {
    const char* what;
    std::string text;
    DropReason reason;
  };
  const std::string head = "timestamp,input_tokens,output_tokens\n1,1,1\n2,1,1\n";
  const std::vector<Case> cases{
      {"zero tokens", head + "3,0,0\n", DropReason::kZeroTokens},
      {"an unparsable time", head + "later,1,1\n", DropReason::kBadStamp},
      {"unparsable tokens", head + "3,x,1\n", DropReason::kBadTokens},
      {"cells missing", head + "3,1\n", DropReason::kBadCells},
  };
  for (const Case& one : cases) {
    const auto import = import_demand("f", one.text);
    ASSERT_TRUE(import) << one.what;
    EXPECT_EQ(import->report.rows_used, 2) << one.what;
    EXPECT_EQ(import->report.dropped[static_cast<std::size_t>(one.reason)].rows, 1) << one.what;
    EXPECT_EQ(import->report.dropped[static_cast<std::size_t>(one.reason)].first_line, 4)
        << one.what;
    EXPECT_FALSE(import->report.time_unit_why.empty()) << one.what;
  }
  const auto late = import_demand("f", head + "1.5,1,1\n");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->report.out_of_order, 1);  // Put in order, not dropped.
  EXPECT_EQ(late->report.rows_used, 3);
}

TEST(DirtyInputTest, EveryNameOfAColumnIsKnownInAnyCase) {
  const std::vector<std::string> times{"TIMESTAMP",  "timestamp", "Timestamp",
                                       "arrived_at", "arrival_s", "arrival_time"};
  const std::vector<std::string> inputs{"ContextTokens", "num_prefill_tokens", "Request tokens",
                                        "input_tokens",  "input_length",       "prompt_tokens",
                                        "input_toks"};
  const std::vector<std::string> outputs{
      "GeneratedTokens", "num_decode_tokens", "Response tokens", "output_tokens",
      "output_length",   "completion_tokens", "output_toks"};
  for (const std::string& time : times) {
    for (const std::string& input : inputs) {
      for (const std::string& output : outputs) {
        const std::string text =
            output + "," + time + ",ignored," + input + "\n2,0.5,x,10\n4,1.5,y,20\n";
        const auto import = import_demand("f", text);
        ASSERT_TRUE(import) << text;
        const auto& trace = std::get<Trace>(import->data);
        ASSERT_EQ(trace.size(), 2U) << text;
        EXPECT_EQ(trace.requests[1], (Request{1'000'000'000, 20, 4})) << text;
      }
    }
  }
}

TEST(DirtyInputTest, TheBlockOfAPrefixIsThatOfItsFileUnlessDeclared) {
  const auto block_of = [](const std::string& text, const ReadOptions& options) {
    const auto import = import_demand("f", text, options);
    EXPECT_TRUE(import);
    return import ? std::get<Trace>(import->data).prefixes.block_tokens : 0;
  };
  const std::string mooncake =
      "{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [7, 9]}\n"
      "{\"timestamp\": 9, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [7, 9]}\n";
  EXPECT_EQ(block_of(mooncake, {}), 512);
  EXPECT_EQ(block_of(mooncake, {.block_tokens = 300}), 300);
  // 40 tokens in three blocks: two are full, so that they have 19 tokens at most.
  const std::string qwen =
      "{\"timestamp\": 61.1, \"input_length\": 40, \"output_length\": 1, \"hash_ids\": [1, 2, "
      "3]}\n"
      "{\"timestamp\": 62.1, \"input_length\": 40, \"output_length\": 1, \"hash_ids\": [1, 2, "
      "3]}\n";
  EXPECT_EQ(block_of(qwen, {}), 16);
}

}  // namespace
}  // namespace loadfactor::demand
