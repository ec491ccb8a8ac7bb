// What was asked and answered, in a file of SQLite that the user names.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "loadfactor/result.h"
#include "loadfactor/value.h"
#include "web/jobs/work.h"
#include "web/wire/call.h"

struct sqlite3;

namespace loadfactor::web {

class Store {
 public:
  // LF602 where the file cannot be written.
  static Result<std::unique_ptr<Store>> open(const std::string& path);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  void add(const Work& work, const std::string& answer);
  // The last hundred, newest first.
  Value list();
  Reply reply(const std::string& number);

 private:
  explicit Store(sqlite3* database) : database_(database) {}
  std::mutex mutex_;
  sqlite3* database_;
};

}  // namespace loadfactor::web
