//! The concrete things that a text names: paths, files, commands, identifiers, programs.

use std::collections::BTreeSet;

use super::language::Language;
use super::speech::is_listed;
use text::script::is_unspaced;

/// Endings of files that people name.
const ENDINGS: &str = "\
    bash c cc cfg conf cpp cs css csv env go gradle h hpp html ini ipynb java jl js json jsonl jsx kt lock lua md mdx mjs ml php pl \
    prisma proto py r rb rs scala scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml zig";
/// Programs that people call with something to do, and what stands behind their names where they only speak of them.
const CALLED: &str = "\
    bash buf bun cargo cmake conda deno docker dotnet gh git go golangci-lint gradle helm just kubectl make mise mix mvn node npm npx \
    pip pnpm podman poetry pytest python python3 rake ruff sh terraform tox uv uvx yarn";
const UNCALLED: &str = "\
    also and are as at but can cannot could did do does for from had has have in instead is it itself or should so that the was were \
    when which will with would here not";

/// Programs that people call by name.
const PROGRAMS: &str = "\
    alembic ansible apt aws axios babel bash bazel biome brew cargo celery clippy cmake conda cron crontab curl cypress dbt deno \
    django docker dockerfile duckdb elasticsearch esbuild eslint express fastapi ffmpeg flask gcc gcloud gh git github gitlab gofmt \
    golangci-lint gradle grafana graphql grep gunicorn helm homebrew husky java jenkins jest jq kafka kotlin kubectl kubernetes lerna \
    makefile maven mise mocha mongodb mvn mypy mysql next.js nextest nginx ninja npm npx nx oauth openapi pandas parquet pip pipenv pipx \
    playwright pm2 pnpm podman poetry polars postgres postgresql powershell pre-commit prisma prometheus protobuf psql pylint pytest \
    python rabbitmq rails react redis redux renovate rg rollup rspec rsync ruff rustc rustfmt s3 sass sbt sed selenium sentry sidekiq \
    sql sqlalchemy sqlfluff sqlite ssh storybook supabase svelte swc systemctl systemd tailwind terraform tokio tox tsc turborepo \
    typescript uv vercel vite vitest webpack yarn zod zsh zustand";

/// Words that stand for nothing in particular, so that sharing them shows nothing.
const COMMON: &str = "\
    about above after again also always another anything because been before being below better between both change changed \
    changes code could does doing done down each either else even every everything file files first from further going good \
    have having here into issue just keep know last least less like line lines look made make makes many maybe more most much \
    must need never next nothing only other over part please problem really right same should some something still stop such sure \
    take than thanks that that's their them then there these they thing things think this those though time under until update \
    updated very want wants well were what when where which while will with without work works would wrong your";

/// Folders that most projects have.
const FOLDERS: &str = "\
    api app apps assets backend bin cmd common config configs core data docs etc frontend infra lib libs migrations packages pkg \
    public scripts server services sql src test tests tools var";
/// The longest thing that is named, in bytes.
const MOST_BYTES: usize = 80;

/// The concrete things that a text names, in the order of their appearance, each once.
pub(crate) fn entities(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // Every other part stands between backquotes; the last is open where their number is odd.
    let parts: Vec<&str> = text.split('`').collect();
    for (index, part) in parts.iter().enumerate() {
        let is_code = index % 2 == 1 && index + 1 < parts.len();
        if is_code && (2..=MOST_BYTES).contains(&part.trim().len()) {
            found.push(part.trim().to_owned());
        } else if !is_code {
            // Scripts without blanks run into the names that stand among them.
            let words = part.split(|letter: char| letter.is_whitespace() || is_unspaced(letter) || "、，。；".contains(letter));
            found.extend(words.filter_map(entity));
        }
    }
    let mut told = BTreeSet::new();
    found.retain(|entity| told.insert(entity.to_ascii_lowercase()));
    found
}

/// Whether a piece of code is a command: a program that people call, a script, or words of which the first names neither an option nor a type.
pub(super) fn is_command(code: &str) -> bool {
    let code = code.trim();
    let first = code.split(' ').next().unwrap_or_default();
    is_listed(CALLED, &first.to_lowercase()) && code.contains(' ') || first.starts_with("./") || first.starts_with("scripts/")
}

/// Whether a text opens as one calls a program: its name and what it is to do. `git is slow` calls nothing.
pub(super) fn is_program_called(lowered: &str) -> bool {
    let mut words = lowered.split(' ');
    let (program, task) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    is_listed(CALLED, program) && task.starts_with(|letter: char| letter.is_alphanumeric() || "-./".contains(letter)) && {
        let task = task.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        !is_listed(UNCALLED, task)
    }
}

