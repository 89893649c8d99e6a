//! The categories of four systems in one vocabulary.

use learn::pattern::{Category, Entry, Lesson};

use super::{folded, lesson};

fn of_category(summary: &str, category: Option<&str>) -> Entry {
    Entry::Lesson(Lesson { category: category.map(str::to_owned), ..lesson(summary) })
}

#[test]
fn every_category_of_the_four_systems_is_known_and_has_a_family_in_pattern_files() {
    for (word, family) in [
        ("mistake", "mistake"),
        ("pattern", "pattern"),
        ("convention", "convention"),
        ("insight", "insight"),
        ("workflow", "pattern"),
        ("procedural", "pattern"),
        ("decision", "convention"),
        ("pitfall", "mistake"),
        ("observation", "insight"),
        ("causal", "insight"),
        ("rule", "convention"),
        ("failure", "mistake"),
    ] {
        let category = Category::from_name(word).unwrap_or_else(|| panic!("`{word}` is not known"));
        assert_eq!((category.name(), category.family().name()), (word, family));
        assert_eq!(category.family().family(), category.family(), "a family is of its own family");
        assert_eq!(Category::from_name(&format!(" {} ", word.to_uppercase())), Some(category));
    }
    assert_eq!(Category::ALL.len(), 12);
    assert_eq!(Category::from_name("miracle"), None);
    assert_eq!(Category::from_name(""), None);
}

#[test]
fn a_lesson_of_no_category_is_a_pattern_and_one_of_an_odd_category_is_counted() {
    let book = folded([
        of_category("check the lock", None),
        of_category("run all tests", Some("Pitfall")),
        of_category("buy more milk", Some("miracle")),
    ]);
    let categories: Vec<&str> = book.patterns().map(|pattern| pattern.category.name()).collect();
    assert_eq!(categories, ["pattern", "pitfall", "pattern"]);
    assert_eq!(book.odd_categories(), 1);
}
