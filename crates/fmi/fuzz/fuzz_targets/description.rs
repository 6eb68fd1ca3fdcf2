//! Any text is read or refused as a model description; nothing panics, hangs or eats the memory.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(description) = tandem_fmi::Description::parse(text) {
        let _ = description.state_count();
        for variable in &description.variables {
            let _ = description.size(variable);
            let _ = description.element_name(variable, 0);
        }
    }
});
