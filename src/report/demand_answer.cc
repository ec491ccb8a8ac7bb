// The description of what traffic is like.
#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "report/demand_report.h"
#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"

namespace loadfactor::report {
namespace {

using demand::Characterisation;
using demand::ClusterUse;
using demand::ImportReport;
using demand::LengthStatistics;
using demand::MetricsSnapshot;
using engine::DemandAnswer;

template <typename Q>
EstimateOf<Q> measured(Q value, const std::string& file) {
  return EstimateOf<Q>::exact(value, Basis::kMeasured, file);
}

constexpr auto kSeconds = [](Seconds time) { return time.base(); };

// ---- How the file was read.

Dictionary<std::int64_t> dropped_of(const ImportReport& r) {
  Dictionary<std::int64_t> out;
  for (std::size_t i = 0; i < r.dropped.size(); ++i)
    if (r.dropped[i].rows != 0)
      out.values.emplace_back(
          std::string(demand::drop_reason_words(static_cast<demand::DropReason>(i))),
          static_cast<std::int64_t>(r.dropped[i].rows));
  return out;
}
std::string_view time_unit_of(const ImportReport& r) {
  return time_unit_name(r.time_unit);
}
struct GapSeconds {
  double start = 0, length = 0;
};
std::vector<GapSeconds> gaps_of(const ImportReport& r) {
  std::vector<GapSeconds> out;
  for (const auto& gap : r.gaps)
    out.push_back({static_cast<double>(gap.start) * 1e-9, static_cast<double>(gap.length) * 1e-9});
  return out;
}

// ---- Requests.

// A part of the answer, and the file that it was read from.
template <typename Row>
struct Read {
  const Row& row;
  const std::string& file;
};
template <typename Row, auto member>
constexpr auto kPlain = [](const Read<Row>& r) { return std::invoke(member, r.row); };
template <typename Row, auto member>
constexpr auto kMeasured =
    [](const Read<Row>& r) { return measured(std::invoke(member, r.row), r.file); };

struct Traffic {
  const Characterisation& c;
  const DemandAnswer& answer;
};
std::optional<Traffic> traffic_of(const DemandAnswer& a) {
  return a.traffic ? std::optional(Traffic{*a.traffic, a}) : std::nullopt;
}
Hertz peak_of(const Characterisation& c) {
  const demand::WindowStatistics* widest = c.widest_meaningful_window();
  if (widest != nullptr) return widest->peak;
  return c.windows.empty() ? c.mean_rate : std::max(c.mean_rate, c.windows.back().peak);
}
EstimateOf<Hertz> mean_rate(const Traffic& t) {
  return measured(t.c.mean_rate, t.answer.name);
}
EstimateOf<Hertz> peak_rate(const Traffic& t) {
  return measured(peak_of(t.c), t.answer.name);
}
EstimateOf<double> mean_to_peak(const Traffic& t) {
  const Hertz peak = peak_of(t.c);
  return measured(peak > Hertz() ? t.c.mean_rate / peak : 1.0, t.answer.name);
}
EstimateOf<double> cv_of(const Traffic& t) {
  const bool rates_only = std::holds_alternative<demand::RateProfile>(t.answer.data);
  return EstimateOf<double>::exact(t.c.cv.value_or(1.0),
                                   rates_only ? Basis::kAssumed : Basis::kMeasured, t.answer.name);
}
using Window = demand::WindowStatistics;
std::vector<Read<Window>> windows_of(const Traffic& t) {
  std::vector<Read<Window>> out;
  for (const auto& window : t.c.windows) out.push_back({window, t.answer.name});
  return out;
}
template <auto member>
constexpr auto kShare = [](const Traffic& t) {
  return t.c.*member ? std::optional(measured(*(t.c.*member), t.answer.name)) : std::nullopt;
};
std::vector<std::vector<double>> week_of(const Traffic& t) {
  std::vector<std::vector<double>> out;
  for (const auto& day : t.c.week.rate) out.emplace_back(day.begin(), day.end());
  return out;
}

// Tokens of prompts or answers: quantiles by their percentiles.
// Found by the type of its argument, which lives here too.
Value to_value(const Read<LengthStatistics>& r) {
  const LengthStatistics& s = r.row;
  const auto tokens = [&](double count) {
    return report::to_value(measured(Tokens::from_base(count), r.file));
  };
  Value::Object out{{"mean", tokens(s.mean)}, {"cv", report::to_value(measured(s.cv, r.file))}};
  for (std::size_t i = 0; i < s.percentiles.size(); ++i)
    out.push_back({fmt::format("p{}", demand::kLengthPercentiles[i]), tokens(s.percentiles[i])});
  out.push_back({"most", tokens(static_cast<double>(s.longest))});
  out.push_back({"zeros", s.zeros});
  return out;
}
Value schema_of(Type<Read<LengthStatistics>>) {
  std::vector<std::string> texts;
  texts.reserve(2 * demand::kLengthPercentiles.size());
  constexpr auto kTokens = [] { return report::schema_of(Type<EstimateOf<Tokens>>()); };
  std::vector<FieldText> rows{
      {.name = "mean", .meaning = "Mean length", .schema = kTokens},
      {.name = "cv", .meaning = "Standard deviation over mean", .schema = [] {
         return report::schema_of(Type<EstimateOf<double>>());
       }}};
  for (const int percentile : demand::kLengthPercentiles) {
    texts.push_back(fmt::format("p{}", percentile));
    texts.push_back(fmt::format("Percentile {}, interpolated", percentile));
    rows.push_back({.name = texts[texts.size() - 2], .meaning = texts.back(), .schema = kTokens});
  }
  rows.push_back({.name = "most", .meaning = "The longest", .schema = kTokens});
  rows.push_back({.name = "zeros", .meaning = "How many are zero", .schema = count_schema});
  return object_schema(rows);
}

struct Lengths {
  std::optional<Read<LengthStatistics>> input, output;
  std::optional<EstimateOf<double>> correlation;
};
Lengths lengths_of(const Traffic& t) {
  Lengths out;
  if (!t.c.input) return out;
  out.input.emplace(Read<LengthStatistics>{*t.c.input, t.answer.name});
  out.output.emplace(Read<LengthStatistics>{*t.c.output, t.answer.name});
  out.correlation = measured(*t.c.length_correlation, t.answer.name);
  return out;
}
struct PrefixHit {
  std::int64_t blocks = 0;
  EstimateOf<double> hit;
};
std::optional<EstimateOf<double>> prefix_hit(const Traffic& t) {
  if (!t.c.prefixes) return std::nullopt;
  return measured(t.c.prefixes->unlimited_hit, t.answer.name);
}
std::optional<std::vector<PrefixHit>> prefix_hits(const Traffic& t) {
  if (!t.c.prefixes) return std::nullopt;
  std::vector<PrefixHit> out;
  for (const std::int64_t blocks : {1000, 5000, 10000, 30000, 100000})
    out.push_back({blocks, measured(t.c.prefixes->hit(blocks), t.answer.name)});
  return out;
}

// ---- Jobs and metrics.

std::optional<Read<ClusterUse>> cluster_of(const DemandAnswer& a) {
  return a.cluster ? std::optional(Read<ClusterUse>{*a.cluster, a.name}) : std::nullopt;
}
using Cluster = Read<ClusterUse>;
double gpu_hours(const Cluster& c) {
  return c.row.gpu_seconds / 3600;
}
EstimateOf<double> cluster_mean_to_peak(const Cluster& c) {
  const auto peak = static_cast<double>(c.row.peak_gpus);
  return measured(peak > 0 ? c.row.mean_gpus / peak : 0.0, c.file);
}
EstimateOf<double> useful_share(const Cluster& c) {
  return measured(c.row.gpu_seconds > 0 ? c.row.useful_gpu_seconds / c.row.gpu_seconds : 0.0,
                  c.file);
}
std::optional<double> power_of(const MetricsSnapshot& s) {
  return s.power ? std::optional(s.power->base()) : std::nullopt;
}
auto gpus_of(const MetricsSnapshot& s) {
  return s.gpus > 0 ? std::optional(s.gpus) : std::nullopt;
}

struct ReadFile {
  std::string file;
};

}  // namespace

template <>
constexpr auto kFields<ReadFile> =
    fields<ReadFile>(field<&ReadFile::file>("file", "The file that was read"));

template <>
constexpr auto kFields<GapSeconds> = fields<GapSeconds>(
    field<&GapSeconds::start>("start_seconds", "Time from the first stamp").in("seconds"),
    field<&GapSeconds::length>("length_seconds", "How long it is").in("seconds"));

template <>
constexpr auto kFields<ImportReport> = fields<ImportReport>(
    field<&ImportReport::format>("format", "What the file is"),
    field<&ImportReport::rows_read>("rows_read", "Rows of the file"),
    field<&ImportReport::rows_used>("rows_used", "Rows that were used"),
    field<dropped_of>("rows_dropped", "Rows that were not, by reason"),
    field<&ImportReport::out_of_order>("out_of_order", "Rows that had to be put in order"),
    field<time_unit_of>("time_unit", "Unit of the stamps"),
    field<&ImportReport::time_unit_why>("time_unit_why", "How the unit is known"),
    field<&ImportReport::span, kSeconds>("span_seconds", "First stamp to last").in("seconds"),
    field<&ImportReport::granularity, kSeconds>("granularity_seconds",
                                                "Every stamp is a multiple of it")
        .in("seconds"),
    field<&ImportReport::batch_interval, kSeconds>("batch_interval_seconds",
                                                   "Distance of batches of equal stamps; 0: none")
        .in("seconds"),
    field<&ImportReport::silent_minutes>("silent_minutes", "Minutes without a request"),
    field<&ImportReport::minutes>("minutes", "Minutes in all"),
    field<gaps_of>("gaps", "Silences too long to be believed"));

template <>
constexpr auto kFields<Read<Window>> = fields<Read<Window>>(
    field<Read<Window>>("window", kMeasured<Window, &Window::window>, "Length of a window"),
    field<Read<Window>>("windows", kPlain<Window, &Window::windows>, "Whole windows"),
    field<Read<Window>>("mean_rate", kMeasured<Window, &Window::mean>, "Mean rate"),
    field<Read<Window>>("peak_rate", kMeasured<Window, &Window::peak>, "Rate of the busiest"),
    field<Read<Window>>("peak_to_mean", kMeasured<Window, &Window::peak_to_mean>, "Their ratio"),
    field<Read<Window>>("dispersion", kMeasured<Window, &Window::dispersion>,
                        "Variance over mean of the counts"));

template <>
constexpr auto kFields<PrefixHit> =
    fields<PrefixHit>(field<&PrefixHit::blocks>("blocks", "Blocks of the cache"),
                      field<&PrefixHit::hit>("hit", "Share of input tokens that it finds"));

template <>
constexpr auto kFields<Lengths> = fields<Lengths>(
    known_field<&Lengths::input>("input", "Tokens of prompts"),
    known_field<&Lengths::output>("output", "Tokens of answers"),
    known_field<&Lengths::correlation>("rank_correlation", "Spearman's correlation of the two"));

namespace {
struct Timed {
  Traffic traffic;
};
std::optional<Timed> when_timed(const Traffic& t) {
  return t.c.is_timed ? std::optional(Timed{t}) : std::nullopt;
}
template <auto getter>
constexpr auto kOf = [](const Timed& t) { return std::invoke(getter, t.traffic); };
template <auto member>
constexpr auto kTimedShare = [](const Timed& t) { return kShare<member>(t.traffic); };
}  // namespace

template <>
constexpr auto kFields<Timed> = fields<Timed>(
    field<Timed>("mean_rate", kOf<mean_rate>, "Requests on average"),
    field<Timed>("peak_rate", kOf<peak_rate>, "Requests in the busiest 10 minutes"),
    field<Timed>("mean_to_peak", kOf<mean_to_peak>, "Mean over peak of 10-minute windows"),
    field<Timed>("cv", kOf<cv_of>, "Coefficient of variation of the gaps between arrivals"),
    field<Timed>("windows", kOf<windows_of>, "Counts by windows"),
    known_field<Timed>("hours_below_quarter", kTimedShare<&Characterisation::hours_below_quarter>,
                       "Share of hours below a quarter of the busiest"),
    known_field<Timed>("hours_below_half", kTimedShare<&Characterisation::hours_below_half>,
                       "Share of hours below half of the busiest"),
    field<Timed>("week", kOf<week_of>,
                 "Rows are days from Monday, columns hours, UTC; less than 0 where nothing is "
                 "known"));

template <>
constexpr auto kFields<Traffic> = fields<Traffic>(
    field<Traffic>(
        "requests", [](const Traffic& t) { return t.c.requests; }, "Requests of the file"),
    spliced<when_timed>(),
    field<lengths_of>("lengths",
                      "Tokens of prompts and answers; empty where the file does not say"),
    known_field<prefix_hit>("prefix_hit", "Share of input tokens that a cache without limit finds"),
    known_field<prefix_hits>("prefix_hit_by_blocks", "The same by size of the cache"));

template <>
constexpr auto kFields<Cluster> = fields<Cluster>(
    field<Cluster>("jobs", kPlain<ClusterUse, &ClusterUse::jobs>, "Jobs of a cluster"),
    field<gpu_hours>("gpu_hours", "GPU-hours that jobs held").in("GPU-hours"),
    field<Cluster>("peak_gpus", kPlain<ClusterUse, &ClusterUse::peak_gpus>, "GPUs at once at most"),
    field<cluster_mean_to_peak>("mean_to_peak", "GPUs on average over the most at once"),
    field<Cluster>("mean_gpus", kPlain<ClusterUse, &ClusterUse::mean_gpus>, "GPUs on average"),
    field<Cluster>("succeeded_share", kMeasured<ClusterUse, &ClusterUse::succeeded_share>,
                   "Share of jobs that succeeded"),
    field<useful_share>("useful_share", "Share of GPU time of jobs that succeeded"));

template <>
constexpr auto kFields<MetricsSnapshot> = fields<MetricsSnapshot>(
    known_field<&MetricsSnapshot::requests>("requests", "Requests that ended"),
    known_field<&MetricsSnapshot::input_tokens>("input_tokens", "Tokens of prompts"),
    known_field<&MetricsSnapshot::output_tokens>("output_tokens", "Tokens of answers"),
    known_field<&MetricsSnapshot::running>("running", "Requests that run"),
    known_field<&MetricsSnapshot::waiting>("waiting", "Requests that wait"),
    known_field<&MetricsSnapshot::kv_use>("kv_use", "Share of the KV cache in use"),
    known_field<&MetricsSnapshot::prefix_hit_ratio>("prefix_hit_ratio",
                                                    "Share of input tokens found in the cache"),
    known_field<&MetricsSnapshot::gpu_util>("gpu_util", "Share of time with a kernel"),
    known_field<&MetricsSnapshot::sm_active>("sm_active", "Share of multiprocessors at work"),
    known_field<&MetricsSnapshot::tensor_active>("tensor_active", "Share of tensor cores at work"),
    known_field<&MetricsSnapshot::dram_active>("dram_active", "Share of memory traffic"),
    known_field<power_of>("power_watts", "Power that is drawn").in("W"),
    known_field<gpus_of>("gpus", "GPUs of the snapshot"));

template <>
constexpr auto kFields<DemandAnswer> = fields<DemandAnswer>(
    field<demand_verdict>("verdict", "The answer as one sentence").at_least(1),
    field<&DemandAnswer::import>("import", "How the file was read"), spliced<traffic_of>(),
    spliced<cluster_of>(),
    known_field<&DemandAnswer::metrics>("metrics", "A snapshot as it was read"));

Value to_value(const DemandAnswer& answer) {
  return described_value<DemandAnswer>(answer, kFields<DemandAnswer>);
}
Value schema_of(Type<DemandAnswer>) {
  return described_schema<DemandAnswer>(kFields<DemandAnswer>);
}

AnswerSchema demand_schema() {
  return {"demand",
          "demand",
          "Answer of `loadfactor demand`",
          "What traffic is like. Counts are plain numbers; other figures are quantities.",
          schema_of(Type<ReadFile>()),
          schema_of(Type<DemandAnswer>())};
}

std::string demand_json(const DemandAnswer& answer) {
  return print_json(
      envelope("demand", to_value(ReadFile{answer.name}), to_value(answer), answer.notices, {}));
}

std::string demand_csv(const DemandAnswer& answer) {
  const Value schema = schema_of(Type<DemandAnswer>());
  const Value value = to_value(answer);
  const bool has_windows = answer.traffic && !answer.traffic->windows.empty();
  return has_windows ? csv_list(schema, value, "windows") : csv_fields(schema, value);
}

}  // namespace loadfactor::report
