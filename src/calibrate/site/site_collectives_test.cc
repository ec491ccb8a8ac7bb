#include "calibrate/site/site_collectives.h"

#include <gtest/gtest.h>

namespace loadfactor::calibrate {
namespace {

using namespace literals;

const std::vector<TermPrior> kPriors{{"products", 0.06}, {"communication", 0.25}};

// 400 GB/s per rank, no start: 2 · 3/4 · 400 MB / 400 GB/s = 1.5 ms for four ranks.
collective::Network plain_network() {
  collective::Network network;
  network.domain.topology = catalog::Topology::kSwitch;
  network.domain.size = 8;
  network.domain.link = 400_GBps;
  network.domain.ring.fill({.low = 1.0, .fraction = 1.0});
  return network;
}

TEST(SiteCollectivesTest, ACollectiveSpeaksOfCommunicationAlone) {
  const CollectiveFile file{"", {{"all_reduce", 4, 400_MB, 3_ms}}};
  const auto seen = observe_collectives(file, plain_network(), kPriors, "communication");
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].terms[0], 0.0);
  EXPECT_NEAR(seen[0].terms[1], 1.5e-3, 1e-9);
  EXPECT_DOUBLE_EQ(seen[0].measured, 3e-3);
  const SiteFit fit = fit_terms(kPriors, seen);
  EXPECT_DOUBLE_EQ(fit.terms[0].factor, 1.0);
  EXPECT_GT(fit.terms[1].factor, 1.5);  // Twice as long, drawn to what was known before.
  EXPECT_LT(fit.terms[1].factor, 2.0);
}

TEST(SiteCollectivesTest, SmallMessagesAndUnknownOperationsAreLeftOut) {
  const CollectiveFile file{"",
                            {{"all_reduce", 4, Bytes::from_base(1000), 30_us},
                             {"gather_all_of_it", 4, 400_MB, 3_ms},
                             {"send_recv", 2, 400_MB, 1_ms}}};
  EXPECT_EQ(observe_collectives(file, plain_network(), kPriors, "communication").size(), 1u);
  EXPECT_TRUE(observe_collectives(file, plain_network(), kPriors, "no such term").empty());
}

TEST(SiteCollectivesTest, ManyPointsOfALinkHalfAsFastSayTwiceTheTime) {
  CollectiveFile file;
  for (int i = 1; i <= 20; ++i) file.points.push_back({"all_reduce", 4, 400_MB * i, 3_ms * i});
  const auto seen = observe_collectives(file, plain_network(), kPriors, "communication");
  const SiteFit fit = fit_terms(kPriors, seen);
  EXPECT_NEAR(fit.terms[1].factor, 2.0, 0.03);
  EXPECT_LT(fit.held_out.median, 0.03);
  EXPECT_LT(fit.terms[1].error, 0.03);
}

}  // namespace
}  // namespace loadfactor::calibrate
