//! The page as a whole: well formed, closed in itself, safe against what users write, at ease with
//! broken data.

use proptest::prelude::*;

use super::*;

const HOSTILE: &str =
    "</script><script>alert(1)</script><img src=x onerror=alert(2)> \"'&--><!-- \u{0}\u{7f} ]]>";

/// Elements without an end tag, as far as the page uses them.
const VOID: [&str; 2] = ["meta", "br"];

/// Reads the page as a parser would, strictly: every tag is closed in order, every attribute is
/// quoted and unique.
fn well_formed(page: &str) -> Result<usize, String> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
    let mut open: Vec<String> = Vec::new();
    let mut elements = 0;
    while let Some(at) = rest.find('<') {
        if rest[..at].contains('>') {
            return Err(format!("stray '>' in {:?}", &rest[..at.min(80)]));
        }
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('/') {
            let end = after.find('>').ok_or("unfinished end tag")?;
            let name = &after[..end];
            match open.pop() {
                Some(top) if top == name => {}
                top => return Err(format!("</{name}> closes {top:?}")),
            }
            rest = &after[end + 1..];
            continue;
        }
        let length = rest.find([' ', '>', '/', '\n']).ok_or("unfinished tag")?;
        let name = rest[..length].to_owned();
        if name.is_empty() || !name.chars().all(char::is_alphanumeric) {
            return Err(format!("tag name {name:?}"));
        }
        elements += 1;
        rest = &rest[length..];
        let mut seen = Vec::new();
        let closed = loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix("/>") {
                rest = after;
                break true;
            }
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break false;
            }
            let equals = rest
                .find("=\"")
                .ok_or_else(|| format!("attribute of <{name}>"))?;
            let key = rest[..equals].to_owned();
            if !key.chars().all(|c| c.is_alphanumeric() || c == '-') || seen.contains(&key) {
                return Err(format!("attribute {key:?} of <{name}>"));
            }
            seen.push(key);
            let value = &rest[equals + 2..];
            let end = value.find('"').ok_or("unfinished attribute")?;
            if value[..end].contains('<') {
                return Err(format!("'<' in an attribute of <{name}>"));
            }
            rest = &value[end + 1..];
        };
        if closed || VOID.contains(&name.as_str()) {
            continue;
        }
        if name == "script" || name == "style" {
            let end = rest
                .find(&format!("</{name}"))
                .ok_or("raw text without end")?;
            rest = &rest[end..];
        }
        open.push(name);
    }
    if open.is_empty() {
        Ok(elements)
    } else {
        Err(format!("left open: {open:?}"))
    }
}

