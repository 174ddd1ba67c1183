//! One gzip member at a time, whole, through libdeflate.
//!
//! libdeflate is faster than a streaming decoder because it sees all input and output at once (docs/decisions/0005).
//! Its safe wrapper hides how many bytes of input a member took, which is what tells where the next one starts, so
//! the extended call is made here: the only unsafe code of the crate.
#![allow(unsafe_code)]

use libdeflate_sys as sys;
use std::ptr::NonNull;

/// Why a member was not inflated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberError {
    /// Not a gzip member, damaged, or cut short.
    BadData,
    /// The output does not fit.
    NoSpace,
}

/// A libdeflate decompressor.
pub struct MemberInflater {
    raw: NonNull<sys::libdeflate_decompressor>,
}

// SAFETY: a libdeflate decompressor is plain memory without thread affinity, and every call takes it by exclusive
// reference.
unsafe impl Send for MemberInflater {}

impl Default for MemberInflater {
    fn default() -> Self {
        // SAFETY: allocation has no preconditions; a null result is turned into a panic like any failed allocation.
        let raw = unsafe { sys::libdeflate_alloc_decompressor() };
        MemberInflater {
            raw: NonNull::new(raw).expect("memory for a decompressor because it takes a few kilobytes"),
        }
    }
}

impl Drop for MemberInflater {
    fn drop(&mut self) {
        // SAFETY: `raw` came from the allocator above and is freed once.
        unsafe { sys::libdeflate_free_decompressor(self.raw.as_ptr()) }
    }
}

impl MemberInflater {
    /// Inflates the member that `input` starts with and checks its checksum; tells how many bytes of input it took
    /// and how many of output it filled.
    pub fn inflate(&mut self, input: &[u8], output: &mut [u8]) -> Result<(usize, usize), MemberError> {
        let (mut taken, mut filled) = (0, 0);
        // SAFETY: both pointers are valid for the lengths given with them and do not overlap, since one is a shared
        // and the other an exclusive borrow; the two result pointers are to locals.
        let result = unsafe {
            sys::libdeflate_gzip_decompress_ex(
                self.raw.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                output.as_mut_ptr().cast(),
                output.len(),
                &mut taken,
                &mut filled,
            )
        };
        match result {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => Ok((taken, filled)),
            sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Err(MemberError::NoSpace),
            _ => Err(MemberError::BadData),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn member(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn the_length_taken_leads_to_the_next_member() {
        let mut both = member(b"one");
        let first = both.len();
        both.extend(member(b"another"));
        let mut inflater = MemberInflater::default();
        let mut out = [0; 32];
        assert_eq!(inflater.inflate(&both, &mut out), Ok((first, 3)));
        assert_eq!(inflater.inflate(&both[first..], &mut out), Ok((both.len() - first, 7)));
        assert_eq!(&out[..7], b"another");
    }

    #[test]
    fn damage_and_lack_of_space_are_told_apart() {
        let whole = member(&[7; 1000]);
        let mut inflater = MemberInflater::default();
        assert_eq!(inflater.inflate(&whole, &mut [0; 10]), Err(MemberError::NoSpace));
        assert_eq!(inflater.inflate(&whole[..whole.len() - 1], &mut [0; 2000]), Err(MemberError::BadData));
        let mut damaged = whole.clone();
        let last = damaged.len() - 5;
        damaged[last] ^= 1;
        assert_eq!(inflater.inflate(&damaged, &mut [0; 2000]), Err(MemberError::BadData));
        assert_eq!(inflater.inflate(b"", &mut [0; 10]), Err(MemberError::BadData));
    }
}
