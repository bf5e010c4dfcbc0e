//! Unit tests of single modules of perfetto.

mod ftrace_rows {
    use lanescope::systems::perfetto::ftrace::rows::seconds;

    #[test]
    fn nanoseconds_become_the_nearest_double() {
        for nanos in [0, 1, 100_000_100_003, 8_431_207_942_123, (1 << 53) - 1, (1 << 53) + 1, i64::MAX] {
            let text = format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000);
            assert_eq!(seconds(nanos), text.parse::<f64>().unwrap(), "{text}");
        }
    }
}

mod ftrace_table {
    use lanescope::systems::perfetto::ftrace::TABLE;

    #[test]
    fn events_of_the_table_have_numbers_in_order_and_names_of_words() {
        let mut last = 0;
        for line in TABLE.lines() {
            let mut cells = line.split('\t');
            let number: u64 = cells.next().and_then(|cell| cell.parse().ok()).unwrap();
            assert!(last < number, "{line}");
            last = number;
            let is_word = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            assert!(cells.next().is_some_and(|name| !name.is_empty() && is_word(name)), "{line}");
            let mut fields = cells.next().into_iter().flat_map(|cell| cell.split(' '));
            assert!(fields.all(|field| field == "-" || is_word(field.trim_end_matches('+'))), "{line}");
        }
        assert_eq!(TABLE.lines().count(), 596);
    }
}
