// The terms of renting and of paying per token.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "resolve/terms/api_offers.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {
namespace {

using economics::bit;
using economics::RentTerms;

struct TermRow {
  OptionKind kind;
  catalog::RentTerm term;
  std::string_view name;
};
constexpr std::array kTerms{
    TermRow{OptionKind::kOnDemand, catalog::RentTerm::kOnDemand, "on-demand"},
    TermRow{OptionKind::kReserved1y, catalog::RentTerm::kReserved1y, "reserved-1y"},
    TermRow{OptionKind::kReserved3y, catalog::RentTerm::kReserved3y, "reserved-3y"},
    TermRow{OptionKind::kSpot, catalog::RentTerm::kSpot, "spot"},
};

const config::Given<DollarsPerGpuSecond>& written(const config::RentSection& rent,
                                                  OptionKind kind) {
  switch (kind) {
    case OptionKind::kReserved1y:
      return rent.reserved_1y;
    case OptionKind::kReserved3y:
      return rent.reserved_3y;
    case OptionKind::kSpot:
      return rent.spot;
    default:
      return rent.on_demand;
  }
}

RentTerms terms_of(const CostSetup& setup, DollarsPerSecond price) {
  const auto& ask = setup.money().rent;
  const auto ratio = [](const config::Given<double>& given) { return given ? given->value : 0.0; };
  const auto running = [](const config::Given<DollarsPerSecond>& given) {
    return given ? given->value : DollarsPerSecond();
  };
  RentTerms terms;
  terms.price = price;
  terms.commit_floor = ratio(ask.commit);
  terms.support = ratio(ask.support);
  terms.goodput_loss = ratio(ask.goodput);
  terms.storage = running(ask.storage);
  terms.egress = running(ask.egress);
  terms.debugging = running(ask.debugging);
  if (ask.setup) terms.setup = ask.setup->value;
  terms.term = setup.terms.horizon;
  return terms;
}

// Spot quotes above the price on demand are of other providers: nobody pays more for machines that
// may be taken away.
bool is_dear_spot(const CostSetup& setup, const TermRow& row, const catalog::RentPrice& found) {
  const auto& on_demand = setup.terms.rent[static_cast<std::size_t>(OptionKind::kOnDemand)];
  return row.kind == OptionKind::kSpot && on_demand && of_one(found.price) >= on_demand->price;
}

void read_term(CostSetup& setup, const TermRow& row) {
  const bool needed = row.kind == OptionKind::kOnDemand || (setup.asked & bit(row.kind)) != 0;
  if (!needed) return;
  auto& slot = setup.terms.rent[static_cast<std::size_t>(row.kind)];
  const auto& price = written(setup.money().rent, row.kind);
  if (price) {
    slot = terms_of(setup, of_one(price->value));
    setup.use_written_price(rent_fact_id(row.name, {}), fmt::format("rent, {}", row.name),
                            format_display(any(price->value), 4), price->position,
                            setup.money().rent.as_of);
    return;
  }
  const auto* found = setup.chip != nullptr ? find_rent(setup, *setup.chip, row.term) : nullptr;
  if (found != nullptr && is_dear_spot(setup, row, *found)) {
    if ((setup.asked & bit(row.kind)) == 0) return;
    setup.unpriced.push_back(
        {std::string(row.name), lf::kPriceNotFound,
         fmt::format("spot quotes of {}, {}, are of other providers than those on demand, and no "
                     "less; give rent.spot, or the rent.provider that is meant",
                     setup.chip->name, format_display(any(found->price), 4)),
         row.kind});
    return;
  }
  if (found != nullptr) {
    slot = terms_of(setup, of_one(found->price));
    setup.use_price(
        rent_fact_id(row.name, found->accelerator),
        fmt::format("rent of {}, {}, {}", found->accelerator, row.name, found->provider),
        format_display(any(found->price), 4), found->provenance);
    return;
  }
  if ((setup.asked & bit(row.kind)) != 0)
    setup.unpriced.push_back(
        {std::string(row.name), lf::kPriceNotFound,
         fmt::format("no {} price of {} is known; give rent.{}", row.name,
                     setup.chip != nullptr ? setup.chip->name : "the chip",
                     row.kind == OptionKind::kOnDemand ? "on_demand" : std::string(row.name)),
         row.kind});
}

// A gang that is taken away again before it has caught up makes no progress worth a price.
void refuse_hopeless_spot(CostSetup& setup) {
  if (setup.terms.capacity.run) return;  // Its own goodput says so.
  constexpr double kHopeless = 3.0;      // Interruptions while one is made good.
  const auto& spot = setup.terms.spot;
  if (spot.gang * (spot.hazard * spot.loss) <= kHopeless) return;
  setup.terms.rent[static_cast<std::size_t>(OptionKind::kSpot)].reset();
  setup.unpriced.push_back(
      {"spot", lf::kMixTooSmall,
       fmt::format("{:.0f} nodes that stop together are interrupted every {:.2g} minutes and lose "
                   "{:.0f} minutes each time: on spot they get nowhere",
                   spot.gang, 1.0 / (spot.hazard * spot.gang).base() / 60, spot.loss.base() / 60),
       OptionKind::kSpot});
}

void read_spot_terms(CostSetup& setup) {
  const auto& ask = setup.money().spot;
  auto& spot = setup.terms.spot;
  if (!setup.terms.rent[static_cast<std::size_t>(OptionKind::kSpot)]) return;
  const double share =
      ask.interrupted ? ask.interrupted->value : setup.fact("spot_interruption", "aws-h100");
  spot.hazard = economics::interruption_hazard(share, kDay * 30.0);
  spot.loss =
      ask.loss ? ask.loss->value : kHour * setup.fact("spot_loss", "checkpoint-and-restart");
  spot.wait = ask.wait ? ask.wait->value : kHour * setup.fact("spot_wait", "for-capacity");
  const bool known = setup.node != nullptr && setup.node->gpus > 0;
  const double per_node = known ? setup.node->gpus : setup.fact("node_size", "usual");
  const bool trains = setup.scenario.train.has_value();
  const double nodes = std::ceil(setup.terms.capacity.gpus / per_node - 1e-9);
  // Replicas of a service stop one by one; a training run stops as a whole.
  spot.gang = ask.gang ? static_cast<double>(ask.gang->value) : (trains ? nodes : 1.0);
  refuse_hopeless_spot(setup);
}

// A run that makes no progress by a way to pay cannot be had by it.
void refuse_endless(CostSetup& setup) {
  const auto& run = setup.terms.capacity.run;
  if (!run) return;
  for (const auto& row : kTerms) {
    const auto index = static_cast<std::size_t>(row.kind);
    const bool asked = (setup.asked & bit(row.kind)) != 0;
    if (!asked || !setup.terms.rent[index] || run->ways[index]) continue;
    setup.unpriced.push_back({std::string(row.name), lf::kMixTooSmall,
                              "interruptions leave the run no time to make progress", row.kind});
  }
}

// Tokens in over all tokens, as written, else as the demand has them, else as usual.
double input_share_of(const CostSetup& setup) {
  const auto& ask = setup.money().api;
  if (ask && ask->input_share) return ask->input_share->value;
  if (setup.demand)
    return setup.demand->tokens_in / (setup.demand->tokens_in + setup.demand->tokens_out);
  const auto* usual = setup.find_fact("token_mix", "input-share");
  return usual != nullptr ? usual->value : 0.5;
}

void find_model_asked(const CostSetup& setup, ApiNeed& need) {
  const auto& ask = setup.money().api;
  if (ask && ask->model) {
    need.model = ask->model->value;
    return;
  }
  if (!setup.scenario.serve) return;
  const auto* named = std::get_if<config::CatalogModel>(&setup.scenario.serve->model.model);
  if (named == nullptr) return;
  if (const auto found = setup.catalog->find_model(named->name.value))
    set_model(need, named->name.value, (*found)->name);
}

ApiNeed need_of(const CostSetup& setup) {
  const auto& ask = setup.money().api;
  ApiNeed need{.today = setup.today};
  find_model_asked(setup, need);
  if (ask && ask->provider) need.provider = ask->provider->value;
  need.input_share = input_share_of(setup);
  if (ask && ask->cached_share) need.cached_share = ask->cached_share->value;
  if (setup.demand) need.length = (setup.demand->tokens_in + setup.demand->tokens_out).base();
  return need;
}

void read_api_shares(CostSetup& setup, economics::ApiTerms& terms) {
  const auto& ask = setup.money().api;
  if (ask && ask->input_share) {
    terms.input_share = ask->input_share->value;
  } else if (setup.demand) {
    terms.input_share =
        setup.demand->tokens_in / (setup.demand->tokens_in + setup.demand->tokens_out);
  } else if (terms.input != terms.output) {
    terms.input_share = setup.fact("token_mix", "input-share");
    setup.note({.id = "assumed-token-mix",
                .arguments = {{"share", fmt::format("{:.0f} %", 100 * terms.input_share)}}});
  }
  if (ask && ask->cached_share) terms.cached_share = ask->cached_share->value;
  if (ask && ask->half_life)
    terms.half_life = ask->half_life->value;
  else if (const auto* usual = setup.find_fact("api_price_half_life", "mid"))
    setup.note(
        {.id = "flat-api-price", .arguments = {{"years", fmt::format("{:.2g}", usual->value)}}});
  if (ask && ask->limit) terms.limit = ask->limit->value;
}

bool read_written_api(CostSetup& setup, economics::ApiTerms& terms) {
  const auto& ask = setup.money().api;
  if (!ask) return false;
  const auto use = [&](const char* what, const config::Given<DollarsPerToken>& given) {
    if (given)
      setup.use_written_price("api", what, format_display(any(given->value), 4), given->position,
                              ask->as_of);
  };
  setup.api_name = ask->model ? ask->model->value : "at your price";
  if (ask->price) {
    use("API, per token", ask->price);
    terms.input = terms.cached = terms.output = ask->price->value;
    return true;
  }
  if (!ask->input || !ask->output) return false;
  use("API, input", ask->input);
  use("API, output", ask->output);
  use("API, cached input", ask->cached);
  terms.input = ask->input->value;
  terms.output = ask->output->value;
  terms.cached = ask->cached ? ask->cached->value : terms.input;
  return true;
}

std::string per_million(DollarsPerToken price) {
  return fmt::format("{:.3g}", price.base() * 1e6);
}

bool read_listed_api(CostSetup& setup, economics::ApiTerms& terms) {
  const ApiNeed need = need_of(setup);
  if (need.model.empty()) return false;
  const auto rows = find_api_offers(setup.catalog->prices(), need);
  if (rows.empty()) return false;
  const catalog::ApiPrice& row = *rows[rows.size() / 2];
  terms.input = *row.input;
  terms.output = *row.output;
  terms.cached = row.cached.value_or(*row.input);
  setup.api_name = api_name_of(row);
  setup.use_price("api", "API " + setup.api_name,
                  fmt::format("{:.4g} in, {:.4g} out USD/M tokens", row.input->base() * 1e6,
                              row.output->base() * 1e6),
                  row.provenance);
  if (rows.size() > 1)
    setup.note({.id = "median-api",
                .arguments = {{"providers", std::to_string(rows.size())},
                              {"least", per_million(price_at_mix(need, *rows.front()))},
                              {"most", per_million(price_at_mix(need, *rows.back()))},
                              {"provider", row.provider}}});
  return true;
}

// The surcharge as written, else what the named platform is known to add.
void read_platform(CostSetup& setup) {
  const auto& ask = setup.money().rent;
  if (ask.surcharge) {
    setup.terms.managed_surcharge = ask.surcharge->value;
    return;
  }
  if (!ask.platform) return;
  if (setup.find_fact("platform_surcharge", ask.platform->value) != nullptr) {
    setup.terms.managed_surcharge = setup.fact("platform_surcharge", ask.platform->value);
    return;
  }
  setup.unpriced.push_back(
      {ask.platform->value, lf::kPriceNotFound,
       fmt::format("what {} adds is not known; give rent.surcharge", ask.platform->value),
       OptionKind::kManaged});
}

// An API that cannot give so many tokens does not do the same work. It still prices them.
void check_limit(CostSetup& setup, const economics::ApiTerms& terms) {
  const auto& capacity = setup.terms.capacity;
  const TokensPerSecond needed = capacity.full_plane * capacity.load_factor;
  if (terms.limit <= TokensPerSecond() || terms.limit >= needed) return;
  setup.asked &= ~bit(OptionKind::kApi);
  setup.unpriced.push_back(
      {"api", lf::kMixTooSmall,
       fmt::format("the API's limit of {} is below the {} that are carried",
                   format_display(any(terms.limit)), format_display(any(needed))),
       OptionKind::kApi});
}

}  // namespace

