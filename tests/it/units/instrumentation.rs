//! Unit tests of single modules of instrumentation.

mod combine_beside {
    use lanescope::systems::instrumentation::combine::{Beside, Work};

    /// Sums numbers; tells which of them are odd.
    #[derive(Default)]
    struct Sum(u64, bool);

    impl Work<(Vec<u64>, Vec<u64>)> for Sum {
        fn work(&mut self, (numbers, odd): &mut (Vec<u64>, Vec<u64>)) {
            assert!(!self.1, "cannot sum");
            odd.extend(numbers.iter().filter(|n| *n % 2 == 1));
            self.0 = numbers.drain(..).fold(self.0, |sum, n| sum.wrapping_mul(31).wrapping_add(n));
        }
    }

    /// The sum of what a thousand batches hold, and what was told of them.
    fn summed(has_many: impl Fn(u64) -> bool) -> (u64, Vec<u64>) {
        let (mut beside, mut batch, mut told) = (Beside::new(Sum::default()), Default::default(), Vec::new());
        for n in 0..1_000 {
            let (numbers, _): &mut (Vec<u64>, Vec<u64>) = &mut batch;
            numbers.extend([n, n * n]);
            beside.give(&mut batch, has_many(n));
            assert!(batch.0.is_empty());
            told.append(&mut batch.1);
        }
        beside.end(|(_, mut odd)| told.append(&mut odd));
        (beside.work().0, told)
    }

    #[test]
    fn another_thread_comes_to_the_same_and_tells_it_in_the_same_order() {
        let here = summed(|_| false);
        assert_eq!(here.1.len(), 1_000);
        assert_eq!(summed(|_| true), here);
        assert_eq!(summed(|n| 500 <= n), here);
    }

    #[test]
    #[should_panic(expected = "cannot sum")]
    fn what_goes_wrong_in_another_thread_goes_wrong_here() {
        let (mut beside, mut batch) = (Beside::new(Sum(0, true)), Default::default());
        (0..10).for_each(|_| beside.give(&mut batch, true));
        beside.end(drop);
    }
}

mod intel {
    use lanescope::base::map::Map;
    use lanescope::systems::instrumentation::intel::{flow, send};

    #[test]
    fn branches_lead_to_addresses_relative_to_themselves() {
        let of = |address, text| flow(address, text, &Map::default()).unwrap();
        let branch = of(0x148, "(~f1.0) if (32|M0)      48         368");
        assert_eq!((branch.falls, branch.targets, branch.leaders), (true, vec![0x178], vec![0x178, 0x2b8]));
        assert_eq!(of(0x2a8, "(f0.0)  while (32|M0)    -280").targets, [0x190]);
        assert!(!of(0x168, "        else (32|M0)   336   336").falls);
        assert!(of(0x350, "(W) send.ts (1|M0) null r127 null 0x0 0x02000010 {EOT,@1} // wr:1+0").is_exit);
        assert_eq!(flow(0, "(W) mov (8|M0) r5.0<1>:ud r0.0<1;1,0>:ud", &Map::default()), None);
    }

    #[test]
    fn sends_say_what_they_do_to_memory() {
        let of = |text| {
            send(text).map(|s| {
                let of = s.operand;
                (of.reads, of.writes, of.bytes.unwrap_or(0), s.lanes, s.registers)
            })
        };
        let read = "send.dc1 (16|M0) r35 r30 null 0x0 0x04205E00 {@4,$0} // wr:2+0, rd:2; untyped surface read with x";
        assert_eq!(of(read), Some((true, false, 4, 16, Some(2))));
        let write = "send.dc1 (16|M0) null r48 r26 0x80 0x04025E02 {$4} // wr:2+2, rd:0; untyped surface write with xy";
        assert_eq!(of(write), Some((false, true, 8, 16, Some(2))));
        let load =
            "send.ugm (32|M0) r32 r27 null:0 0x0 0x08200580 {A@1,$5} // wr:4+0, rd:2; load.ugm.d32x2.a64";
        assert_eq!(of(load), Some((true, false, 8, 32, Some(4))));
        let fence = "(W) send.dc0 (8|M0) r43 r5 null 0x0 0x0219E000 {$6} // wr:1h+0, rd:1; synchronized global fence flushing";
        assert_eq!(of(fence), None);
        assert_eq!(of("(W) send.dc0 (8|M0) r43 r5 null 0x0 0x0219E000 {$6}"), None);
        assert_eq!(
            of("send.dc1 (16|M0) null r48 r26 0x80 0x04025E02 {$4}"),
            Some((false, true, 4, 16, None))
        );
        assert_eq!(of("mad (16|M16) r28.0<1>:f r28.0<8;1>:f"), None);
    }
}

mod matrices {
    use lanescope::systems::instrumentation::address_lanes;

