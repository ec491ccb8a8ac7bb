// What a script starts, held to what bash itself makes of the same text.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/shell/shell.h"

namespace loadfactor::launch {
namespace {

// The commands `run …` of a script as we read it, a line each, their words with bars between them.
std::string read_by_us(const std::string& script) {
  std::string all;
  for (const auto& command : read_shell(script).commands) {
    if (command.empty() || command.front().text != "run") continue;
    for (std::size_t i = 1; i < command.size(); ++i) all += '|' + command[i].text;
    all += '\n';
  }
  return all;
}

// The same as bash runs them.
std::string run_by_bash(const std::string& script) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("lf_shell_words_" + std::to_string(::getpid()) + ".sh");
  std::ofstream(file) << "run() { for w in \"$@\"; do printf '|%s' \"$w\"; done; echo; }\n"
                      << script;
  std::string out;
  FILE* pipe = popen(("env -i bash " + file.string() + " 2>&1").c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  const int status = pclose(pipe);
  std::filesystem::remove(file);
  EXPECT_EQ(WEXITSTATUS(status), 0) << out;
  return out;
}

class ShellWords : public ::testing::TestWithParam<const char*> {};

TEST_P(ShellWords, AreThoseThatBashWouldRun) {
  const std::string script = GetParam();
  const std::string expected = run_by_bash(script);
  EXPECT_FALSE(expected.empty()) << script;
  EXPECT_EQ(read_by_us(script), expected) << script;
}

constexpr const char* kScripts[] = {
    // Quotes, blanks and continued lines.
    "run a 'b c' \"d  e\" f\\ g\n",
    "run a'b'\"c\"d ''\n",
    "run --model \\\n  llama \\\n  --tp 2\n",
    "run a # a comment\nrun b\\#c\n",
    "run '{\"kv\": \"fp8\"}' \"it's\" 'say \"no\"'\n",
    "run a; run b\nrun c &\nwait\n",
    // Variables and what stands for those that are not set.
    "TP=4\nrun --tp $TP --pp ${TP}\n",
    "run ${TP:-8} ${PP-2} \"${EP:-a b}\"\n",
    "TP=\nrun ${TP:-8} a\"${TP-8}\"b\n",
    ": ${TP:=4}\nrun $TP\n",
    "A=1; B=$A$A; A=2\nrun $B $A\n",
    "ARGS='--tp 2 --pp 3'\nrun $ARGS\nrun \"$ARGS\"\n",
    "ARGS='--tp 2'\nARGS=\"$ARGS --pp 3\"\nARGS+=' --ep 4'\nrun $ARGS\n",
    "export TP=2 PP=3\nreadonly EP=4\nrun $TP $PP $EP\n",
    "TP= PP=2\nrun ${TP:-$PP} ${TP:=4} $TP ${TP:-8}\n",
    // What stands before a command is for it alone; what stands alone stays.
    "TP=2 run a\nrun ${TP:-none}\n",
    "TP=1\nTP=2 run $TP\n",
    "TP=1\nTP=2 run a\nrun $TP\n",
    "TP=1\nTP=2 TP=3 run a\nrun $TP\nTP=4 PP=5\nrun $TP $PP\n",
    "f() { run $TP; }\nTP=1\nTP=2 f\nf\n",
    "f() { run $TP; TP=7; }\nTP=2 f\nrun ${TP:-none}\n",
    "A=1\nA+=2 run a\nrun $A\n",
    "export TP=2\nTP=4 PP=8 run x\nrun $TP ${PP:-none}\n",
    "if true; then TP=2 run a; fi\nrun ${TP:-none}\n",
    "for i in 1 2; do TP=$i run a; done\nrun ${TP:-none} $i\n",
    // Braces are written out where they stand in no quotes.
    "run {a,b} x{1,2}y --tp={2,4}\n",
    "run {1..3} {3..1} {a..c} n{01..03} {1..7..3} {-1..1}\n",
    "run {a,b{1,2},c} {x,y}{1,2}\n",
    "run '{a,b}' \"{a,b}\" {a} {} {,} a{,b} \\{a,b\\} {a,b\n",
    "run {'a b',c} {\"x,y\",z}\n",
    "A={a,b}\nrun $A\nX=1\nrun {$X,2} {0..$X}\n",
    "A=({a,b} c)\nrun ${#A[@]} \"${A[@]}\"\n",
    "for x in {a,b}{1..2} '{c,d}'; do run $x; done\n",
    "if [[ {a,b} == '{a,b}' ]]; then run same; fi\n",
    "case x in {x,y}) run no ;; *) run other ;; esac\n",
    "run '{\"a\": 1, \"b\": 2}' {\"a\":1}\n",
    // Arrays.
    "A=(--tp 2 '--name' 'a b')\nrun ${A[0]} \"${A[@]}\"\n",
    "A=(x y)\nA+=(z)\nrun ${#A[@]} ${A[2]} \"${A[@]:1}\"\n",
    "A=(w x y z)\nrun \"${A[@]:1:2}\"\nN=2\nrun ${A[@]:N} \"${A[@]:4}\" end\n",
    "serve() { run --tp $1 \"${@:2}\"; }\nserve 2 a 'b c'\n",
    "A=()\nrun a \"${A[@]}\" b\n",
    // Sums.
    "N=2 G=8\nrun $((N * G)) $((N*G/4 - 1)) $(( (N + 1) * 2 ))\n",
    "N=3\n((N *= 2))\n((N++))\nlet N+=1\nrun $N\n",
    "N=7\nrun $((N % 4)) $((N / 2))\n",
    "serve() { run $((8000 + 1)) $(($1 * 2)) $((${2} - 1)); }\nserve 4 9\n",
    // Tests that the text decides.
    "TP=4\nif [ $TP -gt 2 ]; then run big; else run small; fi\n",
    "if [[ a == b ]]; then run a; elif [[ abc == a* ]]; then run b; else run c; fi\n",
    "M=70b\ncase $M in\n  8b) run small ;;\n  70b|72b) run large ;;\n  *) run other ;;\nesac\n",
    "[ -n \"\" ] && run a || run b\n",
    "[[ -z $X && 1 -lt 2 ]] && run a\n",
    "if ! [ 1 = 2 ]; then run a; fi\n",
    // Loops over what is in the text.
    "for tp in 1 2 4; do run --tp $tp; done\n",
    "for i in {0..2}; do run $i; done\n",
    "for ((i = 0; i < 3; i++)); do run $((8000 + i)); done\n",
    "L='a b'\nfor x in $L c; do for y in 1 2; do run $x$y; done; done\n",
    // Functions and arguments.
    "serve() { run --port $1 \"$2\"; }\nserve 80 'a b'\nserve 81 c\n",
    "serve() {\n  local tp=$1\n  shift\n  run $tp \"$@\"\n}\nserve 2 x y\n",
    "set -- --tp 4\nrun \"$@\" $2\n",
    // Subshells keep what they set.
    "TP=1\n(TP=2; run $TP)\nrun $TP\n",
    "TP=1\n( TP=2; ( TP=3; run $TP ); run $TP )\nrun $TP\n",
    "TP=1\n{ TP=2; }\nrun $TP\n",
    "(TP=2; run $TP)\nrun ${TP:-none}\n",
    // Here documents are no commands.
    "cat > /dev/null <<EOF\nrun no\nEOF\nrun yes\n",
    // What launch scripts do.
    "#!/bin/bash\nset -euo pipefail\nNODES=2\nGPUS=8\nrun --nnodes=$NODES "
    "--nproc-per-node=${GPUS}\n",
    "MODEL=${MODEL:-llama}\nPORT=${PORT:=8000}\nrun $MODEL --port $PORT\n",
    "OPTS=(\n  --tp 8   # wide\n  --pp 2\n)\nrun \"${OPTS[@]}\" last\n",
    "OPTS=(--a)\nif [ 8 -ge 8 ]; then OPTS+=(--b 'c d'); fi\nrun \"${OPTS[@]}\"\n",
    "D=(x y)\nE=(\"${D[@]}\" z)\nrun ${#E[@]} \"${E[@]}\"\n",
    "TP=8; NODES=4; DP=$((NODES * 8 / TP))\nrun --dp $DP --gbs $((DP * 16))\n",
    "for port in 8000 8001; do\n  run --port $port &\n  wait\ndone\n",
    "i=0\nfor m in a b c; do\n  run $m $((8000 + i))\n  i=$((i + 1))\ndone\n",
    "while true; do run a; break; done\nrun b\n",
    "for a in 1 2; do [ $a = 2 ] && continue; run $a; done\nrun end\n",
    "for a in 1 2 3; do if [ $a = 2 ]; then break; fi; run $a; done\nrun end\n",
    "for a in 1 2; do for b in x y; do [ $b = y ] && break; run $a$b; done; run $a; done\n",
    "for a in 1 2 3; do\n  case $a in 2) continue ;; esac\n  run $a\ndone\n",
    "X='a b'\nY=$X\nrun \"$Y\" $Y\n",
    "X='a b'\nexport Y=$X\nif true; then V=c$X; fi\nrun \"$Y\" \"$V\" W=$X\n",
    "P=/data/models\nrun --model $P/llama-70b/'with blank'/x\n",
    "J='{\"a\": [1, 2], \"b\": \"c\"}'\nrun --config \"$J\"\n",
    "J=\"{\\\"tp\\\": 4}\"\nrun \"$J\"\n",
    "run --a=\"b c\" --d='e f'\n",
    "true && TP=2 || TP=4\nrun $TP\n",
    "if [ -z \"\" -a 1 = 1 ]; then run a; fi\n",
    "if [ 1 -eq 1 ] && { [ 2 -eq 3 ] || [ 4 -ge 4 ]; }; then run a; fi\n",
    "case a-b in a*) run one ;; *b) run two ;; esac\n",
    "f() { return 0; run no; }\nf\nrun yes\n",
    "f() { g \"$@\" z; }\ng() { run \"$@\"; }\nf 'x y'\n",
    "export A=b\nrun ${A}c \"${A} $A\" '$A'\n",
};

// What is not followed, or may be set elsewhere, is not known, and never taken for known.
TEST(ShellUnknownTest, WhatIsNotFollowedIsNotKnown) {
  for (const char* script :
       {"NAME=meta/llama\nrun ${NAME##*/}\n", "NAME=a-b\nrun ${NAME//-/_}\n", "N=abc\nrun ${#N}\n",
        "run ${PP:+--pp $PP}\n", "run $TP\n", "run $(hostname)\n", "run `hostname`\n",
        "run $((N << 2))\n", "V=a\nrun $V{1,2}\n", "V=a\nrun {$V,b}{1,2}\n", "A=$'x\\ty'\nrun $A\n",
        "A=(a b)\nrun \"${A[@]: -1}\"\n", "A=(a b)\nrun ${A[7]}\n"}) {
    bool is_seen = false;
    for (const auto& command : read_shell(script).commands)
      for (std::size_t i = 1; command.front().text == "run" && i < command.size(); ++i)
        is_seen = is_seen || !command[i].is_known;
    EXPECT_TRUE(is_seen) << script;
  }
}

INSTANTIATE_TEST_SUITE_P(Scripts, ShellWords, ::testing::ValuesIn(kScripts));

}  // namespace
}  // namespace loadfactor::launch
