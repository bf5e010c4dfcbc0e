//! Unit tests of single modules of android.

mod nnapi_aosp_code {
    use lanescope::systems::android::nnapi::aosp::{Code, Codes, LAYERS};
    use lanescope::systems::android::nnapi::mark::Phase;

    #[test]
    fn known_codes_lead_to_what_they_stand_for() {
        let mut codes = Codes::default();
        for layer in LAYERS {
            assert_eq!(codes.code(layer.code()), Code::layer(layer));
            assert_eq!(Code::layer(layer).as_layer(), Some(layer));
            assert_eq!(Code::layer(layer).as_phase(), None);
        }
        for phase in Phase::ALL {
            assert_eq!(codes.code(phase.code()), Code::phase(phase));
            assert_eq!(Code::phase(phase).as_phase(), Some(phase));
        }
        let odd = codes.code("LDV");
        assert_eq!((odd.as_layer(), odd.as_phase(), codes.name(odd)), (None, None, "LDV"));
        assert_eq!((Code::NONE.as_layer(), codes.name(Code::NONE)), (None, "None"));
    }
}

mod nnapi_aosp_reading {
    use lanescope::systems::android::nnapi::aosp::Codes;
    use lanescope::systems::android::nnapi::aosp::reading::{
        BAD_FUNCTION, NO_FUNCTION, Reading, SERVER, WAIT, function, tag,
    };

    /// Layer in an application and phase, or what is said at the refusal.
    fn read(mark: &str) -> String {
        let mut codes = Codes::default();
        match Reading::of(mark, &mut codes).scope {
            Ok((layer, _, phase)) => format!("{} {}", codes.name(layer), codes.name(phase)),
            Err(refusal) => refusal.words(),
        }
    }

    #[test]
    fn tags_are_found_from_the_right() {
        assert_eq!(tag("B|1|[SW][NN_LC_PCO]f"), Some("NN_LC_PCO"));
        assert_eq!(tag("B|1|[NN_LDV_PC][validateModel]"), Some("NN_LDV_PC"));
        assert_eq!(tag("B|1|[NN_LR_PP]a[1]"), Some("NN_LR_PP"));
        assert_eq!(tag("B|1|[NN_LR_PP]a[1]b"), Some("1"));
        assert_eq!(tag("B|1|[NN_LR_PP]"), None);
        assert_eq!(tag("B|1|[NN_LR_PP]["), Some("NN_LR_PP"));
        assert_eq!(tag("[NN_LR_PP]f B|1|"), None);
        assert_eq!(tag("B|x|[NN_LR_PP]f"), None);
        assert_eq!(tag("B|12B|3|[[a]b"), Some("a"));
    }

    #[test]
    fn marks_without_a_tag_are_known_by_interfaces() {
        assert_eq!(read("B|1|doFrame"), "LX PI");
        assert_eq!(read("B|1|HIDL::IDevice::prepareModel_1_1::server"), "LC PC");
        assert_eq!(read("B|1|HIDL::IExecutionCallback::notify::client"), "LX PE");
        assert_eq!(read("B|1|HIDL::IAllocator::allocate::client"), "LI PU");
        assert_eq!(read("B|1|HIDL::IDevice::getType"), "AssertionError: B|1|HIDL::IDevice::getType");
    }

    #[test]
    fn early_mistakes_are_set_right() {
        assert_eq!(read("B|1|[NN_LR_PT]ANeuralNetworksEvent_free"), "LR PE");
        assert_eq!(read("B|1|[NN_LD_PC]SampleDriver::getSupportedExtensions"), "LC PI");
        assert_eq!(read("B|1|[a_b]f"), "ValueError: not enough values to unpack (expected 3, got 2)");
        assert_eq!(read("B|1|[a_b_c_d]f"), "ValueError: too many values to unpack (expected 3)");
        let wrapper = "B|1|[SW][NN_LA_PR]executeWithCompilation example";
        assert!(!Reading::of(wrapper, &mut Codes::default()).is_switch);
    }

