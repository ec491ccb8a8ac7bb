#include "engine/fill/sizing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "economics/evaluate.h"

namespace loadfactor::engine {
namespace {

void add_pool(const std::string& path, const serving::ServingLayout& layout, int replicas,
              std::vector<config::Edit>& edits) {
  const auto set = [&](const char* key, int degree) {
    edits.push_back({path + key, std::int64_t{degree}});
  };
  set(".tp", layout.tp);
  set(".pp", layout.pp);
  set(".replicas", replicas);
  if (layout.dp > 1) set(".dp", layout.dp);
  if (layout.ep > 1) set(".ep", layout.ep);
  if (layout.cp > 1) set(".cp", layout.cp);
}

// The deployment of a row, as values of the scenario.
std::vector<config::Edit> edits_of(const DeploymentRow& row) {
  std::vector<config::Edit> edits{{"hardware", std::vector<std::string>{row.accelerator}},
                                  {"capacity"},
                                  {"serve.deployment.gpu", row.accelerator},
                                  {"serve.precision", row.precision}};
  if (row.prompt_replicas > 0) {
    add_pool("serve.deployment.prefill", row.prompt_layout, row.prompt_replicas, edits);
    add_pool("serve.deployment.decode", row.layout, row.replicas, edits);
    return edits;
  }
  add_pool("serve.deployment", row.layout, row.replicas, edits);
  if (row.max_seqs > 0) edits.push_back({"serve.deployment.max_seqs", row.max_seqs});
  if (row.chunk > 0) edits.push_back({"serve.deployment.chunk", row.chunk});
  return edits;
}

// What the cheapest way to have these machines costs; nothing where none has a price.
struct LeastCost {
  std::optional<DollarsPerSecond> cost;
  bool may_scale = false;  // Machines come and go in it, and no API is cheaper.
  bool is_api_cheaper = false;
};

LeastCost least_cost(const CostInputs& request, const catalog::Catalog& catalog) {
  Diagnostics unread;
  const auto setup = make_cost_setup(request, catalog, unread);
  if (!setup) return {};
  LeastCost least;
  const auto figures = economics::evaluate(setup->terms, setup->asked);
  for (const auto& option : figures.all()) {
    if (option.kind == OptionKind::kApi || (least.cost && option.cost >= *least.cost)) continue;
    least = {option.cost, economics::comes_and_goes(option.kind), false};
  }
  const auto* api = figures.find(OptionKind::kApi);
  least.is_api_cheaper = api != nullptr && least.cost && api->cost < *least.cost;
  if (least.is_api_cheaper) least.may_scale = false;
  return least;
}

// The first row of every accelerator, with what its machines cost. Rows are in the order of what
// they cost the whole time, so that the first of all is the cheapest unless machines that come and
// go are cheaper.
class FirstRows {
 public:
  FirstRows(const ServingInputs& question, const catalog::Catalog& catalog, SizeAnswer& answer)
      : question_(question), catalog_(catalog), answer_(answer) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < answer.rows.size(); ++i)
      if (seen.insert(answer.rows[i].accelerator).second) firsts_.push_back({i, cost_of(i)});
  }

  std::size_t cheapest() { return cheapest_first().row; }
  bool is_api_cheaper() { return cheapest_first().least.is_api_cheaper; }

  // So that what one costs does not depend on whether another is cheaper.
  void simulate_each() {
    for (First& first : firsts_) {
      DeploymentRow& row = answer_.rows[first.row];
      if (!row.is_confirmed) continue;  // Its week was not simulated either.
      row.scaled = answer_.scale_row(first.row);
      if (row.scaled) first.least = cost_of(first.row);
    }
  }

  // Simulated fleets pay for more than the fluid limit has. So the cheapest is simulated, until the
  // cheapest is one that was. Frugally: not where even the fluid limit is dearer than another way.
  void simulate_cheapest(bool frugally) {
    for (std::size_t tried = 0; tried < firsts_.size(); ++tried) {
      First& first = cheapest_first();
      DeploymentRow& row = answer_.rows[first.row];
      if (row.scaled || (frugally && !first.least.may_scale)) return;
      row.scaled = answer_.scale_row(first.row);
      if (!row.scaled) return;
      first.least = cost_of(first.row);
    }
  }

 private:
  struct First {
    std::size_t row = 0;
    LeastCost least;
  };

  First& cheapest_first() {
    const auto is_cheaper = [](const First& a, const First& b) {
      return a.least.cost && (!b.least.cost || *a.least.cost < *b.least.cost);
    };
    return *std::min_element(firsts_.begin(), firsts_.end(), is_cheaper);
  }

  LeastCost cost_of(std::size_t row) const {
    Diagnostics unread;
    const auto filled = fill_row(question_, answer_.rows[row], catalog_, unread);
    return filled ? least_cost(filled->cost, catalog_) : LeastCost{};
  }

  const ServingInputs& question_;
  const catalog::Catalog& catalog_;
  SizeAnswer& answer_;
  std::vector<First> firsts_;
};

bool has_several_chips(const std::vector<DeploymentRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const DeploymentRow& row) {
    return row.accelerator != rows.front().accelerator;
  });
}

