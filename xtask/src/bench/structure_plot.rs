//! A picture of costs over sizes, both axes logarithmic.

use std::fmt::Write as _;

/// Points of one programme, with a straight line through them.
pub struct Series {
    pub name: &'static str,
    colour: &'static str,
    pub points: Vec<(f64, f64)>,
}

impl Series {
    pub fn new(name: &'static str, colour: &'static str, points: Vec<(f64, f64)>) -> Self {
        Self {
            name,
            colour,
            points,
        }
    }

    /// Exponent p and factor of y = factor x^p, by least squares of the logarithms.
    fn fit(&self) -> (f64, f64) {
        let logs = || self.points.iter().map(|(x, y)| (x.ln(), y.ln()));
        let count = logs().map(|_| 1.0).sum::<f64>();
        let (x, y) = logs().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / count, b + y / count));
        let (xx, xy) = logs().fold((0.0, 0.0), |(a, b), (p, q)| {
            (a + (p - x) * (p - x), b + (p - x) * (q - y))
        });
        (xy / xx, (y - xy / xx * x).exp())
    }

    /// The power of the size with which the cost grows.
    pub fn exponent(&self) -> f64 {
        self.fit().0
    }
}

/// The picture.
pub struct Plot<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    pub series: &'a [Series],
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 55.0;

/// One axis: whole decades around the values.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v.log10().floor()), high.max(v.log10().ceil()))
        });
        Self {
            low,
            high,
            from,
            to,
        }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value.log10() - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    fn decades(&self) -> impl Iterator<Item = f64> + use<> {
        let (low, high) = (self.low, self.high);
        (0_u8..40)
            .map(move |k| low + f64::from(k))
            .take_while(move |decade| *decade <= high)
    }
}

fn power(decade: f64) -> String {
    let digits = format!("{decade:.0}");
    let raised = digits.chars().map(|c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    });
    format!("10{}", raised.collect::<String>())
}

impl Plot<'_> {
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|s| &s.points);
        let x = Axis::new(points().map(|p| p.0), LEFT, WIDTH - RIGHT);
        let y = Axis::new(points().map(|p| p.1), HEIGHT - BOTTOM, TOP);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"24\" font-size=\"16\">{}</text>\n",
            self.title
        );
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for decade in x.decades() {
            let at = x.at(10_f64.powf(decade));
            let _ = writeln!(
                out,
                "<path d=\"M{at:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/>\
                 <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                power(decade)
            );
        }
        for decade in y.decades() {
            let at = y.at(10_f64.powf(decade));
            let _ = writeln!(
                out,
                "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                at + 4.0,
                power(decade)
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(22 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            0.5 * (LEFT + right),
            HEIGHT - 12.0,
            self.x,
            0.5 * (TOP + bottom),
            self.y
        );
        let mut line = TOP + 18.0;
        for series in self.series {
            self.draw(series, &x, &y, line, &mut out);
            line += 20.0;
        }
        out.push_str("</svg>\n");
        out
    }

    fn draw(&self, series: &Series, x: &Axis, y: &Axis, line: f64, out: &mut String) {
        let colour = series.colour;
        let (exponent, factor) = series.fit();
        let ends = series
            .points
            .iter()
            .fold((f64::INFINITY, 0.0_f64), |(low, high), p| {
                (low.min(p.0), high.max(p.0))
            });
        let fitted = |size: f64| y.at(factor * size.powf(exponent));
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{colour}\" stroke-dasharray=\"5 4\"/>",
            x.at(ends.0),
            fitted(ends.0),
            x.at(ends.1),
            fitted(ends.1)
        );
        for (size, cost) in &series.points {
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>",
                x.at(*size),
                y.at(*cost)
            );
        }
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{line:.1}\">{}: ∝ dof^{exponent:.2}</text>",
            LEFT + 16.0,
            line - 4.0,
            LEFT + 28.0,
            series.name
        );
    }
}
