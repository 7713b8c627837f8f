//! The storage of nodes and edges within a memory bound.

use super::arena::Arena;
use super::node::{Edge, EdgeRange, Node, NodeId, State};
use crate::game::point::Move;

/// Nodes that threads may still be adding when the numbers run out.
const IN_FLIGHT_RESERVE: usize = 1 << 16;

/// A tree of positions; node 0 is the root. A child is made after its parent, and has a higher number.
#[derive(Debug)]
pub struct Tree {
    nodes: Arena<Node>,
    edges: Arena<Edge>,
    max_bytes: usize,
}

impl Tree {
    /// A tree of one fresh node that will not grow beyond `max_bytes`, but for its root's edges and children, and what
    /// the threads were about to add when the bound was reached.
    pub fn new(max_bytes: usize) -> Self {
        let tree = Self {
            nodes: Arena::new(),
            edges: Arena::new(),
            max_bytes,
        };
        tree.allocate_node();
        tree
    }

    /// The root.
    pub fn root(&self) -> &Node {
        self.node(0)
    }

    /// The node of that number.
    ///
    /// # Panics
    /// When [`allocate_node`](Self::allocate_node) has not given it out.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes.slice(id as usize, 1)[0]
    }

    /// The moves from a node of this tree, the highest prior first; none before it is expanded. They may be the first of
    /// more: see [`is_truncated`](Self::is_truncated).
    #[inline]
    pub fn edges(&self, node: &Node) -> &[Edge] {
        node.edges()
            .map_or(&[], |range| self.edges.slice(range.start, range.count))
    }

    /// Whether an expanded node has more moves than it has been given.
    #[inline]
    pub fn is_truncated(&self, node: &Node) -> bool {
        node.edges().is_some_and(|range| !range.is_complete)
    }

    /// Nodes made so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is only the root, not expanded.
    pub fn is_empty(&self) -> bool {
        self.root().state() == State::Fresh
    }

    /// Bytes that nodes and edges take.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.edges.len() * size_of::<Edge>()
    }

    /// Whether the memory bound is reached: below the root, no further node is to be made or expanded.
    pub fn is_full(&self) -> bool {
        let max_nodes = Arena::<Node>::CAPACITY.min(NodeId::MAX as usize) - IN_FLIGHT_RESERVE;
        // Nodes about to come bring more edges than that many; half the room is more than memories have.
        let max_edges = Arena::<Edge>::CAPACITY / 2;
        self.bytes() >= self.max_bytes || self.len() >= max_nodes || self.edges.len() >= max_edges
    }

    /// Adds a fresh node.
    fn allocate_node(&self) -> NodeId {
        self.nodes.allocate(1) as NodeId
    }

    /// The child that `edge` leads to, made if need be.
    pub fn get_or_create_child(&self, edge: &Edge) -> NodeId {
        // Two threads may come here at once; one of the two new nodes is then left unused.
        edge.child()
            .unwrap_or_else(|| edge.set_child(self.allocate_node()))
    }

    /// Publishes the moves of a claimed node with their priors, all or the first of them, or gives the claim back when
    /// the tree is full.
    pub fn expand(&self, id: NodeId, moves: &[(Move, f32)], is_complete: bool) {
        if id != 0 && self.is_full() {
            self.node(id).release();
            return;
        }
        let range = self.allocate_edges(moves.len(), is_complete);
        for (edge, &(mv, prior)) in self.edges.slice(range.start, range.count).iter().zip(moves) {
            edge.set(mv, prior);
        }
        self.node(id).expand(range);
    }

    /// Gives a node that is short all of `moves`: behind those that it has, which keep their children, the others.
    ///
    /// Those that it has must not be about to get further children: each has one already, or nobody may follow it.
    pub fn expand_fully(&self, id: NodeId, moves: &[(Move, f32)]) {
        let node = self.node(id);
        let Some(old_range) = node.edges().filter(|row| !row.is_complete) else {
            return;
        };
        let old_edges = self.edges.slice(old_range.start, old_range.count);
        let is_new = |(mv, _): &&(Move, f32)| old_edges.iter().all(|edge| edge.mv() != *mv);
        let missing: Vec<_> = moves.iter().filter(is_new).collect();
        let range = self.allocate_edges(old_edges.len() + missing.len(), true);
        let (copied, added) = self
            .edges
            .slice(range.start, range.count)
            .split_at(old_edges.len());
        for (edge, old) in copied.iter().zip(old_edges) {
            edge.copy_from(old, old.child());
        }
        for (edge, &&(mv, prior)) in added.iter().zip(&missing) {
            edge.set(mv, prior);
        }
        node.replace_edges(old_range, range);
    }

    fn allocate_edges(&self, count: usize, is_complete: bool) -> EdgeRange {
        EdgeRange {
            start: self.edges.allocate(count),
            count,
            is_complete,
        }
    }

    /// The node that these moves lead to from the root, as far as the tree has them.
    pub fn descendant(&self, moves: &[Move]) -> Option<NodeId> {
        let mut id = 0;
        for mv in moves {
            let mut edges = self.edges(self.node(id)).iter();
            id = edges.find(|edge| edge.mv() == *mv)?.child()?;
        }
        Some(id)
    }

    /// Makes `id` the root, keeps what lies below it and forgets the rest. Nothing may be in flight.
    ///
    /// What is kept slides down, in the order in which it was made, to where the forgotten was: no second tree is needed.
    pub fn reroot(&mut self, id: NodeId) {
        let subtree = self.subtree(id);
        for (new_id, &old_id) in (0..).zip(&subtree) {
            self.node(new_id).copy_from(self.node(old_id));
        }
        // The nodes alone, since all this is beside a tree that may fill its memory.
        let mut expanded: Vec<NodeId> = (0..subtree.len() as NodeId)
            .filter(|&node| self.node(node).edges().is_some())
            .collect();
        expanded.sort_unstable_by_key(|&node| self.node(node).edges().map(|range| range.start));
        let mut used = 0;
        for node in expanded {
            let Some(range) = self.node(node).edges() else {
                continue;
            };
            let start = Arena::<Edge>::align_start(used, range.count);
            used = start + range.count;
            self.move_edges(range, start, &subtree);
            self.node(node).expand(EdgeRange { start, ..range });
        }
        self.nodes.truncate(subtree.len());
        self.edges.truncate(used);
    }

    /// A node and all below it, in the order in which they were made.
    fn subtree(&self, id: NodeId) -> Vec<NodeId> {
        let mut ids = vec![id];
        let mut next = 0;
        while let Some(&parent) = ids.get(next) {
            next += 1;
            // Below the root children are made in the order of the edges.
            let edges = self.edges(self.node(parent)).iter();
            ids.extend(edges.map_while(Edge::child));
        }
        ids.sort_unstable();
        ids
    }

    /// Moves a row of edges down to `start`; their children have the numbers now that they have in the order of `copied`.
    fn move_edges(&self, range: EdgeRange, new_start: usize, node_ids: &[NodeId]) {
        let source = self.edges.slice(range.start, range.count);
        let target = self.edges.slice(new_start, range.count);
        // The rows may overlap: the first first.
        for (new_edge, old_edge) in target.iter().zip(source) {
            let child = old_edge
                .child()
                .and_then(|child| node_ids.binary_search(&child).ok());
            new_edge.copy_from(old_edge, child.map(|child| child as NodeId));
        }
    }
}
