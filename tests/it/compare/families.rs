//! Two real runs of one operator compared: every figure of either is joined, or says why it is not.

use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use lanescope::analysis::compare::family::same_options;
use lanescope::document::Document;
use lanescope::wire::Answer;
use lanescope::wire::Ask;
use lanescope::wire::figures::{FamilyHead, FigureQuery, Reply};

use std::collections::BTreeMap;

fn opened(name: &str) -> Option<Document> {
    let bytes = std::fs::read(corpus("ascend")?.join(name)).unwrap();
    let (doc, is_ready) = open_one(name, bytes);
    assert!(is_ready, "{name}");
    Some(doc)
}

fn families(doc: &mut Document) -> Vec<FamilyHead> {
    match doc.query(&FigureQuery::List).0 {
        Some(Reply::List { families, .. }) => families,
        other => panic!("{other:?}"),
    }
}

/// What becomes of a figure, its first choices chosen: the kind of the joined figure, or the sentence that is shown.
fn outcome(a: &mut Document, b: &mut Document, old: Option<&FamilyHead>, new: &FamilyHead) -> String {
    let chosen = vec![0; new.choices.len()];
    let Some(old) = old else { return "Only in the comparison.".to_owned() };
    let same = match same_options(&new.choices, &chosen, &old.choices) {
        Ok(same) => same,
        Err(why) => return why,
    };
    let id = new.id.clone();
    let (answer, bytes) = a.query(&FigureQuery::Packed { id: id.clone(), chosen: same });
    let Some(bytes) = bytes else { return format!("{answer:?}") };
    match b.query_with(&FigureQuery::Compare { id, chosen }.query(), &bytes).0 {
        Answer::Failed(why) => why,
        answer => match FigureQuery::answered(answer) {
            Some(Reply::Figure(shown)) => format!("joined {}", shown.figure.body.kind()),
            other => panic!("{other:?}"),
        },
    }
}

/// What becomes of all figures of both, by id.
fn outcomes(a: &mut Document, b: &mut Document) -> BTreeMap<String, String> {
    let (old, new) = (families(a), families(b));
    let mut met = BTreeMap::new();
    for family in &new {
        let before = old.iter().find(|f| f.id == family.id);
        met.insert(family.id.clone(), outcome(a, b, before, family));
    }
    for family in old.iter().filter(|f| new.iter().all(|n| n.id != f.id)) {
        met.insert(family.id.clone(), "Only in the baseline.".to_owned());
    }
    met
}

/// Kinds of figures that were joined, and what was said of the others.
fn parted(met: &BTreeMap<String, String>) -> (Vec<&str>, Vec<String>) {
    let mut kinds: Vec<&str> = met.values().filter_map(|what| what.strip_prefix("joined ")).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let apart = met.iter().filter(|(_, what)| !what.starts_with("joined "));
    (kinds, apart.map(|(id, what)| format!("{id}: {what}")).collect())
}

#[test]
fn a_profile_is_joined_with_itself_whole_with_the_figures_that_are_computed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/public/samples/flash_attention.bin");
    let open = || open_one("flash_attention.bin", std::fs::read(path).unwrap()).0;
    let met = outcomes(&mut open(), &mut open());
    let (kinds, apart) = parted(&met);
    assert_eq!(apart, [""; 0]);
    assert_eq!(kinds, ["bars", "cores", "histogram", "matrix", "table"]);
    assert!(["pipe-times", "waits"].iter().all(|id| met.contains_key(*id)), "{met:?}");
}

