//! What other people's readers say of an archive, where they are installed.

use onefold_testkit::lacks;
use std::path::Path;
use std::process::Command;

/// A Python that has `warcio`.
pub(crate) struct Warcio {
    python: String,
}

impl Warcio {
    pub(crate) fn find() -> Option<Self> {
        let python = std::env::var("ONEFOLD_TEST_PYTHON").unwrap_or_else(|_| "python3".into());
        let known = Command::new(&python).args(["-c", "import warcio.cli"]).output();
        if known.is_ok_and(|output| output.status.success()) {
            return Some(Warcio { python });
        }
        lacks("warcio for python3 or the Python that ONEFOLD_TEST_PYTHON names");
        None
    }

    /// `warcio check` is content, and `fastwarc`, where it is installed beside it, reads as many records.
    #[track_caller]
    pub(crate) fn finds_no_fault(&self, path: &Path) {
        let ran = Command::new(&self.python).args(["-m", "warcio.cli", "check"]).arg(path).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && !said.contains("failed"), "{}: {said}", path.display());
        let script = "import sys\ntry:\n from fastwarc.warc import ArchiveIterator\nexcept ImportError:\n sys.exit(77)\n\
                      from warcio.archiveiterator import ArchiveIterator as Other\n\
                      path = sys.argv[1]\n\
                      ours = sum(1 for _ in ArchiveIterator(open(path, 'rb')))\n\
                      theirs = sum(1 for _ in Other(open(path, 'rb')))\n\
                      sys.exit(ours != theirs)";
        let ran = Command::new(&self.python).args(["-c", script]).arg(path).output().unwrap();
        if ran.status.code() == Some(77) {
            return lacks("fastwarc beside warcio");
        }
        assert!(ran.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&ran.stderr));
    }
}
