// The keys of `money`.
#include "config/scenario/slot_table.h"

namespace loadfactor::config {
namespace {

void add_own(SlotTable& table, const Section<Money>& money) {
  const auto own = table.section(money, "own", "owning the hardware", &Money::own);
  table.add(own, "life", "how long it is used", &Ownership::life);
  table.add(own, "residual", "share of the price that is left at the end", &Ownership::residual);
  table.add(own, "discount", "cost of capital per year", &Ownership::discount);
  const auto financing =
      table.section(own, "financing", "where the money comes from", &Ownership::financing);
  table.add(financing, "debt_share", "share that is borrowed", &FinancingSection::debt_share);
  table.add(financing, "debt_rate", "interest per year", &FinancingSection::debt_rate);
  table.add(financing, "offtake", "who buys the hours", &FinancingSection::offtake);
  table.add(financing, "equity_rate", "return on equity per year", &FinancingSection::equity_rate);
  table.add(financing, "tax", "rate of tax", &FinancingSection::tax);
  table.add(own, "price", "price of a GPU with its share of the node", &Ownership::price);
  table.add(own, "all_in", "all costs of a GPU-hour", &Ownership::all_in);
  table.add(own, "power", "rated power of a GPU", &Ownership::power);
  table.add(own, "electrical_load", "share of the rating when it works",
            &Ownership::electrical_load);
  table.add(own, "idle_power", "share of the working draw when it does not",
            &Ownership::idle_power);
  table.add(own, "pue", "power of the site over that of the machines", &Ownership::pue);
  table.add(own, "space", "rent of the site", &Ownership::space);
  table.add(own, "build", "whether the site is built", &Ownership::build);
  table.add(own, "maintenance", "share of the price per year", &Ownership::maintenance);
  table.add(own, "insurance", "share of the price per year", &Ownership::insurance);
  table.add(own, "staff", "people per GPU-hour", &Ownership::staff);
  table.add(own, "software", "licences per GPU-hour", &Ownership::software);
  table.add(own, "availability", "share of the time that it works", &Ownership::availability);
  table.add(own, "resale", "price at which idle hours are sold", &Ownership::resale);
  table.add(own, "most", "GPUs that can be owned", &Ownership::most);
  table.add(own, "as_of", "date of these prices", &Ownership::as_of);
  table.add(own, "lead_time", "time from an order to a GPU that works", &Ownership::lead_time);
  table.add(own, "depreciation", "how the books write the price off", &Ownership::depreciation);
}

void add_rent(SlotTable& table, const Section<Money>& money) {
  const auto rent = table.section(money, "rent", "renting", &Money::rent);
  table.add(rent, "on_demand", "price of a GPU-hour on demand", &RentSection::on_demand);
  table.add(rent, "reserved_1y", "price of one reserved for a year", &RentSection::reserved_1y);
  table.add(rent, "reserved_3y", "price of one reserved for three", &RentSection::reserved_3y);
  table.add(rent, "spot", "price on the spot market", &RentSection::spot);
  table.add(rent, "provider", "who rents them out", &RentSection::provider);
  table.add(rent, "instance", "GPUs of the smallest machine rented", &RentSection::instance);
  table.add(rent, "as_of", "date of these prices", &RentSection::as_of);
  table.add(rent, "commit", "share that is billed at least", &RentSection::commit);
  table.add(rent, "support", "share on top for support", &RentSection::support);
  table.add(rent, "goodput_loss", "share of hours lost to the provider", &RentSection::goodput);
  table.add(rent, "surcharge", "share on top for a managed platform", &RentSection::surcharge);
  table.add(rent, "platform", "the managed platform", &RentSection::platform);
  table.add(rent, "storage", "storage", &RentSection::storage);
  table.add(rent, "egress", "traffic that leaves", &RentSection::egress);
  table.add(rent, "debugging", "hours for debugging", &RentSection::debugging);
  table.add(rent, "setup", "cost of setting up", &RentSection::setup);
  const auto spot = table.section(money, "spot", "machines that can be taken away", &Money::spot);
  table.add(spot, "interrupted", "share of nodes interrupted in 30 days",
            &SpotSection::interrupted);
  table.add(spot, "loss", "time lost per interruption", &SpotSection::loss);
  table.add(spot, "wait", "time until there is capacity again", &SpotSection::wait);
  table.add(spot, "gang", "nodes that stop together", &SpotSection::gang);
}

void add_api(SlotTable& table, const Section<Money>& money) {
  const auto api = table.section(money, "api", "paying per token", &Money::api);
  table.add(api, "model", "the model that is bought", &ApiSection::model);
  table.add(api, "provider", "who sells it", &ApiSection::provider);
  table.add(api, "price", "price of any token", &ApiSection::price);
  table.add(api, "input", "price of a token in", &ApiSection::input);
  table.add(api, "cached", "price of a token in that is cached", &ApiSection::cached);
  table.add(api, "output", "price of a token out", &ApiSection::output);
  table.add(api, "input_share", "share of the tokens that go in", &ApiSection::input_share);
  table.add(api, "cached_share", "share of those that are cached", &ApiSection::cached_share);
  table.add(api, "half_life", "time in which prices halve", &ApiSection::half_life);
  table.add(api, "limit", "tokens a second that are sold at most", &ApiSection::limit);
  table.add(api, "as_of", "date of these prices", &ApiSection::as_of);
}

void add_porting(SlotTable& table, const Section<AlternativeSection>& other) {
  const auto porting =
      table.section(other, "porting", "moving to another chip", &AlternativeSection::porting);
  table.add(porting, "cost", "cost of the work", &PortingSection::cost);
  table.add(porting, "engineers", "people that do it", &PortingSection::engineers);
  table.add(porting, "effort", "time of each", &PortingSection::effort);
  table.add(porting, "salary", "cost of a person", &PortingSection::salary);
  table.add(porting, "validation", "cost of checking it", &PortingSection::validation);
  table.add(porting, "upkeep", "cost of keeping it", &PortingSection::upkeep);
  table.add(porting, "delay", "time that is lost", &PortingSection::delay);
  table.add(porting, "delay_cost", "what lost time costs", &PortingSection::delay_cost);
}

void add_alternatives(SlotTable& table, const Section<Money>& money) {
  const auto other = table.section(money, "alternatives", "other machines", &Money::alternatives);
  table.add(other, "name", "how to call it", &AlternativeSection::name);
  table.add(other, "hardware", "its chip", &AlternativeSection::hardware);
  table.add(other, "price", "price of a GPU", &AlternativeSection::price);
  table.add(other, "all_in", "all costs of a GPU-hour", &AlternativeSection::all_in);
  table.add(other, "gpus", "number of GPUs", &AlternativeSection::gpus);
  table.add(other, "performance", "work of a GPU over ours", &AlternativeSection::performance);
  table.add(other, "load_factor", "how full they are", &AlternativeSection::load_factor);
  table.add(other, "life", "how long it is used", &AlternativeSection::life);
  table.add(other, "residual", "share of the price that is left", &AlternativeSection::residual);
  table.add(other, "power", "rated power of a GPU", &AlternativeSection::power);
  table.add(other, "as_of", "date of these prices", &AlternativeSection::as_of);
  add_porting(table, other);
}

void add_risks(SlotTable& table, const Section<Money>& money) {
  const auto training =
      table.section(money, "training", "a run whose length costs money", &Money::training);
  table.add(training, "work", "GPU-hours of the run", &TrainingSizeSection::work);
  table.add(training, "serial", "share that does not scale", &TrainingSizeSection::serial);
  table.add(training, "delay_cost", "what its time costs", &TrainingSizeSection::delay_cost);
  const auto waiting = table.section(money, "waiting", "the next generation", &Money::waiting);
  table.add(waiting, "gain", "its work per dollar over today's", &WaitingSection::gain);
  table.add(waiting, "wait", "time until it is there", &WaitingSection::wait);
  const auto process =
      table.section(money, "rent_process", "how rents may move", &Money::rent_process);
  table.add(process, "drift", "change per year", &RentProcessSection::drift);
  table.add(process, "volatility", "spread over a year", &RentProcessSection::volatility);
  table.add(process, "reversion", "pull to the drifting mean", &RentProcessSection::reversion);
  table.add(process, "jumps", "jumps per year", &RentProcessSection::jumps);
  table.add(process, "jump_down", "relative change of a fall", &RentProcessSection::jump_down);
  table.add(process, "jump_up", "relative change of a rise", &RentProcessSection::jump_up);
  const auto spread =
      table.section(money, "uncertainty", "coefficients of variation", &Money::uncertainty);
  table.add(spread, "rent", "spread of rents", &UncertaintySection::rent);
  table.add(spread, "capital", "spread of prices", &UncertaintySection::capital);
  table.add(spread, "residual", "spread of what is left", &UncertaintySection::residual);
  table.add(spread, "electricity", "spread of electricity", &UncertaintySection::electricity);
  table.add(spread, "pue", "spread of the PUE", &UncertaintySection::pue);
  table.add(spread, "rate", "spread of a GPU's rate", &UncertaintySection::rate);
  table.add(spread, "load_factor", "spread of the load factor", &UncertaintySection::load_factor);
  table.add(spread, "api", "spread of API prices", &UncertaintySection::api);
}

}  // namespace

void add_money_slots(SlotTable& table, const Section<Scenario>& root) {
  const auto money = table.section(root, "money", "what things cost", &Scenario::money);
  table.add(money, "options", "ways to pay that are compared", &Money::options);
  const auto currency =
      table.section(money, "currency", "the currency of all money", &Money::currency);
  table.add(currency, "code", "its three letters", &CurrencySection::code);
  table.add(currency, "per_usd", "what a US dollar is worth", &CurrencySection::per_usd);
  table.add(currency, "date", "date of the rate", &CurrencySection::date);
  add_own(table, money);
  add_rent(table, money);
  add_api(table, money);
  table.add(money, "region", "where it stands", &Money::region);
  table.add(money, "electricity", "price of electricity", &Money::electricity);
  table.add(money, "people", "people who run it", &Money::people);
  table.add(money, "horizon", "time over which costs are counted", &Money::horizon);
  table.add(money, "path", "rents of coming years over today's", &Money::path);
  table.add(money, "tax", "rate of tax on profit", &Money::tax);
  table.add(money, "revenue", "what a token served earns", &Money::revenue);
  table.add(money, "as_of", "date of prices that say nothing else", &Money::as_of);
  table.add(money, "claimed_break_even", "a break-even that somebody states",
            &Money::claimed_break_even);
  add_alternatives(table, money);
  add_risks(table, money);
}

}  // namespace loadfactor::config
