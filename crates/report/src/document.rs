//! The page around the plots.

use super::embed;
use super::escape::{html, json_in_script};
use super::loop_diagram;
use super::number::file_size;
use super::page::{Align, Cell, EventRow, KeyValue, Page, PageItem, Plot, Scale, Section, Table};
use super::plot;
use super::plot_layout::Place;
use super::scale::Range;
use tandem_quantity::format_number;

const STYLE: &str = include_str!("style.css");
const SCRIPT: [&str; 2] = [include_str!("live_panel.js"), include_str!("live.js")];

/// Rows of a long event list that stay in sight; the rest is folded away.
const EVENTS_IN_SIGHT: usize = 40;

/// The report as the text of one HTML file that refers to nothing outside itself.
#[must_use]
pub fn render(page: &Page) -> String {
    let lengths: Vec<usize> = page
        .sections
        .iter()
        .flat_map(|s| &s.blocks)
        .flat_map(plots)
        .flat_map(|p| p.series.iter().map(|s| s.x.len().min(s.y.len())))
        .collect();
    let mut writer = Writer {
        most_points: embed::most_points(&lengths),
        ..Writer::default()
    };
    writer.header(page);
    for (number, section) in page.sections.iter().enumerate() {
        writer.section(number, section);
    }
    let title = html(&page.title);
    // Numbers and strings only: it always serialises; were it not so, the static page would still
    // be whole.
    let data = serde_json::to_string(&writer.specs).unwrap_or_else(|_| "[]".to_owned());
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{}\
         <main>\n{}</main>\n\
         <footer>This page is complete in itself: it needs no network and no other file.</footer>\n\
         <script type=\"application/json\" id=\"plot-data\">{}</script>\n<script>\n(() => {{\n\
         \"use strict\";\n{}}})();\n</script>\n</body>\n</html>\n",
        navigation(page),
        writer.out,
        json_in_script(&data),
        SCRIPT.concat()
    )
}

/// The plots of a block.
fn plots(block: &PageItem) -> &[Plot] {
    match block {
        PageItem::Plot(plot) => std::slice::from_ref(plot),
        PageItem::Plots(plots) => plots,
        PageItem::Table(_)
        | PageItem::Picture(_)
        | PageItem::Text(_)
        | PageItem::Files(_)
        | PageItem::Events(_)
        | PageItem::Link { .. } => &[],
    }
}

fn navigation(page: &Page) -> String {
    let mut out = String::from("<nav aria-label=\"Sections\"><div>");
    if !page.loop_diagram.is_empty() {
        out.push_str("<a href=\"#loop\">Loop</a>");
    }
    for (number, section) in page.sections.iter().enumerate() {
        put!(
            out,
            "<a href=\"#section-{number}\">{}</a>",
            html(&section.title)
        );
    }
    out.push_str(
        "</div><button type=\"button\" id=\"theme\" title=\"Light, dark or as the \
        system\">Theme: auto</button></nav>\n",
    );
    out
}

#[derive(Default)]
struct Writer {
    out: String,
    specs: Vec<embed::Spec>,
    most_points: usize,
}

impl Writer {
    fn header(&mut self, page: &Page) {
        let out = &mut self.out;
        put!(out, "<header>\n<h1>{}</h1>\n", html(&page.title));
        if !page.subtitle.is_empty() {
            put!(out, "<p class=\"subtitle\">{}</p>\n", html(&page.subtitle));
        }
        let (tone, word, sentence) = page.verdict.parts();
        put!(
            out,
            "<div class=\"verdict {}\"><strong>{word}</strong><span>{}</span></div>\n",
            tone.class(),
            html(sentence)
        );
        if !page.figures.is_empty() {
            out.push_str("<div class=\"cards\">\n");
            for fact in &page.figures {
                put!(
                    out,
                    "<div class=\"card {}\"><div class=\"label\">{}</div><div \
                    class=\"value\">{}</div>{}</div>\n",
                    fact.tone.class(),
                    html(&fact.label),
                    value(fact),
                    if fact.note.is_empty() {
                        String::new()
                    } else {
                        format!("<div class=\"remark\">{}</div>", html(&fact.note))
                    }
                );
            }
            out.push_str("</div>\n");
        }
        if !page.facts.is_empty() {
            out.push_str("<dl class=\"facts\">\n");
            for fact in &page.facts {
                put!(
                    out,
                    "<div class=\"{}\"><dt>{}</dt><dd>{}</dd></div>\n",
                    fact.tone.class(),
                    html(&fact.label),
                    value(fact)
                );
            }
            out.push_str("</dl>\n");
        }
        out.push_str("</header>\n");
        if !page.loop_diagram.is_empty() {
            put!(
                out,
                "<section id=\"loop\">\n<h2>The loop</h2>\n<div class=\"chart\">{}</div>\n\
                </section>\n",
                loop_diagram::svg(&page.loop_diagram)
            );
        }
        out.push_str(
            "<p class=\"hint\">Plots are live: wheel or pinch to zoom (Shift: vertically), drag to \
            pan, Shift-drag to zoom \
             on a box, double-click to reset, click a name to hide its line.</p>\n",
        );
    }

