//! Prints objects as kubectl does: a single one alone, several as a `v1` List (cli-runtime, printers).

use std::borrow::Cow;
use std::io::{self, Write};

use super::neat;
use super::printer::{Arrangement, Context, Piece, PieceError, PieceWriter, Printer, TextWriter, text};
use manifest::object::Object;
use syntax::tree::Node;

/// The text of a List around its items.
#[derive(Debug)]
pub struct ListSyntax {
    /// The text before a single object.
    pub document: &'static str,
    /// The text before the items, including the opening bracket.
    pub open: &'static str,
    /// The text before the first item.
    pub first: &'static str,
    /// The text between two items.
    pub between: &'static str,
    /// The text after the last item.
    pub last: &'static str,
    /// The text after the items, including the closing bracket.
    pub close: &'static str,
    /// The indentation of the items in blanks.
    pub indent: usize,
    /// Appends an object, with all of its lines except the first indented by this many further blanks.
    pub write: fn(&Node, usize, &mut String),
}

/// The fields that are left out of objects that are not printed in their original text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omitted {
    /// None.
    Nothing,
    /// `metadata.managedFields`, as in kubectl.
    ManagedFields,
    /// All fields added by a server (`--neat`).
    ServerFields,
}

impl Omitted {
    pub(super) fn of(self, tree: &Node) -> Cow<'_, Node> {
        match self {
            Self::Nothing => Cow::Borrowed(tree),
            Self::ManagedFields => without_managed_fields(tree),
            Self::ServerFields => neat::tree(tree),
        }
    }
}

/// The object without `metadata.managedFields`.
fn without_managed_fields(tree: &Node) -> Cow<'_, Node> {
    if tree.at("metadata.managedFields").is_none() {
        return Cow::Borrowed(tree);
    }
    let mut tree = tree.clone();
    if let Some(metadata) =
        tree.as_map_mut().and_then(|map| map.get_mut("metadata")).and_then(Node::as_map_mut)
    {
        metadata.remove("managedFields");
    }
    Cow::Owned(tree)
}

/// Prints a single object or a List.
#[derive(Debug)]
pub struct ListPrinter {
    /// The syntax of the List.
    pub syntax: &'static ListSyntax,
    /// The fields that are left out.
    pub omitted: Omitted,
    /// Whether several objects form a List.
    pub arrangement: Arrangement,
}

impl Printer for ListPrinter {
    fn piece(&self, object: &Object<'_>, _: &Context<'_>) -> Result<Piece, PieceError> {
        let tree = self.omitted.of(object.value()?);
        // Quotes and indents make most texts half as long again, and as many longer.
        let mut text = String::with_capacity(object.text_len() * 2);
        match self.arrangement {
            Arrangement::Together => (self.syntax.write)(&tree, self.syntax.indent, &mut text),
            Arrangement::EachAlone => {
                text.push_str(self.syntax.document);
                (self.syntax.write)(&tree, 0, &mut text);
                text.push('\n');
            }
        }
        Ok(Piece::Text(text.into_bytes()))
    }

    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        match self.arrangement {
            Arrangement::Together => Box::new(List { syntax: self.syntax, held: None, count: 0 }),
            Arrangement::EachAlone => Box::new(TextWriter),
        }
    }
}

/// Writes the items of a `v1` List, or a single item alone.
#[derive(Debug)]
pub(super) struct List {
    pub syntax: &'static ListSyntax,
    /// The first item, as long as it may be the only one.
    pub held: Option<Vec<u8>>,
    pub count: usize,
}

impl PieceWriter for List {
    fn write(&mut self, piece: Piece, is_alone: bool, out: &mut dyn Write) -> io::Result<()> {
        let item = text(piece);
        self.count += 1;
        if self.count == 1 && is_alone {
            self.held = Some(item);
            return Ok(());
        }
        if let Some(first) = self.held.take() {
            self.open(&first, out)?;
        }
        if self.count == 1 {
            return self.open(&item, out);
        }
        out.write_all(self.syntax.between.as_bytes())?;
        out.write_all(&item)
    }

    fn finish(&mut self, _: jiff::Timestamp, out: &mut dyn Write) -> io::Result<()> {
        let syntax = self.syntax;
        if let Some(item) = self.held.take() {
            out.write_all(syntax.document.as_bytes())?;
            // Strings have no raw line breaks here, so each line starts with the indentation of the item.
            for (number, line) in item.split_inclusive(|&byte| byte == b'\n').enumerate() {
                out.write_all(if number == 0 { line } else { &line[syntax.indent..] })?;
            }
            return out.write_all(b"\n");
        }
        out.write_all(if self.count == 0 { syntax.open } else { syntax.last }.as_bytes())?;
        out.write_all(syntax.close.as_bytes())
    }
}

impl List {
    fn open(&self, item: &[u8], out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.syntax.open.as_bytes())?;
        out.write_all(self.syntax.first.as_bytes())?;
        out.write_all(item)
    }
}
