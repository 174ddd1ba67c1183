#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_formats::compress::MemberInflater;
use onefold_formats::source::{Format, Layout};
use std::io::Read;

/// The flag of a checksum over the header, which the other inflater checks and ours, like most, does not.
const HEADER_CHECKSUM: u8 = 2;

// A member inflates to what another inflater makes of it, and a file of members is read to its end.
fuzz_target!(|bytes: &[u8]| {
    let mut output = vec![0; 1 << 16];
    if let Ok((taken, filled)) = MemberInflater::default().inflate(bytes, &mut output)
        && bytes[3] & HEADER_CHECKSUM == 0
    {
        let mut expected = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..taken]).read_to_end(&mut expected).expect("a sound member");
        assert_eq!(expected, output[..filled]);
    }
    if !onefold_fuzz::read_as(bytes, Format::Warc, Layout::Members, 1 << 12) {
        onefold_fuzz::read_as(bytes, Format::Warc, Layout::Stream, 1 << 12);
    }
});
