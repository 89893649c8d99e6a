//! The one place that prints: stdout is data, stderr is for people.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use serde::Serialize;

use super::args::{Color, LogFormat};
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::terminal_text;

/// Prints to stdout and stderr, in color where that is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Printer {
    out_color: bool,
    error_color: bool,
    log: LogFormat,
}

/// What a piece of text means, which decides its color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Worth a look.
    Warning,
    /// Wrong.
    Bad,
    Heading,
    /// Good to know.
    Dim,
}

impl Printer {
    /// A printer that follows the user's wish and the terminal.
    pub fn new(color: Color, log: LogFormat) -> Self {
        let allowed = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let wants = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => allowed && is_terminal,
        };
        Self { out_color: wants(io::stdout().is_terminal()), error_color: wants(io::stderr().is_terminal()), log }
    }

    /// Whether stderr is in color.
    pub const fn colors_errors(&self) -> bool {
        self.error_color
    }

    /// Whether people look at stderr as it is written.
    pub fn shows_progress(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Whether people look at stdout as it is written.
    pub fn shows_output(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// How many characters a line of stdout may have.
    pub fn width(&self) -> usize {
        const NARROWEST: usize = 40;
        const WIDEST: usize = 120;
        const USUAL: usize = 80;
        let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let width = told.or_else(|| comfy_table::Table::new().width().map(usize::from));
        width.unwrap_or(USUAL).clamp(NARROWEST, WIDEST)
    }

    /// A part of a line in the color of its meaning.
    pub fn styled(&self, span: &render::Span) -> String {
        match span.style {
            render::Style::Plain => span.text.clone(),
            render::Style::Heading => self.toned(Tone::Heading, &span.text),
            render::Style::Good => self.toned(Tone::Good, &span.text),
            render::Style::Bad => self.toned(Tone::Bad, &span.text),
            render::Style::Dim => self.toned(Tone::Dim, &span.text),
        }
    }

    /// Whether somebody is there to be asked.
    pub fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a question and gives the answer, trimmed; none once there is nobody to answer.
    pub fn ask(&self, question: &str) -> Option<String> {
        let mut err = io::stderr().lock();
        write!(err, "{} ", terminal_text(question)).and_then(|()| err.flush()).ok()?;
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer).ok()?;
        (read > 0).then(|| answer.trim().to_owned())
    }

    /// Prints a line of data.
    pub fn line(&self, text: &str) -> Outcome<()> {
        self.bytes(format!("{text}\n").as_bytes())
    }

    /// Prints a result for programs.
    pub fn json(&self, value: &impl Serialize) -> Outcome<()> {
        let text = serde_json::to_string_pretty(value);
        self.line(&text.map_err(|error| Diagnostic::bug(format!("cannot encode the result: {error}")))?)
    }

    /// Prints a heading.
    pub fn heading(&self, text: &str) -> Outcome<()> {
        self.line(&self.toned(Tone::Heading, text))
    }

    /// Prints data as it is.
    pub fn bytes(&self, bytes: &[u8]) -> Outcome<()> {
        let mut out = io::stdout().lock();
        ended(out.write_all(bytes).and_then(|()| out.flush()))
    }

    /// Tells people something.
    pub fn note(&self, text: &str) {
        // Where a program reads the log, every line of it is one for programs.
        if self.log == LogFormat::Json {
            return tracing::info!("{}", terminal_text(text));
        }
        tell(&terminal_text(text));
    }

    /// Tells people what went wrong.
    pub fn error(&self, diagnostic: &Diagnostic) {
        if self.log == LogFormat::Json {
            let place = diagnostic.place.as_ref().map(|place| place.display().to_string());
            let Diagnostic { what, cause, remedy, .. } = diagnostic;
            return tracing::error!(place, cause, remedy, exit = diagnostic.exit as u8, "{what}");
        }
        let text = terminal_text(&diagnostic.to_string());
        let shown = match text.strip_prefix("error:") {
            Some(rest) if self.error_color => format!("\x1b[1;31merror:\x1b[0m{rest}"),
            _ => text,
        };
        tell(&shown);
    }

    /// Text in the color of its meaning, for stdout.
    pub fn toned(&self, tone: Tone, text: &str) -> String {
        if !self.out_color {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Good => "32",
            Tone::Warning => "33",
            Tone::Bad => "31",
            Tone::Heading => "1",
            Tone::Dim => "2",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

fn tell(text: &str) {
    // Whoever closed stderr does not want to be told.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A reader that has seen enough closes the pipe, as `head` does: that is no error.
pub fn ended(written: io::Result<()>) -> Outcome<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Diagnostic::new(
            Exit::Machine,
            "cannot write the output",
            "check where the output goes, then run the command again",
        )
        .because(error)),
        _ => Ok(()),
    }
}
