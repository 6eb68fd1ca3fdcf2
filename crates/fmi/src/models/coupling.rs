//! The coupling of partitioned time integration.

use tandem_integrator::partitioned::Interface;
use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::Variant;
use super::model::{FmuModel, Refused, Role, Variable, places};

/// The interface problem as a block of its own (Eqs 11–12).
///
/// Ports: `H_in` (all H one after the other, by rows) and `v_free` (m/s, likewise) → `lambda`
/// (variant A: `g`, forces at all degrees of freedom), N, and `vg`, the velocities of the
/// interface. It computes in a step only: step it after the substructures, when their `v_free` has
/// been copied in.
pub struct Coupling {
    variables: Vec<Variable>,
    parts: Vec<Tied>,
    shared: usize,
    interface: Option<Interface>,
    /// The H that the interface was made from.
    known: Vec<f64>,
    free: Vec<f64>,
    forces: Vec<f64>,
}

/// One part, as the coupling sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tied {
    /// Values of its `v_free`: all degrees of freedom in variant A, interface rows in B.
    pub size: usize,
    /// Which of them are tied, in order.
    pub rows: Vec<usize>,
    /// To which degree of freedom of the interface.
    pub map: Vec<usize>,
}

impl Coupling {
    /// A coupling of some parts.
    pub fn new(parts: Vec<Tied>, variant: Variant) -> Self {
        let values: usize = parts.iter().map(|part| part.size).sum();
        let entries: usize = parts.iter().map(|part| part.size * part.size).sum();
        let rows: usize = parts.iter().map(|part| part.rows.len()).sum();
        let shared = parts
            .iter()
            .flat_map(|part| &part.map)
            .max()
            .map_or(0, |most| most + 1);
        let vector = |name, size, role, unit, about| Variable {
            name,
            dimensions: vec![size],
            role,
            start: 0.0,
            unit,
            about,
        };
        let (force, about) = match variant {
            Variant::A => ("g", "forces at all degrees of freedom of all parts"),
            Variant::B => ("lambda", "interface forces of all parts"),
        };
        let variables = vec![
            vector(
                "H_in",
                entries,
                Role::Input,
                "s/kg",
                "H of all parts, one after the other, by rows",
            ),
            vector(
                "v_free",
                values,
                Role::Input,
                "m/s",
                "free velocities of all parts",
            ),
            vector(force, values, Role::Output, "N", about),
            vector(
                "vg",
                shared,
                Role::Output,
                "m/s",
                "velocities of the interface",
            ),
        ];
        Self {
            variables,
            parts,
            shared,
            interface: None,
            known: Vec::new(),
            free: vec![0.0; rows],
            forces: vec![0.0; rows],
        }
    }

    /// The start of `H_in` is the identity in every part: it can be inverted before anything is
    /// connected.
    pub fn identity(parts: &[Tied]) -> Vec<f64> {
        let each = parts.iter().flat_map(|part| {
            (0..part.size * part.size).map(|k| f64::from(u8::from(k / part.size == k % part.size)))
        });
        each.collect()
    }

    fn solve(&mut self, values: &mut [f64]) -> Result<(), Refused> {
        let p = places(&self.variables);
        let [h, v, f, w] = p.as_slice() else {
            return Ok(());
        };
        if self.interface.is_none() || self.known != values[h.clone()] {
            let mut start = h.start;
            let mut mobilities = Vec::new();
            for part in &self.parts {
                let n = part.size;
                let entry = |row: usize, column: usize| values[start + row * n + column];
                let pairs = part
                    .rows
                    .iter()
                    .flat_map(|row| part.rows.iter().map(move |column| (*row, *column)));
                mobilities.push(
                    pairs
                        .map(|(row, column)| entry(row, column))
                        .collect::<Vec<f64>>(),
                );
                start += n * n;
            }
            let views: Vec<&[f64]> = mobilities.iter().map(Vec::as_slice).collect();
            let maps: Vec<Vec<usize>> = self.parts.iter().map(|part| part.map.clone()).collect();
            let interface =
                Interface::new(&views, &maps).map_err(|error| Refused(error.message))?;
            self.interface = Some(interface);
            self.known = values[h.clone()].to_vec();
        }
        let Some(interface) = &mut self.interface else {
            return Ok(());
        };
        let (mut start, mut row) = (v.start, 0);
        for part in &self.parts {
            for tied in &part.rows {
                self.free[row] = values[start + tied];
                row += 1;
            }
            start += part.size;
        }
        interface.solve(&self.free, &mut self.forces);
        values[f.clone()].fill(0.0);
        let (mut start, mut row) = (f.start, 0);
        for part in &self.parts {
            for tied in &part.rows {
                values[start + tied] = self.forces[row];
                row += 1;
            }
            start += part.size;
        }
        values[w.clone()]
            .copy_from_slice(interface.velocity().get(..self.shared).unwrap_or_default());
        Ok(())
    }
}

impl FmuModel for Coupling {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn initialise(&mut self, values: &mut [f64]) -> Result<(), Refused> {
        let p = places(&self.variables);
        if let Some(h) = p.first()
            && values[h.clone()].iter().all(|x| *x == 0.0)
        {
            values[h.clone()].copy_from_slice(&Self::identity(&self.parts));
        }
        self.solve(values)
    }

    fn step(&mut self, values: &mut [f64], _size: f64) -> Result<(), Refused> {
        self.solve(values)
    }
}

impl Snapshot for Coupling {
    fn save(&self, _into: &mut Vec<f64>) {}

    fn restore(&mut self, _from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        // Everything is in the values; the factors are made anew where H differs.
        Ok(())
    }
}
