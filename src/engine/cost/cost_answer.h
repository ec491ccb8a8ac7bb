// The parts of the answer to a question of cost, each from the same setup.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/calendar.h"
#include "economics/evaluate.h"
#include "loadfactor/cost.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {

// Every way to pay for a machine whose capacity the scenario states or the request brings.
// Where ends are asked for, with the answers for each uncertain input at its ends.
enum class Ends : std::uint8_t { kLeft, kAsked };
std::optional<CostAnswer> answer_cost(const CostInputs& request, const catalog::Catalog& catalog,
                                      Diagnostics& diagnostics, Ends ends = Ends::kLeft);

// Options, unpriced ones and break-evens, with intervals from the draws.
void add_options(const CostSetup& setup, const economics::CostFigures& figures,
                 const economics::Spreads& spreads, CostAnswer& answer);
// The bill of one option as a tree.
void add_bill(const CostSetup& setup, const economics::CostFigures& figures, CostAnswer& answer);
// The same machine at other loads; the next GPU; rent against own; the size of a run; a claim.
void add_decisions(const CostSetup& setup, const economics::CostFigures& figures,
                   CostAnswer& answer);
void add_moves(const CostSetup& setup, CostAnswer& answer);
// Regret over price paths, tornado, and what each input is worth.
void add_risk(CostSetup& setup, const economics::CostFigures& figures, CostAnswer& answer);
void add_facility(CostSetup& setup, CostAnswer& answer, Diagnostics& diagnostics);
// What the host of one of so many nodes must have.
HostAnswer host_of(CostSetup& setup, std::int64_t nodes);
// The purchase as an annuity, in the books and on the market.
void add_capital(CostSetup& setup, CostAnswer& answer);
// Interruptions and waits of spot machines.
void add_spot(const CostSetup& setup, CostAnswer& answer);

OptionName option_name(const CostSetup& setup, const economics::OptionFigures& figures);

inline Dollars monthly(DollarsPerSecond cost) {
  return cost * kMonth;
}

}  // namespace loadfactor::engine
