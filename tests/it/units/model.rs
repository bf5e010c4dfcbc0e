//! Unit tests of single modules of model.

mod access {
    use lanescope::model::access::{Access, AccessKind, Accesses};
    use lanescope::model::access::{OPERATION, SPACE, UNIT};

    #[test]
    fn what_is_pushed_comes_back() {
        let mut all = Accesses::default();
        let rows = [
            (7, 0, 0x1000, 64),
            (8, 1, u64::MAX, 0),
            (9, 0, 0, u64::MAX),
            (3, 2, 1, u64::from(u32::MAX)),
            (4, 2, 1, u64::from(u32::MAX) - 1),
            (u64::MAX, 2, 2, 1 << 40),
            (0, 2, 2, 8),
        ];
        for (position, unit, address, bytes) in rows {
            let values = [(OPERATION, "LOAD"), (UNIT, &*format!("core{unit}")), (SPACE, "GM")];
            let class = all.class_row(values, AccessKind::Load);
            assert!(all.push(Access { position, class, address, bytes, site: u32::MAX }));
        }
        for (row, (position, unit, address, bytes)) in rows.into_iter().enumerate() {
            let got = all.get(row as u32).unwrap();
            assert_eq!((got.position, got.address, got.bytes), (position, address, bytes));
            let class = all.class(row as u32).unwrap();
            assert_eq!((all.unit_name(class), all.kind(class)), (format!("core{unit}"), AccessKind::Load));
        }
        assert_eq!((all.len(), all.classes().len(), all.get(7).is_none()), (7, 3, true));
        assert_eq!(all.positions.runs.len(), 3, "runs that grow by one are kept as one");
    }
}

mod chunked {
    use lanescope::model::chunked::{CHUNK, Chunked};

    #[test]
    fn rows_stay_as_they_were_added() {
        for n in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7] {
            let mut rows: Chunked<usize> = (0..n).map(|i| 2 * i).collect();
            assert_eq!((rows.len(), rows.is_empty()), (n, n == 0));
            assert!(rows.iter().copied().eq((0..n).map(|i| 2 * i)));
            assert_eq!(rows.get(n), None);
            assert_eq!(rows.last().copied(), n.checked_sub(1).map(|last| 2 * last));
            for from in [0, n / 2, n] {
                assert_eq!(rows.partition_point_in(from..n, |&row| row < n), from.max(n.div_ceil(2)));
            }
            rows.shrink_to_fit();
            assert_eq!(rows.capacity(), n);
            rows.grow_to(n + CHUNK, &1);
            assert_eq!((rows.len(), rows[n + CHUNK - 1]), (n + CHUNK, 1));
            rows.swap(n, n + CHUNK - 1);
            rows.swap(0, n + 1);
            rows[n + 1] += 1;
            assert_eq!(rows.iter().sum::<usize>(), n * n.saturating_sub(1) + CHUNK + 1);
        }
    }

    #[test]
    fn little_room_is_held() {
        let mut rows = Chunked::new();
        for i in 0..10 * CHUNK {
            rows.push(i);
            assert!(
                rows.capacity() <= (2 * rows.len()).max(4).min(rows.len().next_multiple_of(CHUNK)).max(4)
            );
        }
    }
}

mod clock {
    use lanescope::base::time::Ticks;
    use lanescope::model::clock::{Clocks, Place, Relation, SAME, TraceClock};

    fn relation(at: Ticks, first: Ticks, rate: (u64, u64)) -> Relation {
        Relation { at, first, rate }
    }

    #[test]
    fn every_tick_comes_back_from_an_axis_that_is_as_fine() {
        let epoch = 1_766_000_000_000_000_001;
        let axes =
            [SAME, relation(17, 5, (20, 33)), relation(-3, epoch, (2, 3)), relation(1, 0, (999, 1000))];
        for axis in axes {
            for own in [axis, SAME, relation(1 << 40, 77, (5, 4)), relation(0, -9, (1, 1))] {
                let place = Place::of(own, axis).unwrap();
                for tick in [0, 1, -1, 2, 3, 4, 5, 1_000_003, -77, 1 << 52, (1 << 52) + 1] {
                    assert_eq!(place.tick(place.axis(tick)), tick, "{own:?} on {axis:?}");
                }
                assert!((0..100).all(|t| place.axis(t) < place.axis(t + 1)), "{own:?} on {axis:?}");
            }
        }
        assert_eq!(Place::of(SAME, SAME), Some(Place::default()));
    }

