//! What a reader meets: charts with data, tables that sort, filter and page, explanations, keys, themes, a telephone, paper.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::driver::{DESK, Look, PHONE, Page};
use super::made::shop;
use crate::support::Scene;

fn published(scene: &Scene) -> PathBuf {
    fs::canonicalize(scene.workspace.current().join("report.html")).expect("a page")
}

#[track_caller]
fn assert_sound(page: &mut Page) {
    let faults = page.faults();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_page_opens_without_a_fault_or_a_request_in_both_themes_and_on_a_telephone() {
    let scene = shop(60);
    let (mut grounds, mut pictures) = (Vec::new(), Vec::new());
    for look in [DESK, Look { theme: "dark", ..DESK }, PHONE, Look { theme: "dark", ..PHONE }] {
        let mut page = Page::open(&published(&scene), look);
        assert_sound(&mut page);
        let (content, window) = (page.number("document.documentElement.scrollWidth"), page.number("innerWidth"));
        assert!(content <= window, "{look:?}: the page is {content} wide");
        grounds.push(page.text("getComputedStyle(document.body).backgroundColor"));
        pictures.push(page.picture());
        // Text stands out from its ground: WCAG's ratio of at least 4.5.
        let least = page.number(CONTRAST);
        assert!(least >= 4.5, "{look:?}: the contrast is {least}");
    }
    assert!(grounds[0] == grounds[2] && grounds[1] == grounds[3] && grounds[0] != grounds[1], "{grounds:?}");
    pictures.sort();
    pictures.dedup();
    assert_eq!(pictures.len(), 4);
}

/// The least contrast of any text of the first screen.
const CONTRAST: &str = "(() => {
    const light = (color) => {
        const parts = color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
            .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const color = getComputedStyle(at).backgroundColor;
            if (!/, 0\\)$/.test(color)) return color;
        }
        return 'rgb(255, 255, 255)';
    };
    const shown = [...document.querySelectorAll('h1, h2, p, li, code, span, small, td, th, a')].filter((each) => each.offsetParent && each.textContent.trim());
    return Math.min(...shown.map((each) => {
        const [one, two] = [light(getComputedStyle(each).color), light(ground(each))].sort((a, b) => b - a);
        return (one + 0.05) / (two + 0.05);
    }));
})()";

#[test]
fn charts_have_data_and_say_in_words_what_they_show() {
    let scene = shop(60);
    let mut page = Page::open(&published(&scene), DESK);
    for line in ["goals", "runs"] {
        let spots = page.number(&format!("document.querySelector('.trend polyline.{line}').points.numberOfItems"));
        assert!(spots >= 8.0, "{line} has {spots} weeks");
        let spread = page.number(&format!(
            "(() => {{ const all = [...document.querySelector('.trend polyline.{line}').points].map((spot) => spot.y); \
             return Math.max(...all) - Math.min(...all); }})()"
        ));
        assert!(spread > 1.0, "{line} is flat");
    }
    assert!(
        page.number("[...document.querySelectorAll('.trend .bar')].filter((bar) => bar.height.baseVal.value > 1).length") >= 8.0
    );
    assert!(page.number("document.querySelectorAll('#lesson-table .spark polyline').length") >= 10.0);
    assert!(page.number("document.querySelectorAll('#lesson-table .range .band').length") >= 25.0);
    assert_eq!(page.number("[...document.querySelectorAll('svg')].filter((svg) => !svg.getAttribute('aria-label')).length"), 0.0);
    assert_sound(&mut page);
}

