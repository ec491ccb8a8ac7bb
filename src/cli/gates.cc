#include "cli/gates.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace loadfactor::cli {

void add_gate_option(CLI::App& verb, std::vector<std::string>& gates, const std::string& help) {
  verb.add_option("--gate", gates, help)->type_name("COMPARISON")->allow_extra_args(false);
}

Result<std::vector<engine::Gate>> read_gates(const std::vector<std::string>& texts) {
  std::vector<engine::Gate> gates;
  for (const auto& text : texts) {
    TRY(auto gate, engine::Gate::parse(text));
    gates.push_back(std::move(gate));
  }
  return gates;
}

void judge(Session& session, const std::vector<engine::Gate>& gates,
           const engine::PlanAnswer& answer) {
  for (const auto& gate : gates) {
    const bool kept = gate.holds(answer);
    session.tell(fmt::format("gate {}: {}", kept ? "holds" : "FAILS", gate.text()));
    if (!kept) session.set_status(1);
  }
}

}  // namespace loadfactor::cli
