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
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counts.h"
#include "laws.h"
#include "loadfactor/engine.h"
#include "mutator.h"
#include "oracles.h"
#include "questions.h"
#include "schemas.h"

namespace loadfactor::fuzz {
namespace {

constexpr int kMostSeconds = 60;       // CPU time of any one question.
constexpr int kNothingFeasible = 3;    // The highest status of an answer.
constexpr int kRefused = 2;            // The status of refused input, which may cost
constexpr double kRefusalSeconds = 2;  // The same, where it is refused,
constexpr double kRefusalMegabytes = 500;
constexpr rlim_t kMemory = rlim_t{4096} << 20;
constexpr double kLeastCpu = 0.0002;  // That a question counts with, so that none starves.
constexpr int kTableEvery = 50, kLawEvery = 5, kSchemaEvery = 5, kAgainEvery = 50,
              kSampleEvery = 500;
constexpr int kNoteEvery = 60;  // Seconds.

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

// `catalog show` prints a file of the catalogue, whose lines are its own.
bool is_file_as_it_is(const Json& asked) {
  const Json& options = asked["options"];
  return asked["verb"] == "catalog" && options.contains("words") && options["words"].is_array() &&
         !options["words"].empty() && options["words"][0] == "show";
}

class Driver {
 public:
  Driver(const Arguments& arguments, Shared& shared);
  int run();
  int show_one();

 private:
  std::optional<Answer> answer_of(const Json& asked, Diagnostics& problems, Style& style) const;
  Json ask(const Json& asked, double& seconds) const;
  void try_one(std::size_t kind);
  void hold_refusal(std::size_t kind, const Json& asked, const Json& document, double seconds,
                    double megabytes);
  void hold_answer(std::size_t kind, const Json& asked, const Json& document);
  void hold_table(std::size_t kind, const Json& asked);
  void hold_again(std::size_t kind, const Json& asked, const Json& document);
  void hold_laws(std::size_t kind, const Json& asked, const Json& document, Draw& draw);
  void keep(std::size_t kind, const Json& asked, const std::string& complaint);
  void write_case(const std::string& name, Json asked, const std::string& complaint) const;
  void work(double until);
  std::optional<std::size_t> next_kind() const;
  void note() const;
  std::string report() const;

