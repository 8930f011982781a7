//! Reading numbers from files.
