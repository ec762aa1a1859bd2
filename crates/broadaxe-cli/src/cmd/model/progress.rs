//! Shows at a terminal what is being done, if that lasts longer than a moment.

use std::{
    io::{IsTerminal, stderr},
    path::Path,
    thread,
    time::Duration,
};

use broadaxe_session::check::Watch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::error::{escaped, quoted};

/// How long nothing is shown.
const DELAY: Duration = Duration::from_millis(500);
/// How often the line is drawn.
const PERIOD: Duration = Duration::from_millis(100);

/// A line on standard error, such as `checking 37/187 timm_tnt_s.onnx`. It is gone at the end.
#[derive(Debug)]
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Begins to count models, of which this is the number; nothing is shown where standard error is no terminal.
    pub(super) fn new(models: usize, wanted: bool) -> Self {
        Self::show("checking {pos}/{len} {wide_msg}", Some(models as u64), wanted)
    }

    /// Shows that one model is being worked on, with the seconds since that began.
    pub(super) fn of(path: &Path) -> Self {
        let progress = Self::show("{elapsed} {wide_msg}", None, true);
        progress.begin(path);
        progress
    }

    fn show(template: &str, len: Option<u64>, wanted: bool) -> Self {
        let style = ProgressStyle::with_template(template).ok();
        let Some(style) = style.filter(|_| wanted && stderr().is_terminal()) else { return Self(None) };
        let bar = ProgressBar::with_draw_target(len, ProgressDrawTarget::hidden()).with_style(style);
        let shown = bar.clone();
        // Without the thread nothing is shown.
        let _ = thread::Builder::new().name("progress".to_owned()).spawn(move || {
            thread::sleep(DELAY);
            if !shown.is_finished() {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(PERIOD);
            }
        });
        Self(Some(bar))
    }
}

impl Watch for Progress {
    fn begin(&self, path: &Path) {
        let Some(bar) = &self.0 else { return };
        bar.inc(1);
        bar.set_message(path.file_name().map_or_else(String::new, |name| quoted(&name.to_string_lossy())));
    }

    fn note(&self, path: &Path, what: &str) {
        let Some(bar) = &self.0 else { return };
        let name = path.file_name().map_or_else(String::new, |name| quoted(&name.to_string_lossy()));
        bar.set_message(format!("{name}: {}", escaped(what)));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
