#include "mpi/mpi_crew.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "base/byte_string.h"
#include "mpi/work_list.h"

namespace loadfactor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kResults = 1;  // From a rank to rank 0: what it did; it asks for more.
constexpr int kItems = 2;    // Back: places and numbers; none at the end.
constexpr int kBye = 3;      // From a rank that has ended, and back when all have.
constexpr int kAll = 4;      // From rank 0: what all of them did.
// Short against a handful of items, and long against a look for messages, which costs CPU.
constexpr std::chrono::microseconds kPause{400};
// A message holds at most so many bytes; MPI counts them in an int.
constexpr std::size_t kMostBytes = 1U << 30U;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void send(const std::string& bytes, int rank, int tag) {
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, tag, MPI_COMM_WORLD);
}

// Whether a message waits; its sender and size.
bool is_waiting(int tag, int& rank, int& size) {
  int is_there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &is_there, &status);
  if (is_there == 0) return false;
  rank = status.MPI_SOURCE;
  MPI_Get_count(&status, MPI_BYTE, &size);
  return true;
}

// Nothing where the sender dies between the head of a message and its body: a long one is fetched
// from its sender, and a blocking receive would wait for it without end.
std::optional<std::string> receive(int rank, int size, int tag) {
  constexpr double kPatience = 10;
  auto bytes = std::make_unique<std::string>(static_cast<std::size_t>(size), '\0');
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(bytes->data(), size, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &request);
  const auto begin = Clock::now();
  int is_done = 0;
  for (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE); is_done == 0;
       MPI_Test(&request, &is_done, MPI_STATUS_IGNORE)) {
    if (seconds_since(begin) > kPatience) {
      MPI_Request_free(&request);
      (void)bytes.release();  // It is MPI's, which may write to it still.
      return std::nullopt;
    }
    std::this_thread::sleep_for(kPause);
  }
  return std::move(*bytes);
}

// Sleeps between looks, for a blocking receive would burn the core that a neighbour needs.
std::string wait_for(int tag) {
  int rank = 0;
  int size = 0;
  while (true) {
    while (!is_waiting(tag, rank, size)) std::this_thread::sleep_for(kPause);
    if (auto bytes = receive(rank, size, tag)) return *std::move(bytes);
  }
}

// Bytes of any number, to one rank.
void send_all(const std::string& bytes, int rank) {
  std::string size;
  put_value(size, static_cast<std::uint64_t>(bytes.size()));
  send(size, rank, kAll);
  for (std::size_t at = 0; at < bytes.size(); at += kMostBytes)
    send(bytes.substr(at, kMostBytes), rank, kAll);
}

std::string wait_for_all() {
  const std::string told = wait_for(kAll);
  std::string_view rest = told;
  const auto size = take_value<std::uint64_t>(rest);
  std::string bytes;
  while (bytes.size() < size) bytes += wait_for(kAll);
  return bytes;
}

// Rank 0's side of one farm.
class Server {
 public:
  Server(const std::vector<std::int64_t>& numbers, const Crew::Work& work, const Crew::Take& take,
         int ranks, const std::vector<int>& lost)
      : numbers_(numbers),
        work_(work),
        take_(take),
        list_(numbers.size(), ranks),
        is_released_(static_cast<std::size_t>(ranks), false),
        lost_(lost) {
    is_released_[0] = true;
    for (const int rank : lost) is_released_[static_cast<std::size_t>(rank)] = true;
  }

  void run(const std::function<bool()>& is_stopped) {
    std::thread own([this] { work_along(); });
    while (!list_.is_over()) {
      const bool is_busy = answer_one();
      take_own(is_busy ? std::chrono::microseconds(0) : kPause);
      if (is_stopped()) list_.close();
    }
    list_.close();
    own.join();
    take_own(std::chrono::microseconds(0));
  }

  // Tells everybody that it is over. Ranks that do not ask within a while are gone.
  std::vector<int> release(double patience) {
    const auto begin = Clock::now();
    std::vector<int> missing = waiting();
    for (; !missing.empty() && seconds_since(begin) < patience; missing = waiting())
      if (!answer_one()) std::this_thread::sleep_for(kPause);
    return missing;
  }
  double patience() const { return list_.patience(); }

 private:
  void work_along() {
    for (std::size_t place = 0; list_.take_own(place);) {
      const auto begin = Clock::now();
      std::string bytes = work_(numbers_[place]);
      list_.put_own(place, std::move(bytes), seconds_since(begin));
    }
  }

  void take_own(std::chrono::microseconds patience) {
    for (auto& [place, bytes] : list_.own_results(patience)) finish(place, 0, 0, std::move(bytes));
  }

  void finish(std::size_t place, int rank, double seconds, std::string bytes) {
    if (list_.finish(place, rank, seconds)) take_(numbers_[place], std::move(bytes));
  }

