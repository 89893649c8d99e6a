//! What sort of lesson a pattern is: the words of four systems in one vocabulary.

macro_rules! categories {
    ($($(#[$doc:meta])* $variant:ident = $name:literal as $family:ident,)+) => {
        event::words! {
            /// What sort of lesson a pattern is.
            pub enum Category { $($(#[$doc])* $variant = $name,)+ }
        }

        impl Category {
            /// The nearest of the four categories that pattern files know: mistake, pattern, convention, insight.
            #[must_use]
            pub const fn family(self) -> Self {
                match self { $(Self::$variant => Self::$family,)+ }
            }

            /// The category of that word, whatever its case.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|category| category.name().eq_ignore_ascii_case(name.trim()))
            }
        }
    };
}

categories! {
    /// Something that went wrong and will again.
    Mistake = "mistake" as Mistake,
    /// Something that worked.
    Pattern = "pattern" as Pattern,
    /// How things are done here.
    Convention = "convention" as Convention,
    /// Something worth knowing.
    Insight = "insight" as Insight,
    /// A sequence of steps that people ask for.
    Workflow = "workflow" as Pattern,
    /// A way of doing something.
    Procedural = "procedural" as Pattern,
    /// A choice with its reason.
    Decision = "decision" as Convention,
    /// Something that goes wrong.
    Pitfall = "pitfall" as Mistake,
    /// Something that was seen.
    Observation = "observation" as Insight,
    /// What leads to what.
    Causal = "causal" as Insight,
    /// What always holds.
    Rule = "rule" as Convention,
    /// A way in which runs fail.
    Failure = "failure" as Mistake,
}
