// Every model of the catalogue has the parameters that `fit` counts in the memory plan and in the
// step model too.
#include <vector>

#include <gtest/gtest.h>

#include "training/memory/memory_plan_pieces.h"
#include "training/step/model_work.h"
#include "training/step/step_scene.h"
#include "workload/parameters.h"
#include "workload/testing/catalogue_models.h"

namespace loadfactor::training {
namespace {

using catalog::ModelSpec;
using workload::WeightTensor;

// Models that embed, see or hear are not trained here.
std::vector<ModelSpec> trained_models() {
  std::vector<ModelSpec> models;
  for (const ModelSpec& model : workload::catalogue_models())
    if (model.embedding.head && model.causal && model.modality() == catalog::Modality::kText)
      models.push_back(model);
  return models;
}

double elements(const std::vector<WeightTensor>& tensors, bool (*counts)(const WeightTensor&)) {
  double sum = 0;
  for (const WeightTensor& tensor : tensors)
    if (counts(tensor)) sum += static_cast<double>(tensor.elements());
  return sum;
}

// The elements that count of a whole model on one device, the layers of its multi-token prediction
// included.
double elements(const ModelSpec& model, bool (*counts)(const WeightTensor&)) {
  const double all = elements(workload::stage_tensors(model, workload::whole_model(model)), counts);
  const catalog::LayerSpec& last = model.layer(model.num_layers() - 1);
  return all + model.mtp_layers * elements(workload::layer_tensors(model, last), counts);
}

bool is_matrix(const WeightTensor& tensor) {
  return tensor.columns > 1;
}

// What the memory plan holds on one device.
double held(const ModelSpec& model) {
  const StackTraits stack;
  MemoryQuestion question;
  question.model = &model;
  question.stack = &stack;
  question.sequence = 1024;
  const MemoryStages stages =
      memory_stages(question, memory_block(question), find_stage_shapes(question));
  EXPECT_EQ(stages.count, 1U) << model.name;
  return stages.stages[0].parameters.total();
}

// What the step model reduces and updates on one device.
double updated(const ModelSpec& model) {
  TrainingJob job;
  job.model = &model;
  return rank_parameters(job).total();
}

// Norms, biases and convolutions are vectors: the plan counts the large ones.
TEST(ParameterAgreementTest, TheMemoryPlanHoldsEveryMatrixAndNoMoreThanFitCounts) {
  for (const ModelSpec& model : trained_models()) {
    const workload::ParameterCount count = workload::count_parameters(model);
    EXPECT_GE(held(model), elements(model, is_matrix)) << model.name;
    EXPECT_LE(held(model), static_cast<double>(count.text() + count.mtp)) << model.name;
  }
}

// Learned positions, embeddings of single layers and projections beside embeddings take no time
// that the constants of the step were fitted to.
TEST(ParameterAgreementTest, TheStepModelUpdatesEveryMatrixThatTheLayersMultiplyAndTheTables) {
  using workload::ProductRole;
  const auto counts = [](const WeightTensor& tensor) {
    if (tensor.name == "embedding" || tensor.role == ProductRole::kHead) return true;
    return tensor.is_linear() && tensor.role != ProductRole::kOutside &&
           tensor.role != ProductRole::kPerLayerDown && tensor.role != ProductRole::kPerLayerUp;
  };
  for (const ModelSpec& model : trained_models())
    EXPECT_EQ(updated(model), elements(model, counts)) << model.name;
}

// A projection of a × b gets a × r and r × b: query, key, value and output of 32 layers.
TEST(ParameterAgreementTest, AdaptersAreCountedToTheParameter) {
  for (const ModelSpec& model : trained_models()) {
    if (model.name != "llama-3.1-8b") continue;
    const auto all = static_cast<double>(workload::count_parameters(model).total());
    const double rank = 16, hidden = 4096, keys = 1024;
    const double exact = 32 * rank * (2 * (hidden + hidden) + 2 * (hidden + keys));
    EXPECT_NEAR(adapter_share(model, 16) * all, exact, 1e-6);
    const double inner = 14336;  // Gate, up and down.
    const double mlp = 32 * rank * 3 * (hidden + inner);
    EXPECT_NEAR(adapter_share(model, 16, Adapted::kLayer) * all, exact + mlp, 1e-6);
    return;
  }
  FAIL() << "the catalogue has no such model";
}

}  // namespace
}  // namespace loadfactor::training