    fn section(&mut self, number: usize, section: &Section) {
        put!(
            self.out,
            "<section id=\"section-{number}\">\n<h2>{}</h2>\n",
            html(&section.title)
        );
        self.paragraphs(&section.intro, "intro");
        for block in &section.blocks {
            match block {
                PageItem::Plot(plot) => self.plot(plot, number, 1),
                PageItem::Plots(plots) => {
                    let columns = match plots.len() {
                        0 => continue,
                        1 => 1,
                        2 | 4 => 2,
                        _ => 3,
                    };
                    put!(self.out, "<div class=\"row of-{columns}\">\n");
                    for plot in plots {
                        self.plot(plot, number, columns);
                    }
                    self.out.push_str("</div>\n");
                }
                PageItem::Table(table) => self.table(table),
                PageItem::Picture(picture) => put!(
                    self.out,
                    "<figure class=\"plot\"><h3>{}</h3><div \
                    class=\"chart\">{}</div><figcaption>{}</figcaption></figure>\n",
                    html(&picture.title),
                    picture.svg,
                    html(&picture.caption)
                ),
                PageItem::Text(text) => self.paragraphs(text, "text"),
                PageItem::Files(files) => self.files(files),
                PageItem::Events(events) => self.events(events),
                PageItem::Link { text, target } => put!(
                    self.out,
                    "<p class=\"text\"><a href=\"{}\">{}</a></p>\n",
                    html(target),
                    html(text)
                ),
            }
        }
        self.out.push_str("</section>\n");
    }

    fn paragraphs(&mut self, text: &str, class: &str) {
        for paragraph in text.split("\n\n").map(str::trim).filter(|p| !p.is_empty()) {
            put!(self.out, "<p class=\"{class}\">{}</p>\n", html(paragraph));
        }
    }

    fn plot(&mut self, plot: &Plot, section: usize, columns: usize) {
        let place = Place {
            id: self.specs.len(),
            section,
            columns,
            most_points: self.most_points,
        };
        let (figure, spec) = plot::figure(plot, place);
        self.out.push_str(&figure);
        self.out.push('\n');
        self.specs.push(spec);
    }

    fn table(&mut self, table: &Table) {
        self.out.push_str("<figure class=\"table\">");
        if !table.title.is_empty() {
            put!(self.out, "<h3>{}</h3>", html(&table.title));
        }
        self.out
            .push_str("<div class=\"scroll\"><table><thead><tr>");
        let side = |align: Align| {
            if align == Align::Right {
                "number"
            } else {
                "word"
            }
        };
        for column in &table.columns {
            let unit = if column.unit.is_empty() {
                String::new()
            } else {
                format!(" <span class=\"unit\">{}</span>", html(&column.unit))
            };
            put!(
                self.out,
                "<th class=\"{}\" scope=\"col\">{}{unit}</th>",
                side(column.align),
                html(&column.title)
            );
        }
        self.out.push_str("</tr></thead><tbody>\n");
        let empty = Cell::default();
        for row in &table.rows {
            self.out.push_str("<tr>");
            for (c, column) in table.columns.iter().enumerate() {
                let cell = row.get(c).unwrap_or(&empty);
                put!(
                    self.out,
                    "<td class=\"{} {}\">{}</td>",
                    side(column.align),
                    cell.tone.class(),
                    html(&cell.text)
                );
            }
            self.out.push_str("</tr>\n");
        }
        self.out.push_str("</tbody></table></div>");
        if !table.caption.is_empty() {
            put!(
                self.out,
                "<figcaption>{}</figcaption>",
                html(&table.caption)
            );
        }
        self.out.push_str("</figure>\n");
    }

