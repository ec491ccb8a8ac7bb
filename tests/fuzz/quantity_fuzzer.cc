// Feeds arbitrary text to the quantity parser. The first byte chooses what is expected; what
// parses must print in a form that parses to the same bits.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/quantity_text.h"
#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace {

using loadfactor::AnyQuantity;
using loadfactor::Dimension;
using loadfactor::Expect;

constexpr Dimension kDimensions[] = {
    {},
    {.time = 1},
    {.time = -1},
    {.data = 1},
    {.work = 1},
    {.energy = 1},
    {.money = 1},
    {.token = 1},
    {.gpu = 1},
    {.time = -1, .data = 1},
    {.data = 1, .token = -1},
    {.time = -1, .work = 1},
    {.time = -1, .energy = 1},
    {.time = -1, .token = 1},
    {.money = 1, .token = -1},
    {.time = -1, .money = 1},
    {.time = -1, .money = 1, .gpu = -1},
    {.energy = -1, .money = 1},
    {.time = -2, .data = 1},
};

void require(bool holds) {
  if (!holds) std::abort();
}

void check_round_trip(AnyQuantity quantity) {
  const auto again =
      loadfactor::parse_quantity(loadfactor::format_exact(quantity), quantity.dimension);
  require(again.has_value());
  require(std::bit_cast<std::uint64_t>(again->value) ==
          std::bit_cast<std::uint64_t>(quantity.value));
}

void check_error(const loadfactor::Error& error, std::string_view text) {
  require(error.code >= 200 && error.code < 300);
  require(!error.message.empty());
  require(error.where.column >= 1 && error.where.column <= text.size() + 1);
  require(!loadfactor::render(error).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::size_t kCount = std::size(kDimensions);
  const Dimension dimension = kDimensions[data[0] % kCount];
  const auto expect = static_cast<Expect>((data[0] / kCount) % 3);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto parsed = loadfactor::parse_quantity(text, dimension, expect);
  if (!parsed) {
    check_error(parsed.error(), text);
    return 0;
  }
  check_round_trip(*parsed);
  loadfactor::format_display(*parsed);
  return 0;
}
