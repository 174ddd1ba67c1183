#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_fuzz::catching;
use onefold_fuzz::index::{Base, Outcome, base};
use xxhash_rust::xxh3::xxh3_64;

const HEADER: usize = 16;
const ROW: usize = 144;
const TRAILER: usize = 32;

/// Makes the checksums right, so that what they guard is reached.
fn mend(bytes: &mut [u8]) -> Option<()> {
    let number = |bytes: &[u8], at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let end = bytes.len().checked_sub(TRAILER)?;
    let table = usize::try_from(number(bytes, end)?).ok()?;
    let rows = end.checked_sub(table).filter(|_| table >= HEADER)? / ROW;
    for row in (0..rows).map(|row| table + row * ROW) {
        let [entries, start, blocks, filter] =
            [8, 16, 24, 32].map(|at| number(bytes, row + at).unwrap_or_default());
        let rest = start.checked_add(blocks)?;
        let rest_end =
            rest.checked_add(entries.div_ceil(128).checked_mul(16)?)?.checked_add(8)?.checked_add(filter)?;
        let sum = |from: u64, to: u64| bytes.get(from as usize..to as usize).map(xxh3_64);
        if let (Some(blocks), Some(rest)) = (sum(start, rest), sum(rest, rest_end)) {
            bytes[row + 112..row + 120].copy_from_slice(&blocks.to_le_bytes());
            bytes[row + 120..row + 128].copy_from_slice(&rest.to_le_bytes());
        }
    }
    let length = bytes.len() as u64;
    bytes[end + 16..end + 24].copy_from_slice(&length.to_le_bytes());
    let sum = xxh3_64(&[&bytes[..HEADER], &bytes[table..end], &bytes[end..end + 24]].concat());
    bytes[end + 24..].copy_from_slice(&sum.to_le_bytes());
    Some(())
}

// A byte that chooses the index, then its segment.
fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let (base, writes) = base(choice);
    catching(|| {
        let mut mended = bytes.to_vec();
        if mend(&mut mended).is_some() {
            let sound = matches!(Base::ask(&base.store, &mended, writes), Outcome::Sound);
            assert!(sound || mended != base.segment, "an index as it was made is sound");
        }
        if mended != bytes {
            let noticed = matches!(Base::ask(&base.store, bytes, writes), Outcome::Noticed);
            assert!(noticed, "a segment whose checksums do not match is noticed");
        }
    });
});
