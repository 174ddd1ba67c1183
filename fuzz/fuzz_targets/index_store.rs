#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_fuzz::catching;
use onefold_fuzz::index::{Base, Outcome, base, used_pages};

// A byte that chooses the index, then what is changed in its store, for that is too large to be made up: a page, two bytes for
// the place in it, and what is laid over the byte there.
fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, changes)) = bytes.split_first() else { return };
    let (base, writes) = base(choice);
    let (pages, mut store) = (used_pages(&base.store), base.store.clone());
    for change in changes.as_chunks::<4>().0 {
        let place = usize::from(u16::from_le_bytes([change[1], change[2]])) % 4096;
        store[pages[usize::from(change[0]) % pages.len()] + place] ^= change[3];
    }
    catching(|| {
        let outcome = Base::ask(&store, &base.segment, writes);
        assert!(store != base.store || matches!(outcome, Outcome::Sound), "an index as it was made is sound");
    });
});
