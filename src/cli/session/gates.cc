#include "cli/session/gates.h"

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

bool judge(Session& session, const std::vector<engine::Gate>& gates, engine::PlanAnswer& answer) {
  for (const auto& gate : gates) {
    const auto outcome = gate.judge(answer);
    if (!outcome) {
      session.fail(outcome.error());
      return false;
    }
    answer.gates.push_back(
        {gate.text(), outcome->words, outcome->holds, outcome->left, outcome->right});
  }
  return true;
}

void tell_gates(Session& session, const engine::PlanAnswer& answer) {
  for (const auto& gate : answer.gates) tell_gate(session, gate.holds, gate.words);
}

void tell_gate(Session& session, bool holds, const std::string& words) {
  if (holds) return session.tell("gate holds: " + words);
  // Whoever asked for quiet still has to know why the status is not 0.
  *session.environment().err << "gate FAILS: " << words << '\n';
  session.set_status(1);
}

}  // namespace loadfactor::cli
