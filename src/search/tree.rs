//! Storage for nodes and edges, with a memory limit.

use super::arena::Arena;
use super::node::{Edge, EdgeRange, ExpansionState, Node, NodeId};
use crate::game::point::Move;

/// Number of node indices reserved for threads that are adding nodes when the tree becomes full.
const IN_FLIGHT_RESERVE: usize = 1 << 16;

/// A tree of positions. Node 0 is the root. A child is always created after its parent, and therefore has a larger
/// index.
#[derive(Debug)]
pub struct Tree {
    nodes: Arena<Node>,
    edges: Arena<Edge>,
    max_bytes: usize,
}

impl Tree {
    /// Creates a tree with a fresh root and a memory limit of `max_bytes`. The limit may be exceeded by edges and
    /// children of the root, and by nodes that threads are adding when it is reached.
    pub fn new(max_bytes: usize) -> Self {
        let tree = Self {
            nodes: Arena::new(),
            edges: Arena::new(),
            max_bytes,
        };
        tree.allocate_node();
        tree
    }

    pub fn root(&self) -> &Node {
        self.node(0)
    }

    /// Returns node `id`.
    ///
    /// # Panics
    /// May panic if the node has not been allocated.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes.slice(id as usize, 1)[0]
    }

    /// Returns the edges of a node, highest prior first. The result is empty before the node is expanded, and may be
    /// incomplete; see [`is_partially_expanded`](Self::is_partially_expanded).
    #[inline]
    pub fn edges(&self, node: &Node) -> &[Edge] {
        node.edge_range()
            .map_or(&[], |range| self.edges.slice(range.start, range.count))
    }

    /// Returns true if an expanded node has more legal moves than edges.
    #[inline]
    pub fn is_partially_expanded(&self, node: &Node) -> bool {
        node.edge_range().is_some_and(|range| !range.is_complete)
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if the root is still fresh, that is, if no thread has started to expand it.
    pub fn has_fresh_root(&self) -> bool {
        self.root().state() == ExpansionState::Fresh
    }

    /// Returns the size of all nodes and edges in bytes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.edges.len() * size_of::<Edge>()
    }

    /// Returns true if the memory limit is reached. From then on, only the root may get children and edges.
    pub fn is_full(&self) -> bool {
        let max_nodes = Arena::<Node>::CAPACITY.min(NodeId::MAX as usize) - IN_FLIGHT_RESERVE;
        // Threads that are adding nodes need further edges, many for each node. Half of the capacity is reserved for
        // them. The other half holds 128 GiB of edges.
        let max_edges = Arena::<Edge>::CAPACITY / 2;
        self.bytes() >= self.max_bytes
            || self.node_count() >= max_nodes
            || self.edges.len() >= max_edges
    }

    fn allocate_node(&self) -> NodeId {
        self.nodes.allocate(1) as NodeId
    }

    /// Returns the child of `edge`, creating it if necessary.
    pub fn get_or_create_child(&self, edge: &Edge) -> NodeId {
        // Two threads may create the child concurrently; one of the new nodes then remains unused.
        edge.child()
            .unwrap_or_else(|| edge.get_or_set_child(self.allocate_node()))
    }

    /// Publishes `moves` with their priors as the edges of a node that this thread has claimed. If the tree is full and
    /// the node is not the root, releases the claim instead. `moves` must be sorted by prior, highest first.
    /// `is_complete` must be false if the position has further legal moves.
    pub fn expand(&self, id: NodeId, moves: &[(Move, f32)], is_complete: bool) {
        if id != 0 && self.is_full() {
            self.node(id).release();
            return;
        }
        let range = self.allocate_edges(moves.len(), is_complete);
        for (edge, &(mv, prior)) in self.edges.slice(range.start, range.count).iter().zip(moves) {
            edge.init_move_and_prior(mv, prior);
        }
        self.node(id).expand(range);
    }

    /// Adds the missing edges of a partially expanded node. `moves` must contain all legal moves, highest prior first.
    /// Existing children are preserved.
    ///
    /// The caller must ensure that no thread adds a child to an existing edge concurrently. This holds if each of these
    /// edges already has a child or a forbidden move.
    pub fn expand_fully(&self, id: NodeId, moves: &[(Move, f32)]) {
        let node = self.node(id);
        let Some(old_range) = node.edge_range().filter(|row| !row.is_complete) else {
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
            edge.copy_with_child(old, old.child());
        }
        for (edge, &&(mv, prior)) in added.iter().zip(&missing) {
            edge.init_move_and_prior(mv, prior);
        }
        node.replace_edges_if_unchanged(old_range, range);
    }

    fn allocate_edges(&self, count: usize, is_complete: bool) -> EdgeRange {
        EdgeRange {
            start: self.edges.allocate(count),
            count,
            is_complete,
        }
    }

    /// Returns the node to which `moves` lead from the root, if it exists.
    pub fn descendant(&self, moves: &[Move]) -> Option<NodeId> {
        let mut id = 0;
        for mv in moves {
            let mut edges = self.edges(self.node(id)).iter();
            id = edges.find(|edge| edge.mv() == *mv)?.child()?;
        }
        Some(id)
    }

    /// Makes `id` the root and discards all nodes that are not below it. The caller must ensure that no playout is
    /// running.
    ///
    /// The remaining nodes and edges are moved towards the start of the arenas, in the order of their creation, so that
    /// no second tree is needed.
    pub fn reroot(&mut self, id: NodeId) {
        let subtree = self.subtree(id);
        for (new_id, &old_id) in (0..).zip(&subtree) {
            self.node(new_id).copy_from(self.node(old_id));
        }
        // Collect only node indices, because this list is allocated in addition to a tree that may already use all its
        // memory.
        let mut expanded: Vec<NodeId> = (0..subtree.len() as NodeId)
            .filter(|&node| self.node(node).edge_range().is_some())
            .collect();
        expanded
            .sort_unstable_by_key(|&node| self.node(node).edge_range().map(|range| range.start));
        let mut used = 0;
        for node in expanded {
            let Some(range) = self.node(node).edge_range() else {
                continue;
            };
            let start = Arena::<Edge>::next_range_start(used, range.count);
            used = start + range.count;
            self.move_edges(range, start, &subtree);
            self.node(node).expand(EdgeRange { start, ..range });
        }
        self.nodes.truncate(subtree.len());
        self.edges.truncate(used);
    }

    /// Returns a node and all its descendants in the order of their creation.
    fn subtree(&self, id: NodeId) -> Vec<NodeId> {
        let mut ids = vec![id];
        let mut next = 0;
        while let Some(&parent) = ids.get(next) {
            next += 1;
            // Below the root, children are created in the order of the edges.
            let edges = self.edges(self.node(parent)).iter();
            ids.extend(edges.map_while(Edge::child));
        }
        ids.sort_unstable();
        ids
    }

    /// Moves the edges in `range` down to `new_start` and updates the indices of their children. `node_ids` lists the
    /// old indices of the remaining nodes in ascending order: the new index of a child is the position of its old index
    /// in this list.
    fn move_edges(&self, range: EdgeRange, new_start: usize, node_ids: &[NodeId]) {
        let source = self.edges.slice(range.start, range.count);
        let target = self.edges.slice(new_start, range.count);
        // The ranges may overlap, so copy from the front.
        for (new_edge, old_edge) in target.iter().zip(source) {
            let child = old_edge
                .child()
                .and_then(|child| node_ids.binary_search(&child).ok());
            new_edge.copy_with_child(old_edge, child.map(|child| child as NodeId));
        }
    }
}
