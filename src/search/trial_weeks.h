// The weeks a fleet is sized for in the fluid limit, and how many of them it keeps.
#pragma once

#include <vector>

#include "search/serving_sizing.h"

namespace loadfactor::search {

// How many of the weeks keep the SLO when `scale` times as much comes; a lone week, such as a
// trace, counts for all of them.
int weeks_kept(const Weeks& weeks, const SizedDeployment& deployment, double scale = 1);
// How many times as many requests of a week are late in the fluid limit as may be, at the bound
// that is worse off, when `scale` times as much comes; 0 where nothing says what is late below the
// rate a replica keeps.
double overrun(const WeekLevels& week, const SizedDeployment& deployment, double scale);
// Share of the first week's requests within every bound.
double share_within(const Weeks& weeks, const SizedDeployment& deployment);
// The most this fleet takes of the demand on average, so that enough weeks keep the SLO.
double most_mean(const Weeks& weeks, const SizedDeployment& deployment);
// The fewest replicas of answers, or of prompts, with which enough weeks keep their bounds when
// `scale` times as much comes.
int fewest_answers(const Weeks& weeks, const SizedDeployment& deployment, double scale = 1);
int fewest_prompts(const Weeks& weeks, const SizedDeployment& deployment, double scale = 1);

}  // namespace loadfactor::search
