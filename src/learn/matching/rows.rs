//! Many short lists in one allocation.

/// Lists of items, found by the number of the row. A list of its own for each row would cost an allocation and a header each.
#[derive(Debug)]
pub(super) struct Rows<Item> {
    /// Where each row begins, and at the end where the last one ends.
    starts: Vec<usize>,
    items: Vec<Item>,
}

impl<Item: Copy + Default> Rows<Item> {
    /// No rows yet.
    pub(super) fn new() -> Self {
        Self { starts: vec![0], items: Vec::new() }
    }

    /// Adds a row behind the last one.
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = Item>) {
        self.items.extend(row);
        self.starts.push(self.items.len());
    }

    /// So many rows, filled with items that name their rows. Within a row the items keep their order.
    pub(super) fn grouped(count: usize, items: impl Iterator<Item = (usize, Item)> + Clone) -> Self {
        // Counting first and placing then needs neither a sort nor a second copy of the items.
        let mut starts = vec![0; count + 2];
        for (row, _) in items.clone() {
            starts[row + 2] += 1;
        }
        for row in 2..starts.len() {
            starts[row] += starts[row - 1];
        }
        let mut placed = vec![Item::default(); starts[count + 1]];
        for (row, item) in items {
            placed[starts[row + 1]] = item;
            starts[row + 1] += 1;
        }
        starts.pop();
        Self { starts, items: placed }
    }

    /// The items of a row.
    pub(super) fn get(&self, row: usize) -> &[Item] {
        &self.items[self.starts[row]..self.starts[row + 1]]
    }

    /// Whether no row has an item.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }
}
