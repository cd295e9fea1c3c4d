use super::*;
use TokenKind as K;

fn kinds(text: &str) -> Vec<TokenKind> {
    let mut names = Names::new();
    let lexed = lex(text.as_bytes(), 1, &mut names);
    assert_eq!(lexed.errors, [], "{text}");
    lexed.tokens.iter().map(|token| token.kind).collect()
}

fn first_error(text: &[u8]) -> (String, Span) {
    let mut names = Names::new();
    let lexed = lex(text, 1, &mut names);
    let error = lexed.errors.first().expect("an error was expected");
    (error.message.clone(), error.span)
}

#[test]
fn punctuators_take_the_longest_match() {
    assert_eq!(
        kinds("a+++b ... .. . <<= <: <% %> :> -> --"),
        [
            K::Ident,
            K::PlusPlus,
            K::Plus,
            K::Ident,
            K::Ellipsis,
            K::Dot,
            K::Dot,
            K::Dot,
            K::ShlAssign,
            K::LBracket,
            K::LBrace,
            K::RBrace,
            K::RBracket,
            K::Arrow,
            K::MinusMinus,
            K::Eof,
        ]
    );
    assert_eq!(
        kinds("1.5e+3-.5 0x1p-3"),
        [K::Number, K::Minus, K::Number, K::Number, K::Eof]
    );
}

#[test]
fn every_punctuator_is_one_token() {
    for text in [
        "(", ")", "{", "}", "[", "]", ";", ",", ".", "->", "...", "?", ":", "+", "-", "*", "/",
        "%", "++", "--", "&", "&&", "|", "||", "^", "~", "!", "<", ">", "<=", ">=", "==", "!=",
        "<<", ">>", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=",
    ] {
        assert_eq!(kinds(text).len(), 2, "{text}");
    }
}

#[test]
fn keywords_in_gnu_spelling() {
    assert_eq!(
        kinds("__inline __const__ __signed__ $x __asm L u8 \u{e9}t\u{e9} \\u00e9"),
        [
            K::Inline,
            K::Const,
            K::Signed,
            K::Ident,
            K::Asm,
            K::Ident,
            K::Ident,
            K::Ident,
            K::Ident,
            K::Eof,
        ]
    );
}

#[test]
fn a_universal_character_name_is_the_character() {
    let mut names = Names::new();
    let lexed = lex("\u{e9}a \\u00e9a".as_bytes(), 1, &mut names);
    assert_eq!(lexed.tokens[0].name, lexed.tokens[1].name);
}

#[test]
fn literals_with_prefixes_and_escapes() {
    assert_eq!(
        kinds(r#" "a\"b" L"x" u8"y" u'c' U'd' '\'' '"' "\\" "#),
        [
            K::Str,
            K::Str,
            K::Str,
            K::Char,
            K::Char,
            K::Char,
            K::Char,
            K::Str,
            K::Eof
        ]
    );
}

#[test]
fn comments_and_pragmas_are_skipped() {
    assert_eq!(
        kinds(
            "a /* ** \n */ b // c \\\n still\n#pragma once\n  # ident \"x\"\n#\nd _Pragma(\"x\") e"
        ),
        [K::Ident, K::Ident, K::Ident, K::Ident, K::Eof]
    );
}

#[test]
fn line_markers_are_collected() {
    let text = b"# 1 \"a \\\"b.c\" 1 3\nx\n#line 30\ny\n# 7 \"z.h\"";
    let mut names = Names::new();
    let lexed = lex(text, 1, &mut names);
    assert_eq!(lexed.errors, []);
    let behind = |marker: &str| {
        let text = std::str::from_utf8(text).unwrap();
        (text.find(marker).unwrap() + marker.len() + 1).min(text.len()) as u32
    };
    assert_eq!(
        lexed.markers,
        [
            LineMarker {
                offset: behind("1 3"),
                line: 1,
                file: Some("a \"b.c".into())
            },
            LineMarker {
                offset: behind("#line 30"),
                line: 30,
                file: None
            },
            LineMarker {
                offset: behind("z.h\""),
                line: 7,
                file: Some("z.h".into())
            },
        ]
    );
}

#[test]
fn continued_lines_may_cut_a_token() {
    let mut names = Names::new();
    let lexed = lex(b"re\\\nturn 1\\\n2;", 1, &mut names);
    assert_eq!(lexed.tokens[0].kind, K::Return);
    assert_eq!(lexed.span(lexed.tokens[0]), Span::new(1, 9));
    assert_eq!(lexed.bytes(lexed.tokens[1]), b"12");
    assert_eq!(lexed.span(lexed.tokens[1]), Span::new(10, 14));
}

#[test]
fn pack_pragmas_change_the_limit() {
    let text =
        b"#pragma pack(push, 1)\na\n#pragma pack(pop)\nb _Pragma(\"pack(2)\") c\n#pragma pack()\n";
    let mut names = Names::new();
    let changes = lex(text, 1, &mut names).packs;
    let change = |token, limit| PackChange { token, limit };
    assert_eq!(
        changes,
        [
            change(0, Some(1)),
            change(1, None),
            change(2, Some(2)),
            change(3, None)
        ]
    );
}

#[test]
fn what_is_not_terminated_is_said_where_it_begins() {
    let (message, span) = first_error(b"int x; /* no end *");
    assert_eq!(message, "comment is not terminated");
    assert_eq!(span, Span::new(8, 10));
    let (message, span) = first_error(b"x = \"abc\ny");
    assert!(
        message.starts_with("string literal is not terminated"),
        "{message}"
    );
    assert_eq!(span, Span::new(5, 9));
    assert!(
        first_error(b"'")
            .0
            .starts_with("character literal is not terminated")
    );
    assert!(
        first_error(b"\"\\")
            .0
            .starts_with("string literal is not terminated")
    );
}

#[test]
fn stray_bytes_and_directives_are_errors() {
    assert_eq!(first_error(b"a @ b").0, "stray '@' in program");
    assert_eq!(
        first_error("a \u{201c} b".as_bytes()).0,
        "stray '\u{201c}' in program"
    );
    assert_eq!(first_error(b"a # b").0, "stray '#' in program");
    assert_eq!(first_error(b"a \x01").0, "stray byte 0x01 in program");
    assert!(
        first_error(b"a \xff b")
            .0
            .starts_with("the file is not UTF-8: byte 0xff")
    );
    assert!(first_error(b"#define X\n").0.contains("#define"));
    assert_eq!(
        first_error(b"a \\u12 b").0,
        "incomplete universal character name"
    );
}

#[test]
fn every_span_is_the_text_of_its_token() {
    let text = "int main(void) { return x->y + 0x1F; }";
    let mut names = Names::new();
    let lexed = lex(text.as_bytes(), 100, &mut names);
    let joined: Vec<&str> = lexed
        .tokens
        .iter()
        .map(|&token| {
            let span = lexed.span(token);
            &text[span.lo as usize - 100..span.hi as usize - 100]
        })
        .collect();
    assert_eq!(
        joined,
        [
            "int", "main", "(", "void", ")", "{", "return", "x", "->", "y", "+", "0x1F", ";", "}",
            ""
        ]
    );
}
