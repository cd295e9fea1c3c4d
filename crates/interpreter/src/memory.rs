//! The simulated address space: every byte has a shadow that says whether it belongs to a live
//! object, whether it may be written and whether it has a value yet.
//!
//! Addresses are plain integers, as the program sees them. Objects are never adjacent (a red zone
//! follows each one), the pages around null belong to nobody, and the place of a dead object stays
//! unused for a while, so that an access outside every live object is found by the shadow of its
//! bytes. The space is divided into pages that exist only once they are touched: a large array
//! costs what is used of it.

use super::objects::{Class, Slot};
use rustc_hash::FxHashMap;

pub(super) const PAGE: usize = 4096;

/// Shadow bits of a byte; zero is a byte outside every live object.
const LIVE: u8 = 1;
/// The byte has a value.
const SET: u8 = 2;
const WRITABLE: u8 = 4;
/// The byte has no value yet, but whatever it will be, it is that of all bytes it was copied to or
/// from.
const LINKED: u8 = 8;

#[derive(Clone)]
pub(super) struct Frame {
    pub bytes: [u8; PAGE],
    pub shadow: [u8; PAGE],
}

impl Frame {
    const fn uniform(shadow: u8) -> Frame {
        Frame {
            bytes: [0; PAGE],
            shadow: [shadow; PAGE],
        }
    }
}

/// More bytes without a value than this are not kept equal to others: the run ends for lack of
/// memory.
const MAX_LINKS: usize = 1 << 24;

/// Frames that stand for whole pages until something is written to them. Their shadow lacks
/// [`WRITABLE`], so that writing leaves the fast path, where the page gets a frame of its own.
pub(super) const UNMAPPED: u32 = 0;
pub(super) const ZERO_WRITABLE: u32 = 1;
pub(super) const ZERO_READ_ONLY: u32 = 2;
pub(super) const UNSET_WRITABLE: u32 = 3;
pub(super) const UNSET_READ_ONLY: u32 = 4;
pub(super) const SHARED_FRAMES: u32 = 5;

pub(super) fn shadow_of_shared(frame: u32) -> u8 {
    match frame {
        ZERO_WRITABLE => LIVE | SET | WRITABLE,
        ZERO_READ_ONLY => LIVE | SET,
        UNSET_WRITABLE => LIVE | WRITABLE,
        UNSET_READ_ONLY => LIVE,
        _ => 0,
    }
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
    pub(super) base: u64,
    /// One past the last usable offset.
    pub(super) space: u64,
    /// Frame of each page.
    pub(super) table: Vec<u32>,
    pub(super) frames: Vec<Frame>,
    pub(super) free_frames: Vec<u32>,
    max_frames: usize,
    pub(super) next_offset: u64,
    pub(super) slots: Vec<Slot>,
    pub(super) classes: Vec<Class>,
    pub(super) class_index: FxHashMap<(u64, u64), u32>,
    /// Live heap objects by their address.
    pub(super) heap: FxHashMap<u64, u32>,
    links: Links,
}

