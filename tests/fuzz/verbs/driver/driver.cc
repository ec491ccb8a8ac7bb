// Asks mutated questions of the library in one process, for as long as is said.
//
//   question_driver SEEDS [--seconds N] [--seed N] [--only KIND,KIND] [--folder DIR] [--most N]
//                   [--markdown] [--one KIND INDEX]
//
// SEEDS is what `fuzz_verbs.py --write-seeds` wrote. The same seed gives the same questions, each
// by its kind and index. A worker asks; where it dies, what it was asked is kept and another goes
// on. Each kind gets the same CPU time. The first case of each kind of failure is written to the
// folder, for `fuzz_verbs.py --replay`, and some answers to samples.jsonl there, for
// --check-samples. Ends with 1 if anything failed.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <new>
#include <set>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "laws.h"
#include "loadfactor/engine.h"
#include "mutator.h"
#include "oracles.h"

namespace loadfactor::fuzz {
namespace {

constexpr int kMostKinds = 64;
constexpr int kMostFailures = 400;
constexpr int kMostSeconds = 60;       // Of CPU, for any one question.
constexpr double kRefusalSeconds = 2;  // The same, where it is refused,
constexpr double kRefusalMegabytes = 500;
constexpr rlim_t kMemory = rlim_t{4096} << 20;
constexpr double kLeastCpu = 0.0002;  // That a question counts with, so that none starves.
constexpr int kTableEvery = 50, kLawEvery = 5, kSampleEvery = 500;

struct Count {
  long asked, answered, tables, laws, failed;
  double cpu, slowest, refusal_seconds, refusal_megabytes;
};

// What outlives a worker that dies.
struct Shared {
  Count counts[kMostKinds];
  int kind;  // That is being asked,
  long index;
  int failures;
  char seen[kMostFailures][96];
};

struct Arguments {
  std::string seeds, only, folder = "build/fuzz-verbs", one;
  double seconds = 60;
  std::uint64_t seed = 1;
  long most = 1L << 60, index = 0;
  bool markdown = false;
};

double cpu_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double megabytes_at_most() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == "VmHWM:") {
      double kilobytes = 0;
      status >> kilobytes;
      return kilobytes / 1024;
    }
  return 0;
}

void forget_most() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

class Driver {
 public:
  Driver(const Arguments& arguments, Shared& shared);
  int run();
  int show_one();

 private:
  Json question(int kind, long index, Draw& draw) const;
  void change_options(Json& asked, Draw& draw, Mutator& mutator) const;
  Json ask(const Json& asked, double* seconds);
  void try_one(int kind);
  void hold_to_all(int kind, long index, const Json& asked, const Json& document, Draw& draw);
  void keep(int kind, const Json& asked, const std::string& complaint);
  void sample(const Json& document);
  void work(double until);
  int next_kind() const;
  void report() const;

  Arguments arguments_;
  Shared& shared_;
  Json seeds_;
  std::vector<std::string> words_;
  std::vector<std::vector<std::string>> pools_;
  std::vector<std::string> kinds_;
  std::vector<std::vector<const Json*>> cases_;
  std::unique_ptr<Engine> engine_;
};

Driver::Driver(const Arguments& arguments, Shared& shared)
    : arguments_(arguments), shared_(shared) {
  seeds_ = Json::parse(std::ifstream(arguments.seeds));
  words_ = seeds_["words"].get<std::vector<std::string>>();
  pools_ = seeds_["pools"].get<std::vector<std::vector<std::string>>>();
  for (const Json& one : seeds_["cases"]) {
    const std::string kind = one["kind"];
    if (!arguments.only.empty() &&
        ("," + arguments.only + ",").find("," + kind + ",") == std::string::npos)
      continue;
    auto at = std::find(kinds_.begin(), kinds_.end(), kind);
    if (at == kinds_.end()) {
      kinds_.push_back(kind);
      cases_.emplace_back();
      at = kinds_.end() - 1;
    }
    cases_[static_cast<std::size_t>(at - kinds_.begin())].push_back(&one);
  }
  Diagnostics problems;
  engine_ = Engine::create({}, problems);
  std::filesystem::create_directories(arguments.folder);
}

