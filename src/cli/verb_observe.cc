// `observe`, once, again and again, or as an exporter for Prometheus.
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <ostream>
#include <thread>

#include <fmt/format.h>
#include <httplib.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "cli/commands.h"
#include "cli/sweep_flags.h"
#include "facade/forms/observe_form.h"

namespace loadfactor::cli {
namespace {

// A signal handler can reach nothing but a static.
std::atomic<bool>& end_flag() {
  static std::atomic<bool> flag{false};
  return flag;
}
void ask_to_end(int /*signal*/) {
  end_flag() = true;
}

class EndOnSignal {
 public:
  EndOnSignal()
      : interrupt_(std::signal(SIGINT, ask_to_end)), terminate_(std::signal(SIGTERM, ask_to_end)) {
    end_flag() = false;
  }
  ~EndOnSignal() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGTERM, terminate_);
  }
  EndOnSignal(const EndOnSignal&) = delete;
  EndOnSignal& operator=(const EndOnSignal&) = delete;

 private:
  void (*interrupt_)(int);
  void (*terminate_)(int);
};

// False when it is to end.
bool wait_for(double seconds) {
  constexpr double kTick = 0.1;
  for (double left = seconds; left > 0 && !end_flag(); left -= kTick)
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kTick)));
  return !end_flag();
}

Result<double> read_pause(const facade::ObserveForm& form) {
  TRY(const Seconds pause, parse_as<Dimension{.time = 1}>(form.every));
  if (pause < Seconds::from_base(1))
    return facade::usage("--every is at least a second", "--every '60 s'");
  return pause.base();
}

// LF603 for options that nothing would come of.
std::optional<Error> idle_option(const Session& session, const facade::ObserveForm& form) {
  const bool is_again = form.watch || !form.serve.empty();
  if (form.is_given("every") && !is_again)
    return facade::usage("--every is between two looks, and there is one",
                         "add --watch or --serve HOST:PORT, or leave it out");
  if (form.serve.empty()) return std::nullopt;
  const auto refuse = [](const std::string& option) {
    return facade::usage(fmt::format("--serve writes no file, and {} asks for one", option),
                         "leave one of them out");
  };
  for (const facade::Extra& extra : form.extras)
    if (!extra.path->empty()) return refuse("--" + extra.option);
  if (!session.options().output.empty()) return refuse("-o");
  return std::nullopt;
}

// A file that is to be written, and the option that says so.
struct Written {
  std::string option;
  std::string path;

  // A terminal or a pipe can be written to twice.
  bool is_plain() const {
    std::error_code unknown;
    return path != "-" && (!std::filesystem::exists(path, unknown) ||
                           std::filesystem::is_regular_file(path, unknown));
  }
  std::filesystem::path whole() const {
    std::error_code unknown;
    const auto found = std::filesystem::weakly_canonical(path, unknown);
    return unknown ? std::filesystem::path(path) : found;
  }
};

std::vector<Written> files_written(const Session& session, const facade::ObserveForm& form) {
  std::vector<Written> files;
  for (const facade::Extra& extra : form.extras)
    if (!extra.path->empty()) files.push_back({"--" + extra.option, *extra.path});
  if (!session.options().output.empty()) files.push_back({"-o", session.options().output});
  std::erase_if(files, [](const Written& file) { return !file.is_plain(); });
  return files;
}

// LF602 where a file that is read, or written by another option, would be lost.
std::optional<Error> lost_file(const Session& session, const facade::ObserveForm& form) {
  const std::vector<Written> files = files_written(session, form);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (auto lost = would_overwrite(files[i].path, form.files_read())) return lost;
    for (std::size_t other = 0; other < i; ++other)
      if (files[i].whole() == files[other].whole())
        return Error{.code = lf::kCannotWrite,
                     .message = fmt::format("{} and {} both write '{}'", files[other].option,
                                            files[i].option, files[i].path),
                     .hint = "give one of them another name"};
  }
  return std::nullopt;
}

