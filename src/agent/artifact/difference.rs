//! What a run would change, line by line.

use super::work::Work;

/// Lines that stay are shown this far around a change.
const AROUND: usize = 2;
/// Of longer texts only what is added and removed at their ends is told apart.
const MOST_CELLS: usize = 4_000_000;

impl Work<'_> {
    /// Tells how a text would change, where nothing is written.
    pub(super) fn tell_difference(&mut self, place: &str, before: &str, after: &str) {
        if self.task.is_dry && before != after {
            self.report.differences.push((place.to_owned(), difference(before, after)));
        }
    }
}

/// The lines that differ, each behind `-` or `+`, with those around them.
pub(super) fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let lines = compare(&old, &new);
    let is_near = |place: usize| {
        let from = place.saturating_sub(AROUND);
        lines[from..lines.len().min(place + AROUND + 1)].iter().any(|(sign, _)| *sign != ' ')
    };
    let mut text = String::new();
    let mut is_gap = false;
    for (place, (sign, line)) in lines.iter().enumerate() {
        if is_near(place) {
            text.push(*sign);
            text.push_str(line);
            text.push('\n');
        } else if !is_gap {
            text.push_str("...\n");
        }
        is_gap = !is_near(place);
    }
    text
}

/// All lines of both texts in their order: those that stay, go and come.
fn compare<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    let head = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(one, other)| one == other).count();
    let (gone, come) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<(char, &str)> = old[..head].iter().map(|line| (' ', *line)).collect();
    if gone.len().saturating_mul(come.len()) > MOST_CELLS {
        lines.extend(gone.iter().map(|line| ('-', *line)));
        lines.extend(come.iter().map(|line| ('+', *line)));
    } else {
        lines.extend(aligned(gone, come));
    }
    lines.extend(old[old.len() - tail..].iter().map(|line| (' ', *line)));
    lines
}

/// The longest common lines stay.
fn aligned<'t>(gone: &[&'t str], come: &[&'t str]) -> Vec<(char, &'t str)> {
    let mut best = vec![vec![0_u32; come.len() + 1]; gone.len() + 1];
    for row in (0..gone.len()).rev() {
        for column in (0..come.len()).rev() {
            best[row][column] = if gone[row] == come[column] {
                best[row + 1][column + 1] + 1
            } else {
                best[row + 1][column].max(best[row][column + 1])
            };
        }
    }
    let (mut row, mut column, mut lines) = (0, 0, Vec::new());
    while row < gone.len() || column < come.len() {
        if row < gone.len() && column < come.len() && gone[row] == come[column] {
            lines.push((' ', gone[row]));
            (row, column) = (row + 1, column + 1);
        } else if column == come.len() || row < gone.len() && best[row + 1][column] >= best[row][column + 1] {
            lines.push(('-', gone[row]));
            row += 1;
        } else {
            lines.push(('+', come[column]));
            column += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_go_and_come_are_told_with_those_around_them() {
        assert_eq!(difference("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nX\ne\nf\n"), "...\n b\n c\n-d\n+X\n e\n f\n");
        assert_eq!(difference("", "a\nb\n"), "+a\n+b\n");
    }
}
