//! Game trees: nodes with properties, each node with an ordered list of children.
//!
//! Nodes are stored in one vector and refer to each other by index, so copying, comparing and dropping a tree is never
//! recursive, however deep it is.

use super::value::Value;

/// All games of a file, in file order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Collection {
    /// The games. A parsed file has at least one.
    pub games: Vec<GameTree>,
}

/// Identifier of a node within the tree that created the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// A property: an identifier and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    identifier: Box<str>,
    values: Vec<Value>,
}

/// The properties of a node in file order, with unique identifiers.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Node {
    properties: Vec<Property>,
}

/// A game: a root node and its descendants. The first child of each node continues the main line.
#[derive(Clone, Debug)]
pub struct GameTree {
    slots: Vec<Slot>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    node: Node,
    parent: Option<NodeId>,
    first_child: Option<NodeId>,
    last_child: Option<NodeId>,
    next_sibling: Option<NodeId>,
}

impl Property {
    /// Returns the identifier: a capital letter, followed by capital letters or digits.
    pub fn identifier(&self) -> &str {
        &self.identifier
    }

    /// Returns the values; there is at least one.
    pub fn values(&self) -> &[Value] {
        &self.values
    }
}

/// Returns true if `name` is a valid property identifier: a capital letter, followed by capital letters or digits.
/// Digits occur only in `FF[1]` to `FF[3]`.
pub fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_uppercase())
        && bytes.all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

impl Node {
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// Returns all values of a property, or an empty slice if the node does not have it.
    pub fn values(&self, identifier: &str) -> &[Value] {
        self.index_of(identifier)
            .map_or(&[], |index| &self.properties[index].values)
    }

    /// Returns the first value of a property, or `None` if the node does not have it.
    pub fn value(&self, identifier: &str) -> Option<&Value> {
        self.values(identifier).first()
    }

    /// Returns true if the node has the property.
    pub fn has(&self, identifier: &str) -> bool {
        self.index_of(identifier).is_some()
    }

    /// Sets a property to a single value, replacing any previous values.
    ///
    /// # Panics
    /// Panics if `identifier` is not valid (see [`is_identifier`]). The same applies to the other methods that add
    /// properties.
    pub fn set(&mut self, identifier: &str, value: impl Into<Value>) {
        self.set_list(identifier, vec![value.into()]);
    }

    /// Sets the values of a property, replacing any previous ones. An empty list removes the property.
    pub fn set_list(&mut self, identifier: &str, values: Vec<Value>) {
        if values.is_empty() {
            self.remove(identifier);
        } else {
            self.property_mut(identifier).values = values;
        }
    }

    /// Appends values to a property, creating the property if necessary. An empty list changes nothing.
    pub fn extend(&mut self, identifier: &str, values: Vec<Value>) {
        if !values.is_empty() {
            let existing = &mut self.property_mut(identifier).values;
            if existing.is_empty() {
                *existing = values;
            } else {
                existing.extend(values);
            }
        }
    }

    /// Removes a property. Returns true if it existed.
    pub fn remove(&mut self, identifier: &str) -> bool {
        let position = self.index_of(identifier);
        if let Some(index) = position {
            self.properties.remove(index);
        }
        position.is_some()
    }

    fn index_of(&self, identifier: &str) -> Option<usize> {
        self.properties
            .iter()
            .position(|property| &*property.identifier == identifier)
    }

    fn property_mut(&mut self, identifier: &str) -> &mut Property {
        let index = self.index_of(identifier).unwrap_or_else(|| {
            // Identifiers are constants of the program or have been checked by the parser; an invalid one would
            // corrupt the output.
            assert!(
                is_identifier(identifier),
                "invalid property identifier {identifier:?}"
            );
            // Most nodes have a single property. The default capacity of four would triple the memory for a large
            // file.
            if self.properties.is_empty() {
                self.properties.reserve_exact(1);
            }
            self.properties.push(Property {
                identifier: identifier.into(),
                values: Vec::new(),
            });
            self.properties.len() - 1
        });
        &mut self.properties[index]
    }
}

impl Default for GameTree {
    fn default() -> Self {
        Self::new()
    }
}

impl GameTree {
    /// Creates a tree with an empty root node.
    pub fn new() -> Self {
        Self {
            slots: vec![Slot::default()],
        }
    }

    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Returns the number of nodes including the root. Takes time proportional to this number.
    pub fn node_count(&self) -> usize {
        self.preorder().count()
    }

    /// Returns the properties of a node.
    ///
    /// # Panics
    /// May panic if `id` belongs to another tree. This applies to every method that takes a [`NodeId`].
    pub fn node(&self, id: NodeId) -> &Node {
        &self.slot(id).node
    }

