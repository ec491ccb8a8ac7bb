#include "training/job/constants.h"

namespace loadfactor::training {

namespace {

constexpr std::array<std::string_view, kNumConstants> kNames{
    "hbm_efficiency",
    "pointwise_eager",
    "pointwise_fused",
    "pointwise_compiled",
    "host_eager",
    "host_fused",
    "host_compiled",
    "host_graph",
    "moe_host",
    "moe_host_device",
    "moe_host_graph",
    "close_host",
    "biased_expert_passes",
    "biased_expert_passes_fused",
    "routing_imbalance",
    "kernel_gap",
    "ep_hidden",
    "ep_hidden_graph",
    "grouped_gemm",
    "grouped_gemm_compiler",
    "row_wise_fp8",
    "block_gemm",
    "remat_compiler",
    "remat_ops",
    "attention_ampere",
    "attention_hopper",
    "attention_blackwell",
    "attention_systolic",
    "attention_flash2",
    "attention_flash1_newer",
    "attention_flash1",
    "attention_head64",
    "attention_backward",
    "unfused_passes",
    "unfused_products",
    "misaligned",
    "scan_passes",
    "scan_products",
    "quantise",
    "quantise_block",
    "loss_passes",
    "optimizer_fused",
    "optimizer_foreach",
    "optimizer_host",
    "tp_hidden_buffers",
    "tp_hidden_async",
    "tp_hidden_compiler",
    "tp_skew",
    "tp_gather_again",
    "cp_hidden",
    "cp_shown",
    "dp_hidden",
    "fsdp_hidden",

    "compiler_hidden",
    "nic_efficiency",
    "start_up",
    "start_out",
    "straggler",
    "p2p",
    "p2p_behind_chunks",
    "ring_hop",
    "permute_passes",
    "permute_passes_fused",
    "all_to_all_up",
    "all_to_all_out",
    "step_fixed",
    "fp4_share",
};

}  // namespace

std::string_view name(Constant constant) {
  return kNames[static_cast<std::size_t>(constant)];
}

double Constants::level(std::string_view family) const {
  for (const SoftwareLevel& level : levels) {
    if (level.family == family) return level.value;
  }
  return 1.0;
}

Width width_of(catalog::Dtype dtype) {
  const double bits = catalog::row(dtype).bits;
  if (bits > 8) return Width::k16;
  return bits > 4 ? Width::k8 : Width::k4;
}

const ChipConstants* Calibration::find(const catalog::AcceleratorSpec& chip) const {
  for (const ChipConstants& candidate : chips) {
    if (candidate.accelerator == chip.name) return &candidate;
  }
  for (const ChipConstants& candidate : chips) {
    if (candidate.chip_family == chip.family) return &candidate;
  }
  return nullptr;
}

}  // namespace loadfactor::training
