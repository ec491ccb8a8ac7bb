// Profiles of steps: what they say, counted once, and what is refused of them.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/error_codes.h"
#include "calibrate/profile/account.h"
#include "calibrate/profile/compared_step.h"
#include "calibrate/profile/nccl_debug.h"

namespace loadfactor::calibrate {
namespace {

constexpr double kMicro = 1e6;

std::string text_of_file(const std::string& path) {
  std::ifstream file(std::string(LF_SOURCE_DIR) + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

KernelRules shipped_rules() {
  Diagnostics diagnostics;
  const auto rules = load_kernel_rules(
      {.path = "integrations/kernels.yaml", .text = text_of_file("data/integrations/kernels.yaml")},
      diagnostics);
  EXPECT_TRUE(rules) << render(diagnostics);
  return rules.value_or(KernelRules{});
}

ProfileAccount account_of(const std::string& text) {
  EXPECT_TRUE(is_profile(text)) << text;
  const auto timeline = read_profile("trace.json", text);
  EXPECT_TRUE(timeline) << (timeline ? "" : render(timeline.error()));
  return timeline ? account_for(*timeline, shipped_rules()) : ProfileAccount{};
}

std::string event(const char* category, const std::string& name, double start, double length,
                  int stream = 7, int launch = 0) {
  return fmt::format(
      R"({{"ph":"X","cat":"{}","name":"{}","ts":{},"dur":{},"args":{{"device":0,"stream":{},)"
      R"("correlation":{}}}}})",
      category, name, start, length, stream, launch);
}

std::string trace(const std::vector<std::string>& events) {
  std::string all;
  for (const std::string& one : events) all += (all.empty() ? "" : ",") + one;
  return R"({"deviceProperties":[{"id":0,"name":"NVIDIA H200"}],"traceEvents":[)" + all + "]}";
}

double micro(const ProfileAccount& account, WorkClass work) {
  return kMicro * account.times[work].base();
}

// Seconds of the device, counted independently: the length of the union of all intervals.
struct Measured {
  const char* file;
  double busy_us;
  double window_us;
  double products_us;
  double attention_us;
};

TEST(Profile, RealStepsAreClassedToNineteenTwentiethsAndMore) {
  for (const Measured& m : {Measured{"decode-eager", 7693, 30748, 4295, 1308},
                            Measured{"decode-graph", 7711, 8278, 4288, 1306},
                            Measured{"prefill", 116669, 119054, 76078, 10825},
                            Measured{"train-compiled", 327796, 331746, 209084, 48043},
                            Measured{"tutorial-llama-3.2-1b-8", 361707, 368562, 160913, 25837}}) {
    const auto account =
        account_of(text_of_file(std::string("tests/data/profiles/") + m.file + ".json.gz"));
    EXPECT_GE(account.classed(), 0.95) << m.file;
    EXPECT_NEAR(kMicro * account.busy().base(), m.busy_us, 1) << m.file;
    EXPECT_NEAR(kMicro * account.times.total().base(), m.window_us, 1) << m.file;
    EXPECT_NEAR(micro(account, WorkClass::kProducts), m.products_us, 12) << m.file;
    EXPECT_NEAR(micro(account, WorkClass::kAttention), m.attention_us, 12) << m.file;
  }
}

TEST(Profile, AStepLaunchedKernelByKernelWaitsForItsHostAndOneFromAGraphDoesNot) {
  const auto eager = account_of(text_of_file("tests/data/profiles/decode-eager.json.gz"));
  const auto graph = account_of(text_of_file("tests/data/profiles/decode-graph.json.gz"));
  EXPECT_GT(eager.times[WorkClass::kHost].base(), 10e-3);
  EXPECT_GT(eager.waits, 1000);
  EXPECT_EQ(graph.times[WorkClass::kHost].base(), 0);
  EXPECT_LT(graph.times[WorkClass::kIdle].base(), 1e-3);
}

TEST(Profile, WorkThatOverlapsCountsOnceAndHidesCommunication) {
  const auto account = account_of(trace({event("kernel", "nvjet_gemm", 0, 100),
                                         event("kernel", "ncclDevKernel_AllReduce", 60, 100, 9),
                                         event("kernel", "flash_fwd", 90, 20, 8)}));
  EXPECT_NEAR(micro(account, WorkClass::kProducts), 100, 1e-6);
  EXPECT_NEAR(micro(account, WorkClass::kAttention), 10, 1e-6);
  EXPECT_NEAR(micro(account, WorkClass::kCommunication), 50, 1e-6);
  EXPECT_NEAR(kMicro * account.hidden.base(), 50, 1e-6);
  EXPECT_NEAR(kMicro * account.times.total().base(), 160, 1e-6);
}

TEST(Profile, AGapBelongsToTheHostUntilItAsksAndIsIdleAfter) {
  const auto account = account_of(trace({event("kernel", "nvjet_a", 0, 10, 7, 1),
                                         event("cuda_runtime", "cudaLaunchKernel", 30, 5, 0, 2),
                                         event("kernel", "nvjet_b", 42, 10, 7, 2)}));
  EXPECT_NEAR(micro(account, WorkClass::kHost), 20, 1e-6);
  EXPECT_NEAR(micro(account, WorkClass::kIdle), 12, 1e-6);
  EXPECT_EQ(account.waits, 1);
}

TEST(Profile, MarkedStepsShareTheTime) {
  const auto account =
      account_of(trace({event("user_annotation", "ProfilerStep#3", 0, 100),
                        event("user_annotation", "ProfilerStep#4", 100, 100),
                        event("gpu_user_annotation", "ProfilerStep#3", 5, 100),
                        event("kernel", "nvjet_a", 0, 80), event("kernel", "nvjet_a", 100, 100)}));
  EXPECT_EQ(account.steps, 2);
  EXPECT_TRUE(account.steps_marked);
  EXPECT_NEAR(micro(account, WorkClass::kProducts), 90, 1e-6);
  EXPECT_NEAR(micro(account, WorkClass::kIdle), 10, 1e-6);
}

TEST(Profile, AMarkedStepIsAsLongAsItsMark) {
  const auto account =
      account_of(trace({event("user_annotation", "ProfilerStep#3", 0, 100),
                        event("user_annotation", "ProfilerStep#4", 100, 100),
                        event("kernel", "nvjet_a", 5, 80), event("kernel", "nvjet_a", 105, 80)}));
  EXPECT_NEAR(micro(account, WorkClass::kProducts), 80, 1e-6);
  EXPECT_NEAR(micro(account, WorkClass::kIdle), 20, 1e-6);
}

TEST(Profile, PointwiseKernelsInsideTheOptimizersRangeAreTheOptimizers) {
  const auto account =
      account_of(trace({event("gpu_user_annotation", "Optimizer.step#AdamW.step", 50, 40),
                        event("kernel", "void at::native::elementwise_kernel<1>", 0, 20),
                        event("kernel", "void at::native::elementwise_kernel<1>", 60, 20),
                        event("kernel", "nvjet_b", 85, 5)}));
  EXPECT_NEAR(micro(account, WorkClass::kPointwise), 20, 1e-6);
  EXPECT_NEAR(micro(account, WorkClass::kOptimizer), 20, 1e-6);
  EXPECT_NEAR(micro(account, WorkClass::kProducts), 5, 1e-6);
}

TEST(Profile, AKernelOfNobodyIsNotClassed) {
  const auto account = account_of(
      trace({event("kernel", "my_own_thing", 0, 30), event("kernel", "nvjet_a", 30, 70)}));
  EXPECT_NEAR(account.classed(), 0.7, 1e-9);
  ASSERT_EQ(account.largest[static_cast<std::size_t>(WorkClass::kUnclassed)].size(), 1U);
  EXPECT_EQ(account.largest[static_cast<std::size_t>(WorkClass::kUnclassed)][0].name,
            "my_own_thing");
}

TEST(Profile, NamesOfLibrariesAndEnginesFindTheirClass) {
  const KernelRules rules = shipped_rules();
  struct Case {
    const char* name;
    WorkClass work;
  };
  for (const Case& c : {
           Case{"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                WorkClass::kCommunication},
           Case{"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>",
                WorkClass::kCommunication},
           Case{"void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128>>",
                WorkClass::kAttention},
           Case{"BatchDecodeWithPagedKVCacheKernel", WorkClass::kAttention},
           Case{"_fwd_kernel_stage2_attn", WorkClass::kAttention},
           Case{"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
                WorkClass::kProducts},
           Case{"ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",
                WorkClass::kProducts},
           Case{"Cijk_Ailk_Bljk_BBS_BH_MT256x256x64", WorkClass::kProducts},
           Case{"fused_moe_kernel", WorkClass::kProducts},
           Case{"triton_tem_fused_mm_5", WorkClass::kProducts},
           Case{"void cutlass::device_kernel<flash::FlashAttnFwdSm90>", WorkClass::kAttention},
           Case{"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctorMaster>",
                WorkClass::kOptimizer},
           Case{"void vllm::act_and_mul_kernel<c10::BFloat16>", WorkClass::kPointwise},
           Case{"triton_poi_fused_add_mul_3", WorkClass::kPointwise},
           Case{"Memcpy HtoD (Pinned -> Device)", WorkClass::kCopies},
       })
    EXPECT_EQ(name(rules.class_of(c.name)), name(c.work)) << c.name;
}

TEST(Profile, TheThreeLargestGapsAreThoseFurthestFromThePrediction) {
  ComparedStep step;
  step.measured.times[WorkClass::kProducts] = Seconds::from_base(1.0);
  step.measured.times[WorkClass::kHost] = Seconds::from_base(0.5);
  step.predicted.emplace();
  (*step.predicted)[WorkClass::kProducts] = Seconds::from_base(0.8);
  (*step.predicted)[WorkClass::kAttention] = Seconds::from_base(0.3);
  (*step.predicted)[WorkClass::kIdle] = Seconds::from_base(0.001);
  (*step.predicted)[WorkClass::kHost] = Seconds::from_base(0.4);
  EXPECT_EQ(step.largest_gaps(3),
            (std::vector{WorkClass::kAttention, WorkClass::kProducts, WorkClass::kHost}));
}

TEST(Profile, AStepOfAnotherKindIsNotOneOfSlowerKernels) {
  ComparedStep step;
  step.measured.times[WorkClass::kProducts] = Seconds::from_base(0.010);
  EXPECT_FALSE(step.is_another_step());  // Nothing is predicted.
  step.predicted.emplace();
  (*step.predicted)[WorkClass::kProducts] = Seconds::from_base(0.014);
  (*step.predicted)[WorkClass::kIdle] = Seconds::from_base(10.0);  // No work of the device.
  EXPECT_FALSE(step.is_another_step());
  (*step.predicted)[WorkClass::kProducts] = Seconds::from_base(0.43);
  EXPECT_TRUE(step.is_another_step());
  EXPECT_NEAR(1 / step.times_predicted(), 43, 1e-9);
  (*step.predicted)[WorkClass::kProducts] = Seconds::from_base(0.001);
  EXPECT_TRUE(step.is_another_step());
}

struct Broken {
  std::string text;
  int code;
};

TEST(Profile, BrokenFilesAreRefusedAndSayWhy) {
  const std::string sound = trace({event("kernel", "nvjet", 0, 10)});
  const std::string packed = text_of_file("tests/data/profiles/decode-graph.json.gz");
  std::string corrupt = packed;
  corrupt[packed.size() / 2] = static_cast<char>(~corrupt[packed.size() / 2]);
  const std::string sqlite("SQLite format 3\0", 16);
  const std::vector<Broken> cases{
      {R"({"traceEvents":[)", lf::kSyntax},
      {R"({"traceEvents":)", lf::kSyntax},
      {R"({"traceEvents")", lf::kSyntax},
      {R"({"traceEvents":[}])", lf::kSyntax},
      {R"({"traceEvents":[{]})", lf::kSyntax},
      {R"({"traceEvents":[{"ph"}]})", lf::kSyntax},
      {R"({"traceEvents":[{"ph":}]})", lf::kSyntax},
      {R"({"traceEvents":[{"ph":"X" "cat":"kernel"}]})", lf::kSyntax},
      {R"({"traceEvents":[{"ph":"X"} {"ph":"X"}]})", lf::kSyntax},
      {R"({"traceEvents":[{"args":{"a":[1,2}])", lf::kSyntax},
      {R"({"traceEvents":[{"name":"unended)", lf::kSyntax},
      {R"({"traceEvents":[{"name":"\)", lf::kSyntax},
      {R"({"traceEvents":[{"args":)" + std::string(100000, '[') + "]}", lf::kSyntax},
      {R"({"traceEvents":[],})", lf::kSyntax},
      {R"({"traceEvents":[]})", lf::kNoMeasurement},
      {R"({"traceEvents":{}})", lf::kNoMeasurement},
      {R"({"traceEvents":null})", lf::kNoMeasurement},
      {trace({event("cpu_op", "aten::mm", 0, 10)}), lf::kNoMeasurement},
      {R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"a","ts":NaN,"dur":1}]})",
       lf::kNoMeasurement},
      {R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"a","ts":1,"dur":-1}]})",
       lf::kNoMeasurement},
      {R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"a","ts":1,"dur":1e999}]})",
       lf::kNoMeasurement},
      {R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"a","ts":1,"dur":1e300}]})",
       lf::kNoMeasurement},
      {R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"a","ts":1e300,"dur":1}]})",
       lf::kNoMeasurement},
      {R"([{"ph":"M","name":"process_name"}])", lf::kNoMeasurement},
      {sound.substr(0, sound.size() - 2), lf::kSyntax},
      {packed.substr(0, packed.size() / 2), lf::kBrokenArchive},
      {corrupt, lf::kBrokenArchive},
      {sqlite, lf::kSyntax},
      {sqlite + std::string(4096, '\0'), lf::kSyntax},
      {sqlite + std::string(4096, '\xff'), lf::kSyntax},
  };
  for (const Broken& broken : cases) {
    // What cannot be unpacked cannot be told apart either.
    ASSERT_TRUE(broken.code == lf::kBrokenArchive || is_profile(broken.text))
        << broken.text.substr(0, 60);
    const auto read = read_profile("trace.json", broken.text);
    ASSERT_FALSE(read) << broken.text.substr(0, 60);
    EXPECT_EQ(read.error().code, broken.code) << broken.text.substr(0, 60);
    EXPECT_FALSE(read.error().message.empty());
  }
}

