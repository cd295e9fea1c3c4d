//! The simulated memory by itself.

use super::super::memory::{Bad, Bytes, Memory, PAGE};
use super::super::objects::Storage;

fn memory() -> Memory {
    let mut memory = Memory::new(0x10000, 1 << 30);
    memory.reset(1 << 24);
    memory
}

fn begin(memory: &mut Memory, size: u64, zero: bool) -> u32 {
    let class = memory.class_for(size, 1);
    memory
        .begin(7, class, size, Storage::Heap, zero)
        .expect("there is room")
}

#[test]
fn accesses_end_where_the_object_does() {
    let mut memory = memory();
    for size in [1, 4, 7, 16, 100, 5000, 20000] {
        let slot = begin(&mut memory, size, true);
        let start = memory.slot(slot).start;
        assert_eq!(memory.load::<1>(start), Some(0));
        assert_eq!(memory.load::<1>(start + size - 1), Some(0));
        assert_eq!(memory.load::<1>(start + size), None);
        assert_eq!(memory.load::<1>(start - 1), None);
        assert!(memory.store_slowly(start + size - 1, 1, 5, false).is_ok());
        assert_eq!(
            memory.store_slowly(start + size - 1, 2, 5, false),
            Err(Bad::NotLive(start + size))
        );
        memory.end(slot, 0).expect("ending needs no room");
        assert_eq!(memory.load::<1>(start), None);
    }
}

#[test]
fn words_may_cross_pages() {
    let mut memory = memory();
    let slot = begin(&mut memory, 3 * PAGE as u64, true);
    let start = memory.slot(slot).start;
    let boundary = (start + PAGE as u64) & !(PAGE as u64 - 1);
    let value = 0x1122_3344_5566_7788;
    memory
        .store_slowly(boundary - 3, 8, value, false)
        .expect("inside the object");
    assert_eq!(memory.load::<8>(boundary - 3), None);
    let Ok(Bytes::Set(read)) = memory.inspect(boundary - 3, 8) else {
        panic!("eight bytes were written");
    };
    assert_eq!(read, value);
}

#[test]
fn bytes_copied_before_they_have_a_value_stay_equal() {
    let mut memory = memory();
    let slot = begin(&mut memory, 8, false);
    let a = memory.slot(slot).start;
    let slot = begin(&mut memory, 8, false);
    let b = memory.slot(slot).start;
    memory.store_slowly(a, 1, 9, false).expect("inside");
    memory.copy(b, a, 8, false).expect("inside");
    assert_eq!(memory.known_byte(b), Some(9));
    assert_eq!(memory.known_byte(a + 1), None);
    memory.fix_byte(b + 1, 42).expect("a page exists");
    assert_eq!(memory.known_byte(a + 1), Some(42));
    // A byte that is written afterwards is equal to nobody any more.
    memory.store_slowly(b + 2, 1, 1, false).expect("inside");
    assert_eq!(memory.known_byte(a + 2), None);
}

#[test]
fn a_large_object_costs_only_what_is_used() {
    let mut memory = memory();
    let slot = begin(&mut memory, 1 << 28, false);
    let start = memory.slot(slot).start;
    memory
        .store_slowly(start + 12345, 4, 1, false)
        .expect("inside");
    assert!(memory.frames.len() < 10);
    assert_eq!(memory.load::<4>(start + 12345), Some(1));
    assert_eq!(memory.load::<1>(start + 12349), None);
    assert!(matches!(memory.inspect(start + 20000, 4), Ok(Bytes::Unset)));
}

#[test]
fn places_of_dead_objects_rest_but_are_used_again() {
    let mut memory = memory();
    let first = begin(&mut memory, 32, true);
    let start = memory.slot(first).start;
    memory.end(first, 0).expect("ending needs no room");
    let mut used_again_after = None;
    for round in 0..100_000 {
        let slot = begin(&mut memory, 32, true);
        if memory.slot(slot).start == start {
            used_again_after = Some(round);
            break;
        }
        memory.end(slot, 0).expect("ending needs no room");
    }
    assert!(used_again_after.is_some_and(|round| round > 100));
}

#[test]
fn static_objects_may_be_read_only() {
    let mut memory = memory();
    let at = memory.place_static(4, 4).expect("there is room");
    memory.begin_static(1, at, 4, false).expect("there is room");
    assert_eq!(memory.store_slowly(at, 1, 1, false), Err(Bad::ReadOnly(at)));
    assert!(!memory.store::<4>(at, 1));
    memory
        .store_slowly(at, 1, 1, true)
        .expect("initialisers may write");
    assert_eq!(memory.load::<1>(at), Some(1));
}

#[test]
fn moving_keeps_values_and_shares_nothing() {
    let mut memory = memory();
    let slot = begin(&mut memory, 3 * PAGE as u64, false);
    let a = memory.slot(slot).start;
    let slot = begin(&mut memory, 4 * PAGE as u64, false);
    let b = memory.slot(slot).start;
    let last = 3 * PAGE as u64 - 1;
    memory.store_slowly(a + 5, 1, 9, false).expect("inside");
    memory.store_slowly(a + last, 1, 7, false).expect("inside");
    memory.move_contents(b, a, last + 1).expect("both are live");
    assert_eq!(memory.known_byte(b + 5), Some(9));
    assert_eq!(memory.known_byte(b + last), Some(7));
    assert_eq!(memory.known_byte(b + 6), None);
    memory.fix_byte(b + 6, 1).expect("a page exists");
    assert_eq!(memory.known_byte(a + 6), None);
}

#[test]
fn copies_of_all_sizes_are_those_of_memmove() {
    let mut memory = memory();
    let size = 3 * PAGE as u64;
    let slot = begin(&mut memory, size, true);
    let start = memory.slot(slot).start;
    let mut expected = vec![0u8; size as usize];
    for i in 0..size {
        let value = (i * 7 + i / 256) as u8;
        expected[i as usize] = value;
        memory
            .store_slowly(start + i, 1, value.into(), false)
            .expect("inside");
    }
    let mut seed = 1u64;
    for round in 0..300 {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
        let count = (seed >> 33) % if round % 3 == 0 { 5000 } else { 300 };
        let from = (seed >> 20) % (size - count);
        let to = (seed >> 40) % (size - count);
        memory
            .copy(start + to, start + from, count, false)
            .expect("inside");
        expected.copy_within(from as usize..(from + count) as usize, to as usize);
    }
    for i in 0..size {
        assert_eq!(memory.known_byte(start + i), Some(expected[i as usize]));
    }
}