    #[test]
    fn matrices_have_the_addresses_of_their_rows() {
        for (text, lanes) in [
            ("LDSM.16.M88.4 R4, [R10]", u32::MAX),
            ("@!P0 LDSM.16.MT88.2 R12, [R13] ;", 0xffff),
            ("STSM.16.M88 [R14], R3", 0xff),
            ("LDSM.16.M88", 0xff),
            ("LDSM R3, [R9]", u32::MAX),
            ("LDS.128 R16, [R15]", u32::MAX),
        ] {
            assert_eq!(address_lanes(text), lanes, "{text}");
        }
    }
}

mod metrics {
    use lanescope::systems::instrumentation::metrics::shape::Moved;
    use lanescope::systems::instrumentation::metrics::{AccessMetrics, Class, Meter};
    use lanescope::views::executions::compute::{MemoryOperand, Space};

    const LOAD: MemoryOperand = MemoryOperand::LOAD;

    fn measured(addresses: &[u64], operand: MemoryOperand) -> (Moved, AccessMetrics) {
        let mut meter = Meter::default();
        let at = meter.instruction();
        meter.run(at, u32::MAX);
        let mask = u32::MAX.checked_shr(32 - u32::try_from(addresses.len()).unwrap()).unwrap_or(0);
        let moved = meter.access(at, (mask, addresses), operand);
        (moved, *meter.instructions.swap_remove(0).access.unwrap())
    }

    #[test]
    fn each_pattern_has_its_class_and_its_sectors() {
        let lanes = |step: u64| (0..32).map(|n| 0x1000 + n * step).collect::<Vec<u64>>();
        let cases = [
            (vec![], Class::None, 0, 0, 0),
            (vec![0x1001], Class::Single, 1, 1, 4),
            (lanes(0), Class::Uniform, 1, 1, 4),
            (lanes(4), Class::Unit, 4, 1, 128),
            (lanes(128), Class::Stride, 32, 32, 128),
            ([&lanes(4)[..31], &[0x8000]].concat(), Class::Segmented, 5, 2, 128),
            (vec![0x1000, 0x1100, 0x1004, 0x1104], Class::Irregular, 2, 2, 16),
            (vec![0x1010, 0x100C, 0x1008], Class::Stride, 1, 1, 12),
            // Lanes that straddle a sector and a line, and overlap each other.
            (vec![0x107E, 0x107F], Class::Stride, 2, 2, 5),
        ];
        for (addresses, class, sectors, lines, unique) in cases {
            let (_, of) = measured(&addresses, LOAD);
            assert_eq!((of.sectors, of.lines, of.unique), (sectors, lines, unique), "{addresses:x?}");
            assert_eq!(of.classes[class as usize], 1, "{addresses:x?}");
        }
        let (moved, of) = measured(&lanes(128), LOAD);
        assert_eq!((moved, of.efficiency()), (Moved { sectors: 32, unique: 128, excess: 28 }, Some(0.125)));
        assert_eq!((of.strides, of.other_strides), (vec![(128, 31)], 0));
    }

    #[test]
    fn addresses_at_the_end_of_memory_are_no_trouble() {
        let (moved, _) = measured(&[u64::MAX, 0, u64::MAX - 1], LOAD);
        assert_eq!(moved.sectors, 2);
    }

    #[test]
    fn banks_are_passed_once_for_each_word_of_theirs() {
        let shared = |bytes| MemoryOperand { bytes: Some(bytes), space: Space::Shared, ..LOAD };
        let passes = |n: u64, step: u64, bytes| {
            let lanes: Vec<u64> = (0..n).map(|n| n * step).collect();
            let (_, of) = measured(&lanes, shared(bytes));
            assert_eq!((of.sectors, of.moved, of.unique, of.efficiency()), (0, 0, 0, None));
            (of.shared.wavefronts, of.shared.ideal)
        };
        let words = [passes(32, 4, 4), passes(32, 0, 4), passes(32, 8, 4), passes(32, 128, 4)];
        assert_eq!(words, [(1, 1), (1, 1), (2, 1), (32, 1)]);
        // Halves and quarters of a warp pass one behind the other, as far as they have lanes.
        let wide = [passes(32, 8, 8), passes(32, 16, 16), passes(32, 32, 16), passes(9, 16, 16)];
        assert_eq!(wide, [(2, 2), (4, 4), (8, 4), (2, 2)]);
    }
}

mod nvbit_head {
    use lanescope::systems::instrumentation::nvbit::{
        head_count, head_kernel, head_launch, head_opcode, head_registers, register_head,
    };

