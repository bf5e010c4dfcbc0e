//! How columns share a width: heads of two lines, then columns that give way in their order, then names that are cut.

use lanescope::scene::table::{Arranged, Cell, Column, Page, arranged};

/// A name and numbers, each with when it gives way.
fn columns(numbers: &[(&str, f64, u8)]) -> Vec<Column> {
    let number = |(id, (title, width, gives_way)): (usize, &(&str, f64, u8))| Column {
        gives_way: *gives_way,
        ..Column::number(id + 1, *title, "", *width)
    };
    let name = Column::text(0, "Name", 0.0);
    std::iter::once(name).chain(numbers.iter().enumerate().map(number)).collect()
}

fn shown(columns: &[Column], width: f64) -> Vec<&str> {
    let Arranged { shown, .. } = arranged(columns, width, true);
    shown.into_iter().map(|at| columns[at].title.as_str()).collect()
}

#[test]
fn columns_give_way_in_the_order_that_they_say_and_no_more_than_it_takes() {
    // The name wants 280 px.
    let all = columns(&[("Total", 100.0, 0), ("Mean", 100.0, 2), ("Longest", 100.0, 1), ("Count", 100.0, 3)]);
    assert_eq!(shown(&all, 680.0), ["Name", "Total", "Mean", "Longest", "Count"]);
    assert_eq!(shown(&all, 679.0), ["Name", "Total", "Mean", "Count"]);
    assert_eq!(shown(&all, 579.0), ["Name", "Total", "Count"]);
    assert_eq!(shown(&all, 400.0), ["Name", "Total"]);
    // What stays is scrolled to; a width that is not known yet hides nothing, and so does the wish to see all.
    assert_eq!(shown(&all, 100.0), ["Name", "Total"]);
    assert_eq!(shown(&all, 0.0).len(), 5);
    assert_eq!(arranged(&all, 400.0, false).shown.len(), 5);
}

#[test]
fn long_heads_take_two_lines_before_a_column_gives_way() {
    let all = columns(&[("Kernels launched here", 60.0, 0), ("Allocations by itself", 60.0, 1)]);
    let [one, two] =
        [false, true].map(|is_high| all.iter().map(|column| column.wanted(is_high)).sum::<f64>());
    assert!(two < one - 60.0, "{two} {one}");
    let arranged = |width: f64| {
        let Arranged { shown, is_high } = arranged(&all, width, true);
        (shown.len(), is_high)
    };
    assert_eq!([one, one - 1.0, two].map(arranged), [(3, false), (3, true), (3, true)]);
    // Without the last column there is room for one line again.
    assert_eq!(arranged(two - 1.0), (2, false));
}

#[test]
fn a_head_of_many_letters_is_cut_where_it_says_what_others_say() {
    let title = |end: &str| format!("a_network_whose_name_is_as_long_as_names_of_files_may_be_{end}");
    let mut page = Page {
        columns: columns(&[(&title("first"), 60.0, 0), (&title("second"), 60.0, 0), ("Total", 60.0, 0)]),
        rows: vec![vec![Cell::text("one"), Cell::number("1", 1.0), Cell::number("2", 2.0), Cell::default()]],
        ..Page::default()
    };
    page.tell_names();
    let [_, first, second, total] = &page.columns[..] else { panic!("{:?}", page.columns) };
    for (column, end) in [(first, "first"), (second, "second")] {
        assert!(column.is_long() && column.wanted(false) <= 200.0, "{}", column.wanted(false));
        let kept = column.kept.iter().map(|&(from, to)| &column.title[from as usize..to as usize]);
        assert!(kept.collect::<String>().contains(end), "{:?}", column.kept);
    }
    assert!(!total.is_long());
}
