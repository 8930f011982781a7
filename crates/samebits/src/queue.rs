//! Queues: a device, opened. The one place that knows which backend drives which device.

use samebits_cpu::{Cpu, Isa};
use samebits_device::{Backend, Device, Error, Reference, Result};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A device that work is given to. Cheap to keep, shared by threads; its own threads start with the first long input.
///
/// ```
/// use samebits::{Device, Queue, Sum};
/// let queue = Queue::new(Device::Cpu)?.with_threads(2)?;
/// assert_eq!(Sum::new().run(&queue, &[0.5, 0.25])?, 0.75);
/// # Ok::<(), samebits::Error>(())
/// ```
pub struct Queue {
    backend: Arc<dyn Backend>,
    isa: Option<Isa>,
    /// The same device with other thread counts, made when a call asked for them.
    variants: Mutex<Vec<Arc<dyn Backend>>>,
}

impl Queue {
    /// Opens a device. GPUs are not in this version: they answer [`Error::DeviceUnavailable`].
    pub fn new(device: Device) -> Result<Queue> {
        match device {
            Device::Cpu => Self::open_cpu(Isa::chosen()?, None),
            Device::Reference => Ok(Self::of(Arc::new(Reference), None)),
            other => Err(Error::DeviceUnavailable {
                device: other.to_string(),
                why: "this version computes on the CPU only; use cpu or reference".to_owned(),
            }),
        }
    }

    /// The CPU: all cores that the process may use, the best instruction set (or what `SAMEBITS_ISA` says).
    pub fn cpu() -> Result<Queue> {
        Self::new(Device::Cpu)
    }

    /// The same device with `threads` threads. The reference device has one.
    pub fn with_threads(self, threads: usize) -> Result<Queue> {
        check_threads(threads)?;
        match self.isa {
            Some(isa) => Self::open_cpu(isa, Some(threads)),
            None => Ok(self),
        }
    }

    /// The CPU with an instruction set by name, one of those that [`devices`] lists. Results do not depend on it.
    pub fn with_isa(self, name: &str) -> Result<Queue> {
        if self.isa.is_none() {
            let why = format!("the device {} has no instruction sets to choose from", self.device());
            return Err(Error::Argument { what: "instruction set", why });
        }
        Self::open_cpu(name.parse()?, Some(self.threads()))
    }

    fn open_cpu(isa: Isa, threads: Option<usize>) -> Result<Queue> {
        Ok(Self::of(cpu_backend(isa, threads)?, Some(isa)))
    }

    fn of(backend: Arc<dyn Backend>, isa: Option<Isa>) -> Queue {
        Queue { backend, isa, variants: Mutex::default() }
    }

    /// The device.
    pub fn device(&self) -> Device {
        self.backend.device()
    }

    /// Threads that a call may use.
    pub fn threads(&self) -> usize {
        self.backend.threads()
    }

    /// The instruction set by name; `"integer"` for the reference device.
    pub fn isa(&self) -> &'static str {
        self.isa.map_or("integer", Isa::name)
    }

    /// The backend, with another number of threads if that was asked for.
    pub(crate) fn backend(&self, threads: Option<usize>) -> Result<Arc<dyn Backend>> {
        let (Some(threads), Some(isa)) = (threads, self.isa) else { return Ok(self.backend.clone()) };
        check_threads(threads)?;
        if threads == self.threads() {
            return Ok(self.backend.clone());
        }
        let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(backend) = variants.iter().find(|b| b.threads() == threads) {
            return Ok(backend.clone());
        }
        let backend = cpu_backend(isa, Some(threads))?;
        variants.push(backend.clone());
        Ok(backend)
    }

    /// The queue behind the one-call functions.
    pub(crate) fn shared() -> Result<&'static Queue> {
        static QUEUE: OnceLock<Queue> = OnceLock::new();
        if let Some(queue) = QUEUE.get() {
            return Ok(queue);
        }
        let queue = Queue::cpu()?;
        Ok(QUEUE.get_or_init(|| queue))
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Queue({}, {}, {} threads)", self.device(), self.isa(), self.threads())
    }
}

/// The CPU's kernels on the thread that calls, for accumulators that are fed without a queue.
pub(crate) fn calling_thread() -> Result<&'static dyn Backend> {
    static CPU: OnceLock<Cpu> = OnceLock::new();
    if let Some(cpu) = CPU.get() {
        return Ok(cpu);
    }
    let cpu = Cpu::new()?.with_isa(Isa::chosen()?).with_threads(1);
    Ok(CPU.get_or_init(|| cpu))
}

fn cpu_backend(isa: Isa, threads: Option<usize>) -> Result<Arc<dyn Backend>> {
    let cpu = Cpu::new()?.with_isa(isa);
    Ok(Arc::new(match threads {
        Some(n) => cpu.with_threads(n),
        None => cpu,
    }))
}

/// More threads than anyone has; a typing error would otherwise ask the system for millions.
const MAX_THREADS: usize = 4096;

fn check_threads(threads: usize) -> Result<()> {
    if (1..=MAX_THREADS).contains(&threads) {
        Ok(())
    } else {
        Err(Error::Argument { what: "threads", why: format!("{threads} given: 1 to {MAX_THREADS} can be used") })
    }
}

/// A device that can be opened here.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// What to pass to [`Queue::new`].
    pub device: Device,
    /// What it is.
    pub name: String,
    /// Threads that a call uses unless told otherwise.
    pub threads: usize,
    /// Instruction sets that [`Queue::with_isa`] takes, best first.
    pub isas: Vec<&'static str>,
}

/// The devices that can be opened here, the CPU first.
pub fn devices() -> Result<Vec<DeviceInfo>> {
    [Device::Cpu, Device::Reference]
        .into_iter()
        .map(|device| {
            let queue = Queue::new(device)?;
            let isas = if device == Device::Cpu { Isa::available() } else { Vec::new() };
            Ok(DeviceInfo {
                device,
                name: queue.backend.name(),
                threads: queue.threads(),
                isas: isas.into_iter().map(Isa::name).collect(),
            })
        })
        .collect()
}