  // Takes what a rank did and gives it more; false where nobody asks.
  bool answer_one() {
    int rank = 0;
    int size = 0;
    if (!is_waiting(kResults, rank, size)) return false;
    const auto received = receive(rank, size, kResults);
    if (!received) return true;  // It is gone; release() will miss it.
    const std::string& message = *received;
    // Who was given up for lost may still be at the work of an earlier farm.
    if (std::find(lost_.begin(), lost_.end(), rank) != lost_.end()) return true;
    // It works on while its results are written.
    std::string items;
    for (const std::size_t place : list_.take_for(rank)) {
      put_value(items, static_cast<std::uint64_t>(place));
      put_value(items, numbers_[place]);
    }
    send(items, rank, kItems);
    if (items.empty()) is_released_[static_cast<std::size_t>(rank)] = true;
    std::string_view rest = message;
    const auto seconds = take_value<double>(rest);
    const auto count = take_value<std::uint64_t>(rest);
    while (!rest.empty()) {
      const auto place = take_value<std::uint64_t>(rest);
      const auto length = std::min<std::uint64_t>(take_value<std::uint64_t>(rest), rest.size());
      finish(place, rank, seconds / static_cast<double>(count),
             std::string(rest.substr(0, length)));
      rest.remove_prefix(length);
    }
    return true;
  }

  std::vector<int> waiting() const {
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < is_released_.size(); ++rank)
      if (!is_released_[rank]) ranks.push_back(static_cast<int>(rank));
    return ranks;
  }

  const std::vector<std::int64_t>& numbers_;
  const Crew::Work& work_;
  const Crew::Take& take_;
  WorkList list_;
  std::vector<bool> is_released_;
  const std::vector<int>& lost_;
};

}  // namespace

MpiCrew::MpiCrew(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

std::vector<int> MpiCrew::leave() {
  constexpr double kPatience = 20;
  if (rank_ > 0) {
    send({}, 0, kBye);
    wait_for(kBye);
    MPI_Finalize();
    return {};
  }
  std::vector<bool> is_here(static_cast<std::size_t>(size_), false);
  is_here[0] = true;
  const auto begin = Clock::now();
  auto missing = size_ - 1 - static_cast<int>(lost_.size());
  while (missing > 0 && seconds_since(begin) < kPatience) {
    int rank = 0;
    int size = 0;
    if (is_waiting(kBye, rank, size)) {
      (void)receive(rank, size, kBye);
      is_here[static_cast<std::size_t>(rank)] = true;
      --missing;
    } else {
      std::this_thread::sleep_for(kPause);
    }
  }
  lost_.clear();
  for (int rank = 0; rank < size_; ++rank)
    if (!is_here[static_cast<std::size_t>(rank)]) lost_.push_back(rank);
  if (!lost_.empty()) return lost_;
  for (int rank = 1; rank < size_; ++rank) send({}, rank, kBye);
  MPI_Finalize();
  return {};
}

void MpiCrew::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

void MpiCrew::work_on(const Work& work) const {
  std::string results;
  put_value(results, 0.0);
  put_value(results, std::uint64_t{0});
  while (true) {
    send(results, 0, kResults);
    const std::string items = wait_for(kItems);
    std::string_view rest = items;
    if (rest.empty()) return;
    results.clear();
    const auto begin = Clock::now();
    std::string done;
    std::uint64_t count = 0;
    while (!rest.empty()) {
      ++count;
      const auto place = take_value<std::uint64_t>(rest);
      const auto number = take_value<std::int64_t>(rest);
      const std::string bytes = work(number);
      put_value(done, place);
      put_value(done, static_cast<std::uint64_t>(bytes.size()));
      done += bytes;
    }
    put_value(results, seconds_since(begin));
    put_value(results, count);
    results += done;
  }
}

void MpiCrew::farm(const std::vector<std::int64_t>& numbers, const Work& work, const Take& take,
                   const std::function<bool()>& is_stopped) {
  if (rank_ > 0) return work_on(work);
  Server server(numbers, work, take, size_, lost_);
  server.run(is_stopped);
  constexpr double kHaste = 2;  // Whoever stops us stops the others, too.
  const auto missing = server.release(is_stopped() ? kHaste : server.patience());
  lost_.insert(lost_.end(), missing.begin(), missing.end());
}

std::vector<std::string> MpiCrew::share(std::size_t count, const Work& work) {
  std::vector<std::string> results(count);
  // One item is sooner done by everybody than sent around.
  if (count == 1) results[0] = work(0);
  if (count <= 1) return results;
  std::vector<std::int64_t> numbers(rank_ == 0 ? count : 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
  farm(
      numbers, work,
      [&](std::int64_t number, std::string bytes) {
        results[static_cast<std::size_t>(number)] = std::move(bytes);
      },
      [] { return false; });
  // One by one, so that a rank that is gone holds nobody up.
  std::string all;
  if (rank_ > 0) {
    all = wait_for_all();
  } else {
    for (const std::string& bytes : results) {
      put_value(all, static_cast<std::uint64_t>(bytes.size()));
      all += bytes;
    }
    for (int rank = 1; rank < size_; ++rank)
      if (std::find(lost_.begin(), lost_.end(), rank) == lost_.end()) send_all(all, rank);
  }
  std::string_view rest = all;
  for (std::string& bytes : results) {
    const auto length = std::min<std::uint64_t>(take_value<std::uint64_t>(rest), rest.size());
    bytes = rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return results;
}

}  // namespace loadfactor
