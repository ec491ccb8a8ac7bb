#include "engine/calibrate/predicted_work.h"

#include <algorithm>

#include "resolve/serve/serve_setup.h"
#include "resolve/train/train_layout.h"
#include "resolve/train/train_site.h"
#include "training/step/step_time.h"

namespace loadfactor::engine {
namespace {

using calibrate::WorkClass;
using calibrate::WorkTimes;
using training::Part;

Seconds both(const training::PassTimes& time) {
  return time.forward + time.backward;
}

// Deals a time out in proportion to what the parts take.
struct Share {
  WorkClass work;
  Seconds part;
};
void deal(Seconds time, std::initializer_list<Share> shares, WorkTimes& times) {
  Seconds all;
  for (const Share& share : shares) all += share.part;
  for (const Share& share : shares) {
    if (all > Seconds()) times[share.work] += time * (share.part / all);
  }
  if (all <= Seconds()) times[shares.begin()->work] += time;
}

// One block of the layout that the answer predicts.
training::BlockTime block_of(const TrainSetup& setup, const TrainAnswer& answer) {
  training::TrainingJob job = setup.job;
  job.global_batch = answer.global_batch;
  job.layout.gpus = answer.layout.gpus;
  job.layout.tp = answer.layout.tp;
  job.layout.pp = answer.layout.pp;
  job.layout.cp = answer.layout.cp;
  job.layout.dp = answer.layout.dp;
  job.layout.ep = answer.layout.ep;
  job.layout.etp = answer.layout.etp;
  job.layout.sequence_parallel = answer.layout.sequence_parallel;
  job.layout.micro_batch = answer.layout.micro_batch;
  const auto scene = engine::scene_of(setup, job);
  return training::block_time(scene, training::block_key(scene, job.layout));
}

WorkClass class_of(Part part) {
  switch (part) {
    case Part::kAttention:
      return WorkClass::kAttention;
    case Part::kPointwise:
      return WorkClass::kPointwise;
    case Part::kOptimizer:
      return WorkClass::kOptimizer;
    case Part::kTp:
    case Part::kCp:
    case Part::kEp:
    case Part::kFsdp:
    case Part::kDp:
    case Part::kP2p:
      return WorkClass::kCommunication;
    case Part::kOffload:
      return WorkClass::kCopies;
    case Part::kHost:
    case Part::kData:
      return WorkClass::kHost;
    case Part::kBubble:
    case Part::kImbalance:
    case Part::kStraggler:
      return WorkClass::kIdle;
    case Part::kGemm:
    case Part::kHead:
    case Part::kRecompute:
    case Part::kCount:
      break;
  }
  return WorkClass::kProducts;
}

WorkTimes work_of(const serving::StepParts& parts) {
  WorkTimes times;
  times[WorkClass::kProducts] = parts.products + parts.experts + parts.head;
  times[WorkClass::kAttention] = parts.attention;
  times[WorkClass::kPointwise] = parts.elementwise;
  times[WorkClass::kCommunication] = parts.communication;
  times[WorkClass::kIdle] = parts.launch;
  times[WorkClass::kHost] = std::max(Seconds(), parts.total - parts.device());
  return times;
}

}  // namespace

std::optional<WorkTimes> predicted_work(const catalog::Catalog& catalog, const TrainInputs& request,
                                        const TrainAnswer& answer, Diagnostics& diagnostics) {
  const auto setup = make_train_setup(request, catalog, diagnostics);
  if (!setup) return std::nullopt;
  const training::BlockTime block = block_of(*setup, answer);
  const training::StepTime step = step_of(answer);
  WorkTimes times;
  for (std::size_t i = 0; i < training::kNumParts; ++i) {
    const auto part = static_cast<Part>(i);
    if (part != Part::kHead && part != Part::kRecompute) times[class_of(part)] += step[part];
  }
  deal(step[Part::kHead],
       {{WorkClass::kProducts, both(block.head.gemm)},
        {WorkClass::kPointwise, both(block.head.loss) + both(block.head.embedding)}},
       times);
  deal(step[Part::kRecompute],
       {{WorkClass::kProducts, block.layer.gemm.forward},
        {WorkClass::kAttention, block.layer.attention.forward},
        {WorkClass::kPointwise, block.layer.pointwise.forward}},
       times);
  return times;
}

std::optional<ServingWork> predicted_work(const catalog::Catalog& catalog,
                                          const ServeInputs& request, Diagnostics& diagnostics) {
  const auto setup = make_serve_setup(request, catalog, diagnostics);
  if (!setup) return std::nullopt;
  const serving::Pool pool = setup->pool(1);
  ServingWork work;
  work.chip = setup->chip->name;
  work.context = setup->tokens_in + 0.5 * setup->tokens_out;
  work.sequences = pool.slots;
  work.prompt = std::min(setup->tokens_in, pool.chunk);
  const serving::StepBatch decode{.sequences = work.sequences, .context = work.context};
  const serving::StepBatch prompt{
      .prompt_tokens = work.prompt, .chunk = work.prompt, .finishing = 1};
  work.decode_step = work_of(pool.step->parts(decode, setup->constants));
  work.prompt_step = work_of(pool.step->parts(prompt, setup->constants));
  return work;
}

}  // namespace loadfactor::engine
