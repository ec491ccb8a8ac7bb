// Totals of steps that differ in what they offload alone, side by side in columns.
//
// A search looks at dozens of offloads of one block, pipeline and sharding. What they have in
// common is added up once; what is left is the same few additions for each, which a processor does
// for several at once. Every total is that of finish_step() to the last bit.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "training/step/step_time.h"

namespace loadfactor::training {

// Offloads of a block in columns: what a step reads of them, whatever the sharding.
class OffloadColumns {
 public:
  static constexpr std::size_t kMost = 64;

  // At most kMost offloads, with as many ranks in the pipeline as the layout has.
  OffloadColumns(const StepScene& scene, const BlockTime& block, const Layout& layout,
                 std::span<const Offload> offloads);

  std::span<const Offload> offloads() const { return offloads_; }
  std::size_t size() const { return offloads_.size(); }

 private:
  friend class StepColumns;

  std::span<const Offload> offloads_;
  Seconds forward_;  // Computation of a rank's layers, which hides traffic.
  Seconds backward_;
  std::array<double, kMost> optimizer_{};   // 1 where it leaves, else 0.
  std::array<double, kMost> parameters_{};  // Likewise.
  std::array<Bytes, kMost> activations_{};  // What leaves of them.
};

// Steps with the layout's sharding.
class StepColumns {
 public:
  // Sets the totals of the first `size` offloads, all of which the layout may have.
  void set(const StepScene& scene, const StepPieces& pieces, const StepQuestion& question,
           const OffloadColumns& offloads, std::size_t size);

  Seconds total(std::size_t i) const { return totals_[i]; }
  std::span<const Seconds> totals() const { return {totals_.data(), size_}; }

 private:
  static constexpr std::size_t kMost = OffloadColumns::kMost;

  void set_offload_times(const StepScene& scene, const StepQuestion& question,
                         const OffloadColumns& offloads, double micro_batches);
  void add_up(const StepScene& scene, const CommonParts& common, const OffloadColumns& offloads);
  void pace(const StepScene& scene, const CommonParts& common, const OffloadColumns& offloads);

  std::size_t size_ = 0;
  std::array<Seconds, kMost> offload_times_{};
  std::array<Seconds, kMost> stragglers_{};
  std::array<Seconds, kMost> updates_{};
  std::array<Seconds, kMost> bare_{};  // Totals before the pace of the software.
  std::array<Seconds, kMost> totals_{};
};

}  // namespace loadfactor::training
