#include "training/step/kernel_time.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::training {

namespace {

using workload::ProductShape;

constexpr std::size_t index(Width width) {
  return static_cast<std::size_t>(width);
}

constexpr double bytes_of(Width width) {
  if (width == Width::k16) return 2.0;
  return width == Width::k8 ? 1.0 : 0.5;
}

// Operations paid for, the best tile winning. Only a share of a partly empty last wave is paid:
// real kernels overlap it with the next one and split along the inner dimension.
Flops paid_work(const Machine& machine, const ProductShape& shape, Width width) {
  const KernelFamily& family = *machine.family;
  const double inner = shape.inner + family.fill[index(width)];
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < family.num_tiles; ++i) {
    const GemmTile& tile = family.tiles[i];
    const double tiles =
        std::ceil(shape.rows / tile.rows) * std::ceil(shape.columns / tile.columns) * shape.groups;
    double waves = tiles / machine.units;
    if (!family.systolic) {
      waves =
          std::max(1.0, (1.0 - family.wave_share) * waves + family.wave_share * std::ceil(waves));
    }
    best = std::min(best, waves * machine.units * tile.rows * tile.columns / tile.share);
  }
  return Flops::from_base(2.0 * best * inner);
}

double cast_factor(const KernelContext& context) {
  const bool block = context.precision.block_wise || context.width == Width::k4 ||
                     context.precision.compute == catalog::Dtype::kMxfp8;
  return (*context.constants)[block ? Constant::kQuantiseBlock : Constant::kQuantise];
}

// Bytes moved per element that is cast. One scale for a tensor is known beforehand: 2 bytes are
// read and 1 written twice, as rows and transposed. Scales of rows and of columns are found first,
// by a pass of their own each, so each of the two casts reads twice.
double cast_bytes(const KernelContext& context) {
  constexpr double kByTensor = 2.0 + 2 * 1.0;
  constexpr double kByRow = 2 * (2.0 + 2.0 + 1.0);
  return context.precision.row_wise ? kByRow : kByTensor;
}

// Scores are written to memory and read back: softmax, mask, dropout and scale are passes over
// the whole s × s matrix, whatever the mask hides.
PassTimes unfused_attention(const KernelContext& context, const AttentionShape& shape) {
  const Constants& constants = *context.constants;
  const double cells = shape.queries * shape.sequence * shape.heads;
  const bool aligned = std::fmod(shape.key_dim, 8.0) == 0.0;
  const double rate =
      constants[Constant::kUnfusedProducts] * (aligned ? 1.0 : constants[Constant::kMisaligned]);
  const Seconds product = Flops::from_base(2.0 * cells * (shape.key_dim + shape.value_dim)) /
                          (context.machine->gemm[index(Width::k16)] * rate);
  const Seconds passes =
      Bytes::from_base(2.0 * cells * constants[Constant::kUnfusedPasses]) / context.machine->memory;
  return {product + passes, 2.0 * (product + passes)};
}

Seconds kernel_gap(const KernelContext& context) {
  if (context.stack->compiler) return {};
  return Seconds::from_base((*context.constants)[Constant::kKernelGap]);
}

double kernel_generation(const KernelContext& context, double head_dim) {
  const Constants& constants = *context.constants;
  const AttentionGeneration generation = context.stack->attention;
  double factor = 1.0;
  const bool newer = context.machine->family->newer_attention;
  if (generation == AttentionGeneration::kFlash2 && newer) {
    factor *= constants[Constant::kAttentionFlash2];
  }
  if (generation != AttentionGeneration::kFlash1) {
    return head_dim <= 64 ? factor * constants[Constant::kAttentionHead64] : factor;
  }
  if (newer) factor *= constants[Constant::kAttentionFlash1Newer];
  if (head_dim > 64) factor *= constants[Constant::kAttentionFlash1];
  return factor;
}

}  // namespace

Seconds gemm_time(const KernelContext& context, const ProductShape& shape, Width width,
                  double output_bytes) {
  const Machine& machine = *context.machine;
  const Flops work = paid_work(machine, shape, width);
  const double bytes =
      shape.groups * ((shape.rows + shape.columns) * shape.inner * bytes_of(width) +
                      shape.rows * shape.columns * output_bytes);
  Seconds arithmetic = work / machine.gemm[index(width)];
  if (width == Width::k4) {
    const double share = (*context.constants)[Constant::kFp4Share];
    arithmetic = arithmetic * share + work / machine.gemm[index(Width::k8)] * (1.0 - share);
  }
  return std::max(arithmetic, Bytes::from_base(bytes) / machine.memory) + kernel_gap(context);
}

PassTimes linear_time(const KernelContext& context, const ProductShape& shape, Width width) {
  const auto [rows, columns, inner, groups] = shape;
  PassTimes time;
  time.forward = gemm_time(context, shape, width);
  time.backward = gemm_time(context, {rows, inner, columns, groups}, width);
  if (!context.frozen) {
    const double output = context.stack->fp32_main_grad ? 8.0 : 2.0;
    time.weight = gemm_time(context, {columns, inner, rows, groups}, width, output);
    time.backward += time.weight;
  }
  if (width != Width::k16) {
    const double factor = cast_bytes(context) * cast_factor(context) * rows * groups;
    time.forward += Bytes::from_base(factor * inner) / context.machine->memory;
    time.backward += Bytes::from_base(factor * columns) / context.machine->memory;
  }
  return time;
}

PassTimes attention_time(const KernelContext& context, const AttentionShape& shape) {
  if (context.stack->attention == AttentionGeneration::kUnfused) {
    return unfused_attention(context, shape);
  }
  const Flops work = Flops::from_base(2.0 * shape.queries * shape.keys * shape.heads *
                                      (shape.key_dim + shape.value_dim));
  const double length = std::max(64.0, 2.0 * shape.keys / shape.chunks);
  // Narrow heads fill the machine sooner: their rate is lower but reached at shorter sequences.
  const double half = context.machine->attention_half * std::min(1.0, shape.key_dim / 128.0);
  const FlopsPerSecond rate = context.machine->attention *
                              (kernel_generation(context, shape.key_dim) / (1.0 + half / length));
  const double backward = (*context.constants)[Constant::kAttentionBackward];
  const Seconds gap = kernel_gap(context) * shape.chunks;
  return {work / rate + gap, 2.5 * work / (rate * backward) + 2.0 * gap};
}

PassTimes scan_time(const KernelContext& context, Flops work) {
  const FlopsPerSecond rate =
      context.machine->gemm[index(Width::k16)] * (*context.constants)[Constant::kScanProducts];
  return {work / rate, 2.5 * work / rate};
}

double pointwise_factor(const KernelContext& context) {
  const Constants& constants = *context.constants;
  switch (context.stack->pointwise) {
    case PointwiseClass::kComposite:
    case PointwiseClass::kEager:
      return constants[Constant::kPointwiseEager];
    case PointwiseClass::kFused:
      return constants[Constant::kPointwiseFused];
    case PointwiseClass::kCompiled:
      return constants[Constant::kPointwiseCompiled];
  }
  return 1.0;
}

Seconds pointwise_time(const KernelContext& context, Bytes bytes) {
  return bytes * pointwise_factor(context) / context.machine->memory;
}

}  // namespace loadfactor::training
