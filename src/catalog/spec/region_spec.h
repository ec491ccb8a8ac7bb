// A place to run machines: what electricity costs there, how dirty it is, how warm it gets, and
// where on the globe it is.
#pragma once

#include <optional>
#include <string>

#include "catalog/spec/provenance.h"
#include "loadfactor/quantity.h"

namespace loadfactor::catalog {

struct RegionClimate {
  std::string kind;  // A word such as `hot-humid`, which decides the cooling that suffices.
  double mean_celsius = 0.0;
  double design_celsius = 0.0;  // What the cooling must still manage.
  Provenance provenance;
};

// Where most of its data centres stand.
struct RegionLocation {
  std::string place;
  double latitude = 0.0;   // Degrees, north is positive.
  double longitude = 0.0;  // Degrees, east is positive.
  Provenance provenance;
};

struct RegionSpec {
  std::string name;
  std::string title;
  DollarsPerJoule electricity;
  std::optional<DollarsPerJoule> electricity_low;
  std::optional<DollarsPerJoule> electricity_high;
  Provenance electricity_provenance;
  std::optional<double> carbon_grams_per_kwh;
  Provenance carbon_provenance;
  std::optional<RegionClimate> climate;
  std::optional<RegionLocation> location;
  std::string note;
  Provenance provenance;
};

}  // namespace loadfactor::catalog