#[test]
fn tables_sort_filter_and_page() {
    let scene = shop(60);
    let mut page = Page::open(&published(&scene), DESK);
    let ids = "[...document.querySelectorAll('#lesson-table td.id')].map((cell) => cell.textContent)";
    assert_eq!(page.eval(ids).as_array().expect("ids").len(), 25);
    let first = page.eval(ids);
    page.eval("document.querySelector('.pages[data-for=lesson-table] [data-step=\"1\"]').click()");
    assert_ne!(page.eval(ids), first);
    assert_eq!(page.text("document.querySelector('.pages[data-for=lesson-table] span').textContent"), "page 2 of 3");
    // Every column sorts both ways, over all pages: rows that stand in the page and rows that were data.
    let columns = page.number("document.querySelectorAll('#lesson-table th').length") as usize;
    for column in 0..columns {
        let press = format!("document.querySelectorAll('#lesson-table th button')[{column}].click()");
        let values = format!(
            "[...document.querySelectorAll('#lesson-table tbody tr')].map((row) => row.cells[{column}]).map((cell) => cell.textContent)"
        );
        page.eval(&press);
        let one = page.eval(&values);
        page.eval(&press);
        let other = page.eval(&values);
        let is_told = page.number("document.querySelectorAll('#lesson-table th[aria-sort]').length");
        assert_eq!(is_told, 1.0);
        let is_drawn = one.as_array().expect("cells").iter().all(|cell| cell == "");
        assert!(
            is_drawn || one != other || one.as_array().is_some_and(|all| all.iter().all(|cell| *cell == all[0])),
            "column {column}"
        );
    }
    let seen =
        "[...document.querySelectorAll('#lesson-table tbody tr')].map((row) => Number(row.cells[5].textContent.replace(',', '')))";
    page.eval("document.querySelectorAll('#lesson-table th button')[5].click()");
    let sorted = page.eval(seen);
    let sorted: Vec<f64> = sorted.as_array().expect("numbers").iter().filter_map(|number| number.as_f64()).collect();
    assert!(sorted.is_sorted_by(|one, other| one >= other) && sorted[0] > sorted[24], "{sorted:?}");
    let filter = |words: &str| {
        format!(
            "(() => {{ const box = document.querySelector('.bar[data-for=lesson-table] input'); box.value = '{words}'; \
             box.dispatchEvent(new Event('input')); return document.querySelector('.bar[data-for=lesson-table] .count').textContent; }})()"
        )
    };
    assert_eq!(page.text(&filter("word50a")), "1\u{2013}1 of 1 found");
    assert_eq!(page.text("document.querySelector('#lesson-table tbody').textContent").matches("Lesson 50").count(), 1);
    assert_eq!(page.text(&filter("QUOTE path")), "1\u{2013}1 of 1 found");
    assert_eq!(page.text(&filter("nobody says this")), "0\u{2013}0 of 0 found");
    assert_eq!(page.text(&filter("")), "1\u{2013}25 of 60");
    assert_sound(&mut page);
}

#[test]
fn every_figure_opens_its_explanation_with_a_command() {
    let scene = shop(60);
    let mut page = Page::open(&published(&scene), DESK);
    let told = page.eval(
        "[...document.querySelectorAll('a.fig')].map((figure) => {
            figure.click();
            const dialog = document.getElementById('explain');
            const said = [dialog.open, dialog.querySelector('h2').textContent, dialog.querySelector('code')?.textContent ?? '', figure.dataset.of];
            dialog.close();
            return said;
        })",
    );
    let told = told.as_array().expect("a list");
    assert!(told.len() > 100, "{} figures", told.len());
    for said in told {
        let (title, command, of) = (said[1].as_str(), said[2].as_str(), said[3].as_str().unwrap_or_default());
        assert!(said[0] == true && title.is_some_and(|title| !title.is_empty()), "{said}");
        assert!(command.is_some_and(|command| command.starts_with("outerloop ") && !command.contains('{')), "{said}");
        if of.starts_with("P-") {
            assert_eq!(command.and_then(|command| command.split(' ').nth(2)), Some(of), "{said}");
        }
    }
    // A figure without an explanation would be a number that nobody can take apart.
    let bare = page.number("[...document.querySelectorAll('td.num, .kpi b, .pairs dd')].filter((cell) => /\\d/.test(cell.textContent) && !cell.querySelector('a.fig') && !cell.closest('a.fig')).length");
    assert_eq!(bare, 0.0);
    assert_sound(&mut page);
}

#[test]
fn the_page_can_be_used_with_keys_alone() {
    let scene = shop(60);
    let mut page = Page::open(&published(&scene), DESK);
    page.press("Tab");
    assert_eq!(page.text("document.activeElement.className"), "skip");
    while page.text("document.activeElement.className") != "fig" {
        page.press("Tab");
    }
    page.press("Enter");
    assert_eq!(page.eval("document.getElementById('explain').open"), true);
    assert_eq!(page.text("document.activeElement.className"), "close");
    page.press("Escape");
    assert_eq!(page.eval("document.getElementById('explain').open"), false);
    assert_eq!(page.text("document.activeElement.className"), "fig");
    page.eval("document.querySelector('#lesson-table th button').focus()");
    page.press("Enter");
    assert_eq!(page.text("document.querySelector('#lesson-table th').getAttribute('aria-sort')"), "ascending");
    assert!(page.text("getComputedStyle(document.activeElement).outlineStyle") != "none");
    page.eval("document.getElementById('theme').focus()");
    let before = page.text("getComputedStyle(document.body).backgroundColor");
    page.press("Enter");
    assert_ne!(page.text("getComputedStyle(document.body).backgroundColor"), before);
    assert_sound(&mut page);
}

