//! The tree of a game record: nodes carrying properties, each node with its variations in order.
//!
//! Nodes live in one vector and refer to each other by index, so that copying, comparing and dropping a tree never
//! recurses, however deep it is.

use super::value::Value;

/// The games of one file, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Collection {
    /// The games; a file that was read has at least one.
    pub games: Vec<GameTree>,
}

/// Names a node of the tree that gave it out; meaningless for any other tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// One property: an identifier and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    identifier: Box<str>,
    values: Vec<Value>,
}

/// The properties of one node, in the order of the file, each identifier once.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Node {
    properties: Vec<Property>,
}

/// A game: a root node and everything that follows from it. The first child of each node continues the main line.
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
    /// The identifier: capital letters, digits perhaps after the first.
    pub fn identifier(&self) -> &str {
        &self.identifier
    }

    /// The values, at least one.
    pub fn values(&self) -> &[Value] {
        &self.values
    }
}

/// Whether a property may bear this name: a capital letter, then capital letters or (in FF[1] to FF[3]) digits.
pub fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_uppercase())
        && bytes.all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

impl Node {
    /// All properties in order.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// All values of a property; empty when the node lacks it.
    pub fn values(&self, identifier: &str) -> &[Value] {
        self.index_of(identifier)
            .map_or(&[], |index| &self.properties[index].values)
    }

    /// The first value of a property.
    pub fn value(&self, identifier: &str) -> Option<&Value> {
        self.values(identifier).first()
    }

    /// Whether the node carries a property.
    pub fn has(&self, identifier: &str) -> bool {
        self.index_of(identifier).is_some()
    }

    /// Gives a property this one value in place of any it had.
    ///
    /// # Panics
    /// When `identifier` fails [`is_identifier`]; the same holds for the other writing methods.
    pub fn set(&mut self, identifier: &str, value: impl Into<Value>) {
        self.set_list(identifier, vec![value.into()]);
    }

    /// Gives a property these values in place of any it had; with no values it is removed.
    pub fn set_list(&mut self, identifier: &str, values: Vec<Value>) {
        if values.is_empty() {
            self.remove(identifier);
        } else {
            self.property_mut(identifier).values = values;
        }
    }

    /// Adds one value to a property, which is created when missing.
    pub fn push(&mut self, identifier: &str, value: impl Into<Value>) {
        self.property_mut(identifier).values.push(value.into());
    }

    /// Adds values to a property, which is created when missing; without values nothing changes.
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

    /// Takes a property away; says whether it was there.
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
            // Names are chosen by the program (the parser checks those of a file); a bad one would corrupt what is
            // written.
            assert!(
                is_identifier(identifier),
                "{identifier:?} cannot name a property: capital letters expected"
            );
            // Most nodes have one property; room for four, as vectors start with, would triple the memory of a large
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
    /// A tree of one empty root node.
    pub fn new() -> Self {
        Self {
            slots: vec![Slot::default()],
        }
    }

    /// The root.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Number of nodes, the root included.
    pub fn node_count(&self) -> usize {
        self.slots.len()
    }

    /// The properties of a node.
    ///
    /// # Panics
    /// May panic, as every method taking a [`NodeId`], when the id comes from another tree.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.slot(id).node
    }

    /// The properties of a node, to be changed.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.slots[id.0 as usize].node
    }

    /// Appends an empty node after the existing children of `parent`.
    pub fn add_child(&mut self, parent: NodeId) -> NodeId {
        let index = u32::try_from(self.slots.len())
            .expect("four thousand million nodes exceed memory first");
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

    /// The node before this one; `None` for the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.slot(id).parent
    }

    /// The nodes that follow this one, the main variation first.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.slot(id).first_child, |&child| {
            self.slot(child).next_sibling
        })
    }

    /// The root and every first child after it.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(self.root()), |&id| self.slot(id).first_child)
    }

    /// Every node, parents before children, each variation to its end before the next one.
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

/// Two trees are equal when they have the same shape and the same properties, in whatever order they were built.
impl PartialEq for GameTree {
    fn eq(&self, other: &Self) -> bool {
        // Preorder with, for each node, whether it has a child and a sibling determines the shape.
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
        node.push("AB", "aa");
        node.push("AB", "bb");
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
