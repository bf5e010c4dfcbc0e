//! Logs of simulators with single accesses: the published samples, an independent program's results, a slow twin, damage.

mod columns;
mod corpus;
mod damage;
mod energy;
mod fixtures;
pub(crate) mod make;
mod together;
mod twin;

use lanescope::document::Document;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use lanescope::model::parameter::{Value, Values};
use lanescope::systems;
use lanescope::views::lifetimes::compute::{Closing, Distribution, Recorded, Refill, Run, Settings, rows};
use lanescope::wire::Query;
use std::rc::Rc;

/// Values by the texts of the command line.
pub(crate) fn values(set: &[(&str, &str)]) -> Values {
    let mut values = Values::default();
    for (id, text) in set {
        let parameter = systems::parameters().find(|parameter| parameter.id == *id);
        values.set(id, parameter.unwrap_or_else(|| panic!("{id}")).parse(text).unwrap());
    }
    values
}

/// Opens files with values of parameters.
pub(crate) fn open_set(files: &[(&str, Vec<u8>)], set: &[(&str, &str)]) -> Document {
    let entry = |(path, bytes): &(&str, Vec<u8>)| Entry {
        path: (*path).to_owned(),
        source: Rc::new(Memory(bytes.clone())),
    };
    let entries = files.iter().map(entry).collect();
    let (doc, is_ready) = Document::open_with(entries, "", &values(set), Box::new(MemoryStore::default()));
    assert!(is_ready, "{:?}", doc.faults().rows());
    doc
}

/// An export as text.
pub(crate) fn export(doc: &mut Document, id: &str) -> String {
    while doc.has_work() {
        doc.step();
    }
    let (answer, bytes) = doc.query(&Query::Export { id: id.to_owned() });
    String::from_utf8(bytes.unwrap_or_else(|| panic!("{answer:?}"))).unwrap()
}

/// The first run.
pub(crate) fn run(doc: &Document) -> &Run {
    &doc.trace().extensions.get::<Recorded>().expect("something was recorded").runs[0]
}

/// Codes of what is said, with line.
pub(crate) fn said(doc: &Document) -> Vec<String> {
    let rows = doc.faults().rows().iter();
    rows.map(|f| format!("{} {}", f.code, f.place.line.map_or(0, |l| l.0))).collect()
}

#[test]
fn the_machine_agrees_with_a_slow_one_on_random_logs() {
    for seed in 0..24 {
        let (text, kernels) = make::log(seed, 400);
        let rules = twin::Rules {
            is_resident: seed & 1 == 1,
            keeps: seed & 2 == 2,
            fill: if seed & 4 == 4 { 60 } else { 400 },
        };
        let fill = rules.fill.to_string();
        let set = [
            ("lifetime", if rules.is_resident { "resident" } else { "last-use" }),
            ("refill", if rules.keeps { "keep" } else { "reopen" }),
            ("fill-cycles", fill.as_str()),
            ("orphans", "include"),
        ];
        let mut doc = open_set(&[("run.log", text.clone().into_bytes())], &set);
        assert_eq!(said(&doc), [""; 0], "seed {seed}: the totals agree");
        for level in 0..2 {
            let fine = export(&mut doc, ["gainsight-l1-csv", "gainsight-l2-csv"][level]);
            let mut expected = "kernel_id,address,lifetime_cycles,lifetime_ns\n".to_owned();
            for ((lines, cycles), id) in kernels.iter().zip([3, 7]) {
                let twin = twin::run(lines, level, *cycles, rules);
                for (_, address, length, _) in &twin.lifetimes {
                    expected += &format!("{id},{address}.00,{length}.00,{length}.00\n");
                }
                let kernel = run(&doc).kernels.iter().find(|kernel| kernel.id == id).unwrap();
                let own = &kernel.levels[level];
                let counts = own.counts;
                assert_eq!(
                    (counts.reads, counts.writes, counts.retries, counts.existing, counts.sectors),
                    (twin.reads, twin.writes, twin.retries, twin.existing, twin.unique),
                    "seed {seed}"
                );
                let (orphans, reused): (Vec<_>, Vec<_>) = twin.lifetimes.iter().partition(|one| one.3 == 0);
                assert_eq!(
                    (counts.orphans, counts.lifetimes),
                    (orphans.len() as u64, twin.lifetimes.len() as u64)
                );
                let of = |all: Vec<&twin::Lifetime>| Distribution::of(all.iter().map(|one| one.2).collect());
                assert_eq!((&own.orphaned, &own.reused), (&of(orphans), &of(reused)), "seed {seed}");
                let sum: u64 = own.units.iter().map(|unit| unit.counts.accesses()).sum();
                assert_eq!(sum, counts.accesses());
                let heat: u64 = own.heat.cells().map(|(_, cell)| u64::from(cell.accesses)).sum();
                assert_eq!(heat, counts.accesses(), "no access is lost in the bins");
            }
            assert_eq!(fine, expected, "seed {seed}, level {level}");
        }
    }
}

