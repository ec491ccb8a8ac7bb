// Any text as a traffic model: what is read can be written, read again and made into requests.
#include <cstddef>
#include <cstdint>
#include <string>

#include "demand/generate.h"
#include "demand/traffic_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadfactor;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics;
  const auto model = demand::read_traffic("fuzz.yaml", text, diagnostics);
  if (!model) return 0;
  demand::TrafficGenerator generator(*model, 1, Seconds::from_base(60));
  demand::Request request;
  for (int i = 0; i < 100 && generator.next(request); ++i)
    if (request.input < 0 || request.output < 0) __builtin_trap();
  Diagnostics again;
  if (!demand::read_traffic("again.yaml", demand::traffic_yaml(*model), again)) __builtin_trap();
  return 0;
}