#[test]
fn every_figure_of_two_real_runs_is_joined_or_says_why() {
    let (Some(mut a), Some(mut b)) =
        (opened("cummin_910b2_vector_small.bin"), opened("cummin_910b2_vector_round2.bin"))
    else {
        return;
    };
    let met = outcomes(&mut a, &mut b);
    let (kinds, apart) = parted(&met);
    // The small one has a single block: there is nothing to lay beside figures over all blocks.
    let of_blocks = ["block-detail-durations", "compute-workload-blocks", "compute-workload-table-blocks"];
    assert_eq!(apart, of_blocks.map(|id| format!("{id}: Only in the comparison.")));
    assert!(["bars", "graph", "table"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
}

#[test]
fn panels_keep_their_order() {
    use lanescope::analysis::compare::family::in_order;
    let order = |old: &[&str], own: &[&str]| {
        let one = |place: Result<usize, usize>| match place {
            Ok(at) => own[at].to_owned(),
            Err(at) => format!("({})", old[at]),
        };
        in_order(old, own).into_iter().map(one).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order(&["a", "b", "c"], &["a", "b", "c"]), "a b c");
    assert_eq!(order(&["a", "x", "y", "b", "z"], &["a", "n", "b"]), "a (x) (y) n b (z)");
    assert_eq!(order(&["x", "a"], &["b", "a"]), "(x) b a");
    assert_eq!(order(&["x", "y"], &[]), "(x) (y)");
    // What stands in another order there keeps the order of the comparison.
    assert_eq!(order(&["b", "x", "a", "y"], &["a", "b"]), "a (y) b (x)");
}

/// Nine kernels are more than are seen at once; the eighth took longer, and one is only in the comparison.
#[test]
fn rows_that_changed_come_before_equal_ones() {
    use lanescope::analysis::compare::compare;
    use lanescope::model::figure::{Body, Cell, Figure, TableColumn, TableFigure};
    let figure = |values: &[u64], key_columns: usize| {
        let row = |(at, value): (usize, &u64)| {
            vec![Cell::Text(format!("kernel {at}")), Cell::Text("main".to_owned()), Cell::Integer(*value)]
        };
        let rows = values.iter().enumerate().map(row).collect();
        let columns = ["Kernel", "Stream", "Cycles"]
            .map(|name| TableColumn { name: name.to_owned(), ..TableColumn::default() });
        let table = TableFigure { columns: columns.to_vec(), rows, key_columns, ..TableFigure::default() };
        Figure::new("", Body::Table(table))
    };
    let names = |old: &Figure, new: &Figure| -> Vec<String> {
        let Body::Table(table) = compare(old, new).unwrap().body else { panic!("another kind") };
        table.rows.iter().map(|row| row[0].plain().trim_start_matches("kernel ").to_owned()).collect()
    };
    let (old, new) = ([5; 9], [5, 5, 5, 5, 5, 5, 5, 6, 5, 7]);
    let found = names(&figure(&old, 1), &figure(&new, 1));
    assert_eq!(found, ["7", "9", "0", "1", "2", "3", "4", "5", "6", "8"]);
    // Places in a program have an order of their own, and few rows are seen at once.
    assert_eq!(names(&figure(&old, 2), &figure(&new, 2))[..2], ["0", "1"]);
    assert_eq!(names(&figure(&old[..2], 1), &figure(&[5, 6], 1)), ["0", "1"]);
}

/// Beside a baseline its values give way first, the last ones before others; the first value stays with its difference.
#[test]
fn columns_of_a_comparison_give_way_from_the_last_baseline_on() {
    use lanescope::analysis::compare::compare;
    use lanescope::analysis::rows::{FigureRows, RowSource};
    use lanescope::model::figure::{Body, Cell, Figure, TableColumn, TableFigure};
    let names = ["Pipe", "Cycles", "Waits"];
    let figure = |by: u64| {
        let row =
            |at: u64| vec![Cell::Text(format!("pipe {at}")), Cell::Integer(at + by), Cell::Integer(at * by)];
        let columns = names.map(|name| TableColumn { name: name.to_owned(), ..TableColumn::default() });
        let rows = (1..4).map(row).collect();
        Figure::new(
            "",
            Body::Table(TableFigure {
                columns: columns.to_vec(),
                rows,
                key_columns: 1,
                ..TableFigure::default()
            }),
        )
    };
    let Body::Table(table) = compare(&figure(1), &figure(2)).unwrap().body else { panic!("another kind") };
    let mut giving: Vec<(u8, String)> = FigureRows::new(&table)
        .columns()
        .into_iter()
        .map(|column| (column.gives_way, column.head.name))
        .collect();
    giving.sort();
    let order: Vec<&str> = giving.iter().map(|(_, name)| name.as_str()).collect();
    let stay = ["Cycles (baseline)", "Cycles (comparison)", "Cycles (difference)", "Pipe"];
    let first = ["Waits (baseline)", "Waits (difference)", "Waits (comparison)"];
    assert_eq!(order, [&stay[..], &first[..]].concat());
    assert_eq!(giving.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [0, 0, 0, 0, 1, 2, 3]);
    // Alone none does.
    let Body::Table(alone) = figure(1).body else { panic!("another kind") };
    assert!(FigureRows::new(&alone).columns().iter().all(|column| column.gives_way == 0));
}

/// What is at a place of the baseline is not what is there in the document itself.
#[test]
fn only_places_of_the_document_itself_lead_anywhere() {
    use lanescope::analysis::compare::compare;
    use lanescope::analysis::rows::{FigureRows, Goal, RowSource};
    use lanescope::model::figure::{Body, Cell, Figure, TableColumn, TableFigure, Target};
    let figure = |names: &[&str], launch: u32| {
        let place = |(at, name): (u32, &&str)| {
            vec![
                Cell::Text((*name).to_owned()),
                Cell::Text(Target::place_of_execution((launch, at, 0), "warp 1")),
            ]
        };
        let place_column = TableColumn { is_place: true, ..TableColumn::default() };
        let columns = vec![TableColumn::default(), place_column];
        let rows = (0..).zip(names).map(place).collect();
        Figure::new("", Body::Table(TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() }))
    };
    let both = compare(&figure(&["a", "gone"], 3), &figure(&["new", "a"], 5)).unwrap();
    let Body::Table(table) = &both.body else { panic!("another kind") };
    let rows = FigureRows::new(table);
    let goal = |name: &str| {
        let row = table.rows.iter().position(|row| row[0] == Cell::Text(name.to_owned())).unwrap();
        rows.goals(row as u32)[1].clone()
    };
    assert_eq!(goal("a"), Some(Goal::Place("trace:5:1:0 warp 1".to_owned())));
    assert_eq!(goal("gone"), None);
    let row = table.rows.iter().find(|row| row[0] == Cell::Text("a".to_owned())).unwrap();
    assert_eq!(row[1], Cell::Text("warp 1".to_owned()));
}
