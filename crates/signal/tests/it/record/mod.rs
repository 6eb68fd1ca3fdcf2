//! Reading ground-motion files: sound ones and damaged ones.

mod fixtures;
mod hostile_files;
mod readers;
