#!/bin/sh
# Breaks one rule of the simulator at a time; the exactness test must notice every one.
# Usage: tests/mutations.sh [WORD]   (only mutations whose name holds WORD)
# Needs g++, gtest and python3; takes a few minutes; writes below a temporary folder only.
set -eu
cd "$(dirname "$0")/.."
only="${1:-}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-std=c++20 -O1 -DNDEBUG -Isrc -Iinclude"
survivors=0
killed=0

for file in src/sim/*.cc src/serving/simulator/*.cc src/base/random.cc src/base/check.cc; do
  case "$file" in
    *_test.cc | */tabulate.cc | */trace_arrivals.cc) continue ;;
  esac
  g++ $flags -c "$file" -o "$work/$(basename "$file" .cc).o"
done
g++ $flags -c src/serving/simulator/exactness_test.cc -o "$work/exactness_test.o"
g++ "$work"/*.o -lgtest -lgtest_main -pthread -o "$work/sound"
"$work/sound" --gtest_brief=1 > /dev/null || { echo "the test fails before anything is broken"; exit 1; }

# try NAME FILE OLD NEW: OLD must stand in FILE exactly once.
try() {
  case "$1" in *"$only"*) ;; *) return 0 ;; esac
  mkdir -p "$work/src/$(dirname "$2")"
  python3 - "src/$2" "$work/src/$2" "$3" "$4" <<'PY'
import sys
source, target, old, new = sys.argv[1:5]
text = open(source).read()
assert text.count(old) == 1, (text.count(old), old)
open(target, "w").write(text.replace(old, new))
PY
  object="$work/$(basename "$2" .cc).o"
  case "$2" in *.h) object="$work/cluster.o"; g++ -I"$work/src" $flags -c src/serving/simulator/cluster.cc -o "$work/broken.o" ;;
    *) g++ $flags -c "$work/src/$2" -o "$work/broken.o" ;; esac
  cp "$object" "$work/kept"
  mv "$work/broken.o" "$object"
  g++ "$work"/*.o -lgtest -lgtest_main -pthread -o "$work/broken"
  mv "$work/kept" "$object"
  rm -rf "$work/src"
  if timeout 120 "$work/broken" --gtest_brief=1 > "$work/log" 2>&1; then
    survivors=$((survivors + 1))
    echo "SURVIVES: $1"
  else
    killed=$((killed + 1))
    echo "noticed:  $1"
  fi
}

skip=serving/simulator/skip_replica.cc
commit=serving/simulator/skip_commit.cc
plain=serving/simulator/plain_replica.cc
finish=serving/simulator/plain_finish.cc
scaler=serving/simulator/scaler.cc
links=serving/simulator/transfer_links.cc
cache=serving/simulator/prefix_cache.cc
routing=serving/simulator/cluster_routing.h
replicas=serving/simulator/cluster_replicas.h

try "skip: breakpoint of the cost ignored" $skip 'if (gap < k * decodes_) k = std::min(k, (gap + decodes_ - 1) / decodes_);' ''
try "skip: breakpoint one step late" $skip '(gap + decodes_ - 1) / decodes_);' 'gap / decodes_ + 1);'
try "skip: blocks ignored" $skip 'if (may_run_out && !reserves()) k = std::min(k, steps_within(free_));' ''
try "skip: cut one step late on a tie" $skip 'while (k > 1 && plan_.time(k - 1) >= gap) --k;' 'while (k > 1 && plan_.time(k - 1) > gap) --k; if (plan_.time(k) == gap) ++k;'
try "skip: square root not corrected" $skip 'while (plan_.time(k) < gap) ++k;' ''
try "skip: a run with an empty queue is closed" $skip 'is_queue_empty() && decodes_ < rules_.max_seqs,' 'is_queue_empty() && decodes_ + 1 < rules_.max_seqs,'
try "skip: admission in a step that preempted" $skip 'return true;  // and nobody is admitted in a step that preempted.' '(void)0;'
try "skip: oldest victim first" $skip 'if (!victims_.empty()) return victims_.back();' 'if (!victims_.empty()) return victims_.front();'
try "skip: watermark kept by an empty replica" $skip 'running() > 0 && !reserves() ? rules_.watermark_blocks : 0;' '!reserves() ? rules_.watermark_blocks : 0;'
try "skip: idle hits counted as free" $skip '- hits + idle_hits;' '- hits;'
try "skip: the whole prompt may be cached" $skip 'block_.full_blocks(p.target - 1));' 'block_.full_blocks(p.target));'
try "skip: a run does not pay its blocks" $commit 'if (is_run) take_blocks(blocks_in(plan_.steps));' ''
try "skip: blocks of the partial prompt lost" $commit 'free_ += block_.blocks_for(partial_.done) - partial_.shared;' ''
try "skip: a failure counts the step in flight" $commit 'advance(steps_done(now));' 'advance(std::min(plan_.steps, steps_done(now) + 1));'
try "skip: cache released in the wheel's order" $commit 'return a.serial < b.serial;' 'return a.serial > b.serial;'
try "skip: router sees blocks of steps not started" $commit 'is_boundary ? done : done + 1);' 'done + 1);'
try "plain: victim keeps its place in the budget" $plain 'budget_ += running_[victim].chunk;' ''
try "plain: priorities not looked at for victims" $plain 'if (rules_.has_priorities) return comes_before(b, a);' ''
try "plain: prompts admitted while others are swapped out" $plain 'if (!swapped_.empty()) return;' ''
try "plain: foreseen tokens forgotten" $plain 'need += rules_.watermark_blocks + foreseen_blocks(e);' 'need += rules_.watermark_blocks;'
try "plain: swapping is free" $plain 'totals_.swapped_blocks += kept;' ''
try "plain: a cancelled request stays for a step" $finish 'leaving_.push_back({e, Leaving::Way::kCancelled});' 'e.is_cancelled = false;'
try "plain: a failed replica keeps its cache" $finish '  cache_.clear();
  free_ = rules_.kv_blocks;' '  free_ = rules_.kv_blocks;'
try "cache: newest dropped first" $cache 'const std::int32_t i = oldest_;' 'const std::int32_t i = newest_;'
try "scaler: cooldown ignored" $scaler 'now - last_change_ < rules_.cooldown' 'false'
try "scaler: the load is seen at once" $scaler 'const std::int64_t visible = seen_.front().load;' 'const std::int64_t visible = seen_.back().load;'
try "links: the shared link is not shared" $links 'shared_ = start + common;' ''
try "router: load ignored beside the cache" $routing 'blocks - cached + group.rules->router.load_weight * load;' 'blocks - cached;'
try "router: round robin starts anew" $routing 'group.last_routed = at;' ''
try "deadline: first token is no excuse" $routing 'if (timer.place == 1 && r.first >= 0) return;' ''
try "replicas: a draining one is switched off with work" $replicas 'if (p.engine->load() > 0 || p.in_flight > 0) return;' 'if (p.engine->load() > 0) return;'
try "replicas: the pool has no bound" $replicas 'used + group.rules->gpus_per_replica <= rules_.pool_gpus' 'true'

echo "$killed noticed, $survivors survive"
[ "$survivors" -eq 0 ]
