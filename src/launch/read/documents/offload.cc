#include "launch/read/documents/offload.h"

#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::launch {

using config::Node;

bool moves_to_host(const Source& source, const Node& root, std::string_view path,
                   Findings& findings) {
  const std::string device = words(root, path);
  if (device.empty() || device == "none") return false;
  if (device == "nvme")
    findings.remark(
        fmt::format("{} is nvme: a scenario has the host's memory alone, which is faster", path),
        place(source, at(root, path)));
  if (device != "cpu" && device != "nvme")
    findings.error(lf::kWrongType, place(source, at(root, path)),
                   fmt::format("{}: '{}' is none of none, cpu, nvme", path, device),
                   "cpu is the host's memory");
  return true;
}

void set_offload(const Source& source, const Node* node, const Offloaded& offloaded,
                 Findings& findings) {
  std::string all;
  const auto add = [&](bool is, const char* name) {
    if (is) all += (all.empty() ? "" : ", ") + std::string(name);
  };
  add(offloaded.optimizer, "optimizer");
  add(offloaded.parameters, "parameters");
  add(offloaded.activations, "activations");
  if (!all.empty()) findings.set("train.layout.offload", "[" + all + "]", place(source, node));
}

}  // namespace loadfactor::launch
