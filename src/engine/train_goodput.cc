#include "engine/train_goodput.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/entry_reader.h"
#include "economics/unit_cost.h"
#include "engine/run_prices.h"
#include "workload/parameters.h"

namespace loadfactor::engine {
namespace {

using config::MoneyOption;

std::string sources_of(const std::vector<const catalog::Fact*>& facts) {
  std::string merged;
  for (const auto* fact : facts)
    for (const auto& source : fact->provenance.sources) merged = merged_sources(merged, source);
  return merged;
}

void add_facts(const std::vector<const catalog::Fact*>& facts, TrainAnswer& answer) {
  for (const auto* fact : facts) {
    const auto& from = fact->provenance;
    answer.facts.push_back({fact->name, std::string(catalog::text_of(from.kind)),
                            fmt::format("{}", fmt::join(from.sources, ", ")), from.date,
                            fmt::format("{}:{}", from.file, from.line)});
  }
}

TrainGoodput describe(const PaidTime& paid) {
  const auto& g = paid.goodput;
  TrainGoodput out;
  out.value = paid.effective;
  out.mtbf = g.mtbf;
  out.interval = g.interval;
  out.stall = g.stall;
  out.checkpoint = g.checkpoint;
  out.spare_nodes = g.spare_nodes;
  out.losses = {
      {"restarts", g.restart, "from a crash to the first new step"},
      {"lost work", g.lost_work, "since the last checkpoint that was safe"},
      {"checkpoints", g.checkpointing, "while everybody waits for a copy"},
      {"detection", g.detection, "of failures that raise no error"},
      {"repairs", g.waiting, "all spares are in use"},
  };
  std::stable_sort(out.losses.begin(), out.losses.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return out;
}

}  // namespace

catalog::RentTerm rent_term(const config::Money& money) {
  using catalog::RentTerm;
  for (const auto& option : money.options) {
    switch (option.value) {
      case MoneyOption::kOnDemand:
        return RentTerm::kOnDemand;
      case MoneyOption::kReserved1y:
        return RentTerm::kReserved1y;
      case MoneyOption::kReserved3y:
        return RentTerm::kReserved3y;
      case MoneyOption::kSpot:
        return RentTerm::kSpot;
      case MoneyOption::kOwn:
      case MoneyOption::kApi:
        break;
    }
  }
  return RentTerm::kOnDemand;
}

std::string_view rent_words(catalog::RentTerm term) {
  switch (term) {
    case catalog::RentTerm::kSpot:
      return "spot";
    case catalog::RentTerm::kReserved1y:
      return "reserved for a year";
    case catalog::RentTerm::kReserved3y:
      return "reserved for three years";
    case catalog::RentTerm::kOnDemand:
      break;
  }
  return "on demand";
}

namespace {

// Whether nothing but spare capacity of others is asked for.
bool borrows(const config::Money& money) {
  return !money.options.empty() &&
         std::all_of(money.options.begin(), money.options.end(), [](const auto& option) {
           return option.value == MoneyOption::kSpot || option.value == MoneyOption::kApi;
         });
}

// What the scenario says of failures, over the fleet's averages.
void apply(const config::FailureAsk& ask, training::Reliability& reliability,
           training::GoodputQuestion& question) {
  constexpr std::array kTiers{training::CheckpointTier::kSynchronous,
                              training::CheckpointTier::kAsynchronous,
                              training::CheckpointTier::kInMemory};
  auto& times = reliability.times;
  if (ask.checkpoint) question.tier = kTiers[static_cast<std::size_t>(ask.checkpoint->value)];
  if (ask.interval) question.interval = ask.interval->value;
  if (ask.spares) question.spare_nodes = ask.spares->value;
  if (ask.storage) times.storage = ask.storage->value;
  if (ask.restart) times.restart = ask.restart->value;
  if (ask.detection) times.detection = ask.detection->value;
  if (ask.repair) times.repair = ask.repair->value;
}

}  // namespace

std::optional<PaidTime> paid_time(const catalog::Catalog& catalog, const TrainSetup& setup,
                                  int gpus, Seconds step) {
  const auto& chip = *setup.job.chip;
  auto read = training::read_reliability(catalog.hazards(), chip.family);
  if (!read) return std::nullopt;
  constexpr int kUsualNode = 8;
  const int per_node = setup.job.fabric.gpus_per_node.value_or(kUsualNode);
  training::GoodputQuestion question;
  question.gpus = gpus;
  question.step = step;
  question.gpus_per_node = per_node;
  question.parameters = static_cast<double>(workload::count_parameters(*setup.job.model).total());
  if (chip.host) question.host_link = chip.host->bandwidth;
  question.borrowed = borrows(setup.scenario.money);
  apply(setup.ask().failures, *read, question);
  PaidTime paid;
  paid.goodput = training::goodput(*read, question);
  paid.nodes = std::max(1, (gpus + per_node - 1) / per_node);
  const double loss = 1.0 - paid.goodput.value;
  paid.effective = {1.0 - loss, std::max(0.0, 1.0 - 2.0 * loss), 1.0 - 0.5 * loss, Basis::kModelled,
                    sources_of(read->facts)};
  return paid;
}

std::optional<Notice> note_rent(const catalog::Catalog& catalog, const TrainSetup& setup) {
  const auto& chip = *setup.job.chip;
  const auto& options = setup.scenario.money.options;
  const auto term = rent_term(setup.scenario.money);
  const auto rent = economics::find_offered_rent(catalog.prices(), chip.name, term);
  if (!rent) return std::nullopt;
  const std::string price =
      fmt::format("{:.2f} USD/h {}", rent->rent.value().base() * 3600.0, rent_words(rent->term));
  if (rent->term == term || !options.empty()) return std::nullopt;
  return Notice{"rent-of-another-term", Severity::kCaution,
                fmt::format("{}: our price list has no rent {}; {} stand for it", chip.title,
                            rent_words(term), price)};
}

void add_goodput(const catalog::Catalog& catalog, const TrainSetup& setup, TrainAnswer& answer) {
  const auto paid = paid_time(catalog, setup, answer.layout.gpus, answer.step_time.value());
  if (!paid) return;
  answer.goodput = describe(*paid);
  if (paid->goodput.value <= training::kLeastGoodput)
    answer.notices.push_back(
        {"no-progress", Severity::kCaution,
         "failures, restarts and checkpoints as written leave no time to train: the run would "
         "never end, and days and cost only say so"});
  if (const auto read = training::read_reliability(catalog.hazards(), setup.job.chip->family))
    add_facts(read->facts, answer);
  const double spares = 1.0 + static_cast<double>(paid->goodput.spare_nodes) / paid->nodes;
  const double gpus = answer.layout.gpus * spares;
  const RunPrices prices = run_prices(catalog, setup, gpus, paid->effective.value());
  if (answer.duration)
    answer.duration =
        EstimateOf<Seconds>(divide(answer.duration->erased(), paid->effective.erased()));
  const auto run =
      answer.duration ? std::optional<Seconds>(answer.duration->value()) : std::nullopt;
  if (const auto note = note_prices(prices, answer.accelerator_title, gpus, run))
    answer.notices.push_back(*note);
  const RunPrice* way = prices.cheapest(run);
  if (way == nullptr) return;
  if (answer.duration) answer.cost = run_cost(*way, gpus, *answer.duration);
  if (answer.cost && answer.tokens) {
    const auto all = EstimateOf<Tokens>::exact(*answer.tokens, Basis::kModelled, {});
    answer.cost_per_token =
        EstimateOf<DollarsPerToken>(divide(answer.cost->erased(), all.erased()));
    return;
  }
  const auto one = EstimateOf<Tokens>::exact(Tokens::from_base(1.0), Basis::kModelled, {});
  const auto pace = EstimateOf<Seconds>(divide(one.erased(), answer.tokens_per_s.erased()));
  const auto paid_pace = EstimateOf<Seconds>(divide(pace.erased(), paid->effective.erased()));
  answer.cost_per_token = EstimateOf<DollarsPerToken>(
      divide(economics::rent_cost(way->rate, gpus, paid_pace).erased(), one.erased()));
}

}  // namespace loadfactor::engine
