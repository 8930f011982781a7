//! `samebits devices`.

use serde::Serialize;

use crate::failure::Failure;
use crate::output::{Output, Stamp};

#[derive(Serialize)]
struct Record<'a> {
    #[serde(flatten)]
    stamp: Stamp,
    device: String,
    name: &'a str,
    threads: usize,
    isas: &'a [&'static str],
}

pub(super) fn run(out: &mut Output) -> Result<u8, Failure> {
    let devices = samebits::devices()?;
    if out.json() {
        for info in &devices {
            out.object(&Record {
                stamp: Stamp::new(),
                device: info.device.to_string(),
                name: &info.name,
                threads: info.threads,
                isas: &info.isas,
            })?;
        }
        return Ok(0);
    }
    let mut rows = vec![["device", "name", "threads", "instruction sets"].map(String::from).to_vec()];
    rows.extend(devices.iter().map(|info| {
        let isas = if info.isas.is_empty() { "-".to_owned() } else { info.isas.join(", ") };
        vec![info.device.to_string(), info.name.clone(), info.threads.to_string(), isas]
    }));
    out.table(&rows)?;
    Ok(0)
}
