//! The structure that moves: nodes with the channels that move them.

use crate::{ChannelScene, Drawing, DrawingLine, DrawingNode, Support};
use tandem_coordinator::channels::RESPONSE_DISPLACEMENT;
use tandem_structure::Structure;

use tandem::assemble::Test;
use tandem_report::{self as report, PictureNode, StructurePicture};

/// Beyond this many degrees of freedom a drawing would be a blot, and its table large.
const MOST_DOF: usize = 1500;

/// A node without motion; what stands in brackets is no name.
fn at_rest(node: &PictureNode) -> DrawingNode {
    DrawingNode {
        name: if node.name.contains('(') {
            String::new()
        } else {
            node.name.clone()
        },
        place: node.place,
        support: match node.support {
            report::Support::Free => Support::Free,
            report::Support::Pinned => Support::Pinned,
            report::Support::Fixed => Support::Fixed,
            report::Support::Roller => Support::Roller,
        },
        mass: node.mass,
        motion: [Vec::new(), Vec::new()],
    }
}

/// The drawing of a test's structure; none for one that is only matrices.
pub fn of(test: &Test, channels: &[ChannelScene]) -> Option<Drawing> {
    let dof = test.outline.whole.properties().dof();
    if dof > MOST_DOF {
        return None;
    }
    // What a unit displacement of each degree of freedom does to the nodes: the drawing is linear
    // in them.
    let unit = |k: usize| (0..dof).map(|i| if i == k { 1.0 } else { 0.0 }).collect();
    let shapes: Vec<Vec<f64>> = (0..dof).map(unit).collect();
    let picture = StructurePicture::with_shapes(test, &shapes)?;
    let column = |k: usize| {
        let name = RESPONSE_DISPLACEMENT.of(k + 1);
        channels.iter().position(|c| c.name == name)
    };
    let columns: Vec<Option<usize>> = (0..dof).map(column).collect();
    let mut nodes: Vec<DrawingNode> = picture.nodes().iter().map(at_rest).collect();
    for (node, drawn) in nodes.iter_mut().enumerate() {
        for (k, column) in columns.iter().enumerate() {
            let Some(column) = column else { continue };
            let motion = picture.motion(k, node);
            for axis in 0..2 {
                if motion[axis].abs() > 1e-9 {
                    drawn.motion[axis].push((*column, motion[axis]));
                }
            }
        }
    }
    let lines = picture
        .lines()
        .map(|(nodes, specimen)| DrawingLine { nodes, specimen })
        .collect();
    Some(Drawing {
        nodes,
        lines,
        expected: 0.0,
    })
}
