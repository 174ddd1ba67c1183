//! The boundary to the engine of the store: what goes wrong behind it is an error that names the file.
//!
//! The engine believes its file: it compares checksums of pages only where it repairs, for that takes a look at all of
//! them. A page that was damaged since breaks one of its assertions, and a panic that began there ends here. But one: where
//! its list of free pages is damaged, a commit panics while it unwinds, which ends the process. Nothing of that commit is
//! there afterwards, and `verify` finds the damage, see `overlay`.

use crate::error::Error;
use std::cell::Cell;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Turns what the engine says into an error that names the file.
pub(crate) fn failed<E: Into<redb::Error>>(path: &Path) -> impl FnOnce(E) -> Error {
    move |error| Error::Store { path: path.to_owned(), reason: Box::new(error.into()) }
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread would be caught and told as damage of an index, so that a panic hook need not.
pub fn catches_panics() -> bool {
    GUARDED.get()
}

fn catch<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    let outer = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    outcome
}

/// Runs the engine, catching its panics.
pub(crate) fn guard<T>(path: &Path, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch(work).unwrap_or_else(|_| Err(Error::damaged(path, "damaged in a way the store does not expect")))
}

/// The next of what the engine goes through.
pub(crate) fn guard_next<T>(
    path: &Path,
    next: impl FnOnce() -> Option<Result<T, Error>>,
) -> Option<Result<T, Error>> {
    guard(path, || next().transpose()).transpose()
}

/// A value as the engine finds it on its page.
pub(crate) fn value<'v, V: redb::Value>(
    path: &Path,
    entry: &'v redb::AccessGuard<'_, V>,
) -> Result<V::SelfType<'v>, Error> {
    guard(path, || Ok(entry.value()))
}

/// Something of the engine that may panic when it is let go, after it panicked before.
pub(crate) struct Held<T>(Option<T>);

impl<T> Held<T> {
    pub(crate) fn new(held: T) -> Self {
        Held(Some(held))
    }
}

impl<T> Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("held because only the end takes it")
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        // There is nobody to tell: who uses the store next is told.
        let _ = catch(|| drop(self.0.take()));
    }
}
