//! Objects come from a store as they are there, in order, or not at all.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use onefold_remote::{Error, Object, fetch};
use onefold_testkit::objects::{Answer, ObjectServer};
use socket2::{Domain, Socket, Type};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Objects of several pages and sizes, keys that are no URL, and one of each fault.
fn store() -> ObjectServer {
    let large: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let whole = [
        ("crawl/b.jsonl", b"second".to_vec()),
        ("crawl/a/2 %41#?&.jsonl", b"odd name".to_vec()),
        ("crawl/a/1.jsonl", large),
        ("crawl/", Vec::new()),
        ("crawl/é.jsonl", b"last".to_vec()),
        ("crawl/B.jsonl", Vec::new()),
        ("crawling/other.jsonl", b"of another prefix".to_vec()),
    ];
    let whole = whole.into_iter().map(|(key, bytes)| (key, bytes, Answer::Whole));
    let faults = [
        ("denied/a.jsonl", b"secret".to_vec(), Answer::Denied),
        ("cut/a.jsonl", b"whole".to_vec(), Answer::Whole),
        ("cut/b.jsonl", vec![7; 100_000], Answer::Cut),
        ("stalled/a.jsonl", vec![7; 100_000], Answer::Stalled),
    ];
    ObjectServer::start("pages", whole.chain(faults)).unwrap()
}

fn get(store: &ObjectServer, url: &str, folder: &Path) -> Result<Vec<Object>, Error> {
    fetch(url, &store.environment(), folder, &AtomicBool::new(false), &mut |_| ())
}

fn is_empty(folder: &Path) -> bool {
    fs_err::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn all_objects_below_a_prefix_come_in_byte_order_of_keys() {
    let (store, folder) = (store(), tempfile::tempdir().unwrap());
    for url in ["s3://pages/crawl", "s3://pages/crawl/"] {
        let mut told = Vec::new();
        let never = AtomicBool::new(false);
        let objects =
            fetch(url, &store.environment(), folder.path(), &never, &mut |object| told.push(object.clone()))
                .unwrap();
        assert_eq!(told, objects);
        let names: Vec<&str> = objects.iter().map(|object| object.relative.to_str().unwrap()).collect();
        assert_eq!(names, ["B.jsonl", "a/1.jsonl", "a/2 %41#?&.jsonl", "b.jsonl", "é.jsonl"]);
        let contents: Vec<Vec<u8>> =
            objects.iter().map(|object| fs_err::read(&object.path).unwrap()).collect();
        let large: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(contents[0], b"");
        assert!(contents[1] == large);
        assert_eq!(contents[2..], [b"odd name".to_vec(), b"second".to_vec(), b"last".to_vec()]);
        assert_eq!(objects[2].url, "s3://pages/crawl/a/2 %41#?&.jsonl");
        let sizes: Vec<u64> = objects.iter().map(|object| object.size).collect();
        assert_eq!(sizes, [0, 12_000_000, 8, 6, 4]);
    }
    let pages = store.requests().iter().filter(|request| request.contains("continuation-token=")).count();
    assert!(pages >= 4, "six keys are three pages, twice: {:?}", store.requests());
}

#[test]
fn a_url_of_one_object_is_that_object() {
    let (store, folder) = (store(), tempfile::tempdir().unwrap());
    let named = get(&store, "s3://pages/crawl/a/2 %41#?&.jsonl", folder.path()).unwrap();
    assert_eq!(named.len(), 1);
    assert_eq!(named[0].relative, Path::new("2 %41#?&.jsonl"));
    assert_eq!(fs_err::read(&named[0].path).unwrap(), b"odd name");
    let modified = fs_err::metadata(&named[0].path).unwrap().modified().unwrap();
    let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(since.as_secs(), 1_738_404_000, "a file is as old as its object");
    // A web server has no listing: a URL is a file.
    let url = format!("{}/pages/crawl/a/2%20%2541%23%3F%26.jsonl", store.endpoint());
    let file = get(&store, &url, folder.path()).unwrap();
    assert_eq!(
        (file[0].url.as_str(), file[0].relative.as_path()),
        (url.as_str(), named[0].relative.as_path())
    );
    assert_eq!(fs_err::read(&file[0].path).unwrap(), b"odd name");
    assert_eq!(store.requests().last().unwrap(), "GET /pages/crawl/a/2%20%2541%23%3F%26.jsonl");
}

#[test]
fn what_fails_names_the_url_and_leaves_nothing() {
    let (store, folder) = (store(), tempfile::tempdir().unwrap());
    let web = |path: &str| format!("{}{path}", store.endpoint());
    let cases = [
        ("s3://pages/none".to_owned(), "no such object"),
        ("s3://pages/none/".to_owned(), "no such object"),
        ("s3://elsewhere/".to_owned(), "NoSuchBucket"),
        ("s3://pages/denied/a.jsonl".to_owned(), "access denied"),
        ("s3://pages/denied".to_owned(), "s3://pages/denied/a.jsonl: access denied"),
        (web("/pages/none"), "no such object"),
        (web("/pages/denied/a.jsonl"), "access denied"),
        ("s3://pages/cut".to_owned(), "s3://pages/cut/b.jsonl: "),
    ];
    for (url, says) in cases {
        let error = get(&store, &url, folder.path()).unwrap_err().to_string();
        assert!(error.starts_with(&url) && error.contains(says), "{url}: {error}");
        assert!(is_empty(folder.path()), "{url}");
    }
}

#[test]
fn a_store_that_is_not_there_is_told_soon() {
    let folder = tempfile::tempdir().unwrap();
    // A port that is taken, so that nobody else gets it, and that nobody listens on.
    let taken = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    taken.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let address = taken.local_addr().unwrap().as_socket().unwrap();
    let refused = TcpStream::connect(address).unwrap_err().to_string();
    let address = format!("http://{address}");
    let mut environment = store().environment();
    for (name, value) in &mut environment {
        if name == "AWS_ENDPOINT_URL" {
            value.clone_from(&address);
        }
    }
    let started = Instant::now();
    for url in ["s3://pages/crawl".to_owned(), format!("{address}/file")] {
        let never = AtomicBool::new(false);
        let error = fetch(&url, &environment, folder.path(), &never, &mut |_| ()).unwrap_err().to_string();
        assert!(error.starts_with(&url) && error.contains(&refused), "{error}");
    }
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    assert!(is_empty(folder.path()));
}

#[test]
fn an_interrupt_ends_a_download_that_hangs() {
    let (store, folder) = (store(), tempfile::tempdir().unwrap());
    let cancel = AtomicBool::new(false);
    let started = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            cancel.store(true, Ordering::Relaxed);
        });
        let url = "s3://pages/stalled/a.jsonl";
        let ended = fetch(url, &store.environment(), folder.path(), &cancel, &mut |_| ());
        assert!(matches!(ended, Err(Error::Interrupted)), "{ended:?}");
    });
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    assert!(is_empty(folder.path()));
}
