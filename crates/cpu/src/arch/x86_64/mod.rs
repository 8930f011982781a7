//! x86-64: SSE2 (always there), AVX2 with FMA, AVX-512 (F and DQ).

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod sse2;
