// What one memory plan costs, for a dense model and one of experts on deep pipelines.
#include <benchmark/benchmark.h>

#include "training/memory/memory_plan.h"
#include "training/memory/memory_plan_resolve.h"

namespace {

using loadfactor::catalog::LayerSpec;
using loadfactor::catalog::ModelSpec;
using namespace loadfactor::training;

ModelSpec model_of(int layers, int experts) {
  ModelSpec model;
  LayerSpec dense;
  dense.attention.heads = 64;
  dense.attention.kv_heads = 8;
  dense.attention.head_dim = 128;
  dense.mlp.width = 28672;
  model.hidden = 8192;
  model.embedding.vocab = 128256;
  model.kinds = {dense};
  model.layers.assign(static_cast<std::size_t>(layers), 0);
  if (experts == 0) return model;
  LayerSpec sparse = dense;
  sparse.mlp.width = 0;
  sparse.moe.experts = experts;
  sparse.moe.top_k = 8;
  sparse.moe.width = 2048;
  model.kinds.push_back(sparse);
  for (std::size_t i = 3; i < model.layers.size(); ++i) model.layers[i] = 1;
  return model;
}

MemoryQuestion question_of(const ModelSpec& model, const StackTraits& stack, int pp) {
  MemoryQuestion question;
  question.model = &model;
  question.stack = &stack;
  question.sequence = 4096;
  question.micro_batches = 64;
  question.layout.tp = 4;
  question.layout.pp = pp;
  question.layout.dp = 16;
  question.layout.sharding = Sharding::kOptimizer;
  question.layout.sequence_parallel = true;
  question.capacity = loadfactor::Bytes::from_base(80e9);
  return question;
}

void plan(benchmark::State& state) {
  const ModelSpec model = model_of(96, static_cast<int>(state.range(1)));
  const StackTraits stack;
  const MemoryQuestion question = question_of(model, stack, static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(plan_memory(question).fill());
}
BENCHMARK(plan)->Args({1, 0})->Args({8, 0})->Args({32, 0})->Args({1, 256})->Args({32, 256});

void resolve(benchmark::State& state) {
  const ModelSpec model = model_of(96, 0);
  const StackTraits stack;
  MemoryQuestion question = question_of(model, stack, 8);
  question.layout.recompute.kind = RecomputeKind::kUnknown;
  question.capacity = loadfactor::Bytes::from_base(1e9);
  for (auto _ : state) benchmark::DoNotOptimize(resolve_memory(question).rung);
}
BENCHMARK(resolve);

}  // namespace
