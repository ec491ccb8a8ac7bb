#include "training/memory_plan_stages.h"

#include <algorithm>

namespace loadfactor::training {
namespace {

// Layers in order over `slots` chunks. All chunks have `size` layers, but what is left over
// stands free beside the embedding and the head; too much of it, and it is spread evenly.
struct Chunks {
  Chunks(int num_layers, int num_chunks) : layers(num_layers), chunks(num_chunks) {
    size = (layers + chunks - 1) / chunks;
    const int spare = size * chunks - layers;
    head_room = spare / 2;
    even = chunks > 1 && spare - head_room >= size;
  }

  int begin(int chunk) const {
    if (even) return static_cast<int>(static_cast<long long>(layers) * chunk / chunks);
    return std::clamp(chunk * size - head_room, 0, layers);
  }
  int end(int chunk) const { return chunk + 1 == chunks ? layers : begin(chunk + 1); }

  int layers;
  int chunks;
  int size = 0;
  int head_room = 0;
  bool even = false;
};

int chunks_per_rank(const Layout& layout, int layers) {
  if (layout.pp == 1) return 1;
  if (layout.schedule == Schedule::kZeroBubbleV) return 2;
  if (layout.schedule == Schedule::kDualPipe) return 1;
  const int vp = std::max(1, layout.vp);
  // Chunks that would stand empty are not formed.
  const int size = (layers + layout.pp * vp - 1) / (layout.pp * vp);
  return size * vp * layout.pp - layers >= size * vp ? 1 : vp;
}

void add_chunk(const catalog::ModelSpec& model, const Chunks& chunks, int chunk,
               StageShape& shape) {
  for (int i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
    const std::size_t kind = model.layers[static_cast<std::size_t>(i)];
    ++shape.of_kind[std::min(kind, kMostKinds - 1)];
    ++shape.layers;
  }
  if (chunk == 0) shape.first = true;
  if (chunk + 1 == chunks.chunks) shape.last = true;
}

StageShape shape_of(const MemoryQuestion& question, const Chunks& chunks, int rank) {
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
  const int layers = question.model->num_layers();
  const Chunks chunks(layers, pp * chunks_per_rank(question.layout, layers));
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
