//! What a test needs and a machine may not have: said where it is missing, since a test that passes without having
//! tested anything looks like one that has.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A file or folder of the collection of real data that is not redistributed: below the folder that
/// `ONEFOLD_SHARED_DATA` names, else below `shared/data` beside the workspace.
pub fn shared_data(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("ONEFOLD_SHARED_DATA").map_or_else(beside, PathBuf::from);
    Some(folder.join(name)).filter(|path| path.exists())
}

/// Says that a test has nothing to test here, on standard error itself: what is printed is shown of failing tests only.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!("skipped: {test}: {reason}\n");
    // A standard error that is closed is no reason to fail.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// The same for what `./test` installs. Under `ONEFOLD_TEST_ALL`, which it sets, the test fails.
///
/// # Panics
///
/// Where `ONEFOLD_TEST_ALL` is set.
pub fn lacks(tool: &str) {
    assert!(std::env::var_os("ONEFOLD_TEST_ALL").is_none(), "{tool} is missing, and ONEFOLD_TEST_ALL is set");
    skip(&format!("{tool} is missing; ./test installs it"));
}
