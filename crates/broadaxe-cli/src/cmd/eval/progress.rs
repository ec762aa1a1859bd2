//! Shows a progress bar on standard error for evaluations longer than a second, at a terminal.

use std::{
    io::{IsTerminal, stderr},
    sync::OnceLock,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

const PATIENCE: Duration = Duration::from_secs(1);

pub(super) struct Bar {
    start: Instant,
    drawn: OnceLock<ProgressBar>,
    seen: bool,
}

impl Bar {
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), drawn: OnceLock::new(), seen: stderr().is_terminal() }
    }

    /// Says whether there is a terminal to draw on.
    pub(super) fn is_seen(&self) -> bool {
        self.seen
    }

    /// Draws how much is done; always says to go on, as signals end the process by themselves.
    pub(super) fn tick(&self, done: u64, total: u64) -> bool {
        if self.start.elapsed() >= PATIENCE {
            let bar = self.drawn.get_or_init(|| {
                let bar = ProgressBar::new(total);
                let style =
                    ProgressStyle::with_template("{wide_bar} {percent:>3} % of {human_len} elements, {eta} left");
                style.map_or(bar.clone(), |style| bar.with_style(style))
            });
            bar.set_position(done);
        }
        true
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        if let Some(bar) = self.drawn.get() {
            bar.finish_and_clear();
        }
    }
}
