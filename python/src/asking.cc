#include "asking.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

#include "cli/disk_files.h"
#include "cli/session/files.h"
#include "cli/session/session.h"
#include "facade/forms/read_question.h"

namespace loadfactor::python {
namespace {

// How long Ctrl-C may go unheard.
constexpr std::chrono::milliseconds kListenEvery{20};

// Runs the work in a thread, and the listener in this one until the work is done.
class Worker {
 public:
  template <typename Work>
  explicit Worker(Work work)
      : thread_([this, work = std::move(work)] {
          try {
            work();
          } catch (...) {
            fault_ = std::current_exception();
          }
          const std::lock_guard lock(mutex_);
          is_done_ = true;
          done_.notify_one();
        }) {}
  ~Worker() {
    if (thread_.joinable()) thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool is_done_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, time, [this] { return is_done_; });
  }
  void finish() {
    thread_.join();
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::exception_ptr fault_;
  std::thread thread_;
};

Settings settings_of(const cli::Environment& environment) {
  return {.seed = 1,
          .threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency())),
          .today = environment.today};
}

std::unique_ptr<Engine> engine_over(const cli::Environment& environment,
                                    std::vector<std::string> folders, Diagnostics& problems) {
  std::error_code ignored;
  if (std::filesystem::is_directory(environment.config_folder, ignored))
    folders.insert(folders.begin(), environment.config_folder);
  std::vector<OverlayFile> overlays;
  for (const std::string& folder : folders) {
    auto files = cli::read_catalog_folder(folder);
    if (!files) return problems.add(files.error()), nullptr;
    std::move(files->begin(), files->end(), std::back_inserter(overlays));
  }
  return Engine::create(overlays, problems);
}

Asked answer_of(const std::string& question, const std::string& verb,
                const std::vector<std::string>& folders, const Progress& progress) {
  Asked out;
  cli::Environment environment = cli::system_environment();
  std::ostringstream silent;
  environment.in = nullptr;
  environment.out = &silent;
  environment.err = &silent;
  cli::Session session(environment);
  cli::DiskFiles disk(session);
  auto read = facade::read_question(
      {.json = question, .verb = verb, .settings = settings_of(environment), .outside = &disk},
      out.problems);
  if (!read) return out;
  std::vector<std::string> all = folders;
  all.insert(all.end(), read->overlays.begin(), read->overlays.end());
  const auto engine = engine_over(environment, std::move(all), out.problems);
  if (engine == nullptr) return out;
  out.style = read->asked.style;
  out.answer = engine->ask(read->asked.question, out.problems, progress);
  return out;
}

}  // namespace

Asked ask(const std::string& question, const std::string& verb,
          const std::vector<std::string>& folders, const Listen& listen) {
  std::atomic<double> share{-1};
  const Progress progress([&share](double done) { share.store(done); });
  Asked out;
  Worker worker([&] { out = answer_of(question, verb, folders, progress); });
  try {
    while (!worker.is_done_within(kListenEvery))
      if (!listen(share.load())) progress.cancel();
  } catch (...) {
    progress.cancel();
    throw;  // The worker is waited for on the way out.
  }
  worker.finish();
  return out;
}

}  // namespace loadfactor::python
