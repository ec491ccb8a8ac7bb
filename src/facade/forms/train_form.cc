// `train`, with `--search` and `--scale`.

#include <fmt/format.h>

#include "facade/forms/makers.h"
#include "facade/forms/words.h"

namespace loadfactor::facade {
namespace {

class TrainForm final : public Form {
 public:
  TrainForm() {
    constexpr double kMostGpus = 1'000'000;
    scenario("a scenario with a `train` section; - reads stdin");
    output("trace", trace_, "write one step as a Chrome trace; - writes it instead of the answer",
           "FILE.json", Format::kTrace, " (open in ui.perfetto.dev)");
    flag("search", search_, "search all legal layouts for the best");
    flag("exhaustive", question_.exhaustive, "search, and evaluate every one of them");
    flag("scale", scale_, "how far it scales, and what the next dollar buys");
    number("efficiency", efficiency_, "the line that --scale asks about, in percent", "PERCENT", 1,
           100);
    number("day-value", day_value_, "what a day earlier is worth, in dollars", "USD", 0);
    word("objective", objective_, "time | cost | energy | deadline", "WORD");
    word("placement", placement_, "packed | rail | spread | fragmented", "WORD");
    list("gpus", "numbers of GPUs to search, instead of the scenario's", "N,N,…",
         [this](const std::string& item) {
           int value = 0;
           const auto [end, failed] =
               std::from_chars(item.data(), item.data() + item.size(), value);
           if (failed != std::errc() || end != item.data() + item.size())
             return fmt::format("'{}' is no whole number", item);
           std::string fault = range_fault(item, value, 1, kMostGpus);
           if (fault.empty()) question_.gpus.push_back(value);
           return fault;
         });
    list("precision", "number formats to search, instead of the scenario's", "WORD,WORD,…",
         [this](const std::string& item) {
           question_.precisions.push_back(item);
           return std::string();
         });
    number("headroom", headroom_, "share of the memory that must stay free", "PERCENT", 0, 95);
  }

  std::optional<Question> question(const Reading& reading) override {
    if (auto fault = find_fault()) return reading.refuse(*std::move(fault));
    if (auto fault = read_words()) return reading.refuse(*std::move(fault));
    auto about = read_scenario(reading, "train");
    if (!about) return std::nullopt;
    if (!any()) return TrainQuestion{*std::move(about), !trace_.empty()};
    question_.about = *std::move(about);
    question_.settings = reading.settings;
    question_.headroom = headroom_.value_or(0) / 100;
    if (!scale_) return question_;
    constexpr double kUsualLine = 80;
    ScaleQuestion scale{.about = std::move(question_.about),
                        .settings = question_.settings,
                        .placement = question_.placement,
                        .gpus = question_.gpus,
                        .precisions = question_.precisions,
                        .headroom = question_.headroom,
                        .efficiency = efficiency_.value_or(kUsualLine) / 100};
    if (day_value_) scale.day_value = Dollars::from_base(*day_value_);
    return scale;
  }

 private:
  bool any() const { return search_ || question_.exhaustive || scale_; }

  // Options that belong to another question than the one asked are refused, not dropped.
  std::optional<Error> find_fault() const {
    if (scale_ && (search_ || question_.exhaustive))
      return usage("--scale and --search are two questions",
                   "--search finds layouts of one size; --scale compares sizes, and searches each");
    if (scale_ && !objective_.empty())
      return usage("--objective does not go with --scale",
                   "--scale shows time and cost at every size; --search takes an objective");
    if (!trace_.empty() && any())
      return usage("--trace shows one layout",
                   "write the layout that was found into the scenario, and run train --trace");
    if (!scale_ && (efficiency_ || day_value_))
      return usage("--efficiency and --day-value belong to --scale", "add --scale");
    const bool only_search = !objective_.empty() || !placement_.empty() ||
                             !question_.gpus.empty() || !question_.precisions.empty() || headroom_;
    if (!any() && only_search)
      return usage(
          "--objective, --placement, --gpus, --precision and --headroom belong to a search",
          "add --search, or --scale");
    return std::nullopt;
  }

  std::optional<Error> read_words() {
    if (!objective_.empty()) {
      const auto found = find_word(kObjectives, objective_);
      if (!found)
        return usage(fmt::format("no objective '{}'", objective_),
                     "one of: time, cost, energy, deadline");
      question_.objective = found;
    }
    if (!placement_.empty()) {
      const auto found = find_word(kPlacements, placement_);
      if (!found)
        return usage(fmt::format("no placement '{}'", placement_),
                     "one of: packed, rail, spread, fragmented");
      question_.placement = *found;
    }
    return std::nullopt;
  }

  std::string trace_;
  bool search_ = false;
  bool scale_ = false;
  std::optional<double> efficiency_;
  std::optional<double> day_value_;
  std::optional<double> headroom_;
  std::string objective_;
  std::string placement_;
  SearchQuestion question_;
};

}  // namespace

std::unique_ptr<Form> train_form() {
  return std::make_unique<TrainForm>();
}

}  // namespace loadfactor::facade
