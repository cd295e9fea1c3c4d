//! The simulated address space: every byte has a shadow that says whether it belongs to a live object,
//! whether it may be written and whether it has a value yet.
//!
//! Addresses are plain integers, as the program sees them. Objects are never adjacent (a red zone follows
//! each one), the pages around null belong to nobody, and the place of a dead object stays unused for a
//! while, so that an access outside every live object is found by the shadow of its bytes. The space is
//! divided into pages that exist only once they are touched: a large array costs what is used of it.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;

const PAGE: usize = 4096;

/// Shadow bits of a byte; zero is a byte outside every live object.
pub(super) const LIVE: u8 = 1;
/// The byte has a value.
const SET: u8 = 2;
const WRITABLE: u8 = 4;
/// The byte has no value yet, but whatever it will be, it is that of all bytes it was copied to or from.
const LINKED: u8 = 8;

#[derive(Clone)]
struct Frame {
    bytes: [u8; PAGE],
    shadow: [u8; PAGE],
}

impl Frame {
    const fn uniform(shadow: u8) -> Frame {
        Frame {
            bytes: [0; PAGE],
            shadow: [shadow; PAGE],
        }
    }
}

/// Frames that stand for whole pages until something is written to them. Their shadow lacks [`WRITABLE`],
/// so that writing leaves the fast path, where the page gets a frame of its own.
const UNMAPPED: u32 = 0;
const ZERO_WRITABLE: u32 = 1;
const ZERO_READ_ONLY: u32 = 2;
const UNSET_WRITABLE: u32 = 3;
const UNSET_READ_ONLY: u32 = 4;
const SHARED_FRAMES: u32 = 5;

fn shadow_of_shared(frame: u32) -> u8 {
    match frame {
        ZERO_WRITABLE => LIVE | SET | WRITABLE,
        ZERO_READ_ONLY => LIVE | SET,
        UNSET_WRITABLE => LIVE | WRITABLE,
        UNSET_READ_ONLY => LIVE,
        _ => 0,
    }
}

/// What an object of the memory is to C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    Static,
    Automatic,
    Heap,
}

/// A place for an object, occupied by one object after the other.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub start: u64,
    pub size: u64,
    /// The program's object that it is an instance of.
    pub object: u32,
    pub storage: Storage,
    pub live: bool,
    class: u32,
}

/// Places of one size: those of dead objects wait here for their next use, oldest first.
struct Class {
    bytes: u64,
    align: u64,
    waiting: VecDeque<u32>,
}

/// Neither the address space nor the allowed memory has room for the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Full;

/// What is wrong with the first bad byte of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bad {
    NotLive(u64),
    ReadOnly(u64),
    Full,
}

impl From<Full> for Bad {
    fn from(_: Full) -> Bad {
        Bad::Full
    }
}

/// The state of the bytes of one access.
pub(super) enum Bytes {
    Set(u128),
    /// None of the bytes has a value, and none is shared with others.
    Unset,
    /// Some have; the rest are to be fixed one by one.
    Partly,
}

pub(super) struct Memory {
    base: u64,
    /// One past the last usable offset.
    space: u64,
    /// Frame of each page.
    table: Vec<u32>,
    frames: Vec<Frame>,
    free_frames: Vec<u32>,
    max_frames: usize,
    next_offset: u64,
    slots: Vec<Slot>,
    classes: Vec<Class>,
    class_index: FxHashMap<(u64, u64), u32>,
    /// Live heap objects by their address.
    heap: FxHashMap<u64, u32>,
    links: Links,
}

/// Values of bytes that were copied before they had one.
#[derive(Default)]
struct Links {
    by_address: FxHashMap<u64, u32>,
    values: Vec<Option<u8>>,
}

fn repeated(pattern: u8, count: usize) -> u64 {
    if count >= 8 {
        u64::from(pattern) * 0x0101_0101_0101_0101
    } else {
        (u64::from(pattern) * 0x0101_0101_0101_0101) & ((1 << (8 * count)) - 1)
    }
}

fn word<const N: usize>(bytes: &[u8; N]) -> u64 {
    let mut buffer = [0; 8];
    buffer[..N].copy_from_slice(bytes);
    u64::from_le_bytes(buffer)
}

