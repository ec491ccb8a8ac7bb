// How a deploy replaces replicas: what emitted manifests say of it.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "engine/launch/testing/emitted.h"

namespace loadfactor::engine {
namespace {

using testing::Emitted;
using testing::emitted;
using testing::service_of;

// The lines of a rollout, without their remarks.
std::string rollout_of(const Emitted& service) {
  std::string steps;
  for (const char* key : {"maxUnavailable: ", "maxSurge: "}) {
    const std::string all = service.text();
    const auto strategy = all.find("RollingUpdate");
    const auto at = strategy == std::string::npos ? strategy : all.find(key, strategy);
    if (at == std::string::npos) return service.complaints + all;
    steps += all.substr(at, all.find_first_of(" \n", at + std::string_view(key).size()) - at) + " ";
  }
  return steps;
}

TEST(RolloutTest, ADeployTakesOutWhatIsToSpareOrStartsOneMoreFirst) {
  const std::string plain = service_of("engine: vllm, tp: 4, replicas: 3");
  EXPECT_EQ(rollout_of(emitted("kubernetes", plain)), "maxUnavailable: 0 maxSurge: 1 ");
  const auto with = [&plain](const std::string& more) {
    return emitted("kubernetes", plain + more);
  };
  // Three replicas of four GPUs, and room for no other.
  EXPECT_EQ(rollout_of(with("limits: {gpus: 15}\n")), "maxUnavailable: 1 maxSurge: 0 ");
  EXPECT_EQ(rollout_of(with("limits: {gpus: 16}\n")), "maxUnavailable: 0 maxSurge: 1 ");
  const auto spared = emitted("kubernetes", plain, 2);
  EXPECT_EQ(rollout_of(spared), "maxUnavailable: 2 maxSurge: 0 ");
  EXPECT_TRUE(spared.has("the others hold the bounds without them"));
}

TEST(RolloutTest, AReplicaOverSeveralNodesIsReplacedAsAWhole) {
  const auto group = emitted("kubernetes", service_of("engine: vllm, tp: 8, pp: 2, replicas: 2"));
  EXPECT_TRUE(group.has("rolloutStrategy:")) << group.complaints;
  EXPECT_EQ(rollout_of(group), "maxUnavailable: 0 maxSurge: 1 ");
}

TEST(RolloutTest, ASectionThatATargetCannotExpressIsShownAtItsLine) {
  const auto service = emitted("kubernetes", service_of("engine: vllm, prefill: {tp: 4, replicas: "
                                                        "2}, decode: {tp: 4, replicas: 1}"));
  EXPECT_TRUE(service.files.empty());
  EXPECT_NE(service.complaints.find("case.yaml:6:"), std::string::npos) << service.complaints;
}

TEST(RolloutTest, ReplicasOnCoresOfAChipAreRefused) {
  for (const char* target : {"vllm", "kubernetes"}) {
    const auto service =
        emitted(target,
                "loadfactor: 1\nname: case\nserve:\n  model: llama-3.1-8b\n  precision: bf16\n"
                "  deployment: {engine: vllm, tp: 2, replicas: 1}\nhardware: [trainium2]\n");
    EXPECT_TRUE(service.files.empty()) << target;
    EXPECT_NE(service.complaints.find("the cores of a chip"), std::string::npos)
        << service.complaints;
  }
}

}  // namespace
}  // namespace loadfactor::engine