/// One of everything, with `text` wherever a user could have written something and `values`
/// wherever there are data.
fn page_of(text: &str, values: &[(f64, f64)]) -> Page {
    let word = || text.to_owned();
    let fact = || {
        KeyValue::new(text, text)
            .unit(text)
            .note(text)
            .tone(Severity::Caution)
    };
    let (x, y): (Vec<f64>, Vec<f64>) = values.iter().copied().unzip();
    let series = |style, emphasis| Series {
        name: word(),
        x: x.clone(),
        y: y.clone(),
        style,
        emphasis,
    };
    let plot = |scale: Scale, inset| Plot {
        title: word(),
        caption: word(),
        x: Axis {
            label: word(),
            unit: word(),
            scale,
        },
        y: Axis {
            label: word(),
            unit: word(),
            scale,
        },
        series: vec![
            series(Style::Line, LineWeight::Reference),
            series(Style::Dashed, LineWeight::Thin),
            series(Style::Points, LineWeight::Accent),
            series(Style::Bars, LineWeight::Auto),
        ],
        inset,
        markers: values
            .iter()
            .take(5)
            .map(|v| (v.0, word(), Severity::Bad))
            .collect(),
        horizontals: values.iter().take(3).map(|v| (v.1, word())).collect(),
        equal_axes: inset.is_none(),
    };
    let first = values.first().copied().unwrap_or((0.0, 1.0));
    let stage = |kind| LoopStage {
        slot: word(),
        method: word(),
        settings: vec![word(); 2],
        output: word(),
        kind,
    };
    let mut lonely = plot(Scale::Linear, None);
    lonely.series.truncate(1);
    Page {
        title: word(),
        subtitle: word(),
        verdict: Verdict::Caution(word()),
        facts: vec![fact()],
        figures: vec![fact()],
        loop_diagram: vec![
            stage(StageKind::Excitation),
            stage(StageKind::Numerical),
            stage(StageKind::Guard),
            stage(StageKind::Physical),
            stage(StageKind::Transfer),
        ],
        sections: vec![Section {
            title: word(),
            intro: word(),
            blocks: vec![
                PageItem::Plot(plot(Scale::Linear, Some(first))),
                PageItem::Plot(plot(Scale::Linear, None)),
                PageItem::Plots(vec![plot(Scale::Log, Some((0.0, 1e3))), lonely]),
                PageItem::Plots(vec![Plot::default(); 3]),
                PageItem::Plots(Vec::new()),
                PageItem::Table(Table {
                    title: word(),
                    caption: word(),
                    columns: vec![Column::text(text), Column::number(text, text)],
                    rows: vec![
                        vec![],
                        vec![text.into(), Cell::number(first.1), text.into()],
                    ],
                }),
                PageItem::Text(format!("{text}\n\n{text}")),
                PageItem::Files(vec![(word(), u64::MAX, word())]),
                PageItem::Events(Vec::new()),
                PageItem::Events(
                    values
                        .iter()
                        .map(|v| EventRow {
                            time_s: v.0,
                            tone: Severity::Bad,
                            source: word(),
                            message: word(),
                        })
                        .collect(),
                ),
            ],
        }],
    }
}

fn ordinary() -> Vec<(f64, f64)> {
    (0..300)
        .map(|i| f64::from(i) * 0.1)
        .map(|t| (t, t.sin()))
        .collect()
}

/// What the parser sees of the page between the tags and in the attributes is free of numbers that
/// are none.
fn no_broken_coordinates(html: &str) {
    let drawn = html
        .split("<script")
        .next()
        .expect("a part before the scripts");
    for broken in ["NaN", "\"inf", " inf", "-inf"] {
        assert!(
            !drawn.contains(broken),
            "{broken} near {:?}",
            drawn.split(broken).next().map(|s| &s[s.len() - 80..])
        );
    }
}

#[test]
fn an_ordinary_page_is_well_formed_and_closed_in_itself() {
    let html = render(&page_of("Storey drift", &ordinary()));
    let elements = well_formed(&html).expect("well formed");
    assert!(elements > 300, "{elements}");
    no_broken_coordinates(&html);
    for outside in [
        "http:",
        "https:",
        "xmlns",
        "@import",
        "src=",
        "fetch(",
        "XMLHttpRequest",
        "<link",
        "<iframe",
    ] {
        assert!(!html.contains(outside), "{outside}");
    }
    // Links stay on the page and have a target; what is referred to by url() is a part of the page.
    for (open, close) in [("href=\"", '"'), ("url(", ')')] {
        for link in html.split(open).skip(1) {
            let target = link
                .split(close)
                .next()
                .and_then(|t| t.strip_prefix('#'))
                .expect("a link within the page");
            assert!(html.contains(&format!("id=\"{target}\"")), "{target}");
        }
    }
}

#[test]
fn hostile_text_stays_text() {
    let html = render(&page_of(HOSTILE, &ordinary()));
    well_formed(&html).expect("well formed");
    assert_eq!(html.matches("<script").count(), 2);
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(!html.contains("<img") && !html.contains("<!--") && !html.contains('\0'));
    // The text is all there, as text.
    assert!(html.contains("&lt;img src=x onerror=alert(2)&gt;"));
}