/// Values of bytes that were copied before they had one.
#[derive(Default)]
struct Links {
    by_address: FxHashMap<u64, u32>,
    values: Vec<Option<u8>>,
    /// By class: the object and the byte in it that the first of them was copied from, whose value
    /// all of them have.
    origins: Vec<(u32, u64)>,
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
        self.links.origins.clear();
    }

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
    pub(super) fn shadow(&self, address: u64) -> u8 {
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

    /// A byte that [`Memory::inspect`] found live: its value, or that of a byte which must be equal
    /// to it.
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
        let (mut at, mut left) = (address, count);
        while left > 0 {
            let Some((frame, index)) = self.frame_at(at) else {
                return Err(Bad::NotLive(at));
            };
            let now = left.min((PAGE - index) as u64) as usize;
            let bad = if frame < SHARED_FRAMES {
                let shadow = shadow_of_shared(frame);
                (shadow & needed != needed).then_some((0, shadow))
            } else {
                let shadows = &self.frames[frame as usize].shadow[index..index + now];
                let found = shadows.iter().position(|shadow| shadow & needed != needed);
                found.map(|position| (position as u64, shadows[position]))
            };
            if let Some((position, shadow)) = bad {
                let byte = at.wrapping_add(position);
                return Err(if shadow & LIVE == 0 {
                    Bad::NotLive(byte)
                } else {
                    Bad::ReadOnly(byte)
                });
            }
            at = at.wrapping_add(now as u64);
            left -= now as u64;
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
        if self.copy_small(target, source, count) {
            return Ok(());
        }
        self.check_live(source, count)?;
        self.check_writable(target, count, even_read_only)?;
        if target == source {
            return Ok(());
        }
        self.copy_checked(target, source, count, false)
    }

    /// As [`Memory::copy`] to a new object, which has no values yet, from one that dies: nobody can
    /// compare them.
    pub fn move_contents(&mut self, target: u64, source: u64, count: u64) -> Result<(), Bad> {
        self.check_live(source, count)?;
        self.check_writable(target, count, false)?;
        let mut done = 0;
        while done < count {
            let at = source.wrapping_add(done);
            let Some((frame, index)) = self.frame_at(at) else {
                return Err(Bad::NotLive(at));
            };
            let now = (count - done).min((PAGE - index) as u64);
            // Whole pages without values need no copy: large objects are mostly such.
            if frame != UNSET_WRITABLE {
                self.copy_checked(target.wrapping_add(done), at, now, true)?;
            }
            done += now;
        }
        Ok(())
    }

    /// Copies bytes of live objects; the buffer is no larger than they are.
    fn copy_checked(
        &mut self,
        target: u64,
        source: u64,
        count: u64,
        source_dies: bool,
    ) -> Result<(), Bad> {
        let mut unset = Vec::new();
        let mut buffer = Vec::with_capacity(count as usize);
        for i in 0..count {
            let at = source.wrapping_add(i);
            buffer.push(self.known_byte(at).unwrap_or_default());
            if self.known_byte(at).is_some() {
                continue;
            }
            if self.links.values.len() > MAX_LINKS {
                return Err(Bad::Full);
            }
            let alone = source_dies && self.shadow(at) & LINKED == 0;
            let class = if alone { None } else { Some(self.link(at)?) };
            unset.push((i, class));
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
            let (frame, index) = self.own_frame(at)?;
            frame.shadow[index] &= !SET;
            if let Some(class) = class {
                frame.shadow[index] |= LINKED;
                self.links.by_address.insert(at, class);
            }
        }
        Ok(())
    }

    /// Copies a few bytes inside pages if all of them have values and may be written; otherwise
    /// does nothing.
    fn copy_small(&mut self, target: u64, source: u64, count: u64) -> bool {
        let mut buffer = [0; 256];
        let Ok(count) = usize::try_from(count) else {
            return false;
        };
        let (Some((from, at)), Some((to, into))) = (self.frame_at(source), self.frame_at(target))
        else {
            return false;
        };
        if count > buffer.len() || at + count > PAGE || into + count > PAGE {
            return false;
        }
        let has = |shadows: &[u8], bits: u8| shadows.iter().all(|shadow| shadow & bits == bits);
        let frame = &self.frames[from as usize];
        if !has(&frame.shadow[at..at + count], LIVE | SET) {
            return false;
        }
        buffer[..count].copy_from_slice(&frame.bytes[at..at + count]);
        let frame = &mut self.frames[to as usize];
        let shadows = &mut frame.shadow[into..into + count];
        // Pages that stand for many are not writable.
        if !has(shadows, LIVE | WRITABLE) {
            return false;
        }
        shadows.fill(LIVE | SET | WRITABLE);
        frame.bytes[into..into + count].copy_from_slice(&buffer[..count]);
        true
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
        let origin = self.nearest(address);
        let origin = origin.map(|(slot, _)| (slot.object, address.wrapping_sub(slot.start)));
        self.links.origins.push(origin.unwrap_or_default());
        self.links.by_address.insert(address, class);
        let (frame, at) = self.own_frame(address)?;
        frame.shadow[at] |= LINKED;
        Ok(class)
    }

    /// Whose value a byte without one gets: of bytes that were copied, that of the byte that they
    /// were copied from.
    pub fn origin(&self, address: u64) -> Option<(u32, u64)> {
        if self.shadow(address) & LINKED != 0
            && let Some(&class) = self.links.by_address.get(&address)
        {
            return Some(self.links.origins[class as usize]);
        }
        let (slot, _) = self.nearest(address)?;
        Some((slot.object, address.wrapping_sub(slot.start)))
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
    pub(super) fn own_frame(&mut self, address: u64) -> Result<(&mut Frame, usize), Full> {
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

    /// Whether a live object covers the byte.
    pub fn is_live(&self, address: u64) -> bool {
        self.shadow(address) & LIVE != 0
    }
}
