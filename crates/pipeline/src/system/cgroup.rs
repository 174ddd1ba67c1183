//! Limits of memory that control groups set, as containers and services have them: version 2, and 1 where it is in use.

use std::path::{Path, PathBuf};

/// Bytes that may still be used within every limit on the process, or `None` without one. `groups` is what `/proc/self/cgroup` says
/// and `root` where groups are mounted.
pub(super) fn available(groups: &str, root: &Path) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let (_, line) = line.split_once(':')?;
        let (controllers, path) = line.split_once(':')?;
        let (mount, version) = match controllers {
            "" => (root.to_owned(), &V2),
            _ if controllers.split(',').any(|one| one == "memory") => (root.join("memory"), &V1),
            _ => return None,
        };
        version.least(&mount, Path::new(path.trim_start_matches('/')))
    });
    limits.min()
}

/// How a version names what a group has.
struct Version {
    limit: &'static str,
    used: &'static str,
    /// Pages of files, which are given back when memory is needed, are told by these.
    files: [&'static str; 2],
}

const V2: Version =
    Version { limit: "memory.max", used: "memory.current", files: ["inactive_file", "active_file"] };
const V1: Version = Version {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    files: ["total_inactive_file", "total_active_file"],
};

impl Version {
    /// The least of what a group and those above it have left. In a container its own group may be mounted as the root.
    fn least(&self, mount: &Path, group: &Path) -> Option<u64> {
        let folders = group.ancestors().map(|group| mount.join(group));
        folders.filter_map(|folder: PathBuf| self.left(&folder)).min()
    }

    fn left(&self, folder: &Path) -> Option<u64> {
        let read = |name: &str| fs_err::read_to_string(folder.join(name)).ok();
        let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
        // Version 2 says "max" where there is none, version 1 a number that no machine has.
        let limit = number(self.limit)?;
        let stat = read("memory.stat").unwrap_or_default();
        let files = stat.lines().filter_map(|line| {
            let (name, bytes) = line.split_once(' ')?;
            self.files.contains(&name).then(|| bytes.trim().parse::<u64>().ok())?
        });
        let taken = number(self.used).unwrap_or(0).saturating_sub(files.sum());
        Some(limit.saturating_sub(taken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn group(root: &Path, path: &str, files: &[(&str, String)]) {
        fs_err::create_dir_all(root.join(path)).unwrap();
        for (name, text) in files {
            fs_err::write(root.join(path).join(name), text).unwrap();
        }
    }

    #[test]
    fn the_least_of_a_group_and_those_above_it_counts_without_pages_of_files() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        assert_eq!(available("0::/a/b\n", root), None);
        group(root, "a/b", &[("memory.max", "max\n".into()), ("memory.current", format!("{}\n", 30 * MIB))]);
        assert_eq!(available("0::/a/b\n", root), None);
        let stat = format!("anon 5\ninactive_file {}\nactive_file {}\nfile 7\n", 40 * MIB, 20 * MIB);
        let limited = [
            ("memory.max", format!("{}\n", 200 * MIB)),
            ("memory.current", format!("{}\n", 90 * MIB)),
            ("memory.stat", stat),
        ];
        group(root, "a", &limited);
        assert_eq!(available("0::/a/b\n", root), Some(170 * MIB));
        group(root, "a/b", &[("memory.max", format!("{}\n", 100 * MIB))]);
        assert_eq!(available("0::/a/b\n", root), Some(70 * MIB));
        // More is used than there may be.
        group(root, "a/b", &[("memory.max", format!("{}\n", 10 * MIB))]);
        assert_eq!(available("0::/a/b\n", root), Some(0));
    }

    #[test]
    fn version_1_has_other_names_and_a_container_may_see_its_group_as_the_root() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let limited = [
            ("memory.limit_in_bytes", format!("{}\n", 100 * MIB)),
            ("memory.usage_in_bytes", format!("{}\n", 50 * MIB)),
            ("memory.stat", format!("inactive_file 1\ntotal_inactive_file {}\n", 10 * MIB)),
        ];
        group(root, "memory", &limited);
        let groups = "5:cpu,cpuacct:/x\n4:memory:/docker/7f\n0::/\n";
        assert_eq!(available(groups, root), Some(60 * MIB));
        assert_eq!(available("5:cpu,cpuacct:/x\n", root), None);
        assert_eq!(available("no such lines", root), None);
    }
}
