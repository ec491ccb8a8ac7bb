// `web`: the planner over HTTP, with its pages.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <ostream>
#include <thread>

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "cli/commands.h"
#include "cli/session/files.h"
#include "web/api.h"
#include "web/http/server.h"
#include "web/site.h"
#include "web/store.h"

namespace loadfactor::cli {
namespace {

constexpr int kMostPort = 65535;
constexpr std::size_t kShortestToken = 16;

struct WebFlags final : facade::Flags {
  WebFlags() {
    number("port", port, "where it listens; 0: any free port", "N", 0, kMostPort).shown_default =
        "8765";
    word("scenario", scenario, "a scenario that the pages begin with", "FILE");
    word("listen", listen, "another address than the loopback one; needs --token-file", "ADDRESS");
    word("token-file", token_file, "its first line is what callers must know", "FILE");
    words("hostname", hostnames, "a name that leads here, through a proxy perhaps", "NAME");
    word("store", store, "keep questions and answers in a file of SQLite", "FILE");
    number("jobs", jobs, "questions that run at a time; 0: one a core", "N", 0, 256);
    number("queue", queue, "questions that wait", "N", 1, 10'000).shown_default = "16";
    number("job-seconds", limits.cpu_seconds, "CPU seconds of a question", "N", 1, 86'400)
        .shown_default = "300";
    number("job-memory", limits.memory_megabytes, "memory of a question, in MB", "N", 256,
           1'000'000)
        .shown_default = "2048";
    number("drain", drain, "seconds that running questions have at the end", "N", 0, 3600)
        .shown_default = "20";
    flag("no-browser", no_browser, "do not open the browser");
  }
  int port = 8765;
  std::string scenario, listen, token_file, store;
  std::vector<std::string> hostnames;
  int jobs = 0;
  int queue = 16;
  int drain = 20;
  web::JobLimits limits;
  bool no_browser = false;
};

Result<web::Door> door_of(const WebFlags& flags) {
  web::Door door{.hostnames = flags.hostnames};
  if (!flags.listen.empty()) door.address = flags.listen;
  if (!flags.token_file.empty()) {
    TRY(const std::string text, read_file(flags.token_file));
    door.token = text.substr(0, text.find_first_of("\r\n"));
    if (door.token.size() < kShortestToken)
      return facade::usage(fmt::format("the token in '{}' has less than {} characters",
                                       flags.token_file, kShortestToken),
                           "write one that nobody guesses: openssl rand -hex 16 > FILE");
  }
  if (!web::is_loopback(door.address) && door.token.empty())
    return facade::usage(fmt::format("others could reach {}", door.address),
                         "add --token-file FILE, or leave out --listen");
  return door;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  localtime_r(&now, &day);
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

void open_browser(const Session& session, const WebFlags& flags, const std::string& address) {
  const bool has_screen =
      std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  if (flags.no_browser || !has_screen || !session.environment().err_is_terminal) return;
  if (fork() != 0) return;
  execlp("xdg-open", "xdg-open", address.c_str(), nullptr);
  _exit(0);
}

// Asks once, so that the first caller does not wait for the catalogue to be read.
void warm_up(const Engine& engine) {
  Diagnostics ignored;
  static_cast<void>(
      engine.ask(FitQuestion{.model = "llama-3.3-70b", .accelerator = "h100-sxm"}, ignored));
}

// What lives as long as the server, in the order in which it is made.
struct House {
  std::unique_ptr<web::Uploads> uploads;
  std::unique_ptr<web::Store> store;
  std::unique_ptr<web::WorkerHost> host;
  web::Site site;
};

Result<std::unique_ptr<House>> make_house(Session& session, const WebFlags& flags,
                                          const Engine& engine) {
  auto house = std::make_unique<House>();
  web::Site& site = house->site;
  TRY(site.door, door_of(flags));
  if (!flags.scenario.empty()) {
    TRY(std::string text, read_file(flags.scenario));
    site.scenario = web::OpenedScenario{flags.scenario, std::move(text)};
  }
  TRY(house->uploads, web::Uploads::create({}));
  if (!flags.store.empty()) {
    TRY(house->store, web::Store::open(flags.store));
  }
  site.engine = &engine;
  site.uploads = house->uploads.get();
  site.store = house->store.get();
  site.limits = flags.limits;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  site.settings = {.seed = session.options().seed,
                   .threads = session.options().threads > 0 ? session.options().threads : cores,
                   .today = {}};
  site.today = today;
  warm_up(engine);
  house->host = std::make_unique<web::WorkerHost>(engine, flags.limits);
  return house;
}

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

void serve(Session& session, const WebFlags& flags, House& house) {
  web::Site& site = house.site;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // For all threads: this one waits for them.
  web::Jobs jobs(*house.host,
                 {.running = flags.jobs > 0 ? flags.jobs : cores, .waiting = flags.queue});
  web::Gate gate({.inside = std::max(2, cores)});
  site.jobs = &jobs;
  site.gate = &gate;
  const web::Api api(site);
  web::Server server([&api](web::Call& call) { return api.answer(call); }, {});
  const auto port = server.bind(site.door.address, flags.port);
  if (!port) return session.fail(port.error());
  site.door.port = *port;
  std::thread listener([&server] { server.run(); });
  const bool is_v6 = site.door.address.find(':') != std::string::npos;
  const std::string host = is_v6 ? "[" + site.door.address + "]" : site.door.address;
  const std::string address = fmt::format("http://{}:{}/", host, *port);
  *session.environment().err << "loadfactor: " << address << " (Ctrl-C ends it)\n" << std::flush;
  open_browser(session, flags, address);
  int signal = 0;
  sigwait(&signals, &signal);
  session.tell("loadfactor: ending; what runs may finish");
  server.stop();
  jobs.drain(std::chrono::seconds(flags.drain));
  listener.join();
}

void run_web(Session& session, const WebFlags& flags) {
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  auto house = make_house(session, flags, *engine);
  if (!house) return session.fail(house.error());
  serve(session, flags, **house);
}

}  // namespace

Command web_command() {
  auto flags = std::make_shared<WebFlags>();
  return {"web", "the planner in a browser and over HTTP", flags,
          [flags](Session& session) { run_web(session, *flags); }};
}

}  // namespace loadfactor::cli
