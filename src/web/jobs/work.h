// A question on its way from a request to whoever answers it, and what comes back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/engine.h"
#include "web/wire/call.h"

namespace loadfactor::web {

// A file that was sent before; `path` is ours and no part of it comes from a request.
struct UploadedFile {
  std::string id;
  std::string name;
  std::string path;
  std::size_t bytes = 0;
};

struct Work {
  std::string verb;
  std::string json = "{}";              // See question_from_json.
  std::optional<std::string> scenario;  // Its bytes, where they stand alone.
  std::vector<std::string> given;       // Ids of uploads that go with them.
  std::vector<UploadedFile> uploads;    // Those that the question may name.
  std::string format = "json";
  Settings settings;
};

struct Finished {
  int status = 200;  // As HTTP has it.
  std::string type = "application/json";
  std::string body;
  int exit_status = 0;  // As the command line has it, where there is an answer.
};

// The question that the work holds; what is wrong with it, as a problem, where it holds none.
std::optional<StyledQuestion> read_work(const Work& work, Finished& problem);
// Whether it takes milliseconds, whatever its figures are.
bool is_quick(const Question& question);
// Asks it and writes the answer as the format says.
Finished answer(const Engine& engine, const StyledQuestion& asked, const std::string& format,
                const Progress& progress);

// Between processes of this program.
std::string pack(const Work& work);
Work unpack_work(std::string_view bytes);
std::string pack(const Finished& finished);
Finished unpack_finished(std::string_view bytes);

}  // namespace loadfactor::web