const catalog::RentPrice* find_rent(const CostSetup& setup, const catalog::AcceleratorSpec& chip,
                                    catalog::RentTerm term) {
  const auto& asked = setup.money().rent.provider;
  const auto region =
      setup.region != nullptr ? std::string_view(setup.region->name) : std::string_view();
  return find_rent(setup.catalog->prices(), chip.name, term, asked ? asked->value : "", region);
}

bool has_rent_in(const catalog::PriceBook& prices, std::string_view chip, std::string_view region) {
  return std::any_of(prices.rent.begin(), prices.rent.end(), [&](const auto& row) {
    return row.accelerator == chip && row.region == region;
  });
}

const catalog::RentPrice* find_rent(const catalog::PriceBook& prices, std::string_view chip,
                                    catalog::RentTerm term, std::string_view provider,
                                    std::string_view region) {
  const auto is_meant = [&](const catalog::RentPrice& row) {
    return row.accelerator == chip && row.term == term &&
           (provider.empty() || row.provider == provider);
  };
  const bool is_local =
      !region.empty() && std::any_of(prices.rent.begin(), prices.rent.end(), [&](const auto& row) {
        return is_meant(row) && row.region == region;
      });
  std::vector<const catalog::RentPrice*> rows;
  for (const auto& row : prices.rent) {
    if (!is_meant(row) || (is_local && row.region != region)) continue;
    if (provider.empty() && row.provider == "market") return &row;
    rows.push_back(&row);
  }
  if (rows.empty()) return nullptr;
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  std::nth_element(rows.begin(), middle, rows.end(),
                   [](const auto* a, const auto* b) { return a->price < b->price; });
  return *middle;
}

