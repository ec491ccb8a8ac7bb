// What `emit` and `read` answer.
#pragma once

#include <string>
#include <vector>

#include "launch/emit/emission.h"
#include "launch/read/launch_reading.h"
#include "loadfactor/estimate.h"

namespace loadfactor::engine {

struct EmitAnswer {
  std::string scenario;
  std::string target;
  std::vector<launch::EmittedFile> files;
  std::vector<Notice> notices;
};

struct ReadAnswer {
  std::vector<std::string> files;
  launch::LaunchReading reading;
  std::vector<Notice> notices;
};

}  // namespace loadfactor::engine
