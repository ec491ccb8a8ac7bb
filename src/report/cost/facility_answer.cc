// The description of the building that machines need.
#include "report/cost/cost_fields.h"
#include "report/cost/cost_words.h"

namespace loadfactor::report {
namespace {

using F = FacilityAnswer;
using H = HostAnswer;

In<HostAnswer> host_of(const In<F>& in) {
  return {in.row.host, in.answer};
}
std::string shortfall_of(const In<H>& in) {
  return in.row.shortfall ? words_of(*in.row.shortfall) : std::string();
}
std::string objection_of(const In<CoolingRow>& in) {
  return in.row.why_not ? words_of(*in.row.why_not) : std::string();
}
// A figure in a unit that has no dimension of its own.
FigureIn in_unit(double value, const char* unit, const CostAnswer& answer) {
  return {of_options(value, answer).erased(), unit};
}
FigureIn floor_of(const In<F>& in) {
  return in_unit(in.row.floor_area, "m2", in.answer);
}
std::optional<FigureIn> carbon_of(const In<F>& in) {
  if (!in.row.carbon_kg_per_month) return std::nullopt;
  return in_unit(*in.row.carbon_kg_per_month, "kg", in.answer);
}

}  // namespace

template <>
constexpr auto kFields<In<H>> = fields<In<H>>(
    plain<&H::cores>("cores", "Cores of a node"), figure<&H::memory>("memory", "Memory of a node"),
    plain<&H::nics>("nics", "Network cards between nodes and for storage"),
    known_figure<&H::checkpoint>("checkpoint", "Checkpoint of the whole job"),
    known_figure<&H::nvme>("nvme", "Flash of a node, for the checkpoints kept"),
    known_plain<&H::drives>("drives", "Drives of a node"),
    known_figure<&H::checkpoint_bandwidth>("checkpoint_bandwidth", "Rate at which a node writes"),
    known_figure<&H::checkpoint_within>("checkpoint_within", "How long a write may take"),
    known_figure<&H::loading>("loading", "Rate at which a node reads training data"),
    field<shortfall_of>("falls_short", "What the catalogue's host of that node lacks"));

template <>
constexpr auto kFields<In<CoolingRow>> = fields<In<CoolingRow>>(
    plain<&CoolingRow::cooling>("cooling", "Way of cooling"),
    plain<&CoolingRow::legal>("legal", "Whether a rack can hold a node"),
    field<objection_of>("why_not", "Why not, where it cannot"),
    plain<&CoolingRow::nodes_per_rack>("nodes_per_rack", "Nodes of a rack"),
    plain<&CoolingRow::racks>("racks", "Racks"),
    figure<&CoolingRow::pue>("pue", "Energy of the site over that of the machines"),
    figure<&CoolingRow::site_power>("site_power", "Rated power at the grid"),
    price_of<PricedWork::kMonth, &CoolingRow::per_month>("per_month",
                                                         "Cost of space and energy in a month"),
    plain<&CoolingRow::chosen>("chosen", "Whether it is the one taken"));

template <>
constexpr auto kFields<In<NetworkRow>> = fields<In<NetworkRow>>(
    plain<&NetworkRow::topology>("topology", "Kind of fabric"),
    plain<&NetworkRow::possible>("possible", "Whether it can join so many"),
    plain<&NetworkRow::levels>("levels", "Levels of switches"),
    plain<&NetworkRow::switches>("switches", "Switches of all levels"),
    plain<&NetworkRow::leaves>("leaves", "Switches that endpoints hang on"),
    plain<&NetworkRow::cables>("cables", "Cables"),
    plain<&NetworkRow::optics>("optics", "Optical modules, one at each end of a cable"),
    figure<&NetworkRow::oversubscription>(
        "oversubscription", "Down over up at the leaf; null where there are no leaves"),
    plain<&NetworkRow::hops>("hops", "Switches crossed at most"),
    plain<&NetworkRow::failure_domain>("failure_domain", "Endpoints lost with a leaf"),
    figure<&NetworkRow::price>("price", "Price of the fabric"),
    figure<&NetworkRow::power>("power", "Power of the fabric"));

template <>
constexpr auto kFields<In<CapRow>> = fields<In<CapRow>>(
    figure<&CapRow::cap>("cap", "Power that a GPU may draw"),
    figure<&CapRow::rate>("rate", "Speed over the uncapped"),
    figure<&CapRow::work_per_joule>("work_per_joule", "Work of a joule over the uncapped"),
    plain<&CapRow::racks>("racks", "Racks that it then takes"),
    plain<&CapRow::asked>("asked", "Whether the scenario asks for it"));

template <>
constexpr auto kFields<In<F>> = fields<In<F>>(
    plain<&F::node>("node", "Catalogue name of the node"), plain<&F::nodes>("nodes", "Nodes"),
    figure<&F::gpus_only>("gpus_only", "Rated power of the chips alone"),
    figure<&F::rated>("rated", "Rated power with hosts"),
    figure<&F::typical>("typical", "Power at work"), figure<&F::idle>("idle", "Power without work"),
    figure<&F::energy_per_month>("energy_per_month", "Energy at the grid in a month"),
    price_of<PricedWork::kMonth, &F::energy_cost_per_month>("energy_cost_per_month",
                                                            "Cost of that energy"),
    figure<&F::pue>("pue", "Energy of the site over that of the machines"),
    field<floor_of>("floor", "Floor with aisles, in m2"),
    field<host_of>("host", "What the host of a node must have"),
    plain<&F::assumed>("assumed", "Facts of the building without a document behind them"),
    known_field<carbon_of>("carbon_per_month", "CO2 of a month, in kg"),
    rows<&F::cooling>("cooling", "Ways of cooling"),
    rows<&F::networks>("networks", "Fabrics between the nodes"),
    rows<&F::caps>("caps", "What power caps would do"));

Value to_value(const In<F>& facility) {
  return described_value<In<F>>(facility, kFields<In<F>>);
}
Value schema_of(Type<In<F>>) {
  return described_schema<In<F>>(kFields<In<F>>);
}

}  // namespace loadfactor::report
