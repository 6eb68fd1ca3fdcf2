//! A view on a terminal.

use crate::Severity;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Chart, Dataset, Gauge, GraphType, List, ListItem, Paragraph};

use super::StatusView;
use tandem_quantity::{format_number, index};

fn colour(tone: Severity) -> Color {
    match tone {
        Severity::Good => Color::Green,
        Severity::Caution => Color::Yellow,
        Severity::Bad => Color::Red,
        Severity::Neutral => Color::Gray,
    }
}

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, view: &StatusView) {
    let limits: usize = view.actuators.iter().map(|a| 3 + a.limits.len()).sum();
    let lights = view.status.lights.len() + view.indicators.len();
    let side = u16::try_from(limits.max(lights) + 2).unwrap_or(12);
    // On a small terminal state and progress stay; chart, then events, then actuators give way.
    let area = frame.area();
    let rest = area.height.saturating_sub(3);
    let middle_height = side.clamp(4, 14).min(rest);
    let events_height = rest.saturating_sub(middle_height).min(8);
    let [head, progress, chart, middle, events] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(middle_height),
        Constraint::Length(events_height),
    ])
    .areas(area);
    draw_head(frame, head, view);
    let share = if view.end_s > 0.0 {
        (view.status.time_s / view.end_s).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let label = format!(
        "step {} of {}   {:.2} of {:.2} s   wall {:.1} s{}",
        view.status.step,
        view.steps,
        view.status.time_s,
        view.end_s,
        view.status.wall_s,
        view.status
            .left_s
            .map_or(String::new(), |left| format!("   left {left:.0} s"))
    );
    let gauge = Gauge::default()
        .gauge_style(Style::new().fg(Color::Blue).bg(Color::DarkGray))
        .ratio(share)
        .label(Span::styled(label, Style::new().fg(Color::White)));
    frame.render_widget(gauge, progress);
    draw_chart(frame, chart, view);
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(65), Constraint::Percentage(35)]).areas(middle);
    draw_actuators(frame, left, view);
    let light = |tone: Severity, text: String| {
        ListItem::new(Line::from(vec![
            Span::styled("● ", Style::new().fg(colour(tone))),
            Span::raw(text),
        ]))
    };
    let lights: Vec<ListItem<'_>> = view
        .status
        .lights
        .iter()
        .map(|l| light(l.tone, format!("{:<14} {}", l.label, l.text)))
        .chain(view.indicators.iter().map(|(label, value, unit, tone)| {
            light(
                *tone,
                format!("{label:<14} {} {unit}", format_number(*value)),
            )
        }))
        .collect();
    frame.render_widget(
        List::new(lights).block(Block::bordered().title("Lights")),
        right,
    );
    let rows = usize::from(events.height.saturating_sub(2));
    let list: Vec<ListItem<'_>> = view
        .events
        .iter()
        .rev()
        .take(rows)
        .map(|(time, tone, text)| {
            ListItem::new(Line::from(vec![
                Span::styled(format!("{time:>9.3} s "), Style::new().fg(Color::DarkGray)),
                Span::styled(text.clone(), Style::new().fg(colour(*tone))),
            ]))
        })
        .collect();
    let title = "Events, the latest first          q leaves; this only watches";
    frame.render_widget(
        List::new(list).block(Block::bordered().title(title)),
        events,
    );
}

fn draw_head(frame: &mut Frame<'_>, area: Rect, view: &StatusView) {
    let strong = Style::new()
        .fg(colour(view.status.tone))
        .add_modifier(Modifier::BOLD | Modifier::REVERSED);
    let mut second = vec![
        Span::styled(format!(" {} ", view.status.state), strong),
        Span::raw(format!(" {}", view.status.meaning)),
    ];
    if let Some(timing) = &view.status.timing {
        second.push(Span::raw(format!(
            "   jitter {:.0} µs median, {:.0} µs 99 %, missed {}",
            timing.jitter_us[0], timing.jitter_us[1], timing.missed
        )));
    }
    let text = vec![
        Line::from(Span::styled(
            view.name.clone(),
            Style::new().add_modifier(Modifier::BOLD),
        )),
        Line::from(second),
    ];
    frame.render_widget(Paragraph::new(text), area);
}

