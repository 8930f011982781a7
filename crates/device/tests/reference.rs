//! The reference backend passes the suite that it is the oracle of, as far as that has bits of its own.

use samebits_conformance::suite;
use samebits_device::Reference;

#[test]
fn golden() {
    assert!(suite::golden(&Reference) > 1000);
}

#[test]
fn faults() {
    assert!(suite::faults(&Reference) > 100);
}

#[test]
fn published_result() {
    assert_eq!(suite::published(&Reference), 12);
}

#[test]
fn dots() {
    assert_eq!(suite::dot::golden(&Reference), 13 * 8);
    assert_eq!(suite::dot::faults(&Reference), 11 * 12);
}

#[test]
fn segments_and_groups() {
    assert!(suite::segments::<f64>(&Reference, &[3]) > 1000);
    assert!(suite::scattered::<f64>(&Reference, &[3]) > 1000);
}

#[test]
fn running_sums() {
    assert!(suite::scan::golden(&Reference) > 500);
    assert_eq!(suite::scan::faults(&Reference), 21);
}

#[test]
fn norms() {
    assert_eq!(suite::norm::golden(&Reference), 45 * 6);
    assert!(suite::norm::faults(&Reference) > 33 * 12);
}
