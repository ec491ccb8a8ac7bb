// The texts of notices by subject. Each table is sorted by id. An id has a text for each set of
// arguments that it is raised with; the first that fits is taken.
#pragma once

#include <span>

#include "report/describe/notice_register.h"

namespace loadfactor::report {

std::span<const NoticeText> catalogue_texts();
std::span<const NoticeText> fleets_texts();
std::span<const NoticeText> jobs_texts();
std::span<const NoticeText> metrics_texts();
std::span<const NoticeText> money_texts();
std::span<const NoticeText> serving_texts();
std::span<const NoticeText> traffic_texts();
std::span<const NoticeText> training_texts();

}  // namespace loadfactor::report
