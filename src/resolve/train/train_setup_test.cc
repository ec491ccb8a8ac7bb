// A run's names, lengths and software, resolved.
#include "resolve/train/train_setup.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "resolve/train/testing/trained.h"
#include "resolve/train/train_site.h"
#include "resolve/train/train_stack.h"
#include "workload/parameters.h"

namespace loadfactor::engine {
namespace {

using testing::RunText;
using testing::trained;

TEST(TrainSetupTest, SequencesAreAsWrittenElseUsualWithinTheContext) {
  const auto tokens = [](const char* model, const char* sequence) {
    return trained({.model = model, .sequence = sequence})->job.sequence;
  };
  EXPECT_EQ(tokens("llama-3.1-8b", "4096"), 4096);
  EXPECT_EQ(tokens("llama-3.1-8b", ""), 8192);
  EXPECT_EQ(tokens("gpt3-6.7b", ""), 2048);      // All that it was made for.
  EXPECT_EQ(tokens("{params: 7 B}", ""), 8192);  // Nobody says.
  EXPECT_TRUE(trained({.sequence = ""}).notes("default-sequence"));
  const auto longer = trained({.model = "gpt3-6.7b", .sequence = "4096"});
  EXPECT_TRUE(longer.notes("long-sequence"));
  EXPECT_FALSE(trained({.model = "gpt3-6.7b", .sequence = "2048"}).notes("long-sequence"));
  EXPECT_FALSE(trained({.model = "{params: 7 B}", .sequence = "200000"}).notes("long-sequence"));
  EXPECT_EQ(trained({.layout = "gpus: 6, cp: 3"}).code(), lf::kNotDivisible);
  EXPECT_EQ(trained({.layout = "gpus: 4, cp: 4"}).code(), 0);
}

TEST(TrainSetupTest, NamesThatNobodyKnowsAreRefused) {
  EXPECT_NE(trained({.model = "no-such-model-at-all"}).code(), 0);
  EXPECT_NE(trained({.hardware = "no-such-chip-at-all"}).code(), 0);
  EXPECT_EQ(trained({.model = "bge-large-en", .sequence = "512"}).code(),
            lf::kUnsupportedModelType);
  EXPECT_EQ(trained({.model = "whisper-large-v3", .sequence = "512"}).code(),
            lf::kUnsupportedModelType);
  Diagnostics problems;
  TrainInputs nothing;
  nothing.scenario = config::testing::sound(
      "loadfactor: 1\nname: t\ncapacity: {gpus: 8, load_factor: 40 %}\nhardware: [h100-sxm]\n");
  EXPECT_FALSE(make_train_setup(nothing, testing::shipped(), problems));
  EXPECT_EQ(problems.errors()[0].code, lf::kMissingKey);
}

TEST(TrainSetupTest, AChipIsTheFirstCandidateOrTheOneThatIsAskedFor) {
  const auto two = trained({.hardware = "a100-80gb-sxm, h100-sxm"});
  EXPECT_EQ(two->job.chip->name, "a100-80gb-sxm");
  EXPECT_EQ(two.told("first-accelerator", "candidates"), "2");
  EXPECT_FALSE(trained({}).notes("first-accelerator"));
  const auto usual = trained({.hardware = ""});
  EXPECT_EQ(usual->job.chip->name, testing::shipped().lineup().standard);
  EXPECT_TRUE(usual.notes("default-accelerator"));
  TrainInputs asked;
  asked.accelerator = "b200";
  EXPECT_EQ(trained({}, asked)->job.chip->name, "b200");
  EXPECT_EQ(trained({})->job.fabric.gpus_per_node, 8);
  // A rack is no host.
  EXPECT_FALSE(trained({.hardware = "gb200-nvl72"})->job.fabric.gpus_per_node == 72);
}

TEST(TrainSetupTest, AHostIsSharedByItsGpus) {
  const auto run = trained({});
  const auto& node = **testing::shipped().find_node(run->job.chip->node);
  EXPECT_EQ(run->job.fabric.host_gpus, node.gpus);
  EXPECT_EQ(run->job.fabric.host_memory, node.host->memory);
}

TEST(TrainSetupTest, APrecisionThatIsAskedForGoesBeforeTheScenarios) {
  EXPECT_EQ(trained({})->precision, "bf16");
  EXPECT_TRUE(trained({}).notes("default-precision"));
  const auto written = trained({.keys = "  precision: fp8\n"});
  EXPECT_EQ(written->precision, "fp8");
  EXPECT_FALSE(written.notes("default-precision"));
  TrainInputs asked;
  asked.precision = "fp8-block";
  EXPECT_EQ(trained({.keys = "  precision: bf16\n"}, asked)->precision, "fp8-block");
  EXPECT_EQ(trained({.keys = "  precision: fp7\n"}).code(), lf::kUnsupportedDtype);
  EXPECT_EQ(trained({.keys = "  precision: FP8\n"})->precision, "fp8");
  // An A100 has no units for eight bits.
  EXPECT_EQ(trained({.keys = "  precision: fp8\n", .hardware = "a100-80gb-sxm"})
                .told("no-arithmetic", "rate"),
            "16-bit");
  EXPECT_FALSE(written.notes("no-arithmetic"));
  EXPECT_EQ(trained({.keys = "  precision: nvfp4\n"}).told("no-arithmetic", "rate"), "fp8");
  EXPECT_FALSE(
      trained({.keys = "  precision: nvfp4\n", .hardware = "b200"}).notes("no-arithmetic"));
}

// Adapters of a rank are that many times those of rank one, and a quantised weight is 0.516 bytes
// but for the tables.
TEST(TrainSetupTest, AdaptersAreAShareOfTheParameters) {
  EXPECT_EQ(trained({})->job.trainable_share, 1);
  const auto usual = trained({.keys = "  method: lora\n"});
  EXPECT_EQ(usual.told("default-rank", "rank"), "16");
  const auto two = trained({.keys = "  method: lora\n  lora: 2\n"});
  EXPECT_FALSE(two.notes("default-rank"));
  EXPECT_NEAR(usual->job.trainable_share / two->job.trainable_share, 8, 1e-9);
  EXPECT_LT(usual->job.trainable_share, 0.01);
  EXPECT_EQ(usual->job.precision.frozen_weight, trained({})->job.precision.frozen_weight);
  const auto quantised = trained({.keys = "  method: qlora\n"});
  const auto count = workload::count_parameters(*quantised->job.model);
  const auto all = static_cast<double>(count.total());
  const auto tables = static_cast<double>(count.of(workload::Component::kEmbedding) +
                                          count.of(workload::Component::kHead));
  EXPECT_NEAR(quantised->job.precision.frozen_weight, 2 * tables / all + 0.516 * (1 - tables / all),
              1e-9);
  EXPECT_EQ(quantised.told("default-rank", "rank"), "16");
}

TEST(TrainSetupTest, MethodsWithPhasesBesideAreRefused) {
  for (const char* method : {"full", "lora", "qlora"})
    EXPECT_EQ(trained({.keys = std::string("  method: ") + method + "\n"}).code(), 0) << method;
  EXPECT_EQ(trained({.keys = "  method: dpo\n"}).code(), lf::kContradictoryKeys);
}

TEST(TrainSetupTest, ARunIsOneStepAtLeast) {
  const auto code = [](const char* tokens) {
    return trained({.keys = std::string("  global_batch: 8\n  tokens: ") + tokens + "\n"}).code();
  };
  EXPECT_EQ(code("32768"), 0);  // Eight of 4,096.
  EXPECT_EQ(code("32767"), lf::kOutOfRange);
  EXPECT_EQ(trained({.keys = "  tokens: 4096\n"}).code(), 0);
  EXPECT_EQ(trained({.keys = "  tokens: 4095\n"}).code(), lf::kOutOfRange);
}

// Texts of 1,024 tokens in sequences of 4,096: three quarters are filling where nothing is packed.
TEST(TrainSetupTest, TextsThatAreNotPackedAreFilledUp) {
  const auto run = [](const char* packing) {
    return trained({.keys = std::string("  tokens: 1 B\n  examples: {tokens: 1024, packing: ") +
                            packing + "}\n"});
  };
  const auto packed = run("true");
  const auto filled = run("false");
  EXPECT_NEAR(filled->ask().tokens->value / packed->ask().tokens->value, 4, 1e-9);
  EXPECT_EQ(filled.told("filled-examples", "share"), "75 %");
  EXPECT_EQ(packed.told("packed-examples", "texts"), "4");
}

TEST(TrainSetupTest, SoftwareIsTheUsualOfItsChipUnlessItIsNamed) {
  const auto stack = [](const std::string& keys, const std::string& hardware = "h100-sxm") {
    const auto run = trained({.keys = keys, .hardware = hardware});
    return run.setup ? run->job.stack->name : "refused";
  };
  EXPECT_EQ(stack(""), "megatron-core-2026");
  EXPECT_EQ(stack("", "tpu-v5e"), "xla");
  EXPECT_EQ(stack("", "rtx-4090"), "fsdp-compiled");
  EXPECT_EQ(stack("  stack: {framework: fsdp2}\n"), "fsdp2");
  EXPECT_EQ(stack("  stack: {framework: FSDP2}\n"), "fsdp2");
  EXPECT_EQ(stack("  stack: {framework: megatron}\n"), "megatron-core");
  EXPECT_EQ(stack("  stack: {framework: megatron-cor-2026}\n"), "refused");
  EXPECT_NE(stack("  stack: {framework: megatron, year: 2021}\n"), "megatron-core");
  EXPECT_TRUE(trained({}).notes("default-stack"));
  EXPECT_FALSE(trained({.keys = "  stack: {framework: fsdp2}\n"}).notes("default-stack"));
  EXPECT_TRUE(trained({.keys = "  stack: {framework: fsdp2}\n"})->shards_parameters);
  EXPECT_FALSE(trained({})->shards_parameters);
  EXPECT_EQ(other_usual_stacks(*trained({}).setup), std::vector<std::string>{"fsdp-compiled"});
  EXPECT_EQ(other_usual_stacks(*trained({.keys = "  stack: {framework: fsdp2}\n"}).setup).size(),
            2U);
  EXPECT_TRUE(other_usual_stacks(*trained({.hardware = "tpu-v5e"}).setup).empty());
}

TEST(TrainSetupTest, AnOlderReleaseLacksWhatCameLater) {
  const auto can = [](const char* release) {
    const auto run = trained(
        {.keys = std::string("  stack: {framework: deepspeed, release: ") + release + "}\n"});
    return run->job.stack->abilities.has(training::Ability::kContextParallel);
  };
  EXPECT_TRUE(can("0.10.2"));
  EXPECT_FALSE(can("0.10.1"));
}

TEST(TrainSetupTest, ASlowerTransportTakesAShareOfTheLine) {
  const auto network = [](const std::string& keys) {
    return trained({.more = "facility: {network: {" + keys + "}}\n"});
  };
  EXPECT_EQ(network("transport: of-nobody").code(), lf::kUnknownWord);
  EXPECT_EQ(network("topology: of-nobody").code(), lf::kUnknownWord);
  const auto plain = network("topology: fat-tree");
  ASSERT_TRUE(plain.setup) << plain.refusal();
  EXPECT_EQ(plain->job.fabric.oversubscription, 1);
  EXPECT_EQ(plain->job.fabric.transport_share, 1);
  const auto thin = network("topology: fat-tree, oversubscription: 2");
  EXPECT_EQ(thin->job.fabric.oversubscription, 2);
  const auto& transports = plain->data->collectives.transports;
  const auto& direct = transports.front();
  for (const auto& row : transports) {
    const auto run = network("transport: " + row.transport);
    ASSERT_TRUE(run.setup) << row.transport;
    const auto& chip = *run->job.chip;
    double rate = chip.scale_out->bandwidth.base();
    if (row.host_share > 0) rate = std::min(rate, chip.host->bandwidth.base() * row.host_share);
    if (row.ceiling.base() > 0) rate = std::min(rate, row.ceiling.base());
    EXPECT_NEAR(run->job.fabric.transport_share,
                rate / chip.scale_out->bandwidth.base() * row.fraction / direct.fraction, 1e-9)
        << row.transport;
    EXPECT_NEAR(run->job.fabric.transport_latency.base(),
                std::max(0.0, row.latency.base() - direct.latency.base()), 1e-12)
        << row.transport;
  }
}

TEST(TrainSetupTest, WithoutASiteOfOnesOwnTheShippedTermsMoveNothing) {
  Diagnostics problems;
  const auto site = find_site(testing::shipped(), "h100-sxm", "megatron-core-2026", problems);
  ASSERT_TRUE(site);
  EXPECT_EQ(site->steps, 0);
  EXPECT_TRUE(problems.empty());
  EXPECT_FALSE(trained({}).notes("site-calibrated"));
}

}  // namespace
}  // namespace loadfactor::engine
