// The descriptions of how full a fleet is.
#include <cmath>
#include <string>
#include <utility>

#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/ends.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/serve/fill_report.h"
#include "report/serve/fill_words.h"
#include "resolve/serve/served_layout.h"

namespace loadfactor::report {
namespace {

using engine::ClusterFill;
using engine::FillAnswer;

// Load factor by hour of the week, Monday first; nothing of hours without data.
struct Week {
  std::vector<std::vector<std::optional<double>>> values;
  std::string unit = "1", basis = "modelled", source;
};
Week week_of(const demand::WeekProfile& profile, const std::string& source) {
  Week out{.source = source};
  for (const auto& day : profile.rate) {
    auto& hours = out.values.emplace_back();
    for (const double hour : day)
      hours.push_back(hour < 0 ? std::nullopt : std::optional<double>(hour));
  }
  return out;
}

// A row of the answer, with the source that its figures share.
template <typename Row>
struct Of {
  const Row& row;
  const std::string& source;
};
template <typename Row>
std::vector<Of<Row>> rows_of(const std::vector<Row>& rows, const FillAnswer& answer) {
  std::vector<Of<Row>> out;
  for (const Row& row : rows) out.push_back({row, answer.load_factor.source()});
  return out;
}
template <typename Row>
std::optional<Of<Row>> one_of(const std::optional<Row>& row, const FillAnswer& answer) {
  if (!row) return std::nullopt;
  return Of<Row>{*row, answer.load_factor.source()};
}

template <typename Q>
EstimateOf<Q> modelled(Q value, const std::string& source) {
  return EstimateOf<Q>::exact(value, Basis::kModelled, source);
}

// How a member of a row becomes a field: as it is, modelled from the answer's source, or priced.
template <typename Row, auto member>
constexpr auto kPlain = [](const Of<Row>& of) { return std::invoke(member, of.row); };
template <typename Row, auto member>
constexpr auto kModelled =
    [](const Of<Row>& of) { return modelled(std::invoke(member, of.row), of.source); };
template <typename Row, auto member>
constexpr auto kPriced =
    [](const Of<Row>& of) { return modelled(std::invoke(member, of.row), "prices"); };

template <typename Row, auto member>
constexpr auto plain(std::string_view name, std::string_view meaning) {
  return field<Of<Row>>(name, kPlain<Row, member>, meaning);
}
template <typename Row, auto member>
constexpr auto figure(std::string_view name, std::string_view meaning) {
  return field<Of<Row>>(name, kModelled<Row, member>, meaning);
}
template <typename Row, auto member>
constexpr auto price(std::string_view name, std::string_view meaning) {
  return field<Of<Row>>(name, kPriced<Row, member>, meaning);
}

// A figure with the interval that was drawn for it; without one it gets that of moved inputs.
template <typename Q>
EstimateOf<Q> within(const std::optional<engine::RelativeEnds>& ends, EstimateOf<Q> figure) {
  return ends ? ends->of(figure) : figure;
}

template <typename Row, auto member>
constexpr auto kPerMillion = [](const Of<Row>& of) {
  return priced<PricedWork::kMillionTokens>(within(of.row.token_ends, kPriced<Row, member>(of)));
};
template <typename Row, auto member>
constexpr auto per_million(std::string_view name, std::string_view meaning) {
  return field<Of<Row>>(name, kPerMillion<Row, member>, meaning);
}

template <typename Row, auto member>
constexpr auto kPerMonth =
    [](const Of<Row>& of) { return priced<PricedWork::kMonth>(kPriced<Row, member>(of)); };
template <typename Row, auto member>
constexpr auto per_month(std::string_view name, std::string_view meaning) {
  return field<Of<Row>>(name, kPerMonth<Row, member>, meaning);
}

// A figure of a way to pay that only exists where it breaks even at some load.
template <auto member>
constexpr auto kWhereItPays = [](const Of<engine::WayToPay>& of) {
  using Q = std::remove_cvref_t<decltype(of.row.*member)>;
  return std::isfinite(of.row.break_even) ? std::optional(modelled(Q(of.row.*member), of.source))
                                          : std::nullopt;
};
constexpr auto kBreakEven = [](const Of<engine::WayToPay>& of) {
  return std::isfinite(of.row.break_even)
             ? std::optional(within(of.row.even_ends, modelled(of.row.break_even, "prices")))
             : std::nullopt;
};
constexpr auto kWayPrice = [](const Of<engine::WayToPay>& of) {
  return within(of.row.price_ends, kPriced<engine::WayToPay, &engine::WayToPay::price>(of));
};
constexpr auto kThresholdEven = [](const Of<engine::ThresholdRow>& of) {
  return within(of.row.even_ends, modelled(of.row.break_even, "prices"));
};
constexpr auto kCrowdLoad = [](const Of<engine::CrowdRow>& of) {
  return within(of.row.load_ends, modelled(of.row.load_factor, of.source));
};

std::optional<ServeLayout> prompts_of(const FillAnswer& a) {
  if (a.prompt_replicas == 0) return std::nullopt;
  return engine::served_layout(a.prompt_layout, a.units * a.prompt_replicas);
}
ServeLayout layout_of(const FillAnswer& a) {
  ServeLayout out = engine::served_layout(a.layout, a.replicas);
  out.gpus = a.gpus;
  return out;
}
constexpr auto kSimulated = [](auto value) { return modelled(value, "simulation"); };

using Point = engine::FillPoint;
using Crowd = engine::CrowdRow;
using Threshold = engine::ThresholdRow;
using Pooling = engine::PoolingRow;
using Way = engine::WayToPay;
using Worth = engine::WorthHaving;
using Next = engine::Neighbour;

std::string_view priced_of(const FillAnswer& a) {
  return way_words(a.priced);
}
std::string_view way_of(const Of<Way>& of) {
  return way_words(of.row.way);
}
std::string crowd_of(const Of<Crowd>& of) {
  return crowd_words(of.row.what);
}
std::string change_of(const Of<Threshold>& of) {
  return change_words(of.row);
}
using serving::FillLosses;

constexpr auto kNextPoint = [](const Of<Next>& of) { return Of<Point>{of.row.point, of.source}; };

}  // namespace

template <>
constexpr auto kFields<Week> = fields<Week>(
    field<&Week::values>(
        "values", "Rows are days from Monday, columns hours, UTC; null where nothing is known"),
    field<&Week::unit>("unit", "Unit of all values"),
    field<&Week::basis>("basis", "How they came about"),
    field<&Week::source>("source", "What they come from"));

template <>
constexpr auto kFields<Of<FillLosses>> = fields<Of<FillLosses>>(
    figure<FillLosses, &FillLosses::demand>("demand", "Replicas that even the peak does not need"),
    figure<FillLosses, &FillLosses::shape>("shape", "Hours below the busiest hour"),
    figure<FillLosses, &FillLosses::headroom>("headroom",
                                              "Room for the peak inside the busiest hour"),
    figure<FillLosses, &FillLosses::slo>("slo", "Batches kept small for latency"),
    figure<FillLosses, &FillLosses::rounding>("rounding", "Whole replicas"));

template <>
constexpr auto kFields<Of<Point>> = fields<Of<Point>>(
    plain<Point, &Point::gpus>("gpus", "GPUs of the fleet"),
    plain<Point, &Point::replicas>("replicas",
                                   "Replicas of the fleet; those of answers where prompts are "
                                   "apart"),
    figure<Point, &Point::load_factor>("load_factor", "Work delivered over work possible"),
    per_million<Point, &Point::per_mtoken>("per_mtoken", "Rent of a million tokens served"),
    figure<Point, &Point::within_slo>("within_slo", "Share of requests within the SLO"));

namespace {
struct CurvePoint {
  Of<Point> point;
};
std::vector<CurvePoint> curve_of(const FillAnswer& a) {
  std::vector<CurvePoint> out;
  for (const auto& point : rows_of(a.curve, a)) out.push_back({point});
  return out;
}
}  // namespace

template <>
constexpr auto kFields<CurvePoint> =
    fields<CurvePoint>(spliced<&CurvePoint::point>(),
                       field<CurvePoint>(
                           "knee", [](const CurvePoint& p) { return p.point.row.is_knee; },
                           "Whether it is the smallest fleet that keeps the SLO"));

template <>
constexpr auto kFields<Of<Next>> = fields<Of<Next>>(
    spliced<Of<Next>>(kNextPoint),
    per_month<Next, &Next::per_month>("per_month", "What a month costs more; less where negative"));

template <>
constexpr auto kFields<engine::SimulatedFill> = fields<engine::SimulatedFill>(
    field<&engine::SimulatedFill::load_factor, kSimulated>("load_factor",
                                                           "Work delivered over work possible"),
    field<&engine::SimulatedFill::within_slo, kSimulated>("within_slo",
                                                          "Share of requests within the SLO"),
    field<&engine::SimulatedFill::ttft, kSimulated>("ttft",
                                                    "Time to the first token at its quantile"),
    field<&engine::SimulatedFill::tpot, kSimulated>("tpot",
                                                    "Time per output token at its quantile"),
    field<&engine::SimulatedFill::kept>("kept", "Whether the SLO was kept"),
    field<&engine::SimulatedFill::requests>("requests", "Requests that were simulated"),
    field<&engine::SimulatedFill::share_of_demand, kSimulated>(
        "share_of_demand", "Share of the demand that was simulated"));

template <>
constexpr auto kFields<Of<Way>> = fields<Of<Way>>(
    field<way_of>("way", "The way to pay"),
    field<Of<Way>>("price", kWayPrice, "Price of a GPU at the fleet's load"),
    plain<Way, &Way::pays>("pays", "Whether it is cheaper than the API at this load"),
    known_field<Of<Way>>("break_even", kBreakEven, "Load factor at which it costs as much"),
    known_field<Of<Way>>("requests", kWhereItPays<&Way::requests>,
                         "Requests at which it breaks even"),
    known_field<Of<Way>>("users", kWhereItPays<&Way::users>, "Users at which it breaks even"));

template <>
constexpr auto kFields<Of<Crowd>> = fields<Of<Crowd>>(
    field<crowd_of>("what", "What the crowd would do"),
    field<Of<Crowd>>("load_factor", kCrowdLoad, "How full it makes the fleet"),
    figure<Crowd, &Crowd::requests>("requests", "Requests of that crowd"),
    figure<Crowd, &Crowd::users>("users", "Users of that crowd"),
    plain<Crowd, &Crowd::is_reachable>("reachable", "Whether shape and SLO let it come so far"));

template <>
constexpr auto kFields<Of<Threshold>> = fields<Of<Threshold>>(
    field<change_of>("change", "What is different"),
    plain<Threshold, &Threshold::gpus>("gpus", "GPUs of one replica"),
    field<Of<Threshold>>("break_even", kThresholdEven,
                         "Load factor at which it costs as much as the API"),
    figure<Threshold, &Threshold::fullest>("fullest", "As full as shape and SLO let it be"),
    figure<Threshold, &Threshold::requests>("requests", "Requests from which it pays"),
    figure<Threshold, &Threshold::users>("users", "Users from which it pays"),
    plain<Threshold, &Threshold::pays>("pays", "Whether it ever does"));

template <>
constexpr auto kFields<Of<Pooling>> = fields<Of<Pooling>>(
    plain<Pooling, &Pooling::services>("services", "Services like this one"),
    plain<Pooling, &Pooling::gpus_apart>("gpus_apart", "GPUs where each has its own"),
    plain<Pooling, &Pooling::gpus_pooled>("gpus_pooled", "GPUs where all share one fleet"),
    figure<Pooling, &Pooling::load_apart>("load_factor_apart", "Load factor of each on its own"),
    figure<Pooling, &Pooling::load_pooled>("load_factor_pooled", "Load factor of one fleet"),
    per_million<Pooling, &Pooling::per_mtoken_apart>("per_mtoken_apart",
                                                     "Rent of a million tokens of each on its own"),
    per_million<Pooling, &Pooling::per_mtoken_pooled>("per_mtoken_pooled",
                                                      "Rent of a million tokens of one fleet"));

template <>
constexpr auto kFields<Of<Worth>> = fields<Of<Worth>>(
    plain<Worth, &Worth::accelerator>("accelerator", "The accelerator's title"),
    spliced<Of<Worth>>(kPlain<Worth, &Worth::layout>),
    figure<Worth, &Worth::requests>("requests", "Requests from which it pays"),
    price<Worth, &Worth::break_even>("break_even",
                                     "Load factor at which it costs as much as the API"));

namespace {

template <auto member>
constexpr auto kRows = [](const FillAnswer& a) { return rows_of(a.*member, a); };
template <auto member>
constexpr auto kOne = [](const FillAnswer& a) { return one_of(a.*member, a); };

Of<FillLosses> losses_of(const FillAnswer& a) {
  return {a.load.losses, a.load_factor.source()};
}
EstimateOf<Hertz> mean_of(const FillAnswer& a) {
  return modelled(a.mean, a.demand_words);
}
EstimateOf<Hertz> peak_of(const FillAnswer& a) {
  return modelled(a.peak, a.demand_words);
}
EstimateOf<Hertz> saturated_of(const FillAnswer& a) {
  return modelled(a.replica.capacity.saturated / static_cast<double>(a.answer_replicas),
                  a.load_factor.source());
}
EstimateOf<Hertz> at_slo_of(const FillAnswer& a) {
  return modelled(a.replica.capacity.at_slo / static_cast<double>(a.answer_replicas),
                  a.load_factor.source());
}
Week fleet_week(const FillAnswer& a) {
  return week_of(a.week, a.load_factor.source());
}

}  // namespace

template <>
constexpr auto kFields<FillAnswer> = fields<FillAnswer>(
    field<fill_verdict>("verdict", "The answer as one sentence").at_least(1),
    field<&FillAnswer::accelerator>("accelerator", "Catalogue name"),
    field<&FillAnswer::precision>("precision", "Format of the weights"),
    field<&FillAnswer::kv_format>("kv", "Format of the KV cache"), spliced<layout_of>(),
    field<&FillAnswer::chunk>("chunk",
                              "Most tokens of one step, of the replicas that write answers"),
    field<&FillAnswer::max_seqs>("max_seqs", "Most requests in one step of such a replica"),
    field<prompts_of>("prompts", "Replicas that only compute prompts; null where there are none"),
    field<&FillAnswer::load_factor>("load_factor", "Work delivered over work paid for"),
    known_field<&FillAnswer::break_even>("break_even",
                                         "Load factor at which it costs as much as the API"),
    field<priced_of>("priced_as", "The way to pay that single prices and the break-even are of"),
    field<losses_of>("losses",
                     "Shares of the capacity paid for; they and the load factor sum to 1"),
    field<&FillAnswer::within_slo>("within_slo", "Share of requests within the SLO"),
    field<mean_of>("mean_rate", "Requests of the demand on average"),
    field<peak_of>("peak_rate", "Requests in the busiest 10 minutes"),
    field<saturated_of>("replica_saturated", "Requests of the full fleet for each of its replicas"),
    field<at_slo_of>("replica_at_slo",
                     "Requests of the fleet within the SLO for each of its replicas"),
    field<fleet_week>("week", "Load factor by hour of the week"),
    field<curve_of>("curve", "Fleets of other sizes"),
    known_field<FillAnswer>("one_fewer", kOne<&FillAnswer::one_fewer>,
                            "The fleet with one replica fewer"),
    known_field<FillAnswer>("one_more", kOne<&FillAnswer::one_more>,
                            "The fleet with one replica more"),
    known_field<&FillAnswer::simulated>("simulated", "The same fleet, request by request"),
    field<FillAnswer>("ways", kRows<&FillAnswer::ways>, "Every way to pay for the fleet"),
    field<FillAnswer>("crowd", kRows<&FillAnswer::crowd>, "Traffic at which it is so full"),
    field<FillAnswer>("thresholds", kRows<&FillAnswer::thresholds>,
                      "The smallest crowds that pay for a replica"),
    field<FillAnswer>("pooling", kRows<&FillAnswer::pooling>, "Services like this on one fleet"),
    known_field<FillAnswer>("smallest", kOne<&FillAnswer::smallest>,
                            "The cheapest deployment that an API cannot undercut when full"));

namespace {

EstimateOf<double> cluster_load(const ClusterFill& f) {
  return modelled(f.useful.value_or(f.busy.value_or(f.allocated)), f.file);
}
EstimateOf<double> allocated_of(const ClusterFill& f) {
  return modelled(f.allocated, f.file);
}
template <auto member>
constexpr auto kShare = [](const ClusterFill& f) {
  return f.*member ? std::optional(modelled(*(f.*member), f.file)) : std::nullopt;
};
std::int64_t jobs_of(const ClusterFill& f) {
  return f.use.jobs;
}
auto gpu_time_of(const ClusterFill& f) {
  return modelled(Gpus::from_base(1) * Seconds::from_base(f.use.gpu_seconds), f.file);
}
Week cluster_week(const ClusterFill& f) {
  return week_of(f.week, f.file);
}
struct ClusterPoint {
  const Point& point;
  const std::string& file;
};
std::vector<ClusterPoint> cluster_curve(const ClusterFill& f) {
  std::vector<ClusterPoint> out;
  for (const Point& point : f.curve) out.push_back({point, f.file});
  return out;
}

}  // namespace

template <>
constexpr auto kFields<ClusterPoint> = fields<ClusterPoint>(
    field<ClusterPoint>(
        "gpus", [](const ClusterPoint& p) { return p.point.gpus; }, "GPUs of the cluster"),
    field<ClusterPoint>(
        "load_factor", [](const ClusterPoint& p) { return modelled(p.point.load_factor, p.file); },
        "GPU time in use over GPU time paid for"),
    field<ClusterPoint>(
        "held", [](const ClusterPoint& p) { return modelled(p.point.within_slo, p.file); },
        "Share of the GPU time asked for that it holds"));

template <>
constexpr auto kFields<ClusterFill> = fields<ClusterFill>(
    field<cluster_fill_verdict>("verdict", "The answer as one sentence").at_least(1),
    field<&ClusterFill::gpus>("gpus", "GPUs of the cluster"),
    field<cluster_load>("load_factor", "Useful GPU time over GPU time paid for, as far as known"),
    field<allocated_of>("allocated", "Share of the GPU time that jobs held"),
    known_field<ClusterFill>("busy", kShare<&ClusterFill::busy>, "Share that was busy"),
    known_field<ClusterFill>("useful", kShare<&ClusterFill::useful>,
                             "Share of jobs that succeeded"),
    field<jobs_of>("jobs", "Jobs that were read"),
    field<gpu_time_of>("gpu_time", "GPU time of all jobs"),
    field<cluster_week>("week", "Share in use by hour of the week"),
    field<cluster_curve>("curve", "Clusters of other sizes"));

Value to_value(const FillAnswer& answer) {
  return with_widths<FillAnswer>(described_value<FillAnswer>(answer, kFields<FillAnswer>), answer,
                                 to_value);
}
Value schema_of(Type<FillAnswer>) {
  return described_schema<FillAnswer>(kFields<FillAnswer>);
}
Value to_value(const ClusterFill& fill) {
  return described_value<ClusterFill>(fill, kFields<ClusterFill>);
}
Value schema_of(Type<ClusterFill>) {
  return described_schema<ClusterFill>(kFields<ClusterFill>);
}

namespace {

struct LogFile {
  std::string file;
};

}  // namespace

template <>
constexpr auto kFields<LogFile> =
    fields<LogFile>(field<&LogFile::file>("file", "The log of jobs that was read"));

AnswerSchema fill_schema() {
  return {"fill",
          "fill",
          "Answer of `loadfactor fill`",
          "How full a fleet is over its demand, or a cluster over its jobs.",
          either_schema(scenario_schema(), schema_of(Type<LogFile>())),
          either_schema(schema_of(Type<FillAnswer>()), schema_of(Type<ClusterFill>()))};
}

std::string fill_json(const FillAnswer& answer, const std::string& file) {
  return print_json(envelope("fill", scenario_value(answer.scenario, file), to_value(answer),
                             answer.notices, answer.facts));
}

std::string cluster_fill_json(const ClusterFill& fill) {
  return print_json(
      envelope("fill", to_value(LogFile{fill.file}), to_value(fill), fill.notices, {}));
}

std::string fill_csv(const FillAnswer& answer) {
  return csv_list(schema_of(Type<FillAnswer>()), to_value(answer), "curve");
}

std::string cluster_fill_csv(const ClusterFill& fill) {
  return csv_list(schema_of(Type<ClusterFill>()), to_value(fill), "curve");
}

}  // namespace loadfactor::report
