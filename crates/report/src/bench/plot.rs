//! Plots as SVG: quantile and scatter plots with logarithmic axes.
//!
//! Drawn here rather than with a plotting crate: two axes, lines and dots are this file, while a
//! crate would bring its own fonts, colours and layout, none of which follow the page's (light,
//! dark, print), and no titles on points.

use crate::html::escape;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 48.0;
/// Names of a legend that stand below one another, and the room for a column of them.
const LEGEND_ROWS: usize = 22;
const LEGEND_WIDTH: f64 = 190.0;

/// Colours that can be told apart by most people, also on dark ground (after Okabe and Ito).
const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8b6f47", "#888888",
];

/// A named sequence of values; their order does not matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub name: String,
    pub values: Vec<f64>,
}

/// Values sorted by size: a point (x, y) says that x of them are at most y. Lower and further right
/// is better where values are times of solved tasks.
pub fn quantile(series: &[Series], x_name: &str, y_name: &str) -> String {
    let longest = series
        .iter()
        .map(|series| series.values.len())
        .max()
        .unwrap_or(0)
        .max(1);
    let x = Axis::linear(0.0, longest as f64);
    let y = Axis::logarithmic(
        series
            .iter()
            .flat_map(|series| series.values.iter().copied()),
    );
    let mut out = open(&x, &y, x_name, y_name);
    for (index, Series { name, values }) in series.iter().enumerate() {
        let mut sorted: Vec<f64> = values
            .iter()
            .copied()
            .filter(|value| value.is_finite())
            .collect();
        sorted.sort_by(f64::total_cmp);
        let points: Vec<String> = sorted
            .iter()
            .enumerate()
            .map(|(rank, &value)| {
                format!(
                    "{:.1},{:.1}",
                    x.place_x(rank as f64 + 1.0),
                    y.place_y(value)
                )
            })
            .collect();
        let (colour, dash) = (COLOURS[index % COLOURS.len()], dashes(index));
        let title = escape(name);
        // Writing to a string does not fail, here and below.
        let _ = writeln!(
            out,
            "<polyline class='of-{index}' fill='none' stroke='{colour}' stroke-width='1.8'{dash} points='{}'><title>{title}</title></polyline>",
            points.join(" ")
        );
        let (column, row) = (index / LEGEND_ROWS, index % LEGEND_ROWS);
        let line = TOP + 14.0 + 15.0 * row as f64;
        let left = LEFT + LEGEND_WIDTH * column as f64;
        let _ = writeln!(
            out,
            "<g class='of-{index}'><line x1='{0}' y1='{line}' x2='{1}' y2='{line}' stroke='{colour}' stroke-width='1.8'{dash}/>\
            <text x='{2}' y='{3}'>{title} ({4})</text></g>",
            left + 10.0,
            left + 34.0,
            left + 40.0,
            line + 4.0,
            sorted.len()
        );
    }
    out + "</svg>\n"
}

#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub name: String,
    pub x: f64,
    pub y: f64,
    /// Drawn differently, e.g. where one of the two did not solve the task.
    pub marked: bool,
}

/// Two values per task on the same logarithmic scale, with the diagonal, and lines where values end
/// that are limited.
pub fn scatter(
    points: &[Point],
    x_name: &str,
    y_name: &str,
    limits: (Option<f64>, Option<f64>),
) -> String {
    let values = points.iter().flat_map(|point| [point.x, point.y]);
    let axis = Axis::logarithmic(values.chain(limits.0).chain(limits.1));
    let mut out = open(&axis, &axis, x_name, y_name);
    let (low, high) = (axis.from, axis.to);
    let _ = writeln!(
        out,
        "<line class='diagonal' x1='{:.1}' y1='{:.1}' x2='{:.1}' y2='{:.1}'/>",
        axis.place_x(low),
        axis.place_y(low),
        axis.place_x(high),
        axis.place_y(high)
    );
    let ends = [
        limits.0.map(|limit| ((limit, low), (limit, high), limit)),
        limits.1.map(|limit| ((low, limit), (high, limit), limit)),
    ];
    for (begin, end, limit) in ends.into_iter().flatten() {
        let _ = writeln!(
            out,
            "<line class='limit' x1='{:.1}' y1='{:.1}' x2='{:.1}' y2='{:.1}'><title>limit: {limit} s</title></line>",
            axis.place_x(begin.0),
            axis.place_y(begin.1),
            axis.place_x(end.0),
            axis.place_y(end.1)
        );
    }
    for point in points
        .iter()
        .filter(|point| point.x.is_finite() && point.y.is_finite())
    {
        let colour = if point.marked { COLOURS[1] } else { COLOURS[0] };
        let _ = writeln!(
            out,
            "<circle cx='{:.1}' cy='{:.1}' r='3' fill='{colour}' fill-opacity='0.6'><title>{}: {:.2}, {:.2}</title></circle>",
            axis.place_x(point.x),
            axis.place_y(point.y),
            escape(&point.name),
            point.x,
            point.y
        );
    }
    out + "</svg>\n"
}

/// Beyond eight lines colours repeat; then the dashes differ.
fn dashes(index: usize) -> String {
    match index / COLOURS.len() {
        0 => String::new(),
        turn => format!(" stroke-dasharray='{} 3'", 8 / turn.min(4)),
    }
}