TEST(Profile, RulesThatAreWrongAreRefusedAtTheirLine) {
  for (const char* text :
       {"schema: kernels/2\ntitle: a\nrules: []\nkind: assumed\nsource: a\ndate: 2026\n",
        "schema: kernels/1\ntitle: a\nrules: [{class: gemm}]\nkind: assumed\nsource: a\ndate: "
        "2026\n",
        "schema: kernels/1\ntitle: a\nrulez: []\nkind: assumed\nsource: a\ndate: 2026\n",
        "schema: kernels/1\ntitle: a\nrules: {}\n", "[]", ""}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(
        load_kernel_rules({.path = "integrations/kernels.yaml", .text = text}, diagnostics))
        << text;
    EXPECT_FALSE(diagnostics.empty()) << text;
  }
}

// An export as `nsys export --type sqlite` lays it out, made in memory.
std::string nsys_export(const std::string& statements) {
  sqlite3* database = nullptr;
  sqlite3_open(":memory:", &database);
  char* fault = nullptr;
  EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, &fault), SQLITE_OK)
      << (fault == nullptr ? "" : fault);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database, "main", &size, 0);
  std::string text(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  return text;
}

constexpr const char* kTables =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
    "streamId INTEGER, correlationId INTEGER, demangledName INTEGER, shortName INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, correlationId INTEGER, "
    "nameId INTEGER);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, text TEXT, textId INTEGER);"
    "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);"
    "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100 80GB HBM3');"
    "INSERT INTO StringIds VALUES (1, 'nvjet_sm90'), (2, 'ncclDevKernel_AllReduce'), "
    "(3, 'ProfilerStep#1');";

