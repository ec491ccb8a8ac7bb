// `fill`, `cost` and `audit`.
#include <fmt/format.h>

#include "base/error_codes.h"
#include "facade/forms/makers.h"
#include "facade/forms/words.h"

namespace loadfactor::facade {
namespace {

class FillForm final : public Form {
 public:
  FillForm() {
    scenario("a scenario with a `serve` section; - reads stdin", false);
    number("gpus", question_.gpus, "of the fleet or cluster", "INT", 1, 1e7);
    word("gpu", question_.gpu, "instead of the scenario's candidates", "NAME");
    flag("simulate", question_.simulate,
         "confirm by simulation, however long it takes; by default where it is quick");
    word("jobs", jobs_, "jobs of a training cluster instead of a scenario", "FILE");
    number("busy", question_.busy, "mean activity of allocated GPUs, 0 to 1, with --jobs", "FLOAT",
           0, 1);
    word("think", think_, "between an answer and the same user's next request", "TEXT")
        .shown_default = think_;
  }
  std::optional<Question> question(const Reading& reading) override {
    question_.settings = reading.settings;
    const auto think = read_time("think", think_);
    if (!think) return reading.refuse(think.error());
    if (*think) question_.think_time = **think;
    if (!jobs_.empty()) {
      auto file = reading.files.open(jobs_);
      if (!file) return reading.refuse(file.error());
      question_.jobs = *std::move(file);
      return question_;
    }
    if (path_.empty())
      return reading.refuse(usage("fill needs a scenario or jobs",
                                  "loadfactor fill scenario.yaml, or --jobs jobs.csv"));
    auto about = read_scenario(reading, "fill");
    if (!about) return std::nullopt;
    if (question_.think_time < Seconds())
      return reading.refuse(at_option({.code = lf::kOutOfRange,
                                       .message = fmt::format("--think '{}' is below 0", think_),
                                       .hint = "a time such as --think '30 s'; 0 s for none"},
                                      "think", think_));
    question_.about = *std::move(about);
    return question_;
  }

 private:
  FillQuestion question_;
  std::string jobs_;
  std::string think_ = "60 s";
};

class CostForm final : public Form {
 public:
  CostForm() {
    constexpr double kLeastDraws = 64;
    constexpr double kMostDraws = 10'000'000;
    has_page = true;
    scenario("a scenario; - reads stdin");
    number("draws", question_.draws, "of the uncertain inputs", "N", kLeastDraws, kMostDraws);
    word("bill", question_.bill_of, "whose bill to show: own, on-demand, spot, api, …", "KIND");
    flag("tornado", style.tornado, "what would change the answer");
    flag("facility", style.facility, "power, racks, cooling and network");
    output("focus", focus_, "write the bill as FOCUS 1.2 rows", "FILE.csv", Format::kFocus);
    output("infracost", infracost_, "write the bill as an Infracost breakdown", "FILE.json",
           Format::kInfracost);
  }
  std::optional<Question> question(const Reading& reading) override {
    auto about = read_scenario(reading, "cost");
    if (!about) return std::nullopt;
    question_.about = *std::move(about);
    question_.settings = reading.settings;
    return question_;
  }

 private:
  CostQuestion question_;
  std::string focus_, infracost_;
};

class AuditForm final : public Form {
 public:
  AuditForm() {
    scenario_at("claim", "a claim as YAML or JSON; - reads stdin", "CLAIM");
    word("gate", gate_, "exit 1 unless every claim is 'consistent', or 'not inconsistent'",
         "VERDICT");
  }
  std::optional<Question> question(const Reading& reading) override {
    AuditQuestion question;
    question.gate = find_word(kAuditGates, gate_);
    if (!question.gate && !gate_.empty()) {
      return reading.refuse(
          usage(fmt::format("no gate '{}'", gate_), "one of: consistent, 'not inconsistent'"));
    }
    auto file = reading.files.open(path_);
    if (!file) return reading.refuse(file.error());
    question.claim = *std::move(file);
    return question;
  }

 private:
  std::string gate_;
};

}  // namespace

std::unique_ptr<Form> fill_form() {
  return std::make_unique<FillForm>();
}
std::unique_ptr<Form> cost_form() {
  return std::make_unique<CostForm>();
}
std::unique_ptr<Form> audit_form() {
  return std::make_unique<AuditForm>();
}

}  // namespace loadfactor::facade
