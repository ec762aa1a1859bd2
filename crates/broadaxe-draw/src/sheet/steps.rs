//! Draws a broadcast as three steps: align, pad, stretch.

use crate::{
    canvas::Canvas,
    drawing::{Cell, Drawing},
    svg::{Measures, Missing, picture},
};

const TITLES: [&str; 3] =
    ["1 Align: the rule places each axis", "2 Pad: absent axes get size 1", "3 Stretch: repeat to the result"];

/// Draws the steps from this height down; returns their width and the height below them.
pub(super) fn draw(drawing: &Drawing, top: usize, canvas: &mut Canvas) -> (usize, usize) {
    let (mut width, mut y) = (0, top);
    let all = [Missing::Nothing, Missing::One, Missing::Repeats];
    let columns = Measures::of(&last(drawing), usize::MAX);
    for ((missing, title), drawing) in all.into_iter().zip(TITLES).zip(steps(drawing)) {
        let drawing = Drawing { title: title.to_owned(), ..drawing };
        let columns = columns.clone().titled(title);
        width = width.max(columns.width);
        y = picture(&drawing, &columns, missing, y, canvas) + 8;
    }
    (width, y)
}

/// Returns what is drawn in the last step.
pub(super) fn last(drawing: &Drawing) -> Drawing {
    let [.., last] = steps(drawing);
    last
}

/// Returns what is drawn in each step. The result, clashes and notes come last.
fn steps(drawing: &Drawing) -> [Drawing; 3] {
    let mut before = Drawing { result: None, clashes: Vec::new(), trace: None, notes: Vec::new(), ..drawing.clone() };
    for cell in before.rows.iter_mut().flat_map(|row| &mut row.cells) {
        if let Cell::Stretched { from, .. } = cell {
            *cell = Cell::Size(from.clone());
        }
    }
    let mut last = drawing.clone();
    for cell in last.rows.iter_mut().flat_map(|row| &mut row.cells) {
        *cell = match &*cell {
            Cell::Missing(Some(to)) => Cell::Stretched { from: "1".to_owned(), to: to.clone(), when: None },
            Cell::Missing(None) => Cell::Size("1".to_owned()),
            other => other.clone(),
        };
    }
    [before.clone(), before, last]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Order;
    use broadaxe_shape::Rule;

    #[test]
    fn each_step_adds_one_thing() {
        let rule = Rule::numpy();
        let alignment = rule.align(&[&[2, 3], &[1]]).unwrap();
        let [align, pad, stretch] = steps(&Drawing::new(&rule, &alignment, Order::ROW_MAJOR));
        assert_eq!(align.text(true), "  axis     0  1\n  a        2  3\n  b     .->2  1\n");
        assert_eq!((align.result.as_ref(), &align), (None, &pad));
        let want = "  axis       0     1\n  a          2     3\n  b       1->2  1->3\n  result     2     3\n";
        assert_eq!(stretch.text(true), want);
    }
}
