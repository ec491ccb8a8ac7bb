// A service's names and settings, resolved once for every verb.
#include "resolve/serve/service.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "resolve/demand/fleet_demand.h"
#include "resolve/serve/serve_batch.h"
#include "resolve/serve/service_formats.h"
#include "resolve/serve/serving_world.h"
#include "resolve/serve/testing/served.h"

namespace loadfactor::engine {
namespace {

using testing::notes;
using testing::Scene;
using testing::served;
using testing::told;

TEST(ServiceTest, APoolsChipGoesBeforeCandidatesAndCandidatesBeforeTheUsualOne) {
  const std::string candidates = "hardware: [a100-80gb-sxm, l40s]\n";
  const auto named = served({.more = candidates});
  EXPECT_EQ(named->chip->name, "h100-sxm");
  EXPECT_FALSE(notes(*named.setup, "first-accelerator"));
  const auto first = served({.deployment = "{engine: vllm, tp: 1}", .more = candidates});
  EXPECT_EQ(first->chip->name, "a100-80gb-sxm");
  EXPECT_EQ(told(*first.setup, "first-accelerator", "candidates"), "2");
  const auto one = served({.deployment = "{engine: vllm, tp: 1}", .more = "hardware: [l40s]\n"});
  EXPECT_FALSE(notes(*one.setup, "first-accelerator"));
  const auto usual = served({.deployment = "{engine: vllm, tp: 1}"});
  EXPECT_EQ(usual->chip->name, testing::shipped().lineup().standard);
  EXPECT_TRUE(notes(*usual.setup, "default-accelerator"));
}

TEST(ServiceTest, NamesThatNobodyKnowsAreRefused) {
  EXPECT_NE(served({.model = "no-such-model-at-all"}).code(), 0);
  EXPECT_NE(served({.deployment = "{gpu: no-such-chip-at-all, tp: 1}"}).code(), 0);
  EXPECT_NE(served({.deployment = "{engine: no-such-engine-at-all, tp: 1}"}).code(), 0);
  EXPECT_NE(served({.more = "hardware: [h100-sxm, no-such-chip-at-all]\n"}).code(), 0);
  EXPECT_EQ(served({.demand = "{requests_per_second: 4, tokens_in: 10, tokens_out: 10, shape: "
                              "of-nobody}"})
                .code(),
            lf::kUnknownPreset);
}

TEST(ServiceTest, AnEngineIsTheOneThatIsNamedElseTheUsual) {
  const auto usual = served({.deployment = "{gpu: h100-sxm, tp: 1}"});
  EXPECT_EQ(usual->engine->name, testing::shipped().lineup().engines.standard);
  EXPECT_TRUE(notes(*usual.setup, "default-engine"));
  const auto named = served({.deployment = "{gpu: h100-sxm, engine: sglang, tp: 1}"});
  EXPECT_EQ(named->engine->name, "sglang");
  EXPECT_FALSE(notes(*named.setup, "default-engine"));
  EXPECT_FALSE(notes(*named.setup, "unknown-release"));
  const auto released =
      served({.deployment = "{gpu: h100-sxm, engine: vllm, release: 8.1.0, tp: 1}"});
  EXPECT_EQ(told(*released.setup, "unknown-release", "release"), "8.1.0");
  EXPECT_NE(told(*released.setup, "unknown-release", "newest"), "none");
  EXPECT_EQ(engine_words(*released->engine, released->ask()), "vllm 8.1.0");
  EXPECT_EQ(engine_words(*named->engine, named->ask()), named->engine->title);
}

TEST(ServiceTest, RequestsMustFitTheModelsContext) {
  const auto code = [](const char* demand) { return served({.demand = demand}).code(); };
  // 131,072 tokens.
  EXPECT_EQ(code("{requests_per_second: 1, tokens_in: 131000, tokens_out: 72}"), 0);
  EXPECT_EQ(code("{requests_per_second: 1, tokens_in: 131000, tokens_out: 73}"),
            lf::kContextTooLong);
}

TEST(ServiceTest, AModelThatWritesNothingIsAskedForNothing) {
  Scene scene{.model = "bge-large-en",
              .demand = "{requests_per_second: 4, tokens_in: 512, tokens_out: 0}"};
  const auto embedded = served(scene);
  ASSERT_TRUE(embedded.setup) << embedded.refusal();
  EXPECT_EQ(embedded->tokens_out, 1);
  EXPECT_EQ(embedded->ask().demand->tokens_out->value.base(), 0);
  const auto code = [&](const std::string& demand, const std::string& slo = "",
                        const std::string& deployment = "{gpu: h100-sxm, tp: 1}") {
    Scene other = scene;
    other.demand = demand;
    other.slo = slo;
    other.deployment = deployment;
    return served(other).code();
  };
  const std::string asked = "{requests_per_second: 4, tokens_in: 100, tokens_out: ";
  EXPECT_EQ(code(asked + "1}"), 0);
  EXPECT_EQ(code(asked + "2}"), lf::kContradictoryKeys);
  EXPECT_EQ(code(asked + "0}", "{tpot_p95: 40 ms}"), lf::kContradictoryKeys);
  EXPECT_EQ(code(asked + "0}", "{ttft_p95: 1 s}"), 0);
  EXPECT_EQ(code(asked + "0}", "", "{gpu: h100-sxm, tp: 1, prefix_hits: 50 %}"),
            lf::kContradictoryKeys);
  EXPECT_EQ(code(asked + "0}", "", "{gpu: h100-sxm, tp: 1, prefix_hits: 0 %}"), 0);
  EXPECT_EQ(code("{requests_per_second: 4, tokens_in: 513, tokens_out: 0}"), lf::kContextTooLong);
  // A model that writes is asked for something.
  EXPECT_EQ(served({.demand = asked + "0}"}).code(), lf::kOutOfRange);
  EXPECT_EQ(served({.deployment = "{gpu: h100-sxm, tp: 1, prefix_hits: 50 %}"}).code(), 0);
}

// 1,500 frames are a window of sound, and 448 positions are left for what is written of it.
TEST(ServiceTest, SoundIsReadInWholeWindows) {
  const auto heard = [](const char* tokens, const char* written) {
    return served({.model = "whisper-large-v3",
                   .demand = std::string("{requests_per_second: 1, tokens_in: ") + tokens +
                             ", tokens_out: " + written + "}"});
  };
  const auto part = heard("900", "100");
  ASSERT_TRUE(part.setup) << part.refusal();
  EXPECT_EQ(part->tokens_in, 1500);
  EXPECT_EQ(part->seen, 1);
  EXPECT_TRUE(notes(*part.setup, "filled-window"));
  const auto whole = heard("1500", "448");
  ASSERT_TRUE(whole.setup) << whole.refusal();
  EXPECT_FALSE(notes(*whole.setup, "filled-window"));
  EXPECT_EQ(heard("1501", "100").code(), lf::kContextTooLong);
  EXPECT_EQ(heard("900", "449").code(), lf::kContextTooLong);
  const auto unsaid = served({.model = "whisper-large-v3", .demand = ""});
  EXPECT_EQ(unsaid->tokens_in, 1500);
}

// 576 tokens for each image, in front of what is written.
TEST(ServiceTest, ImagesAreTokensOfThePrompt) {
  const auto seen = served({.model = "llava-1.5-7b",
                            .demand = "{requests_per_second: 1, tokens_in: 424, tokens_out: 100, "
                                      "images: 1}"});
  ASSERT_TRUE(seen.setup) << seen.refusal();
  EXPECT_EQ(seen->tokens_in, 1000);
  EXPECT_DOUBLE_EQ(seen->seen, 0.576);
  EXPECT_EQ(told(*seen.setup, "image-tokens", "prompt"), "1000");
  EXPECT_EQ(served({.demand = "{requests_per_second: 1, tokens_in: 424, tokens_out: 100, images: "
                              "1}"})
                .code(),
            lf::kContradictoryKeys);
}

TEST(ServiceTest, AModelIsOfTheCatalogueOrDescribed) {
  const auto sized = served({.model = "{params: 8 B}"});
  ASSERT_TRUE(sized.setup) << sized.refusal();
  EXPECT_TRUE(notes(*sized.setup, "assumed-shape"));
  EXPECT_EQ(sized->model, sized->described.get());
  const auto drawn =
      served({.model = "{layers: 32, hidden: 4096, heads: 32, kv_heads: 8, mlp: 14336, vocab: "
                       "128256}"});
  ASSERT_TRUE(drawn.setup) << drawn.refusal();
  EXPECT_EQ(drawn->model->num_layers(), 32);
  EXPECT_FALSE(notes(*drawn.setup, "assumed-shape"));
}

TEST(ServiceTest, WithoutADemandRequestsAreOfTheUsualLengths) {
  const auto usual = served({.demand = ""});
  EXPECT_EQ(usual->tokens_in, 1000);
  EXPECT_EQ(usual->tokens_out, 200);
  EXPECT_TRUE(notes(*usual.setup, "default-lengths"));
  const auto brief = served({.model = "bge-large-en", .demand = ""});
  ASSERT_TRUE(brief.setup) << brief.refusal();
  EXPECT_EQ(brief->tokens_in, 256);  // Half of what it was made for.
  EXPECT_EQ(brief->tokens_out, 1);
  const auto drawn = served({.model = "{params: 8 B}", .demand = ""});  // Nobody knows its context.
  EXPECT_EQ(drawn->tokens_in, 1000);
  EXPECT_FALSE(notes(*served({}).setup, "default-lengths"));
}

TEST(ServiceTest, AnSloIsThePromiseOfEachKind) {
  const auto found = served({.slo = "{ttft_p90: 2 s, ttft_p95: 3 s, tpot_p99: 50 ms}"});
  ASSERT_TRUE(found.setup) << found.refusal();
  const auto& promise = found->promise;
  EXPECT_EQ(promise.ttft.base(), 3);
  EXPECT_EQ(promise.ttft_quantile, 0.95);
  EXPECT_EQ(promise.tpot.base(), 0.05);
  EXPECT_EQ(promise.tpot_quantile, 0.99);
  EXPECT_EQ(promise.cached, 0);
  const auto cached = served({.deployment = "{gpu: h100-sxm, tp: 1, prefix_hits: 40 %}"});
  EXPECT_DOUBLE_EQ(cached->promise.cached, 0.4);
  EXPECT_EQ(cached->promise.ttft, Seconds());
}

TEST(ServiceTest, ADeadlinePromisesTheFirstTokenInWhatTheQueueLeaves) {
  const auto held = served({.beside = "  deadline: 10 h\n"});
  ASSERT_TRUE(held.setup) << held.refusal();
  EXPECT_NEAR(held->promise.ttft.base(), 3600, 1e-6);  // A tenth of ten hours.
  EXPECT_EQ(held->promise.ttft_quantile, 0.99);
  const auto beside = served({.slo = "{availability: 99.9 %}", .beside = "  deadline: 10 h\n"});
  EXPECT_NEAR(beside->promise.ttft.base(), 3600, 1e-6);
  EXPECT_EQ(served({})->promise.ttft, Seconds());
}

TEST(ServiceTest, KeysThatActOnSingleRequestsAreSaidToNeedASimulation) {
  EXPECT_FALSE(notes(*served({}).setup, "simulated-keys"));
  const auto keyed = served(
      {.deployment = "{gpu: h100-sxm, tp: 1, urgent: 10 %, timeout: 60 s, router: round-robin}"});
  EXPECT_EQ(told(*keyed.setup, "simulated-keys", "keys"), "urgent, router, timeout");
}

TEST(ServiceTest, SpeculationAndAdaptersStandInTheReplica) {
  const auto plain = served({});
  EXPECT_EQ(plain->plan.choice.speculation.tokens, 0);
  EXPECT_EQ(plain->plan.choice.adapters.rank, 0);
  const auto guessed = served(
      {.deployment = "{gpu: h100-sxm, tp: 1, speculation: {tokens: 3, acceptance: 70 %}, lora: "
                     "{rank: 16, active: 4}}"});
  ASSERT_TRUE(guessed.setup) << guessed.refusal();
  EXPECT_EQ(guessed->plan.choice.speculation.tokens, 3);
  EXPECT_DOUBLE_EQ(guessed->plan.choice.speculation.acceptance, 0.7);
  EXPECT_EQ(guessed->plan.choice.adapters.rank, 16);
  EXPECT_EQ(guessed->plan.choice.adapters.active, 4);
}

TEST(ServiceTest, ABatchBeyondTheChunkIsRefusedWhereItIsWritten) {
  const auto code = [](const char* keys) {
    return served({.deployment = std::string("{gpu: h100-sxm, engine: vllm, tp: 1, ") + keys + "}"})
        .code();
  };
  EXPECT_EQ(code("chunk: 512, max_seqs: 512"), 0);
  EXPECT_EQ(code("chunk: 512, max_seqs: 513"), lf::kContradictoryKeys);
  const auto set = served({.deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, chunk: 512, "
                                         "max_seqs: 100}"});
  EXPECT_EQ(set->plan.choice.chunk, 512);
  EXPECT_EQ(set->plan.choice.max_seqs, 100);
  EXPECT_FALSE(notes(*set.setup, "lowered-max-seqs"));
  // Sequences that guess three tokens take four of every step.
  serving::BatchLimits limits{
      .chunk = 400, .max_sequences = 100, .unbounded_sequences = 256, .tokens_each = 4};
  const auto lowered = lowered_sequences(limits);
  ASSERT_TRUE(lowered);
  EXPECT_EQ(lowered->arguments.back().name, "proposed");
  EXPECT_EQ(lowered->arguments.back().text, "3");
  limits.max_sequences = 256;
  EXPECT_FALSE(lowered_sequences(limits));
}

TEST(ServiceTest, WordsForWeightsMeanWhatPeopleWrite) {
  const auto& model = testing::model_of("llama-3.1-8b");
  const auto recipe = [&](const char* word) {
    const auto found = choose_recipe(word, model);
    return found ? std::string((*found)->name) : "refused";
  };
  EXPECT_EQ(recipe(""), recipe("auto"));
  EXPECT_EQ(recipe(""), recipe("bf16"));
  EXPECT_EQ(recipe("awq"), recipe("int4"));
  EXPECT_NE(recipe("awq"), "refused");
  EXPECT_NE(recipe("gptq"), "refused");
  EXPECT_NE(recipe("awq"), recipe("gptq"));
  EXPECT_NE(recipe("fp8"), recipe("bf16"));
  EXPECT_EQ(recipe("fp7"), "refused");
  EXPECT_EQ(recipe_in_name("Qwen/Qwen2.5-7B-Instruct-AWQ"), "awq");
  EXPECT_EQ(recipe_in_name("llama-3.1-8b-FP8"), "fp8");
  EXPECT_EQ(recipe_in_name("llama-3.1-8b"), "");
  EXPECT_EQ(recipe_in_name("llama-3.1-8b-bf16"), "");  // As it is released anyway.
}

TEST(ServiceTest, AFleetOfTwoKindsOfGpuIsNotSizedTogether) {
  const auto code = [](const char* prompts) {
    const Scene scene{.deployment = std::string("{engine: vllm, prefill: {gpu: ") + prompts +
                                    ", tp: 1}, decode: {gpu: h100-sxm, tp: 1}}"};
    Diagnostics problems;
    ServingInputs question;
    question.scenario = scene.scenario();
    const auto world = ServingWorld::create(question, testing::shipped(), problems);
    EXPECT_EQ(world != nullptr, problems.empty());
    return problems.empty() ? 0 : problems.errors()[0].code;
  };
  EXPECT_EQ(code("h100-sxm"), 0);
  EXPECT_EQ(code("a100-80gb-sxm"), lf::kContradictoryKeys);
}

TEST(ServiceTest, AWorldKnowsItsDemandItsCandidatesAndItsReplica) {
  Diagnostics problems;
  ServingInputs question;
  question.scenario = Scene{.deployment = "{engine: vllm, tp: 1}",
                            .slo = "{e2e_p95: 20 s, ttft_p90: 1 s}",
                            .more = "hardware: [h100-sxm, l40s]\n"}
                          .scenario();
  const auto world = ServingWorld::create(question, testing::shipped(), problems);
  ASSERT_TRUE(world) << render(problems);
  EXPECT_EQ(world->demand().mean(), 4);
  EXPECT_EQ(world->ask().input, 1000);
  EXPECT_EQ(world->slo_quantile(), 0.9);
  EXPECT_TRUE(notes(world->service(), "unsized-slo"));
  EXPECT_EQ(world->candidates("", problems).size(), 2U);
  EXPECT_EQ(world->candidates("a100-80gb-sxm", problems).size(), 1U);
  EXPECT_TRUE(problems.empty());
  EXPECT_TRUE(world->candidates("no-such-chip-at-all", problems).empty());
  EXPECT_FALSE(problems.empty());
  const auto plan = world->replica(Side::kDecode, testing::chip_of("h100-sxm"));
  ASSERT_TRUE(plan);
  const auto capacity = world->capacity(*plan);
  EXPECT_GT(capacity.capacity.saturated, Hertz());
  EXPECT_LE(capacity.capacity.at_slo, capacity.capacity.saturated);
  Diagnostics none;
  question.scenario = config::testing::sound(
      "loadfactor: 1\nname: x\ncapacity: {gpus: 8, load_factor: 40 %}\nhardware: [l40s]\n");
  EXPECT_FALSE(ServingWorld::create(question, testing::shipped(), none));
  EXPECT_EQ(none.errors()[0].code, lf::kMissingKey);
}

}  // namespace
}  // namespace loadfactor::engine
