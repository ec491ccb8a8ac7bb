#include "training/step/step_columns.h"

#include <algorithm>

#include "base/check.h"
#include "training/step/offload_time.h"

namespace loadfactor::training {
namespace {

// The parts that no offload changes and that come before those that it does, added in order.
Seconds sum_before_optimizer(const StepTime& time) {
  Seconds sum;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Part::kOptimizer); ++i) sum += time.parts[i];
  return sum;
}

}  // namespace

OffloadColumns::OffloadColumns(const StepScene& scene, const BlockTime& block, const Layout& layout,
                               std::span<const Offload> offloads)
    : offloads_(offloads) {
  LF_CHECK(offloads.size() <= kMost);
  const double layers = double(scene.layers) / layout.pp;
  forward_ = block.layer.forward() * layers;
  backward_ = block.layer.backward() * layers;
  for (std::size_t i = 0; i < offloads.size(); ++i) {
    optimizer_[i] = offloads[i].optimizer ? 1 : 0;
    parameters_[i] = offloads[i].parameters ? 1 : 0;
    activations_[i] = leaving_activations(block, offloads[i], layers);
  }
}

void StepColumns::set_offload_times(const StepScene& scene, const StepQuestion& question,
                                    const OffloadColumns& offloads, double micro_batches) {
  const HostTraffic traffic = host_traffic(scene);
  const Bytes resting = resting_parameters(scene, question.layout);
  for (std::size_t i = 0; i < size_; ++i) {
    const Bytes parameters = resting * offloads.parameters_[i];
    const Seconds shown =
        traffic.shown(offloads.forward_, offloads.backward_, parameters, offloads.activations_[i]);
    // Where nothing travels, nobody asks how fast the link is.
    const bool travels = parameters + offloads.activations_[i] > Bytes();
    offload_times_[i] = travels ? shown * micro_batches : Seconds();
  }
}

// As finish_step() adds: straggler, update, pace, data, in this order.
void StepColumns::add_up(const StepScene& scene, const CommonParts& common,
                         const OffloadColumns& offloads) {
  const Seconds before = sum_before_optimizer(common.time);
  const Seconds host = common.time[Part::kHost];
  const Seconds late_host = host + common.fixed;
  for (std::size_t i = 0; i < size_; ++i)
    stragglers_[i] = (before + offload_times_[i] + host) * scene.straggler;
  const Seconds away = common.sums + common.update[1];
  if (common.waits) {
    const Seconds here = common.sums + std::max(common.update[0], common.launches);
    for (std::size_t i = 0; i < size_; ++i) updates_[i] = offloads.optimizer_[i] > 0 ? away : here;
  } else {
    for (std::size_t i = 0; i < size_; ++i) {
      const Seconds total = before + common.sums + offload_times_[i] + host + stragglers_[i];
      const Seconds lead = std::max(Seconds{}, total - common.launched);
      const Seconds here = common.sums + std::max(common.update[0], common.launches - lead);
      updates_[i] = offloads.optimizer_[i] > 0 ? away : here;
    }
  }
  for (std::size_t i = 0; i < size_; ++i)
    bare_[i] = before + updates_[i] + offload_times_[i] + late_host + stragglers_[i];
}

// The software's pace, the loader and what was measured of the parts, as finish_step() has them.
void StepColumns::pace(const StepScene& scene, const CommonParts& common,
                       const OffloadColumns& offloads) {
  const PartFactors& measured = scene.job.measured;
  const double link_pace = std::max(1.0, scene.pace);
  StepTime paced;
  StepTime told;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Part::kOptimizer); ++i) {
    paced.parts[i] = common.time.parts[i] * scene.pace;
    told.parts[i] = paced.parts[i] * measured[static_cast<Part>(i)];
  }
  const Seconds paced_before = sum_before_optimizer(paced);
  const Seconds told_before = sum_before_optimizer(told);
  const Seconds host = (common.time[Part::kHost] + common.fixed) * scene.pace;
  const Seconds told_host = host * measured[Part::kHost];
  for (std::size_t i = 0; i < size_; ++i) {
    const Seconds update = updates_[i] * (offloads.optimizer_[i] > 0 ? link_pace : scene.pace);
    const Seconds offload = offload_times_[i] * link_pace;
    const Seconds straggler = stragglers_[i] * scene.pace;
    const Seconds total = paced_before + update + offload + host + straggler;
    const Seconds data =
        common.loading > Seconds() ? std::max(Seconds{}, common.loading - total) : Seconds{};
    totals_[i] = told_before + update * measured[Part::kOptimizer] +
                 offload * measured[Part::kOffload] + told_host + data * measured[Part::kData] +
                 straggler * measured[Part::kStraggler];
  }
}

void StepColumns::set(const StepScene& scene, const StepPieces& pieces,
                      const StepQuestion& question, const OffloadColumns& offloads,
                      std::size_t size) {
  size_ = size;
  const CommonParts common = common_parts(scene, pieces, question);
  set_offload_times(scene, question, offloads, common.micro_batches);
  add_up(scene, common, offloads);
  pace(scene, common, offloads);
  for (std::size_t i = 0; i < size_; ++i) {
    LF_CHECK(bare_[i] >= common.least, "a step beats the roofline");
    if (totals_[i] >= common.least) continue;
    StepQuestion slow = question;
    slow.layout.offload = offloads.offloads_[i];
    totals_[i] = finish_step(scene, pieces, slow).total();
  }
}

}  // namespace loadfactor::training
