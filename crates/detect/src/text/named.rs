//! Choices that are read and written by name.

/// A name that is none of those expected.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("expected {}, found {found:?}", .expected.join(" or "))]
pub struct NameError {
    expected: &'static [&'static str],
    found: String,
}

impl NameError {
    pub(super) fn new(expected: &'static [&'static str], found: &str) -> Self {
        NameError { expected, found: found.into() }
    }
}

/// An enum of which each value has one name, the same in flags, in files and on the screen.
macro_rules! named {
    ($(#[$about:meta])* $name:ident { $($(#[$each:meta])* $value:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$each])* #[serde(rename = $text)] $value,)+
        }

        impl $name {
            /// Every value, in the order of [`Self::NAMES`].
            pub const ALL: &'static [$name] = &[$($name::$value),+];
            /// The name of every value.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// The name it is read and written by.
            pub const fn name(self) -> &'static str {
                match self { $($name::$value => $text,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::text::NameError;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $($text => Ok($name::$value),)+
                    _ => Err($crate::text::NameError::new(Self::NAMES, name)),
                }
            }
        }
    };
}

pub(super) use named;
