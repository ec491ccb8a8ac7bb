#include "training/memory/memory_plan_stages.h"

#include <algorithm>

#include "training/memory/stage_split.h"

namespace loadfactor::training {
namespace {

void add_chunk(const catalog::ModelSpec& model, const StageSplit& chunks, int chunk,
               StageShape& shape) {
  for (int i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
    const std::size_t kind = model.layers[static_cast<std::size_t>(i)];
    ++shape.of_kind[std::min(kind, kMostKinds - 1)];
    ++shape.layers;
  }
  if (chunk == 0) shape.first = true;
  if (chunk + 1 < chunks.chunks) return;
  // Layers of multi-token prediction stand beside the head.
  shape.last = true;
  shape.layers += model.mtp_layers;
  shape.of_kind[std::min<std::size_t>(model.layers.back(), kMostKinds - 1)] += model.mtp_layers;
}

StageShape shape_of(const MemoryQuestion& question, const StageSplit& chunks, int rank) {
  const Layout& layout = question.layout;
  const int pp = layout.pp;
  StageShape shape;
  shape.rank = rank;
  shape.in_flight = micro_batches_in_flight(layout, question.micro_batches, rank);
  const bool folded = layout.schedule == Schedule::kZeroBubbleV && pp > 1;
  const bool doubled = layout.schedule == Schedule::kDualPipe && pp > 1;
  for (int chunk = rank; chunk < chunks.chunks && !folded; chunk += pp) {
    add_chunk(*question.model, chunks, chunk, shape);
  }
  if (folded) {
    add_chunk(*question.model, chunks, rank, shape);
    add_chunk(*question.model, chunks, 2 * pp - 1 - rank, shape);
  }
  if (doubled) add_chunk(*question.model, chunks, pp - 1 - rank, shape);
  return shape;
}

bool covers(const StageShape& held, const StageShape& shape) {
  return held.of_kind == shape.of_kind && held.first == shape.first && held.last == shape.last &&
         held.in_flight >= shape.in_flight;
}

}  // namespace

double micro_batches_in_flight(const Layout& layout, double micro_batches, int rank) {
  const double pp = layout.pp;
  const double vp = std::max(1, layout.vp);
  if (layout.pp == 1) return 1.0;
  switch (layout.schedule) {
    case Schedule::kGpipe:
      return micro_batches;
    // The delayed weight gradients of later ranks hold what earlier ranks hold in micro-batches.
    case Schedule::kZeroBubble:
    case Schedule::kZeroBubbleV:
      return std::min(micro_batches, pp);
    // p + 1 stages' worth, over the two stages a rank holds.
    case Schedule::kDualPipe:
      return std::max(1.0, std::min(micro_batches, pp + 1.0) / 2.0);
    case Schedule::kNone:
    case Schedule::k1F1B:
    case Schedule::kInterleaved:
      break;
  }
  if (layout.vp <= 1) return std::min(micro_batches, pp - rank);
  const double warm_up = 2.0 * (pp - rank - 1.0) + (vp - 1.0) * pp + 1.0;
  return std::min(micro_batches * vp, warm_up) / vp;
}

StageShapes find_stage_shapes(const MemoryQuestion& question) {
  const int pp = question.layout.pp;
  const StageSplit chunks(question.model->num_layers(), question.layout);
  StageShapes out;
  const auto add = [&](const StageShape& shape) { out.shapes[out.count++] = shape; };
  add(shape_of(question, chunks, 0));
  // The last slot is for the last rank; a rank past the room left would be the like of another.
  for (int rank = 1; rank + 1 < pp && out.count + 1 < out.shapes.size(); ++rank) {
    const StageShape shape = shape_of(question, chunks, rank);
    const auto* held = out.shapes.data();
    if (std::none_of(held, held + out.count, [&](const auto& h) { return covers(h, shape); })) {
      add(shape);
    }
  }
  if (pp > 1) add(shape_of(question, chunks, pp - 1));
  return out;
}

}  // namespace loadfactor::training
