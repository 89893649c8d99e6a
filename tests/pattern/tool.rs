//! Lessons about the tool itself: a list and numbers of their own.

use learn::pattern::{Entry, Lesson, ToolLesson, fold_tool_lessons, is_tool_scope};

use super::{lesson, numbered};

fn tool(summary: &str) -> Lesson {
    Lesson { scope: Some("closedloop".to_owned()), ..lesson(summary) }
}

fn fold(lessons: Vec<Lesson>, as_of_micros: i64) -> Vec<ToolLesson> {
    fold_tool_lessons(&numbered(lessons.into_iter().map(Entry::Lesson)), as_of_micros)
}

fn shown(lessons: &[ToolLesson]) -> Vec<(String, &str)> {
    lessons.iter().map(|lesson| (lesson.id(), &*lesson.summary)).collect()
}

#[test]
fn lessons_that_differ_get_numbers_in_the_order_of_landing() {
    let found = fold(vec![tool("Hooks must end quickly"), lesson("Not about the tool"), tool("Name agents plainly")], 100);
    assert_eq!(shown(&found), [("SL-001".to_owned(), "Hooks must end quickly"), ("SL-002".to_owned(), "Name agents plainly")]);
    assert!(is_tool_scope(Some(" ClosedLoop ")) && !is_tool_scope(Some("organization")) && !is_tool_scope(None));
}

#[test]
fn a_lesson_is_known_by_its_trigger_or_by_four_of_five_words_of_the_longer_one() {
    let with_trigger = |summary: &str| Lesson { trigger: Some("slow hooks".to_owned()), ..tool(summary) };
    assert_eq!(fold(vec![with_trigger("Hooks must end quickly"), with_trigger("Something else entirely")], 100).len(), 1);
    // Of all words of both these share 4 of 6; what counts is 4 of the 5 of the longer one.
    assert_eq!(fold(vec![tool("a1 b1 c1 d1 e1"), tool("A1 B1 C1 D1 other")], 100).len(), 1);
    assert_eq!(fold(vec![tool("a1 b1 c1 d1 e1 f1"), tool("a1 b1 c1 d1")], 100).len(), 2);
}

#[test]
fn lessons_behind_the_horizon_keep_their_numbers_from_others() {
    let lessons = || vec![tool("The first lesson of all"), tool("Quite another thing here"), tool("A third one follows")];
    assert_eq!(fold(lessons(), 1).len(), 1);
    let mut entries = numbered(lessons().into_iter().map(Entry::Lesson));
    let Entry::Lesson(first) = &mut entries[0] else { panic!("a lesson") };
    first.source.time_micros = 50;
    let found = fold_tool_lessons(&entries, 10);
    assert_eq!(shown(&found)[0], ("SL-002".to_owned(), "Quite another thing here"));
}

#[test]
fn a_lesson_keeps_the_number_that_it_brings_unless_it_is_taken() {
    let known_as = |id: &str, summary: &str| Lesson { pattern_id: Some(id.to_owned()), ..tool(summary) };
    let found = fold(
        vec![
            known_as("SL-007", "Hooks must end quickly"),
            known_as("SL-007", "Another thing entirely"),
            tool("A third one follows"),
        ],
        100,
    );
    assert_eq!(shown(&found).iter().map(|(id, _)| &**id).collect::<Vec<_>>(), ["SL-007", "SL-008", "SL-009"]);
    assert_eq!(fold(vec![known_as("SL-999999999999", "Hooks must end quickly")], 100)[0].id(), "SL-001");
}
