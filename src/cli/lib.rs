//! The command line: arguments, settings, printer, exit codes; one file a command.

mod adopt;
pub mod args;
pub mod artifact;
mod consensus;
mod feedback;
mod gate;
mod generate;
mod hook;
mod hud;
pub mod import;
mod index;
pub mod init;
pub mod inject;
pub mod iteration;
mod jobs;
pub mod landing;
pub mod learn;
mod log;
mod man;
mod mcp;
mod memory;
pub mod observe;
mod optimize;
mod outcome;
mod overview;
pub mod patterns;
mod pipeline;
mod plugin;
pub mod policy;
pub mod printer;
mod record;
mod remark;
pub mod report;
pub mod sample;
mod schedule;
mod schema;
mod selfcheck;
mod settings;
pub mod shadow;
mod share;
mod status;
mod subject;
pub mod table;
pub mod timing;
pub mod truth;

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser as _};

use args::{Args, Command, QuickArgs};
use printer::Printer;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Runs a command that needs the SQL engine.
pub type EngineCommand = fn(&Workspace, Command, &Printer) -> Outcome<Exit>;

/// Runs the command that the arguments name.
pub fn main(engine: EngineCommand) -> ExitCode {
    let args = match parse_args() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are asked for; everything else must be corrected. To the host of an agent's hook, the code for
            // that would be a veto.
            let is_hook = env::args_os().skip(1).any(|word| word == "hook");
            let exit = match error.use_stderr() {
                true if is_hook => Exit::Refused,
                true => Exit::Edit,
                false => Exit::Done,
            };
            let _ = error.print();
            return code(exit);
        }
    };
    let format = log::choose_format(args.global.log);
    let printer = Printer::new(args.global.color, format);
    log::start(args.global.verbose, format, printer.colors_errors());
    match dispatch(args, &printer, engine) {
        Ok(exit) => code(exit),
        Err(diagnostic) => {
            printer.error(&diagnostic);
            code(diagnostic.exit)
        }
    }
}

/// Reads the arguments. Whatever the few quick commands do not explain, the whole does: help, and what is wrong.
fn parse_args() -> Result<Args, clap::Error> {
    let is_quick = |word: &OsString| ["hook", "inject", "gate", "record", "index", "hud", "mcp"].iter().any(|name| word == name);
    if env::args_os().skip(1).any(|word| is_quick(&word))
        && let Ok(quick) = QuickArgs::try_parse()
    {
        return Ok(quick.into());
    }
    let arguments: Vec<OsString> = env::args_os().collect();
    let mut command = reflow(Args::command());
    if overview::is_asked(&arguments) {
        command = overview::in_groups(command);
    }
    let matches = command.try_get_matches_from_mut(learn::modernise(arguments)?)?;
    Args::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Joins the lines of each paragraph of the help. Texts are broken for whoever reads the source, and a terminal has a width of its
/// own; lines that are indented are examples and stay.
fn reflow(command: clap::Command) -> clap::Command {
    let text = command.get_after_help().map(|text| join_paragraphs(&text.to_string()));
    let command = command.mut_subcommands(reflow);
    match text {
        Some(text) => command.after_help(text),
        None => command,
    }
}

fn join_paragraphs(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut is_open = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        if !joined.is_empty() {
            joined.push(if is_open && is_prose { ' ' } else { '\n' });
        }
        joined.push_str(line);
        is_open = is_prose;
    }
    joined
}