    #[test]
    fn functions_stand_behind_the_tag() {
        assert_eq!(function("B|1|[NN_LR_PE]ANeuralNetworksEvent_wait"), WAIT as u8);
        assert_eq!(function("B|1|[SUB][NN_LR_PE][ANeuralNetworksEvent_wait]"), WAIT as u8);
        assert_eq!(function("B|1|HIDL::IPreparedModel::execute::server"), SERVER as u8);
        assert_eq!(function("B|1|HIDL::IPreparedModel::execute::server|1"), SERVER as u8);
        assert_eq!(function("B|1|[NN_LR_PE]f"), NO_FUNCTION);
        assert_eq!(function("B|1|[NN_LR_PE"), BAD_FUNCTION);
        assert_eq!(function("B1"), BAD_FUNCTION);
    }
}

mod nnapi_aosp_times {
    use lanescope::systems::android::nnapi::aosp::times::{
        TOTAL, self_line, self_line_of_idle_driver, set_total,
    };

    #[test]
    fn a_layer_is_without_what_is_below_it() {
        let line = [10.0, 8.0, 5.0, 3.0, 0.0, 10.0];
        assert_eq!(self_line(&line), [2.0, 3.0, 2.0, 3.0, 0.0, 10.0]);
        let line = [10.0, 0.0, 5.0, 3.0, 4.0, 10.0];
        assert_eq!(self_line(&line), [5.0, 0.0, 2.0, -1.0, 4.0, 10.0]);
        assert_eq!(self_line_of_idle_driver(&line), [6.0, 0.0, 2.0, 3.0, 4.0, 10.0]);
    }

    #[test]
    fn the_total_is_the_largest_layer() {
        let mut line = [f64::NAN, 2.0, 7.0, 3.0, 0.0, 0.0];
        set_total(&mut line);
        assert_eq!(line[TOTAL], 7.0);
        let mut line = [-1.0, -2.0, -7.0, -3.0, -0.5, 0.0];
        set_total(&mut line);
        assert_eq!(line[TOTAL], -0.5);
    }
}

mod nnapi_aosp_tree {
    use lanescope::systems::android::nnapi::aosp::Code;
    use lanescope::systems::android::nnapi::aosp::tree::{Node, ROOT, Tree};
    use lanescope::systems::android::nnapi::mark::{App, Layer};

    /// A tree from nested text: `a(x(b)c)`; letters from `w` on are taken away.
    fn grown(text: &str) -> (Tree, Vec<char>) {
        let mut tree = Tree::default();
        let (mut names, mut at) = (vec!['.'], ROOT);
        for c in text.chars() {
            match c {
                '(' => at = names.len() as u32 - 1,
                ')' => at = tree.node(at).parent,
                c => {
                    let layer = Code::layer(if c < 'w' { Layer::Runtime } else { Layer::Ignored });
                    tree.add(at, Node::begun(0, 0.0, (layer, Code::NONE), App::Overall));
                    names.push(c);
                }
            }
        }
        (tree, names)
    }

    fn lifted(text: &str) -> String {
        let (mut tree, names) = grown(text);
        tree.lift(|node| node.layer == Code::layer(Layer::Ignored));
        let named = tree.preorder().map(|(node, depth)| format!("{}{depth}", names[node as usize]));
        named.collect::<Vec<_>>().concat()
    }

    #[test]
    fn children_of_what_is_gone_come_behind() {
        assert_eq!(lifted("a(bc)"), ".0a1b2c2");
        assert_eq!(lifted("x(a(b))c"), ".0c1a1b2");
        assert_eq!(lifted("a(x(b)c)"), ".0a1c2b2");
        assert_eq!(lifted("x(y(a)b)z(c)"), ".0b1a1c1");
        assert_eq!(lifted("a(x(b(y(c)d)e)f)"), ".0a1f2b2d3c3e2");
    }
}

