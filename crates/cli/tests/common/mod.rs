//! What the end-to-end tests share: running the command, making inputs, reading outputs without the product's code.
#![allow(dead_code, clippy::print_stderr)]

pub(crate) mod archive;
pub(crate) mod compressed;
pub(crate) mod http;
pub(crate) mod shim;
pub(crate) mod table;
pub(crate) mod warcio;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Longer than any command of a test takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// A folder of its own for one test, and the command that runs in it.
pub(crate) struct Place {
    dir: TempDir,
}

/// What a command came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Ran {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("standard output is UTF-8")
    }

    /// Lines of JSON on standard output.
    pub(crate) fn json(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
    }

    /// Fails the test unless the command ended well.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "stderr: {}", self.stderr);
        self
    }

    /// Fails the test unless the command ended with this code and said this on standard error.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, says: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "stderr: {}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        let lower = self.stderr.to_lowercase();
        for word in says {
            assert!(lower.contains(&word.to_lowercase()), "{word:?} is not in: {}", self.stderr);
        }
        self
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        Place { dir: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().expect("a file in a folder")).unwrap();
        fs_err::write(&path, bytes).unwrap();
        path
    }

    /// The command, to be run in this folder; arguments are split at blanks.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onefold"));
        command.current_dir(self.dir.path()).env("NO_COLOR", "1").stdin(Stdio::null());
        command.args(arguments.split_whitespace());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Ran {
        ended(self.start(&mut self.command(arguments))).into()
    }

    /// Runs with these bytes as standard input.
    pub(crate) fn run_with_input(&self, arguments: &str, input: &[u8]) -> Ran {
        let mut child = self.start(self.command(arguments).stdin(Stdio::piped()));
        let mut stdin = child.stdin.take().expect("a pipe");
        let input = input.to_vec();
        // A thread writes, for the command may answer before it has read all.
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = ended(child);
        let _ = writer.join();
        output.into()
    }

    pub(crate) fn start(&self, command: &mut Command) -> Child {
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts")
    }

    /// `onefold dedup ARGUMENTS --output out`, which must end well.
    #[track_caller]
    pub(crate) fn dedup(&self, arguments: &str) -> Run {
        self.dedup_to(arguments, "out")
    }

    /// The same into another folder.
    #[track_caller]
    pub(crate) fn dedup_to(&self, arguments: &str, output: &str) -> Run {
        let ran = self.run(&format!("dedup {arguments} --output {output}")).ok();
        Run { folder: self.path(output), stderr: ran.stderr, stdout: ran.stdout }
    }

    /// What a finished run left.
    pub(crate) fn finished(&self, output: &str) -> Run {
        Run { folder: self.path(output), stderr: String::new(), stdout: Vec::new() }
    }
}

/// Waits for a command, and stops one that never ends: a test that hangs says less than one that fails.
pub(crate) fn ended(child: Child) -> Output {
    let (told, end) = std::sync::mpsc::channel::<()>();
    let pid = child.id();
    let watch = std::thread::spawn(move || {
        let late = end.recv_timeout(LIMIT) == Err(std::sync::mpsc::RecvTimeoutError::Timeout);
        if late {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
        late
    });
    let output = child.wait_with_output().expect("the command ends");
    drop(told);
    assert!(!watch.join().expect("a watch does not panic"), "no end after {LIMIT:?}: {output:?}");
    output
}

/// The output of a finished run.
pub(crate) struct Run {
    pub(crate) folder: PathBuf,
    pub(crate) stderr: String,
    pub(crate) stdout: Vec<u8>,
}

impl Run {
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs_err::read(self.folder.join(name)).unwrap()
    }

    pub(crate) fn kept(&self, name: &str) -> Vec<u8> {
        self.bytes(&format!("kept/{name}"))
    }

    /// A kept file of text.
    pub(crate) fn kept_text(&self, name: &str) -> String {
        String::from_utf8(self.kept(name)).expect("kept text is UTF-8")
    }

    /// Values of `id` in a kept JSONL file.
    pub(crate) fn kept_ids(&self, name: &str) -> Vec<String> {
        ids(&self.kept(name))
    }

    fn lines(&self, name: &str) -> Vec<Value> {
        let text = String::from_utf8(self.bytes(name)).expect("evidence is UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
    }

    pub(crate) fn removed(&self) -> Vec<Value> {
        self.lines("removed.jsonl")
    }

    pub(crate) fn removed_ids(&self) -> Vec<String> {
        self.removed().iter().map(|line| text_of(&line["id"])).collect()
    }

    pub(crate) fn clusters(&self) -> Vec<Value> {
        self.lines("clusters.jsonl")
    }

    pub(crate) fn bad(&self) -> Vec<Value> {
        self.lines("bad.jsonl")
    }

    pub(crate) fn bad_kinds(&self) -> Vec<String> {
        self.bad().iter().map(|line| text_of(&line["kind"])).collect()
    }

    /// The bad records; fails the test unless they are of these kinds, each with its file, place and message.
    #[track_caller]
    pub(crate) fn named(&self, kinds: &[&str]) -> Vec<Value> {
        let bad = self.bad();
        assert_eq!(self.bad_kinds(), kinds, "{bad:?}");
        let expected = BTreeSet::from(["source", "offset", "length", "kind", "message"]);
        for line in &bad {
            let keys: BTreeSet<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys, expected);
            assert!(!text_of(&line["source"]).is_empty() && !text_of(&line["message"]).is_empty());
            assert!(line["offset"].is_u64() && line["length"].is_u64());
        }
        let by_kind = self.manifest()["bad_by_kind"].clone();
        for kind in kinds {
            let many = kinds.iter().filter(|other| *other == kind).count();
            assert_eq!(by_kind[kind], many, "{by_kind}");
        }
        bad
    }

    pub(crate) fn manifest(&self) -> Value {
        serde_json::from_slice(&self.bytes("manifest.json")).expect("the manifest is JSON")
    }

    /// A count of the manifest.
    #[track_caller]
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.manifest()["counts"][name].as_u64().unwrap_or_else(|| panic!("no count {name}"))
    }

    /// Fails the test unless `read`, `kept`, `removed` and `bad` are these, and balance.
    #[track_caller]
    pub(crate) fn counted(&self, read: u64, kept: u64, removed: u64, bad: u64) {
        let found = ["read", "kept", "removed", "bad"].map(|name| self.count(name));
        assert_eq!(found, [read, kept, removed, bad], "read, kept, removed, bad; {:?}", self.bad());
        assert_eq!(read, kept + removed + bad);
        assert_eq!(self.count("removed_exact") + self.count("removed_near"), removed);
    }
}

pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}

/// Fails the test unless a number is this one, but for the last digit that a parser may lose.
#[track_caller]
pub(crate) fn close(value: &Value, expected: f64) {
    let found = value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"));
    assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
}

/// JSON lines with their fractions rounded, for the same reason.
pub(crate) fn rounded(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            ((number.as_f64().expect("a fraction") * 1e12).round() / 1e12).into()
        }
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| (key.clone(), rounded(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(array) => array.iter().map(rounded).collect(),
        other => other.clone(),
    }
}

/// Values of `id` in JSON lines.
pub(crate) fn ids(lines: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(lines).expect("JSON lines are UTF-8");
    let parse = |line: &str| serde_json::from_str::<Value>(line).expect("a JSON line");
    text.lines().map(|line| text_of(&parse(line)["id"])).collect()
}

/// A JSON line with an id and a text.
pub(crate) fn line(id: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({"id": id, "text": text}))
}

/// `count` words that no other `topic` has, so that texts of two topics share no shingle.
pub(crate) fn words(topic: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{topic}{}", spelled(number))).collect()
}

/// A text of `count` words of a topic.
pub(crate) fn prose(topic: &str, count: usize) -> String {
    words(topic, count).join(" ")
}

/// The same text with the words at these places replaced.
pub(crate) fn edited(topic: &str, count: usize, places: &[usize]) -> String {
    let mut words = words(topic, count);
    for &place in places {
        words[place] = format!("other{}{}", spelled(place), topic);
    }
    words.join(" ")
}

/// A number in letters, so that a word is one token whatever digits are.
fn spelled(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(b'a' + (digit - b'0'))).collect()
}

/// Two originals, an exact copy of the first and a near copy of the second, as JSON lines: `a`, `b`, `a2`, `b2`.
pub(crate) fn four_documents() -> String {
    [
        line("a", &prose("alpha", 80)),
        line("b", &prose("beta", 80)),
        line("a2", &prose("alpha", 80)),
        line("b2", &edited("beta", 80, &[79])),
    ]
    .concat()
}

/// Every file below a folder with its bytes, hidden ones included.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(folder: &Path, base: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, base, found);
            } else {
                found.insert(path.strip_prefix(base).unwrap().to_owned(), fs_err::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    if folder.exists() {
        walk(folder, folder, &mut found);
    }
    found
}

/// The tree of a run with what may differ between equal runs, times and memory, left out of the manifest.
pub(crate) fn comparable(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut tree = tree(folder);
    if let Some(bytes) = tree.get_mut(Path::new("manifest.json")) {
        let mut manifest: Value = serde_json::from_slice(bytes).expect("the manifest is JSON");
        for name in ["stages", "peak_memory_bytes"] {
            manifest.as_object_mut().unwrap().remove(name).expect("the manifest has its times and memory");
        }
        *bytes = serde_json::to_vec(&manifest).unwrap();
    }
    tree
}

/// What differs between the outputs of two runs.
pub(crate) fn difference(first: &Path, second: &Path) -> Option<String> {
    let (first, second) = (comparable(first), comparable(second));
    let (names, others) = (first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    if names != others {
        return Some(format!("files {names:?} and {others:?}"));
    }
    let differs = |name: &&PathBuf| first[*name] != second[*name];
    first.keys().find(differs).map(|name| format!("{} differs", name.display()))
}

/// Fails the test unless two runs wrote the same bytes.
#[track_caller]
pub(crate) fn assert_same_output(first: &Path, second: &Path) {
    if let Some(difference) = difference(first, second) {
        panic!("{difference}");
    }
}

/// A file of the repository's test data.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name)
}
