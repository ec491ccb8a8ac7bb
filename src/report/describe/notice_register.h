// Everything that an answer may confess: one row for each id.
#pragma once

#include <span>
#include <string_view>

#include "loadfactor/estimate.h"

namespace loadfactor::report {

struct NoticeKind {
  std::string_view id;
  Severity severity = Severity::kNote;  // The gravest that occurs.
  std::string_view meaning;             // In general; the notice itself has the figures.
};

std::span<const NoticeKind> notice_register();

// The row of an id, or nothing.
const NoticeKind* find_notice(std::string_view id);

}  // namespace loadfactor::report