    fn files(&mut self, files: &[(String, u64, String)]) {
        self.out.push_str(
            "<figure class=\"table\"><div class=\"scroll\"><table class=\"files\"><thead><tr><th \
            class=\"word\" scope=\"col\">File</th>\
             <th class=\"number\" scope=\"col\">Size</th><th class=\"word\" \
             scope=\"col\">SHA-256</th></tr></thead><tbody>\n",
        );
        for (name, bytes, sum) in files {
            put!(
                self.out,
                "<tr><td class=\"word\">{}</td><td class=\"number\">{}</td><td class=\"word \
                sum\">{}</td></tr>\n",
                html(name),
                file_size(*bytes),
                html(sum)
            );
        }
        self.out.push_str("</tbody></table></div></figure>\n");
    }

    fn events(&mut self, events: &[EventRow]) {
        if events.is_empty() {
            self.out
                .push_str("<p class=\"text\">No event was recorded.</p>\n");
            return;
        }
        self.out.push_str(&strip(events));
        let (seen, folded) = events.split_at(events.len().min(EVENTS_IN_SIGHT));
        self.event_rows(seen);
        if !folded.is_empty() {
            put!(
                self.out,
                "<details><summary>{} more events</summary>\n",
                folded.len()
            );
            self.event_rows(folded);
            self.out.push_str("</details>\n");
        }
    }

    fn event_rows(&mut self, events: &[EventRow]) {
        self.out.push_str(
            "<figure class=\"table\"><div class=\"scroll\"><table class=\"events\"><thead><tr><th \
            class=\"number\" scope=\"col\">Time <span class=\"unit\">s</span></th>\
             <th class=\"word\" scope=\"col\">Source</th><th class=\"word\" \
             scope=\"col\">Event</th></tr></thead><tbody>\n",
        );
        for event in events {
            let time = if event.time_s.is_finite() {
                format!("{:.3}", event.time_s)
            } else {
                format_number(f64::NAN)
            };
            put!(
                self.out,
                "<tr class=\"{}\"><td class=\"number\">{time}</td><td class=\"word\"><span \
                class=\"dot\"></span>{}</td><td class=\"word\">{}</td></tr>\n",
                event.tone.class(),
                html(&event.source),
                html(&event.message)
            );
        }
        self.out.push_str("</tbody></table></div></figure>\n");
    }
}

/// All events on one time axis.
fn strip(events: &[EventRow]) -> String {
    const LEFT: f64 = 14.0;
    const ACROSS: f64 = 872.0;
    let range = Range::of(events.iter().map(|e| e.time_s), Scale::Linear, 0.0).with(0.0);
    let mut out = String::from(
        "<div class=\"chart\"><svg class=\"strip\" viewBox=\"0 0 900 50\" role=\"img\" \
        aria-label=\"Events on the time axis\"><path class=\"axis\" d=\"M14 26h872\"/>",
    );
    for tick in range.ticks(10).major {
        let x = LEFT + ACROSS * range.fraction(tick.value);
        put!(
            out,
            "<path class=\"axis\" d=\"M{x:.1} 26v4\"/><text class=\"tick mid\" x=\"{x:.1}\" \
            y=\"43\">{}</text>",
            tick.label
        );
    }
    // The grave ones last, so that they lie on top.
    let mut order: Vec<&EventRow> = events.iter().filter(|e| e.time_s.is_finite()).collect();
    order.sort_by_key(|e| e.tone as u8);
    for event in order {
        let x = LEFT + ACROSS * range.fraction(event.time_s);
        if !x.is_nan() {
            put!(
                out,
                "<path class=\"event {}\" d=\"M{x:.1} 7v19\"><title>{} s  {}: {}</title></path>",
                event.tone.class(),
                format_number(event.time_s),
                html(&event.source),
                html(&event.message)
            );
        }
    }
    out.push_str("</svg></div>\n");
    out
}

fn value(fact: &KeyValue) -> String {
    let mut out = html(&fact.value);
    if !fact.unit.is_empty() {
        put!(
            out,
            "<span class=\"unit\">\u{a0}{}</span>",
            html(&fact.unit)
        );
    }
    out
}
