#include "report/plan/region_words.h"

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "report/describe/option_words.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

using engine::CentralFleet;
using engine::PlanRegions;
using engine::SiteFleet;

Cell month_of(const std::optional<EstimateOf<Dollars>>& cost) {
  return cost ? Cell(amount_text(cost->value())) : Cell("–");
}

void add_site(std::string name, const SiteFleet& site, std::string trip, Table& table) {
  if (!site.is_found) {
    table.add_row({std::move(name), percent_text(site.share), "–", "–", "–", "–", std::move(trip),
                   "not kept"});
    return;
  }
  table.add_row({std::move(name), percent_text(site.share), std::to_string(site.gpus),
                 std::to_string(site.replicas), site.paid ? words_of(*site.paid) : "no price",
                 month_of(site.per_month), std::move(trip),
                 site.is_within_limits ? "kept" : "beyond limits"});
}

std::string trip_text(const CentralFleet& place) {
  return fmt::format("{:.0f}", 1e3 * place.round_trip.value().base());
}

// What one place costs beside fleets by region.
std::string compared(const PlanRegions& regions, const SiteFleet& site) {
  if (!regions.per_month || !site.per_month) return {};
  const Dollars more = site.per_month->value() - regions.per_month->value();
  return fmt::format(", {} {}", dollars_text(more < Dollars() ? more * -1 : more),
                     more < Dollars() ? "less" : "more");
}

std::string by_region(const PlanRegions& regions) {
  if (regions.gpus == 0)
    return "Not every region can have a fleet of its own that keeps the promise.";
  std::string text = fmt::format("A fleet in each of {} takes {}",
                                 counted(static_cast<long long>(regions.sites.size()), "region"),
                                 counted(regions.gpus, "GPU"));
  if (regions.per_month)
    text += fmt::format(", {} a month", dollars_text(regions.per_month->value()));
  if (!regions.is_within_limits) text += ", which is beyond the limits";
  return text + ".";
}

}  // namespace

Table regions_table(const PlanRegions& regions) {
  Table table({{.name = "served from", .wraps = true, .min_width = 12},
               {.name = "share", .align = Align::kRight},
               {.name = "GPUs", .align = Align::kRight},
               {.name = "replicas", .align = Align::kRight},
               {.name = "paid for", .wraps = true, .min_width = 12},
               {.name = "$ a month", .align = Align::kRight},
               {.name = "way, ms", .align = Align::kRight},
               {.name = "promise"}});
  for (const SiteFleet& site : regions.sites) add_site(site.title, site, "–", table);
  if (regions.gpus > 0)
    table.add_row({"all regions", percent_text(1), std::to_string(regions.gpus),
                   std::to_string(regions.replicas), "–", month_of(regions.per_month), "–",
                   regions.is_within_limits ? "kept" : "beyond limits"});
  for (const CentralFleet& place : regions.places)
    add_site(fmt::format("{} alone", place.site.title), place.site, trip_text(place), table);
  return table;
}

std::string regions_words(const PlanRegions& regions) {
  std::string text = by_region(regions);
  if (regions.places.empty()) return text;
  const CentralFleet& best = regions.places.front();
  if (!best.site.is_found)
    return text + fmt::format(
                      " No one place keeps the promise: from {} the way to {} and back "
                      "takes {} ms before a first token.",
                      best.site.title, best.farthest, trip_text(best));
  text += fmt::format(" One place, {}, takes {}", best.site.title, counted(best.site.gpus, "GPU"));
  if (best.site.per_month)
    text += fmt::format(" and {} a month{}", dollars_text(best.site.per_month->value()),
                        compared(regions, best.site));
  return text + fmt::format(
                    "; users in {} wait {} ms longer for a first token, and the promise is "
                    "kept with that.",
                    best.farthest, trip_text(best));
}

}  // namespace loadfactor::report