  Arguments arguments_;
  Shared& shared_;
  Questions questions_;
  AnswerSchemas schemas_;
  std::unique_ptr<Engine> engine_;
};

Driver::Driver(const Arguments& arguments, Shared& shared)
    : arguments_(arguments),
      shared_(shared),
      questions_(Json::parse(std::ifstream(arguments.seeds)), arguments.only, arguments.seed),
      schemas_(questions_.schemas()) {
  Diagnostics problems;
  engine_ = Engine::create({}, problems);
  std::filesystem::create_directories(arguments.folder);
}

std::optional<Answer> Driver::answer_of(const Json& asked, Diagnostics& problems,
                                        Style& style) const {
  const auto styled =
      question_from_json(asked.dump(-1, ' ', false, Json::error_handler_t::replace), {}, problems);
  if (!styled) return std::nullopt;
  style = styled->style;
  return engine_->ask(styled->question, problems);
}

Json Driver::ask(const Json& asked, double& seconds) const {
  const double before = cpu_now();
  Diagnostics problems;
  Style style;
  const auto answer = answer_of(asked, problems, style);
  if (answer && (answer->exit_status() < 0 || answer->exit_status() > kNothingFeasible))
    throw std::runtime_error(fmt::format("an answer of status {}", answer->exit_status()));
  const std::string reply = answer ? to_json(*answer, style) : to_json(problems);
  seconds += cpu_now() - before;
  return Json::parse(reply);
}

void Driver::try_one(std::size_t kind) {
  Count& count = shared_.counts[kind];
  shared_.kind = kind;
  shared_.index = count.asked++;
  Draw draw = questions_.draw_of(kind, shared_.index);
  const Json asked = questions_.make(kind, shared_.index, draw);
  const itimerval bound{{}, {kMostSeconds, 0}};
  setitimer(ITIMER_VIRTUAL, &bound, nullptr);
  forget_most();
  const double before = megabytes_at_most();
  double seconds = 0;
  try {
    const Json document = ask(asked, seconds);
    if (document.contains("errors")) {
      hold_refusal(kind, asked, document, seconds, megabytes_at_most() - before);
    } else {
      hold_answer(kind, asked, document);
      if (shared_.index % kTableEvery == 0 && !is_file_as_it_is(asked)) hold_table(kind, asked);
      if (shared_.index % kAgainEvery == 1) hold_again(kind, asked, document);
      if (draw.below(kLawEvery) == 0) hold_laws(kind, asked, document, draw);
    }
  } catch (const std::bad_alloc&) {
    keep(kind, asked, "dies: no memory is left");
  } catch (const std::exception& fault) {
    keep(kind, asked, std::string("dies: ") + fault.what());
  }
  count.cpu += std::max(kLeastCpu, seconds);
  count.slowest = std::max(count.slowest, seconds);
}

void Driver::hold_refusal(std::size_t kind, const Json& asked, const Json& document, double seconds,
                          double megabytes) {
  Count& count = shared_.counts[kind];
  count.refusal_seconds = std::max(count.refusal_seconds, seconds);
  count.refusal_megabytes = std::max(count.refusal_megabytes, megabytes);
  for (const auto& one : wrong_with_refusal(document, asked["files"])) keep(kind, asked, one);
  const Json& errors = document["errors"];
  if (errors.empty() || errors[0].value("exit_status", 0) != kRefused) return;
  if (seconds > kRefusalSeconds)
    keep(kind, asked, fmt::format("price: {:.1f} s of CPU to refuse", seconds));
  if (megabytes > kRefusalMegabytes)
    keep(kind, asked, fmt::format("price: {:.0f} MB to refuse", megabytes));
}

void Driver::hold_answer(std::size_t kind, const Json& asked, const Json& document) {
  Count& count = shared_.counts[kind];
  for (const auto& one : wrong_with_answer(document)) keep(kind, asked, one);
  const Json& files = asked["files"];
  const std::string text = files.empty() ? "" : files.begin().value().get<std::string>();
  if (document["answer"].is_object())
    for (const auto& one : faster_than_light(document, questions_.chips(), text))
      keep(kind, asked, one);
  if (count.answered % kSchemaEvery == 0) {
    ++count.schemas;
    for (const auto& one : schemas_.wrong_with(document)) keep(kind, asked, one);
  }
  if (count.answered++ % kSampleEvery == 0)
    std::ofstream(arguments_.folder + "/samples.jsonl", std::ios::app) << document.dump() << "\n";
}

void Driver::hold_table(std::size_t kind, const Json& asked) {
  Diagnostics problems;
  Style style;
  const auto answer = answer_of(asked, problems, style);
  const auto table = answer ? to_text(*answer, Format::kTable, style) : Result<std::string>("");
  ++shared_.counts[kind].tables;
  for (const auto& one : wrong_with_table(asked["verb"], table ? *table : ""))
    keep(kind, asked, one);
}

// The same question has the same answer, on several threads, too.
void Driver::hold_again(std::size_t kind, const Json& asked, const Json& document) {
  Json other = asked;
  other["options"]["threads"] = 3;
  double seconds = 0;
  const Json again = ask(other, seconds);
  shared_.counts[kind].cpu += seconds;
  const Json difference = Json::diff(document, again);
  if (!difference.empty())
    keep(kind, asked, "again: three threads answer otherwise: " + difference[0].dump());
}

void Driver::hold_laws(std::size_t kind, const Json& asked, const Json& document, Draw& draw) {
  Count& count = shared_.counts[kind];
  double seconds = 0;
  const Ask again = [&](const Json& other) { return ask(other, seconds); };
  for (const auto& one : worse_with_more(asked, document, draw, again, count.laws))
    keep(kind, asked, one);
  count.cpu += seconds;
}

// The first of each kind of failure.
void Driver::keep(std::size_t kind, const Json& asked, const std::string& complaint) {
  ++shared_.counts[kind].failed;
  const std::string& name = questions_.kinds()[kind];
  std::string key =
      name + ":" + complaint.substr(0, std::min(complaint.find(" is "), std::size_t{48}));
  std::replace_if(
      key.begin(), key.end(), [](char one) { return one >= '0' && one <= '9'; }, '#');
  for (int i = 0; i < shared_.failures; ++i)
    if (key.substr(0, kKeyLength - 1) == shared_.seen[i]) return;
  if (shared_.failures == kMostFailures) return;
  std::snprintf(shared_.seen[shared_.failures++], kKeyLength, "%s", key.c_str());
  write_case(name, asked, complaint);
  fmt::print("FAILS {} {}: {}\n", name, shared_.index, complaint.substr(0, 300));
  std::fflush(stdout);
}

// As `fuzz_verbs.py --replay` reads it.
void Driver::write_case(const std::string& name, Json asked, const std::string& complaint) const {
  asked["options"].erase("reproducible");
  asked["options"].erase("threads");
  asked["sets"] = asked.contains("set") ? asked["set"] : Json::array();
  asked.erase("set");
  std::string file =
      fmt::format("{}-{}-{}.json", name, complaint.substr(0, complaint.find(':')), shared_.index);
  std::replace(file.begin(), file.end(), ' ', '-');
  std::ofstream(arguments_.folder + "/" + file)
      << asked.dump(1, ' ', true, Json::error_handler_t::replace);
}

std::optional<std::size_t> Driver::next_kind() const {
  std::optional<std::size_t> next;
  for (std::size_t kind = 0; kind < questions_.kinds().size(); ++kind) {
    if (shared_.counts[kind].asked >= arguments_.most) continue;
    if (!next || shared_.counts[kind].cpu < shared_.counts[*next].cpu) next = kind;
  }
  return next;
}

volatile std::sig_atomic_t stopped = 0;

void Driver::work(double until) {
  std::time_t noted = std::time(nullptr);
  while (stopped == 0 && static_cast<double>(std::time(nullptr)) < until) {
    const auto kind = next_kind();
    if (!kind) return;
    try_one(*kind);
    if (std::time(nullptr) < noted + kNoteEvery) continue;
    noted = std::time(nullptr);
    note();
  }
}

void Driver::note() const {
  std::ofstream(arguments_.folder + "/counts.md") << report();
}

int Driver::run() {
  const double until = static_cast<double>(std::time(nullptr)) + arguments_.seconds;
  struct sigaction stop {};
  stop.sa_handler = [](int) { stopped = 1; };  // And the wait below is not taken up again.
  sigaction(SIGTERM, &stop, nullptr);
  sigaction(SIGINT, &stop, nullptr);
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
    Draw draw = questions_.draw_of(shared_.kind, shared_.index);
    keep(shared_.kind, questions_.make(shared_.kind, shared_.index, draw),
         signal == SIGVTALRM
             ? std::string("dies: takes too long")
             : fmt::format("dies: with signal {}, status {}", signal, WEXITSTATUS(status)));
    shared_.counts[shared_.kind].cpu += 1;
  }
  note();
  fmt::print("{}", report());
  return shared_.failures > 0 ? 1 : 0;
}

// A question by its kind and index, as it is asked.
int Driver::show_one() {
  const auto& kinds = questions_.kinds();
  const auto kind = std::find(kinds.begin(), kinds.end(), arguments_.one) - kinds.begin();
  if (kind == std::ssize(kinds)) return 2;
  Draw draw = questions_.draw_of(static_cast<std::size_t>(kind), arguments_.index);
  const Json asked = questions_.make(static_cast<std::size_t>(kind), arguments_.index, draw);
  double seconds = 0;
  fmt::print("{}\n{}\n", asked.dump(1), ask(asked, seconds).dump(1));
  return 0;
}

// Printed at the end, and kept in the folder now and then: whoever ends the driver, its table
// stays.
std::string Driver::report() const {
  return table_of(shared_, questions_.kinds(), arguments_.seed, arguments_.markdown);
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
