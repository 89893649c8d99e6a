//! The one definition of a setting: from it come its type, its default, its range, its comment and its place in the file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::de::value::{Error as ValueError, StrDeserializer};

/// A group of settings, a `[section]` of the file.
#[derive(Debug)]
pub(crate) struct Section {
    /// The lines of the comment above its header.
    pub about: &'static [&'static str],
    /// Its keys, in the order of the file.
    pub keys: &'static [Key],
}

/// One setting, or a section inside another.
#[derive(Debug)]
pub(crate) struct Key {
    pub name: &'static str,
    /// The lines of the comment above it.
    pub about: &'static [&'static str],
    /// The range that the definition gives.
    pub limits: Option<Limits>,
    /// The range of its type.
    pub type_limits: Option<Limits>,
    /// What a person may write, without the range.
    pub wanted: fn() -> String,
    /// Shown in a comment where there is no value to show.
    pub example: Option<&'static str>,
    pub section: Option<&'static Section>,
    /// What each entry holds, of a table whose names a person chooses.
    pub entries: Option<&'static Section>,
}

impl Key {
    /// The range of its numbers, if it has one.
    pub(crate) fn range(&self) -> Option<Limits> {
        self.limits.or(self.type_limits)
    }

    /// What to do about a value that does not fit.
    pub(crate) fn remedy(&self) -> String {
        let range = self.range().map(|limits| format!(" {limits}")).unwrap_or_default();
        format!("write {}{range}", (self.wanted)())
    }
}

/// A range of numbers, its ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    least: f64,
    most: f64,
    /// Whether the lower end is left out.
    is_above: bool,
}

/// A share of a whole.
pub(crate) const SHARE: Limits = between(0.0, 1.0);

/// What is divided by or multiplied with.
pub(crate) const POSITIVE: Limits = Limits { is_above: true, ..at_least(0.0) };

/// A factor that makes nothing larger.
pub(crate) const REDUCING: Limits = Limits { is_above: true, ..SHARE };

pub(crate) const fn between(least: f64, most: f64) -> Limits {
    Limits { least, most, is_above: false }
}

pub(crate) const fn at_least(least: f64) -> Limits {
    between(least, f64::MAX)
}

impl Limits {
    /// Neither an infinite number nor one that is not a number is in any range.
    pub(crate) fn contains(self, value: f64) -> bool {
        (self.least..=self.most).contains(&value) && !(self.is_above && value <= self.least)
    }

    /// The range as a sentence of a comment.
    pub(crate) fn sentence(self) -> String {
        let words = self.to_string();
        let words = words.strip_prefix("of ").unwrap_or(&words);
        format!("{}{}.", words[..1].to_uppercase(), &words[1..])
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, most, is_above } = *self;
        match (is_above, most < f64::MAX) {
            (false, true) => write!(formatter, "from {least} to {most}"),
            (false, false) => write!(formatter, "of at least {least}"),
            (true, true) => write!(formatter, "above {least} and at most {most}"),
            (true, false) => write!(formatter, "above {least}"),
        }
    }
}

/// A type that settings have.
pub(crate) trait Kind {
    const SECTION: Option<&'static Section> = None;
    const ENTRIES: Option<&'static Section> = None;
    const LIMITS: Option<Limits> = None;

    /// What a person may write.
    fn wanted() -> String;
}

/// `kinds! { Type => "what a person may write", its range; ... }`
macro_rules! kinds {
    ($($type:ty => $wanted:expr $(, $limits:expr)?;)+) => {$(
        impl $crate::section::Kind for $type {
            $(const LIMITS: Option<$crate::section::Limits> = Some($limits);)?

            fn wanted() -> String {
                $wanted.to_owned()
            }
        }
    )+};
}
pub(crate) use kinds;

kinds! {
    bool => "true or false";
    u16 => "a whole number", between(0.0, 65_535.0);
    u32 => "a whole number", between(0.0, 4_294_967_295.0);
    u64 => "a whole number", at_least(0.0);
    usize => "a whole number", at_least(0.0);
    i64 => "a whole number";
    f64 => "a number";
    [f64; 5] => "a list of five numbers, each";
    String => "a text in quotes";
    PathBuf => "a path in quotes";
}