void watch(Session& session, facade::ObserveForm& form, double pause) {
  const EndOnSignal guard;
  do {
    if (session.environment().out_is_terminal) session.write("\x1b[H\x1b[2J");
    // What fails now may be there the next time.
    ask_and_write(session, form);
  } while (!end_flag() && wait_for(pause));
}

// The text that is served, and when it was made.
class Board {
 public:
  void put(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
    is_fresh_ = true;
  }
  void fail() {
    const std::lock_guard lock(mutex_);
    is_fresh_ = false;
  }
  std::string read() const {
    const std::lock_guard lock(mutex_);
    return text_ + fmt::format(
                       "# HELP loadfactor_up Whether the last look at the sources succeeded.\n"
                       "# TYPE loadfactor_up gauge\nloadfactor_up {}\n",
                       is_fresh_ ? 1 : 0);
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
  bool is_fresh_ = false;
};

struct Place {
  std::string host;
  int port = 0;
};

Result<Place> read_place(const std::string& text) {
  const auto colon = text.rfind(':');
  Place place;
  place.host = text.substr(0, colon);
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), place.port);
  constexpr int kMaxPort = 65535;
  if (place.host.empty() || failed != std::errc() || end != port.data() + port.size() ||
      place.port < 0 || place.port > kMaxPort)
    return facade::usage(fmt::format("'{}' is no address to serve at", text),
                         "--serve 127.0.0.1:9911");
  return place;
}

void serve(Session& session, facade::ObserveForm& form, double pause) {
  const auto place = read_place(form.serve);
  if (!place) return session.fail(place.error());
  Board board;
  httplib::Server server;
  // Two exporters must not share a port without knowing.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.Get("/metrics", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(board.read(), "text/plain; version=0.0.4; charset=utf-8");
  });
  server.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("loadfactor: /metrics\n", "text/plain");
  });
  // A body is not waited for: nothing is taken here.
  server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    if (request.method == "GET" || request.method == "HEAD")
      return httplib::Server::HandlerResponse::Unhandled;
    response.status = 405;
    response.set_header("Allow", "GET, HEAD");
    response.set_header("Connection", "close");
    response.set_content("loadfactor: GET /metrics\n", "text/plain");
    return httplib::Server::HandlerResponse::Handled;
  });
  const int port = place->port > 0 ? place->port : server.bind_to_any_port(place->host.c_str());
  if (port < 0 || (place->port > 0 && !server.bind_to_port(place->host.c_str(), port)))
    return session.fail({.code = lf::kCannotWrite,
                         .message = fmt::format("cannot serve at {}", form.serve),
                         .hint = "another program may hold the port"});
  const EndOnSignal guard;
  std::thread listener([&] { server.listen_after_bind(); });
  *session.environment().err << fmt::format("serving http://{}:{}/metrics, every {}\n", place->host,
                                            port, form.every)
                             << std::flush;
  do {
    const auto answer = ask_form(session, form);
    const auto text = answer ? to_text(*answer, Format::kMetrics) : Result<std::string>(Error{});
    if (answer && text)
      board.put(*text);
    else
      board.fail();
  } while (!end_flag() && wait_for(pause));
  server.stop();
  listener.join();
  session.set_status(0);
}

}  // namespace

Command observe_command() {
  for (const facade::VerbRow& row : facade::verb_rows()) {
    if (row.name != "observe") continue;
    const auto form = std::make_shared<facade::ObserveForm>();
    return {std::string(row.name), std::string(row.help), form, [form](Session& session) {
              const auto pause = read_pause(*form);
              if (!pause) return session.fail(pause.error());
              if (const auto idle = idle_option(session, *form)) return session.fail(*idle);
              if (const auto lost = lost_file(session, *form)) return session.fail(*lost);
              if (!form->serve.empty()) return serve(session, *form, *pause);
              if (form->watch) return watch(session, *form, *pause);
              ask_and_write(session, *form);
            }};
  }
  return {};
}

}  // namespace loadfactor::cli
