//! Gantt charts of simulated runs: as SVG, and in characters.

use std::fmt::Write as _;
use std::time::Duration;

use super::escape;

/// One bar: an action from its start to its end.
#[derive(Debug, Clone)]
pub struct Bar {
    /// What it is called.
    pub name: String,
    /// When it starts.
    pub start: Duration,
    /// When it ends.
    pub end: Duration,
    /// Whether it lies on the critical path.
    pub critical: bool,
    /// How much later it could end.
    pub slack: Duration,
}

const ROW: f64 = 18.0;
const LEFT: f64 = 220.0;
const WIDTH: f64 = 760.0;
const TOP: f64 = 40.0;

/// The chart as SVG. Bars on the critical path are red and say so in their titles.
pub fn svg(title: &str, bars: &[Bar], makespan: Duration) -> String {
    let height = TOP + ROW * bars.len() as f64 + 30.0;
    let whole = makespan.as_secs_f64().max(1e-9);
    let x = |moment: Duration| LEFT + WIDTH * moment.as_secs_f64() / whole;
    let mut out = String::new();
    let width = LEFT + WIDTH + 40.0;
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"14\">{title}</text>",
        title = escape::xml(title),
    );
    for tick in 0..=4u32 {
        let moment = makespan * tick / 4;
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{bottom:.0}\" \
             stroke=\"#dddddd\"/>\n<text x=\"{at:.1}\" y=\"{label:.0}\" \
             text-anchor=\"middle\">{:.1} s</text>",
            moment.as_secs_f64(),
            at = x(moment),
            bottom = height - 25.0,
            label = height - 10.0,
        );
    }
    for (row, bar) in bars.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        let (color, mark) = if bar.critical { ("#c0392b", ", critical") } else { ("#4a7fb5", "") };
        let _ = writeln!(
            out,
            "<text x=\"{label:.0}\" y=\"{text:.1}\" text-anchor=\"end\">{name}</text>\n\
             <rect x=\"{at:.2}\" y=\"{top:.1}\" width=\"{long:.2}\" height=\"{tall:.0}\" \
             fill=\"{color}\"><title>{name}: {start:.3} s to {end:.3} s, slack {slack:.3} \
             s{mark}</title></rect>",
            label = LEFT - 8.0,
            text = y + 12.0,
            name = escape::xml(&escape::short(&bar.name, 34)),
            at = x(bar.start),
            top = y + 2.0,
            long = (x(bar.end) - x(bar.start)).max(1.0),
            tall = ROW - 5.0,
            start = bar.start.as_secs_f64(),
            end = bar.end.as_secs_f64(),
            slack = bar.slack.as_secs_f64(),
        );
    }
    out.push_str("</svg>\n");
    out
}

/// The chart in characters, `width` of them for the bars: `#` is critical, `=` is not.
pub fn text(bars: &[Bar], makespan: Duration, width: usize) -> String {
    let whole = makespan.as_secs_f64().max(1e-9);
    #[expect(clippy::cast_sign_loss, reason = "moments are not negative")]
    let column = |moment: Duration| (moment.as_secs_f64() / whole * width as f64).round() as usize;
    let names: Vec<String> = bars.iter().map(|bar| escape::short(&bar.name, 30)).collect();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for (bar, name) in bars.iter().zip(names) {
        let from = column(bar.start).min(width.saturating_sub(1));
        let to = column(bar.end).max(from + 1);
        let sign = if bar.critical { "#" } else { "=" };
        let pad = " ".repeat(longest - name.chars().count());
        let _ = writeln!(
            out,
            "{name}{pad} |{}{}{}| {:.1} - {:.1}",
            " ".repeat(from),
            sign.repeat(to - from),
            " ".repeat(width.saturating_sub(to)),
            bar.start.as_secs_f64(),
            bar.end.as_secs_f64(),
        );
    }
    out
}