// Replicas that come and go are paid for as the simulation paid for them, with the time that they
// take to start; where none was made, as the fluid limit has it. Where no scaling kept the promise
// in a simulation, the whole fleet stays on.
void set_on(const DeploymentRow& row, KnownCapacity& capacity) {
  if (!row.scaled) {
    capacity.on = row.on;
    return;
  }
  capacity.replica = row.scaled->unit;
  capacity.on = row.scaled->on;
  if (row.scaled->kept) return;
  capacity.on.assign(static_cast<std::size_t>(row.gpus / row.scaled->unit) + 1, 0.0);
  capacity.on.back() = 1;
}

}  // namespace

bool is_of_first_row(const std::string& id) {
  constexpr std::array<std::string_view, 9> kIds{"fleet",         "weeks",        "spares",
                                                 "not-simulated", "maintenance",  "not-confirmed",
                                                 "one-replica",   "part-of-week", "sampled-week"};
  return std::find(kIds.begin(), kIds.end(), id) != kIds.end();
}

std::optional<FilledRow> fill_row(const ServingInputs& question, const DeploymentRow& row,
                                  const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  FillInputs ask{.serving = question, .load_only = true};
  ask.serving.scenario = question.scenario.with(edits_of(row));
  auto fill = fill_fleet(ask, catalog, diagnostics);
  if (!fill) return std::nullopt;
  FilledRow filled{.fill = *std::move(fill), .cost = {}};
  filled.cost = cost_question(ask.serving, filled.fill);
  set_on(row, *filled.cost.capacity);
  return filled;
}

namespace {

// Fleets of the least size that may keep the SLO, where even they are dearer than the API.
std::optional<SizeAnswer> beaten_by_api(SizingInputs question, const catalog::Catalog& catalog) {
  question.simulates_weeks = false;
  Diagnostics unread;
  auto found = search_deployment(question, catalog, unread);
  if (!found) return std::nullopt;
  FirstRows rows(question.serving, catalog, *found);
  if (!rows.is_api_cheaper()) return std::nullopt;
  found->chosen = rows.cheapest();
  return found;
}

}  // namespace

std::optional<SizeAnswer> size_service(const SizingInputs& question,
                                       const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  if (question.frugal)
    if (auto beaten = beaten_by_api(question, catalog)) return beaten;
  auto found = search_deployment(question, catalog, diagnostics);
  if (!found) return std::nullopt;
  const bool simulates = question.scaling && question.confirm > 0;
  if (!simulates && !has_several_chips(found->rows)) return found;
  FirstRows rows(question.serving, catalog, *found);
  if (simulates && question.every_chip && !question.frugal) rows.simulate_each();
  if (simulates) rows.simulate_cheapest(question.frugal);
  found->chosen = rows.cheapest();
  const DeploymentRow& chosen = found->rows[found->chosen];
  // One GPU is the bigger one where another chip needs several, and its own weeks tell how many.
  const bool is_single = question.frugal && chosen.gpus == 1;
  // The cheapest to rent is another chip than the cheapest in any way, whose fleet is not
  // simulated.
  const bool is_open = simulates && (!chosen.is_confirmed || is_single);
  if (!is_open || question.every_chip || !has_several_chips(found->rows)) return found;
  SizingInputs every = question;
  every.every_chip = true;
  return size_service(every, catalog, diagnostics);
}

config::Scenario without_promised_time(const config::Scenario& scenario) {
  return scenario.with({{"serve.slo.availability"}, {"serve.slo.zones"}, {"serve.slo.spare"}});
}

void add_plain_answer(const SizingInputs& question, const catalog::Catalog& catalog,
                      SizeAnswer& answer) {
  if (!answer.promised) return;
  SizingInputs plain = question;
  plain.serving.scenario = without_promised_time(question.serving.scenario);
  plain.relaxed = plain.thorough = false;
  Diagnostics unread;
  const auto found = size_service(plain, catalog, unread);
  if (found) answer.promised->plain = found->rows.at(found->chosen);
}

Notice note_weeks(const DeploymentRow& row) {
  Notice weeks{.id = "weeks",
               .arguments = {{"weeks", std::to_string(search::kTrialWeeks)},
                             {"kept", std::to_string(row.weeks_kept)},
                             {"machines", row_words(row)},
                             {"kept_with_fewer", std::to_string(row.weeks_kept_with_fewer)}}};
  if (row.prompt_replicas > 0) weeks.arguments.push_back({"of_answers", {}});
  return weeks;
}

void put_choice_first(SizeAnswer& answer) {
  if (answer.chosen == 0) return;
  const auto chosen = answer.rows.begin() + static_cast<std::ptrdiff_t>(answer.chosen);
  std::rotate(answer.rows.begin(), chosen, chosen + 1);
  answer.chosen = 0;
  std::erase_if(answer.notices, [](const Notice& notice) { return is_of_first_row(notice.id); });
  const DeploymentRow& first = answer.rows.front();
  const DeploymentRow& always = answer.rows[1];
  answer.has_prices = first.per_hour.has_value();
  answer.is_smallest = false;
  answer.next_cheaper.reset();
  answer.notices.push_back(note_weeks(first));
  answer.notices.push_back(
      {.id = "not-simulated",
       .severity = Severity::kCaution,
       .arguments = {{"always", row_words(always)},
                     {"cheaper", row_words(first)},
                     {first.is_calibrated ? "by_rate" : "by_closed_form", {}}}});
}

}  // namespace loadfactor::engine
