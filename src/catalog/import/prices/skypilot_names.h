// What the names in a SkyPilot catalogue hide: the size of a TPU slice, the host of a Google
// accelerator, a form factor that only the instance type tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loadfactor::catalog {

struct TpuSlice {
  std::string name;  // As the catalogue spells it: "tpu-v5p".
  int chips = 0;
};

// `tpu-v5p-8` is 4 chips, because v2, v3, v4 and v5p count TensorCores, two to a chip; `tpu-v6e-8`
// and `tpu-v5litepod-8` are 8. Nothing for other accelerators.
std::optional<TpuSlice> parse_tpu(std::string_view name);

// The instance type whose price Google adds to `count` of an accelerator; empty when the
// accelerator may hang on any host.
std::string google_host(std::string_view accelerator, int count);

// The spelling by which our catalogue knows an accelerator, where no rule leads there.
std::string_view common_name(std::string_view accelerator);

// `SXM`, `PCIe` or `NVL` if the instance type says so, else empty.
std::string_view form_in(std::string_view instance);

}  // namespace loadfactor::catalog
