//! Threads: any number gives the same bits; affinity counts; a forked child works; nothing is started for short inputs.
#![cfg(target_os = "linux")]

use samebits_conformance::seed_vector;
use samebits_core::Binned;
use samebits_cpu::Cpu;
use samebits_device::{Backend, Reduce};

fn bits(cpu: &Cpu, x: &[f64]) -> u64 {
    let mut acc = Binned::<f64>::new(3).unwrap();
    cpu.binned_f64(x, &mut acc).unwrap();
    acc.value().to_bits()
}

fn own_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.map(|t| std::fs::read_to_string(t.unwrap().path().join("comm")).unwrap_or_default());
    names.filter(|name| name.starts_with("samebits-")).count()
}

/// One test, since it looks at the threads and the affinity of the whole process.
#[test]
fn pools() {
    let x = seed_vector();
    let expected = 0x430f_c878_c605_717f;

    assert_eq!(bits(&Cpu::new().unwrap().with_threads(1), &x), expected);
    let four = Cpu::new().unwrap().with_threads(4);
    bits(&four, &x[..1000]);
    assert_eq!(own_threads(), 0, "one thread, or a short input, started a pool");
    assert_eq!(bits(&four, &x), expected);
    // A thread gives itself its name, once it runs.
    let named = || {
        own_threads() == 4 || {
            std::thread::sleep(std::time::Duration::from_millis(10));
            false
        }
    };
    assert!((0..1000).any(|_| named()), "{} threads of four", own_threads());
    for threads in [2, 3, 5, 8, 16] {
        assert_eq!(bits(&Cpu::new().unwrap().with_threads(threads), &x), expected, "{threads} threads");
    }

    // Many callers at once.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(bits(&four, &x), expected));
        }
    });

    // A child of fork has none of the pool's threads.
    // SAFETY: the child only computes and leaves by _exit; SIGALRM ends it if it hangs.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::alarm(60);
            libc::_exit(if bits(&four, &x) == expected { 0 } else { 1 });
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "the forked child failed: {status:#x}");
    }
    assert_eq!(bits(&four, &x), expected, "the parent's pool survives the child");

    // A process confined to one core gets one thread.
    let confined = std::thread::spawn(|| {
        // SAFETY: a zeroed set is an empty one; the calls only read and write it.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            let size = size_of::<libc::cpu_set_t>();
            assert_eq!(libc::sched_getaffinity(0, size, &mut set), 0);
            let first = (0..libc::CPU_SETSIZE as usize).find(|&c| libc::CPU_ISSET(c, &set)).unwrap();
            libc::CPU_ZERO(&mut set);
            libc::CPU_SET(first, &mut set);
            assert_eq!(libc::sched_setaffinity(0, size, &set), 0);
        }
        Cpu::new().unwrap().threads()
    });
    assert_eq!(confined.join().unwrap(), 1);
}