impl Memory {
    pub fn new(base: u64, space: u64) -> Memory {
        let frames = (0..SHARED_FRAMES)
            .map(|frame| Frame::uniform(shadow_of_shared(frame) & !WRITABLE))
            .collect();
        Memory {
            base,
            space,
            table: Vec::new(),
            frames,
            free_frames: Vec::new(),
            max_frames: usize::MAX,
            next_offset: 0,
            slots: Vec::new(),
            classes: Vec::new(),
            class_index: FxHashMap::default(),
            heap: FxHashMap::default(),
            links: Links::default(),
        }
    }

    /// Forgets everything but the classes, whose numbers compiled code knows.
    pub fn reset(&mut self, max_bytes: u64) {
        self.table.clear();
        self.frames.truncate(SHARED_FRAMES as usize);
        self.free_frames.clear();
        // Each frame has bytes and shadow.
        self.max_frames = (max_bytes / (2 * PAGE as u64)) as usize + SHARED_FRAMES as usize;
        self.next_offset = 0;
        self.slots.clear();
        for class in &mut self.classes {
            class.waiting.clear();
        }
        self.heap.clear();
        self.links.by_address.clear();
        self.links.values.clear();
    }

    // ---- accesses ----

    #[inline(always)]
    fn frame_at(&self, address: u64) -> Option<(u32, usize)> {
        let offset = address.wrapping_sub(self.base);
        let frame = *self.table.get((offset / PAGE as u64) as usize)?;
        Some((frame, (offset % PAGE as u64) as usize))
    }

    /// The value at the address if all is well; otherwise [`Memory::inspect`] says more.
    #[inline(always)]
    pub fn load<const N: usize>(&self, address: u64) -> Option<u64> {
        let (frame, at) = self.frame_at(address)?;
        let frame = &self.frames[frame as usize];
        let shadow: &[u8; N] = frame.shadow.get(at..at + N)?.try_into().ok()?;
        let bytes: &[u8; N] = frame.bytes.get(at..at + N)?.try_into().ok()?;
        let good = repeated(LIVE | SET, N);
        (word(shadow) & good == good).then(|| word(bytes))
    }

