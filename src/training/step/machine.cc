#include "training/step/machine.h"

#include <algorithm>

namespace loadfactor::training {

namespace {

using catalog::Dtype;
using catalog::Topology;

// A host link faster than any PCIe generation is coherent (NVLink-C2C, Infinity Fabric).
constexpr BytesPerSecond kFastestPcie = BytesPerSecond::from_base(130e9);

// Axes along which a booked slice of a large torus extends; a small one acts as a switch.
int torus_axes(const catalog::ScaleUp& link) {
  constexpr int kSmallTorus = 64;
  if (link.domain <= kSmallTorus) return 1;
  if (link.topology == Topology::kTorus2d) return 2;
  return link.topology == Topology::kTorus3d ? 3 : 1;
}

// A torus is as large as the slice that was booked; a switch as large as it is built; what has no
// links of its own meets the others of its host on the bus.
int scale_up_domain(const TrainingJob& job) {
  const auto& chip = *job.chip;
  if (job.fabric.scale_up_domain) return *job.fabric.scale_up_domain;
  if (torus_axes(chip.scale_up) > 1) {
    const int slice = job.layout.gpus / std::max(1, job.fabric.slices);
    return std::clamp(slice, 1, chip.scale_up.domain);
  }
  const bool on_bus = chip.scale_up.topology == Topology::kNone && chip.host && !chip.staged;
  return std::max({1, chip.scale_up.domain, on_bus ? job.fabric.host_gpus : 0});
}

// Accelerators that reach one another through their host's memory alone: those of one host at the
// rate of such copies, those of others over the network cards that a host has for all of them. What
// is known is the rate of each while all of a host copy: where fewer do, each has more of it, up to
// what its own link carries.
void share_host(const TrainingJob& job, const catalog::Link& staged, Machine& machine) {
  constexpr int kUsualHost = 8;
  machine.domain = job.fabric.host_gpus > 0 ? job.fabric.host_gpus : kUsualHost;
  const int copying = std::clamp(job.layout.gpus, 1, machine.domain);
  const BytesPerSecond shared = staged.bandwidth * (double(machine.domain) / copying);
  machine.scale_up = std::min(shared, std::max(staged.bandwidth, machine.scale_up));
  machine.staged = true;
  if (!job.fabric.scale_out) machine.scale_out = machine.scale_out / machine.domain;
}

// Neighbours in the box are reached over its bus, wherever their own links end.
void join_on_bus(const TrainingJob& job, Machine& machine) {
  if (!job.fabric.bus || job.fabric.scale_up_domain || machine.staged) return;
  machine.bus = job.fabric.bus;
  machine.domain = std::max(machine.domain, job.fabric.host_gpus);
}

bool scaled_by_block(const Precision& precision) {
  return precision.block_wise || precision.compute == Dtype::kMxfp8;
}

}  // namespace

Machine Machine::seen_every(int stride) const {
  Machine out = *this;
  out.domain = std::max(1, domain / std::max(1, stride));
  if (bus) out.bus = bus->seen_every(stride);
  return out;
}

FlopsPerSecond peak_rate(const catalog::AcceleratorSpec& chip, Dtype dtype) {
  const auto& rates = chip.arithmetic;
  const FlopsPerSecond half = std::max(rates.rate(Dtype::kBf16), rates.rate(Dtype::kFp16));
  const FlopsPerSecond eight = std::max(rates.rate(Dtype::kFp8), rates.rate(Dtype::kMxfp8));
  switch (width_of(dtype)) {
    case Width::k16:
      return half;
    case Width::k8:
      return std::max(half, dtype == Dtype::kInt8 ? rates.rate(Dtype::kInt8) : eight);
    case Width::k4:
      return std::max({half, eight, rates.rate(Dtype::kFp4), rates.rate(Dtype::kNvfp4),
                       rates.rate(Dtype::kMxfp4)});
  }
  return half;
}

Width native_width(const catalog::AcceleratorSpec& chip, Dtype dtype) {
  const auto& rates = chip.arithmetic;
  const auto has = [&](Dtype d) { return rates.rate(d) > FlopsPerSecond(); };
  const Width asked = width_of(dtype);
  if (asked == Width::k16) return asked;
  if (dtype == Dtype::kInt8) return has(Dtype::kInt8) ? Width::k8 : Width::k16;
  const bool four = has(Dtype::kFp4) || has(Dtype::kNvfp4) || has(Dtype::kMxfp4);
  if (asked == Width::k4 && four) return asked;
  return has(Dtype::kFp8) || has(Dtype::kMxfp8) ? Width::k8 : Width::k16;
}

Machine make_machine(const TrainingJob& job, const Constants& constants, const ChipConstants& chip,
                     const KernelFamily& family) {
  const catalog::AcceleratorSpec& spec = *job.chip;
  Machine machine;
  machine.family = &family;
  machine.units = family.systolic ? 1.0 : std::max(1.0, static_cast<double>(spec.compute.units));
  const Dtype eight = job.precision.compute == Dtype::kInt8 ? Dtype::kInt8 : Dtype::kFp8;
  const std::array<Dtype, kNumWidths> dtypes{Dtype::kBf16, eight, Dtype::kNvfp4};
  for (std::size_t i = 0; i < kNumWidths; ++i) {
    machine.gemm[i] = peak_rate(spec, dtypes[i]) * chip.sustained[i];
  }
  if (job.precision.row_wise) {
    machine.gemm[1] = machine.gemm[1] * constants[Constant::kRowWiseFp8];
  }
  if (scaled_by_block(job.precision)) {
    machine.gemm[1] = machine.gemm[1] * constants[Constant::kBlockGemm];
  }
  machine.attention =
      peak_rate(spec, Dtype::kBf16) * (chip.attention * constants[family.attention]);
  machine.attention_half = chip.attention_half;
  machine.memory = spec.memory.bandwidth * constants[Constant::kHbmEfficiency];
  machine.scale_up = spec.scale_up.bandwidth * chip.scale_up;
  const BytesPerSecond line =
      spec.scale_out ? spec.scale_out->bandwidth : BytesPerSecond::from_base(12.5e9);
  machine.scale_out = job.fabric.scale_out.value_or(line);
  const BytesPerSecond host = spec.host ? spec.host->bandwidth : BytesPerSecond::from_base(25e9);
  machine.host = job.fabric.offload.value_or(job.fabric.host_share.value_or(host));
  const int sharers = std::max(1, std::min(job.fabric.host_gpus, job.layout.gpus));
  machine.host_memory = job.fabric.host_bandwidth / sharers;
  machine.domain = scale_up_domain(job);
  // A run inside one bridge needs no copies through the host.
  const bool leaves_bridge = job.layout.gpus > machine.domain;
  if (spec.staged && leaves_bridge && !job.fabric.scale_up_domain)
    share_host(job, *spec.staged, machine);
  join_on_bus(job, machine);
  machine.node = job.fabric.gpus_per_node.value_or(std::min(machine.domain, 8));
  machine.axes = torus_axes(spec.scale_up);
  machine.oversubscription = job.fabric.oversubscription;
  if (job.fabric.leaf_gpus > 0)
    machine.leaf_domains = std::max(1, job.fabric.leaf_gpus / machine.domain);
  machine.transport_share = job.fabric.transport_share;
  machine.transport_latency = job.fabric.transport_latency;
  machine.close_host = spec.host && spec.host->bandwidth > kFastestPcie;
  return machine;
}

}  // namespace loadfactor::training
