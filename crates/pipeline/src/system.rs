//! What the machine has, and what the process took of it.

mod cgroup;

use std::path::Path;

/// Bytes of memory that could be used without swapping, and within the limits of the container that the process runs in.
pub fn available_memory() -> u64 {
    let meminfo = fs_err::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = field_kib(&meminfo, "MemAvailable:").map_or(4 << 30, |kib| kib << 10);
    let groups = fs_err::read_to_string("/proc/self/cgroup").unwrap_or_default();
    cgroup::available(&groups, Path::new("/sys/fs/cgroup")).map_or(free, |allowed| allowed.min(free))
}

/// Largest resident memory of this process so far, in bytes.
pub fn peak_memory() -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
    field_kib(&status, "VmHWM:").map_or(0, |kib| kib << 10)
}

fn field_kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line[name.len()..].trim().trim_end_matches("kB").trim().parse().ok()
}

/// CPU seconds of all threads so far.
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Bytes free for this user where `path` is, or would be.
pub(crate) fn free_disk(path: &Path) -> Option<u64> {
    let existing =
        path.ancestors().find(|p| p.exists() && !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let stat = rustix::fs::statvfs(existing).ok()?;
    Some(stat.f_bavail * stat.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_tells_what_it_has() {
        assert!(available_memory() > 1 << 20 && peak_memory() > 1 << 16);
        assert!(free_disk(Path::new("/no/such/place")).is_some());
    }
}
