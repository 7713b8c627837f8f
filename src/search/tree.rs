//! The storage of nodes: numbered, in chunks that never move, within a memory bound.

use super::node::{Edge, Node, NodeId, State};
use super::sync::{AtomicU32, AtomicUsize, OnceLock, Ordering};
use crate::game::point::Move;

const CHUNK: usize = 1 << 12;
const CHUNKS: usize = 1 << 14;

/// A tree of positions; node 0 is the root.
#[derive(Debug)]
pub struct Tree {
    chunks: Box<[OnceLock<Box<[Node]>>]>,
    used: AtomicU32,
    bytes: AtomicUsize,
    max_bytes: usize,
}

impl Tree {
    /// A tree of one fresh node that will not grow beyond `max_bytes`, but for its root's edges and children, what the
    /// threads were about to add when the bound was reached, and the unused part of a chunk.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        let tree = Self {
            chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect(),
            used: AtomicU32::new(0),
            bytes: AtomicUsize::new(0),
            max_bytes,
        };
        tree.add();
        tree
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> &Node {
        self.node(0)
    }

    /// The node of that number.
    ///
    /// # Panics
    /// When [`add`](Self::add) has not given it out.
    #[must_use]
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        let chunk = self.chunks[id as usize / CHUNK]
            .get()
            .expect("the node was added");
        &chunk[id as usize % CHUNK]
    }

    /// Nodes made so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.used.load(Ordering::Relaxed) as usize
    }

    /// Whether there is only the root, not expanded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.root().state() == State::Fresh
    }

    /// Bytes that nodes and edges take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether the memory bound is reached: below the root, no further node is to be made or expanded.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.bytes() >= self.max_bytes || self.len() + CHUNK >= CHUNK * CHUNKS
    }

    /// Adds a fresh node.
    fn add(&self) -> NodeId {
        let id = self.used.fetch_add(1, Ordering::Relaxed);
        self.chunks[id as usize / CHUNK]
            .get_or_init(|| (0..CHUNK).map(|_| Node::default()).collect());
        self.bytes.fetch_add(size_of::<Node>(), Ordering::Relaxed);
        id
    }

    /// The child that `edge` leads to, made if need be.
    pub fn child_of(&self, edge: &Edge) -> NodeId {
        // Two threads may come here at once; one of the two new nodes is then left unused.
        edge.child().unwrap_or_else(|| edge.set_child(self.add()))
    }

    /// Publishes the edges of a claimed node, or gives the claim back when the tree is full.
    pub fn expand(&self, id: NodeId, edges: Box<[Edge]>) {
        if id != 0 && self.is_full() {
            self.node(id).release();
            return;
        }
        self.bytes
            .fetch_add(size_of_val(&*edges), Ordering::Relaxed);
        self.node(id).expand(edges);
    }

    /// The node that these moves lead to from the root, as far as the tree has them.
    #[must_use]
    pub fn follow(&self, moves: &[Move]) -> Option<NodeId> {
        let mut id = 0;
        for mv in moves {
            id = self
                .node(id)
                .edges()
                .iter()
                .find(|edge| edge.mv() == *mv)?
                .child()?;
        }
        Some(id)
    }

    /// Makes `id` the root, keeps what lies below it and forgets the rest. Nothing may be in flight.
    pub fn keep(&mut self, id: NodeId) {
        let kept = Self::new(self.max_bytes);
        let mut waiting = vec![(id, 0)];
        while let Some((from, to)) = waiting.pop() {
            let (old, new) = (self.node_mut(from), kept.node(to));
            new.copy_sums(old);
            // The edges are most of the memory: they move over instead of being copied.
            let Some(mut edges) = old.take_edges() else {
                continue;
            };
            for edge in &mut edges {
                // Below the root children are made in the order of the edges.
                let Some(child) = edge.child() else { break };
                let copy = kept.add();
                edge.renumber(copy);
                waiting.push((child, copy));
            }
            kept.bytes
                .fetch_add(size_of_val(&*edges), Ordering::Relaxed);
            new.claim();
            new.expand(edges);
        }
        *self = kept;
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        let chunk = self.chunks[id as usize / CHUNK]
            .get_mut()
            .expect("the node was added");
        &mut chunk[id as usize % CHUNK]
    }
}
