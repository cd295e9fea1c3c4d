//! Certificates kept between versions of a program (`--cache`): a series of edits, with the verdicts
//! of runs without it; and files that somebody damaged, forged, or took from another program.

mod common;

use common::{LOOP, Scratch, WRONG};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A ring buffer, whose proof takes a while.
const RING: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
struct ring { unsigned write, read, size; unsigned char cells[16]; };
static unsigned put(struct ring *ring, unsigned char value) {
    unsigned next = ring->write + 1 == ring->size ? 0 : ring->write + 1;
    if (next == ring->read) return 0;
    ring->cells[ring->write] = value;
    ring->write = next;
    return 1;
}
int main(void) {
    struct ring ring = {0, 0, 16};
    int count = 0;
    while (__VERIFIER_nondet_int()) {
        count += put(&ring, count);
        if (ring.write >= 16) reach_error();
    }
    return 0;
}
";

fn check(folder: &Path, text: &str, options: &[&str]) -> Value {
    let file = folder.join("main.c");
    std::fs::write(&file, text).expect("a file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .current_dir(folder)
        .args(["check", "--format", "json", "--timeout", "60s", "main.c"])
        .args(options)
        .output()
        .expect("concord can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

const CACHED: [&str; 2] = ["--cache", "cache"];

fn engine(result: &Value) -> &str {
    result["engine"].as_str().unwrap_or_default()
}

/// All files that a cache has.
fn files(cache: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(cache).expect("there is a cache");
    let inside = folders.flat_map(|folder| {
        let folder = folder.expect("it can be listed").path();
        std::fs::read_dir(folder).expect("each program has a folder")
    });
    inside
        .map(|file| file.expect("it can be listed").path())
        .collect()
}

#[test]
fn a_series_of_edits_has_its_verdicts_for_less() {
    let scratch = Scratch::new("cache-series");
    let broken = RING.replace("? 0 : ring->write + 1", "? ring->size : ring->write + 1");
    let series = [
        RING.to_owned(),
        RING.replace("static unsigned put", "/* appends */\nstatic unsigned put"),
        RING.replace(
            "int main",
            "static int unused(int x) { return x ? x++ : 3; }\nint main",
        ),
        RING.replace("int count = 0;", "int count = 0, calls = 0;")
            .replace("count += put", "calls++; count += put"),
        broken.clone(),
        broken.replace("int count = 0;", "int count = 0; int more = 4; more++;"),
        RING.replace("return 1;", "unsigned one = 1; return one;"),
        RING.to_owned(),
    ];
    let mut seconds = [0.0, 0.0];
    let mut found = Vec::new();
    for text in &series {
        let results = [
            check(&scratch.0, text, &[]),
            check(&scratch.0, text, &CACHED),
        ];
        assert_eq!(results[0]["verdict"], results[1]["verdict"], "{text}");
        for (sum, result) in seconds.iter_mut().zip(&results) {
            *sum += result["cpu_seconds"].as_f64().expect("it is measured");
        }
        found.push(engine(&results[1]).to_owned());
    }
    // The first version, and the first that is broken, have nobody to learn from.
    let cached = found.iter().filter(|engine| *engine == "cache").count();
    assert!(cached >= series.len() - 3, "{found:?}");
    assert!(
        found[1] == "cache" && found[2] == "cache" && found[7] == "cache",
        "{found:?}"
    );
    assert!(seconds[1] * 1.5 < seconds[0], "{seconds:?}");
}

#[test]
fn every_check_is_answered_again() {
    let scratch = Scratch::new("cache-each");
    let options = ["--cache", "cache", "--property", "all"];
    let first = check(&scratch.0, RING, &options);
    let again = check(&scratch.0, RING, &options);
    let said = |result: &Value| -> Vec<(String, String)> {
        let checks = result["checks"]
            .as_array()
            .expect("there are checks")
            .iter();
        let text = |check: &Value, what: &str| check[what].as_str().unwrap_or("?").to_owned();
        checks
            .map(|one| (text(one, "place"), text(one, "verdict")))
            .collect()
    };
    assert_eq!(said(&first), said(&again));
    assert_eq!(first["verdict"], again["verdict"]);
    let text = again.to_string();
    assert!(text.contains("\"cache\""), "{text}");
}

/// Nothing in a file is believed.
#[test]
fn what_lies_in_the_cache_changes_no_verdict() {
    let scratch = Scratch::new("cache-forged");
    let cache = scratch.0.join("cache");
    // Both programs are named alike, so each finds what is kept of the other.
    let programs = [(LOOP, "TRUE"), (WRONG, "FALSE")];
    for (text, verdict) in programs {
        assert_eq!(check(&scratch.0, text, &CACHED)["verdict"], verdict);
    }
    let kept = files(&cache);
    assert_eq!(kept.len(), 2, "{kept:?}");
    let contents: Vec<Vec<u8>> = kept
        .iter()
        .map(|file| std::fs::read(file).expect("it can be read"))
        .collect();
    let digits = |bytes: &[u8]| -> Vec<u8> {
        let other = |byte: &u8| if byte.is_ascii_digit() { b'1' } else { *byte };
        bytes.iter().map(other).collect()
    };
    let forgeries: [[Vec<u8>; 2]; 5] = [
        // Each under the name of the other.
        [contents[1].clone(), contents[0].clone()],
        [Vec::new(), b"{}".to_vec()],
        [
            contents[0][..contents[0].len() / 2].to_vec(),
            vec![0xff; 1000],
        ],
        [b"[[[[[[[[".repeat(10_000), b"null".to_vec()],
        [digits(&contents[0]), digits(&contents[1])],
    ];
    for forged in &forgeries {
        for (text, verdict) in programs {
            for (file, bytes) in kept.iter().zip(forged) {
                std::fs::write(file, bytes).expect("it can be written");
            }
            let result = check(&scratch.0, text, &CACHED);
            assert_eq!(result["verdict"], verdict, "{result}");
            let alarms = result["alarms"].as_array();
            assert!(alarms.is_none_or(Vec::is_empty), "{result}");
        }
    }
}
