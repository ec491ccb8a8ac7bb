#include "catalog/import/prices/skypilot_names.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace loadfactor::catalog {
namespace {

struct TpuRow {
  std::string_view prefix;
  std::string_view name;
  int units_per_chip;
};
constexpr std::array kTpus{
    TpuRow{"tpu-v2-", "tpu-v2", 2},         TpuRow{"tpu-v3-", "tpu-v3", 2},
    TpuRow{"tpu-v4-", "tpu-v4", 2},         TpuRow{"tpu-v5p-", "tpu-v5p", 2},
    TpuRow{"tpu-v5litepod-", "tpu-v5e", 1}, TpuRow{"tpu-v6e-", "tpu-v6e", 1},
};

struct HostRow {
  std::string_view accelerator;
  int count;  // 0: any.
  std::string_view instance;
};
constexpr std::array kHosts{
    HostRow{"A100", 16, "a2-megagpu"},      HostRow{"A100", 0, "a2-highgpu"},
    HostRow{"A100-80GB", 0, "a2-ultragpu"}, HostRow{"H100", 0, "a3-highgpu"},
    HostRow{"H100-MEGA", 0, "a3-megagpu"},  HostRow{"H100-80GB-MEGA", 0, "a3-megagpu"},
    HostRow{"H200", 0, "a3-ultragpu"},      HostRow{"B200", 0, "a4-highgpu"},
};

struct NameRow {
  std::string_view written;
  std::string_view common;
};
constexpr std::array kNames{
    NameRow{"H100-MEGA", "H100-SXM"}, NameRow{"H100-80GB-MEGA", "H100-SXM"},
    NameRow{"H100-NVLINK", "H100-PCIe"},  // Cards joined by bridges.
};

constexpr std::array kForms{
    NameRow{"sxm", "SXM"},
    NameRow{"pcie", "PCIe"},
    NameRow{"nvl", "NVL"},
};

}  // namespace

std::optional<TpuSlice> parse_tpu(std::string_view name) {
  for (const TpuRow& row : kTpus) {
    if (!name.starts_with(row.prefix)) continue;
    const std::string_view digits = name.substr(row.prefix.size());
    int units = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), units);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
    if (!whole || units < row.units_per_chip) return std::nullopt;
    return TpuSlice{std::string(row.name), units / row.units_per_chip};
  }
  return std::nullopt;
}

std::string google_host(std::string_view accelerator, int count) {
  for (const HostRow& row : kHosts) {
    if (row.accelerator != accelerator || (row.count != 0 && row.count != count)) continue;
    return fmt::format("{}-{}g", row.instance, count);
  }
  return {};
}

std::string_view common_name(std::string_view accelerator) {
  for (const NameRow& row : kNames) {
    if (row.written == accelerator) return row.common;
  }
  return accelerator;
}

std::string_view form_in(std::string_view instance) {
  std::string lower;
  for (const char c : instance) {
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const NameRow& row : kForms) {
    if (lower.find(row.written) != std::string::npos) return row.common;
  }
  return {};
}

}  // namespace loadfactor::catalog
