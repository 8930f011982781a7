//! Rust text without its comments and literals, so that a guard does not stumble over its own words.

/// The text with comments, strings and characters blanked. Lines and columns (in bytes) stay where they are.
pub(super) fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let length = literal_or_comment(bytes, at);
        if length == 0 {
            out.push(if bytes[at].is_ascii() { bytes[at] } else { b' ' });
            at += 1;
        } else {
            let end = (at + length).min(bytes.len());
            out.extend(bytes[at..end].iter().map(|b| if *b == b'\n' { b'\n' } else { b' ' }));
            at = end;
        }
    }
    String::from_utf8(out).unwrap_or_default()
}

/// How long a comment or literal that begins at `at` is; 0 if none does.
fn literal_or_comment(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment(rest),
        [b'"', ..] => string(rest),
        [b'\'', ..] => character(rest),
        [b'r', ..] if at == 0 || !is_word(bytes[at - 1]) || bytes[at - 1] == b'b' || bytes[at - 1] == b'c' => {
            raw_string(rest)
        }
        _ => 0,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// A character literal; a lifetime is none.
fn character(rest: &[u8]) -> usize {
    match rest {
        [_, b'\\', _, tail @ ..] => tail.iter().position(|b| *b == b'\'').map_or(0, |end| end + 4),
        [_, _, b'\'', ..] => 3,
        [_, first, ..] if !first.is_ascii() => {
            rest[1..].iter().take(5).position(|b| *b == b'\'').map_or(0, |end| end + 2)
        }
        _ => 0,
    }
}

fn raw_string(rest: &[u8]) -> usize {
    let hashes = rest[1..].iter().take_while(|b| **b == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        return 0;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    let body = &rest[2 + hashes..];
    body.windows(close.len()).position(|w| w == close).map_or(rest.len(), |end| 2 + hashes + end + close.len())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Line numbers, from 1, on which `word` stands as a whole word.
pub(super) fn lines_with_word(code: &str, word: &str) -> Vec<usize> {
    let stands_in = |line: &str| {
        line.match_indices(word).any(|(at, _)| {
            let before = line.as_bytes()[..at].last();
            let after = line.as_bytes().get(at + word.len());
            !before.is_some_and(|b| is_word(*b)) && !after.is_some_and(|b| is_word(*b))
        })
    };
    code.lines().enumerate().filter(|(_, line)| stands_in(line)).map(|(at, _)| at + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        let text = "a /* b /* c */ d */ e // f\n'g' \"h\\\"i\" r#\"j\"k\"# l<'m> '\\'' '\\u{6e}' 'ä' o";
        let code = code_only(text);
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "e", "l<'m>", "o"]);
        assert_eq!(code.len(), text.len());
        assert_eq!(code.lines().count(), 2);
    }

    #[test]
    fn unfinished_literals_end_with_the_text() {
        for text in ["\"abc", "r##\"abc\"#", "/* abc", "'", "'\\", "\"abc\\"] {
            assert_eq!(code_only(text).len(), text.len(), "{text}");
        }
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(lines_with_word("unsafe {\nunsafe_code\nan unsafe fn\nmy_unsafe", "unsafe"), [1, 3]);
    }
}
