#include "serving/deployment.h"

#include "serving/constants.h"

namespace loadfactor::serving {
namespace {

std::string_view family_word(const catalog::AcceleratorSpec& chip) {
  if (chip.family == "hopper" && (chip.form == "pcie" || chip.form == "nvl")) return "hopper-pcie";
  if ((chip.family == "ada" || chip.family == "ampere") && chip.form == "card") return "geforce";
  return chip.family;
}

}  // namespace

double Speculation::gained() const {
  double sum = 1;
  double chance = 1;
  for (int i = 0; i < tokens; ++i) {
    chance *= acceptance;
    sum += chance;
  }
  return sum;
}

std::size_t chip_family(const catalog::AcceleratorSpec& chip) {
  const std::string_view word = family_word(chip);
  for (std::size_t i = 0; i + 1 < kChipFamilies.size(); ++i) {
    if (kChipFamilies[i] == word) return i;
  }
  return kChipFamilies.size() - 1;
}

}  // namespace loadfactor::serving
