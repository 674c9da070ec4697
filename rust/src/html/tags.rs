//! The tags that mean something here, and what kind each is.

/// A name in small letters as a number, ordered like the names.
const fn pack(name: &[u8]) -> u128 {
    let mut packed = 0;
    let mut place = 0;
    while place < 16 {
        let byte = if place < name.len() { name[place].to_ascii_lowercase() } else { 0 };
        packed = packed << 8 | byte as u128;
        place += 1;
    }
    packed
}

macro_rules! tags {
    ($($tag:ident)*) => {
        /// The tags that mean something here; all others are `Other`.
        #[allow(missing_docs, non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Tag { Other, $($tag),* }

        impl Tag {
            /// Every tag, in order of its number.
            pub const ALL: &[Tag] = &[Tag::Other, $(Tag::$tag),*];

            /// Their names as numbers, in order.
            const PACKED: &[u128] = &[$(pack(stringify!($tag).as_bytes())),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                ["other", $(stringify!($tag)),*][self as usize]
            }
        }
    };
}

tags! {
    a abbr acronym address article aside audio b base basefont bdi bdo big blockquote body br button canvas caption center
    cite code col colgroup data dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form
    frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark
    menu meta nav nobr noembed noframes noscript object ol optgroup option p param picture pre q rb rp rt ruby s samp script
    section select small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th
    thead time title tr track tt u ul var video wbr xmp
}

impl Tag {
    /// The tag by its name as written.
    pub fn of(name: &str) -> Tag {
        let packed = pack(name.as_bytes());
        if name.len() > 16 {
            Tag::Other
        } else {
            Tag::PACKED.binary_search(&packed).map_or(Tag::Other, |at| Tag::ALL[at + 1])
        }
    }
}

macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident { $($tag:ident)* })*) => {
        impl Tag {
            $($(#[$about])* pub(super) fn $kind(self) -> bool {
                matches!(self, $(Tag::$tag)|*)
            })*
        }
    };
}

kinds! {
    /// Whether it is inline by the paper's list.
    is_inline_in_paper {
        a ins del bdo em strong dfn code samp kbd var cite abbr acronym q sub sup tt i b big small u s strike basefont
        font span
    }

    /// Whether it is inline today, though not in the paper.
    is_inline_today {
        mark time data wbr label bdi ruby rb rt rp nobr
    }

    /// Whether it has no content and no end tag.
    is_void {
        base basefont br col embed frame hr img input link meta param source track wbr
    }

    /// Whether its start ends an open paragraph.
    closes_paragraph {
        address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2
        h3 h4 h5 h6 header hgroup hr main menu nav ol p pre section summary table ul
    }
}
