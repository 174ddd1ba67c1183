//! How much freed memory the allocator keeps.
//!
//! glibc gives a large block back to the system when it is freed, but each time it does so it takes larger ones from its heap
//! from then on, up to 32 MiB, and each thread's heap keeps what is freed within it. Under a small budget that was as much again as
//! the job held: CSV rows of 2 MB under 60 MiB took 72 MB, and 32 MB with the limit fixed. With a large one, the time to ask for
//! memory anew matters more.
#![cfg_attr(all(target_os = "linux", target_env = "gnu"), allow(unsafe_code))]

/// Budgets below this are small.
const SMALL_BUDGET: u64 = 1 << 30;
/// Blocks from this size on go back to the system. Readers of files have buffers of half of it, one after the other for
/// each of many small files: those are to stay.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE_BLOCK: libc::c_int = 2 << 20;

/// Lets large blocks go back to the system as soon as they are freed, if the job has to do with little memory.
pub(crate) fn keep_to(budget_bytes: u64) {
    if budget_bytes >= SMALL_BUDGET {
        return;
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call sets a number of the allocator under its own lock; that it may fail changes nothing else.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BLOCK);
    }
}
