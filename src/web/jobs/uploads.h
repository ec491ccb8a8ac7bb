// Files that were sent, in a private folder that goes with the server.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/result.h"
#include "web/jobs/work.h"

namespace loadfactor::web {

class Uploads {
 public:
  struct Bounds {
    std::size_t one = std::size_t{200} << 20U;
    std::size_t all = std::size_t{1} << 30U;
    std::size_t files = 64;
    std::chrono::minutes keeping{60};
  };
  // LF602 where no folder can be made.
  static Result<std::unique_ptr<Uploads>> create(const Bounds& bounds);
  ~Uploads();
  Uploads(const Uploads&) = delete;
  Uploads& operator=(const Uploads&) = delete;

  // Receives the bytes of one file; it is there once `keep` says so.
  class Writer {
   public:
    Writer(Uploads& uploads, std::string name);
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    bool write(std::string_view part);
    UploadedFile keep();

   private:
    Uploads* uploads_;
    UploadedFile file_;
    int fd_;
    bool is_kept_ = false;
  };

  std::vector<UploadedFile> all();
  // Those whose ids stand in the text; being named keeps them alive.
  std::vector<UploadedFile> named_in(std::string_view text);
  bool remove(const std::string& id);
  const Bounds& bounds() const { return bounds_; }

 private:
  struct Kept {
    UploadedFile file;
    std::chrono::steady_clock::time_point used;
  };
  Uploads(std::string folder, const Bounds& bounds) : folder_(std::move(folder)), bounds_(bounds) {}
  void add(const UploadedFile& file);
  void drop(std::map<std::string, Kept>::iterator entry);
  void make_room();

  const std::string folder_;
  const Bounds bounds_;
  std::mutex mutex_;
  std::map<std::string, Kept> files_;
};

}  // namespace loadfactor::web
