//! The versions that the board keeps, under every interleaving of the threads that use them: the
//! same source as the crate's own module, with the types of loom in place of the standard
//! library's.

mod sync {
    pub use loom::sync::atomic::{AtomicUsize, Ordering};
    pub use loom::sync::{Arc, Mutex};
}

#[path = "../src/versions.rs"]
mod versions;

use loom::sync::Arc;
use versions::Versions;

fn publish(versions: &Versions<Vec<u32>>, entry: u32) -> bool {
    versions.replace(|list| {
        let mut next = list.clone();
        next.push(entry);
        Some(next)
    })
}

#[test]
fn readers_see_whole_versions_and_nothing_is_lost() {
    loom::model(|| {
        let versions = Arc::new(Versions::new(Vec::new()));
        let writers: Vec<_> = (1..=2)
            .map(|entry| {
                let versions = versions.clone();
                loom::thread::spawn(move || assert!(publish(&versions, entry)))
            })
            .collect();
        let number = versions.number();
        let first = versions.read();
        let length = first.len();
        assert!(length >= number, "a number is seen before its version");
        let second = versions.read();
        assert!(second.starts_with(&first), "a version is taken back");
        assert_eq!(first.len(), length, "a version changes");
        for writer in writers {
            writer.join().expect("writers do not panic");
        }
        assert_eq!((versions.number(), versions.read().len()), (2, 2));
    });
}

#[test]
fn what_is_there_already_is_published_once() {
    loom::model(|| {
        let versions = Arc::new(Versions::new(Vec::new()));
        let once = |versions: &Versions<Vec<u32>>| {
            versions.replace(|list| (!list.contains(&7)).then(|| vec![7]))
        };
        let other = {
            let versions = versions.clone();
            loom::thread::spawn(move || once(&versions))
        };
        let here = once(&versions);
        let there = other.join().expect("it does not panic");
        assert!(here != there && versions.number() == 1);
    });
}

#[test]
fn a_version_made_of_an_old_one_does_not_replace_a_newer_one() {
    loom::model(|| {
        let versions = Arc::new(Versions::new(Vec::new()));
        let other = {
            let versions = versions.clone();
            loom::thread::spawn(move || publish(&versions, 1))
        };
        let mut seen = Vec::new();
        let replaced = versions.replace(|list| {
            seen.push(list.len());
            let mut next = list.clone();
            next.push(2);
            Some(next)
        });
        assert!(replaced && other.join().expect("it does not panic"));
        // It was made once more if the other one came between, and only then.
        let list = versions.read();
        match &list[..] {
            [1, 2] => assert!(seen == [1] || seen == [0, 1], "{seen:?}"),
            [2, 1] => assert_eq!(seen, [0]),
            other => panic!("{other:?}"),
        }
    });
}
