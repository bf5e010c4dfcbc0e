//! Unit tests of single modules of gainsight.

mod export_report {
    use lanescope::systems::gainsight::export::report::date;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (now, day, time) in [
            (0, "1970-01-01", "00-00-00"),
            (951_782_399, "2000-02-28", "23-59-59"),
            (951_782_400, "2000-02-29", "00-00-00"),
            (1_751_451_333, "2025-07-02", "10-15-33"),
            (4_107_542_400, "2100-03-01", "00-00-00"),
        ] {
            assert_eq!(date(now), (day.to_owned(), time.to_owned()));
        }
    }
}

mod grid {
    use lanescope::systems::gainsight::Grid;

    #[test]
    fn counts_stay_where_they_are_when_bins_double() {
        let mut grid = Grid::new(4, 2);
        for (x, y) in [(-5, 100), (3, 7), (9, -100), (9, -100)] {
            grid.add(x, y);
        }
        assert_eq!(grid.cells().map(|(.., n)| n).sum::<u32>(), 4);
        let (x, y) = (grid.x.level, grid.y.level);
        let has = |at: (i64, i64), n| grid.cells().any(|cell| cell == (at.0 >> x, at.1 >> y, n));
        assert!(has((9, -100), 2) && has((-5, 100), 1) && has((3, 7), 1));
    }
}

mod scalesim_row {
    use lanescope::systems::gainsight::scalesim::row;

    #[test]
    fn cells_are_whole_numbers_however_written() {
        let read = |line: &str| {
            let mut to = vec![7];
            row(line.as_bytes(), &mut to).map(|row| (row.cycle, row.width, row.ones, row.is_over, to))
        };
        assert_eq!(read("-3.0,10000003.0,-1.0,1e3"), Some((-3, 3, 0, false, vec![7, 10_000_003, 1000])));
        assert_eq!(read("12,-1,1,1,\r"), Some((12, 3, 2, true, vec![7, 1, 1])));
        assert_eq!(read("12,-1"), Some((12, 1, 0, true, vec![7])));
        // A fetch begins in the first column.
        assert_eq!(read("12,1,1,1"), Some((12, 3, 2, false, vec![7, 1, 1, 1])));
        assert_eq!(
            [read("12"), read("x,1"), read("1,2,-3"), read("1,2,,3"), read("1,0.5"), read("")],
            [const { None }; 6]
        );
    }
}
