// Two plans side by side on one page.
#pragma once

#include <string>

#include "engine/explain/diff.h"
#include "loadfactor/value.h"
#include "report/plan/diff_report.h"

namespace loadfactor::report {

// As docs/page.md describes it.
Value diff_page_data(const engine::DiffAnswer& answer, const DiffFiles& files);
std::string diff_page(const engine::DiffAnswer& answer, const DiffFiles& files);

}  // namespace loadfactor::report
