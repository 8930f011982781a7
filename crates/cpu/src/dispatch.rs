//! Which room does the work: found out once, logged, and overridden by `SAMEBITS_ISA`.

use crate::arch;
use crate::kernel::Kernels;
use samebits_device::Error;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// Environment variable that forces an instruction set.
pub const ISA_VARIABLE: &str = "SAMEBITS_ISA";

/// An instruction set with kernels. All give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// `scalar`: one element at a time.
    Scalar,
    /// `sse2`: every x86-64.
    Sse2,
    /// `avx2`: x86-64 with AVX2 and FMA.
    Avx2,
    /// `avx512`: x86-64 with AVX-512 F and DQ.
    Avx512,
    /// `neon`: every aarch64.
    Neon,
}

impl Isa {
    /// All of them, best first.
    const ALL: [Isa; 5] = [Isa::Avx512, Isa::Avx2, Isa::Sse2, Isa::Neon, Isa::Scalar];

    /// The name that `SAMEBITS_ISA` takes.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Sse2 => "sse2",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Neon => "neon",
        }
    }

    /// Those that this machine has, best first.
    pub fn available() -> Vec<Isa> {
        Self::ALL.into_iter().filter(|isa| isa.kernels().is_some()).collect()
    }

    /// The one in use: what `SAMEBITS_ISA` says, else the best. An error if the machine lacks what the variable asks for.
    pub fn chosen() -> Result<Isa, Error> {
        static CHOSEN: OnceLock<Isa> = OnceLock::new();
        if let Some(&isa) = CHOSEN.get() {
            return Ok(isa);
        }
        let isa = match std::env::var_os(ISA_VARIABLE) {
            Some(name) if !name.is_empty() => name.to_string_lossy().parse()?,
            _ => Self::available()[0],
        };
        log::debug!("samebits-cpu uses {isa}");
        Ok(*CHOSEN.get_or_init(|| isa))
    }

    /// The kernels, or an error that names what the machine has.
    pub(crate) fn kernels_or_error(self) -> Result<&'static Kernels, Error> {
        self.kernels().ok_or_else(|| unavailable(self.name()))
    }

    /// The kernels, if the machine has the instructions.
    pub(crate) fn kernels(self) -> Option<&'static Kernels> {
        match self {
            Isa::Scalar => Some(&arch::scalar::KERNELS),
            #[cfg(target_arch = "x86_64")]
            Isa::Sse2 => Some(&arch::x86_64::sse2::KERNELS),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") => {
                Some(&arch::x86_64::avx2::KERNELS)
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") => {
                Some(&arch::x86_64::avx512::KERNELS)
            }
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => Some(&arch::neon::KERNELS),
            _ => None,
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Isa {
    type Err = Error;

    fn from_str(name: &str) -> Result<Isa, Error> {
        Self::available().into_iter().find(|isa| isa.name() == name).ok_or_else(|| unavailable(name))
    }
}

fn unavailable(name: &str) -> Error {
    let names: Vec<_> = Isa::available().iter().map(|isa| isa.name()).collect();
    Error::Isa { name: name.to_owned(), available: names.join(", ") }
}