#[test]
fn the_embedded_data_are_json_and_hold_the_series() {
    let html = render(&page_of(HOSTILE, &ordinary()));
    let json = html
        .split("id=\"plot-data\">")
        .nth(1)
        .and_then(|s| s.split("</script>").next())
        .expect("data");
    let plots: serde_json::Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(plots.as_array().map(Vec::len), Some(7));
    assert_eq!(plots[0]["series"][0]["name"], HOSTILE);
    // 300 values of 4 bytes in base 64; the abscissas are even and need no list.
    assert_eq!(
        plots[0]["series"][0]["y"].as_str().map(str::len),
        Some(1600)
    );
    assert!(plots[0]["series"][0]["x"].is_array());
}

#[test]
fn broken_data_give_a_page() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let cases: [Vec<(f64, f64)>; 11] = [
        vec![],
        vec![(1.0, 2.0)],
        vec![(0.0, 0.0)],
        vec![(nan, nan)],
        vec![(0.0, nan), (1.0, inf), (2.0, -inf), (inf, 1.0), (-inf, nan)],
        vec![(0.0, 7.0), (1.0, 7.0), (2.0, 7.0)],
        vec![(3.0, 1.0), (3.0, 2.0), (3.0, 3.0)],
        vec![(0.0, f64::MAX), (1.0, f64::MIN), (f64::MAX, 0.0)],
        vec![(0.0, 5e-324), (5e-324, -5e-324), (1.0, 1.0)],
        vec![(0.0, 1e-40), (1.0, 2e-40), (2.0, 3e-40)],
        vec![(-1e29, 1e29), (1e29, -1e29), (1.0, 1.0 + f64::EPSILON)],
    ];
    for values in cases {
        let html = render(&page_of("x", &values));
        well_formed(&html).unwrap_or_else(|e| panic!("{values:?}: {e}"));
        no_broken_coordinates(&html);
    }
}

#[test]
fn a_long_run_gives_a_small_page() {
    // Three minutes at 1024 Hz, ten plots of three series, noise that cannot be thinned out.
    let t: Vec<f64> = (0..184_320).map(|i| f64::from(i) / 1024.0).collect();
    let mut state = 1u64;
    let noise: Vec<f64> = t
        .iter()
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(state >> 40).expect("24 bits")) / f64::from(1 << 23) - 1.0
        })
        .collect();
    let plot = Plot {
        series: vec![Series::line("noise", t, noise); 3],
        inset: Some((60.0, 61.0)),
        ..Plot::default()
    };
    let mut page = page_of("x", &[]);
    page.sections[0].blocks = vec![PageItem::Plot(plot); 10];
    let size = render(&page).len();
    assert!((1_000_000..5_000_000).contains(&size), "{size} bytes");
}

#[test]
fn plots_of_a_section_with_the_same_time_axis_are_linked() {
    let plot = |label: &str, equal_axes| Plot {
        x: Axis::linear(label, "s"),
        series: vec![Series::line("a", vec![0.0, 1.0], vec![0.0, 1.0])],
        equal_axes,
        ..Plot::default()
    };
    let mut page = page_of("x", &[]);
    let blocks = vec![PageItem::Plots(vec![
        plot("Time", false),
        plot("Time", false),
        plot("Period", false),
        plot("Time", true),
    ])];
    page.sections = vec![
        Section {
            blocks,
            ..Section::default()
        };
        2
    ];
    let html = render(&page);
    assert_eq!(html.matches("\"link\":\"0|Time|s|Linear\"").count(), 2);
    assert_eq!(html.matches("\"link\":\"1|Time|s|Linear\"").count(), 2);
    assert_eq!(html.matches("\"link\":\"0|Period|s|Linear\"").count(), 1);
    assert_eq!(html.matches("\"link\":null").count(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_and_any_data_give_a_well_formed_page(
        text in any::<String>(),
        values in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..40),
    ) {
        let html = render(&page_of(&text, &values));
        prop_assert!(well_formed(&html).is_ok(), "{:?}", well_formed(&html));
    }
}
