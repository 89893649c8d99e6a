//! Programs that write events, with a type for each field.

use std::fmt::Write as _;

use super::is_needed;
use event::{FieldSpec, Holds, Kind};

const PYTHON: &str = include_str!("emitter.py");
const TYPESCRIPT: &str = include_str!("emitter.ts");

/// The emitter for Python.
#[must_use]
pub fn render_python() -> String {
    let mut text = PYTHON.to_owned();
    for kind in Kind::ALL {
        let fields = needed_first(*kind);
        let _ = write!(text, "\n    def {}(\n        self,\n        *,\n", kind.name());
        for field in &fields {
            let form = python_type(field.holds);
            let form = if is_needed(*kind, field) { form } else { format!("Optional[{form}] = None") };
            let _ = writeln!(text, "        {}: {form},", field.name);
        }
        text.push_str(
            "        ts: Optional[str] = None,\n        id: Optional[str] = None,\n        project: Optional[str] = None,\n",
        );
        let _ = write!(text, "    ) -> None:\n        \"\"\"{}\"\"\"\n", kind.about().trim());
        let _ = writeln!(text, "        self.append(\n            \"{}\",\n            {{", kind.name());
        for field in fields.iter().map(|field| field.name).chain(["ts", "id", "project"]) {
            let _ = writeln!(text, "                \"{field}\": {field},");
        }
        text.push_str("            },\n        )\n");
    }
    text
}

/// The emitter for TypeScript.
#[must_use]
pub fn render_typescript() -> String {
    let (head, foot) = TYPESCRIPT.split_once("// kinds\n").unwrap_or((TYPESCRIPT, ""));
    let mut text = head.to_owned();
    for kind in Kind::ALL {
        let _ = write!(text, "/** {} */\nexport interface {} extends Envelope {{\n", kind.about().trim(), type_name(*kind));
        for field in needed_first(*kind) {
            let mark = if is_needed(*kind, field) { "" } else { "?" };
            let _ = write!(text, "  /** {} */\n  {}{mark}: {};\n", field.about.trim(), field.name, typescript_type(field.holds));
        }
        text.push_str("}\n\n");
    }
    text.push_str(foot);
    for kind in Kind::ALL {
        let _ = write!(text, "\n  /** {} */\n  {}(event: {}): void {{\n", kind.about().trim(), kind.name(), type_name(*kind));
        let _ = write!(text, "    this.append(\"{}\", event);\n  }}\n", kind.name());
    }
    text.push_str("}\n");
    text
}

fn needed_first(kind: Kind) -> Vec<&'static FieldSpec> {
    let (needed, others): (Vec<_>, Vec<_>) = kind.fields().iter().partition(|field| is_needed(kind, field));
    needed.into_iter().chain(others).collect()
}

fn type_name(kind: Kind) -> String {
    let name = kind.name();
    name[..1].to_uppercase() + &name[1..]
}

fn python_type(holds: Holds) -> String {
    match holds {
        Holds::Texts | Holds::Sayings | Holds::Labels | Holds::Adapters => "Sequence[str]".to_owned(),
        Holds::Json => "Union[Mapping[str, Any], Sequence[Any]]".to_owned(),
        Holds::Count | Holds::Retries => "int".to_owned(),
        Holds::Number | Holds::Score | Holds::Unit | Holds::Quality | Holds::Rating => "float".to_owned(),
        Holds::Flag | Holds::Passed => "bool".to_owned(),
        Holds::Level => "Literal[1, 2, 3]".to_owned(),
        Holds::Words(words) => format!("Literal[{}]", quoted(words).join(", ")),
        Holds::Decisions => "Sequence[Mapping[str, Any]]".to_owned(),
        Holds::Vector => "Sequence[float]".to_owned(),
        Holds::Text | Holds::Label | Holds::Name | Holds::Failure | Holds::Written | Holds::Time => "str".to_owned(),
    }
}

fn typescript_type(holds: Holds) -> String {
    match holds {
        Holds::Texts | Holds::Sayings | Holds::Labels | Holds::Adapters => "readonly string[]".to_owned(),
        Holds::Json => "Readonly<Record<string, unknown>> | readonly unknown[]".to_owned(),
        Holds::Count | Holds::Retries | Holds::Number | Holds::Score | Holds::Unit | Holds::Quality | Holds::Rating => {
            "number".to_owned()
        }
        Holds::Flag | Holds::Passed => "boolean".to_owned(),
        Holds::Level => "1 | 2 | 3".to_owned(),
        Holds::Words(words) => quoted(words).join(" | "),
        Holds::Decisions => "readonly Decision[]".to_owned(),
        Holds::Vector => "readonly number[]".to_owned(),
        Holds::Text | Holds::Label | Holds::Name | Holds::Failure | Holds::Written | Holds::Time => "string".to_owned(),
    }
}

fn quoted(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| format!("\"{word}\"")).collect()
}