Json Driver::question(int kind, long index, Draw& draw) const {
  const auto& cases = cases_[static_cast<std::size_t>(kind)];
  const Json& seed = *cases[static_cast<std::size_t>(index) % cases.size()];
  Json asked = seed["case"];
  asked.erase("sets");
  asked.erase("overlay");
  Mutator mutator(draw, words_);
  const int pool = seed["pool"];
  if (!asked["files"].empty() && draw.share() < 0.97) {
    auto& text = asked["files"].begin().value();
    static const std::vector<std::string> kNone;
    const auto& others = pool < 0 ? kNone : pools_[static_cast<std::size_t>(pool)];
    text = mutator.mutate(text.get<std::string>(), others);
  }
  change_options(asked, draw, mutator);
  if (asked["options"].contains("scenario") && draw.share() < 0.1) {
    std::string key = draw.of(words_);
    while (draw.below(2) == 0) key += "." + draw.of(words_);
    asked["set"].push_back(key + "=" + mutator.value());
  }
  asked["options"]["reproducible"] = true;
  asked["options"]["threads"] = 1;
  return asked;
}

// An option, now and then, and more often where there is no file.
void Driver::change_options(Json& asked, Draw& draw, Mutator& mutator) const {
  auto& options = asked["options"];
  if (options.empty() || draw.share() > (asked["files"].empty() ? 0.5 : 0.05)) return;
  auto at = options.begin();
  std::advance(at, static_cast<long>(draw.below(options.size())));
  if (!at.value().is_primitive() || at.value().is_boolean()) return;
  static const std::vector<double> kFactors{0, 0.5, 1, 2, 3, 10, 1e4, -1};
  if (at.value().is_number() && draw.below(2) == 0)
    at.value() = at.value().get<double>() * draw.of(kFactors);
  else
    at.value() = draw.below(2) == 0 ? draw.of(words_) : mutator.value();
}

Json Driver::ask(const Json& asked, double* seconds) {
  const std::string text = asked.dump(-1, ' ', false, Json::error_handler_t::replace);
  const double before = cpu_now();
  Diagnostics problems;
  std::string reply;
  const auto styled = question_from_json(text, {}, problems);
  const auto answer = styled ? engine_->ask(styled->question, problems) : std::nullopt;
  reply = answer ? to_json(*answer, styled->style) : to_json(problems);
  if (seconds != nullptr) *seconds = cpu_now() - before;
  return Json::parse(reply);
}

void Driver::try_one(int kind) {
  Count& count = shared_.counts[kind];
  const long index = count.asked++;
  shared_.kind = kind;
  shared_.index = index;
  Draw draw(arguments_.seed * 1'000'003 + static_cast<std::uint64_t>(index) * 7919 +
            std::hash<std::string>()(kinds_[static_cast<std::size_t>(kind)]));
  const Json asked = question(kind, index, draw);
  const itimerval bound{{}, {kMostSeconds, 0}};
  setitimer(ITIMER_VIRTUAL, &bound, nullptr);
  forget_most();
  const double before = megabytes_at_most();
  double seconds = 0;
  try {
    const Json document = ask(asked, &seconds);
    const double grown = megabytes_at_most() - before;
    if (document.contains("errors")) {
      count.refusal_seconds = std::max(count.refusal_seconds, seconds);
      count.refusal_megabytes = std::max(count.refusal_megabytes, grown);
      for (const auto& one : wrong_with_refusal(document, asked["files"])) keep(kind, asked, one);
      const bool is_input =
          !document["errors"].empty() && document["errors"][0].value("exit_status", 0) == 2;
      if (is_input && seconds > kRefusalSeconds)
        keep(kind, asked, fmt::format("price: {:.1f} s of CPU to refuse", seconds));
      if (is_input && grown > kRefusalMegabytes)
        keep(kind, asked, fmt::format("price: {:.0f} MB to refuse", grown));
    } else {
      ++count.answered;
      hold_to_all(kind, index, asked, document, draw);
    }
  } catch (const std::bad_alloc&) {
    keep(kind, asked, "dies: no memory is left");
  } catch (const std::exception& fault) {
    keep(kind, asked, std::string("dies: ") + fault.what());
  }
  count.cpu += std::max(kLeastCpu, seconds);
  count.slowest = std::max(count.slowest, seconds);
}