TEST(Profile, AnExportOfNsightSystemsIsCountedAlike) {
  const std::string text = nsys_export(
      std::string(kTables) +
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 101000, 0, 7, 1, 1, 1), "
      "(51000, 151000, 0, 9, 2, 2, 2), (191000, 201000, 0, 7, 3, 1, 1);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 10, 1, 1), (161000, 162000, 3, 1);"
      "INSERT INTO NVTX_EVENTS VALUES (0, 100, NULL, 3), (100, 200, 'ProfilerStep#2', NULL);");
  ASSERT_TRUE(is_profile(text));
  const auto timeline = read_profile("report.sqlite", text);
  ASSERT_TRUE(timeline) << render(timeline.error());
  EXPECT_EQ(timeline->device, "NVIDIA H100 80GB HBM3");
  const auto account = account_for(*timeline, shipped_rules());
  EXPECT_EQ(account.steps, 2);
  EXPECT_NEAR(micro(account, WorkClass::kProducts), 55, 1e-6);
  EXPECT_NEAR(micro(account, WorkClass::kCommunication), 25, 1e-6);
  EXPECT_NEAR(micro(account, WorkClass::kHost), 5, 1e-6);
  EXPECT_NEAR(micro(account, WorkClass::kIdle), 15, 1e-6);
}

