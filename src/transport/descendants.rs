//! What a process has started and what those have started, as far as the system tells.
//!
//! A process group covers what stays in it; a server (or a browser that it drives) may leave it
//! with `setsid`. Linux lists the children of every process, so there those are found too, and
//! whatever lost its parent can be adopted. Elsewhere the group is all that is known.
//!
//! Reads `/proc` and sends signals; starts nothing.

#[cfg(target_os = "linux")]
pub(super) use linux::Descendants;
#[cfg(target_os = "linux")]
pub use linux::{adopt_orphans, end_orphans};
#[cfg(not(target_os = "linux"))]
pub(super) use other::Descendants;
#[cfg(not(target_os = "linux"))]
pub use other::{adopt_orphans, end_orphans};

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use rustix::process::{
        Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
    };

    /// The processes below one process that were seen so far.
    #[derive(Debug, Default)]
    pub(in crate::transport) struct Descendants {
        /// Each with the moment of its start, since its number may come to name another.
        seen: HashMap<Pid, u64>,
    }

    impl Descendants {
        /// Looks what runs below `root`, and below all that were seen before.
        pub(in crate::transport) fn look(&mut self, root: Option<Pid>) {
            self.seen.retain(|&pid, &mut start| is_alive(pid, start));
            let mut parents: Vec<Pid> = self.seen.keys().copied().collect();
            parents.extend(root);
            while let Some(parent) = parents.pop() {
                for child in children(parent) {
                    if let Some(start) = started(child)
                        && self.seen.insert(child, start).is_none()
                    {
                        parents.push(child);
                    }
                }
            }
        }

        /// Whether any of them still runs.
        pub(in crate::transport) fn are_left(&self) -> bool {
            self.seen.iter().any(|(&pid, &start)| is_alive(pid, start))
        }

        /// Asks them to end.
        pub(in crate::transport) fn terminate(&self) {
            self.signal(Signal::TERM);
        }

        /// Ends them.
        pub(in crate::transport) fn kill(&self) {
            self.signal(Signal::KILL);
        }

        fn signal(&self, signal: Signal) {
            for (&pid, &start) in &self.seen {
                if is_alive(pid, start) {
                    // The only failure is that it has gone, or belongs to someone else by now.
                    let _ = kill_process(pid, signal);
                }
            }
        }
    }

    /// The children of a process, those of each of its threads.
    fn children(parent: Pid) -> Vec<Pid> {
        let mut found = Vec::new();
        let tasks = format!("/proc/{}/task", parent.as_raw_nonzero());
        for task in std::fs::read_dir(tasks).into_iter().flatten().flatten() {
            let listed = std::fs::read_to_string(task.path().join("children"));
            found.extend(
                listed
                    .unwrap_or_default()
                    .split_whitespace()
                    .filter_map(|number| Pid::from_raw(number.parse().ok()?)),
            );
        }
        found
    }

    /// When a process was started, in ticks since the machine was; none for one that has ended.
    fn started(pid: Pid) -> Option<u64> {
        let path = format!("/proc/{}/stat", pid.as_raw_nonzero());
        let stat = std::fs::read_to_string(path).ok()?;
        // The name, in parentheses, may hold anything.
        let (_, rest) = stat.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        let state = fields.next()?;
        if matches!(state, "Z" | "X") {
            return None;
        }
        // proc_pid_stat(5): the state is field 3, the start 22.
        fields.nth(18)?.parse().ok()
    }

    fn is_alive(pid: Pid, start: u64) -> bool {
        started(pid) == Some(start)
    }

    /// Whether this process adopts.
    static ADOPTS: AtomicBool = AtomicBool::new(false);
    /// How long the kernel may take to bury what was killed.
    const BURIAL: Duration = Duration::from_secs(1);

    /// From now on whatever is left behind by a child (however far down) becomes a child of this
    /// process, so that [`end_orphans`] finds it. Does nothing in a process that has children
    /// already: those are somebody else's.
    pub fn adopt_orphans() {
        let me = getpid();
        if !ADOPTS.load(Ordering::SeqCst)
            && children(me).is_empty()
            && set_child_subreaper(Some(me)).is_ok()
        {
            ADOPTS.store(true, Ordering::SeqCst);
        }
    }

    /// Kills every child of this process and what they leave behind, where [`adopt_orphans`] was
    /// called before. To be called when nothing that was started is wanted any more.
    pub fn end_orphans() {
        if !ADOPTS.load(Ordering::SeqCst) {
            return;
        }
        let deadline = Instant::now() + BURIAL;
        loop {
            let left = children(getpid());
            if left.is_empty() || Instant::now() > deadline {
                return;
            }
            for pid in left {
                let _ = kill_process(pid, Signal::KILL);
                // What it leaves behind is adopted with its burial, and met in the next round.
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::io::Read;
        use std::process::{Command, Stdio};

        #[test]
        fn what_has_left_the_group_is_found_and_ended() {
            let mut child = Command::new("/bin/sh")
                .args(["-c", "setsid sleep 600 & echo started; wait"])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut said = [0; 8];
            child.stdout.take().unwrap().read_exact(&mut said).unwrap();
            let root = Pid::from_raw(i32::try_from(child.id()).unwrap());
            let mut found = Descendants::default();
            let deadline = Instant::now() + Duration::from_secs(10);
            while !found.are_left() {
                assert!(Instant::now() < deadline, "nothing was found");
                found.look(root);
            }
            let (&pid, &start) = found.seen.iter().next().unwrap();
            assert!(is_alive(pid, start));
            assert!(!is_alive(pid, start + 1), "another one of that number");
            found.kill();
            while found.are_left() {
                assert!(Instant::now() < deadline, "it runs on");
            }
            child.wait().unwrap();
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    /// Nothing: no child tells here what it has started.
    #[derive(Debug, Default)]
    pub(in crate::transport) struct Descendants;

    impl Descendants {
        pub(in crate::transport) fn look<P>(&mut self, _: Option<P>) {}

        pub(in crate::transport) fn are_left(&self) -> bool {
            false
        }

        pub(in crate::transport) fn terminate(&self) {}

        pub(in crate::transport) fn kill(&self) {}
    }

    /// Does nothing here: orphans can be adopted on Linux only.
    pub fn adopt_orphans() {}

    /// Does nothing here: orphans can be adopted on Linux only.
    pub fn end_orphans() {}
}
