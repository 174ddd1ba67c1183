//! Objects of object stores, and files of web servers, brought into files.
//!
//! A run reads its inputs more than once, by address, from several threads; so objects are spooled, as standard input
//! is. Async ends here: a runtime lives as long as one call.

mod error;
mod place;

pub use error::Error;
pub use place::Environment;

use crate::place::{Named, Place};
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use object_store::{GetResult, ObjectStore, ObjectStoreExt};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// Objects that are under way at a time: enough to hide the time to a first byte where objects are small.
const AT_ONCE: usize = 4;

/// An object in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The file.
    pub path: PathBuf,
    /// The object's URL.
    pub url: String,
    /// Its key below what was asked for.
    pub relative: PathBuf,
    /// Bytes.
    pub size: u64,
}

/// Brings the object at `url`, or all objects below it in byte order of their keys, into `folder`, and tells `arrived`
/// of each.
///
/// Settings and credentials are those of `environment`, by the names that each store's own tools use. Whatever the
/// error, nothing of what came stays.
pub fn fetch(
    url: &str,
    environment: &Environment,
    folder: &Path,
    cancel: &AtomicBool,
    arrived: &mut dyn FnMut(&Object),
) -> Result<Vec<Object>, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    fs_err::create_dir_all(folder)?;
    let spool = tempfile::Builder::new().prefix("objects-").tempdir_in(folder)?;
    let objects = runtime.block_on(async {
        let place = Place::of(url, environment)?;
        tokio::select! {
            objects = fetch_all(url, &place, spool.path(), arrived) => objects,
            () = interrupted(cancel) => Err(Error::Interrupted),
        }
    })?;
    let _ = spool.keep();
    Ok(objects)
}

async fn interrupted(cancel: &AtomicBool) {
    while !cancel.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn fetch_all(
    url: &str,
    place: &Place,
    folder: &Path,
    arrived: &mut dyn FnMut(&Object),
) -> Result<Vec<Object>, Error> {
    let store = place.store.as_ref();
    let wanted = match &place.named {
        Named::File { url, name } => {
            vec![Wanted { key: Key::default(), url: url.clone(), relative: name.into(), empty: false }]
        }
        Named::Key { base, key, folder } => find(url, store, base, key, *folder).await?,
    };
    let numbered = wanted.iter().zip(0..);
    let downloads = numbered.map(|(wanted, number)| wanted.download(store, folder, number));
    let mut downloads = futures_util::stream::iter(downloads).buffered(AT_ONCE);
    let mut objects = Vec::with_capacity(wanted.len());
    while let Some(object) = downloads.try_next().await? {
        arrived(&object);
        objects.push(object);
    }
    Ok(objects)
}

/// The object of a key, or those below it.
async fn find(
    url: &str,
    store: &dyn ObjectStore,
    base: &str,
    key: &Key,
    folder: bool,
) -> Result<Vec<Wanted>, Error> {
    let failed = |error: object_store::Error| Error::of(url, &error);
    let named = |key: &Key| format!("{base}/{key}");
    if !folder {
        match store.head(key).await {
            Ok(meta) => {
                let relative = key.filename().unwrap_or("input").into();
                return Ok(vec![Wanted {
                    url: named(key),
                    key: meta.location,
                    relative,
                    empty: meta.size == 0,
                }]);
            }
            Err(object_store::Error::NotFound { .. }) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    let mut found: Vec<_> = store.list(Some(key)).try_collect().await.map_err(failed)?;
    // Some tools put an empty object where a folder is.
    found.retain(|meta| meta.location != *key);
    // Not every store lists in order.
    found.sort_by(|a, b| a.location.as_ref().as_bytes().cmp(b.location.as_ref().as_bytes()));
    if found.is_empty() {
        return Err(Error::NotFound { url: url.to_owned() });
    }
    Ok(found
        .into_iter()
        .map(|meta| {
            let whole = meta.location.as_ref();
            let below = whole.strip_prefix(key.as_ref()).unwrap_or(whole).trim_start_matches('/');
            let relative = PathBuf::from(below);
            Wanted { url: named(&meta.location), relative, empty: meta.size == 0, key: meta.location }
        })
        .collect())
}

/// An object to download.
struct Wanted {
    key: Key,
    url: String,
    relative: PathBuf,
    empty: bool,
}

impl Wanted {
    async fn download(&self, store: &dyn ObjectStore, folder: &Path, number: usize) -> Result<Object, Error> {
        let path = folder.join(format!("{number:06}"));
        let mut file = fs_err::File::create(&path)?;
        let mut size = 0;
        // What stands for a folder in a listing is empty, and cannot be asked for by the name it is listed under.
        if !self.empty {
            let failed = |error: object_store::Error| Error::of(&self.url, &error);
            let got: GetResult = store.get(&self.key).await.map_err(failed)?;
            let (expected, modified) = (got.meta.size, SystemTime::from(got.meta.last_modified));
            let mut stream = got.into_stream();
            while let Some(bytes) = stream.try_next().await.map_err(failed)? {
                file.write_all(&bytes)?;
                size += bytes.len() as u64;
            }
            if size != expected {
                return Err(Error::Length { url: self.url.clone(), expected, found: size });
            }
            // A run is resumed over inputs of the same time; a server that tells none gives the epoch.
            if modified > SystemTime::UNIX_EPOCH {
                file.set_modified(modified)?;
            }
        }
        Ok(Object { path, url: self.url.clone(), relative: self.relative.clone(), size })
    }
}