void read_renting(CostSetup& setup) {
  for (const auto& row : kTerms) read_term(setup, row);
  refuse_endless(setup);
  read_spot_terms(setup);
  read_platform(setup);
  if (setup.money().training) setup.terms.delay = setup.money().training->delay_cost.value;
}

void read_api(CostSetup& setup) {
  if ((setup.asked & bit(OptionKind::kApi)) == 0) return;
  economics::ApiTerms terms;
  const bool priced = read_written_api(setup, terms) || read_listed_api(setup, terms);
  const bool has_rate = setup.terms.capacity.full_plane > TokensPerSecond();
  if (priced && has_rate) {
    read_api_shares(setup, terms);
    setup.terms.api = terms;
    check_limit(setup, terms);
    return;
  }
  const bool named = setup.money().api.has_value() || !setup.money().options.empty();
  if (!named) return;
  setup.unpriced.push_back(
      {"api", lf::kPriceNotFound,
       priced ? "tokens have a price, but how many a GPU makes is not said; give capacity.rate"
              : "no price per token is known; give api.price, or api.model as `loadfactor catalog "
                "api` lists it",
       OptionKind::kApi});
}

std::optional<double> rent_over_on_demand(const CostSetup& setup, OptionKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  if (kind == OptionKind::kOnDemand || index >= economics::kNumTerms) return std::nullopt;
  const auto& rent = setup.terms.rent[index];
  const auto& on_demand = setup.terms.rent[static_cast<std::size_t>(OptionKind::kOnDemand)];
  if (!rent || !on_demand || on_demand->price <= DollarsPerSecond()) return std::nullopt;
  return rent->price / on_demand->price;
}

std::vector<double> quoted_ratios(const CostSetup& setup, OptionKind kind) {
  const auto row = std::find_if(kTerms.begin(), kTerms.end(),
                                [&](const TermRow& each) { return each.kind == kind; });
  std::vector<double> ratios;
  if (row == kTerms.end() || setup.chip == nullptr) return ratios;
  const auto& quotes = setup.catalog->prices().rent;
  for (const auto& quote : quotes) {
    if (quote.accelerator != setup.chip->name || quote.term != row->term) continue;
    for (const auto& other : quotes) {
      const bool both = other.accelerator == quote.accelerator &&
                        other.provider == quote.provider && other.region == quote.region &&
                        other.term == catalog::RentTerm::kOnDemand;
      if (both && other.price > DollarsPerGpuSecond()) ratios.push_back(quote.price / other.price);
    }
  }
  return ratios;
}

}  // namespace loadfactor::engine
