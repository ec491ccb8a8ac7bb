// What one measured run says of the pace of a deployment's steps.
#pragma once

#include <string>
#include <vector>

#include "resolve/serve/serve_setup.h"
#include "serving/anchor.h"
#include "serving/closed_form.h"

namespace loadfactor::engine {

struct Pace {
  double factor = 1;              // On every step.
  serving::AnchorPoint measured;  // Where the run lies.
};

// The factor that takes the prediction of the run most of the way to what was measured, as far as
// the run speaks for `asked_batch` running sequences. LF415 where its figure says nothing of steps.
Result<Pace> anchored_pace(const ServeSetup& setup, serving::Pool pool, const ServeAnchor& anchor,
                           double asked_batch);

// A run that is farther from the model than the bounds is of another deployment.
bool is_far(const Pace& pace);

// What the run says of itself that the scenario does not: another model, other lengths.
std::vector<Notice> anchor_differences(const ServeSetup& setup, const catalog::Catalog& catalog,
                                       const ServeAnchor& anchor);

}  // namespace loadfactor::engine
