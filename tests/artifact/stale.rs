//! Whether the files exist that an observation speaks of.

use learn::observation::ObservationScore;
use render::artifact::find_references;

use super::{Lab, NOON, folded, row};

fn speaks(id: &str, details: &str) -> ObservationScore {
    ObservationScore { status: "observing".to_owned(), ..row(id, "procedural", id, details) }
}

fn lab() -> Lab {
    let lab = Lab::new();
    for file in ["package.json", "src/App.tsx", "src/ok.ts", "README.mdx", "scripts/hooks/foo.cjs", ".claude/settings.json"] {
        lab.write(file, "x");
    }
    lab
}

fn said(lab: &Lab) -> Vec<String> {
    let told = lab.landed.iter().map(|event| {
        let text = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}", text("action"), text("observation_id"), text("reason"))
    });
    told.collect()
}

#[test]
fn missing_files_are_told_and_nothing_else_is() {
    let mut lab = lab();
    let mut seventh = speaks("obs_7", "none");
    seventh.evidence = vec!["check lib/missing.py".to_owned()];
    let mut eighth = speaks("obs_8", "src/ok.ts is back");
    eighth.stale_reason = Some("src/ok.ts".to_owned());
    let rows = [
        speaks("obs_1", "edit src/ok.ts"),
        speaks("obs_2", "edit src/gone.ts then src/gone2.ts"),
        speaks("obs_3", "edit src/App.tsx"),
        speaks("obs_4", "edit package.json"),
        speaks("obs_5", "see https://example.com/guide.md"),
        speaks("obs_6", "Next.js and Node.js rock"),
        seventh,
        eighth,
        speaks("obs_9", "edit README.mdx"),
        speaks("obs_10", "the end of a path will do: hooks/foo.cjs:12, foo.cjs"),
        speaks("obs_11", "a name alone may be missing too: `nowhere.toml`"),
    ];
    let report = lab.reconcile(&rows, NOON);
    assert_eq!((report.stale, report.fresh), (3, 1));
    assert_eq!(said(&lab), ["stale obs_2 src/gone.ts", "stale obs_7 lib/missing.py", "fresh obs_8 -", "stale obs_11 nowhere.toml"]);
}

#[test]
fn it_is_looked_at_every_time_and_told_when_it_changes() {
    let mut lab = lab();
    let rows = [speaks("obs_2", "edit src/gone.ts then src/gone2.ts")];
    lab.reconcile(&rows, NOON);
    assert_eq!(said(&lab), ["stale obs_2 src/gone.ts"]);
    let published = folded(&rows, &lab.landed);
    lab.landed.clear();
    for rows in [&rows, &published[..]] {
        assert_eq!(lab.reconcile(rows, NOON).events.len(), 0);
    }
    lab.write("src/gone.ts", "x");
    lab.reconcile(&published, NOON);
    assert_eq!(said(&lab), ["stale obs_2 src/gone2.ts"]);
    lab.landed.clear();
    lab.write("src/gone2.ts", "x");
    for _ in 0..2 {
        lab.reconcile(&published, NOON);
    }
    assert_eq!(said(&lab), ["fresh obs_2 -"]);
}

#[test]
fn a_persons_word_that_it_is_well_stands() {
    let mut lab = lab();
    let mut rows = [speaks("obs_2", "edit src/gone.ts")];
    lab.reconcile(&rows, NOON);
    lab.landed.clear();
    // The flag was published and then cleared by a decision.
    rows[0].stale_reason = None;
    assert_eq!(lab.reconcile(&rows, NOON).events.len(), 0);
}

#[test]
fn what_is_deprecated_or_faded_is_not_looked_at() {
    let mut lab = lab();
    let mut rows = [speaks("obs_1", "src/gone.ts"), speaks("obs_2", "src/gone.ts")];
    rows[0].status = "deprecated".to_owned();
    rows[1].is_faded = true;
    assert_eq!(lab.reconcile(&rows, NOON).stale, 0);
}

#[test]
fn a_file_is_told_from_what_looks_like_one() {
    let found = |text: &str| -> Vec<String> {
        find_references(text, "/home/me/shop").into_iter().map(|reference| reference.path).collect()
    };
    let files = [
        ("src/a.rs:10:2, `src/b.rs`, (src/c.rs) and src/d.rs#L3.", vec!["src/a.rs", "src/b.rs", "src/c.rs", "src/d.rs"]),
        ("./src/a.rs and /home/me/shop/src/b.rs", vec!["src/a.rs", "src/b.rs"]),
        ("App.js, index.d.ts, schema.JSON", vec!["App.js", "index.d.ts", "schema.JSON"]),
        (".github/workflows/ci.yml and .env.local.ts", vec![".github/workflows/ci.yml", ".env.local.ts"]),
        ("src/日本語.md", vec!["src/日本語.md"]),
        ("vendor/go.mod, lib/a.c and config.json (main)", vec!["vendor/go.mod", "lib/a.c", "config.json"]),
    ];
    for (text, wanted) in files {
        assert_eq!(found(text), wanted, "{text}");
    }
    let others = [
        "https://example.com/guide.md http://a/b.js ftp://x/y.py",
        "example.com/guide.md github.com/a/b.rs www.x.y/z.md localhost/x.js localhost:80/x.js",
        "Next.js Node.js node.js/next.js Vue.js D3.js ASP.NET",
        "src/**/*.ts src/{a,b}.rs *.md $HOME/x.sh ~/x.sh <name>.ts",
        "/etc/passwd.conf ../up/x.rs a/../../b.rs C:\\x.rs",
        "and/or e.g. i.e. v1.2/v1.3 3.5 1.ts/2.0 end. a.b.c me@x.py @scope/pkg/index.js",
        "file.unknownending .ts .md",
        "call response.json() and process.env, a.b.c, df.sum, mutex.lock, axios.patch",
    ];
    for text in others {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}
