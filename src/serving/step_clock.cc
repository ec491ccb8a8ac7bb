// The clock that steps settle at when they follow one another.
#include <algorithm>
#include <array>

#include "cost/sustained_clock.h"
#include "serving/step.h"

namespace loadfactor::serving {
namespace {

using catalog::Dtype;
using cost::KernelClass;
using cost::KernelVariant;

constexpr std::size_t kMostPieces = 7;

struct Pieces {
  std::array<cost::WorkPiece, kMostPieces> pieces;
  std::array<Seconds*, kMostPieces> parts{};
  std::size_t count = 0;

  void add(Seconds& part, Seconds duration, cost::WorkPiece piece) {
    if (duration <= Seconds()) return;
    piece.duration = duration;
    parts[count] = &part;
    pieces[count++] = piece;
  }
};

// A product is as slow as the clock as far as arithmetic decides its time; with times of
// arithmetic and memory joined by their fourth powers, that is the share to the fourth.
cost::WorkPiece product_piece(const cost::HeldLoad& load, Watts memory, double busy, double reads) {
  const double square = busy * busy;
  return {.measured_clock = load.burst,
          .clock_bound = square * square,
          .draw = {load.draw.compute * busy, memory * reads * (1 - square)}};
}

}  // namespace

void StepModel::settle(const StepBatch& batch, Seconds dispatch, StepParts& parts) const {
  const cost::ChipModel& kernels = *deployment_.kernels;
  const cost::HeldLoad* products = dense_[0].used ? dense_[0].load : dense_[1].load;
  if (!kernels.power() || products == nullptr || !products->bursts) return;
  const cost::HeldLoad* stream =
      kernels.held({KernelClass::kMemory, Dtype::kBf16, KernelVariant::kStream});
  const cost::WorkPiece traffic{.draw = stream != nullptr ? stream->draw : cost::PowerDraw{}};
  const Watts memory = traffic.draw.memory;
  const double tokens = (batch.prompt_tokens + batch.sequences) / deployment_.layout.pp;
  Pieces work;
  double all = 0;
  for (const WidthTable& table : dense_) {
    if (table.used) all += table.body.at(tokens) + table.fixed;
  }
  for (const WidthTable& table : dense_) {
    if (!table.used || table.load == nullptr || all <= 0) continue;
    const double body = table.body.at(tokens);
    work.add(parts.products, parts.products * body / all,
             product_piece(*table.load, memory, std::min(1.0, tokens * table.arithmetic / body),
                           std::min(1.0, table.reading / body)));
  }
  work.add(parts.elementwise, parts.elementwise, traffic);
  work.add(parts.head, parts.head, traffic);
  work.add(parts.experts, parts.experts, traffic);
  const cost::HeldLoad* attention =
      kernels.held({KernelClass::kAttention, Dtype::kBf16, KernelVariant::kPlain});
  if (batch.prompt_tokens > batch.sequences && attention != nullptr) {
    work.add(parts.attention, parts.attention,
             {.measured_clock = attention->burst,
              .clock_bound = attention->bursts ? 1.0 : 0.0,
              .draw = attention->draw});
  } else {
    work.add(parts.attention, parts.attention, traffic);
  }
  const Seconds waiting =
      std::max(Seconds(), dispatch - parts.device()) + parts.communication + parts.launch;
  const std::span<const cost::WorkPiece> pieces(work.pieces.data(), work.count);
  const double clock = cost::settled_clock(*kernels.power(), pieces, waiting);
  for (std::size_t i = 0; i < work.count; ++i) {
    const cost::WorkPiece& piece = work.pieces[i];
    *work.parts[i] += piece.at_clock(clock) - piece.duration;
  }
}

}  // namespace loadfactor::serving
