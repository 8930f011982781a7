//! Names of devices.

use crate::Error;
use std::fmt;
use std::str::FromStr;

/// A device by name. Parsing one does not ask whether it exists; opening a queue on it does.
///
/// ```
/// use samebits_device::Device;
/// assert_eq!("cuda:1".parse::<Device>()?, Device::Cuda(1));
/// assert_eq!(Device::Cpu.to_string(), "cpu");
/// # Ok::<(), samebits_device::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Device {
    /// `cpu`: all cores, the best instruction set that the machine has.
    #[default]
    Cpu,
    /// `reference`: the plain backend, one thread, one element at a time. Slow; an oracle.
    Reference,
    /// `cuda:N`: an NVIDIA GPU.
    Cuda(u32),
    /// `opencl:N`: a device with an OpenCL driver.
    OpenCl(u32),
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Reference => f.write_str("reference"),
            Device::Cuda(n) => write!(f, "cuda:{n}"),
            Device::OpenCl(n) => write!(f, "opencl:{n}"),
        }
    }
}

impl FromStr for Device {
    type Err = Error;

    fn from_str(name: &str) -> Result<Device, Error> {
        let unknown = || Error::DeviceName { name: name.to_owned() };
        match name.split_once(':') {
            None if name == "cpu" => Ok(Device::Cpu),
            None if name == "reference" => Ok(Device::Reference),
            Some(("cuda", n)) => n.parse().map(Device::Cuda).map_err(|_| unknown()),
            Some(("opencl", n)) => n.parse().map(Device::OpenCl).map_err(|_| unknown()),
            _ => Err(unknown()),
        }
    }
}
