// The terms of owning, renting, paying per token, and of another machine.
#include <string>

#include "base/error_codes.h"
#include "config/magnitudes.h"
#include "config/scenario_sections.h"

namespace loadfactor::config {
namespace {

Given<DollarsPerGpuSecond> gpu_price(MapReader& reader, std::string_view key) {
  return placed_price<DollarsPerGpuSecond>(reader, key, magnitude::kPricePerGpuHour);
}
Given<Seconds> time(MapReader& reader, std::string_view key, Range range) {
  return placed(reader, key, reader.maybe_quantity<Seconds>(key, range));
}
Given<DollarsPerSecond> running(MapReader& reader, std::string_view key) {
  return placed_price<DollarsPerSecond>(reader, key, magnitude::kRunningCost);
}
Given<Dollars> amount(MapReader& reader, std::string_view key) {
  return placed_price<Dollars>(reader, key, magnitude::kBudget);
}
Given<DollarsPerToken> token_price(MapReader& reader, std::string_view key) {
  return placed_price<DollarsPerToken>(reader, key, magnitude::kPricePerToken);
}

// `all_in` answers what the parts answer.
void refuse_both(MapReader& reader, std::string_view whole, std::string_view part) {
  if (!reader.has(whole) || !reader.has(part)) return;
  reader.report(part, lf::kContradictoryKeys,
                "'" + std::string(whole) + "' and '" + std::string(part) + "' exclude each other",
                "keep one of them");
}

constexpr Range kShortTime{0.0, 365 * magnitude::kDay, false, "a time, such as '0.75 h'"};

PortingAsk read_porting(MapReader& reader) {
  PortingAsk ask;
  ask.cost = amount(reader, "cost");
  ask.engineers = placed(reader, "engineers", reader.maybe_count("engineers", magnitude::kPeople));
  ask.effort = time(reader, "effort", magnitude::kDeadline);
  ask.salary = running(reader, "salary");
  ask.validation = amount(reader, "validation");
  ask.upkeep = running(reader, "upkeep");
  ask.delay = time(reader, "delay", magnitude::kDeadline);
  ask.delay_cost = running(reader, "delay_cost");
  reader.finish();
  return ask;
}

}  // namespace

Ownership read_ownership(MapReader& reader) {
  Ownership own;
  own.life = time(reader, "life", magnitude::kServiceLife);
  own.residual = placed_ratio(reader, "residual");
  own.discount = placed_ratio(reader, "discount");
  own.price = placed_price<Dollars>(reader, "price", magnitude::kChipPrice);
  own.all_in = gpu_price(reader, "all_in");
  own.power = placed(reader, "power", reader.maybe_quantity<Watts>("power", magnitude::kChipPower));
  own.electrical_load = placed_ratio(reader, "electrical_load");
  own.idle_power = placed_ratio(reader, "idle_power");
  own.pue = placed_ratio(reader, "pue", magnitude::kPue);
  own.space = placed_price<DollarsPerJoule>(reader, "space", magnitude::kSpacePrice);
  own.build = placed(reader, "build", reader.maybe_boolean("build"));
  own.maintenance = placed_ratio(reader, "maintenance");
  own.insurance = placed_ratio(reader, "insurance");
  own.staff = gpu_price(reader, "staff");
  own.software = gpu_price(reader, "software");
  own.availability = placed_ratio(reader, "availability", {0.01, 1.0});
  own.resale = gpu_price(reader, "resale");
  own.most = placed_integer(reader, "most", magnitude::kNumGpus);
  own.as_of = placed_date(reader, "as_of");
  refuse_both(reader, "all_in", "price");
  refuse_both(reader, "build", "space");
  reader.finish();
  return own;
}

RentAsk read_rent(MapReader& reader) {
  RentAsk rent;
  rent.on_demand = gpu_price(reader, "on_demand");
  rent.reserved_1y = gpu_price(reader, "reserved_1y");
  rent.reserved_3y = gpu_price(reader, "reserved_3y");
  rent.spot = gpu_price(reader, "spot");
  rent.provider = placed_text(reader, "provider");
  rent.as_of = placed_date(reader, "as_of");
  rent.commit = placed_ratio(reader, "commit");
  rent.support = placed_ratio(reader, "support");
  rent.goodput = placed_ratio(reader, "goodput_loss");
  rent.surcharge = placed_ratio(reader, "surcharge");
  rent.platform = placed_text(reader, "platform");
  rent.storage = running(reader, "storage");
  rent.egress = running(reader, "egress");
  rent.debugging = running(reader, "debugging");
  rent.setup = amount(reader, "setup");
  reader.finish();
  return rent;
}

SpotAsk read_spot(MapReader& reader) {
  SpotAsk spot;
  spot.interrupted = placed_ratio(reader, "interrupted", {0.0, 0.999});
  spot.loss = time(reader, "loss", kShortTime);
  spot.wait = time(reader, "wait", kShortTime);
  spot.gang = placed_integer(reader, "gang", magnitude::kNumGpus);
  reader.finish();
  return spot;
}

ApiAsk read_api(MapReader& reader) {
  ApiAsk api;
  api.model = placed_text(reader, "model");
  api.provider = placed_text(reader, "provider");
  api.price = token_price(reader, "price");
  api.input = token_price(reader, "input");
  api.cached = token_price(reader, "cached");
  api.output = token_price(reader, "output");
  api.input_share = placed_ratio(reader, "input_share");
  api.cached_share = placed_ratio(reader, "cached_share");
  api.half_life = time(reader, "half_life", magnitude::kServiceLife);
  api.limit = placed(reader, "limit",
                     reader.maybe_quantity<TokensPerSecond>("limit", magnitude::kTokenRate));
  api.as_of = placed_date(reader, "as_of");
  refuse_both(reader, "price", "input");
  refuse_both(reader, "price", "output");
  refuse_both(reader, "price", "cached");
  reader.finish();
  return api;
}

AlternativeAsk read_alternative(MapReader& reader) {
  AlternativeAsk other;
  other.name = {reader.text("name"), reader.position_of("name")};
  other.hardware = placed_text(reader, "hardware");
  other.price = placed_price<Dollars>(reader, "price", magnitude::kChipPrice);
  other.all_in = gpu_price(reader, "all_in");
  other.gpus = placed_integer(reader, "gpus", magnitude::kNumGpus);
  other.performance = placed_ratio(reader, "performance", magnitude::kPerformance);
  other.load_factor = placed_ratio(reader, "load_factor", {0.001, 1.0});
  if (auto map = reader.map("porting", false)) other.porting = read_porting(*map);
  refuse_both(reader, "all_in", "price");
  reader.finish();
  return other;
}

}  // namespace loadfactor::config