fn dispatch(args: Args, printer: &Printer, engine: EngineCommand) -> Outcome<Exit> {
    if let Command::Hook(options) = &args.command {
        return Ok(hook::run(args.global.root, options, printer));
    }
    if let Command::Hud(options) = &args.command {
        return Ok(hud::run(args.global.root, options, printer));
    }
    if let Command::Mcp(options) = &args.command {
        return mcp::run(args.global.root, options, printer);
    }
    let workspace = find_workspace(args.global.root)?;
    match args.command {
        Command::Init(options) => init::run(&workspace, &options, printer),
        Command::Record(options) => record::run(&workspace, &options, printer),
        Command::Jobs(options) => jobs::run(&workspace, &options, printer),
        Command::Schedule(options) => schedule::run(&workspace, &options, printer),
        Command::Observe(options) => observe::run(&workspace, &options, printer),
        Command::Capture(options) => iteration::run_capture(&workspace, &options, printer),
        Command::Iteration(options) => iteration::run_whole(&workspace, &options, printer),
        Command::Changes(options) => iteration::run_changes(&workspace, &options, printer),
        Command::Relevance(options) => iteration::run_relevance(&workspace, &options, printer),
        Command::Goal(options) => iteration::run_goal(&workspace, &options, printer),
        Command::Citations(options) => iteration::run_citations(&workspace, &options, printer),
        Command::Build(options) => iteration::run_build(&workspace, &options, printer),
        Command::Closedloop(options) => iteration::run_closedloop(&workspace, &options, printer),
        Command::Timing(options) if options.needs_lake(&workspace) => engine(&workspace, Command::Timing(options), printer),
        Command::Timing(options) => timing::run(&options, printer),
        Command::Settings(options) => settings::run(&workspace, &options, printer),
        Command::Schema(options) => schema::run(&options, printer),
        Command::Truth(options) if options.audit().is_none() => truth::run(&options, printer),
        Command::Selfcheck(options) => selfcheck::run(&workspace, &options, printer),
        Command::Push(options) => share::push(&workspace, &options, printer),
        Command::Pull(options) => share::pull(&workspace, &options, printer),
        Command::Import(options) => import::run(&workspace, &options, printer),
        Command::Adopt(options) => adopt::run(&workspace, &options, printer),
        Command::Report(options) => report::run(&workspace, &options, printer),
        Command::Patterns(options) => patterns::run(&workspace, &options, printer),
        Command::Feedback(options) => feedback::run(&workspace, &options, printer),
        Command::Outcome(options) => outcome::run(&workspace, "outcome", &options, printer),
        Command::Memory(options) => memory::run(&workspace, &options, printer),
        Command::Inject(options) if options.needs_engine() => inject::run_alike(&workspace, &options, printer, engine),
        Command::Inject(options) => inject::run(&workspace, &options, printer, None),
        Command::Hook(options) => Ok(hook::run(None, &options, printer)),
        Command::Hud(options) => Ok(hud::run(None, &options, printer)),
        Command::Mcp(options) => mcp::run(None, &options, printer),
        Command::Plugin(options) => plugin::run(&options, printer),
        Command::Learn(options) => learn::run(&workspace, &options, printer),
        Command::Gate(options) => gate::run(&workspace, &options, printer),
        Command::Optimize(options) => optimize::run(&workspace, &options, printer),
        Command::Consensus(options) => consensus::run(&workspace, &options, printer),
        Command::Policy(options) if !options.needs_engine() => policy::run(&workspace, &options, printer),
        Command::Render(options) => artifact::run_render(&workspace, &options, printer),
        Command::Reconcile(options) => artifact::run_reconcile(&workspace, &options, printer),
        Command::Index(options) => index::run(&workspace, &options, printer),
        Command::Status(options) => status::run(&workspace, &options, printer),
        command @ (Command::Run(_)
        | Command::Query(_)
        | Command::Sql(_)
        | Command::Explain(_)
        | Command::Diff(_)
        | Command::Policy(_)
        | Command::Truth(_)
        | Command::Lessons(_)
        | Command::Prune(_)
        | Command::Doctor(_)
        | Command::Demo(_)) => engine(&workspace, command, printer),
        Command::Man(options) => man::run(&options, printer),
        Command::Completions(options) => {
            let mut script = Vec::new();
            clap_complete::generate(options.shell, &mut Args::command(), "outerloop", &mut script);
            printer.bytes(&script)?;
            Ok(Exit::Done)
        }
        Command::Generate(options) => generate::run(&options, printer),
        Command::BenchParse(options) => generate::bench_parse(&options, printer),
    }
}

/// Becomes the program that holds the SQL engine, with the same arguments.
pub fn hand_over(_workspace: &Workspace, _command: Command, _printer: &Printer) -> Outcome<Exit> {
    const REMEDY: &str = "install both programs into one folder, `outerloop` and `outerloop-engine`";
    let own =
        env::current_exe().map_err(|error| Diagnostic::edit("cannot find the path of this program", REMEDY).because(error))?;
    let path = own.with_file_name("outerloop-engine");
    let error = std::process::Command::new(&path).args(env::args_os().skip(1)).exec();
    Err(Diagnostic::edit("cannot start outerloop-engine", REMEDY).at(&path).because(error))
}

/// `--root`, else `$OUTERLOOP_ROOT`, else the nearest `.outerloop/` upwards, else `./.outerloop/`.
fn find_workspace(root: Option<std::path::PathBuf>) -> Outcome<Workspace> {
    let here = env::current_dir().map_err(|error| {
        Diagnostic::edit("the current folder cannot be found", "change to a folder that exists, or name a workspace with --root")
            .because(error)
    })?;
    Ok(match root {
        // The engine and the jobs must agree on a place, whatever the folder they are started in.
        Some(root) => Workspace::at(here.join(root)),
        None => Workspace::nearest(&here),
    })
}

fn code(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}

/// The error for a workspace that does not exist.
pub fn require(workspace: &Workspace) -> Outcome<()> {
    if workspace.inbox().is_dir() {
        return Ok(());
    }
    Err(Diagnostic::edit("there is no workspace here", "run `outerloop init`, or name a workspace with --root or OUTERLOOP_ROOT")
        .at(workspace.root()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::args::Args;
    use super::{join_paragraphs, reflow};

    #[test]
    fn paragraphs_of_the_help_are_wrapped_once_whatever_the_width() {
        assert_eq!(join_paragraphs("One\ntwo.\n\n  a  b\n  c\nThree\nfour."), "One two.\n\n  a  b\n  c\nThree four.");
        let mut help = reflow(Args::command()).term_width(80);
        help.build();
        let sql = help.find_subcommand_mut("sql").map(|sql| sql.render_long_help().to_string()).unwrap_or_default();
        let lines: Vec<&str> = sql.lines().skip_while(|line| !line.starts_with("Every file of sql/")).take(3).collect();
        assert!(lines.len() == 3 && lines[..2].iter().all(|line| (60..=80).contains(&line.len())), "{lines:?}");
    }
}
