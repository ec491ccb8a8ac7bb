// What GPUs rent for and what an API would charge instead, from the catalogue.
#pragma once

#include <optional>
#include <string>

#include "catalog/catalog.h"
#include "loadfactor/quantity.h"

namespace loadfactor::engine {

struct RentFigure {
  DollarsPerGpuSecond price;  // The median of on-demand quotes,
  DollarsPerGpuSecond low;    // the lowest,
  DollarsPerGpuSecond high;   // and the highest.
  int quotes = 0;
  std::string source;
  std::string date;
};
std::optional<RentFigure> find_rent(const catalog::Catalog& catalog, const std::string& chip);

struct ApiFigure {
  DollarsPerToken input;
  DollarsPerToken output;
  std::string provider;
  std::string source;
  std::string date;

  // Of one request.
  Dollars request(double tokens_in, double tokens_out) const {
    return input * Tokens::from_base(tokens_in) + output * Tokens::from_base(tokens_out);
  }
};
// The cheapest for requests of these lengths among those still sold; nothing for a model no
// provider sells.
std::optional<ApiFigure> find_api(const catalog::Catalog& catalog, const std::string& model,
                                  double tokens_in, double tokens_out);

}  // namespace loadfactor::engine
