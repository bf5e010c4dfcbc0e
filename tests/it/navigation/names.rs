//! What lists and comparisons show of names.

use lanescope::base::names::{
    apart, cut, differing, ends, folder_of, numbered, of_address, parted, scoped, shortened,
};
use lanescope::wire::report::Project;

fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn what_all_names_begin_with_is_left_out() {
    let rounds = list(&["OPPROF_cummin_round2", "OPPROF_cummin_round5"]);
    assert_eq!(shortened(&rounds), ["…round2", "…round5"]);
    let runs = list(&["Cummin_0/a.bin", "Cummin_0/b.bin", "Cummin_0/a.bin.gz"]);
    assert_eq!(shortened(&runs), ["…a.bin", "…b.bin", "…a.bin.gz"]);
    let others = list(&["trace.json", "kernel.bin"]);
    assert_eq!(shortened(&others), others);
    let one = list(&["OPPROF_cummin_round2"]);
    assert_eq!(shortened(&one), one, "nothing is to be told apart");
    let equal = list(&["long_name_of_a_run_", "long_name_of_a_run_"]);
    assert_eq!(shortened(&equal), equal, "a beginning would not be told from the rest");
}

#[test]
fn streams_are_named_without_what_all_of_them_share() {
    let files = ["level0_rank0_0820fd4_trace_view.json", "level0_rank0_ca6fb61_trace_view.json"];
    let streams: Vec<String> = files.iter().map(|file| format!("{file} / NPU 0 / Stream 2")).collect();
    assert_eq!(parted(&streams), ["0820fd4 / Stream 2", "ca6fb61 / Stream 2"]);
    let ranks =
        list(&["rank 0 / GPU 0 / stream 7", "rank 1 / GPU 0 / stream 7", "rank 0 / GPU 0 / stream 20"]);
    assert_eq!(parted(&ranks), ["rank 0 / stream 7", "rank 1 / stream 7", "rank 0 / stream 20"]);
    assert_eq!(parted(&list(&["GPU 0 / stream 7", "GPU 0 / stream 20"])), ["stream 7", "stream 20"]);
    assert_eq!(parted(&list(&["GPU 0 / stream 7"])), ["stream 7"]);
    let uneven = list(&["rank 0 / stream 7", "rank 1 / GPU 1 / stream 7"]);
    assert_eq!(parted(&uneven), uneven);
    assert_eq!(parted(&[]), [""; 0]);
}

#[test]
fn a_title_says_what_it_is_of_where_that_is_known() {
    assert_eq!([scoped("Events", "b.json"), scoped("Events", "")], ["Events · b.json", "Events"]);
}

#[test]
fn what_all_names_end_with_is_left_out_but_not_the_kind_of_file() {
    let rounds = list(&["round1_shapes.zip", "round3_shapes.zip"]);
    assert_eq!(shortened(&rounds), ["round1….zip", "round3….zip"]);
    let folders = list(&["runs_0/OPPROF_1/visualize_data.bin", "runs_0/OPPROF_2/visualize_data.bin"]);
    assert_eq!(shortened(&folders), ["…1….bin", "…2….bin"]);
    let kinds = list(&["one.pftrace", "two.pftrace"]);
    assert_eq!(shortened(&kinds), kinds);
    let inside = list(&["round_001.zip!/shape_0", "round_003.zip!/shape_0"]);
    assert_eq!(shortened(&inside), ["…001…", "…003…"]);
    let whole = list(&["_of_shapes.zip", "round3_of_shapes.zip"]);
    assert_eq!(shortened(&whole), whole, "nothing would be left of the first");
}

#[test]
fn files_of_one_name_keep_the_nearest_folders_that_differ() {
    let paths = list(&["r0/OPPROF_1/Op/0/x.bin", "r1/OPPROF_2/Op/0/x.bin", "r1/y.bin"]);
    assert_eq!(ends(&paths), ["OPPROF_1/Op/0/x.bin", "OPPROF_2/Op/0/x.bin", "y.bin"]);
    let equal = list(&["a/x.bin", "a/x.bin", "x.bin"]);
    assert_eq!(ends(&equal), ["a/x.bin", "a/x.bin", "x.bin"]);
}

