//! Metrics of this process, under the conventional Prometheus names.

use gateway::Measure;

/// Returns the version of this build, and its commit if the commit was set at build time.
pub(crate) fn build_info() -> Measure {
    let label = |name, value: Option<&str>| (name, value.unwrap_or_default().to_owned());
    let labels = vec![
        label("version", Some(env!("CARGO_PKG_VERSION"))),
        label("commit", option_env!("GIT_COMMIT")),
    ];
    Measure::gauge("pauta_build_info", "Version and commit", 1.0).with_labels(vec![(labels, 1.0)])
}

/// Reads the CPU time, memory, open files and start time; empty on systems without `/proc`.
#[cfg(target_os = "linux")]
pub(crate) fn measures() -> Vec<Measure> {
    let measures = [
        cpu_and_start_time().map(|(cpu, _)| {
            Measure::counter(
                "process_cpu_seconds",
                "Processor time, of the system too",
                cpu,
            )
        }),
        cpu_and_start_time().map(|(_, start)| {
            Measure::gauge("process_start_time_seconds", "Start, in Unix time", start)
        }),
        read_status_bytes("VmRSS:")
            .map(|bytes| Measure::gauge("process_resident_memory_bytes", "Memory in use", bytes)),
        read_status_bytes("VmSize:")
            .map(|bytes| Measure::gauge("process_virtual_memory_bytes", "Virtual memory", bytes)),
        count_open_files().map(|files| Measure::gauge("process_open_fds", "Open files", files)),
        max_open_files().map(|most| Measure::gauge("process_max_fds", "Limit of open files", most)),
    ];
    measures.into_iter().flatten().collect()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn measures() -> Vec<Measure> {
    vec![]
}

/// Reads the CPU time and start time of the process, in seconds (`proc_pid_stat(5)`).
#[cfg(target_os = "linux")]
fn cpu_and_start_time() -> Option<(f64, f64)> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The program name may contain spaces and parentheses; the third field follows it.
    let (_, fields) = text.rsplit_once(')')?;
    let field =
        |number: usize| -> Option<f64> { fields.split_whitespace().nth(number - 3)?.parse().ok() };
    let second = rustix::param::clock_ticks_per_second() as f64;
    let system = std::fs::read_to_string("/proc/stat").ok()?;
    let boot = system.lines().find_map(|line| line.strip_prefix("btime "));
    let boot: f64 = boot?.trim().parse().ok()?;
    Some((
        (field(14)? + field(15)?) / second,
        boot + field(22)? / second,
    ))
}

/// Reads a field of `/proc/self/status`, in bytes.
#[cfg(target_os = "linux")]
fn read_status_bytes(name: &str) -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: f64 = value.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

#[cfg(target_os = "linux")]
fn count_open_files() -> Option<f64> {
    // One entry is the handle that lists the folder itself.
    let files = std::fs::read_dir("/proc/self/fd").ok()?.count() - 1;
    Some(files as f64)
}

#[cfg(target_os = "linux")]
fn max_open_files() -> Option<f64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current.map(|most| most as f64)
}
