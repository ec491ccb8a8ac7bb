// Answers of `observe` of texts, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/observe/observe.h"
#include "engine/testing/shipped_core.h"

namespace loadfactor::engine::testing {

inline constexpr double kMidnight = 1794268800;  // 2026-11-10T00:00:00Z.

inline ObserveAnswer observed(std::vector<observe::TextFile> files, double end_hour) {
  Diagnostics diagnostics;
  ObserveInputs inputs;
  inputs.files = std::move(files);
  inputs.now = kMidnight + 3600 * end_hour;
  inputs.is_end_said = true;
  inputs.price = DollarsPerGpuSecond::from_base(1.0 / 3600);
  auto answer = observe_cluster(inputs, shipped(), diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  return answer ? *std::move(answer) : ObserveAnswer{};
}

inline const std::string kHead = "JobID|User|State|Start|End|AllocTRES|NodeList\n";

inline bool says(const ObserveAnswer& answer, std::string_view id) {
  return std::any_of(answer.notices.begin(), answer.notices.end(),
                     [&](const Notice& notice) { return notice.id == id; });
}

}  // namespace loadfactor::engine::testing
