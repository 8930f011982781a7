//! Pages whose claims are compared with their bytes before anybody believes them.

use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// Pages of a column of numbers of `width` bytes each.
///
/// The `parquet` crate makes room for as many dictionary entries as a page claims to have, up to 2^32 of them, and a
/// lack of memory is a fault that nothing can catch.
pub(super) struct Checked {
    pub(super) pages: Box<dyn PageReader>,
    pub(super) width: usize,
}

impl Checked {
    fn check(&self, page: Option<Page>) -> Result<Option<Page>> {
        match &page {
            // Dictionaries hold plain values, one after the other.
            Some(Page::DictionaryPage { buf, num_values, .. })
                if u64::from(*num_values) * self.width as u64 > buf.len() as u64 =>
            {
                Err(ParquetError::General(format!("a dictionary of {num_values} values in {} bytes", buf.len())))
            }
            _ => Ok(page),
        }
    }
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        self.check(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.pages.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        let page = self.pages.take_deferred_dictionary()?;
        self.check(page)
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}
