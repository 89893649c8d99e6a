//! The agents' hooks: what is shown to an agent, what it says about that, and what becomes an event.
