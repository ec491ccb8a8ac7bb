#include "serving/constants.h"

namespace loadfactor::serving {
namespace {

constexpr std::array<std::string_view, kNumConstants> kNames{"gemm_16",
                                                             "gemm_8",
                                                             "gemm_4",
                                                             "gemm_weight_only",
                                                             "kernel_fixed",
                                                             "decode_16",
                                                             "decode_8",
                                                             "prefill_attention",
                                                             "latent_decode",
                                                             "experts_16",
                                                             "experts_8",
                                                             "experts_4",
                                                             "experts_weight_only",
                                                             "expert_rate_16",
                                                             "expert_rate_8",
                                                             "expert_rate_4",
                                                             "expert_rate_weight_only",
                                                             "imbalance",
                                                             "elementwise",
                                                             "elementwise_gddr",
                                                             "comm_latency",
                                                             "comm_rate",
                                                             "comm_pcie",
                                                             "comm_host",
                                                             "exchange",
                                                             "expert_launch",
                                                             "latent_launch",
                                                             "old_grouped",
                                                             "opening",
                                                             "slo_share",
                                                             "queue",
                                                             "tail",
                                                             "stall",
                                                             "turnover",
                                                             "split_rate",
                                                             "transfer",
                                                             "reading",
                                                             "graph_pieces",
                                                             "old_host",
                                                             "cold",
                                                             "expert_apart"};
constexpr std::array<std::string_view, kNumEngineConstants> kEngineNames{
    "kernel", "launch",         "host_step", "host_sequence", "front",
    "admit",  "prefill_launch", "stream",    "prompt"};

}  // namespace

std::string_view name(Constant constant) {
  return kNames[static_cast<std::size_t>(constant)];
}
std::string_view name(EngineConstant constant) {
  return kEngineNames[static_cast<std::size_t>(constant)];
}

std::string shared_constant_name(std::size_t place) {
  if (place < kNumConstants) return std::string(kNames[place]);
  return "family." + std::string(kChipFamilies[place - kNumConstants]);
}

}  // namespace loadfactor::serving
