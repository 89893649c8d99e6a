//! The files that a text speaks of.

use learn::pattern::normalise_path;

/// The endings by which a word is known to be a file. The whole ending is compared: `.tsx` is not `.ts`.
const ENDINGS: &str = "astro bash bat bzl c cc cfg cjs clj cljs cmake cmd conf cpp cs csproj css csv cts cu cue cxx dart diff dockerfile edn \
    ejs elm erb erl ex exs fish fs fsx gemspec gleam go gql gradle graphql groovy h haml handlebars hbs hcl hpp hrl hs html \
    htm hxx ini ipynb java jinja jinja2 jl js json json5 jsonc jsonl jsx kt kts less lisp lock lua m make markdown md mdx mjs mk \
    ml mli mm mod mts mustache nim nix nu patch php pl plist pm prisma properties proto ps1 pug puml py pyi pyx r rake rb rego \
    res rs rst sass sbt scala scss sh sln sol sql sum svelte svg swift tcl tex tf tfvars thrift toml toon ts tsv tsx txt v vb \
    vim vue wat xaml xhtml xml xsd xsl yaml yml zig zsh";

/// Endings that are more often the last part of an expression: a name without a folder is no file by these.
const AMBIGUOUS: &str = "c cc conf cs d diff ex fs h lock m make mod patch pl pm properties r res sum tf v";

/// Names of products that look like files.
const PRODUCTS: [&str; 42] = [
    "alpine.js",
    "angular.js",
    "asp.net",
    "backbone.js",
    "bun.js",
    "chart.js",
    "d3.js",
    "deno.js",
    "discord.js",
    "ember.js",
    "express.js",
    "fastify.js",
    "gatsby.js",
    "hapi.js",
    "hono.js",
    "htmx.js",
    "jquery.js",
    "knex.js",
    "koa.js",
    "lit.js",
    "meteor.js",
    "moment.js",
    "nest.js",
    "next.js",
    "node.js",
    "nuxt.js",
    "p5.js",
    "phaser.js",
    "pixi.js",
    "preact.js",
    "puppeteer.js",
    "react.js",
    "remix.js",
    "require.js",
    "solid.js",
    "svelte.js",
    "three.js",
    "underscore.js",
    "vite.js",
    "vue.js",
    "web3.js",
    "yjs.js",
];

/// The last parts of names of machines.
const DOMAINS: [&str; 18] =
    ["com", "org", "net", "io", "dev", "app", "ai", "edu", "gov", "info", "cloud", "co", "uk", "de", "eu", "fr", "me", "us"];

/// A file that a text speaks of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// Its path, as far as it is told, from the project's folder on.
    pub path: String,
    /// Whether it is told without any folder.
    pub is_bare: bool,
}

/// The files that a text speaks of, each once, in their order. Addresses, names of machines and products, patterns of names, and
/// files outside of the project are none. `root` is the project's folder, below which absolute paths may lie.
#[must_use]
pub fn find_references(text: &str, root: &str) -> Vec<Reference> {
    let mut found: Vec<Reference> = Vec::new();
    let mut start = 0;
    for word in text.split(is_gap) {
        let behind = start + word.len();
        start = behind + text[behind..].chars().next().map_or(0, char::len_utf8);
        // `response.json()` is a call.
        let is_call = text[behind..].starts_with('(');
        if let Some(reference) = reference_in(word, root).filter(|reference| !(is_call && reference.is_bare))
            && !found.contains(&reference)
        {
            found.push(reference);
        }
    }
    found
}

/// What stands between words. Signs that occur in addresses and patterns do not part them, or a part of one would look like a file.
fn is_gap(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(letter, ',' | ';' | '(' | ')' | '[' | ']' | '"' | '\'' | '`' | '|' | '“' | '”' | '‘' | '’' | '«' | '»')
}

fn reference_in(word: &str, root: &str) -> Option<Reference> {
    if word.contains("://") || word.contains(['@', '*', '?', '{', '}', '<', '>', '$', '=', '%', '&', '\\', '~', '+']) {
        return None;
    }
    let word = without_line(word.trim_end_matches(['.', ':', '!', '…']).trim_start_matches(':'));
    let within = word.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).filter(|_| !root.is_empty());
    // A folder whose name is told twice over, as in `a//b`, is an address without its beginning.
    let path = normalise_path(within.unwrap_or(word)).filter(|_| !word.contains("//"))?;
    let name = path.rsplit('/').next().unwrap_or(&path);
    let (stem, ending) = name.rsplit_once('.')?;
    let is_named = stem.chars().any(char::is_alphanumeric) && stem.chars().all(is_name_sign);
    let is_expression = name == path && AMBIGUOUS.split_whitespace().any(|known| known.eq_ignore_ascii_case(ending));
    let is_file = is_named && !is_expression && ENDINGS.split_whitespace().any(|known| known.eq_ignore_ascii_case(ending));
    let parts: Vec<&str> = path.split('/').collect();
    if !is_file || parts.iter().any(|part| is_product(part)) || (parts.len() > 1 && is_machine(parts[0])) {
        return None;
    }
    Some(Reference { is_bare: parts.len() == 1, path })
}

/// A word without the line, the column or the mark behind a file's name: `a.rs:10:2`, `a.rs#L3`.
fn without_line(word: &str) -> &str {
    let word = word.split('#').next().unwrap_or(word);
    let mut parts = word.splitn(2, ':');
    let (path, behind) = (parts.next().unwrap_or(word), parts.next());
    let is_place = |text: &str| text.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, ':' | '-' | 'L'));
    if behind.is_none_or(is_place) { path } else { "" }
}

fn is_name_sign(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '+')
}

fn is_product(part: &str) -> bool {
    PRODUCTS.iter().any(|product| product.eq_ignore_ascii_case(part))
}

fn is_machine(part: &str) -> bool {
    let ending = part.rsplit_once('.').filter(|(before, _)| !before.is_empty()).map_or("", |(_, ending)| ending);
    DOMAINS.iter().any(|domain| domain.eq_ignore_ascii_case(ending))
        || part.eq_ignore_ascii_case("localhost")
        || part.starts_with("www.")
}
