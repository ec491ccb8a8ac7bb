// A sweep on many machines: an array of Slurm, or an Indexed Job of Kubernetes.
//
// Every element runs one shard into a file of its own, goes on where an earlier try of it stopped,
// and what is left is merged. The schedulers' own means start again what was preempted.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor::launch {

// What the elements of a job run.
struct SweepJob {
  std::string name;         // The sweep's.
  std::string digest = {};  // Tells all that decides its rows.
  std::string sweep;        // Its file, as the elements see it.
  int shards = 1;
  std::vector<std::string> options;   // Further words of the command: `--catalog DIR`.
  std::vector<std::string> settings;  // Further options of sbatch, without their dashes.
};

// Where an array keeps its files.
struct ArrayPlace {
  std::string program;  // Absolute, as is the folder.
  std::string folder;
  int threads = 1;  // For one element.

  std::string part(int shard) const;
  // All parts, as the shell writes them.
  std::string parts() const;
};
std::string array_script(const SweepJob& job, const ArrayPlace& place);
// `--partition=batch` as `partition=batch`.
std::string without_dashes(const std::string& setting);
// The name of an option of sbatch that an array cannot do without and so sets itself, or nothing.
std::string taken_setting(const std::string& setting);
// `0-7`, `0-3,6`: elements of an array.
std::string array_indices(const std::vector<int>& shards);

// A file that pods see; paths are relative to a folder of theirs.
struct PodFile {
  std::string path;
  std::string text;
};
struct PodPlace {
  std::string image;  // `IMAGE` until somebody says which.
  std::string claim;  // A volume that all pods may write at the same time.
  std::vector<PodFile> files;
  // Instead of the volume, a store: shell commands that put the file $PART there as $NAME, and that
  // get it back, with a status other than 0 where it is not there.
  std::string upload;
  std::string download;

  bool has_store() const { return !upload.empty(); }
};
// A ConfigMap with the files, the job and the job that merges. LF603 where the files are too large
// for a ConfigMap or lie outside of one folder, LF521 where the manifest breaks a rule of its kind.
Result<std::string> indexed_job(const SweepJob& job, const PodPlace& place);

}  // namespace loadfactor::launch
