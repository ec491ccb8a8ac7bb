#include "cli/gates.h"

#include <ostream>

#include <CLI/CLI.hpp>

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
    const auto outcome = gate.judge(answer);
    if (!outcome) return session.fail(outcome.error());
    if (outcome->holds) {
      session.tell("gate holds: " + outcome->words);
      continue;
    }
    // Whoever asked for quiet still has to know why the status is not 0.
    *session.environment().err << "gate FAILS: " << outcome->words << '\n';
    session.set_status(1);
  }
}

}  // namespace loadfactor::cli