struct Axis {
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Axis {
    fn linear(from: f64, to: f64) -> Self {
        Self {
            from,
            to,
            logarithmic: false,
        }
    }

    /// Whole decades around the values; what is 0 stands on the lowest line.
    fn logarithmic(values: impl Iterator<Item = f64>) -> Self {
        let positive: Vec<f64> = values
            .filter(|&value| value.is_finite() && value > 0.0)
            .collect();
        let low = positive
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min)
            .clamp(0.001, 1e12);
        let high = positive
            .iter()
            .copied()
            .fold(low, f64::max)
            .clamp(low, 1e15);
        let (from, to) = (low.log10().floor(), high.log10().ceil());
        Self {
            from: 10f64.powf(from),
            to: 10f64.powf(to.max(from + 1.0)),
            logarithmic: true,
        }
    }

    /// 0 at the beginning of the axis, 1 at its end.
    fn fraction(&self, value: f64) -> f64 {
        let value = value.clamp(self.from, self.to);
        if self.logarithmic {
            (value.log10() - self.from.log10()) / (self.to.log10() - self.from.log10())
        } else {
            (value - self.from) / (self.to - self.from)
        }
    }

    fn place_x(&self, value: f64) -> f64 {
        LEFT + self.fraction(value) * (WIDTH - LEFT - RIGHT)
    }

    fn place_y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.fraction(value) * (HEIGHT - TOP - BOTTOM)
    }

    fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let (from, to) = (
                self.from.log10().round() as i32,
                self.to.log10().round() as i32,
            );
            return (from..=to).map(|power| 10f64.powi(power)).collect();
        }
        let rough = (self.to - self.from) / 6.0;
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * decade)
            .find(|&step| step >= rough);
        let step = step.unwrap_or(rough).max(1.0);
        let count = ((self.to - self.from) / step).floor() as usize;
        (0..=count)
            .map(|index| self.from + step * index as f64)
            .collect()
    }
}

fn open(x: &Axis, y: &Axis, x_name: &str, y_name: &str) -> String {
    // The colours of text and lines come from the page where there is one, and are grey elsewhere.
    let mut out = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' class='plot' role='img'>\n\
        <style>.plot text{{font:12px sans-serif;fill:var(--text,#444)}}.plot .grid,.plot .diagonal\
        {{stroke:var(--line,#bbb);stroke-width:.7}}.plot .diagonal{{stroke-dasharray:4 3}}</style>\n"
    );
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    // A line from one point to another, and its number at a third one.
    let mut grid = |[x1, y1]: [f64; 2], [x2, y2]: [f64; 2], [x, y]: [f64; 2], anchor, tick| {
        let _ = writeln!(
            out,
            "<line class='grid' x1='{x1:.1}' y1='{y1:.1}' x2='{x2:.1}' y2='{y2:.1}'/>\
            <text x='{x:.1}' y='{y:.1}' text-anchor='{anchor}'>{tick}</text>"
        );
    };
    for tick in x.ticks() {
        let x = x.place_x(tick);
        grid([x, TOP], [x, bottom], [x, bottom + 16.0], "middle", tick);
    }
    for tick in y.ticks() {
        let y = y.place_y(tick);
        grid([LEFT, y], [right, y], [LEFT - 6.0, y + 4.0], "end", tick);
    }
    let _ = writeln!(
        out,
        "<text x='{:.1}' y='{:.1}' text-anchor='middle'>{}</text>\
        <text transform='translate(14,{:.1}) rotate(-90)' text-anchor='middle'>{}</text>",
        (LEFT + right) / 2.0,
        HEIGHT - 10.0,
        escape(x_name),
        (TOP + bottom) / 2.0,
        escape(y_name)
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decades_become_equal_distances() {
        let axis = Axis::logarithmic([0.02, 500.0].into_iter());
        assert_eq!(axis.ticks(), [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]);
        let steps: Vec<f64> = axis
            .ticks()
            .windows(2)
            .map(|pair| axis.place_y(pair[0]) - axis.place_y(pair[1]))
            .collect();
        assert!(
            steps.iter().all(|step| (step - steps[0]).abs() < 1e-6),
            "{steps:?}"
        );
    }

    #[test]
    fn a_quantile_plot_is_sorted_and_names_its_lines() {
        let series = [Series {
            name: "a<b".into(),
            values: vec![10.0, 0.1, 1.0],
        }];
        let svg = quantile(&series, "x", "y");
        let points = svg
            .split("points='")
            .nth(1)
            .unwrap()
            .split('\'')
            .next()
            .unwrap();
        let heights: Vec<f64> = points
            .split(' ')
            .map(|point| point.split_once(',').unwrap().1.parse().unwrap())
            .collect();
        assert!(
            heights[0] > heights[1] && heights[1] > heights[2],
            "{heights:?}"
        );
        assert!(svg.contains("a&lt;b (3)") && !svg.contains("a<b"));
    }

    proptest! {
        #[test]
        fn whatever_the_values_everything_lies_inside(
            values in proptest::collection::vec(proptest::num::f64::ANY, 0..30),
        ) {
            let points: Vec<Point> = values.iter().map(|&value| Point { name: String::new(), x: value, y: -value, marked: false }).collect();
            let svg = quantile(&[Series { name: "s".into(), values }], "x", "y") + &scatter(&points, "x", "y", (Some(3.0), None));
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
            for number in svg.split("cx='").skip(1).filter_map(|rest| rest.split('\'').next()) {
                let number: f64 = number.parse().unwrap();
                prop_assert!((LEFT - 0.1..=WIDTH - RIGHT + 0.1).contains(&number));
            }
        }
    }
}