    #[test]
    fn what_does_not_fit_is_not_related() {
        let wild = relation(i64::MAX, i64::MIN, (u64::MAX, 1));
        assert_eq!(Place::of(wild, SAME), None);
        let clock = |relation| TraceClock { relation: Some(relation), ..TraceClock::default() };
        let rows =
            vec![clock(SAME), clock(wild), clock(relation(0, 0, (0, 1))), clock(relation(0, 0, (1, 2)))];
        let mut clocks = Clocks { rows, revision: 0 };
        clocks.arrange();
        let is_related: Vec<bool> = clocks.rows.iter().map(|c| c.relation.is_some()).collect();
        assert_eq!(is_related, [true, false, false, true]);
        assert_eq!(clocks.rows[0].place.axis(5), 10, "the axis counts halves of the first clock's ticks");
    }
}

mod code_flow {
    use lanescope::model::code::{ControlFlow, Edge};
    use lanescope::model::id::ListingId;

    #[test]
    fn lines_inside_of_others_stand_inside() {
        let edge = |from, to| Edge { from, to, ..Edge::default() };
        let flow = ControlFlow::new(
            ListingId(0),
            vec![4, 0, 2, 8],
            vec![edge(9, 0), edge(3, 2), edge(3, 4), edge(5, 8), edge(7, 7)],
        );
        let lanes: Vec<_> = flow.edges.iter().map(|e| (e.from, e.to, e.lane)).collect();
        let wanted = [(3, 2, Some(1)), (3, 4, None), (5, 8, Some(1)), (7, 7, Some(2)), (9, 0, Some(0))];
        assert_eq!(lanes, wanted);
        assert_eq!((flow.lanes(), flow.block_of(3), flow.block_of(9)), (3, (2, 4), (8, u32::MAX)));
    }
}

mod figure_target {
    use lanescope::base::time::Span;
    use lanescope::model::figure::target::{Target, ranges};
    use lanescope::model::id::ListingId;

    #[test]
    fn ranges_are_ordered_and_joined() {
        let text = "0x2000–0x2010, 0x1000–0x1010, 2011–0x2014, nothing, 0x9–0x8, 0x1004–0x1008";
        assert_eq!(ranges(text), [(0x1000, 0x1010), (0x2000, 0x2014)]);
        assert_eq!(ranges(""), []);
    }

    #[test]
    fn a_place_is_a_path_and_a_line() {
        let line = |path: &str, line| Some(Target::Line { path: path.to_owned(), line });
        assert_eq!(Target::of_place("C:\\op\\a.cpp:17"), line("C:\\op\\a.cpp", 17));
        assert_eq!(Target::of_place("a.cpp:0"), None);
        let span = Some(Span::new(1_000, 1_250));
        let run = Some(Span::new(0, 9_000));
        let text = Target::place_of_slices("scope:LR PE", span, run);
        assert_eq!(text, "time:1000+250 in:0+9000 find:scope:LR PE");
        for (search, span, within) in
            [("scope:LR PE", span, run), ("", span, None), ("a b", None, None), ("a b", None, run)]
        {
            let place = Target::place_of_slices(search, span, within);
            let slices = Target::Slices { search: search.to_owned(), span, within };
            assert_eq!(Target::of_place(&place), Some(slices));
        }
        assert_eq!(Target::of_place("time:x+1"), None);
        assert_eq!(Target::of_place("in:1+1"), None);
        assert_eq!(Target::shown("in:1+1 find:a b"), "a b");
        assert_eq!(Target::shown("time:1500000000+250 find:a"), "1.500000");
        let since = Target::place_since(Span::new(1_500_000_000, 1_500_000_250), 1_250_000_000);
        assert_eq!(Target::shown(&since), "0.250000");
        assert!(matches!(Target::of_place(&since), Some(Target::Slices { search, .. }) if search.is_empty()));
        let since = Target::since(&Target::place_of_slices("a b", Some(Span::new(3_000, 4_000)), run), 1_000);
        assert_eq!(
            (since.as_str(), &*Target::shown(&since)),
            ("time:3000+1000 in:0+9000 since:1000 find:a b", "0.000002")
        );
        let slices =
            Target::Slices { search: "a b".to_owned(), span: Some(Span::new(3_000, 4_000)), within: run };
        assert_eq!(Target::of_place(&since), Some(slices));
        assert_eq!(Target::shown("a.cpp:3"), "a.cpp:3");
        let place = Target::place_of_instruction(ListingId(3), 0x1f0);
        assert_eq!((place.as_str(), &*Target::shown(&place)), ("code:3:0x1f0", "0x1f0"));
        let found = Target::of_place(&place);
        assert!(matches!(found, Some(Target::Instructions(p)) if p.listing.0 == 3 && p.first == 0x1f0));
        assert_eq!(Target::of_place("code:x:0x1"), None);
        assert_eq!(Target::of_place("find:"), None);
        assert_eq!(Target::of_place("a.cpp"), None);
    }
}
