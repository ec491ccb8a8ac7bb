// Where a number comes from: a tree of operations whose leaves name their sources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/explain/term.h"
#include "engine/plan/plan.h"

namespace loadfactor::engine {

enum class Operation : std::uint8_t {
  kLeaf,
  kSum,
  kDifference,  // The first less the second.
  kProduct,
  kQuotient,  // The first by the second.
  kPower,     // The first to the second, which is a pure number.
  kFloor,     // The only child, rounded down.
  kCeil,      // The only child, rounded up.
  kChoice,    // The first child, chosen from all of them.
};
// As JSON writes it.
std::string_view name_of(Operation operation);

// The numbers that have trees.
enum class Explained : std::uint8_t {
  kCost,
  kPerMtoken,
  kTokensPerMonth,
  kGpus,
  kLoadFactor,
  kFullPlane,
  kApiCost,
  kBreakEven,
  kGpuMemory,
  kSequences,
  kStepTime,
  kTokensPerSecond,
  kMfu,
  kGoodput,
  kDuration,
  kRunCost,
  kTpot,
  kTtft,
  kReplicas,
  kTp,
};
// As a question writes it: "load_factor".
std::string_view name_of(Explained quantity);
std::optional<Explained> find_explained(std::string_view name);

// The machine and layout that a tree of a run is of.
struct RunSubject {
  std::string accelerator;
  TrainLayout layout;
};

// Rows of data that a fitted number rests on.
struct Evidence {
  std::int64_t rows = 0;  // 0: not counted.
  std::string source;     // Ids of SOURCES.md; empty: nothing was fitted.
};

// A number in base units. What is not a leaf is computed from its children when it is made, so that
// a tree cannot say another number than its parts give.
struct ExplainNode {
  Term term = Term::kOne;
  std::string of;  // Which one: a catalogue name, a part of the answer; often empty.
  Operation operation = Operation::kLeaf;
  AnyQuantity value;
  std::string source;  // Where a leaf comes from: file and line, or ids of SOURCES.md.
  std::vector<ExplainNode> children;
  std::optional<RunSubject> subject = {};  // At the root of a tree of a training run.
  std::optional<OptionName> option = {};   // The way to pay that a cost or a load is of.
  Evidence evidence = {};                  // Behind a leaf that was fitted.
};

ExplainNode leaf(Term term, AnyQuantity value, std::string source, std::string of = {});
ExplainNode node(Term term, Operation operation, std::vector<ExplainNode> children,
                 std::string of = {});

// A value of the operation on the children; what `node` gives a tree.
AnyQuantity evaluate(Operation operation, const std::vector<ExplainNode>& children);

// The quantities that this answer has a tree for.
std::vector<std::string> explainable(const PlanAnswer& answer);

// The tree of one of those; `engine` and `question` are what the answer was made with.
Result<ExplainNode> explain_quantity(const Core& engine, const PlanInputs& question,
                                     const PlanAnswer& answer, const std::string& name);

// Finds where values come from: a path of the scenario or a fact of the catalogue.
class SourceFinder {
 public:
  explicit SourceFinder(const PlanAnswer& answer) : answer_(&answer) {}
  // The place of the first path that the scenario has, else of the first fact of one of these ids,
  // else `otherwise`.
  std::string find(const std::vector<std::string>& paths, const std::vector<std::string>& facts,
                   const std::string& otherwise) const;

 private:
  const PlanAnswer* answer_;
};

// The parts, in files of their own.
std::optional<ExplainNode> explain_money(const Core& engine, const PlanInputs& question,
                                         const PlanAnswer& answer, Explained quantity);
// `parts` are those of a step in full, by their keys; one that is missing is a leaf.
std::optional<ExplainNode> explain_training(const PlanAnswer& answer, Explained quantity,
                                            const std::vector<ExplainNode>& parts);
// The share of the paid time that steady steps take, of a run that ends.
ExplainNode paid_share_node(const PlanAnswer& answer);
// What `train` prints of a scenario that only trains (step_time, tokens_per_s, mfu, goodput,
// duration, run_cost, gpu_memory). Nothing for any other quantity.
std::optional<ExplainNode> explain_run(const Core& engine, const PlanInputs& question,
                                       const std::string& name);
RunSubject subject_of(const TrainAnswer& train);
// What `serve` prints of a scenario that only serves (tpot, ttft, replicas, tp). Nothing for any
// other quantity.
std::optional<ExplainNode> explain_service(const Core& engine, const PlanInputs& question,
                                           const std::string& name);
// What `train` chooses where that does not fit, so that a quantity is explained of the plan.
struct MisfitRun {
  int gpus = 0;
  std::string accelerator;
  bool has_rivals = false;  // The scenario names other accelerators too.
};
std::optional<MisfitRun> misfit_run(const Core& engine, const PlanInputs& question);
std::optional<ExplainNode> explain_fit(const Core& engine, const PlanInputs& question,
                                       const PlanAnswer& answer, Explained quantity);
// Counts and rates that a figure of a service is made of, down to where each comes from: why so
// many replicas, what a replica holds, and what it takes for each token.
void deepen(const Core& engine, const PlanInputs& question, const PlanAnswer& answer,
            ExplainNode& tree);
// Sequences that run in a replica which is never idle, by the memory that weights leave or by what
// the engine lets run. Nothing where neither holds.
std::optional<ExplainNode> explain_running(const Core& engine, const PlanInputs& question,
                                           const PlanAnswer& answer);
// Sequences that run in a replica which is never idle; 0 where that is not known.
double saturated_sequences(const Core& engine, const PlanInputs& question,
                           const PlanAnswer& answer);
// Where the glossary fixes a term: its file and line.
std::string glossary_line(std::string_view term);
// The month of the calendar, by definition.
ExplainNode month_node();

}  // namespace loadfactor::engine
