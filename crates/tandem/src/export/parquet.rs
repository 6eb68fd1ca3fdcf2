//! Apache Parquet.

use super::{Format, Written, file_error, window, windows};
use parquet::basic::{Encoding, Repetition, Type as PhysicalType};
use parquet::data_type::DoubleType;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use tandem_coordinator::recorder::RunReader;

/// What is chosen.
pub(super) const FORMAT: Format = Format {
    extension: "parquet",
    summary: "Apache Parquet: one column per channel, units in the metadata",
    write,
};

/// Writes a required column of doubles per channel, plain and uncompressed, so that any reader can
/// map it.
///
/// The metadata of the file hold `plan`, `seed`, `created`, `time_scale`, `tandem_version`, and
/// `unit:<channel>` and `description:<channel>` for every column.
fn write(run: &Arc<RunReader>, path: &Path) -> Written {
    let mut fields = Vec::new();
    for info in run.columns() {
        fields.push(Arc::new(
            Type::primitive_type_builder(&info.name, PhysicalType::DOUBLE)
                .with_repetition(Repetition::REQUIRED)
                .build()?,
        ));
    }
    let schema = Type::group_type_builder("run")
        .with_fields(fields)
        .build()?;
    let properties = WriterProperties::builder()
        .set_created_by(format!("tandem {}", env!("CARGO_PKG_VERSION")))
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::PLAIN)
        .set_key_value_metadata(Some(metadata(run)))
        .build();
    let file = File::create(path).map_err(|source| file_error(path, source))?;
    let mut parquet = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
    for from in windows(run) {
        let mut group = parquet.next_row_group()?;
        for values in window(run, from)? {
            let Some(mut column) = group.next_column()? else {
                break; // as many columns as fields: not reached
            };
            column
                .typed::<DoubleType>()
                .write_batch(&values, None, None)?;
            column.close()?;
        }
        group.close()?;
    }
    parquet.close()?;
    Ok(())
}

fn metadata(run: &RunReader) -> Vec<KeyValue> {
    let header = run.header();
    let mut entries = vec![
        KeyValue::new("tandem_version".into(), header.tandem_version.clone()),
        KeyValue::new("plan".into(), header.plan.clone()),
        KeyValue::new("seed".into(), header.seed.to_string()),
        KeyValue::new("created".into(), header.created.clone()),
        KeyValue::new("time_scale".into(), header.time_scale.to_string()),
        KeyValue::new("complete".into(), u8::from(run.complete()).to_string()),
    ];
    for info in run.columns() {
        entries.push(KeyValue::new(
            format!("unit:{}", info.name),
            info.unit.clone(),
        ));
        entries.push(KeyValue::new(
            format!("description:{}", info.name),
            info.description.clone(),
        ));
    }
    entries
}
