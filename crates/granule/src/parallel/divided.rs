//! Lists that are divided among threads.

/// What is cut into chunks: a list, or several with equally many chunks each.
pub(super) trait Divided: Send + Sized {
    /// One chunk of each list.
    type Chunk;

    /// How many chunks there are.
    fn count(&self) -> usize;

    /// The first so many chunks, and the others.
    fn split(self, chunks: usize) -> (Self, Self);

    /// All of it, as one chunk.
    fn whole(self) -> Self::Chunk;
}

/// A list in chunks of `size` entries; the last may be shorter.
pub(super) struct Chunks<'a, T> {
    pub data: &'a mut [T],
    pub size: usize,
}

impl<'a, T: Send> Divided for Chunks<'a, T> {
    type Chunk = &'a mut [T];

    #[inline]
    fn count(&self) -> usize {
        self.data.len().div_ceil(self.size)
    }

    #[inline]
    fn split(self, chunks: usize) -> (Self, Self) {
        let size = self.size;
        let (first, others) = self.data.split_at_mut(self.data.len().min(chunks * size));
        let part = |data| Self { data, size };
        (part(first), part(others))
    }

    #[inline]
    fn whole(self) -> &'a mut [T] {
        self.data
    }
}

impl<A: Divided, B: Divided> Divided for (A, B) {
    type Chunk = (A::Chunk, B::Chunk);

    #[inline]
    fn count(&self) -> usize {
        self.0.count()
    }

    #[inline]
    fn split(self, chunks: usize) -> (Self, Self) {
        let (a, rest_of_a) = self.0.split(chunks);
        let (b, rest_of_b) = self.1.split(chunks);
        ((a, b), (rest_of_a, rest_of_b))
    }

    #[inline]
    fn whole(self) -> Self::Chunk {
        (self.0.whole(), self.1.whole())
    }
}

/// Calls `work(chunk index, chunk)` for each chunk.
pub(super) fn each_chunk<D: Divided>(lists: D, work: &(impl Fn(usize, D::Chunk) + Sync)) {
    let (chunks, threads) = (lists.count(), super::threads());
    let alone = if threads == 1 {
        chunks
    } else {
        // Small enough that a thread that is late leaves its last pieces to others.
        (chunks / (8 * threads)).max(1)
    };
    divide(lists, 0, alone, work);
}

/// Calls `work` for the chunks, which count from `first`; so many are done by one thread alone.
fn divide<D: Divided>(
    lists: D,
    first: usize,
    alone: usize,
    work: &(impl Fn(usize, D::Chunk) + Sync),
) {
    let chunks = lists.count();
    if chunks <= alone {
        let mut rest = lists;
        for index in first..first + chunks {
            let (chunk, others) = rest.split(1);
            work(index, chunk.whole());
            rest = others;
        }
        return;
    }
    let half = chunks / 2;
    let (low, high) = lists.split(half);
    let (mut low, mut high) = (Some(low), Some(high));
    let mut do_low = || {
        if let Some(lists) = low.take() {
            divide(lists, first, alone, work);
        }
    };
    let mut do_high = || {
        if let Some(lists) = high.take() {
            divide(lists, first + half, alone, work);
        }
    };
    both(&mut do_low, &mut do_high);
}

/// Does two things, at once if a thread is free. Their types are left open, so that this is compiled once and not for
/// each loop of the program.
fn both(low: &mut (dyn FnMut() + Send), high: &mut (dyn FnMut() + Send)) {
    rayon::join(low, high);
}
