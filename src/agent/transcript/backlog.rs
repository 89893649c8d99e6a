//! The prompts that people sent while the agent was at work. Older clients write them down only as they enter and leave the queue;
//! newer ones also attach them to the conversation, so that each is told twice and counts once.

use std::collections::VecDeque;

/// More prompts than a person can have waiting.
const MOST_WAITING: usize = 256;
/// How many delivered prompts are remembered, to know them again when they are attached.
const MOST_REMEMBERED: usize = 32;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Backlog {
    /// The prompts that wait, each with whether it was heard already.
    waiting: VecDeque<(String, bool)>,
    delivered: VecDeque<String>,
}

impl Backlog {
    pub(super) fn enter(&mut self, prompt: String) {
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push_back((prompt, false));
        }
    }

    /// The prompt that the agent gets now, unless it was heard already. One that is not named is the oldest.
    pub(super) fn deliver(&mut self, named: Option<&str>) -> Option<String> {
        let (prompt, is_heard) = self.take(named)?;
        if is_heard {
            return None;
        }
        if self.delivered.len() == MOST_REMEMBERED {
            self.delivered.pop_front();
        }
        self.delivered.push_back(prompt.clone());
        Some(prompt)
    }

    /// A prompt becomes a turn of its own.
    pub(super) fn leave(&mut self, named: Option<&str>) {
        self.take(named);
    }

    /// A person takes all prompts back.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Whether a prompt that is attached is told for the first time.
    pub(super) fn is_first(&mut self, prompt: &str) -> bool {
        if let Some(place) = self.delivered.iter().position(|known| known.trim() == prompt.trim()) {
            self.delivered.remove(place);
            return false;
        }
        if let Some((_, is_heard)) = self.waiting.iter_mut().find(|(known, _)| known.trim() == prompt.trim()) {
            *is_heard = true;
        }
        true
    }

    /// The prompts that nobody took: the session ended before the agent could.
    pub(super) fn finish(&mut self) -> Vec<String> {
        std::mem::take(&mut self.waiting).into_iter().filter(|(_, is_heard)| !is_heard).map(|(prompt, _)| prompt).collect()
    }

    fn take(&mut self, named: Option<&str>) -> Option<(String, bool)> {
        let find = |is_meant: &dyn Fn(&str) -> bool| self.waiting.iter().position(|(known, _)| is_meant(known));
        let place = match named {
            Some(named) => find(&|known| known.trim() == named.trim()),
            // Notices of the host wait until the agent has ended; a person's prompt goes first.
            None => find(&|known| !known.starts_with('<')),
        };
        match place {
            Some(place) => self.waiting.remove(place),
            None => self.waiting.pop_front(),
        }
    }
}
