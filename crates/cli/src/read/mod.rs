//! Readers of text and Parquet.
