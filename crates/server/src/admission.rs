//! How much is taken on at a time: documents, and the bytes they hold. What is taken on holds a ticket until it is done,
//! even if its client has gone.

use crate::options::Limits;
use crate::problem::{Code, Problem};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Bytes are counted in units of this.
const UNIT: usize = 1024;

/// Who may come in.
pub(crate) struct Admission {
    slots: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
    capacity: usize,
    patience: Duration,
}

/// Room for the bytes of a body.
pub(crate) struct Room(OwnedSemaphorePermit);

/// Leave to be worked on.
pub(crate) struct Ticket {
    _slot: OwnedSemaphorePermit,
    _room: Option<Room>,
    _share: Option<OwnedSemaphorePermit>,
}

/// The part of the queue that one batch may take.
pub(crate) struct Share(Arc<Semaphore>);

impl Admission {
    pub(crate) fn new(limits: &Limits) -> Self {
        let units = limits.bytes_in_flight() / UNIT;
        Admission {
            slots: Arc::new(Semaphore::new(limits.queue)),
            bytes: Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))),
            capacity: limits.queue,
            patience: limits.request,
        }
    }

    /// Documents waiting or being worked on.
    pub(crate) fn busy(&self) -> usize {
        self.capacity - self.slots.available_permits()
    }

    fn units(bytes: usize) -> u32 {
        bytes.div_ceil(UNIT) as u32
    }

    /// Room for some bytes, or no.
    pub(crate) fn room(&self, bytes: usize) -> Result<Room, Problem> {
        let permit = Arc::clone(&self.bytes).try_acquire_many_owned(Self::units(bytes));
        permit.map(Room).map_err(|_| Problem::new(Code::Overloaded, "too many bytes are being worked on"))
    }

    /// Leave to be worked on at once, or no.
    pub(crate) fn enter(&self, room: Option<Room>) -> Result<Ticket, Problem> {
        let slot = Arc::clone(&self.slots).try_acquire_owned();
        let slot = slot.map_err(|_| Problem::new(Code::QueueFull, "too many documents are waiting"))?;
        Ok(Ticket { _slot: slot, _room: room, _share: None })
    }

    /// The share of a new batch: a quarter, so that others get in too.
    pub(crate) fn share(&self) -> Share {
        Share(Arc::new(Semaphore::new(self.capacity.div_ceil(4))))
    }

    /// Leave for a line of a batch, waiting for it.
    pub(crate) async fn wait(&self, share: &Share, bytes: usize) -> Result<Ticket, Problem> {
        let all = async {
            let share = Arc::clone(&share.0).acquire_owned().await.ok()?;
            let room = Arc::clone(&self.bytes).acquire_many_owned(Self::units(bytes)).await.ok()?;
            let slot = Arc::clone(&self.slots).acquire_owned().await.ok()?;
            Some(Ticket { _slot: slot, _room: Some(Room(room)), _share: Some(share) })
        };
        let ticket = timeout(self.patience, all).await.ok().flatten();
        ticket.ok_or_else(|| Problem::new(Code::Overloaded, "no place in the queue became free in time"))
    }
}

impl Room {
    /// Makes it larger.
    pub(crate) fn grow(&mut self, more: Room) {
        self.0.merge(more.0);
    }
}
