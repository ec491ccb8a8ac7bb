// `plan`, `diff` and `explain`.
#include <fmt/format.h>

#include "engine/explain/diff.h"
#include "engine/launch/launch_plan.h"
#include "facade/forms/makers.h"
#include "facade/plans.h"

namespace loadfactor::facade {
namespace {

constexpr double kLeastDraws = 64;
constexpr double kMostDraws = 10'000'000;
constexpr double kMostYears = 10;

class PlanForm final : public Form {
 public:
  PlanForm() {
    has_page = true;
    has_workbook = true;
    scenario("a scenario with a `serve` or `train` section; - reads stdin");
    gates(question_.gates, "exit 1 unless it holds: 'load_factor >= break_even'");
    number("draws", question_.draws, "of the uncertain inputs", "N", kLeastDraws, kMostDraws);
    number("confirm", question_.confirm, "deployments that are simulated", "N", 1, 20)
        .is_json_only = true;
    number("years", question_.years, "also plan so many years, as demand.growth and prices go", "N",
           0, kMostYears);
    word("emit", saving.folder, "write the files that launch it into a folder", "DIR");
    flag("launch", question_.launch, "the answer shall hold the files that launch it")
        .is_json_only = true;
    flag("live", wants_engine,
         "with -o FILE.html: the page holds the engine and plans anew, exactly and offline")
        .kind = Option::Kind::kOutput;
    flag("page", wants_page, "it is to be shown as a page").is_json_only = true;
  }
  std::optional<Question> question(const Reading& reading) override {
    if (auto wrong = find_wrong_gate(question_.gates)) return reading.refuse(*std::move(wrong));
    auto about = read_scenario(reading, "plan");
    if (!about) return std::nullopt;
    question_.about = *std::move(about);
    question_.settings = reading.settings;
    question_.page = wants_page;
    saving.with_answer = true;
    question_.launch = question_.launch || !saving.folder.empty();
    return question_;
  }

 private:
  PlanQuestion question_;
};

class DiffForm final : public Form {
 public:
  DiffForm() {
    has_comment = true;
    has_page = true;
    set_help = "replace a value of B, with --advice of both: limits.gpus=64";
    scenario_at("before", "a scenario, or a plan saved as JSON; - reads stdin", "A");
    positional(
        word("after", after_,
             "the other one; A itself where something is set; left out: what the advice makes of A",
             "B"),
        false);
    flag("advice", wants_advice_,
         "B is A with how it runs left open: what the advice changes, as a patch of flags");
    flag("running", question_.before_runs,
         "A is what runs today: a service is priced on the machines that it has");
    gates(question_.gates, "exit 1 unless it holds for B: 'cost <= 5000 $/month'");
    number("draws", question_.draws, "of the uncertain inputs", "N", kLeastDraws, kMostDraws);
  }
  std::optional<Question> question(const Reading& reading) override {
    if (auto wrong = find_wrong_gate(question_.gates)) return reading.refuse(*std::move(wrong));
    question_.settings = reading.settings;
    if (wants_advice_ || (after_.empty() && reading.set.empty())) return advised(reading);
    auto running = reading.files.open(path_);
    if (!running) return reading.refuse(running.error());
    const Reading plain{reading.files, {}, reading.settings, reading.diagnostics};
    auto before = side(plain, path_, *running);
    if (!before) return std::nullopt;
    auto after = after_.empty() ? side(reading, path_, *running) : side_at(reading, after_);
    if (!after) return std::nullopt;
    question_.before = *std::move(before);
    question_.after = *std::move(after);
    return question_;
  }

 private:
  // What runs, and the same with every key opened that says how.
  std::optional<Question> advised(const Reading& reading) {
    if (!after_.empty())
      return reading.refuse(usage("--advice makes the second plan itself", "diff A --advice"));
    auto file = reading.files.open(path_);
    if (!file) return reading.refuse(file.error());
    auto before = side(reading, path_, *file);
    if (!before) return std::nullopt;
    const auto* running = std::get_if<ScenarioWithFiles>(&*before);
    std::vector<std::string> keys;
    if (running != nullptr) keys = engine::keys_open_to_advice(running->scenario);
    if (keys.empty())
      return reading.refuse(
          usage(fmt::format("diff compares two plans, and '{}' does not say how it runs", path_),
                "diff A B, or diff A --set limits.gpus=64 for one change; `loadfactor read` writes "
                "what runs"));
    Reading open = reading;
    for (const std::string& key : keys) open.set.push_back(key + "=null");
    auto after = side(open, path_, *file);
    if (!after) return std::nullopt;
    question_.before_runs = true;
    question_.before = *std::move(before);
    question_.after = *std::move(after);
    return question_;
  }
  static std::optional<PlanSide> side_at(const Reading& reading, const std::string& path) {
    auto file = reading.files.open(path);
    if (!file) return reading.refuse(file.error());
    return side(reading, path, *file);
  }
  static std::optional<PlanSide> side(const Reading& reading, const std::string& path,
                                      const InputFile& file) {
    const std::string text(file.bytes);
    if (!engine::is_saved_plan(path, text)) return read_scenario_at(reading, path, text, "diff");
    if (!reading.set.empty())
      return reading.refuse(
          usage(fmt::format("'{}' is a saved plan: nothing can be set in it", path),
                "give the scenario it was made from"));
    return file;
  }
  DiffQuestion question_;
  std::string after_;
  bool wants_advice_ = false;
};

class ExplainForm final : public Form {
 public:
  ExplainForm() {
    set_help = kSetHelp;
    positional(
        words("word", words_, "LFnnn, a term such as mfu, `codes`, `terms`, or QUANTITY SCENARIO",
              "CODE|TERM|QUANTITY SCENARIO"),
        false);
  }
  bool take_scenario(const std::string& name) override {
    words_.push_back(name);
    return true;
  }
  std::optional<Question> question(const Reading& reading) override {
    ExplainQuestion question;
    question.settings = reading.settings;
    std::vector<std::string> subject = words_;
    if (asks_for_number()) {
      path_ = words_.back();
      subject.pop_back();
      question.about = read_scenario(reading, "explain");
      if (!question.about) return std::nullopt;
    }
    if (!subject.empty()) question.subject = fmt::format("{}", fmt::join(subject, " "));
    return question;
  }

 private:
  // The last word names a scenario; those before it a quantity of its plan.
  bool asks_for_number() const {
    if (words_.size() < 2) return false;
    const std::string& last = words_.back();
    return last == "-" || last == "scenario" || last.ends_with(".yaml") || last.ends_with(".yml") ||
           last.ends_with(".json");
  }
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Form> plan_form() {
  return std::make_unique<PlanForm>();
}
std::unique_ptr<Form> diff_form() {
  return std::make_unique<DiffForm>();
}
std::unique_ptr<Form> explain_form() {
  return std::make_unique<ExplainForm>();
}

}  // namespace loadfactor::facade
