//! Unit tests of single modules of neutrino.

mod density_select {
    use lanescope::systems::neutrino::density::Select;

    #[test]
    fn ranges_are_read_as_they_are_written() {
        for (text, inside, outside) in
            [("", &[0, 9_999][..], &[][..]), ("3", &[3], &[2, 4]), ("0-2, 7–8", &[0, 2, 7, 8], &[3, 6, 9])]
        {
            let select = Select::parse(text).unwrap();
            assert!(
                inside.iter().all(|n| select.has(*n)) && !outside.iter().any(|n| select.has(*n)),
                "{text}"
            );
        }
        assert_eq!(Select::parse("all"), None);
        assert_eq!(Select::parse("1-"), None);
    }
}

mod maps_spread {
    use lanescope::systems::neutrino::maps::{Sample, Spread, quantile};

    #[test]
    fn bins_widen_until_all_values_fit_and_lose_none() {
        let lists: [Vec<u64>; 7] = [
            (0..10_000).map(|i| i * 7).collect(),
            (0..5_000).rev().map(|i| i + (1 << 63)).collect(),
            vec![0, u64::MAX, 5, 1 << 40],
            vec![4_001_485_358_727, 4_000_003_728_505, 4_001_926_175_002],
            vec![7; 100],
            vec![u64::MAX; 3],
            vec![u64::MAX - 1, 0, u64::MAX],
        ];
        for values in lists {
            let mut spread = Spread::default();
            for value in &values {
                spread.add(*value);
            }
            for n in [1, 2, 64, 100, 4096] {
                let (edges, counts) = spread.bins(n);
                assert!(counts.len() <= n && edges.len() == counts.len() + 1);
                for (i, count) in counts.iter().enumerate() {
                    let is_last = |v: u64| edges[i + 1] == u64::MAX && v == u64::MAX;
                    let inside = |v: &&u64| edges[i] <= **v && (**v < edges[i + 1] || is_last(**v));
                    assert_eq!(values.iter().filter(inside).count() as u64, *count);
                }
                assert_eq!(counts.iter().sum::<u64>(), values.len() as u64);
            }
        }
    }

    #[test]
    fn a_sample_of_more_than_fits_is_fair() {
        let mut sample = Sample::new(2, 1000);
        (0..100_000u64).for_each(|i| sample.add(&[i, i * 2]));
        assert!(!sample.is_all() && sample.rows().count() == 1000 && sample.rows().all(|r| r[1] == 2 * r[0]));
        let median = quantile(&sample.sorted(0), 0.5).unwrap();
        assert!((42_000..58_000).contains(&median), "{median}");
        assert_eq!(quantile(&[1, 2, 5, 9], 0.5), Some(3));
        assert_eq!(quantile(&[], 0.5), None);
    }
}

mod records {
    use lanescope::input::EntryId;
    use lanescope::input::Memory;
    use lanescope::systems::neutrino::Walk;
    use lanescope::systems::neutrino::result::{Field, MapDef, ResultFile, Section};
    use std::rc::Rc;

    /// Numbers of records as a walk hands them over, by unit; and its steps.
    fn walked(unit_bytes: u64, units: u64, cut: usize) -> (Vec<(u64, u64, u64)>, u32) {
        let field = Field { width: 8, ..Field::default() };
        let map = MapDef { fields: vec![field.clone()], ..MapDef::default() };
        let section = Section { map, start: 8, unit_bytes, units, addressed: units, ..Section::default() };
        let per_unit = section.records_per_unit();
        let mut bytes = vec![0xff; 8];
        for unit in 0..units {
            (0..per_unit).for_each(|at| bytes.extend((unit * per_unit + at + 1).to_le_bytes()));
            bytes.resize(bytes.len() + (unit_bytes % 8) as usize, 0xff);
        }
        bytes.truncate(bytes.len() - cut);
        let file = ResultFile {
            entry: EntryId(0),
            source: Rc::new(Memory(bytes)),
            name: String::new(),
            launch: None,
            grid: [1; 3],
            block: [1; 3],
            warp: 32,
            sections: Vec::new(),
        };
        let (mut walk, mut found, mut steps) = (Walk::new(&file, &section), Vec::new(), 1);
        while walk.read(&mut |r| found.push((r.unit, r.index, field.value(r.bytes)))).unwrap() {
            steps += 1;
        }
        (found, steps)
    }

    #[test]
    fn units_with_bytes_behind_their_records_are_walked_many_at_a_time() {
        for (unit_bytes, per_unit, most) in [(8, 1, 2), (11, 1, 2), (31, 3, 5), (24, 3, 4)] {
            let (found, steps) = walked(unit_bytes, 300_000, 0);
            let expected = (0..300_000 * per_unit).map(|n| (n / per_unit, n % per_unit, n + 1));
            assert!(found.into_iter().eq(expected), "{unit_bytes}");
            assert!(steps <= most, "{unit_bytes}: {steps} steps");
        }
        // Of a cut file what is there.
        assert_eq!(walked(31, 4, 31 + 8).0.len(), 3 * 3 - 1);
    }
}

mod schedule_tool {
    use lanescope::systems::neutrino::schedule::Script;
    use lanescope::views::schedule::compute::ToolFigures;

    #[test]
    fn only_the_oldest_block_of_an_sm_is_looked_at() {
        let mut script = Script::default();
        // Two lanes: the second block is long, the first and the third follow each other without a gap.
        for (start, elapsed) in [(0, 10), (0, 100), (10, 10), (20, 10), (110, 5)] {
            script.block(7, start, elapsed);
        }
        // 10 − 10, then the long block hides those behind it, then 110 − 100.
        let expected = ToolFigures { blocks: 5, units: 1, running: 135, scheduling: 10 };
        assert_eq!(script.finish(), Some(expected));
        assert_eq!(Script::default().finish(), None);
    }
}
