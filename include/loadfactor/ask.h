/// What can be asked, and what comes back. A question is a value; the files that it needs are
/// handed in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/fit.h"
#include "loadfactor/quantity.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"
#include "loadfactor/search.h"
#include "loadfactor/serve.h"
#include "loadfactor/value.h"

namespace loadfactor {

/// A file handed in; the library opens none. The bytes live as long as `owner` does.
struct InputFile {
  std::string name;      ///< As the scenario, or the option that asks for it, names it.
  std::string shown_as;  ///< How to call it in errors; empty: by its name.
  std::string_view bytes;
  std::optional<std::int64_t> size;  ///< The whole file's, where the bytes are its beginning alone.
  std::shared_ptr<const void> owner;

  static InputFile of(std::string name, std::string text) {
    auto kept = std::make_shared<const std::string>(std::move(text));
    const std::string_view bytes = *kept;
    return {.name = std::move(name), .shown_as = {}, .bytes = bytes, .size = {}, .owner = kept};
  }
  const std::string& shown() const { return shown_as.empty() ? name : shown_as; }
};

/// A scenario with the files that it names: a trace, a model's config.json, or those of a folder,
/// each by the path that the scenario writes.
struct ScenarioWithFiles {
  config::Scenario scenario;
  std::vector<InputFile> files;
};

/// What many questions share.
struct Settings {
  std::uint64_t seed = 1;  ///< Every random number comes from it.
  int threads = 1;
  std::string today;  ///< YYYY-MM-DD; ages of prices are not known without it.
};

/// One thing to do, and why.
struct PlanQuestion {
  ScenarioWithFiles about;
  Settings settings;
  std::int64_t draws = 4096;       ///< How often the uncertain inputs are drawn.
  int confirm = 2;                 ///< Deployments that are simulated.
  std::vector<std::string> gates;  ///< `load_factor >= break_even`: no, unless all hold.
  bool page = false;               ///< It is to be shown as a page: scores the model, for that.
  bool launch = false;             ///< Whether the answer shall hold the files that launch it.
  int years = 0;                   ///< Also: so many years of a service, by their books; 0: none.
};

/// Does a model fit, and how many sequences?
using FitQuestion = FitInputs;

/// One training layout in detail.
struct TrainQuestion {
  ScenarioWithFiles about;
  bool trace = false;  ///< Whether the answer shall hold the events of a step.
};

/// The best training layouts.
struct SearchQuestion {
  ScenarioWithFiles about;
  Settings settings;
  std::optional<Objective> objective;  ///< Else the cost by the deadline, or without one the time.
  Placement placement = Placement::kPacked;
  std::vector<int> gpus;                ///< Instead of the scenario's number.
  std::vector<std::string> precisions;  ///< Instead of the scenario's.
  double headroom = 0;                  ///< Share of the memory that must stay free.
  bool exhaustive = false;              ///< Evaluate every legal layout; dismiss none by a bound.
};

/// How far a training run scales.
struct ScaleQuestion {
  ScenarioWithFiles about;
  Settings settings;
  Placement placement = Placement::kPacked;
  std::vector<int> gpus;                ///< The sizes; empty: doubling up to the limit.
  std::vector<std::string> precisions;  ///< Instead of the scenario's.
  double headroom = 0;                  ///< Share of the memory that must stay free.
  double efficiency = 0.8;              ///< The line that "how far" asks about.
  std::optional<Dollars> day_value;     ///< What a day earlier is worth.
};

/// One deployment in closed form.
struct ServeQuestion {
  ScenarioWithFiles about;
  std::optional<double> concurrency;      ///< Requests in the system, instead of the demand's rate.
  std::optional<std::int64_t> kv_tokens;  ///< A data-parallel rank's, as the engine's log says.
  std::optional<ServeAnchor> anchor;
  std::vector<std::int64_t> batches;  ///< Fixed batches to compare, one row each.
};

enum class Router : std::uint8_t { kLeastLoaded, kRoundRobin, kCacheAware, kSession };

/// The demand through the deployment, request by request.
struct SimulateQuestion {
  ScenarioWithFiles about;
  Settings settings;
  std::int64_t requests = 0;     ///< 0: a day of the demand, within bounds.
  std::int64_t kv_tokens = 0;    ///< A data-parallel rank's; 0: as the memory allows.
  std::optional<Router> router;  ///< Instead of the scenario's.
  std::optional<Seconds> timeout;
  std::optional<Seconds> first_token_timeout;
  std::int64_t max_waiting = 0;       ///< Requests that may wait at a rank; 0: any number.
  int max_replicas = 0;               ///< Scales up to this many; 0: does not scale.
  std::int64_t target_load = 0;       ///< Requests per replica that scaling aims at; 0: chosen.
  std::optional<Seconds> start_time;  ///< From the decision to a ready replica.
  bool plain = false;                 ///< Forces the token-by-token engine.
  bool trace = false;                 ///< Whether the answer shall hold the steps.
  std::optional<ServeAnchor> anchor;  ///< A measured run sets the pace of every step.
};

/// The cheapest deployment that keeps the SLO.
struct SizeQuestion {
  ScenarioWithFiles about;
  Settings settings;
  std::optional<int> spares;  ///< Replicas that stand by; else as many as failures ask for.
  Seconds cold_start = Seconds::from_base(180);
  Seconds maintenance = Seconds::from_base(7200);  ///< Each replica's, once a month.
  int confirm = 3;                                 ///< How many of the best are simulated.
  int weeks = 0;                                   ///< Simulated at most; 0: what is quick.
  int fleet = 0;                                   ///< Also: the most that so many GPUs carry.
};

/// Can I keep these GPUs full? Asked about a service or, with `jobs`, a training cluster.
struct FillQuestion {
  ScenarioWithFiles about;
  Settings settings;
  std::string gpu;                              ///< Instead of the scenario's candidates.
  int gpus = 0;                                 ///< The fleet's; 0: chosen.
  bool simulate = false;                        ///< However long it takes; else where it is quick.
  Seconds think_time = Seconds::from_base(60);  ///< Before the same user's next request.
  std::optional<InputFile> jobs;                ///< A cluster's; then there is no scenario.
  std::optional<double> busy;                   ///< Mean activity of its allocated GPUs, 0 to 1.
};

/// Every way to pay for the work.
struct CostQuestion {
  ScenarioWithFiles about;
  Settings settings;
  std::int64_t draws = 4096;
  std::string bill_of;  ///< Kind of the option whose bill is shown; empty: the machine as asked.
};

enum class DemandTask : std::uint8_t {
  kDescribe,
  kFit,       ///< A traffic model of the file.
  kConvert,   ///< The file as our own CSV.
  kGenerate,  ///< Requests made from a traffic model.
};
enum class TimeUnit : std::uint8_t { kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };
/// What comes first in a date with the year last.
enum class DateOrder : std::uint8_t { kMonthFirst, kDayFirst };
/// What is this traffic like, and what is to be made of it?
struct DemandQuestion {
  DemandTask task = DemandTask::kDescribe;
  std::vector<InputFile> files;
  Settings settings;
  std::optional<TimeUnit> time_unit;    ///< Unit of bare numbers.
  std::optional<DateOrder> date_order;  ///< Asked for where the file does not tell.
  int block_tokens = 512;               ///< Size of a prefix block, unless the file contradicts it.
  std::optional<Seconds> interval;      ///< Between two snapshots of metrics.
  double compress = 1;                  ///< This many times as dense in time.
  bool spread = false;                  ///< Spreads stamps that come in batches.
  std::string model;                    ///< To generate from: one of the catalogue's, …
  std::optional<InputFile> model_file;  ///< … or a file of one.
  Seconds duration = Seconds::from_base(7 * 86400);  ///< How long the generated traffic is,
  std::optional<Hertz> rate;                         ///< and its mean rate.
};

enum class AuditGate : std::uint8_t { kConsistent, kNotInconsistent };
/// Is a claim consistent?
struct AuditQuestion {
  InputFile claim;
  std::optional<AuditGate> gate;  ///< The answer is no unless it holds for every claim.
};

/// Where does a number come from, or what does a code or a word mean?
struct ExplainQuestion {
  std::string subject = "terms";           ///< `LF502`, `mfu`, `codes`, `terms`, or a quantity
  std::optional<ScenarioWithFiles> about;  ///< of the plan of this scenario.
  Settings settings;
};

/// What changed between two plans? A side is a scenario, or a plan saved as JSON.
using PlanSide = std::variant<ScenarioWithFiles, InputFile>;
struct DiffQuestion {
  PlanSide before;
  PlanSide after;
  Settings settings;
  std::int64_t draws = 4096;
  std::vector<std::string> gates;  ///< What the second must hold.
  bool before_runs = false;  ///< A service is compared as it runs, not as a plan would have it.
};

enum class ValidateKind : std::uint8_t { kTraining, kInference, kSteps, kRuns };
/// How accurate are the predictions?
struct ValidateQuestion {
  ValidateKind kind = ValidateKind::kTraining;
  std::optional<InputFile> rows;     ///< None: the results that ship.
  std::optional<InputFile> weights;  ///< How much each row counts.
  std::string gpu;                   ///< Where steps were measured; empty: h200-sxm.
  std::string stack;                 ///< What ran them where rows do not say.
};

/// A table of measurements, and the source that its fits name.
struct MeasuredTable {
  InputFile file;
  std::string source = "own-measurement";
};
/// What a site measured, to be laid over predictions.
struct SiteMeasurements {
  std::vector<InputFile> files;  ///< Probe JSON, training logs, results of load generators.
  std::vector<ScenarioWithFiles> scenarios;  ///< What ran, in the order of what was measured.
  std::vector<Seconds> step_times;           ///< Measured training steps, after those of the logs.
  std::string gpu;                           ///< The device measured; empty: as the files say.
  std::string engine;        ///< What served a measured load; empty: vLLM, or the scenario's.
  std::string precision;     ///< Empty: bf16, or the scenario's.
  int tp = 0;                ///< GPUs that shared a layer; 0: one, or as the scenario says.
  bool find_gap = false;     ///< Whether to say which term the missing time went to.
  bool for_overlay = false;  ///< Refuses what contradicts itself, which must not be laid over.
};
/// The published training runs that ship, fitted fold by fold.
struct TrainingRefit {};
/// Published serving results, fitted.
struct ServingRefit {
  InputFile rows;
  std::optional<InputFile> weights;  ///< How much each row counts.
  int rows_per_cell = 12;            ///< Rows of a cell that are fitted.
  double scale = 0.12;               ///< Residuals beyond it count linearly.
  double spread = 0.30;              ///< What a unit of weight is worth against a prior.
  bool all_rows = false;             ///< Adds every group, and a table of all rows.
};
/// Kernel costs, fitted to measured tables.
struct KernelTables {
  struct ChipName {
    std::string word;  ///< What a table calls
    std::string chip;  ///< this chip of the catalogue.
  };
  std::vector<MeasuredTable> tables;
  std::string chip;             ///< The chip of tables that do not name one.
  std::vector<ChipName> names;  ///< Chips that tables name in their own way.
  std::string date = "2026";    ///< When it was measured, YYYY or YYYY-MM.
  double worst = 20;  ///< Fits that miss unseen shapes by more are left out: median, in percent.
};
/// Collectives, fitted to measured tables.
struct CollectiveTables {
  struct LinkBound {
    std::string link;
    int ranks = 0;  ///< Larger groups leave the link, and are left out.
  };
  std::vector<MeasuredTable> tables;
  std::vector<LinkBound> bounds;
  std::string date = "2026";  ///< When it was measured, YYYY or YYYY-MM.
};
/// Make the model match measurements. The files of the answer are an overlay.
struct CalibrateQuestion {
  std::variant<SiteMeasurements, TrainingRefit, ServingRefit, KernelTables, CollectiveTables> from;
  Settings settings;
};

/// What is known? A noun to list, an entry to show, the whole to check, or a file to import.
enum class CatalogTask : std::uint8_t { kOverview, kList, kShow, kCheck, kImport };
enum class ImportKind : std::uint8_t { kModel, kLitellm, kSkypilot };
struct CatalogQuestion {
  CatalogTask task = CatalogTask::kOverview;
  Settings settings;
  std::string noun;                  ///< `gpus`, `models`, …
  std::string match;                 ///< A word that rows contain, or the name of an entry.
  std::vector<InputFile> files;      ///< To import: a price list, or those of a model.
  std::optional<ImportKind> import;  ///< By the look of the file where it is not said.
  std::string name;                  ///< How to call an imported model.
  std::string date;                  ///< YYYY-MM-DD of the file.
};

/// The files that launch what a scenario asks for: its run or its service, as it is resolved, or as
/// a plan of it recommends.
struct EmitQuestion {
  std::string target;  ///< `megatron`, `vllm`, `slurm`, `kubernetes`, …
  ScenarioWithFiles about;
  std::optional<InputFile> plan;  ///< A plan of the scenario, saved as JSON.
  Settings settings;
};

/// What is launched today, as a scenario. Files that belong together are read together: a script
/// and the configuration that it names.
struct ReadQuestion {
  std::vector<InputFile> files;
};

/// Somebody who can ask a Prometheus server. The library opens no connection itself.
class MetricFeed {
 public:
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  MetricFeed() = default;
  virtual ~MetricFeed() = default;
  MetricFeed(const MetricFeed&) = delete;
  MetricFeed& operator=(const MetricFeed&) = delete;