mod nnapi_export_python {
    use lanescope::systems::android::nnapi::export::python::fixed;
    use lanescope::systems::android::nnapi::export::python::quoted;
    use lanescope::systems::android::nnapi::export::python::repr;
    use proptest::prelude::*;

    #[test]
    fn floats_are_as_short_as_they_can_be() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (27.177_999_999_992_153, "27.177999999992153"),
            (0.000_1, "0.0001"),
            (0.000_01, "1e-05"),
            (-1.25e-7, "-1.25e-07"),
            (1e15, "1000000000000000.0"),
            (9_007_199_254_740_993.0, "9007199254740992.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(repr(value), text);
        }
    }

    #[test]
    fn of_two_shortest_texts_python_takes_the_even_one() {
        for (value, text) in [
            ("28.5839996337890625", "28.583999633789062"),
            ("-28.5839996337890625", "-28.583999633789062"),
            ("8.1158905029296875", "8.115890502929688"),
            ("0.00051212310791015625", "0.0005121231079101562"),
            ("0.00066661834716796875", "0.0006666183471679688"),
            ("30772164287607.6875", "30772164287607.688"),
            ("3963978.71337890625", "3963978.7133789062"),
            // 2^-44, also halfway, and the numbers at the ends of what a float can be.
            ("5.6843418860808015e-14", "5.684341886080802e-14"),
            ("5e-324", "5e-324"),
            ("9.387247271130546e-323", "9.4e-323"),
            ("2.2250738585072014e-308", "2.2250738585072014e-308"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ] {
            assert_eq!(repr(value.parse().unwrap()), text);
        }
    }

    /// Digits of an exact decimal number, without its point.
    fn times(digits: &mut Vec<u8>, factor: u8) {
        let mut carry = 0;
        for digit in digits.iter_mut().rev() {
            let product = *digit * factor + carry;
            *digit = product % 10;
            carry = product / 10;
        }
        if 0 < carry {
            digits.insert(0, carry);
        }
    }

    /// The shortest digits and their exponent, by trying: with more and more digits, the two neighbors of that length, the
    /// nearer one first, whether they lie between the midpoints to the next floats. All numbers are exact.
    fn shortest_by_trying(value: f64) -> (String, i32) {
        let bits = value.to_bits();
        let (stored, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let mantissa = if stored == 0 { fraction } else { fraction | 1 << 52 };
        let exponent = stored.max(1) - 1075 - 2; // of a quarter of the last bit
        let below = if fraction == 0 && 1 < stored { 1 } else { 2 };
        let exact = |quarters: u64| {
            let mut digits: Vec<u8> = quarters.to_string().bytes().map(|b| b - b'0').collect();
            (0..exponent.abs()).for_each(|_| times(&mut digits, if exponent < 0 { 5 } else { 2 }));
            digits
        };
        let [low, middle, high] = [4 * mantissa - below, 4 * mantissa, 4 * mantissa + 2].map(exact);
        // All as long as the longest, with one place for a carry.
        let long = |digits: Vec<u8>| [vec![0; high.len() + 1 - digits.len()], digits].concat();
        let (low, middle, high) = (long(low), long(middle), long(high.clone()));
        let is_inside = |digits: &Vec<u8>| {
            let is_end_inside = mantissa % 2 == 0;
            (low < *digits && *digits < high) || (is_end_inside && (*digits == low || *digits == high))
        };
        let first = middle.iter().position(|d| *d != 0).unwrap();
        for end in first + 1..=middle.len() {
            let mut down = middle.clone();
            down[end..].fill(0);
            let mut up = down.clone();
            let nines = up[..end].iter().rev().take_while(|d| **d == 9).count();
            up[end - nines..end].fill(0);
            up[end - nines - 1] += 1;
            let mut half = vec![0; middle.len() - end];
            half.iter_mut().take(1).for_each(|d| *d = 5);
            let is_up_nearer = match middle[end..].cmp(&half) {
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Equal => down[end - 1] % 2 == 1,
                std::cmp::Ordering::Greater => true,
            };
            let tried = if is_up_nearer { [up, down] } else { [down, up] };
            if let Some(found) = tried.into_iter().find(is_inside) {
                let start = found.iter().position(|d| *d != 0).unwrap();
                let n_after = found.len() - 1 - start;
                let text: String = found[start..].iter().map(|d| char::from(b'0' + d)).collect();
                return (text.trim_end_matches('0').to_owned(), n_after as i32 + exponent.min(0));
            }
        }
        unreachable!("the number itself lies inside")
    }

    /// Numbers of 18 digits, half of which end in a 5 that must be rounded away; and any other.
    fn floats() -> impl Strategy<Value = f64> {
        let ties = (4..22_u32, any::<u64>()).prop_map(|(k, n)| {
            let most = (10_f64.powi(18 - k as i32) * 2_f64.powi(k as i32)).clamp(2.0, 2_f64.powi(53));
            (n % most as u64).max(1) as f64 / 2_f64.powi(k as i32)
        });
        let powers = (-1_074..1_024).prop_map(|k| 2_f64.powi(k));
        let all = any::<u64>().prop_map(f64::from_bits).prop_filter("not a number", |v| v.is_finite());
        prop_oneof![4 => ties, 1 => powers, 2 => all.prop_map(f64::abs)].prop_filter("zero", |v| *v != 0.0)
    }

    proptest! {
        #[test]
        fn floats_are_as_exact_numbers_say(value in floats()) {
            let (digits, exponent) = shortest_by_trying(value);
            let text = repr(value);
            let (number, power) = text.split_once('e').unwrap_or((&text, "0"));
            let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
            let all = format!("{whole}{decimals}");
            let significant = all.trim_start_matches('0');
            let first = whole.len() as i32 - 1 - (all.len() - significant.len()) as i32;
            prop_assert_eq!(significant.trim_end_matches('0'), &digits);
            prop_assert_eq!(first + power.parse::<i32>().unwrap(), exponent);
        }
    }

    #[test]
    fn ties_go_to_the_even_digit() {
        for (value, text) in [
            (0.125, "     0.12"),
            (0.375, "     0.38"),
            (0.005, "     0.01"),
            (1.005, "     1.00"),
            (-0.001, "    -0.00"),
            (f64::NAN, "      nan"),
            (1_234_567_890.0, "1234567890.00"),
        ] {
            assert_eq!(fixed(value, 9), text);
        }
    }

    #[test]
    fn text_is_escaped_down_to_ascii() {
        assert_eq!(quoted("a\"\\\tü\u{7f}😀"), r#""a\"\\\t\u00fc\u007f\ud83d\ude00""#);
    }
}

mod nnapi_mark_label {
    use lanescope::systems::android::nnapi::mark::label::label;
    use lanescope::systems::android::nnapi::mark::{Layer, Phase};

    fn read(mark: &str) -> (&str, Option<(Layer, Phase)>, bool, bool) {
        let l = label(mark);
        (l.name, l.scope, l.is_switch, l.is_subtract)
    }

    #[test]
    fn marks_say_function_layer_and_phase() {
        let pe = Some((Layer::Runtime, Phase::Execution));
        assert_eq!(
            read("B|5|[NN_LR_PE]ANeuralNetworksEvent_wait"),
            ("ANeuralNetworksEvent_wait", pe, false, false)
        );
        assert_eq!(
            read("B|5|[NN_LR_PT]ANeuralNetworksEvent_free"),
            ("ANeuralNetworksEvent_free", pe, false, false)
        );
        let pco = Some((Layer::Cpu, Phase::Computation));
        assert_eq!(read("B|5|[SW][NN_LC_PCO]optimized_ops::Conv"), ("optimized_ops::Conv", pco, true, false));
        assert_eq!(
            read("B|5|[SUB][NN_LR_PC]f"),
            ("f", Some((Layer::Runtime, Phase::Compilation)), false, true)
        );
        assert_eq!(
            read("B|5|[NN_LDV_PC][validateModel]"),
            ("validateModel", Some((Layer::Driver, Phase::Compilation)), false, false)
        );
        assert_eq!(read("B|5|doFrame"), ("doFrame", None, false, false));
        assert_eq!(read("B|5|[NN_XX_YY]f"), ("[NN_XX_YY]f", None, false, false));
    }

    #[test]
    fn calls_between_processes_are_known_by_their_interfaces() {
        let of = |mark| label(mark).scope;
        assert_eq!(
            of("B|5|HIDL::IPreparedModel::executeSynchronously_1_3::server"),
            Some((Layer::Driver, Phase::Execution))
        );
        assert_eq!(
            of("B|5|AIDL::ndk::aidl.android.hardware.neuralnetworks.IDevice::prepareModel::client"),
            Some((Layer::Ipc, Phase::Compilation))
        );
        assert_eq!(of("B|5|HIDL::IDevice::openOutputStream::server"), None);
        assert_eq!(of("B|5|HIDL::IExecutionCallback::notify::client"), Some((Layer::Ipc, Phase::Execution)));
        assert_eq!(of("B|5|HIDL::ISensors::poll::client"), None);
    }
}

mod systrace_aosp_decode {
    use lanescope::systems::android::systrace::aosp::Decoder;

    /// Computed with Python 3.11: files of these bytes, opened as text and read to the end.
    #[test]
    fn the_words_are_those_of_python() {
        let mut far = vec![b'a'; 20_000];
        far[10_000] = 0xff;
        let mut cut = vec![b'a'; 8191];
        cut.extend_from_slice("é".as_bytes());
        cut.extend_from_slice(b"bc\xe2\x28");
        let mut broken = vec![b'a'; 8191];
        broken.extend_from_slice(b"\xe2\x28");
        let cases: [(&[u8], &str); 8] = [
            (b"ab\xffc", "byte 0xff in position 2: invalid start byte"),
            (b"\xc0\x80", "byte 0xc0 in position 0: invalid start byte"),
            (b"a\xe2\x28\xa1", "byte 0xe2 in position 1: invalid continuation byte"),
            (b"a\xf0\x90\x28\xbc", "bytes in position 1-2: invalid continuation byte"),
            (b"a\xe2\x82", "bytes in position 0-1: unexpected end of data"),
            (&far, "byte 0xff in position 1808: invalid start byte"),
            (&cut, "byte 0xe2 in position 4: invalid continuation byte"),
            (&broken, "byte 0xe2 in position 0: invalid continuation byte"),
        ];
        for (bytes, said) in cases {
            for size in [1, 7, 8192, 1 << 20] {
                let mut decoder = Decoder::default();
                bytes.chunks(size).for_each(|piece| decoder.feed(piece));
                let text = decoder.finish().map(|refusal| refusal.text);
                assert_eq!(text, Some(format!("'utf-8' codec can't decode {said}")), "in pieces of {size}");
            }
        }
        let mut decoder = Decoder::default();
        decoder.feed("a – b".repeat(9_000).as_bytes());
        assert_eq!(decoder.finish(), None);
    }
}

mod nnapi_arena {
    use lanescope::systems::android::nnapi::arena::{Arena, missed};

    #[test]
    fn a_row_is_found_by_the_number_that_adding_it_returned() {
        let mut rows = Arena::default();
        let numbers = [rows.push("a"), rows.push("b")];
        rows[numbers[0]] = "c";
        assert_eq!((numbers.map(|at| rows[at]), rows.next()), (["c", "b"], 2));
        assert_eq!((rows.find(1), rows.find(2)), (Some(&"b"), None));
        assert_eq!(missed(), 0);
    }
}
