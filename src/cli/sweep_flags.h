// What a user may say of a sweep, and what of it can be shown without running a case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/sweep_session.h"
#include "facade/forms/form.h"
#include "sweep/store/results.h"

namespace loadfactor::cli {

struct SweepFlags final : facade::Flags {
  SweepFlags() {
    positional(word("sweep", path, "a sweep; - reads stdin", "SWEEP"), false);
    word("shard", shard, "the cases n with n mod N = i, from 0/N", "i/N");
    number("jobs", jobs, "cases at a time; all cores if left out", "K", 1, 4096);
    flag("dry-run", dry_run, "how many cases, how long, how large; with --submit, the job itself");
    flag("status", status, "how far the results are");
    flag("resume", resume, "run what is not done yet: the default");
    flag("retry-failed", retry_failed, "run the cases that are errors again");
    word("export", export_to,
         "write the rows that are done to FILE as .csv or .jsonl, and run nothing", "FILE");
    word("submit", submit, "run on slurm or kubernetes, and collect", "ENGINE");
    number("shards", shards, "of a job that is submitted; 64, or one for each case", "N", 1,
           100000);
    number("tries", tries, "how often shards that failed are submitted to Slurm; 3", "N", 1, 100);
    words("sbatch", sbatch, "an option of sbatch: partition=batch", "OPTION");
    word("image", image, "the pods' image with loadfactor", "IMAGE");
    word("claim", claim, "the pods' volume claim, writable by all of them", "NAME");
    word("upload", upload, "instead: a command of the pods that stores the file $PART as $NAME",
         "COMMAND");
    word("download", download, "and one that gets $NAME back as $PART, or fails", "COMMAND");
  }
  std::string path;
  std::string shard;
  int jobs = 0;
  bool dry_run = false;
  bool status = false;
  bool resume = false;
  bool retry_failed = false;
  std::string export_to;
  std::string submit;
  int shards = 0;
  int tries = 0;
  std::vector<std::string> sbatch;
  std::string image;
  std::string claim;
  std::string upload;
  std::string download;
};

// LF603 for flags that contradict each other, or that what is asked for does not look at.
std::optional<Error> wrong_flags(const Session& session, const SweepFlags& flags);
// LF602 where a file that is to be written is one of these, or holds results.
std::optional<Error> would_overwrite(const std::string& to, const std::vector<std::string>& others);

// `98 answers, 0 no, 7 infeasible, 0 errors`.
std::string tally_text(const sweep::Tally& tally);
// `2 rows are damaged, so that their cases are open again: 3, 17`.
std::string damage_text(const std::vector<std::int64_t>& damaged);
// Cases at a time.
int jobs_of(const Session& session, const SweepFlags& flags);

// Cases spread over the sweep are run until enough time has passed to know what one takes.
void show_dry_run(Session& session, const SweepFlags& flags, const LoadedSweep& loaded,
                  const Shard& shard);
void show_status(Session& session, const LoadedSweep& loaded, const std::string& path,
                 const Shard& shard);

// The format that the suffix of a file names. LF603 where it names none.
Result<sweep::ExportFormat> export_format(const std::string& to);
// Rows of a file of results as another file, which is there in full or not at all.
void export_file(Session& session, const SweepFlags& flags, const LoadedSweep& loaded,
                 const std::string& from, sweep::ExportFormat format);

// Writes the job of an engine, submits it, waits for it, submits again what failed, and merges what
// it wrote into `path`; with --dry-run it is printed and nothing is submitted.
void submit_sweep(Session& session, const SweepFlags& flags, const LoadedSweep& loaded,
                  const std::string& path);

}  // namespace loadfactor::cli