#[test]
fn a_distribution_answers_as_its_lengths_one_by_one() {
    let mut lengths: Vec<u64> = (0..5_000_u64).map(|n| n * n * 7919 % 20_011).collect();
    let all = Distribution::of(lengths.clone());
    lengths.sort_unstable();
    assert_eq!((all.count(), all.max()), (5_000, *lengths.last().unwrap()));
    assert_eq!(all.sum(), lengths.iter().map(|n| u128::from(*n)).sum::<u128>());
    for q in [0.0, 0.25, 0.5, 0.9, 0.999, 1.0] {
        let place = q * 4_999.0_f64;
        let (low, high) = (lengths[place as usize] as f64, lengths[(place as usize + 1).min(4_999)] as f64);
        assert!((all.quantile(q) - (low + (high - low) * place.fract())).abs() < 1e-9);
    }
    for retention in [0.001, 0.7, 1.0, 3.3, 100.0, 1132.0, 6_000.5, 19_000.0, 1e9] {
        let slow: u128 = lengths.iter().map(|n| (*n as f64 / retention).floor() as u128).sum();
        assert_eq!(all.refreshes(retention), slow, "{retention}");
        let within = lengths.iter().filter(|n| **n as f64 <= retention).count() as u64;
        assert_eq!(all.count_within(retention), within);
    }
    let (a, b) = lengths.split_at(1_700);
    assert_eq!(Distribution::merged([&Distribution::of(a.to_vec()), &Distribution::of(b.to_vec())]), all);
    let none = Distribution::default();
    assert_eq!((none.mean(), none.quantile(0.5), none.refreshes(1.0)), (0.0, 0.0, 0));
    // Of one alone every quantile is its length.
    let one = Distribution::of(vec![7]);
    assert_eq!([0.0, 0.1, 0.5, 0.9, 1.0].map(|q| one.quantile(q)), [7.0; 5]);
    assert_eq!((one.mean(), one.max()), (7.0, 7));
}

#[test]
fn a_scope_takes_one_unit_or_the_mean_of_those_that_were_used() {
    let (text, kernels) = make::log(5, 600);
    let doc = open_set(&[("run.log", text.into_bytes())], &[]);
    let run = run(&doc);
    let of = |scope: &str| {
        let settings = Settings::of(&values(&[("scope", scope), ("orphans", "include")]), run);
        rows(run, &settings)
    };
    let (total, mean, busiest) = (of("total"), of("mean"), of("busiest"));
    let unit = |number: u32| {
        let reads =
            |line: &&make::Line| line.level == 0 && line.unit == number && !line.is_store && line.status != 3;
        let (lines, cycles) = &kernels[0];
        lines.iter().filter(reads).count() as f64 / *cycles as f64 * 1e3
    };
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * b.max(1.0), "{a} {b}");
    close(of("sm:5")[0].levels[0].read_mhz, unit(5));
    close(total[0].levels[0].read_mhz, unit(0) + unit(5) + unit(10));
    close(mean[0].levels[0].read_mhz, total[0].levels[0].read_mhz / 3.0);
    assert_eq!(mean[0].levels[0].lifetimes, total[0].levels[0].lifetimes);
    let best = run.kernels[0].levels[0].busiest().unwrap().number;
    close(busiest[0].levels[0].read_mhz, unit(best));
    assert_eq!(of("sm:77")[0].levels[0].unique, 0.0);
    for scoped in [&mean, &busiest] {
        assert_eq!(scoped[0].levels[1], total[0].levels[1], "L2 is told as a whole");
    }
    assert_eq!((run.rules.closing, run.rules.refill), (Closing::LastUse, Refill::Reopen));
    assert!(matches!(values(&[("scope", "mean")]).get("scope"), Some(Value::Text(_))));
}

#[test]
fn accesses_are_read_again_from_the_bytes_of_their_kernel() {
    let (text, kernels) = make::log(9, 300);
    let doc = open_set(&[("run.log", text.into_bytes())], &[]);
    let run = run(&doc);
    for (kernel, (lines, _)) in run.kernels.iter().zip(&kernels) {
        let (mut from, mut found) = (Some(kernel.bytes.start), Vec::new());
        while let Some(at) = from {
            let mut push = |level: usize, access: &lanescope::views::lifetimes::compute::Access| {
                found.push((level, access.cycle, access.unit, access.address));
            };
            from = run.accesses.as_ref().unwrap().read(kernel, at, &mut push).unwrap();
        }
        let expected: Vec<_> = lines.iter().map(|l| (l.level, l.cycle, l.unit, l.address)).collect();
        assert_eq!(found, expected);
    }
}
