// What the tests of a site share: the shipped terms.
#pragma once

#include <gtest/gtest.h>

#include "calibrate/site/site_file.h"
#include "training/step/step_fixture.h"

namespace loadfactor::calibrate {

inline SiteCalibration shipped_terms() {
  Diagnostics diagnostics;
  const auto site = load_site({"calibration/site-terms.yaml", "site-terms.yaml",
                               training::read_data("calibration/site-terms.yaml")},
                              diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  return site.value_or(SiteCalibration{});
}

}  // namespace loadfactor::calibrate
