//! From the table of kinds to their types and the parsing of their lines.

macro_rules! slot_type {
    (need $type:ty) => { $type };
    (may $type:ty) => { Option<$type> };
}

macro_rules! slot_take {
    (need $slot:expr, $name:literal) => {
        $slot.ok_or_else(|| missing($name))?
    };
    (may $slot:expr, $name:literal) => {
        $slot
    };
}

macro_rules! is_needed {
    (need) => {
        true
    };
    (may) => {
        false
    };
}

macro_rules! define_kinds {
    ($($(#[doc = $doc:literal])* $kind:ident $kind_name:literal {
        $($(#[doc = $about:literal])* $need:ident $field:ident: $type:ty = $name:literal $(| $alias:literal)*,)*
    })*) => {
        /// The kinds of events, each a table of the lake.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $($(#[doc = $doc])* $kind,)* }

        impl Kind {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// The word in the event's `kind` field, and the name of the kind's table.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $kind_name,)* }
            }

            /// The fields of the kind, in the order of its columns; not those that every event carries.
            #[must_use]
            pub const fn fields(self) -> &'static [FieldSpec] {
                match self { $(Self::$kind => $kind::FIELDS,)* }
            }

            /// What an event of the kind tells.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$kind => concat!($($doc),*),)* }
            }

            /// The kind of that name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($kind_name => Some(Self::$kind),)* _ => None }
            }
        }

        $(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, PartialEq)]
            pub struct $kind<'a> { $($(#[doc = $about])* pub $field: slot_type!($need $type),)* }

            impl<'a> $kind<'a> {
                const FIELDS: &'static [FieldSpec] = &[$(FieldSpec {
                    name: $name,
                    about: concat!($($about),*),
                    spellings: &[$name $(, $alias)*],
                    holds: <$type as Field<'a>>::HOLDS,
                    is_needed: is_needed!($need),
                    takes_null: <$type as Field<'a>>::TAKES_NULL,
                },)*];

                fn parse(line: &'a str, layout: &mut Layout, envelope: &mut Envelope<'a>, unknown: &mut Unknown) -> Result<Self, Rejection> {
                    #[expect(non_camel_case_types, reason = "named after the fields")]
                    #[repr(u8)]
                    enum Own { $($field,)* }
                    $(let mut $field: Option<$type> = None;)*
                    let mut members = Members::new(line, Kind::$kind.names(), layout);
                    while let Some(member) = members.next()? {
                        match member.field {
                            Some(number) if number < Envelope::FIELDS => envelope.fill(number, member)?,
                            $(Some(number) if number == Own::$field as u8 + Envelope::FIELDS => {
                                fill(&mut $field, member, $name)?;
                                if <$type as Field>::says_more(member.value) {
                                    unknown.keep(member)?;
                                }
                            })*
                            _ => unknown.keep(member)?,
                        }
                    }
                    Self { $($field: slot_take!($need $field, $name),)* }.reconciled()
                }
            }
        )*

        /// What happened, by kind.
        #[derive(Debug, Clone, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "one event is held at a time, and a box for each costs more than its size")]
        pub enum Body<'a> { $($(#[doc = $doc])* $kind($kind<'a>),)* }

        impl<'a> Body<'a> {
            /// Parses the members of a line. What every event carries goes to `envelope`, what the kind does not know to `unknown`.
            pub(super) fn parse(
                kind: Kind,
                line: &'a str,
                layout: &mut Layout,
                envelope: &mut Envelope<'a>,
                unknown: &mut Unknown,
            ) -> Result<Self, Rejection> {
                match kind { $(Kind::$kind => $kind::parse(line, layout, envelope, unknown).map(Self::$kind),)* }
            }

            /// The kind of event.
            #[must_use]
            pub const fn kind(&self) -> Kind {
                match self { $(Self::$kind(_) => Kind::$kind,)* }
            }
        }
    };
}
