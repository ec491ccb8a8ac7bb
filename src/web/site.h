// Everything that requests are answered from.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "loadfactor/engine.h"
#include "web/jobs/jobs.h"
#include "web/jobs/uploads.h"
#include "web/jobs/worker_host.h"
#include "web/wire/gate.h"
#include "web/wire/guard.h"

namespace loadfactor::web {

class Store;

struct OpenedScenario {
  std::string name;
  std::string text;
};

struct Site {
  const Engine* engine = nullptr;
  Jobs* jobs = nullptr;
  Uploads* uploads = nullptr;
  Store* store = nullptr;  // Nothing: nothing is kept.
  Gate* gate = nullptr;    // For what is answered at once.
  Door door;
  Settings settings;                       // The day is filled in for each question.
  std::function<std::string()> today;      // YYYY-MM-DD.
  std::optional<OpenedScenario> scenario;  // What --scenario names.
  JobLimits limits;
};

}  // namespace loadfactor::web
