// Every model of the catalogue, held to what was published about it and to the laws.
#include "workload/testing/catalogue_models.h"

#include <vector>

#include <gtest/gtest.h>

#include "workload/kv_cache.h"
#include "workload/parameters.h"
#include "workload/weights.h"

namespace loadfactor::workload {
namespace {

using catalog::ModelSpec;

TEST(CatalogueModelsTest, CountsMeetThePublishedOnes) {
  for (const ModelSpec& model : catalogue_models()) {
    const auto total = static_cast<double>(count_parameters(model).total());
    if (model.published_parameters == 0 || model.published_nominal) continue;
    EXPECT_NEAR(total / model.published_parameters, 1.0, 0.01) << model.name;
    if (model.published_active == 0) continue;
    const auto active =
        static_cast<double>(active_parameters(model, model.published_active_excludes));
    EXPECT_NEAR(active / model.published_active, 1.0, 0.03) << model.name;
  }
}

TEST(CatalogueModelsTest, EveryLegalTensorParallelDegreeHoldsAtLeastItsShare) {
  for (const ModelSpec& model : catalogue_models()) {
    const double whole = weight_bytes(model, kBf16Weights).total().base();
    const KvProfile cache = kv_profile(model, {});
    for (const int tp : legal_tp(model, 16)) {
      const Sharding sharding{.tp = tp};
      if (!validate_sharding(model, sharding).empty()) continue;  // The width of its experts.
      const Stage stage = whole_model(model);
      const double local = local_weight_bytes(model, kBf16Weights, sharding, stage).total().base();
      EXPECT_GE(local * tp, whole * (1 - 1e-12)) << model.name << " tp " << tp;
      EXPECT_LE(local, whole) << model.name << " tp " << tp;
      const Bytes held = kv_profile(model, {}, sharding, stage).bytes(5000);
      EXPECT_GE(held * static_cast<double>(tp), cache.bytes(5000)) << model.name << " tp " << tp;
    }
  }
}

}  // namespace
}  // namespace loadfactor::workload
