// LF_WIDE_VECTORS before a function: compiled a second time for vectors of 32 bytes, which a
// processor that has them takes when it is loaded. Both give the same bits: no multiplication is
// fused with an addition in either.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LF_WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define LF_WIDE_VECTORS
#endif