/// `choices! { Type, ... }` for enums without data, which are written as one of their names.
macro_rules! choices {
    ($($type:ty),+) => {$(
        impl $crate::section::Kind for $type {
            fn wanted() -> String {
                $crate::section::names_of::<$type>()
            }
        }
    )+};
}
pub(crate) use choices;

/// The names that an enum is read from, as serde lists them for a name that is none of them.
pub(crate) fn names_of<T: DeserializeOwned>() -> String {
    let refused = T::deserialize(StrDeserializer::<ValueError>::new("")).err().map(|error| error.to_string());
    refused.and_then(|message| Some(message.split_once("expected ")?.1.to_owned())).unwrap_or_default()
}

impl<T: Kind> Kind for Option<T> {
    const LIMITS: Option<Limits> = T::LIMITS;

    fn wanted() -> String {
        T::wanted()
    }
}

impl<T: Kind> Kind for Vec<T> {
    fn wanted() -> String {
        format!("a list, each item {}", T::wanted())
    }
}

impl<T: Kind> Kind for BTreeMap<String, T> {
    const ENTRIES: Option<&'static Section> = T::SECTION;

    fn wanted() -> String {
        format!("a table, each value {}", T::wanted())
    }
}

/// Defines sections of the settings:
///
/// ```text
/// /// The comment of the section.
/// pub struct RateSettings {
///     /// The comment of the key.
///     missed_goal: f64 = 0.5, in SHARE;
///     /// A key without a default is shown as a comment.
///     file: Option<PathBuf>, example "\"goal.yaml\"";
///     score: ScoreSettings;
/// }
/// ```
///
/// A section that is `set as a whole` has no defaults of its own: where it stands, all of its keys must.
macro_rules! settings {
    ($(
        $(#[doc = $about:literal])+
        $(#[derive($($trait:ident),+)])?
        pub struct $name:ident {$(
            $(#[doc = $doc:literal])*
            $key:ident: $type:ty $(= $default:expr)? $(, in $limits:expr)? $(, example $example:literal)?;
        )+}
    )+) => {$(
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, ::serde::Deserialize, ::serde::Serialize $($(, $trait)+)?)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {$(
            $(#[doc = $doc])*
            #[doc = concat!("\n\nThe setting `", stringify!($key), "`.")]
            pub $key: $type,
        )+}

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $crate::section::settings!(@default $($default)?)),+ }
            }
        }

        $crate::section::settings! {
            @kind $name [$($about)+]
            $([$($doc)*] $key: $type, [$($limits)?] [$($example)?];)+
        }
    )+};
    (
        $(#[doc = $about:literal])+
        $(#[derive($($trait:ident),+)])?
        pub struct $name:ident, set as a whole {$(
            $(#[doc = $doc:literal])*
            $key:ident: $type:ty $(, in $limits:expr)?;
        )+}
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, ::serde::Deserialize, ::serde::Serialize $($(, $trait)+)?)]
        #[serde(deny_unknown_fields)]
        pub struct $name {$(
            $(#[doc = $doc])*
            pub $key: $type,
        )+}

        $crate::section::settings! {
            @kind $name [$($about)+]
            $([$($doc)*] $key: $type, [$($limits)?] [];)+
        }
    };
    (@default) => { Default::default() };
    (@default $default:expr) => { $default };
    (@some) => { None };
    (@some $value:expr) => { Some($value) };
    (@kind $name:ident [$($about:literal)+] $([$($doc:literal)*] $key:ident: $type:ty, [$($limits:expr)?] [$($example:literal)?];)+) => {
        impl $crate::section::Kind for $name {
            const SECTION: Option<&'static $crate::section::Section> = Some(&$crate::section::Section {
                about: &[$($about),+],
                keys: &[$($crate::section::Key {
                    name: stringify!($key),
                    about: &[$($doc),*],
                    limits: $crate::section::settings!(@some $($limits)?),
                    type_limits: <$type as $crate::section::Kind>::LIMITS,
                    wanted: <$type as $crate::section::Kind>::wanted,
                    example: $crate::section::settings!(@some $($example)?),
                    section: <$type as $crate::section::Kind>::SECTION,
                    entries: <$type as $crate::section::Kind>::ENTRIES,
                }),+],
            });

            fn wanted() -> String {
                "a table of settings".to_owned()
            }
        }
    };
}
pub(crate) use settings;