  /// How to call it, without anything that is secret.
  virtual std::string name() const = 0;
  /// The body that the server answers for a path below its address, as `/api/v1/query_range`.
  /// LF508 where it is larger than the caller wants to hold.
  virtual Result<std::string> get(const std::string& path, const Parameters& parameters) = 0;
};

/// How full is a cluster now, who flies empty, and what would mend it?
struct ObserveQuestion {
  std::vector<InputFile> files;              ///< What monitors and batch systems printed.
  std::shared_ptr<MetricFeed> feed;          ///< A server of metrics that the caller can ask.
  std::vector<ScenarioWithFiles> scenarios;  ///< What runs there: its prices and predictions.
  Settings settings;
  std::optional<Seconds> since;  ///< Length of the window; else seven days, or what files tell.
  std::optional<Seconds> now;    ///< Its end, since 1970; else the last sample's time.
  std::optional<Seconds> clock;  ///< The time it is, where no end is said: for jobs that run.
  std::optional<Seconds> step;
  Seconds interval = Seconds::from_base(60);  ///< Between files without stamps.
  std::optional<Seconds> checkpoint;          ///< Between two checkpoints of the jobs.
  std::optional<DollarsPerGpuSecond>
      price;  ///< What a GPU costs, instead of the catalogue's price.
};

/// Many workloads on pools of GPUs: who runs where and when, and what does each cost?
struct FleetQuestion {
  InputFile fleet;
  std::vector<InputFile> files;  ///< That the fleet and the scenarios of its workloads name.
  std::vector<std::string> set;  ///< Assignments to the fleet, as of --set.
  Settings settings;
};

using Question =
    std::variant<PlanQuestion, FitQuestion, TrainQuestion, SearchQuestion, ScaleQuestion,
                 ServeQuestion, SimulateQuestion, SizeQuestion, FillQuestion, CostQuestion,
                 DemandQuestion, AuditQuestion, ExplainQuestion, DiffQuestion, ValidateQuestion,
                 CalibrateQuestion, CatalogQuestion, EmitQuestion, ReadQuestion, ObserveQuestion,
                 FleetQuestion>;

/// `plan`, `fit`, … `search`, `scale`, `simulate`, `size`, …, in the order of Question.
std::string_view verb_of(const Question& question);

enum class Outcome : std::uint8_t {
  kAnswer,      ///< Exit status 0.
  kNo,          ///< A gate that was asked for does not hold: exit status 1.
  kInfeasible,  ///< A valid question without a feasible answer: exit status 3.
};
int exit_status(Outcome outcome);

/// The forms of an answer. Every answer has the first two; `to_text` says which others it lacks.
enum class Format : std::uint8_t {
  kTable,
  kJson,
  kCsv,
  kMarkdown,
  kPage,       ///< A plan, a cost or a difference as one HTML page.
  kTrace,      ///< Steps of training or of a simulation, for ui.perfetto.dev.
  kSeries,     ///< A simulation over time, as CSV.
  kFocus,      ///< A bill as FOCUS rows.
  kInfracost,  ///< A bill as an Infracost breakdown.
  kComment,    ///< A difference as a comment on a pull request.
  kMetrics,    ///< What was observed, as an exporter prints it.
  kScenario,   ///< What was observed, as a scenario.
  kWorkbook,   ///< A plan as the cells of a workbook, in JSON.
};
/// `table`, `json`, `csv`, `md`, …; nothing for a word that is none.
std::string_view name_of(Format format);
std::optional<Format> find_format(std::string_view name);

struct Style {
  int width = 80;
  bool colour = false;
  bool explain = false;       ///< Adds the sums and sources behind the figures.
  bool quiet = false;         ///< Leaves out the notices.
  bool reproducible = false;  ///< Leaves out run times.
  bool tornado = false;       ///< Adds to the table of a cost what would change it,
  bool facility = false;      ///< and the building.
  std::string report;         ///< Where the page of a plan was written.
  std::string folder;         ///< Where the files of a calibration were written.
};

/// A file that an answer proposes to write, by a path below a folder that the user chooses.
struct OutputFile {
  std::string path;
  std::string text;
};

struct GateVerdict {
  bool holds = false;
  std::string words;  ///< With the figures.
};

class AnswerBody;

/// A value: cheap to copy, immutable, safe to share between threads.
class Answer {
 public:
  std::string_view verb() const;
  Outcome outcome() const;
  int exit_status() const { return loadfactor::exit_status(outcome()); }
  const std::vector<Notice>& notices() const;
  const std::vector<GateVerdict>& gates() const;
  /// Sentences for people that stand in no form of the answer.
  const std::vector<std::string>& remarks() const;
  const std::vector<OutputFile>& files() const;

  /// Field `answer` of its JSON.
  Value value(const Style& style = {}) const;

  /// The answer as a struct, nullptr where it is of another kind:
  /// `answer.as<ServeAnswer>()`, `FitAnswer`, `TrainAnswer`, `SearchAnswer`, `ScaleAnswer`,
  /// `SimulateAnswer`, `CostAnswer`.
  template <typename T>
  const T* as() const {
    return static_cast<const T*>(find(typeid(T)));
  }

 private:
  friend class AnswerBody;
  explicit Answer(std::shared_ptr<const AnswerBody> body) : body_(std::move(body)) {}
  const void* find(const std::type_info& type) const;
  std::shared_ptr<const AnswerBody> body_;
};

/// LF603 where the answer has no such form.
Result<std::string> to_text(const Answer& answer, Format format, const Style& style = {});
std::string to_json(const Answer& answer, const Style& style = {});
/// {"loadfactor": 1, "errors": [{code, message, hint, file, line, column, length, notes,
/// exit_status}]}
std::string to_json(const Error& error);
std::string to_json(const Diagnostics& diagnostics);

}  // namespace loadfactor
