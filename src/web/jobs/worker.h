// What runs inside a worker's process.
#pragma once

#include "web/jobs/worker_host.h"

namespace loadfactor::web {

// Takes one piece of work from the socket, answers it and ends the process.
[[noreturn]] void work_and_end(int socket, const Engine& engine, const JobLimits& limits);

}  // namespace loadfactor::web