#[test]
fn a_name_that_a_tool_prescribes_tells_nothing() {
    let prescribed = || ["*.bin", "visualize_data.bin"].into_iter();
    assert_eq!(folder_of("runs/OPPROF_round3/visualize_data.bin", prescribed()), Some("OPPROF_round3"));
    assert_eq!(folder_of("runs/round3.bin", prescribed()), None, "its name is its own");
    assert_eq!(folder_of("visualize_data.bin", prescribed()), None, "of no folder");
}

#[test]
fn an_address_tells_the_folders_of_its_file() {
    assert_eq!(of_address("/a/round2/x.bin"), "a/round2/x.bin");
    assert_eq!(of_address("https://host/a%20b/round2/x.bin?raw=1#view=details"), "host/a b/round2/x.bin");
    assert_eq!(of_address("trace.json"), "trace.json");
    assert_eq!(of_address("?x"), "?x", "what is no path stays as it is");
}

#[test]
fn files_of_one_name_that_are_compared_are_called_by_what_their_folders_differ_in() {
    let [old, new] = ["/a/round2/x.bin", "/a/round5/x.bin"].map(of_address);
    let own = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
    assert_eq!(apart(["x.bin"; 2], [&old, &new]), own("round2", "round5"));
    // The nearest folder may be one that both have.
    let paths = ["round2/OPPROF_1/visualize_data.bin", "round5/OPPROF_1/visualize_data.bin"];
    assert_eq!(apart(["OPPROF_1"; 2], paths), own("round2", "round5"));
    assert_eq!(apart(["OPPROF_1", "OPPROF_2"], paths), own("OPPROF_1", "OPPROF_2"));
    assert_eq!(apart(["x.bin"; 2], ["x.bin"; 2]), None);
    // One from an address, the other from a folder that was dropped: where they begin says nothing.
    let address = of_address("http://127.0.0.1:8080/a/round5/x.bin");
    assert_eq!(apart(["x.bin"; 2], [&address, "a/round2/x.bin"]), own("round5", "round2"));
}

#[test]
fn names_that_are_equal_have_their_numbers() {
    let names = list(&["visualize_data.bin", "other.bin", "visualize_data.bin"]);
    assert_eq!(numbered(&names), ["visualize_data.bin (1)", "other.bin", "visualize_data.bin (2)"]);
    assert_eq!(numbered(&list(&["a.bin"])), ["a.bin"]);
}

#[test]
fn a_comparison_names_only_the_difference() {
    let pair = |a, b| differing(a, b);
    let own = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(pair("cummin_round2.bin", "cummin_round5.bin"), own("round2", "round5"));
    assert_eq!(pair("a/round2/visualize_data.bin", "a/round5/visualize_data.bin"), own("round2", "round5"));
    assert_eq!(pair("kernel-1.traceg", "kernel-2.traceg"), own("kernel-1", "kernel-2"));
    assert_eq!(pair("run/step_9/trace.json", "run/step_10/trace.json"), own("step_9", "step_10"));
    assert_eq!(pair("1.json", "2.json"), own("1", "2"));
    assert_eq!(pair("trace.json", "trace.json"), own("trace.json", "trace.json"));
    assert_eq!(pair("run", "run_2"), own("run", "run_2"), "a name that the other continues stays whole");
    assert_eq!(pair("核函数_一.bin", "核函数_二.bin"), own("一", "二"));
}

#[test]
fn the_end_of_a_long_name_is_seen() {
    assert_eq!(cut("short.bin"), 9);
    let name = "visualize_data_of_the_second_round2.bin";
    assert_eq!(&name[cut(name)..], "ound2.bin");
    let name = "核".repeat(30);
    assert_eq!(name[cut(&name)..].chars().count(), 9);
    // What differs stands in the middle: it gives way from its end.
    let name = "…autograd_workers0….gz";
    assert_eq!(&name[cut(name)..], "….gz");
}

#[test]
fn a_link_names_an_operator_of_a_project() {
    let project =
        Project { title: "r0.zip!".to_owned(), shown: "r0.zip!/OPPROF_1".to_owned(), ..Project::default() };
    assert_eq!(project.name(), "OPPROF_1 · r0.zip");
    assert_eq!(project.name_of("r0.zip!/OPPROF_2"), "OPPROF_2 · r0.zip");
}
