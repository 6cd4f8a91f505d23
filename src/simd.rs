//! What needs instructions that the compiler does not choose by itself: the only module with `unsafe`.
//!
//! Promises: every function here is safe to call on every CPU and changes no result, only the time it takes.

#![allow(unsafe_code, reason = "each block says why it is sound")]

/// Asks the CPU to bring the cache line that holds the start of `value` nearer, and returns at once.
#[inline]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address: *const T = value;
        // SAFETY: SSE, which every x86-64 CPU has, is all that the instruction needs; it reads nothing that
        // the program could see and never faults, and the address is that of a live reference.
        unsafe { _mm_prefetch(address.cast(), _MM_HINT_T0) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Does `work` with the widest instructions that this CPU has and the program knows of: AVX2, or those that every
/// x86-64 CPU has. `work` and all that it calls has to be inlined to gain by it.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "so that `work` becomes part of one of the two"
)]
pub(crate) fn widest<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: all that the function asks for is AVX2, and the CPU has just been asked whether it has it.
            return unsafe { with_avx2(work) };
        }
    }
    work()
}