#[test]
fn a_page_reads_without_a_script_and_on_paper() {
    let scene = shop(60);
    let mut page = Page::open(&published(&scene), DESK);
    page.ask("Emulation.setScriptExecutionDisabled", serde_json::json!({"value": true}));
    page.ask("Page.reload", serde_json::json!({}));
    let links =
        "[...document.querySelectorAll('a.fig')].filter((link) => !document.querySelector(link.getAttribute('href'))).length";
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(page.number(links), 0.0);
    assert_eq!(page.number("document.querySelectorAll('#lesson-table tbody tr').length"), 25.0);
    assert_eq!(page.number("document.querySelectorAll('#lesson-table th button').length"), 0.0);
    page.ask("Emulation.setEmulatedMedia", serde_json::json!({"media": "print"}));
    assert_eq!(page.text("getComputedStyle(document.querySelector('.bar')).display"), "none");
    assert_eq!(page.text("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    assert_sound(&mut page);
}

#[test]
fn what_somebody_wrote_is_never_more_than_text() {
    let scene = crate::cli::hostile::hostile();
    let mut page = Page::open(&published(&scene), DESK);
    assert_sound(&mut page);
    // Two kinds of scripts are ours: the page's own, and data.
    assert_eq!(page.number("document.querySelectorAll('script:not([data-rows])').length"), 1.0);
    assert_eq!(page.number("document.querySelectorAll('h1').length"), 1.0);
    assert_eq!(
        page.number("document.querySelectorAll('a:not(.fig):not(nav a):not(.skip), img, iframe, object, form').length"),
        0.0
    );
    // Every page of every table is built from data by then.
    page.eval(
        "document.querySelectorAll('.pages button[data-step=\"1\"]').forEach((next) => { while (!next.disabled) next.click(); })",
    );
    assert_eq!(page.number("document.querySelectorAll('script:not([data-rows])').length"), 1.0);
    assert!(
        page.number("[...document.querySelectorAll('td')].filter((cell) => cell.textContent.includes('<script>')).length") >= 1.0
    );
    assert_eq!(page.number("[...document.querySelectorAll('*')].filter((each) => [...each.attributes].some((one) => one.name.startsWith('on'))).length"), 0.0);
    assert_sound(&mut page);
}

#[test]
fn fifty_thousand_lessons_open_in_two_seconds() {
    let scene = shop(50_000);
    let file = published(&scene);
    let mut page = Page::open(&file, DESK);
    let (loading, bytes) = (page.loading, fs::metadata(&file).expect("a page").len());
    assert!(loading < Duration::from_secs(2), "{loading:?} for {bytes} bytes");
    assert!(bytes < 4 << 20, "{bytes} bytes");
    assert!(page.text("document.querySelector('#lessons .cut').textContent").contains("5,000 of 50,000"));
    let started = std::time::Instant::now();
    page.eval("document.querySelectorAll('#lesson-table th button')[3].click()");
    assert!(started.elapsed() < Duration::from_secs(1), "sorting takes {:?}", started.elapsed());
    assert_sound(&mut page);
}

#[test]
fn the_command_adds_the_step_times_of_jobs() {
    let scene = shop(12);
    let bare = fs::read_to_string(published(&scene)).expect("a page");
    assert!(bare.contains("<!--jobs-->") && !bare.contains("job-table"));
    let page = scene.done(&["report", "--format", "html"]).out;
    let file = scene.root().join("with-jobs.html");
    fs::write(&file, page).expect("a file");
    let mut page = Page::open(&file, DESK);
    let steps = page.text("document.querySelector('#job-table tbody').textContent");
    assert!(steps.contains("hourly") && steps.contains("compact") && steps.contains("done"), "{steps}");
    assert_sound(&mut page);
}
