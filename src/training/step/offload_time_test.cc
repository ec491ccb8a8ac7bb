#include "training/step/offload_time.h"

#include <gtest/gtest.h>

#include "catalog/spec/node_spec.h"
#include "training/step/step_fixture.h"

namespace loadfactor::training {
namespace {

struct OffloadTime : StepFixture {
  OffloadTime() {
    chip.host = catalog::Link{};
    chip.host->bandwidth = BytesPerSecond::from_base(50e9);
    job.layout.gpus = 8;
    job.layout.dp = 8;
    job.layout.sharding = Sharding::kOptimizer;
  }
  Seconds total() const { return step().total(); }
};

TEST_F(OffloadTime, NothingOffloadedCostsNothing) {
  const auto* constants = calibration.find(chip);
  const auto scene =
      make_scene(job, calibration.shared, *constants, calibration.families[constants->family]);
  const auto block = block_time(scene, block_key(scene, job.layout));
  EXPECT_EQ(offload_time(scene, block, job.layout), Seconds());
}

TEST_F(OffloadTime, NeitherParametersNorActivationsTravelForNothing) {
  const Seconds plain = total();
  job.layout.offload.parameters = true;
  const Seconds parameters = total();
  EXPECT_GT(parameters, plain);
  job.layout.offload.activations = true;
  job.layout.offload.activation_layers = 32;
  EXPECT_GT(total(), parameters);
}

TEST_F(OffloadTime, MoreLayersAwayNeverCostLess) {
  Seconds last = total();
  job.layout.offload.activations = true;
  for (const int layers : {8, 16, 32}) {
    job.layout.offload.activation_layers = layers;
    EXPECT_GE(total(), last);
    last = total();
  }
}

TEST_F(OffloadTime, AFasterHostLinkNeverCostsMore) {
  job.layout.offload.parameters = true;
  const Seconds slow = total();
  chip.host->bandwidth = BytesPerSecond::from_base(400e9);
  EXPECT_LT(total(), slow);
}

TEST_F(OffloadTime, ALinkThatIsSharedTakesLonger) {
  job.layout.offload.parameters = true;
  const Seconds alone = total();
  catalog::NodeSpec node;
  node.gpus = 8;
  node.host = catalog::NodeHost{};
  EXPECT_EQ(node.shared_link(chip.host->bandwidth, 8), chip.host->bandwidth);
  node.host->uplink_gpus = 2;
  EXPECT_NEAR(node.shared_link(chip.host->bandwidth, 8).base(), 25e9, 1);
  EXPECT_NEAR(node.shared_link(chip.host->bandwidth, 1).base(), 50e9, 1);
  node.host->bandwidth = BytesPerSecond::from_base(100e9);
  job.fabric.host_share = node.shared_link(chip.host->bandwidth, 8);
  EXPECT_NEAR(job.fabric.host_share->base(), 12.5e9, 1);
  EXPECT_GT(total(), alone);
}

TEST_F(OffloadTime, AdamOnTheHostTakesAsLongAsItsMemory) {
  job.layout.offload.optimizer = true;
  job.fabric.host_gpus = 8;
  const auto update = [&](double bandwidth) {
    job.fabric.host_bandwidth = BytesPerSecond::from_base(bandwidth);
    return step()[Part::kOptimizer];
  };
  const Seconds unknown = update(0);
  EXPECT_EQ(update(614.4e9), unknown);  // That of the hosts which were measured.
  EXPECT_EQ(update(1e12), unknown);     // A rank's own threads are no faster for it.
  EXPECT_GT(update(409.6e9), unknown * 1.2);
  EXPECT_GT(update(76.8e9), update(409.6e9) * 3.0);  // A desk with two channels.
}

TEST_F(OffloadTime, InputsAloneAreLessThanAllThatLayersKeep) {
  job.layout.offload.activations = true;
  const Seconds inputs = total();
  job.layout.offload.activation_layers = 32;
  EXPECT_GT(total(), inputs);
}

}  // namespace
}  // namespace loadfactor::training
