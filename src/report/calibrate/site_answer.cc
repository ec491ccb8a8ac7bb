// The description of what a site's measurements change.
#include <cmath>
#include <string>
#include <utility>

#include "report/calibrate/calibration_words.h"
#include "report/calibrate/site_report.h"
#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"

namespace loadfactor::report {
namespace {

using calibrate::ComparedStep;
using calibrate::GapAnswer;
using calibrate::GapFigure;
using calibrate::GapGroup;
using calibrate::GapShare;
using calibrate::HeldClock;
using calibrate::KernelRefit;
using calibrate::KernelSum;
using calibrate::KindErrors;
using calibrate::SiteErrors;
using calibrate::SiteFit;
using calibrate::SiteKernels;
using calibrate::SiteTerm;
using calibrate::UnseenTerm;

constexpr double kNineOfTen = 1.645;  // Standard deviations on either side.
constexpr const char* kSite = "site";

constexpr auto kMeasuredShare = [](double value) {
  return EstimateOf<double>::exact(value, Basis::kMeasured, kSite);
};
constexpr auto kShare = [](double value) {
  return EstimateOf<double>::exact(value, Basis::kCalibrated, kSite);
};
EstimateOf<Seconds> seconds(double value, Basis basis) {
  return EstimateOf<Seconds>::exact(Seconds::from_base(value), basis, kSite);
}
constexpr auto kModelledTime = [](double value) { return seconds(value, Basis::kModelled); };
constexpr auto kMeasuredTime = [](double value) { return seconds(value, Basis::kMeasured); };

// ---- Kernels.

std::string name_of(const KernelRefit& group) {
  return kernel_name(group.key);
}
EstimateOf<double> rate_of(const KernelRefit& group) {
  return kShare(group.fitted.sustained);
}
EstimateOf<double> memory_of(const KernelRefit& group) {
  return kShare(group.fitted.memory);
}
EstimateOf<Seconds> fixed_of(const KernelRefit& group) {
  return EstimateOf<Seconds>::exact(group.fitted.fixed, Basis::kCalibrated, kSite);
}
bool taken(const KernelRefit& group) {
  return group.helps();
}
std::string_view class_of(const HeldClock& clock) {
  return cost::kKernelClasses[static_cast<std::size_t>(clock.kernel)];
}
std::string_view dtype_of(const HeldClock& clock) {
  return catalog::name(clock.dtype);
}
EstimateOf<Watts> drawn_of(const HeldClock& clock) {
  return EstimateOf<Watts>::exact(clock.drawn, Basis::kMeasured, kSite);
}

// ---- Terms.

EstimateOf<double> factor_of(const SiteTerm& term) {
  const double wide = std::exp(kNineOfTen * term.error);
  return {term.factor, term.factor / wide, term.factor * wide,
          term.measured() ? Basis::kCalibrated : Basis::kAssumed,
          term.measured() ? kSite : "calibration/site-terms.yaml"};
}
bool is_measured(const SiteTerm& term) {
  return term.measured();
}
struct Fit {
  const SiteFit& fit;
  const std::vector<KindErrors>& kinds;
};
template <auto member>
constexpr auto kOfFit = [](const Fit& f) { return f.fit.*member; };

// ---- Gaps: one figure, with what all of them together say.

struct Gap {
  const GapAnswer& gap;
  const GapFigure& figure;
};
template <auto member>
constexpr auto kOfGap = [](const Gap& g) { return g.gap.*member; };
template <auto member>
constexpr auto kOfFigure = [](const Gap& g) { return g.figure.*member; };
std::optional<std::string> next_of(const Gap& g) {
  return g.gap.next.empty() ? std::nullopt : std::optional<std::string>(g.gap.next);
}

// ---- Runs of load generators.

Estimate run_figure(const ServingComparison& row, double value, Basis basis) {
  if (row.metric != serving::Metric::kThroughput) return seconds(value, basis).erased();
  return EstimateOf<TokensPerSecond>::exact(TokensPerSecond::from_base(value), basis, kSite)
      .erased();
}
Estimate measured_of(const ServingComparison& row) {
  return run_figure(row, row.measured, Basis::kMeasured);
}
Estimate before_of(const ServingComparison& row) {
  return run_figure(row, row.before, Basis::kCalibrated);
}
Estimate after_of(const ServingComparison& row) {
  return run_figure(row, row.after, Basis::kCalibrated);
}
std::string_view metric_of(const ServingComparison& row) {
  return serving::name(row.metric);
}

// ---- Profiles.

EstimateOf<Seconds> measured_time(Seconds time) {
  return EstimateOf<Seconds>::exact(time, Basis::kMeasured, kSite);
}
// One class of a profiled step.
struct ClassTime {
  std::string_view name;
  Seconds measured;
  std::optional<Seconds> predicted;
  std::vector<KernelSum> largest;
};
EstimateOf<Seconds> class_measured(const ClassTime& row) {
  return measured_time(row.measured);
}
std::optional<EstimateOf<Seconds>> class_predicted(const ClassTime& row) {
  if (!row.predicted) return std::nullopt;
  return EstimateOf<Seconds>::exact(*row.predicted, Basis::kModelled, kSite);
}
EstimateOf<Seconds> kernel_time(const KernelSum& sum) {
  return measured_time(sum.seconds);
}
std::vector<ClassTime> classes_of(const ComparedStep& step) {
  std::vector<ClassTime> rows;
  for (std::size_t c = 0; c < calibrate::kNumWorkClasses; ++c) {
    const auto work = static_cast<calibrate::WorkClass>(c);
    rows.push_back(
        {calibrate::name(work), step.measured.times[work], std::nullopt, step.measured.largest[c]});
    if (step.predicted) rows.back().predicted = (*step.predicted)[work];
  }
  return rows;
}
std::string_view kind_of(const ComparedStep& step) {
  switch (step.kind) {
    case calibrate::StepKind::kTraining:
      return "training";
    case calibrate::StepKind::kDecode:
      return "decode";
    case calibrate::StepKind::kPrompt:
      return "prompt";
    case calibrate::StepKind::kUnknown:
      break;
  }
  return "unknown";
}
EstimateOf<Seconds> step_measured(const ComparedStep& step) {
  return measured_time(step.measured.times.total());
}
std::optional<EstimateOf<Seconds>> step_predicted(const ComparedStep& step) {
  if (!step.predicted) return std::nullopt;
  return EstimateOf<Seconds>::exact(step.predicted->total(), Basis::kModelled, kSite);
}
EstimateOf<Seconds> busy_of(const ComparedStep& step) {
  return measured_time(step.measured.busy());
}
EstimateOf<Seconds> hidden_of(const ComparedStep& step) {
  return measured_time(step.measured.hidden);
}
EstimateOf<double> classed_of(const ComparedStep& step) {
  return kMeasuredShare(step.measured.classed());
}
int steps_of(const ComparedStep& step) {
  return step.measured.steps;
}
int devices_of(const ComparedStep& step) {
  return step.measured.devices;
}
std::vector<std::string_view> gaps_of(const ComparedStep& step) {
  constexpr std::size_t kExplained = 3;
  std::vector<std::string_view> names;
  for (const auto work : step.largest_gaps(kExplained)) names.push_back(calibrate::name(work));
  return names;
}

constexpr auto kCalledBytes = [](Bytes bytes) {
  return EstimateOf<Bytes>::exact(bytes, Basis::kMeasured, kSite);
};

// ---- The answer.

template <typename List>
std::optional<List> unless_empty(const List& list) {
  return list.empty() ? std::nullopt : std::optional(list);
}
std::optional<std::vector<SiteKernels>> chips_of(const SiteAnswer& a) {
  return unless_empty(a.kernels);
}
std::optional<Fit> step_of(const SiteAnswer& a) {
  return a.fit ? std::optional(Fit{*a.fit, a.fit_errors}) : std::nullopt;
}
std::optional<Gap> gap_of(const SiteAnswer& a) {
  if (!a.gap || a.gap->figures.empty()) return std::nullopt;
  return Gap{*a.gap, a.gap->figures.front()};
}
std::optional<Fit> serving_of(const SiteAnswer& a) {
  return a.serving_fit ? std::optional(Fit{*a.serving_fit, a.serving_errors}) : std::nullopt;
}
std::optional<std::vector<Gap>> serving_gap_of(const SiteAnswer& a) {
  if (!a.serving_gap || a.serving_gap->figures.empty()) return std::nullopt;
  std::vector<Gap> out;
  for (const auto& figure : a.serving_gap->figures) out.push_back({*a.serving_gap, figure});
  return out;
}
std::optional<std::vector<ServingComparison>> runs_of(const SiteAnswer& a) {
  return unless_empty(a.serving);
}
std::optional<std::vector<ComparedStep>> profiles_of(const SiteAnswer& a) {
  return unless_empty(a.profiles);
}
std::optional<std::vector<calibrate::NcclDebug>> networks_of(const SiteAnswer& a) {
  return unless_empty(a.networks);
}
std::optional<std::string> folder_of(const SiteAnswer& a) {
  return unless_empty(a.folder);
}

struct MeasuredFiles {
  std::vector<std::string> files;
};

}  // namespace

template <>
constexpr auto kFields<MeasuredFiles> =
    fields<MeasuredFiles>(field<&MeasuredFiles::files>("files", "What was measured"));

template <>
constexpr auto kFields<SiteErrors> = fields<SiteErrors>(
    field<&SiteErrors::median, kMeasuredShare>("median", "Median of the errors"),
    field<&SiteErrors::p90, kMeasuredShare>("p90", "Nine of ten errors lie below it"));

template <>
constexpr auto kFields<KernelRefit> = fields<KernelRefit>(
    field<name_of>("kernel", "Class, format and variant"),
    field<&KernelRefit::points>("shapes", "Shapes that speak of it"),
    field<&KernelRefit::before>("before", "Errors as shipped"),
    field<&KernelRefit::after>("after", "Errors of the refit"),
    field<&KernelRefit::left_out>("left_out", "Errors of shapes left out of the refit"),
    field<rate_of>("rate", "Share of the peak rate"),
    field<memory_of>("memory", "Share of the peak bandwidth"),
    field<fixed_of>("fixed", "Time of every call"),
    field<taken>("taken", "Whether left-out shapes are predicted better than before"));

template <>
constexpr auto kFields<HeldClock> = fields<HeldClock>(
    field<class_of>("kernel", "Class of the kernel"), field<dtype_of>("dtype", "Number format"),
    field<drawn_of>("power", "Power that was drawn"),
    field<&HeldClock::settled, kShare>("settled", "Share of the full clock"),
    field<&HeldClock::burst, kShare>("burst", "The same in kernels timed one by one"));

template <>
constexpr auto kFields<SiteKernels> = fields<SiteKernels>(
    field<&SiteKernels::chip>("chip", "Catalogue name of the chip"),
    field<&SiteKernels::groups>("kernels", "Refitted kernels"),
    field<&SiteKernels::clocks>("clocks", "Loads held until their clock settled"));

template <>
constexpr auto kFields<KindErrors> = fields<KindErrors>(
    field<&KindErrors::kind, measured_words>("kind", "What was measured"),
    field<&KindErrors::figures>("figures", "Figures that were measured"),
    field<&KindErrors::runs>("runs", "Runs that they are of; figures of one are left out together"),
    field<&KindErrors::before>("before", "Errors as shipped"),
    field<&KindErrors::after>("after", "Errors with the factors"),
    known_field<&KindErrors::held_out>(
        "held_out", "Errors of each run from the others; left out where there is no other"));

template <>
constexpr auto kFields<SiteTerm> =
    fields<SiteTerm>(field<&SiteTerm::name>("name", "Name of the term"),
                     field<factor_of>("factor", "Measured over predicted"),
                     field<is_measured>("measured", "Whether the measurements say anything of it"));

template <>
constexpr auto kFields<Fit> = fields<Fit>(
    field<Fit>("observations", kOfFit<&SiteFit::observations>, "Figures that were measured"),
    field<Fit>("strange", kOfFit<&SiteFit::strange>,
               "Figures further off than all terms together explain"),
    field<Fit>("before", kOfFit<&SiteFit::before>, "Errors as shipped"),
    field<Fit>("after", kOfFit<&SiteFit::after>, "Errors with the factors below"),
    field<Fit>("held_out", kOfFit<&SiteFit::held_out>, "Errors of each run from the others alone"),
    field<Fit>(
        "kinds", [](const Fit& f) { return f.kinds; },
        "The same errors, told apart by what was measured"),
    field<Fit>("terms", kOfFit<&SiteFit::terms>, "Named parts of the prediction"));

template <>
constexpr auto kFields<GapGroup> = fields<GapGroup>(
    field<&GapGroup::name>("group", "Name of the group"),
    field<&GapGroup::share, kShare>("share", "Share of the gap, from 0 to 1"),
    field<&GapGroup::seconds, kModelledTime>("time", "Time of the gap"),
    field<&GapGroup::likelihood, kShare>("likelihood", "Likelihood that it is off"));

template <>
constexpr auto kFields<GapShare> = fields<GapShare>(
    field<&GapShare::term>("term", "Name of the term"),
    field<&GapShare::group>("group", "What it is one of"),
    field<&GapShare::share, kShare>("share", "Share of the gap, from 0 to 1"),
    field<&GapShare::seconds, kModelledTime>("time", "Time of the gap"),
    field<&GapShare::factor, kShare>("factor", "Factor by which it would be longer"),
    field<&GapShare::likelihood, kShare>("likelihood",
                                         "Likelihood that it is off, alone or with its group"));

template <>
constexpr auto kFields<UnseenTerm> = fields<UnseenTerm>(
    field<&UnseenTerm::term>("term", "Name of the term"),
    field<&UnseenTerm::largest, kShare>("largest", "Its largest share of a measurement"));

template <>
constexpr auto kFields<Gap> = fields<Gap>(
    field<Gap>("figure", kOfFigure<&GapFigure::name>, "What was measured"),
    field<Gap>("count", kOfFigure<&GapFigure::count>, "How often").at_least(1),
    field<Gap>("layouts", kOfGap<&GapAnswer::layouts>,
               "Measurements whose terms have different shares")
        .at_least(1),
    field<Gap>(
        "predicted", [](const Gap& g) { return kModelledTime(g.figure.predicted); },
        "Mean of the figures as seconds, predicted"),
    field<Gap>(
        "measured", [](const Gap& g) { return kMeasuredTime(g.figure.measured); },
        "The same as measured"),
    field<Gap>(
        "unexplained", [](const Gap& g) { return kModelledTime(g.figure.unexplained); },
        "Time that no term takes"),
    field<Gap>("settled", kOfGap<&GapAnswer::settled>,
               "Whether several layouts were measured and one group is much likelier than the "
               "next"),
    field<Gap>(
        "nothing", [](const Gap& g) { return kShare(g.gap.nothing); },
        "Likelihood that no term is off: nothing but scatter"),
    known_field<next_of>("measure_next", "What would settle it"),
    field<Gap>("groups", kOfFigure<&GapFigure::groups>,
               "Terms that are one of a kind together, the largest first"),
    field<Gap>("shares", kOfFigure<&GapFigure::shares>, "Terms, the largest first"),
    field<Gap>("unseen", kOfGap<&GapAnswer::unseen>,
               "Terms too small in every measurement to be told"));

template <>
constexpr auto kFields<ServingComparison> =
    fields<ServingComparison>(field<&ServingComparison::run>("run", "Which run"),
                              field<&ServingComparison::tool>("tool", "Tool that measured it"),
                              field<metric_of>("figure", "Name of the figure"),
                              field<measured_of>("measured", "As the tool measured it"),
                              field<before_of>("before", "Predicted as shipped"),
                              field<after_of>("after", "Predicted with the factors"));

template <>
constexpr auto kFields<KernelSum> =
    fields<KernelSum>(field<&KernelSum::name>("name", "Name of the kernel"),
                      field<kernel_time>("time", "All its calls in a step, hidden or not"),
                      field<&KernelSum::calls>("calls", "Calls in a step").at_least(0));

template <>
constexpr auto kFields<ClassTime> =
    fields<ClassTime>(field<&ClassTime::name>("class", "What the time went to"),
                      field<class_measured>("measured", "Time of a step, each moment counted once"),
                      known_field<class_predicted>("predicted", "The same as predicted"),
                      field<&ClassTime::largest>("largest", "The kernels that took most"));

template <>
constexpr auto kFields<ComparedStep> = fields<ComparedStep>(
    field<&ComparedStep::file>("file", "The profile"),
    field<&ComparedStep::tool>("tool", "Profiler that wrote it"),
    field<&ComparedStep::device>("device", "The driver's name of the device"),
    field<kind_of>("kind", "What it is taken to be of: training, decode, prompt or unknown"),
    field<steps_of>("steps", "Steps that it is the mean of").at_least(1),
    field<devices_of>("devices", "Devices that it is the mean of").at_least(1),
    field<step_measured>("measured", "One step"),
    known_field<step_predicted>("predicted", "The same as predicted"),
    field<busy_of>("busy", "Time in which the device worked"),
    field<classed_of>("classed", "Share of it whose class is known, from 0 to 1"),
    field<hidden_of>("hidden", "Communication and copies behind computation"),
    field<classes_of>("classes", "Where the time went"),
    field<gaps_of>("largest_gaps", "Classes furthest from their prediction"));

template <>
constexpr auto kFields<calibrate::NcclCalls> = fields<calibrate::NcclCalls>(
    field<&calibrate::NcclCalls::operation>("operation", "As NCCL names it"),
    field<&calibrate::NcclCalls::calls>("calls", "How often one process called it").at_least(0),
    field<&calibrate::NcclCalls::bytes, kCalledBytes>("bytes", "What all its calls carried"));

template <>
constexpr auto kFields<calibrate::NcclDebug> = fields<calibrate::NcclDebug>(
    field<&calibrate::NcclDebug::file>("file", "What NCCL printed"),
    field<&calibrate::NcclDebug::version>("version", "Its release; empty where it does not say"),
    field<&calibrate::NcclDebug::network>("network", "How it leaves a host; empty: not at all"),
    field<&calibrate::NcclDebug::ranks>("ranks", "Ranks of the largest group").at_least(1),
    field<&calibrate::NcclDebug::hosts>("hosts", "Hosts of it; 0 where it does not say")
        .at_least(0),
    field<&calibrate::NcclDebug::channels>("channels", "Most channels of a group").at_least(0),
    field<&calibrate::NcclDebug::direct>("direct", "Connections from device to device").at_least(0),
    field<&calibrate::NcclDebug::through_host>("through_host",
                                               "Connections through the host's memory")
        .at_least(0),
    field<&calibrate::NcclDebug::over_network>("over_network", "Connections over the network")
        .at_least(0),
    field<&calibrate::NcclDebug::into_device>("into_device",
                                              "Those of them that write into a device's memory")
        .at_least(0),
    field<&calibrate::NcclDebug::in_switch>("in_switch", "Whether sums are made in the switch"),
    field<&calibrate::NcclDebug::warnings>("warnings", "Warnings that it printed").at_least(0),
    field<&calibrate::NcclDebug::calls>("calls", "Collectives that one process called"));

template <>
constexpr auto kFields<SiteAnswer> = fields<SiteAnswer>(
    known_field<chips_of>("chips", "What was probed, chip by chip"),
    known_field<step_of>("step", "Terms of a training step"),
    known_field<gap_of>("gap", "Gap of training steps"),
    known_field<serving_of>("serving", "Terms of serving"),
    known_field<serving_gap_of>("serving_gap", "Gaps of runs of load generators, by figure"),
    known_field<runs_of>("runs", "Figures of load generators"),
    known_field<networks_of>("networks", "The ways that collectives took"),
    known_field<profiles_of>("profiles", "Profiled steps, class by class"),
    known_field<folder_of>("overlay", "The folder it was written to, for --catalog"));

AnswerSchema calibrate_schema() {
  return {"calibrate",
          "calibrate",
          "Answer of `loadfactor calibrate FILE…`",
          "What a site's measurements change in the predictions, and how far to trust it. Counts "
          "are plain numbers; every other figure is a quantity.",
          schema_of(Type<MeasuredFiles>()),
          schema_of(Type<SiteAnswer>())};
}

std::string site_json(const SiteAnswer& answer) {
  return print_json(envelope("calibrate", to_value(MeasuredFiles{answer.files}), to_value(answer),
                             answer.notices, {}));
}

std::string site_csv(const SiteAnswer& answer) {
  const char* list = !answer.profiles.empty()  ? "profiles.classes"
                     : answer.fit              ? "step.terms"
                     : answer.serving_fit      ? "serving.terms"
                     : !answer.serving.empty() ? "runs"
                                               : "chips.kernels";
  return csv_list(schema_of(Type<SiteAnswer>()), to_value(answer), list);
}

}  // namespace loadfactor::report
