//! Inputs that are objects of a store, in a build with the feature and in one without.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod common;

#[cfg(not(feature = "object-stores"))]
#[test]
fn a_build_without_object_stores_says_so() {
    let place = common::Place::new();
    place.write("list", "s3://bucket/crawl\n");
    let urls = ["s3://bucket/crawl", "gs://bucket/a", "az://bucket/a", "https://example.org/a.jsonl"];
    for input in urls.into_iter().chain(["--files-from list"]) {
        for command in ["dedup --output out", "pairs", "fingerprints"] {
            let says = [
                "--features object-stores",
                if input.contains("list") { "s3://bucket/crawl" } else { input },
            ];
            place.run(&format!("{command} {input} --temp temp")).fails(2, &says);
        }
    }
    assert!(!place.path("out").exists());
    // What only looks like a URL is a path.
    place.run("dedup x:crawl --output out").fails(2, &["x:crawl: no such"]);
}

#[cfg(feature = "object-stores")]
mod with_the_feature {
    use super::common::{self, Place, Ran, compressed, edited, line, prose, text_of};
    use onefold_testkit::objects::{Answer, ObjectServer};

    /// Four documents in three objects, of which two are copies, and a file on the disk beside.
    fn store() -> ObjectServer {
        let first = line("a", &prose("alpha", 80)) + &line("b", &prose("beta", 80));
        let objects = [
            ("crawl/1/a.jsonl", first.into_bytes(), Answer::Whole),
            (
                "crawl/2/a.jsonl.gz",
                compressed::gzip(line("c", &prose("alpha", 80)).as_bytes()),
                Answer::Whole,
            ),
            ("crawl/2/b.jsonl", line("d", &edited("beta", 80, &[79])).into_bytes(), Answer::Whole),
            ("other/x.jsonl", line("x", &prose("gamma", 80)).into_bytes(), Answer::Whole),
            ("denied/x.jsonl", Vec::from("no"), Answer::Denied),
        ];
        ObjectServer::start("pages", objects).unwrap()
    }

    fn run(place: &Place, store: &ObjectServer, arguments: &str) -> Ran {
        let mut command = place.command(arguments);
        command.envs(store.environment());
        common::ended(place.start(&mut command)).into()
    }

    #[test]
    fn objects_are_deduplicated_as_files_are() {
        let (place, store) = (Place::new(), store());
        fs_err::create_dir(place.path("temp")).unwrap();
        let ran = run(&place, &store, "dedup s3://pages/crawl --output out --temp temp").ok();
        assert!(ran.stderr.contains("s3://pages/crawl/2/a.jsonl.gz"), "{}", ran.stderr);
        let run_of = place.finished("out");
        run_of.counted(4, 2, 2, 0);
        let kept: Vec<_> = common::tree(&run_of.folder.join("kept")).into_keys().collect();
        assert_eq!(kept, ["1/a.jsonl", "2/a.jsonl.gz", "2/b.jsonl"].map(std::path::PathBuf::from));
        assert_eq!(run_of.kept_ids("1/a.jsonl"), ["a", "b"]);
        let sources: Vec<_> = run_of.removed().iter().map(|removed| text_of(&removed["source"])).collect();
        assert_eq!(sources, ["s3://pages/crawl/2/a.jsonl.gz", "s3://pages/crawl/2/b.jsonl"]);
        assert!(common::tree(&place.path("temp")).is_empty(), "nothing stays in --temp");
        // A finished run is known again by its objects.
        let again =
            run(&place, &store, "dedup s3://pages/crawl --output out --temp temp --resume --quiet").ok();
        assert_eq!(again.stderr, "");
    }

    #[test]
    fn objects_are_read_beside_files_and_from_lists() {
        let (place, store) = (Place::new(), store());
        place.write("x.jsonl", line("file", &prose("gamma", 80)));
        place.write("list", "x.jsonl\ns3://pages/other/x.jsonl\ns3://pages/crawl/1/\n");
        run(&place, &store, "dedup --files-from list --output out").ok();
        let run_of = place.finished("out");
        run_of.counted(4, 3, 1, 0);
        assert_eq!(run_of.removed_ids(), ["x"], "inputs count in the order given");
        let kept = common::tree(&run_of.folder.join("kept"));
        assert_eq!(kept.len(), 3, "{kept:?}");
        let web = format!("{}/pages/crawl/2/b.jsonl", store.endpoint());
        let pairs = run(&place, &store, &format!("pairs s3://pages/crawl/1/a.jsonl {web}")).ok();
        assert!(pairs.text().lines().any(|line| line.starts_with("b\td\t")), "{}", pairs.text());
    }

    #[test]
    fn errors_name_the_url_and_leave_nothing() {
        let (place, store) = (Place::new(), store());
        fs_err::create_dir(place.path("temp")).unwrap();
        for (url, says) in [
            ("s3://pages/none", "no such object"),
            ("s3://pages/denied", "access denied"),
            ("gs:///x", "names no bucket"),
        ] {
            run(&place, &store, &format!("dedup {url} --output out --temp temp")).fails(2, &[url, says]);
        }
        assert!(!place.path("out").exists());
        assert!(common::tree(&place.path("temp")).is_empty());
    }
}
