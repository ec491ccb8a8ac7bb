// Who sells the tokens of a model, and for how much.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"

namespace loadfactor::engine {

// What tokens are bought for.
struct ApiNeed {
  std::string model;     // As the catalogue or a provider calls it.
  std::string release;   // A variant of it that the catalogue lacks, which alone is meant.
  std::string provider;  // Empty: any.
  std::string today;
  double input_share = 0;  // A share of all tokens,
  double cached_share = 0;
  double length = 0;  // and of a request, in tokens.
};
// The model to buy tokens of, where `written` is how a service or a scenario calls it and `name`
// the catalogue's entry with the same layers: a variant such as Coder is another model.
void set_model(ApiNeed& need, std::string_view written, std::string_view name);
// The cheapest offer of every provider at that mix, rising; the middle one is compared with.
std::vector<const catalog::ApiPrice*> find_api_offers(const catalog::PriceBook& prices,
                                                      const ApiNeed& need);
// What a token of the mix costs by a row of the list.
DollarsPerToken price_at_mix(const ApiNeed& need, const catalog::ApiPrice& row);
// Provider and model.
std::string api_name_of(const catalog::ApiPrice& row);

}  // namespace loadfactor::engine