void Driver::hold_to_all(int kind, long index, const Json& asked, const Json& document,
                         Draw& draw) {
  Count& count = shared_.counts[kind];
  for (const auto& one : wrong_with_answer(document)) keep(kind, asked, one);
  std::string text;
  if (!asked["files"].empty()) text = asked["files"].begin().value().get<std::string>();
  if (document["answer"].is_object())
    for (const auto& one : faster_than_light(document, seeds_["chips"], text))
      keep(kind, asked, one);
  if (index % kTableEvery == 0) {
    Diagnostics problems;
    const auto styled = question_from_json(
        asked.dump(-1, ' ', false, Json::error_handler_t::replace), {}, problems);
    const auto answer = styled ? engine_->ask(styled->question, problems) : std::nullopt;
    const auto table =
        answer ? to_text(*answer, Format::kTable, styled->style) : Result<std::string>("");
    ++count.tables;
    for (const auto& one : wrong_with_table(asked["verb"], table ? *table : ""))
      keep(kind, asked, one);
  }
  if (draw.below(kLawEvery) == 0) {
    double more = 0;
    const Ask again = [&](const Json& other) {
      double seconds = 0;
      Json then = ask(other, &seconds);
      more += seconds;
      return then;
    };
    for (const auto& one : worse_with_more(asked, document, draw, again, count.laws))
      keep(kind, asked, one);
    count.cpu += more;
  }
  if (count.answered % kSampleEvery == 1) sample(document);
}

void Driver::sample(const Json& document) {
  std::ofstream(arguments_.folder + "/samples.jsonl", std::ios::app) << document.dump() << "\n";
}

// The first of each kind of failure.
void Driver::keep(int kind, const Json& asked, const std::string& complaint) {
  ++shared_.counts[kind].failed;
  const std::string& name = kinds_[static_cast<std::size_t>(kind)];
  std::string key =
      name + ":" + complaint.substr(0, std::min(complaint.find(" is "), std::size_t{48}));
  std::replace_if(
      key.begin(), key.end(), [](char one) { return one >= '0' && one <= '9'; }, '#');
  for (int i = 0; i < shared_.failures; ++i)
    if (key.substr(0, 95) == shared_.seen[i]) return;
  if (shared_.failures == kMostFailures) return;
  std::snprintf(shared_.seen[shared_.failures++], 96, "%s", key.c_str());
  Json written = asked;
  written["options"].erase("reproducible");
  written["options"].erase("threads");
  if (written.contains("set")) {
    written["sets"] = written["set"];
    written.erase("set");
  }
  std::string file =
      fmt::format("{}-{}-{}.json", name, complaint.substr(0, complaint.find(':')), shared_.index);
  std::replace(file.begin(), file.end(), ' ', '-');
  std::ofstream(arguments_.folder + "/" + file)
      << written.dump(1, ' ', true, Json::error_handler_t::replace);
  fmt::print("FAILS {} {}: {}\n", name, shared_.index, complaint.substr(0, 300));
  std::fflush(stdout);
}

int Driver::next_kind() const {
  int next = -1;
  for (int kind = 0; kind < static_cast<int>(kinds_.size()); ++kind) {
    if (shared_.counts[kind].asked >= arguments_.most) continue;
    if (next < 0 || shared_.counts[kind].cpu < shared_.counts[next].cpu) next = kind;
  }
  return next;
}

volatile std::sig_atomic_t stopped = 0;

void Driver::work(double until) {
  while (stopped == 0 && static_cast<double>(std::time(nullptr)) < until) {
    const int kind = next_kind();
    if (kind < 0) return;
    try_one(kind);
  }
}

