// The description of every way to pay for the same work.
#include <string>
#include <utility>

#include "report/cost/cost_fields.h"
#include "report/cost/cost_report.h"
#include "report/cost/cost_words.h"
#include "report/describe/csv.h"
#include "report/describe/ends.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"

namespace loadfactor::report {

using A = CostAnswer;
using O = CostOption;

namespace {

std::string verdict_of(const In<A>& in) {
  return cost_verdict(in.answer);
}
std::string line_of(const In<CostLine>& in) {
  return words_of(in.row, in.answer.bill_of);
}
std::string option_against(const In<O>& in) {
  return in.row.against ? words_of(*in.row.against) : std::string();
}
std::string_view option_verdict(const In<O>& in) {
  return in.row.verdict ? name_of(*in.row.verdict) : std::string_view();
}
std::string row_against(const In<BreakEven>& in) {
  return rival_of(in.row);
}
std::string_view row_verdict(const In<BreakEven>& in) {
  return name_of(in.row.verdict);
}
std::string_view bar_input(const In<TornadoRow>& in) {
  return words_of(in.row.input);
}
std::string_view worth_input(const In<InputWorth>& in) {
  return words_of(in.row.input);
}
std::string path_of(const In<RegretRow>& in) {
  return words_of(in.row.path);
}
std::string_view basis_of(const In<CapitalViews>& in) {
  return words_of(in.row.basis);
}
std::string marginal_sentence(const In<MarginalGpu>& in) {
  return words_of(in.row);
}
std::string claim_sentence(const In<ClaimAnswer>& in) {
  return words_of(in.row);
}

// What fills a service so far is its demand over what it can do: both are known as well.
std::optional<EstimateOf<TokensPerSecond>> full_plane_of(const In<A>& in) {
  const auto plane = of_options(in.row.full_plane, in.answer);
  const auto& load = in.row.load;
  if (!plane || !load || load->low() <= 0 || load->high() <= load->low()) return plane;
  // A load that ends at full tells of one side alone.
  const double less = load->high() < 1 ? load->value() / load->high() : load->low() / load->value();
  return EstimateOf<TokensPerSecond>{plane->value(), plane->value() * less,
                                     plane->value() * (load->value() / load->low()), load->basis(),
                                     load->source()};
}

// A price by what it is the price of.
std::string_view price_unit(BillUnit unit) {
  switch (unit) {
    case BillUnit::kGpuHours:
      return unit_of(PricedWork::kGpuHour);
    case BillUnit::kKilowattHours:
      return "USD/kWh";
    case BillUnit::kMillionTokens:
      return unit_of(PricedWork::kMillionTokens);
    case BillUnit::kFlat:
      break;
  }
  return "USD";
}
std::optional<FigureIn> unit_price_of(const In<CostLine>& in) {
  if (!in.row.unit_price) return std::nullopt;
  return FigureIn{of_options(*in.row.unit_price, in.answer).erased(),
                  std::string(price_unit(in.row.unit))};
}
// What a bar of a tornado is the cost of.
FigureIn work_price(Dollars price, const CostAnswer& answer) {
  return {
      of_options(price, answer).erased(),
      std::string(unit_of(answer.full_plane ? PricedWork::kMillionTokens : PricedWork::kGpuHour))};
}
FigureIn cost_at_low(const In<TornadoRow>& in) {
  return work_price(in.row.at_low, in.answer);
}
FigureIn cost_at_high(const In<TornadoRow>& in) {
  return work_price(in.row.at_high, in.answer);
}

std::optional<FigureIn> quantity_of(const In<CostLine>& in) {
  if (!in.row.quantity) return std::nullopt;
  return FigureIn{of_options(*in.row.quantity, in.answer).erased(),
                  std::string(unit_words(in.row.unit))};
}
std::string code_of(const UnpricedOption& option) {
  return "LF" + std::to_string(option.code);
}

struct Bill {
  const CostAnswer& answer;
};
Bill bill_of(const In<A>& in) {
  return {in.answer};
}

struct Uncertainty {
  const CostAnswer& answer;
};
Uncertainty uncertainty_of(const In<A>& in) {
  return {in.answer};
}

// One option on one path of rents.
struct RegretOf {
  OptionName name;
  EstimateOf<Dollars> present_cost, regret;
};
std::vector<RegretOf> regrets_of(const In<RegretRow>& in) {
  std::vector<RegretOf> out;
  for (std::size_t i = 0; i < in.row.cost.size(); ++i)
    out.push_back({in.answer.options[i].name, of_options(in.row.cost[i], in.answer),
                   of_options(in.row.regret[i], in.answer)});
  return out;
}

std::string_view kind_of(const In<O>& in) {
  return name_of(shown_kind(in.row.kind, in.row.owned));
}
std::optional<EstimateOf<Dollars>> run_cost(const In<O>& in) {
  return in.row.run_cost ? in.row.run_cost : of_options(in.row.per_run, in.answer);
}
std::optional<EstimateOf<Seconds>> run_duration(const In<O>& in) {
  return in.row.run_duration ? in.row.run_duration : of_options(in.row.run_time, in.answer);
}
EstimateOf<double> load_of_answer(const In<A>& in) {
  return in.row.load ? *in.row.load : of_options(in.row.load_factor, in.answer);
}
std::optional<EstimateOf<Seconds>> binding_time(const In<O>& in) {
  if (!in.row.term) return std::nullopt;
  return EstimateOf<Seconds>::exact(in.row.term->commitment, Basis::kModelled, "scenario");
}
std::optional<double> best_gpus(const In<TrainingSize>& in) {
  return std::isfinite(in.row.best_gpus) ? std::optional(in.row.best_gpus) : std::nullopt;
}
std::optional<EstimateOf<Dollars>> cost_at_best(const In<TrainingSize>& in) {
  return std::isfinite(in.row.best_gpus) ? std::optional(of_options(in.row.cost_at_best, in.answer))
                                         : std::nullopt;
}

}  // namespace

template <>
constexpr auto kFields<In<O>> = fields<In<O>>(
    plain<&O::name>("name", "The option as people read it"),
    plain<&O::gpus>("gpus", "GPUs paid for on average; 0 for the API").at_least(0),
    plain<&O::load_factor>("load_factor", "Load factor of those; null for the API"),
    plain<&O::break_even>("break_even",
                          "Load factor from which it pays today; null where there is none"),
    price_of<PricedWork::kMonth, &O::per_month>("per_month", "Cost of a month"),
    price_of<PricedWork::kMillionTokens, &O::per_mtoken>(
        "per_mtoken", "Cost of a million tokens; null where tokens are not the work"),
    field<kind_of>("kind", "on-demand, own, api, …"),
    plain<&O::break_even_life>("break_even_life", "The break-even averaged over what it binds"),
    field<option_against>("against", "What the break-even is against"),
    field<option_verdict>("verdict",
                          "pays, short or never; empty where there is nothing to compare"),
    price_of<PricedWork::kGpuHour, &O::per_useful_gpu_hour>("per_useful_gpu_hour",
                                                            "Cost of an hour that carries work"),
    known_price_of<PricedWork::kMillionTokens, &O::per_mtoken_in>("per_mtoken_in",
                                                                  "Cost of a million tokens in"),
    known_price_of<PricedWork::kMillionTokens, &O::per_mtoken_cached>(
        "per_mtoken_cached", "Cost of a million cached tokens in"),
    known_price_of<PricedWork::kMillionTokens, &O::per_mtoken_out>("per_mtoken_out",
                                                                   "Cost of a million tokens out"),
    known_field<run_cost>("per_run", "Cost of the training run, with what is bound beyond its end"),
    known_field<run_duration>("run_time", "What the training run takes, paid this way"),
    field<binding_time>("binds", "What is paid to its end beyond the run; null where nothing is"),
    known_figure<&O::payback>("payback", "Time until rent saved has paid the price"),
    figure<&O::present_cost>("present_cost",
                             "Cost over the horizon, discounted, at today's prices"),
    figure<&O::expected_present_cost>("expected_present_cost",
                                      "The same with prices moving as stated"),
    percent<&O::wins>("wins_pct", "Share of draws in which it is the cheapest"),
    price_of<PricedWork::kMonth, &O::p50_per_month>("p50_per_month",
                                                    "Cost of a month, median of the draws"),
    price_of<PricedWork::kMonth, &O::mean_per_month>("mean_per_month",
                                                     "Cost of a month, mean of the draws"),
    known_price_of<PricedWork::kMillionTokens, &O::p50_per_mtoken>(
        "p50_per_mtoken", "Cost of a million tokens, median of the draws"));

template <>
constexpr auto kFields<UnpricedOption> = fields<UnpricedOption>(
    field<&UnpricedOption::name>("name", "The option"), field<code_of>("code", "LFnnn"),
    field<&UnpricedOption::why>("why", "What is missing"));

template <>
constexpr auto kFields<In<BreakEven>> = fields<In<BreakEven>>(
    plain<&BreakEven::option>("option", "The machine"),
    field<row_against>("against", "The alternative"),
    load<&BreakEven::today>("today", "Load factor from which it pays; null: no load suffices"),
    load<&BreakEven::life>("life", "The same averaged over what it binds"),
    field<row_verdict>("verdict", "pays, short or never"));

template <>
constexpr auto kFields<In<LoadRow>> = fields<In<LoadRow>>(
    figure<&LoadRow::load_factor>("load_factor", "The load"),
    price_of<PricedWork::kGpuHour, &LoadRow::per_useful_gpu_hour>(
        "per_useful_gpu_hour", "Cost of an hour that carries work"),
    figure<&LoadRow::multiple>("multiple", "Cost of work over that of the full plane"),
    known_price_of<PricedWork::kMillionTokens, &LoadRow::per_mtoken>("per_mtoken",
                                                                     "Cost of a million tokens"));

template <>
constexpr auto kFields<In<CostLine>> = fields<In<CostLine>>(
    field<line_of>("name", "What is paid for"),
    plain<&CostLine::depth>("depth", "0: a line; 1: a part of the line before"),
    known_field<quantity_of>("quantity", "How much of it in a month, in the unit it is billed in"),
    known_field<unit_price_of>("unit_price", "Price of one"),
    price_of<PricedWork::kMonth, &CostLine::monthly>("per_month", "Cost of a month"),
    plain<&CostLine::assumed>("assumed", "Whether the scenario alone states it"));

template <>
constexpr auto kFields<Bill> =
    fields<Bill>(field<Bill>(
                     "of", [](const Bill& b) { return b.answer.bill_of; }, "The option"),
                 field<Bill>(
                     "lines",
                     [](const Bill& b) {
                       return kRows<&A::lines>(In<A>{b.answer, b.answer});
                     },
                     "Its lines; children behind their parent"),
                 field<Bill>(
                     "total",
                     [](const Bill& b) {
                       return priced<PricedWork::kMonth>(of_options(b.answer.total, b.answer));
                     },
                     "Cost of a month"));

template <>
constexpr auto kFields<In<RentOrOwn>> = fields<In<RentOrOwn>>(
    figure<&RentOrOwn::saving>("saving", "Present value of owning"),
    price_of<PricedWork::kGpuHour, &RentOrOwn::break_even_rent>(
        "break_even_rent", "Rent of an hour from which it pays"),
    load<&RentOrOwn::break_even_load>("break_even_load", "Load from which owning pays"),
    price_of<PricedWork::kGpuHour, &RentOrOwn::rent>("rent", "Rent of an hour"),
    figure<&RentOrOwn::saving_around_clock>("saving_around_clock",
                                            "Saving over renting it day and night"),
    plain<&RentOrOwn::months>("months", "Months that are looked ahead"),
    known_figure<&RentOrOwn::payback>("payback", "Time until it has paid, undiscounted"));

template <>
constexpr auto kFields<In<MarginalGpu>> = fields<In<MarginalGpu>>(
    price_of<PricedWork::kMonth, &MarginalGpu::add>("add_per_month",
                                                    "What one more returns in a month, net"),
    price_of<PricedWork::kMonth, &MarginalGpu::give_up>("give_up_per_month",
                                                        "What one less saves in a month, net"),
    field<marginal_sentence>("sentence", "The same in words"));

template <>
constexpr auto kFields<In<TrainingSize>> =
    fields<In<TrainingSize>>(plain<&TrainingSize::gpus>("gpus", "GPUs as asked").at_least(0),
                             figure<&TrainingSize::cost>("cost", "Cost with the delay"),
                             figure<&TrainingSize::time>("time", "Time of the run"),
                             figure<&TrainingSize::next_gpu>("next_gpu", "What one more GPU saves"),
                             known_field<best_gpus>("best_gpus", "The cheapest size").at_least(0),
                             known_field<cost_at_best>("cost_at_best", "Its cost"));

template <>
constexpr auto kFields<In<ClaimAnswer>> = fields<In<ClaimAnswer>>(
    figure<&ClaimAnswer::claimed>("claimed", "Break-even load factor that is claimed"),
    load<&ClaimAnswer::computed>("computed", "Break-even load factor that follows"),
    load<&ClaimAnswer::price_factor>("price_factor", "Factor on the price that makes it true"),
    field<claim_sentence>("sentence", "The same in words"));

template <>
constexpr auto kFields<In<WaitingAnswer>> = fields<In<WaitingAnswer>>(
    figure<&WaitingAnswer::value>("value", "Worth of waiting, of one GPU"),
    known_figure<&WaitingAnswer::least_gain>("least_gain", "Gain from which it pays"));

template <>
constexpr auto kFields<In<CapitalViews>> = fields<In<CapitalViews>>(
    price_of<PricedWork::kGpuHour, &CapitalViews::annuity>(
        "annuity", "Price less residual at the cost of capital; decides"),
    price_of<PricedWork::kGpuHour, &CapitalViews::book>("book",
                                                        "Straight line, without a cost of capital"),
    known_price_of<PricedWork::kGpuHour, &CapitalViews::market>(
        "market", "What the market takes off its value"),
    figure<&CapitalViews::discount>("discount", "Cost of capital in a year"),
    field<basis_of>("basis", "Where the cost of capital comes from"),
    known_figure<&CapitalViews::debt_share>("debt_share", "Debt over all the money"),
    known_figure<&CapitalViews::debt_rate>("debt_rate", "Interest of a year"),
    known_figure<&CapitalViews::equity_rate>("equity_rate", "What owners want in a year"));

template <>
constexpr auto kFields<In<SpotAnswer>> = fields<In<SpotAnswer>>(
    plain<&SpotAnswer::gang>("gang", "Nodes that stop together").at_least(0),
    figure<&SpotAnswer::between_interruptions>("between_interruptions",
                                               "Time between two interruptions of the gang"),
    figure<&SpotAnswer::multiplier>("multiplier", "Hours paid for each hour of work"),
    figure<&SpotAnswer::waiting_share>("waiting_share", "Share of the time without capacity"),
    known_price_of<PricedWork::kMonth, &SpotAnswer::delay_per_month>("delay_per_month",
                                                                     "What waiting costs"));

template <>
constexpr auto kFields<In<TornadoRow>> = fields<In<TornadoRow>>(
    field<bar_input>("input", "The input"),
    figure<&TornadoRow::low>("low", "Tenth percentile over its value; the load as a share"),
    figure<&TornadoRow::high>("high", "Ninetieth percentile over its value"),
    field<cost_at_low>("at_low", "Cost of a unit of work at the low end"),
    field<cost_at_high>("at_high", "Cost of a unit of work at the high end"),
    plain<&TornadoRow::cheapest_low>("cheapest_low", "The cheapest option at the low end"),
    plain<&TornadoRow::cheapest_high>("cheapest_high", "The cheapest option at the high end"));

template <>
constexpr auto kFields<In<InputWorth>> = fields<In<InputWorth>>(
    field<worth_input>("input", "The input"),
    percent<&InputWorth::variation>("variation_pct", "Coefficient of variation"),
    percent<&InputWorth::first>("first_pct", "Share of the variance that it explains alone"),
    percent<&InputWorth::total>("total_pct", "The same with interactions"),
    price_of<PricedWork::kMonth, &InputWorth::worth>("worth_per_month", "Worth of knowing it"));

template <>
constexpr auto kFields<Uncertainty> = fields<Uncertainty>(
    field<Uncertainty>(
        "draws", [](const Uncertainty& u) { return u.answer.draws; }, "Draws of all inputs"),
    field<Uncertainty>(
        "inputs",
        [](const Uncertainty& u) {
          return kRows<&A::inputs>(In<A>{u.answer, u.answer});
        },
        "Each input"),
    field<Uncertainty>(
        "worth_of_knowing_all",
        [](const Uncertainty& u) {
          return priced<PricedWork::kMonth>(of_options(u.answer.worth_of_knowing_all, u.answer));
        },
        "Worth of knowing all of them for a month"));

template <>
constexpr auto kFields<RegretOf> =
    fields<RegretOf>(field<&RegretOf::name>("name", "The option"),
                     field<&RegretOf::present_cost>("present_cost", "Present cost on this path"),
                     field<&RegretOf::regret>("regret", "Cost above the best of the path"));

template <>
constexpr auto kFields<In<RegretRow>> =
    fields<In<RegretRow>>(field<path_of>("path", "The path of rents in words"),
                          field<regrets_of>("options", "Every option"));

template <>
constexpr auto kFields<UsedPrice> =
    fields<UsedPrice>(field<&UsedPrice::what>("what", "What has the price"),
                      field<&UsedPrice::price>("price", "The price as text"),
                      field<&UsedPrice::date>("date", "When it was seen"),
                      known_field<&UsedPrice::age_days>("age_days", "Age in days, at least"),
                      field<&UsedPrice::source>("source", "Ids of SOURCES.md, or a place"));

template <>
constexpr auto kFields<In<A>> = fields<In<A>>(
    field<verdict_of>("verdict", "The answer in words").at_least(1),
    plain<&A::accelerator>("accelerator", "Catalogue name"),
    plain<&A::gpus>("gpus", "GPUs of the machine as asked").at_least(0),
    field<load_of_answer>("load_factor", "Share of the full plane that carries work"),
    figure<&A::horizon>("horizon", "How far is looked"),
    known_field<full_plane_of>("full_plane", "Tokens of all GPUs when full"),
    known_figure<&A::tokens_per_month>("tokens_per_month", "Tokens carried in a month"),
    rows<&A::options>("options", "Ways to pay, the cheapest first"),
    plain<&A::unpriced>("unpriced", "Options without a price"),
    rows<&A::break_evens>("break_evens", "Every machine against every way to pay by use"),
    rows<&A::loads>("loads", "The same machine at other loads"),
    field<bill_of>("bill", "The bill of a month"),
    part<&A::rent_or_own>("rent_or_own", "One GPU, bought or rented for the hours it works"),
    part<&A::marginal>("marginal_gpu", "One GPU more or less"),
    part<&A::mix>("mix", "Own the base, rent the rest"),
    part<&A::training>("training", "Size of a run whose delay costs money"),
    part<&A::claim>("claim", "A break-even that somebody states"),
    rows<&A::porting>("porting", "Moves to other machines"),
    part<&A::waiting>("waiting", "Waiting for the next generation"),
    part<&A::capital>("capital", "The purchase of one GPU by the hour, as three people count it"),
    part<&A::spot>("spot", "Interruptions of spot machines"),
    rows<&A::tornado>("tornado", "One input at its fifth and ninety-fifth percentile"),
    field<uncertainty_of>("uncertainty", "All inputs together"),
    rows<&A::regret>("regret", "Present cost on paths of rents"),
    part<&A::rent_paths>("rent_paths", "Options over the horizon where rents move at random"),
    part<&A::facility>("facility", "The building"),
    plain<&A::prices>("prices", "Prices that were used"));

Value to_value(const CostAnswer& answer) {
  return with_widths<A>(to_value(In<A>{answer, answer}), answer, to_value);
}
Value schema_of(Type<CostAnswer>) {
  return schema_of(Type<In<A>>());
}

std::string cost_csv(const CostAnswer& answer) {
  return csv_list(schema_of(Type<CostAnswer>()), to_value(answer), "options");
}

AnswerSchema cost_schema() {
  return {"cost",
          "cost",
          "Answer of `loadfactor cost`",
          "Every way to pay for the same work, and what would change the choice.",
          scenario_schema(),
          schema_of(Type<CostAnswer>())};
}

std::string cost_json(const CostAnswer& answer, const std::string& file) {
  return print_json(envelope("cost", scenario_value(answer.scenario, file), to_value(answer),
                             answer.notices, answer.facts));
}

}  // namespace loadfactor::report
