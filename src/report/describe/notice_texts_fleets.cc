// What is said of many workloads on shared pools, and of several regions.
#include "report/describe/notice_texts.h"

namespace loadfactor::report {
namespace {

constexpr NoticeText kTexts[] = {
    {"fleet-no-room",
     "'{workload}' has no room in any pool, and neither a value nor an API to take its place: at "
     "its busiest it holds {gpus} {gpus?GPU|GPUs} at once, beside what comes before it"},
    {"fleet-rented-whole",
     "pool '{pool}': what is rented by the hour is counted in machines of {size}, the smallest on "
     "sale that holds GPUs which must work together; smaller work is counted so too"},
    {"fleet-scarce",
     "GPUs are scarce: together the workloads cost more than each alone would, and fair shares say "
     "so"},
    {"fleet-shares-sampled",
     "fair shares are of 24 orders in which the workloads may come, not of all"},
    {"fleet-slo-missed",
     "'{workload}' misses its SLO in the simulation even with all its replicas at all hours"},
    {"fleet-unread", "'{workload}': a fleet is planned without {keys}"},
    {"fleet-year",
     "a year is planned, because '{workload}' does not come alike in every week: work without "
     "'every' is done once in it; `horizon: week` plans a week that repeats"},
    {"pool-of-one-chip",
     "each model alone on the accelerator that suits it best ({choices}) costs {apart} a month<: "
     "{less} less than this pool><: {more} more than this pool>"},
    {"pool-over-budget",
     "the pool costs {cost} a month, which is more than limits.budget, {budget}"},
    {"region-electricity",
     "money.electricity holds in every region; without it each has its own price"},
    {"region-place",
     "the catalogue does not say where {region} is: one place for all regions is not weighed"},
    {"region-rents",
     "no rent of {accelerators} by region is known: the same is counted in every region; rows of "
     "your own with the name of the region in prices/rent.csv set it"},
    {"region-shape",
     "the hours of the shape are those of {first}: in the other regions the same hours come as "
     "much "
     "later as the sun does, an hour for 15 degrees"},
    {"region-shape",
     "each region is planned with its share of every hour's traffic: recorded days, as of a trace, "
     "a week in a file or a named shape, do not tell whose come later"},
};

}  // namespace

std::span<const NoticeText> fleets_texts() {
  return kTexts;
}

}  // namespace loadfactor::report