/// The programs that a text calls without marking them as code, each with what it is to do.
pub(crate) fn calls_program(lowered: &str) -> Vec<String> {
    let starts = std::iter::once(0).chain(lowered.match_indices([' ', '\n']).map(|(place, _)| place + 1));
    let calls = starts.map(|start| &lowered[start..]).filter(|rest| {
        is_program_called(rest) && !rest.starts_with("make ") && !rest.starts_with("just ") && !rest.starts_with("go ")
    });
    calls
        .map(|rest| rest.split_whitespace().take(2).collect::<Vec<_>>().join(" ").trim_end_matches(['.', ',', ';', ':']).to_owned())
        .collect()
}

/// The thing that a word names, without what stands around it.
fn entity(word: &str) -> Option<String> {
    let word = word.trim_start_matches(['(', '[', '{', '"', '\'', '*', '_']);
    let word = word.trim_end_matches([')', ']', '}', '"', '\'', '*', '.', ',', ';', ':', '!', '?']);
    let word = word.strip_suffix("'s").unwrap_or(word);
    let is_named = is_path(word) || is_file(word) || is_flag(word) || is_identifier(word) || is_module(word) || is_program(word);
    (is_named && (2..=MOST_BYTES).contains(&word.len())).then(|| word.to_owned())
}

/// A path: relative to here, absolute, below a folder that projects have, or of three parts. `and/or` is none, an address neither.
fn is_path(word: &str) -> bool {
    if !word.contains('/') || word.contains("://") {
        return false;
    }
    let parts: Vec<&str> = word.split('/').collect();
    let is_plain = |part: &&str| part.chars().all(|letter| letter.is_alphanumeric() || "._-@+~*".contains(letter));
    let is_marked = word.starts_with(['.', '/', '~']) || word.ends_with('/');
    let is_placed = is_marked || is_listed(FOLDERS, parts[0]) || parts.last().is_some_and(|part| is_file(part));
    parts.iter().all(is_plain) && word.chars().any(char::is_alphanumeric) && (is_placed || parts.len() > 2)
}

fn is_file(word: &str) -> bool {
    let Some((stem, ending)) = word.rsplit_once('.') else { return matches!(word, "Makefile" | "Dockerfile" | "justfile") };
    let is_plain = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    let is_hidden =
        || word.starts_with('.') && word.chars().all(is_plain) && word.chars().filter(|letter| letter.is_alphabetic()).count() > 2;
    let has_ending = !stem.is_empty() && stem.chars().all(is_plain) && is_listed(ENDINGS, &ending.to_ascii_lowercase());
    has_ending || is_hidden()
}

fn is_flag(word: &str) -> bool {
    word.strip_prefix("--").is_some_and(|name| name.len() > 1 && name.starts_with(|letter: char| letter.is_ascii_lowercase()))
}

/// A name as code has them: with signs or capitals inside.
fn is_identifier(word: &str) -> bool {
    let is_plain = word.chars().all(|letter| letter.is_ascii_alphanumeric() || "_:()<>".contains(letter));
    let has_letters = word.chars().filter(char::is_ascii_alphabetic).count() > 2;
    if !is_plain || !has_letters {
        return false;
    }
    let inside = word.trim_matches('_');
    let has_hump = inside.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    inside.contains('_') || inside.contains("::") || inside.ends_with("()") || has_hump
}

/// A name below another one, as modules have them: `os.path`. `e.g` and the end of a sentence are none.
fn is_module(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    let is_part = |part: &&str| {
        part.len() > 1
            && part.starts_with(|letter: char| letter.is_ascii_lowercase())
            && part.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    parts.len() > 1 && parts.iter().all(is_part)
}

/// Programs, also with their version or in the plural of a title.
pub(super) fn is_program(word: &str) -> bool {
    is_listed(PROGRAMS, &word.to_ascii_lowercase())
}

/// The telling words that two texts share, as the first has them.
pub(super) fn shared_words(one: &str, other: &str) -> Vec<String> {
    let language = Language::named("en");
    let stem = |word: &str| language.stem(word);
    let known: BTreeSet<String> = telling(other).map(|word| stem(&word)).collect();
    let mut told = BTreeSet::new();
    telling(one).filter(|word| known.contains(&stem(word)) && told.insert(stem(word))).collect()
}

/// The part of a text's words that stand in another, from 0 to 1.
pub(super) fn containment(text: &str, other: &str) -> f64 {
    let words = |text: &str| -> BTreeSet<String> { split(text).collect() };
    let (own, known) = (words(text), words(other));
    if own.is_empty() {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a text has a few hundred words")]
    let part = own.intersection(&known).count() as f64 / own.len() as f64;
    part
}

fn telling(text: &str) -> impl Iterator<Item = String> {
    split(text).filter(|word| word.chars().nth(3).is_some() && !is_listed(COMMON, word))
}

fn split(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'').filter(|word| !word.is_empty()).map(str::to_lowercase)
}
