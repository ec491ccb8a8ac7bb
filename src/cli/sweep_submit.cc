// `sweep --submit`: a job of a batch system, which is submitted, waited for and collected.
//
// All that is known of a job lies in a folder beside the results: its script, its number and the
// parts that its elements write. The same command, given again, goes on from there.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "cli/batch_queue.h"
#include "cli/interrupt.h"
#include "cli/session/files.h"
#include "cli/sweep_flags.h"
#include "launch/submit/sweep_job.h"

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kShards = 64;
constexpr int kTries = 3;

std::string absolute(const std::string& path) {
  return fs::absolute(path).lexically_normal().string();
}

std::string own_program() {
  std::error_code failed;
  const auto path = fs::read_symlink("/proc/self/exe", failed);
  return failed ? "loadfactor" : path.string();
}

std::string claim_of(const SweepFlags& flags) {
  return flags.claim.empty() ? "loadfactor-sweep" : flags.claim;
}

launch::SweepJob job_of(const Session& session, const SweepFlags& flags,
                        const LoadedSweep& loaded) {
  launch::SweepJob job;
  job.name = loaded.table->identity().name;
  job.digest = loaded.table->identity().digest;
  job.sweep = absolute(flags.path);
  job.shards = flags.shards > 0 ? flags.shards : kShards;
  const sweep::Identity& identity = loaded.table->identity();
  const auto cases = sweep::counting_cases(identity).value_or(identity.cases);
  job.shards = static_cast<int>(std::clamp<std::int64_t>(cases, 1, job.shards));
  for (const std::string& folder : session.options().catalog_folders) {
    job.options.emplace_back("--catalog");
    job.options.push_back(absolute(folder));
  }
  if (flags.retry_failed) job.options.emplace_back("--retry-failed");
  job.options.emplace_back("--quiet");
  for (const std::string& setting : flags.sbatch)
    job.settings.push_back(launch::without_dashes(setting));
  return job;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// Files as pods see them: below the folder that holds the sweep and all that it names.
Result<launch::PodPlace> pod_place(const SweepFlags& flags, const LoadedSweep& loaded,
                                   launch::SweepJob& job) {
  const fs::path folder = fs::path(job.sweep).parent_path();
  std::vector<std::string> paths{job.sweep};
  for (const auto& [name, digest] : loaded.table->maker().inputs())
    if (digest != sweep::kMissingInput) paths.push_back(absolute((folder / name).string()));
  fs::path root = folder;
  for (const std::string& path : paths)
    while (!is_below(path, root) && root != root.root_path()) root = root.parent_path();
  launch::PodPlace place{.image = flags.image.empty() ? "IMAGE" : flags.image,
                         .claim = claim_of(flags)};
  place.upload = flags.upload;
  place.download = flags.download;
  for (const std::string& path : paths) {
    TRY(const std::string text, read_file(path));
    place.files.push_back({fs::path(path).lexically_relative(root).string(), text});
  }
  job.sweep = place.files.front().path;
  return place;
}

class ArraySubmission {
 public:
  ArraySubmission(Session& session, const SweepFlags& flags, const LoadedSweep& loaded,
                  const std::string& path)
      : session_(session),
        flags_(flags),
        loaded_(loaded),
        results_(path),
        job_(job_of(session, flags, loaded)) {
    place_.program = own_program();
    place_.folder = absolute(path) + ".slurm";
    place_.threads = std::max(1, flags.jobs);
  }

  std::string script() const { return launch::array_script(job_, place_); }

  Result<bool> run() {
    TRY([[maybe_unused]] const bool written, write_script());
    TRY([[maybe_unused]] const bool joined, join_running_job());
    bool retries = flags_.retry_failed;
    for (int attempt = 0; attempt < (flags_.tries > 0 ? flags_.tries : kTries); ++attempt) {
      TRY(const auto shards, open_shards(retries));
      retries = false;
      if (shards.empty()) return collect();
      if (stop_flag().load()) break;
      TRY(const std::string number,
          submit_array(place_.folder + "/job.sbatch", launch::array_indices(shards)));
      TRY([[maybe_unused]] const bool kept, write_file(place_.folder + "/job.txt", number));
      session_.tell(fmt::format("{} {} of {} as job {}", attempt == 0 ? "submitted" : "resubmitted",
                                counted(std::ssize(shards), "shard"), job_.shards, number));
      TRY([[maybe_unused]] const bool waited, wait_for(number));
      if (stop_flag().load()) break;
    }
    TRY(const auto left, open_shards(false));
    if (left.empty()) return collect();
    if (stop_flag().load())
      return Error{.code = kCancelled,
                   .message = "no longer waiting: the job goes on",
                   .hint = "the same command waits for it again and collects"};
    return Error{
        .code = lf::kCannotWrite,
        .message = fmt::format("{} did not finish: shards {}", counted(std::ssize(left), "shard"),
                               launch::array_indices(left)),
        .hint = fmt::format("their logs are {}/shard-*.log; the same command tries again",
                            place_.folder)};
  }

 private:
  // A job of other shards would write other cases into the same parts.
  Result<bool> write_script() {
    std::error_code failed;
    fs::create_directories(place_.folder, failed);
    if (failed)
      return Error{.code = lf::kCannotWrite,
                   .message = fmt::format("cannot make '{}'", place_.folder)};
    const std::string count = std::to_string(job_.shards);
    const auto before = read_file(place_.folder + "/shards.txt");
    if (before && *before != count)
      return Error{.code = lf::kUsage,
                   .message = fmt::format("'{}' was submitted in {} shards", results_, *before),
                   .hint = fmt::format("--shards {}, or another -o", *before)};
    TRY([[maybe_unused]] const bool counted_in, write_file(place_.folder + "/shards.txt", count));
    return write_file(place_.folder + "/job.sbatch", script());
  }

  // Where an earlier command was interrupted, its job may still run.
  Result<bool> join_running_job() {
    const auto number = read_file(place_.folder + "/job.txt");
    if (!number || number->empty()) return true;
    TRY(const int left, elements_left(*number));
    if (left == 0) return true;
    session_.tell(fmt::format("job {} still runs", *number));
    return wait_for(*number);
  }

  // Shards with a case that is not done, or that failed where those are tried again. A part from
  // when a file was missing is opened by its shard, so that all parts are of one sweep.
  Result<std::vector<int>> open_shards(bool failed_too) const {
    std::vector<int> open;
    for (int shard = 0; shard < job_.shards; ++shard) {
      std::vector<std::int64_t> done;
      bool is_tried_again = false;
      const std::string path = place_.part(shard);
      // An element that was lost before its first commit left nothing to read.
      const auto part = sweep::Results::read_from(path);
      if (part) {
        const sweep::Identity& asked = loaded_.table->identity();
        const bool is_same = part->identity().is_same(asked);
        if (!is_same && !(flags_.retry_failed && asked.completes(part->identity())))
          return sweep::other_sweep(path, part->identity(), asked);
        TRY(sweep::Census census, part->census());
        is_tried_again = !is_same || (failed_too && !census.errors.empty());
        done = std::move(census.done);
      }
      const bool is_open = !loaded_.table->open_cases(done, shard, job_.shards).empty();
      if (is_open || is_tried_again) open.push_back(shard);
    }
    return open;
  }

  Result<bool> wait_for(const std::string& number) const {
    using std::chrono::milliseconds;
    milliseconds pause{250};
    int before = -1;
    while (!stop_flag().load()) {
      TRY(const int left, elements_left(number));
      if (left == 0) return true;
      if (left != before)
        session_.tell(fmt::format("job {}: {} left", number, counted(left, "shard")));
      before = left;
      std::this_thread::sleep_for(pause);
      pause = std::min(milliseconds{10'000}, pause * 5 / 4);
    }
    return true;
  }

  Result<bool> collect() {
    std::vector<std::string> parts;
    for (int shard = 0; shard < job_.shards; ++shard)
      if (sweep::Results::read_from(place_.part(shard))) parts.push_back(place_.part(shard));
    if (parts.empty()) {
      session_.write("no case counts: there is nothing to run\n");
      return true;
    }
    // What was merged when a file was missing goes on as the parts did.
    if (std::error_code ignored; flags_.retry_failed && fs::exists(results_, ignored)) {
      TRY(auto earlier, sweep::Results::write_to(results_, loaded_.table->identity(), true));
      TRY([[maybe_unused]] const bool closed, earlier.finish());
    }
    TRY(const sweep::Tally tally, sweep::merge(parts, results_));
    session_.write(fmt::format("{}: {} from {}: {}. {}\n", loaded_.table->identity().name,
                               counted(tally.done, "case"), counted(std::ssize(parts), "shard"),
                               tally_text(tally), results_));
    return true;
  }

  Session& session_;
  const SweepFlags& flags_;
  const LoadedSweep& loaded_;
  std::string results_;
  launch::SweepJob job_;
  launch::ArrayPlace place_;
};

void submit_to_kubernetes(Session& session, const SweepFlags& flags, const LoadedSweep& loaded,
                          const std::string& path) {
  if (flags.upload.empty() != flags.download.empty())
    return session.fail(Error{.code = lf::kUsage,
                              .message = "a store needs --upload and --download",
                              .hint = "--upload 'aws s3 cp \"$PART\" \"s3://BUCKET/$NAME\"' "
                                      "--download 'aws s3 cp \"s3://BUCKET/$NAME\" \"$PART\"'"});
  if (!session.options().catalog_folders.empty())
    return session.fail(Error{
        .code = lf::kUsage,
        .message = "pods do not see the folder of --catalog",
        .hint = "put its files into ~/.config/loadfactor of your image, and leave --catalog out"});
  launch::SweepJob job = job_of(session, flags, loaded);
  const auto place = pod_place(flags, loaded, job);
  if (!place) return session.fail(place.error());
  const auto text = launch::indexed_job(job, *place);
  if (!text) return session.fail(text.error());
  if (flags.dry_run) return session.write(*text);
  if (flags.image.empty())
    return session.fail(Error{.code = lf::kUsage,
                              .message = "the pods need an image with loadfactor",
                              .hint = "--image REGISTRY/IMAGE, or --dry-run to see the job"});
  const std::string file = path + ".k8s.yaml";
  const auto written = write_file(file, *text);
  if (!written) return session.fail(written.error());
  const auto applied = output_of({"kubectl", "apply", "-f", file});
  if (!applied) return session.fail(applied.error());
  session.write(*applied);
  session.tell(fmt::format(
      "{} merges the shards {} once they are done; see {}", job.name,
      place->has_store() ? "in the store" : fmt::format("on the volume '{}'", place->claim), file));
}

}  // namespace

void submit_sweep(Session& session, const SweepFlags& flags, const LoadedSweep& loaded,
                  const std::string& path) {
  const auto refuse = [&](std::string message, std::string hint) {
    session.fail(Error{.code = lf::kUsage, .message = std::move(message), .hint = std::move(hint)});
  };
  for (const std::string& setting : flags.sbatch)
    if (std::any_of(setting.begin(), setting.end(),
                    [](unsigned char c) { return c < ' ' || c == '#'; }))
      return refuse("an option of sbatch is one line without '#'", "--sbatch partition=batch");
  for (const std::string& setting : flags.sbatch)
    if (const std::string taken = launch::taken_setting(setting); !taken.empty())
      return refuse(fmt::format("--submit sets sbatch's '{}' itself", taken),
                    "--shards N divides the cases; logs lie beside the results");
  if (flags.path == "-")
    return refuse("a sweep from stdin cannot be submitted", "write it to a file");
  if (!flags.shard.empty()) return refuse("--submit divides the cases itself", "--shards N");
  if (flags.submit == "kubernetes") return submit_to_kubernetes(session, flags, loaded, path);
  if (flags.submit != "slurm")
    return refuse(fmt::format("no engine '{}'", flags.submit), "slurm or kubernetes");
  ArraySubmission submission(session, flags, loaded, path);
  if (flags.dry_run) return session.write(submission.script());
  const StopOnInterrupt guard(StopOnInterrupt::Signals::kInterruptAndTerminate);
  const auto done = submission.run();
  if (!done) session.fail(done.error());
}

}  // namespace loadfactor::cli
