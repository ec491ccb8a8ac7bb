// One run of the program: the options every verb has, the engine, and where output goes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/session/environment.h"
#include "loadfactor/engine.h"
#include "loadfactor/result.h"

namespace loadfactor {
class Crew;
}

namespace loadfactor::cli {

struct CommonOptions {
  std::string format;  // table | json | csv | md; empty: by the suffix of `output`, else table.
  std::string output;
  std::vector<std::string> catalog_folders;
  std::vector<std::string> set;  // What replaces values of the scenario, where a verb reads one.
  std::uint64_t seed = 1;
  int threads = 0;
  bool quiet = false;
  bool explain = false;
  bool reproducible = false;
};

class Session {
 public:
  // With a crew, processes do the work together; only the first of them writes.
  explicit Session(const Environment& environment, Crew* crew = nullptr)
      : environment_(environment), crew_(crew) {}

  const Environment& environment() const { return environment_; }
  CommonOptions& options() { return options_; }
  const CommonOptions& options() const { return options_; }

  // The format asked for, after looking at the suffix of -o. LF603 for an unknown one.
  Result<std::string> format() const;

  // For verbs that only speak to people: false, and LF603, when another form was asked for.
  bool accepts_text_only();

  // The engine over the built-in catalogue and the user's overlays; built on first use. On
  // failure the errors have been printed and nullptr is returned. Its searches are shared with the
  // crew.
  const Engine* engine() { return engine_for(crew_); }
  // The same for whoever shares whole questions with the crew: each search is one process's own.
  const Engine* engine_alone() { return engine_for(nullptr); }

  // What lies over the built-in catalogue of the engine that was built.
  const std::vector<OverlayFile>& overlays() const { return overlays_; }

  // Writes an answer to stdout or to -o.
  void write(const std::string& text);
  // Prints errors and notes the exit status they ask for.
  void fail(const Error& error);
  void fail(const Diagnostics& diagnostics);
  // A line for a person, on stderr, unless --quiet.
  void tell(const std::string& line);

  Crew* crew() const { return crew_; }
  // Whether another process speaks for this one.
  bool is_silent() const;

  int status() const { return status_; }
  void set_status(int status) { status_ = status; }

 private:
  Environment environment_;
  CommonOptions options_;
  std::unique_ptr<Engine> engine_;
  std::vector<OverlayFile> overlays_;
  int status_ = 0;
  Crew* crew_;

  const Engine* engine_for(Crew* crew);
  // Says so where the suffix of -o means nothing.
  void tell_suffix();
};

}  // namespace loadfactor::cli