    /// Writes the value if all bytes are writable and already have a value; otherwise use
    /// [`Memory::store_slowly`].
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, address: u64, value: u64) -> bool {
        let Some((frame, at)) = self.frame_at(address) else {
            return false;
        };
        let frame = &mut self.frames[frame as usize];
        let Some(shadow) = frame.shadow.get(at..at + N) else {
            return false;
        };
        let shadow: &[u8; N] = shadow.try_into().expect("the slice has N elements");
        if word(shadow) != repeated(LIVE | SET | WRITABLE, N) {
            return false;
        }
        frame.bytes[at..at + N].copy_from_slice(&value.to_le_bytes()[..N]);
        true
    }

    /// The shadow of a byte, looking through shared frames.
    fn shadow(&self, address: u64) -> u8 {
        match self.frame_at(address) {
            Some((frame, _)) if frame < SHARED_FRAMES => shadow_of_shared(frame),
            Some((frame, at)) => self.frames[frame as usize].shadow[at],
            None => 0,
        }
    }

    fn byte(&self, address: u64) -> u8 {
        match self.frame_at(address) {
            Some((frame, at)) => self.frames[frame as usize].bytes[at],
            None => 0,
        }
    }

    /// The bytes of a read, for any address and up to 16 bytes.
    pub fn inspect(&self, address: u64, count: u64) -> Result<Bytes, Bad> {
        let (mut value, mut set, mut linked) = (0, 0, false);
        for i in 0..count {
            let at = address.wrapping_add(i);
            let shadow = self.shadow(at);
            if shadow & LIVE == 0 {
                return Err(Bad::NotLive(at));
            }
            if shadow & SET != 0 {
                set += 1;
                value |= u128::from(self.byte(at)) << (8 * i);
            }
            linked |= shadow & LINKED != 0;
        }
        Ok(if set == count {
            Bytes::Set(value)
        } else if set == 0 && !linked {
            Bytes::Unset
        } else {
            Bytes::Partly
        })
    }

    /// A byte that [`Memory::inspect`] found live: its value, or that of a byte which must be equal to it.
    pub fn known_byte(&self, address: u64) -> Option<u8> {
        let shadow = self.shadow(address);
        if shadow & SET != 0 {
            return Some(self.byte(address));
        }
        if shadow & LINKED == 0 {
            return None;
        }
        let class = *self.links.by_address.get(&address)?;
        self.links.values[class as usize]
    }

    /// Gives a live byte, read-only or not, the value that it is found to have had all along.
    pub fn fix_byte(&mut self, address: u64, value: u8) -> Result<(), Full> {
        let shadow = self.shadow(address);
        if shadow & LINKED != 0
            && let Some(&class) = self.links.by_address.get(&address)
        {
            self.links.values[class as usize] = Some(value);
        }
        let (frame, at) = self.own_frame(address)?;
        frame.bytes[at] = value;
        frame.shadow[at] = (frame.shadow[at] & !LINKED) | SET;
        Ok(())
    }

    /// The write of up to 16 bytes, at any address; nothing changes if a byte is bad.
    pub fn store_slowly(
        &mut self,
        address: u64,
        count: u64,
        value: u128,
        even_read_only: bool,
    ) -> Result<(), Bad> {
        self.check_writable(address, count, even_read_only)?;
        for i in 0..count {
            let (frame, at) = self.own_frame(address.wrapping_add(i))?;
            frame.bytes[at] = (value >> (8 * i)) as u8;
            frame.shadow[at] = (frame.shadow[at] & !LINKED) | SET;
        }
        Ok(())
    }

    fn check_writable(&self, address: u64, count: u64, even_read_only: bool) -> Result<(), Bad> {
        let needed = if even_read_only {
            LIVE
        } else {
            LIVE | WRITABLE
        };
        let mut at = address;
        let mut left = count;
        while left > 0 {
            let in_page = PAGE as u64 - at.wrapping_sub(self.base) % PAGE as u64;
            let now = left.min(in_page);
            let whole_page = match self.frame_at(at) {
                None => return Err(Bad::NotLive(at)),
                Some((frame, _)) => frame < SHARED_FRAMES,
            };
            let looked_at = if whole_page { 1 } else { now };
            for i in 0..looked_at {
                let shadow = self.shadow(at.wrapping_add(i));
                if shadow & LIVE == 0 {
                    return Err(Bad::NotLive(at.wrapping_add(i)));
                }
                if shadow & needed != needed {
                    return Err(Bad::ReadOnly(at.wrapping_add(i)));
                }
            }
            at = at.wrapping_add(now);
            left -= now;
        }
        Ok(())
    }

    fn check_live(&self, address: u64, count: u64) -> Result<(), Bad> {
        match self.check_writable(address, count, true) {
            Err(Bad::ReadOnly(_)) | Ok(()) => Ok(()),
            Err(bad) => Err(bad),
        }
    }

    /// C's `memset`.
    pub fn fill(
        &mut self,
        address: u64,
        count: u64,
        value: u8,
        even_read_only: bool,
    ) -> Result<(), Bad> {
        self.check_writable(address, count, even_read_only)?;
        self.by_page(address, count, |frame, range| {
            frame.bytes[range.clone()].fill(value);
            for shadow in &mut frame.shadow[range] {
                *shadow = (*shadow & !LINKED) | SET;
            }
        })?;
        Ok(())
    }

    /// C's `memmove`. Bytes without a value stay so, but are from now on known to be equal.
    pub fn copy(
        &mut self,
        target: u64,
        source: u64,
        count: u64,
        even_read_only: bool,
    ) -> Result<(), Bad> {
        self.check_live(source, count)?;
        self.check_writable(target, count, even_read_only)?;
        if target == source {
            return Ok(());
        }
        // Everything below is checked: the buffer is no larger than two live objects.
        let mut unset = Vec::new();
        let mut buffer = Vec::with_capacity(count as usize);
        for i in 0..count {
            let at = source.wrapping_add(i);
            match self.known_byte(at) {
                Some(value) => buffer.push(value),
                None => {
                    unset.push((i, self.link(at)?));
                    buffer.push(0);
                }
            }
        }
        let mut rest = buffer.as_slice();
        self.by_page(target, count, |frame, range| {
            let (now, later) = rest.split_at(range.len());
            rest = later;
            frame.bytes[range.clone()].copy_from_slice(now);
            for shadow in &mut frame.shadow[range] {
                *shadow = (*shadow & !LINKED) | SET;
            }
        })?;
        for (i, class) in unset {
            let at = target.wrapping_add(i);
            self.links.by_address.insert(at, class);
            let (frame, index) = self.own_frame(at)?;
            frame.shadow[index] = (frame.shadow[index] & !SET) | LINKED;
        }
        Ok(())
    }

    /// The class of equal bytes that a live byte without a value belongs to.
    fn link(&mut self, address: u64) -> Result<u32, Full> {
        if self.shadow(address) & LINKED != 0
            && let Some(&class) = self.links.by_address.get(&address)
        {
            return Ok(class);
        }
        let class = self.links.values.len() as u32;
        self.links.values.push(None);
        self.links.by_address.insert(address, class);
        let (frame, at) = self.own_frame(address)?;
        frame.shadow[at] |= LINKED;
        Ok(class)
    }

    /// Calls `act` with each page's own frame and the part of it that lies in the range.
    fn by_page(
        &mut self,
        address: u64,
        count: u64,
        mut act: impl FnMut(&mut Frame, std::ops::Range<usize>),
    ) -> Result<(), Full> {
        let (mut at, mut left) = (address, count);
        while left > 0 {
            let (frame, index) = self.own_frame(at)?;
            let now = left.min((PAGE - index) as u64);
            act(frame, index..index + now as usize);
            at = at.wrapping_add(now);
            left -= now;
        }
        Ok(())
    }

    /// The frame of the address's page, made for it alone if it was shared; the page must exist.
    fn own_frame(&mut self, address: u64) -> Result<(&mut Frame, usize), Full> {
        let offset = address.wrapping_sub(self.base);
        let (page, at) = (
            (offset / PAGE as u64) as usize,
            (offset % PAGE as u64) as usize,
        );
        if page >= self.table.len() {
            if offset >= self.space {
                return Err(Full);
            }
            self.table.resize(page + 1, UNMAPPED);
        }
        let mut frame = self.table[page];
        if frame < SHARED_FRAMES {
            let content = Frame::uniform(shadow_of_shared(frame));
            frame = match self.free_frames.pop() {
                Some(free) => {
                    self.frames[free as usize] = content;
                    free
                }
                None if self.frames.len() < self.max_frames => {
                    self.frames.push(content);
                    (self.frames.len() - 1) as u32
                }
                None => return Err(Full),
            };
            self.table[page] = frame;
        }
        Ok((&mut self.frames[frame as usize], at))
    }

    // ---- objects ----

    /// The number of the class for objects of this size and alignment.
    pub fn class_for(&mut self, size: u64, align: u64) -> u32 {
        let align = align.max(16).next_power_of_two();
        // The red zone: at least one byte, so that the address past the end is nobody's.
        let zone = (size / 4).clamp(16, PAGE as u64);
        let bytes = size.saturating_add(zone);
        // Few classes of large objects: sixteen for each doubling of the size.
        let granule = (bytes / 16).next_power_of_two().max(16);
        let bytes = bytes.checked_next_multiple_of(granule).unwrap_or(u64::MAX);
        if let Some(&class) = self.class_index.get(&(bytes, align)) {
            return class;
        }
        let class = self.classes.len() as u32;
        self.classes.push(Class {
            bytes,
            align,
            waiting: VecDeque::new(),
        });
        self.class_index.insert((bytes, align), class);
        class
    }

    /// Where the next object of the class would lie if nothing ever died: used to give static objects their
    /// addresses before anything runs.
    pub fn place_static(&mut self, size: u64, align: u64) -> Result<u64, Full> {
        let class = self.class_for(size, align);
        self.reserve(class)
    }

    fn reserve(&mut self, class: u32) -> Result<u64, Full> {
        let class = &self.classes[class as usize];
        let aligned = (self.base + self.next_offset)
            .checked_next_multiple_of(class.align)
            .ok_or(Full)?
            - self.base;
        let end = aligned.checked_add(class.bytes).ok_or(Full)?;
        if end > self.space {
            return Err(Full);
        }
        self.next_offset = end;
        Ok(self.base + aligned)
    }

    /// From where on objects are placed: all below belongs to static objects.
    pub fn reserve_up_to(&mut self, offset: u64) {
        self.next_offset = self.next_offset.max(offset);
    }

    pub fn used_space(&self) -> u64 {
        self.next_offset
    }

    /// Brings a static object to life at the address that it was given.
    pub fn begin_static(
        &mut self,
        object: u32,
        start: u64,
        size: u64,
        writable: bool,
    ) -> Result<(), Full> {
        self.slots.push(Slot {
            start,
            size,
            object,
            storage: Storage::Static,
            live: true,
            class: u32::MAX,
        });
        self.set_contents(start, size, true, writable)
    }

    /// A new object of a class that [`Memory::class_for`] gave for the size; its slot.
    pub fn begin(
        &mut self,
        object: u32,
        class: u32,
        size: u64,
        storage: Storage,
        zero: bool,
    ) -> Result<u32, Full> {
        // The more a class holds, the sooner its places are used again.
        let quarantine = (1 << 16) / self.classes[class as usize].bytes.max(1) + 16;
        let queue = &mut self.classes[class as usize].waiting;
        let index = if queue.len() as u64 > quarantine
            && let Some(index) = queue.pop_front()
        {
            index
        } else {
            let start = self.reserve(class)?;
            self.slots.push(Slot {
                start,
                size,
                object,
                storage,
                live: true,
                class,
            });
            (self.slots.len() - 1) as u32
        };
        let slot = &mut self.slots[index as usize];
        (slot.size, slot.object, slot.storage, slot.live) = (size, object, storage, true);
        let start = slot.start;
        if storage == Storage::Heap {
            self.heap.insert(start, index);
        }
        self.set_contents(start, size, zero, true)?;
        Ok(index)
    }

    pub fn slot(&self, index: u32) -> &Slot {
        &self.slots[index as usize]
    }

    pub fn heap_object_at(&self, address: u64) -> Option<u32> {
        self.heap.get(&address).copied()
    }

    /// The object dies; its bytes become invalid.
    pub fn end(&mut self, index: u32) -> Result<(), Full> {
        let slot = &mut self.slots[index as usize];
        if !slot.live {
            return Ok(());
        }
        slot.live = false;
        let (start, size, class, storage) = (slot.start, slot.size, slot.class, slot.storage);
        if storage == Storage::Heap {
            self.heap.remove(&start);
        }
        if let Some(class) = self.classes.get_mut(class as usize) {
            class.waiting.push_back(index);
        }
        self.set_shadow(start, size, UNMAPPED)
    }

    /// Makes the contents of a live object zero or arbitrary.
    pub fn set_contents(
        &mut self,
        start: u64,
        size: u64,
        zero: bool,
        writable: bool,
    ) -> Result<(), Full> {
        let like = match (zero, writable) {
            (true, true) => ZERO_WRITABLE,
            (true, false) => ZERO_READ_ONLY,
            (false, true) => UNSET_WRITABLE,
            (false, false) => UNSET_READ_ONLY,
        };
        self.set_shadow(start, size, like)
    }

    /// Gives the bytes the shadow of a shared frame, and the value zero.
    fn set_shadow(&mut self, start: u64, size: u64, like: u32) -> Result<(), Full> {
        let shadow = shadow_of_shared(like);
        let (mut at, mut left) = (start, size);
        while left > 0 {
            let offset = at - self.base;
            let in_page = (offset % PAGE as u64) as usize;
            let now = left.min((PAGE - in_page) as u64);
            if now == PAGE as u64 {
                self.share_page((offset / PAGE as u64) as usize, like);
            } else {
                let (frame, _) = self.own_frame(at)?;
                let range = in_page..in_page + now as usize;
                frame.shadow[range.clone()].fill(shadow);
                if like != UNMAPPED {
                    frame.bytes[range].fill(0);
                }
            }
            at += now;
            left -= now;
        }
        Ok(())
    }

    fn share_page(&mut self, page: usize, like: u32) {
        if page >= self.table.len() {
            self.table.resize(page + 1, UNMAPPED);
        }
        let old = std::mem::replace(&mut self.table[page], like);
        if old >= SHARED_FRAMES {
            self.free_frames.push(old);
        }
    }

    /// The object, live or the last one dead, that the address lies in, or else the nearest, and how far it is.
    pub fn nearest(&self, address: u64) -> Option<(&Slot, u64)> {
        // Places are given out in the order of their addresses.
        let behind = self.slots.partition_point(|slot| slot.start <= address);
        let after = self
            .slots
            .get(behind)
            .map(|slot| (slot, slot.start - address));
        let before = self.slots[..behind].last().map(|slot| {
            let last = slot.start + slot.size.max(1) - 1;
            (slot, address.saturating_sub(last))
        });
        before
            .into_iter()
            .chain(after)
            .min_by_key(|&(_, distance)| distance)
    }

    /// Whether a live object covers the byte.
    pub fn is_live(&self, address: u64) -> bool {
        self.shadow(address) & LIVE != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            memory.end(slot).expect("ending needs no room");
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
        memory.end(first).expect("ending needs no room");
        let mut used_again_after = None;
        for round in 0..100_000 {
            let slot = begin(&mut memory, 32, true);
            if memory.slot(slot).start == start {
                used_again_after = Some(round);
                break;
            }
            memory.end(slot).expect("ending needs no room");
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
}
