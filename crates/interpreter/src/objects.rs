//! Objects in the simulated memory: where they are placed, how they begin and end.
//!
//! Places are given out in the order of their addresses and never taken back; that of a dead object
//! is used again for another of its class, but only after some rest, so that a dangling pointer is
//! found.

use super::memory::{
    Full, Memory, PAGE, SHARED_FRAMES, UNMAPPED, UNSET_READ_ONLY, UNSET_WRITABLE, ZERO_READ_ONLY,
    ZERO_WRITABLE, shadow_of_shared,
};
use std::collections::VecDeque;

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
    /// One past the instruction that ended the last object there.
    pub ended: usize,
    class: u32,
}

/// Places of one size: those of dead objects wait here for their next use, oldest first.
pub(super) struct Class {
    bytes: u64,
    align: u64,
    pub waiting: VecDeque<u32>,
}

impl Memory {
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

    /// Where the next object of the class would lie if nothing ever died: used to give static
    /// objects their addresses before anything runs.
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
            ended: 0,
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
                ended: 0,
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
    pub fn end(&mut self, index: u32, now: usize) -> Result<(), Full> {
        let slot = &mut self.slots[index as usize];
        if !slot.live {
            return Ok(());
        }
        slot.live = false;
        slot.ended = now;
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

    /// The object, live or the last one dead, that the address lies in, or else the nearest, and
    /// how far it is.
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
}