    #[test]
    fn launches_have_names_with_anything_in_them() {
        let line = b"MEMTRACE: CTX 0x00000000000000ab - LAUNCH - Kernel pc 0x0000000000001000 - Kernel name \
            f(int - 1, x - y) - grid launch id 7 - grid size 8,2,1 - block size 1024,1,1 - nregs 12 - shmem 0 - cuda stream id 3";
        let head = head_launch(line).unwrap();
        assert_eq!((head.name.as_str(), head.id, head.grid), ("f(int - 1, x - y)", Some(7), [8, 2, 1]));
        assert_eq!((head.pc, head.facts[2].1.as_str()), (0x1000, "3"));
        let short = &line[..memchr::memmem::find(line, b" - grid size").unwrap()];
        assert_eq!(head_launch(short).map(|head| (head.id, head.grid)), Some((Some(7), [0; 3])));
        assert_eq!(head_launch(&line[..90]), None);
        let kernel =
            head_kernel(b"Kernel g(a - b) - grid size 2,1,1 - block size 64,1,1 - nregs 8 - shmem 0")
                .unwrap();
        assert_eq!((kernel.name.as_str(), kernel.group), ("g(a - b)", [64, 1, 1]));
    }

    #[test]
    fn counts_and_heads_of_registers_are_read() {
        let line = b"kernel 3 - void f<a - b>(int, int) - #thread-blocks 98,  kernel instructions 50077, total instructions 60000";
        let count = head_count(line).unwrap();
        assert_eq!((count.kernel, count.name.as_str(), count.groups), (3, "void f<a - b>(int, int)", 98));
        assert_eq!((count.instructions, count.total), (50_077, 60_000));
        assert_eq!(head_opcode(b"  LDG.E.SYS = 12"), Some(("LDG.E.SYS".to_owned(), 12)));
        assert_eq!(head_opcode(b"  NOBANNER = no"), None);
        let head = register_head(b"CTA 1,0,0 - warp 2 - PC 32 - LDG.E R0, [R2] ;:").unwrap();
        assert_eq!(
            (head.cta, head.warp, head.pc, head.assembly),
            ([1, 0, 0], 2, Some(32), "LDG.E R0, [R2] ;")
        );
        assert_eq!(head_registers(b"* Reg1_T0: 0x0000000a Reg1_T1: 0x0b "), Some((1, vec![10, 11])));
        assert_eq!(head_registers(b"* Reg1_T1: 0x0000000a"), None);
    }
}

mod nvbit_line {
    use lanescope::systems::instrumentation::nvbit::line::{Access, bare, eight, hex};

    /// A record of the plain dialect.
    fn plain() -> String {
        let head = "MEMTRACE: CTX 0x0000000000000abc - grid_launch_id 3 - CTA 1,2,3 - warp 4 - LDG.E.64 - ";
        let lanes =
            (0..32_u64).map(|lane| format!("{:#018x} ", if lane < 2 { 0x1000 + 8 * lane } else { 0 }));
        head.to_owned() + &lanes.collect::<String>()
    }

    #[test]
    fn records_are_read_whole_or_to_the_byte_that_does_not_belong() {
        let text = plain();
        let mut access = Access::default();
        assert_eq!(access.read(text.as_bytes()), Ok(()));
        assert_eq!((access.context, access.launch, access.cta, access.warp), (0xabc, Some(3), [1, 2, 3], 4));
        assert_eq!(&text[access.opcode.clone()], "LDG.E.64");
        assert_eq!((access.mask(), access.addresses[1]), (3, 0x1008));
        assert_eq!(access.read(&text.as_bytes()[..205]), Err(200), "inside the seventh value");
        assert_eq!(access.lanes, 6);
        let strange = text.replace("warp 4", "warp x");
        assert_eq!(access.read(strange.as_bytes()), Err(text.find("warp").unwrap()));
        let more = text.replace(" - warp", " - mode 7 - SM_id 2 - pc 144 - warp");
        assert_eq!(access.read(more.as_bytes()), Ok(()));
        assert_eq!((access.sm, access.pc), (Some(2), Some(144)));
    }

    #[test]
    fn eight_digits_are_read_as_one_by_one() {
        for byte in 0..=255_u8 {
            for at in 0..8 {
                let mut digits = *b"0a9F4c1e";
                digits[at] = byte;
                let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
                assert_eq!(eight(digits).map(u64::from), hex(&digits).filter(|_| is_hex), "{byte} at {at}");
            }
        }
    }

    #[test]
    fn bare_lines_have_a_width() {
        assert_eq!(bare(b"0x0000000040000000,0x00007f"), Some((8, 0x4000_0000, 0x7f)));
        assert_eq!(bare(b"0x40000000x,0x7f"), None);
        assert_eq!(
            bare(&[b"0x".as_slice(), &[b'4'; 64], b",0x10"].concat()).map(|b| (b.0, b.2)),
            Some((32, 16))
        );
    }
}

