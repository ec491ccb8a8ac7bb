// Any bytes as a profile or as NCCL's output: an account that adds up, or an error to show.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/error_codes.h"
#include "calibrate/profile/account.h"
#include "calibrate/profile/nccl_debug.h"

namespace {

namespace calibrate = loadfactor::calibrate;

void check_error(const loadfactor::Error& error) {
  LF_CHECK(loadfactor::find_error_code(error.code) != nullptr, "the code is registered");
  LF_CHECK(!loadfactor::render(error).empty(), "an error can be shown");
}

void check_account(const calibrate::Timeline& timeline) {
  const calibrate::KernelRules rules{.rules = {{calibrate::WorkClass::kProducts, {"gemm"}, {}},
                                               {calibrate::WorkClass::kCommunication, {"nccl"}, {}},
                                               {calibrate::WorkClass::kPointwise, {"e"}, {}}},
                                     .steps = {"profilerstep#"},
                                     .optimizer_ranges = {"optimizer.step#"}};
  const auto account = calibrate::account_for(timeline, rules);
  LF_CHECK(account.steps >= 1 && account.devices >= 1, "a step of a device");
  for (const auto time : account.times.seconds) LF_CHECK(time.base() >= 0, "no time is negative");
  LF_CHECK(account.classed() >= 0 && account.classed() <= 1 + 1e-9, "a share");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (calibrate::is_profile(text)) {
    const auto read = calibrate::read_profile("file", text);
    if (read) {
      check_account(*read);
    } else {
      check_error(read.error());
    }
  }
  if (calibrate::is_nccl_debug(text)) {
    const auto read = calibrate::read_nccl_debug("file", text);
    if (!read) check_error(read.error());
  }
  return 0;
}
