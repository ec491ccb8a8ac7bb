// The terms of owning, renting, paying per token, and of another machine.
#include <array>
#include <string>

#include "base/error_codes.h"
#include "config/magnitudes.h"
#include "config/reading/scenario_sections.h"
#include "config/scenario/scenario_words.h"

namespace loadfactor::config {
namespace {

constexpr Range kResidual{0.0, 1.0, false, "the share of the price that is left: '20 %'"};
constexpr Range kYearlyRate{0.0, 1.0, false, "a share per year: '13 %'"};
constexpr Range kLeadTime{0.0, 10 * magnitude::kYear, false, "a time, such as '3 months'"};
constexpr Range kShortTime{0.0, magnitude::kYear, false, "a time, such as '0.75 h'"};

PortingSection read_porting(MapReader& reader) {
  PortingSection ask;
  ask.cost = placed_amount(reader, "cost");
  ask.engineers = placed(reader, "engineers", reader.maybe_count("engineers", magnitude::kPeople));
  ask.effort = placed_quantity<Seconds>(reader, "effort", magnitude::kDeadline);
  ask.salary = placed_running_cost(reader, "salary");
  ask.validation = placed_amount(reader, "validation");
  ask.upkeep = placed_running_cost(reader, "upkeep");
  ask.delay = placed_quantity<Seconds>(reader, "delay", magnitude::kDeadline);
  ask.delay_cost = placed_running_cost(reader, "delay_cost");
  reader.finish();
  return ask;
}

FinancingSection read_financing(MapReader& reader) {
  FinancingSection ask;
  ask.debt_share = {reader.ratio("debt_share"), reader.position_of("debt_share")};
  ask.debt_rate = placed_ratio(reader, "debt_rate", kYearlyRate);
  ask.offtake = placed(reader, "offtake", reader.maybe_word<Offtake>("offtake", kOfftakeWords));
  ask.equity_rate = {reader.ratio("equity_rate", kYearlyRate), reader.position_of("equity_rate")};
  ask.tax = placed_ratio(reader, "tax");
  refuse_both(reader, "debt_rate", "offtake");
  reader.finish();
  return ask;
}

}  // namespace

Ownership read_ownership(MapReader& reader) {
  Ownership own;
  own.life = placed_quantity<Seconds>(reader, "life", magnitude::kServiceLife);
  own.residual = placed_ratio(reader, "residual", kResidual);
  own.discount = placed_ratio(reader, "discount", kYearlyRate);
  if (auto map = reader.map("financing", false)) own.financing = read_financing(*map);
  own.price = placed_price<Dollars>(reader, "price", magnitude::kChipPrice);
  own.all_in = placed_gpu_price(reader, "all_in");
  own.power = placed_quantity<Watts>(reader, "power", magnitude::kChipPower);
  own.electrical_load = placed_ratio(reader, "electrical_load");
  own.idle_power = placed_ratio(reader, "idle_power");
  own.pue = placed_ratio(reader, "pue", magnitude::kPue);
  own.space = placed_price<DollarsPerJoule>(reader, "space", magnitude::kSpacePrice);
  own.build = placed(reader, "build", reader.maybe_boolean("build"));
  own.maintenance = placed_ratio(reader, "maintenance");
  own.insurance = placed_ratio(reader, "insurance");
  own.staff = placed_gpu_upkeep(reader, "staff");
  own.software = placed_gpu_upkeep(reader, "software");
  own.availability = placed_ratio(reader, "availability", {0.01, 1.0});
  own.resale = placed_gpu_upkeep(reader, "resale");
  own.most = placed_integer(reader, "most", magnitude::kNumGpus);
  own.as_of = placed_date(reader, "as_of");
  own.lead_time = placed_quantity<Seconds>(reader, "lead_time", kLeadTime);
  own.depreciation =
      placed(reader, "depreciation",
             reader.maybe_word<DepreciationWord>("depreciation", kDepreciationWords));
  refuse_both(reader, "all_in", "price");
  refuse_both(reader, "build", "space");
  refuse_both(reader, "financing", "discount");
  reader.finish();
  return own;
}

RentSection read_rent(MapReader& reader) {
  RentSection rent;
  rent.on_demand = placed_gpu_price(reader, "on_demand");
  rent.reserved_1y = placed_gpu_price(reader, "reserved_1y");
  rent.reserved_3y = placed_gpu_price(reader, "reserved_3y");
  rent.spot = placed_gpu_price(reader, "spot");
  rent.provider = placed_text(reader, "provider");
  rent.instance = placed_integer(reader, "instance", magnitude::kInstanceGpus);
  rent.as_of = placed_date(reader, "as_of");
  rent.commit = placed_ratio(reader, "commit");
  rent.support = placed_ratio(reader, "support");
  rent.goodput = placed_ratio(reader, "goodput_loss");
  rent.surcharge = placed_ratio(reader, "surcharge");
  rent.platform = placed_text(reader, "platform");
  rent.storage = placed_running_cost(reader, "storage");
  rent.egress = placed_running_cost(reader, "egress");
  rent.debugging = placed_running_cost(reader, "debugging");
  rent.setup = placed_amount(reader, "setup");
  reader.finish();
  return rent;
}

SpotSection read_spot(MapReader& reader) {
  SpotSection spot;
  spot.interrupted = placed_ratio(reader, "interrupted", {0.0, 0.999});
  spot.loss = placed_quantity<Seconds>(reader, "loss", kShortTime);
  spot.wait = placed_quantity<Seconds>(reader, "wait", kShortTime);
  spot.gang = placed_integer(reader, "gang", magnitude::kNumGpus);
  reader.finish();
  return spot;
}

ApiSection read_api(MapReader& reader) {
  ApiSection api;
  api.model = placed_text(reader, "model");
  api.provider = placed_text(reader, "provider");
  api.price = placed_token_price(reader, "price");
  api.input = placed_token_price(reader, "input");
  api.cached = placed_token_price(reader, "cached");
  api.output = placed_token_price(reader, "output");
  api.input_share = placed_ratio(reader, "input_share");
  api.cached_share = placed_ratio(reader, "cached_share");
  api.half_life = placed_quantity<Seconds>(reader, "half_life", magnitude::kServiceLife);
  api.limit = placed_quantity<TokensPerSecond>(reader, "limit", magnitude::kTokenRate);
  api.as_of = placed_date(reader, "as_of");
  refuse_both(reader, "price", "input");
  refuse_both(reader, "price", "output");
  refuse_both(reader, "price", "cached");
  reader.finish();
  return api;
}

RentProcessSection read_rent_process(MapReader& reader) {
  constexpr Range kChange{-0.99, 10.0, false, "a relative change: '-10 %'"};
  constexpr Range kRate{0.0, 100.0, false, "a rate per year: 0.5"};
  RentProcessSection ask;
  ask.drift = placed_ratio(reader, "drift", kChange);
  ask.volatility = placed_ratio(reader, "volatility", kRate);
  ask.reversion = placed_ratio(reader, "reversion", kRate);
  ask.jumps = placed_ratio(reader, "jumps", kRate);
  ask.jump_down = placed_ratio(reader, "jump_down", {-0.99, 0.0, false, "a fall: '-44 %'"});
  ask.jump_up = placed_ratio(reader, "jump_up", {0.0, 10.0, false, "a rise: '30 %'"});
  reader.finish();
  return ask;
}

AlternativeSection read_alternative(MapReader& reader) {
  AlternativeSection other;
  other.name = {reader.text("name"), reader.position_of("name")};
  other.hardware = placed_text(reader, "hardware");
  other.price = placed_price<Dollars>(reader, "price", magnitude::kChipPrice);
  other.all_in = placed_gpu_price(reader, "all_in");
  other.gpus = placed_integer(reader, "gpus", magnitude::kNumGpus);
  other.performance = placed_ratio(reader, "performance", magnitude::kPerformance);
  other.load_factor = placed_ratio(reader, "load_factor", {0.001, 1.0});
  other.life = placed_quantity<Seconds>(reader, "life", magnitude::kServiceLife);
  other.residual = placed_ratio(reader, "residual", kResidual);
  other.power = placed_quantity<Watts>(reader, "power", magnitude::kChipPower);
  other.as_of = placed_date(reader, "as_of");
  if (auto map = reader.map("porting", false)) other.porting = read_porting(*map);
  refuse_both(reader, "all_in", "price");
  reader.finish();
  return other;
}

}  // namespace loadfactor::config