mod nvbit_mend {
    use lanescope::systems::instrumentation::nvbit::Mended;
    use lanescope::systems::instrumentation::nvbit::TRIES;
    use lanescope::systems::instrumentation::nvbit::line::{Access, MARK};
    use lanescope::systems::instrumentation::nvbit::mend;
    use lanescope::systems::instrumentation::nvbit::region;

    /// A record with data.
    fn pairs() -> String {
        let head = "MEMTRACE: CTX 0x0000000000000abc - grid_launch_id 3 - CTA 1,2,3 - warp 4 - LDG.E.64 - pc 16 - Size 8 - \
            MREF per threads(threadidx,data,address) : ";
        let lanes = (0..32_u64)
            .map(|lane| format!("Thread{lane},{:#018x},{:#018x} ", lane, 0x7f_0000_1000 + 8 * lane));
        head.to_owned() + &lanes.collect::<String>()
    }

    #[test]
    fn output_is_cut_out_wherever_it_was_printed() {
        let head = "MEMTRACE: CTX 0x0000000000000abc - grid_launch_id 3 - CTA 1,2,3 - warp 4 - LDG.E.64 - ";
        let text = head.to_owned()
            + &(0..32_u64)
                .map(|lane| format!("{:#018x} ", 0x7f_0000_1000 + 8 * lane))
                .collect::<Vec<_>>()
                .concat();
        for (text, foreign) in [text, pairs()]
            .iter()
            .flat_map(|text| ["step 7 done\n", "x", "added 0xfe\nbe\n", "\n"].map(|foreign| (text, foreign)))
        {
            let mut whole = Access::default();
            whole.read(text.as_bytes()).unwrap();
            let mut n = 0;
            for at in (MARK.len()..text.len()).step_by(7) {
                let cut = format!("{}{foreign}{}\nmore\n", &text[..at], &text[at..]);
                let mut access = Access::default();
                let first = cut.split('\n').next().unwrap();
                let Err(wrong) = access.read(first.as_bytes()) else { continue };
                let size = region(cut.as_bytes(), first.len(), true).unwrap();
                let mut tries = TRIES;
                n += 1;
                let mended = mend(&cut.as_bytes()[..size], wrong, &mut tries, &mut access);
                let Some(Mended { end, .. }) = mended else {
                    panic!("{foreign:?} at {at}, {tries} tries left")
                };
                assert_eq!(&cut[end..], "\nmore\n", "{foreign:?} at {at}");
                access.list = whole.list; // the words before it are free
                assert_eq!(access, whole, "{foreign:?} at {at}");
            }
            assert!(60 < n, "{n}");
        }
    }
}

mod nvbit_opcode {
    use lanescope::systems::instrumentation::nvbit::{opcode_operand, opcode_registers};
    use lanescope::views::executions::compute::Space;

    #[test]
    fn opcodes_tell_memory_and_width() {
        let is =
            |text: &str| opcode_operand(text).map(|o| (o.reads, o.writes, o.bytes.unwrap_or(0), o.space));
        assert_eq!(is("LDG.E.64.SYS"), Some((true, false, 8, Space::Global)));
        assert_eq!(is("STS.U8"), Some((false, true, 1, Space::Shared)));
        assert_eq!(is("LDSM.16.M88.4"), Some((true, false, 16, Space::Shared)));
        assert_eq!(opcode_operand("@P0 LDSM.16.M88.2").map(|of| of.lanes), Some(0xffff));
        assert_eq!(is("STG.E"), Some((false, true, 4, Space::Global)));
        assert_eq!(is("IADD3"), None);
    }

    #[test]
    fn registers_stand_outside_of_addresses() {
        assert_eq!(opcode_registers("LDG.E.64 R4, [R2.64+0x8] ;"), [4]);
        assert_eq!(opcode_registers("IMAD R0, R3.reuse, c[0x0][0x0], RZ ;"), [0, 3, 255]);
        assert_eq!(opcode_registers("@P0 EXIT ;"), [0_u16; 0]);
    }
}

mod pti_repair {
    use lanescope::systems::instrumentation::pti::before;
    use lanescope::systems::instrumentation::pti::repair;

    #[test]
    fn quotes_and_backslashes_inside_strings_are_escaped() {
        let (text, added) = repair(br#"{"asm": "say "hi" now", "file": "C:\new\d.cpp", "n": 1}"#);
        assert_eq!(
            String::from_utf8(text).unwrap(),
            r#"{"asm": "say \"hi\" now", "file": "C:\\new\\d.cpp", "n": 1}"#
        );
        assert_eq!((before(&added, 8), before(&added, 40)), (8, 37));
        let good = br#"{"a": "x \"y\" z", "b": ["C:\\d", "e"], "c": ""}"#;
        assert_eq!(repair(good), (good.to_vec(), Vec::new()));
        assert_eq!(repair(br#"{"d": "C:\dir\", "e": 2}"#).0, br#"{"d": "C:\\dir\\", "e": 2}"#);
    }
}
