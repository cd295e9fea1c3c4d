//! Collects the named configurations and helpers, so that a new file under `configs/` is all that
//! a new one needs.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let configs = root.join("../../configs");
    let mut tables = table("FILES", &configs)?;
    tables += &table("FAMILIES", &configs.join("families"))?;
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("named_analyses.rs"), tables)?;
    let helpers = table("HELPERS", &configs.join("helpers"))?;
    fs::write(out.join("helpers.rs"), helpers)
}

/// The TOML files of a folder as a constant: pairs of name and text.
fn table(constant: &str, folder: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    let mut table = format!("const {constant}: &[(&str, &str)] = &[\n");
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&file)?;
        let _ = writeln!(table, "    ({name:?}, {text:?}),");
    }
    table.push_str("];\n");
    Ok(table)
}
