//! From the matrices of elements to those of the structure: K = Σ T_eᵀ k_e T_e.

use super::builder::{Node, Placed};
use super::constraints::Expansion;
use crate::element::{Element, SmallMatrix};
use tandem_structure::{Matrix, StructureError};

/// Where the entries of every element's matrix go.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scatter {
    order: usize,
    /// Element e has the entries `start[e]..start[e + 1]`.
    start: Vec<usize>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    /// Place in the element's matrix.
    from: usize,
    row: usize,
    column: usize,
    coefficient: f64,
    /// Where it stands among the stored values of the structure's stiffness.
    place: usize,
}

impl Scatter {
    pub(super) fn new(per_node: usize, places: &[Placed], expansion: &Expansion) -> Self {
        let order = 2 * per_node;
        let mut start = vec![0];
        let mut entries = Vec::new();
        for place in places {
            let dof = |local: usize| place.nodes[local / per_node] * per_node + local % per_node;
            for i in 0..order {
                for j in 0..order {
                    for (row, a) in expansion.row(dof(i)) {
                        for (column, b) in expansion.row(dof(j)) {
                            entries.push(Entry {
                                from: i * order + j,
                                row: *row,
                                column: *column,
                                coefficient: a * b,
                                place: 0,
                            });
                        }
                    }
                }
            }
            start.push(entries.len());
        }
        Self {
            order,
            start,
            entries,
        }
    }

    fn of(&self, element: usize) -> &[Entry] {
        &self.entries[self.start[element]..self.start[element + 1]]
    }

    /// All places of the structure's matrix at which some element has an entry.
    pub(super) fn places(&self) -> std::collections::BTreeSet<(usize, usize)> {
        let entries = self.entries.iter();
        entries.map(|entry| (entry.row, entry.column)).collect()
    }

    /// The entries of one element's matrix in the structure's.
    pub(super) fn triplets_of(
        &self,
        index: usize,
        element: &Element,
        add: fn(&Element, &mut SmallMatrix),
    ) -> Vec<(usize, usize, f64)> {
        let mut triplets = Vec::new();
        let mut block = SmallMatrix::zeros(self.order);
        add(element, &mut block);
        self.place(index, &block, &mut triplets);
        triplets
    }

    fn place(&self, element: usize, block: &SmallMatrix, triplets: &mut Vec<(usize, usize, f64)>) {
        for entry in self.of(element) {
            let value = entry.coefficient * block.entries()[entry.from];
            triplets.push((entry.row, entry.column, value));
        }
    }

    /// All places of the structure's matrix with their values; zeros keep their place.
    pub(super) fn triplets(
        &self,
        elements: &[Element],
        add: fn(&Element, &mut SmallMatrix),
    ) -> Vec<(usize, usize, f64)> {
        let mut triplets = Vec::with_capacity(self.entries.len());
        let mut block = SmallMatrix::zeros(self.order);
        for (index, element) in elements.iter().enumerate() {
            block.clear();
            add(element, &mut block);
            self.place(index, &block, &mut triplets);
        }
        triplets
    }

    /// Looks up all places in the structure's stiffness, which was made from [`Scatter::triplets`].
    pub(super) fn locate(&mut self, stiffness: &Matrix) {
        for entry in &mut self.entries {
            entry.place = stiffness.place(entry.row, entry.column).unwrap_or(0);
        }
    }

    /// Overwrites a matrix with the tangents of all elements. It is quick for a matrix that is
    /// stored as the structure's `stiffness` is, and any other will do.
    #[inline]
    pub(super) fn assemble(&self, elements: &[Element], stiffness: &Matrix, matrix: &mut Matrix) {
        matrix.clear();
        let mut block = SmallMatrix::zeros(self.order);
        if let Some(values) = matrix.values_like(stiffness) {
            for (index, element) in elements.iter().enumerate() {
                block.clear();
                element.add_tangent(&mut block);
                let from = block.entries();
                for entry in self.of(index) {
                    values[entry.place] += entry.coefficient * from[entry.from];
                }
            }
            return;
        }
        for (index, element) in elements.iter().enumerate() {
            block.clear();
            element.add_tangent(&mut block);
            let from = block.entries();
            for entry in self.of(index) {
                let value = entry.coefficient * from[entry.from];
                matrix.add_at(entry.row, entry.column, value);
            }
        }
    }
}

/// The mass matrix: nodes and members. Diagonal where it can be.
pub(super) fn mass(
    per_node: usize,
    nodes: &[Node],
    places: &[Placed],
    scatter: &Scatter,
    expansion: &Expansion,
) -> Result<Matrix, StructureError> {
    let mut triplets = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        for (k, mass) in node.mass.iter().enumerate() {
            let row = expansion.row(index * per_node + k);
            for (i, a) in row {
                for (j, b) in row {
                    triplets.push((*i, *j, a * mass * b));
                }
            }
        }
    }
    let mut block = SmallMatrix::zeros(2 * per_node);
    for (index, place) in places.iter().enumerate() {
        if place.mass.per_length() > 0.0 {
            block.clear();
            place.mass.add(place.length, &place.axes, &mut block);
            scatter.place(index, &block, &mut triplets);
        }
    }
    triplets.retain(|t| t.2.abs() > 0.0);
    Matrix::from_triplets(expansion.own.len(), &triplets).map_err(|e| e.of("mass"))
}
