//! Any bytes are read or refused as an archive.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut file = std::io::Cursor::new(bytes);
    for entry in tandem_fmi::zip::directory(&mut file, 1000).unwrap_or_default() {
        let _ = tandem_fmi::zip::unpack(&mut file, &entry, 1 << 20, &mut std::io::sink());
    }
});
