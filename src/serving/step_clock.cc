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
using cost::PowerDraw;
using cost::WorkPiece;

// A product is as slow as the clock as far as arithmetic decides its time; with times of
// arithmetic and memory joined by their fourth powers, that is the share to the fourth. What it
// reads takes the rest of the time.
WorkPiece product_piece(const cost::HeldLoad& load, PowerDraw traffic, double busy, double reads) {
  const double square = busy * busy;
  const double read = reads * (1 - square);
  return {.measured_clock = load.burst,
          .clock_bound = square * square,
          .draw = {load.draw.compute * busy + traffic.compute * read, traffic.memory * read}};
}

}  // namespace

void StepModel::WorkPieces::add(Seconds& part, Seconds duration, WorkPiece piece) {
  if (duration <= Seconds()) return;
  piece.duration = duration;
  parts[count] = &part;
  pieces[count++] = piece;
}

// Experts as products of the format that they are in, as far as arithmetic decides their time.
WorkPiece StepModel::expert_piece(double tokens, PowerDraw traffic,
                                  const Constants& constants) const {
  const cost::HeldLoad* load =
      deployment_.kernels->held({KernelClass::kGemm, deployment_.precision.experts.math});
  const ExpertTimes times = expert_times(tokens, constants);
  if (load == nullptr || times.both <= 0) return {.draw = traffic};
  return product_piece(*load, traffic, std::min(1.0, times.arithmetic / times.both),
                       std::min(1.0, times.reading / times.both));
}

// Kernels of a step, as their table ran them. Products in bursts count what they read as memory
// alone; all else draws what streaming does.
void StepModel::add_work(const StepBatch& batch, const Constants& constants, StepParts& parts,
                         WorkPieces& work) const {
  const cost::ChipModel& kernels = *deployment_.kernels;
  const cost::HeldLoad* stream =
      kernels.held({KernelClass::kMemory, Dtype::kBf16, KernelVariant::kStream});
  const WorkPiece traffic{.draw = stream != nullptr ? stream->draw : PowerDraw{}};
  const bool borrowed = kernels.lender().has_value();
  const PowerDraw read{borrowed ? traffic.draw.compute : Watts{}, traffic.draw.memory};
  const double tokens =
      (batch.prompt_tokens / deployment_.layout.cp + batch.sequences) / deployment_.layout.pp;
  double all = 0;
  for (const WidthTable& table : dense_) {
    if (table.used) all += table.body.at(tokens) + table.fixed;
  }
  for (const WidthTable& table : dense_) {
    if (!table.used || table.load == nullptr || all <= 0) continue;
    const double body = table.body.at(tokens);
    work.add(parts.products, parts.products * body / all,
             product_piece(*table.load, read, std::min(1.0, tokens * table.arithmetic / body),
                           std::min(1.0, table.reading / body)));
  }
  work.add(parts.elementwise, parts.elementwise, traffic);
  work.add(parts.head, parts.head, traffic);
  work.add(parts.experts, parts.experts,
           borrowed ? expert_piece(tokens, traffic.draw, constants) : traffic);
  const cost::HeldLoad* attention =
      kernels.held({KernelClass::kAttention, Dtype::kBf16, KernelVariant::kPlain});
  if (batch.prompt_tokens > batch.sequences && attention != nullptr) {
    work.add(parts.attention, parts.attention,
             {.measured_clock = attention->burst,
              .clock_bound = borrowed || attention->bursts ? 1.0 : 0.0,
              .draw = attention->draw});
  } else {
    work.add(parts.attention, parts.attention, traffic);
  }
}

// Where the table says at which clock it was taken, or where it is that of a chip with more power:
// then both chips settle, and the table has the clock of the other one.
void StepModel::settle(const StepBatch& batch, Seconds dispatch, const Constants& constants,
                       StepParts& parts) const {
  const cost::ChipModel& kernels = *deployment_.kernels;
  const cost::HeldLoad* products = dense_[0].used ? dense_[0].load : dense_[1].load;
  if (!kernels.power() || products == nullptr) return;
  const auto& lender = kernels.lender();
  if (!products->bursts && !lender) return;
  WorkPieces work;
  add_work(batch, constants, parts, work);
  const Seconds waiting =
      std::max(Seconds(), dispatch - parts.device()) + parts.communication + parts.launch;
  const std::span<WorkPiece> pieces(work.pieces.data(), work.count);
  if (lender) {
    std::array<WorkPiece, WorkPieces::kMaxPieces> theirs = work.pieces;
    for (WorkPiece& piece : theirs)
      piece.draw = {piece.draw.compute * lender->compute, piece.draw.memory * lender->memory};
    const double clock =
        cost::observed_clock(lender->power, std::span(theirs.data(), work.count), waiting);
    for (WorkPiece& piece : pieces) piece.measured_clock = clock;
  }
  const double clock = cost::settled_clock(*kernels.power(), pieces, waiting);
  for (std::size_t i = 0; i < work.count; ++i) {
    const WorkPiece& piece = work.pieces[i];
    const Seconds longer = piece.at_clock(clock) - piece.duration;
    // Nothing is faster than its table where that is of a chip with more power.
    *work.parts[i] += lender ? std::max(Seconds(), longer) : longer;
  }
}

}  // namespace loadfactor::serving
