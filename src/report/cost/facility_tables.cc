// The tables of the building: cooling, network, power caps.
#include <cmath>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "report/cost/cost_tables.h"
#include "report/cost/cost_words.h"

namespace loadfactor::report {
namespace {

constexpr const char* kUnknown = "–";

}  // namespace

Table cooling_table(const FacilityAnswer& facility) {
  Table table({{.name = "cooling"},
               {.name = "nodes/rack", .align = Align::kRight},
               {.name = "racks", .align = Align::kRight},
               {.name = "PUE", .align = Align::kRight},
               {.name = "site", .align = Align::kRight},
               {.name = "USD/month", .align = Align::kRight},
               {.name = "", .wraps = true}});
  for (const auto& row : facility.cooling) {
    table.add_row({row.cooling,
                   row.legal ? Cell(std::to_string(row.nodes_per_rack)) : Cell(kUnknown),
                   row.legal ? Cell(format_count(row.racks)) : Cell(kUnknown),
                   fmt::format("{:.2f}", row.pue), format_display(any(row.site_power)),
                   row.legal ? Cell(money_text(row.per_month, 0)) : Cell(kUnknown),
                   row.why_not ? words_of(*row.why_not) : std::string(row.chosen ? "taken" : "")});
  }
  return table;
}

Table network_table(const FacilityAnswer& facility) {
  Table table({{.name = "network"},
               {.name = "switches", .align = Align::kRight},
               {.name = "cables", .align = Align::kRight},
               {.name = "optics", .align = Align::kRight},
               {.name = "over", .align = Align::kRight},
               {.name = "hops", .align = Align::kRight},
               {.name = "at stake", .align = Align::kRight},
               {.name = "k USD", .align = Align::kRight},
               {.name = "kW", .align = Align::kRight},
               {.name = "levels", .align = Align::kRight, .essential = false}});
  const auto count = [](std::int64_t value) { return Cell(format_count(value)); };
  for (const auto& row : facility.networks) {
    if (!row.possible) {
      table.add_row({row.topology, "too large", "", "", "", "", "", kUnknown, kUnknown, kUnknown});
      continue;
    }
    table.add_row({row.topology, count(row.switches), count(row.cables), count(row.optics),
                   row.oversubscription ? Cell(fmt::format("{:.3g}:1", *row.oversubscription))
                                        : Cell(kUnknown),
                   count(row.hops), count(row.failure_domain), money_text(row.price / 1000.0, 0),
                   format_count(std::llround(row.power.base() / 1e3)), count(row.levels)});
  }
  table.add_footnote("at stake: endpoints that one leaf takes with it");
  return table;
}

Table cap_table(const FacilityAnswer& facility) {
  Table table({{.name = "power cap", .align = Align::kRight},
               {.name = "rate", .align = Align::kRight},
               {.name = "tokens per joule", .align = Align::kRight},
               {.name = "racks", .align = Align::kRight}});
  for (const auto& row : facility.caps)
    table.add_row({fmt::format("{}{:.0f} W", row.asked ? "asked: " : "", row.cap.base()),
                   fmt::format("{:.0f} %", 100 * row.rate),
                   fmt::format("× {:.2f}", row.work_per_joule), format_count(row.racks)});
  return table;
}

}  // namespace loadfactor::report
