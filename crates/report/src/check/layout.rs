//! Where the boxes and arrows of a graph stand: `dagre`'s layered drawing, wrapped so that nothing
//! it does can spoil a report.

use dagre::graph::{Graph, GraphOptions};
use dagre::{EdgeLabel, LayoutOptions, NodeLabel};

/// Sizes of the text that the page draws, in its units.
pub const CHARACTER: f64 = 6.7;
pub const LINE: f64 = 15.0;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Size {
    pub width: f64,
    pub height: f64,
}

pub struct Arc {
    pub source: usize,
    pub target: usize,
    /// Room for the text on it.
    pub label: Option<Size>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Centres, in the order of the boxes.
    pub boxes: Vec<(f64, f64)>,
    /// In the order of the arcs.
    pub arcs: Vec<Route>,
    pub width: f64,
    pub height: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    pub points: Vec<(f64, f64)>,
    pub label: Option<(f64, f64)>,
}

/// The layout; none if the library fails.
///
/// Law: as many positions and routes as boxes and arcs, all finite, none negative.
pub fn layout(boxes: &[Size], arcs: &[Arc]) -> Option<Layout> {
    if boxes.is_empty() {
        return None;
    }
    // A library that is used for its drawing must not take the answer down with it.
    let drawn = std::panic::catch_unwind(|| run(boxes, arcs)).ok()?;
    let finite = |&(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
    let is_fine = drawn.boxes.iter().all(finite)
        && drawn.arcs.iter().all(|arc| arc.points.iter().all(finite));
    is_fine.then_some(drawn)
}

fn run(boxes: &[Size], arcs: &[Arc]) -> Layout {
    let mut graph: Graph<NodeLabel, EdgeLabel> = Graph::with_options(GraphOptions {
        directed: true,
        multigraph: true,
        compound: false,
    });
    for (number, size) in boxes.iter().enumerate() {
        let label = NodeLabel {
            width: size.width,
            height: size.height,
            ..NodeLabel::default()
        };
        graph.set_node(number.to_string(), Some(label));
    }
    for (number, arc) in arcs.iter().enumerate() {
        let size = arc.label.unwrap_or(Size {
            width: 0.0,
            height: 0.0,
        });
        let label = EdgeLabel {
            width: size.width,
            height: size.height,
            ..EdgeLabel::default()
        };
        graph.set_edge(
            arc.source.to_string(),
            arc.target.to_string(),
            Some(label),
            Some(&number.to_string()),
        );
    }
    let options = LayoutOptions {
        nodesep: 28.0,
        edgesep: 14.0,
        ranksep: 26.0,
        marginx: 12.0,
        marginy: 12.0,
        ..LayoutOptions::default()
    };
    dagre::layout(&mut graph, Some(options));
    let centres: Vec<(f64, f64)> = (0..boxes.len())
        .map(|number| {
            let node = graph.node(&number.to_string());
            node.map_or((0.0, 0.0), |node| {
                (node.x.unwrap_or(0.0), node.y.unwrap_or(0.0))
            })
        })
        .collect();
    let routes: Vec<Route> = arcs
        .iter()
        .enumerate()
        .map(|(number, arc)| {
            let edge = graph.edge(
                &arc.source.to_string(),
                &arc.target.to_string(),
                Some(&number.to_string()),
            );
            edge.map_or(Route::default(), |edge| Route {
                points: edge.points.iter().map(|point| (point.x, point.y)).collect(),
                label: arc.label.and(edge.x.zip(edge.y)),
            })
        })
        .collect();
    let mut drawn = Layout {
        boxes: centres,
        arcs: routes,
        width: 0.0,
        height: 0.0,
    };
    fit(&mut drawn, boxes, arcs);
    drawn
}

/// Moves everything to where no coordinate is negative, and measures the whole.
fn fit(drawn: &mut Layout, boxes: &[Size], arcs: &[Arc]) {
    const MARGIN: f64 = 12.0;
    let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
    let mut see = |x: f64, y: f64| {
        low = (low.0.min(x), low.1.min(y));
        high = (high.0.max(x), high.1.max(y));
    };
    for (&(x, y), size) in drawn.boxes.iter().zip(boxes) {
        see(x - size.width / 2.0, y - size.height / 2.0);
        see(x + size.width / 2.0, y + size.height / 2.0);
    }
    for (route, arc) in drawn.arcs.iter().zip(arcs) {
        for &(x, y) in &route.points {
            see(x, y);
        }
        if let (Some((x, y)), Some(size)) = (route.label, arc.label) {
            see(x - size.width / 2.0, y - size.height / 2.0);
            see(x + size.width / 2.0, y + size.height / 2.0);
        }
    }
    let shift = (MARGIN - low.0, MARGIN - low.1);
    let moved = |point: &mut (f64, f64)| *point = (point.0 + shift.0, point.1 + shift.1);
    drawn.boxes.iter_mut().for_each(moved);
    for route in &mut drawn.arcs {
        route.points.iter_mut().for_each(moved);
        if let Some(label) = &mut route.label {
            moved(label);
        }
    }
    drawn.width = high.0 + shift.0 + MARGIN;
    drawn.height = high.1 + shift.1 + MARGIN;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn every_graph_gets_a_layout_without_overlapping_boxes(
            sizes in proptest::collection::vec((10.0f64..200.0, 10.0f64..90.0), 1..40),
            pairs in proptest::collection::vec((0usize..40, 0usize..40, any::<bool>()), 0..70),
        ) {
            let boxes: Vec<Size> = sizes.iter().map(|&(width, height)| Size { width, height }).collect();
            let arcs: Vec<Arc> = pairs.iter().map(|&(source, target, has_label)| Arc {
                source: source % boxes.len(),
                target: target % boxes.len(),
                label: has_label.then_some(Size { width: 40.0, height: LINE }),
            }).collect();
            let drawn = layout(&boxes, &arcs).expect("a layout");
            prop_assert_eq!(drawn.boxes.len(), boxes.len());
            prop_assert_eq!(drawn.arcs.len(), arcs.len());
            for (i, &(x, y)) in drawn.boxes.iter().enumerate() {
                prop_assert!(x - boxes[i].width / 2.0 >= 0.0 && y - boxes[i].height / 2.0 >= 0.0);
                prop_assert!(x + boxes[i].width / 2.0 <= drawn.width + 1e-6);
                for (j, &(u, v)) in drawn.boxes.iter().enumerate().take(i) {
                    let apart = (x - u).abs() * 2.0 + 1e-6 >= boxes[i].width + boxes[j].width
                        || (y - v).abs() * 2.0 + 1e-6 >= boxes[i].height + boxes[j].height;
                    prop_assert!(apart, "boxes {} and {} overlap", i, j);
                }
            }
            for (arc, route) in arcs.iter().zip(&drawn.arcs) {
                prop_assert!(route.points.len() >= 2, "an arc without a route");
                prop_assert_eq!(arc.label.is_some(), route.label.is_some());
            }
        }
    }
}