TEST(Profile, AnExportWithoutKernelsOrWithAViewInTheirPlaceIsRefused) {
  const std::string empty = nsys_export(kTables);
  const std::string view = nsys_export(
      "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE c(start) AS (SELECT 1 UNION ALL "
      "SELECT start + 1 FROM c) SELECT start, start AS end, 0 AS deviceId, 0 AS correlationId, 0 "
      "AS demangledName FROM c;");
  const std::string other = nsys_export("CREATE TABLE notes (id INTEGER);");
  const std::string narrow =
      nsys_export("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER);");
  for (const std::string& text : {empty, view, other})
    EXPECT_EQ(read_profile("report.sqlite", text).error().code, lf::kNoMeasurement);
  EXPECT_EQ(read_profile("report.sqlite", narrow).error().code, lf::kSyntax);
}

TEST(NcclDebug, SaysHowLargeTheGroupsAreAndWhichWayTheyTake) {
  const std::string text =
      "n1:10:11 [0] NCCL INFO NCCL version 2.27.5+cuda12.9\n"
      "n1:10:11 [0] NCCL INFO Using network Socket\n"
      "n1:10:11 [0] NCCL INFO comm 0x5 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0\n"
      "n1:10:11 [0] NCCL INFO 24 coll channels, 24 collnet channels, 0 nvls channels\n"
      "n1:10:11 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
      "n1:10:11 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/Socket/0\n"
      "n1:10:11 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[1] via SHM/direct/direct\n"
      "n1:10:11 [0] NCCL INFO AllReduce: opCount 1f sendbuff 0x1 recvbuff 0x2 count 1048576 "
      "datatype 9 op 0 root 0 comm 0x5 [nranks=16] stream 0x3\n"
      "n1:10:11 [0] NCCL WARN NET/IB : No device found.\n";
  ASSERT_TRUE(is_nccl_debug(text));
  const auto debug = read_nccl_debug("nccl.log", text);
  ASSERT_TRUE(debug) << render(debug.error());
  EXPECT_EQ(debug->version, "2.27.5+cuda12.9");
  EXPECT_EQ(debug->network, "Socket");
  EXPECT_EQ(debug->ranks, 16);
  EXPECT_EQ(debug->hosts, 2);
  EXPECT_EQ(debug->channels, 24);
  EXPECT_EQ(debug->direct, 1);
  EXPECT_EQ(debug->through_host, 1);
  EXPECT_EQ(debug->over_network, 1);
  EXPECT_EQ(debug->into_device, 0);
  EXPECT_EQ(debug->warnings, 1);
  ASSERT_EQ(debug->calls.size(), 1U);
  EXPECT_EQ(debug->calls[0].bytes.base(), 2 * 1048576.0);
}

TEST(NcclDebug, OutputWithoutAGroupIsRefused) {
  EXPECT_EQ(read_nccl_debug("a", "n1:1:1 [0] NCCL INFO Bootstrap : Using eth0\n").error().code,
            lf::kNoMeasurement);
}

}  // namespace
}  // namespace loadfactor::calibrate