fn draw_chart(frame: &mut Frame<'_>, area: Rect, view: &StatusView) {
    let from = view.target.first().map_or(0.0, |p| p.0);
    let to = view.target.last().map_or(1.0, |p| p.0).max(from + 1.0);
    let all = view.target.iter().chain(&view.measured);
    let largest = all
        .map(|p| p.1.abs())
        .filter(|y| y.is_finite())
        .fold(1e-9, f64::max)
        * 1.05;
    let line = |name, colour, points| {
        Dataset::default()
            .name(name)
            .marker(Marker::Braille)
            .graph_type(GraphType::Line)
            .style(Style::new().fg(colour))
            .data(points)
    };
    let chart = Chart::new(vec![
        line("target", Color::Gray, &view.target),
        line("measured", Color::LightRed, &view.measured),
    ])
    .block(Block::bordered().title(format!("Displacement of actuator 1, {}", view.unit)))
    .x_axis(
        Axis::default()
            .bounds([from, to])
            .labels([format!("{from:.1} s"), format!("{to:.1} s")]),
    )
    .y_axis(Axis::default().bounds([-largest, largest]).labels([
        format_number(-largest),
        "0".to_owned(),
        format_number(largest),
    ]));
    frame.render_widget(chart, area);
}

fn draw_actuators(frame: &mut Frame<'_>, area: Rect, view: &StatusView) {
    let mut lines = Vec::new();
    for actuator in &view.actuators {
        let [target, command, measured, error, force] = actuator.values;
        // Short lines: what is wider than the terminal is cut.
        lines.push(Line::from(Span::styled(
            actuator.label.clone(),
            Style::new().add_modifier(Modifier::BOLD),
        )));
        let unit = &actuator.unit;
        lines.push(Line::from(format!(
            "  measured {measured:.3}  error {error:.3} {unit}  force {force:.3} {}",
            actuator.force_unit
        )));
        lines.push(Line::from(format!(
            "  target {target:.3}  command {command:.3} {unit}"
        )));
        for (name, share) in &actuator.limits {
            let tone = if *share >= 1.0 {
                Severity::Bad
            } else if *share >= 0.8 {
                Severity::Caution
            } else {
                Severity::Good
            };
            let filled = index((share.clamp(0.0, 1.0) * 24.0).round());
            lines.push(Line::from(vec![
                Span::raw(format!("  {name:<15}")),
                Span::styled("█".repeat(filled), Style::new().fg(colour(tone))),
                Span::styled("░".repeat(24 - filled), Style::new().fg(Color::DarkGray)),
                Span::raw(format!(" {:.0} % left", 100.0 * (1.0 - share).max(0.0))),
            ]));
        }
    }
    frame.render_widget(
        Paragraph::new(lines).block(Block::bordered().title("Actuators")),
        area,
    );
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Status;
    use crate::watch::ActuatorGlance;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    #[test]
    fn a_terminal_shows_state_limits_and_events() {
        let view = StatusView {
            name: "Two storeys".into(),
            status: Status {
                state: "PreCor".into(),
                meaning: "The test runs.".into(),
                step: 50,
                time_s: 0.5,
                ..Status::default()
            },
            end_s: 1.0,
            steps: 100,
            actuators: vec![ActuatorGlance {
                label: "Actuator 1".into(),
                values: [1.0, 1.5, 0.9, -0.1, 12.0],
                unit: "mm".into(),
                force_unit: "kN".into(),
                limits: vec![("stroke".into(), 0.75)],
            }],
            indicators: vec![("SW".into(), 12.5, "%".into(), Severity::Good)],
            events: vec![(0.25, Severity::Caution, "Beyond the bound".into())],
            target: vec![(0.0, 0.0), (0.5, 1.0)],
            measured: vec![(0.0, 0.0), (0.5, 0.9)],
            unit: "mm".into(),
            ..StatusView::default()
        };
        for (width, height) in [(100, 32), (40, 10), (5, 3)] {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| draw(frame, &view)).unwrap();
            let shown: String = terminal
                .backend()
                .buffer()
                .content()
                .iter()
                .map(|c| c.symbol())
                .collect();
            // State and progress are the last to go.
            if width >= 40 {
                assert!(shown.contains("PreCor"), "{shown}");
            }
            if width == 100 {
                for text in [
                    "Two storeys",
                    "PreCor",
                    "step 50 of 100",
                    "25 % left",
                    "SW",
                    "12.5 %",
                    "Beyond the bound",
                    "0.250 s",
                ] {
                    assert!(shown.contains(text), "{text} in {shown}");
                }
            }
        }
    }
}