    /// Returns the properties of a node for modification.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.slots[id.0 as usize].node
    }

    /// Adds an empty node after the existing children of `parent` and returns its id.
    pub fn add_child(&mut self, parent: NodeId) -> NodeId {
        let index = u32::try_from(self.slots.len()).expect("memory runs out before 2^32 nodes");
        let child = NodeId(index);
        self.slots.push(Slot {
            parent: Some(parent),
            ..Slot::default()
        });
        let previous = self.slots[parent.0 as usize].last_child.replace(child);
        match previous {
            Some(sibling) => self.slots[sibling.0 as usize].next_sibling = Some(child),
            None => self.slots[parent.0 as usize].first_child = Some(child),
        }
        child
    }

    /// Removes a node and its descendants from the tree. Does nothing for the root. The identifiers of the other nodes
    /// remain valid.
    pub fn detach(&mut self, id: NodeId) {
        let Some(parent) = self.parent(id) else {
            return;
        };
        let next = self.slot(id).next_sibling;
        let previous = self
            .children(parent)
            .find(|&sibling| self.slot(sibling).next_sibling == Some(id));
        match previous {
            Some(previous) => self.slots[previous.0 as usize].next_sibling = next,
            None => self.slots[parent.0 as usize].first_child = next,
        }
        if next.is_none() {
            self.slots[parent.0 as usize].last_child = previous;
        }
        let slot = &mut self.slots[id.0 as usize];
        (slot.parent, slot.next_sibling) = (None, None);
    }

    /// Returns the parent of a node, or `None` for the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.slot(id).parent
    }

    /// Iterates over the children of a node, the main variation first.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.slot(id).first_child, |&child| {
            self.slot(child).next_sibling
        })
    }

    /// Iterates over the nodes of the main line: the root and its chain of first children.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(self.root()), |&id| self.slot(id).first_child)
    }

    /// Iterates over all nodes in preorder.
    pub fn preorder(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(self.root()), |&id| {
            if let Some(child) = self.slot(id).first_child {
                return Some(child);
            }
            let mut ancestor = Some(id);
            while let Some(node) = ancestor {
                if let Some(sibling) = self.slot(node).next_sibling {
                    return Some(sibling);
                }
                ancestor = self.slot(node).parent;
            }
            None
        })
    }

    fn slot(&self, id: NodeId) -> &Slot {
        &self.slots[id.0 as usize]
    }
}

/// Trees are equal if they have the same shape and properties, regardless of the order in which nodes were added.
impl PartialEq for GameTree {
    fn eq(&self, other: &Self) -> bool {
        // The shape is determined by the preorder and, for each node, whether it has a child and a sibling.
        self.node_count() == other.node_count()
            && self.preorder().zip(other.preorder()).all(|(mine, theirs)| {
                let (mine, theirs) = (self.slot(mine), other.slot(theirs));
                mine.node == theirs.node
                    && mine.first_child.is_some() == theirs.first_child.is_some()
                    && mine.next_sibling.is_some() == theirs.next_sibling.is_some()
            })
    }
}

impl Eq for GameTree {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_keep_insertion_order() {
        let mut tree = GameTree::new();
        let first = tree.add_child(tree.root());
        let second = tree.add_child(tree.root());
        let deep = tree.add_child(first);
        assert_eq!(
            tree.children(tree.root()).collect::<Vec<_>>(),
            [first, second]
        );
        assert_eq!(
            tree.main_line().collect::<Vec<_>>(),
            [tree.root(), first, deep]
        );
        assert_eq!(
            tree.preorder().collect::<Vec<_>>(),
            [tree.root(), first, deep, second]
        );
        assert_eq!(
            (tree.parent(deep), tree.parent(tree.root())),
            (Some(first), None)
        );
    }

    #[test]
    fn detached_nodes_leave_the_tree() {
        let mut tree = GameTree::new();
        let root = tree.root();
        let children = [(); 3].map(|()| tree.add_child(root));
        tree.add_child(children[1]);
        for (index, remaining) in [(1, vec![0, 2]), (2, vec![0]), (0, vec![])] {
            tree.detach(children[index]);
            let expected: Vec<NodeId> = remaining.iter().map(|&index| children[index]).collect();
            assert_eq!(tree.children(root).collect::<Vec<_>>(), expected);
            assert_eq!(tree.node_count(), 1 + expected.len());
        }
        let added = tree.add_child(root);
        assert_eq!(tree.main_line().collect::<Vec<_>>(), [root, added]);
        tree.detach(root);
        assert_eq!(tree.node_count(), 2);
    }

    #[test]
    fn equality_ignores_insertion_order() {
        let mut breadth = GameTree::new();
        let left = breadth.add_child(breadth.root());
        breadth.add_child(breadth.root());
        let mut depth = GameTree::new();
        let chain = depth.add_child(depth.root());
        depth.add_child(chain);
        assert_ne!(breadth, depth);
        breadth.add_child(left);
        depth.add_child(depth.root());
        assert_eq!(breadth, depth);
        depth.node_mut(chain).set("C", "different");
        assert_ne!(breadth, depth);
    }

    #[test]
    fn node_identifiers_are_unique() {
        let mut node = Node::default();
        node.extend("AB", vec!["aa".into()]);
        node.extend("AB", vec!["bb".into()]);
        node.set("C", "one");
        node.set("C", "two");
        assert_eq!(node.properties().len(), 2);
        assert_eq!(node.values("AB").len(), 2);
        assert_eq!(node.value("C").map(Value::text).as_deref(), Some("two"));
        assert!(node.remove("AB") && !node.remove("AB") && !node.has("AB"));
        node.set_list("C", Vec::new());
        assert_eq!(node, Node::default());
    }
}
