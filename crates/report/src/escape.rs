//! Text into markup. Everything a user could have written passes through here.

/// `text` as HTML character data or as the value of a quoted attribute.
///
/// Control characters, which HTML forbids even as references, become U+FFFD.
#[must_use]
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\r' => out.push(' '),
            _ if c.is_control() => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// JSON text that may stand inside a `<script>` element: nothing in it can end the element or open
/// a comment.
///
/// The three characters occur in JSON only inside strings, where the escape means the same.
pub(super) fn json_in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_characters_lose_their_meaning() {
        assert_eq!(
            html("<b a=\"x\" c='y'>&amp;"),
            "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;amp;"
        );
        assert_eq!(html("a\u{0}b\u{1b}\n"), "a\u{fffd}b\u{fffd}\n");
    }

    #[test]
    fn a_script_cannot_be_ended_from_within() {
        let json = serde_json::to_string("</script><!--<script>&").expect("a string");
        let safe = json_in_script(&json);
        assert!(!safe.contains(['<', '>', '&']));
        let back: String = serde_json::from_str(&safe).expect("still JSON");
        assert_eq!(back, "</script><!--<script>&");
    }
}