int Driver::run() {
  const double until = static_cast<double>(std::time(nullptr)) + arguments_.seconds;
  const auto stop = [](int) { stopped = 1; };
  std::signal(SIGTERM, stop);
  std::signal(SIGINT, stop);
  while (true) {
    std::fflush(stdout);
    const pid_t worker = fork();
    if (worker == 0) {
      const rlimit memory{kMemory, kMemory}, none{0, 0};
      setrlimit(RLIMIT_AS, &memory);
      setrlimit(RLIMIT_CORE, &none);
      work(until);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    while (waitpid(worker, &status, 0) < 0) kill(worker, SIGTERM);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    Draw draw(arguments_.seed * 1'000'003 + static_cast<std::uint64_t>(shared_.index) * 7919 +
              std::hash<std::string>()(kinds_[static_cast<std::size_t>(shared_.kind)]));
    keep(shared_.kind, question(shared_.kind, shared_.index, draw),
         signal == SIGVTALRM
             ? std::string("dies: takes too long")
             : fmt::format("dies: with signal {}, status {}", signal, WEXITSTATUS(status)));
    shared_.counts[shared_.kind].cpu += 1;
  }
  report();
  return shared_.failures > 0 ? 1 : 0;
}

// A question by its kind and index, as it is asked.
int Driver::show_one() {
  const auto kind = std::find(kinds_.begin(), kinds_.end(), arguments_.one) - kinds_.begin();
  Draw draw(arguments_.seed * 1'000'003 + static_cast<std::uint64_t>(arguments_.index) * 7919 +
            std::hash<std::string>()(arguments_.one));
  const Json asked = question(static_cast<int>(kind), arguments_.index, draw);
  fmt::print("{}\n{}\n", asked.dump(1), ask(asked, nullptr).dump(1));
  return 0;
}

void Driver::report() const {
  const bool md = arguments_.markdown;
  fmt::print(
      "{}",
      md ? "| question | asked | answered | laws | tables | slowest, s of CPU | dearest refusal, s "
           "| "
           "largest refusal, MB | failed |\n|---|---|---|---|---|---|---|---|---|\n"
         : "question: asked, answered, laws, tables, slowest, refusal s, refusal MB, failed\n");
  Count all{};
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const Count& one = shared_.counts[i];
    fmt::print("{}{} | {} | {} | {} | {} | {:.2f} | {:.2f} | {:.0f} | {}{}\n", md ? "| " : "",
               kinds_[i], one.asked, one.answered, one.laws, one.tables, one.slowest,
               one.refusal_seconds, one.refusal_megabytes, one.failed, md ? " |" : "");
    all.asked += one.asked;
    all.answered += one.answered;
    all.laws += one.laws;
    all.cpu += one.cpu;
  }
  fmt::print(
      "\nseed {}: {} questions, {} answered, {} comparisons by laws, {:.0f} s of CPU, {} kinds of "
      "failure\n",
      arguments_.seed, all.asked, all.answered, all.laws, all.cpu, shared_.failures);
}

Arguments read_arguments(int count, char** words) {
  Arguments read;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto next = [&] { return std::string(i + 1 < count ? words[++i] : ""); };
    if (word == "--seconds")
      read.seconds = std::stod(next());
    else if (word == "--seed")
      read.seed = std::stoull(next());
    else if (word == "--only")
      read.only = next();
    else if (word == "--folder")
      read.folder = next();
    else if (word == "--most")
      read.most = std::stol(next());
    else if (word == "--markdown")
      read.markdown = true;
    else if (word == "--one")
      read.one = next(), read.index = std::stol(next());
    else
      read.seeds = word;
  }
  return read;
}

}  // namespace
}  // namespace loadfactor::fuzz

int main(int count, char** words) {
  using namespace loadfactor::fuzz;
  void* region =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (region == MAP_FAILED) return 4;
  const Arguments arguments = read_arguments(count, words);
  if (arguments.seeds.empty()) {
    fmt::print(stderr,
               "question_driver SEEDS [--seconds N] [--seed N] [--only KIND,KIND] [--folder DIR] "
               "[--most N]\n");
    return 2;
  }
  Driver driver(arguments, *static_cast<Shared*>(region));
  return arguments.one.empty() ? driver.run() : driver.show_one();
}
