//! `source/details/…`, cache lines and stall reasons: every scalar of the blocks, as the design has it.

use super::*;

#[test]
fn base_info_is_text() {
    let mut n = 0;
    for (name, bytes) in containers() {
        let mut doc = opened(&name, &bytes);
        let Some(base) = quoted(&bytes, 5) else {
            assert_eq!(error(&mut doc, "source/details/baseInfo", json!({})).0, "no-data", "{name}");
            continue;
        };
        n += 1;
        let detail = base.get("mix_block_detail").filter(|_| base["op_type"] == "mix");
        let detail = detail.or(base.get("block_detail")).cloned().unwrap_or_default();
        let rows: Vec<Value> =
            items(&detail["row"]).iter().map(|row| json!({"value": texts(&row["value"])})).collect();
        let expected = json!({
            "name": text(&base["name"]), "soc": text(&base["soc"]), "opType": text(&base["op_type"]),
            "blockDim": text(&base["block_dim"]), "mixBlockDim": text(&base["mix_block_dim"]),
            "duration": text(&base["duration"]), "deviceId": text(&base["device_id"]), "pid": text(&base["pid"]),
            "blockDetail": {"headerName": texts(&detail["head_name"]), "size": texts(&detail["size"]), "row": rows},
            "advice": texts(&base["advice"]),
        });
        assert_eq!(body(&mut doc, "source/details/baseInfo", json!({})), expected, "{name}");
    }
    assert!(0 < n);
}

#[test]
fn scalars_keep_their_digits() {
    let bytes = make_ascend::Container::default()
        .block(
            5,
            0x5a,
            br#"{"block_dim": 4, "duration": 13.1599998474121100, "pid": "0012", "op_type": "aiv",
            "block_detail": [{"block_id": 0, "core_type": "aiv", "duration": 5.50}]}"#,
        )
        .0;
    let answer = body(&mut opened("a.bin", &bytes), "source/details/baseInfo", json!(null));
    assert_eq!((&answer["blockDim"], &answer["duration"]), (&json!("4"), &json!("13.1599998474121100")));
    assert_eq!((&answer["pid"], &answer["opType"]), (&json!("0012"), &json!("vector")));
    let detail = json!({
        "headerName": ["Block ID", "Core Type", "Duration (μs)"], "size": ["2", "3"],
        "row": [{"value": ["0", "vector", "5.50"]}],
    });
    assert_eq!(answer["blockDetail"], detail);
}

fn unit(value: &Value) -> Value {
    let units = ["Duration(μs)", "Instructions", "Data Volume(byte)", "PRE", "Ops"];
    value.as_str().unwrap().parse::<usize>().map_or(text(value), |n| json!(units[n]))
}

#[test]
fn compute_workload_has_every_sub_block() {
    let mut n = 0;
    for (name, bytes) in containers() {
        let mut doc = opened(&name, &bytes);
        let (Some(chart), Some(table)) = (quoted(&bytes, 6), quoted(&bytes, 7)) else {
            assert_eq!(error(&mut doc, "source/details/computeworkload", json!({})).0, "no-data");
            continue;
        };
        let part = |block: &Value, is_chart: bool| {
            let one = |item: &Value| {
                let data = &mut item.get("data_detail").unwrap_or(item).clone();
                // Instructions that are not whole are shares.
                if let Some(share) = text(&data["value"])
                    .as_str()
                    .and_then(|v| v.parse::<f64>().ok())
                    .filter(|v| is_chart && text(&data["unit"]) == "1" && v.fract() != 0.0)
                {
                    data["unit"] = json!("3");
                    data["value"] = json!(format!("{share}e2").parse::<f64>().unwrap().to_string());
                }
                json!({
                    "blockId": text(&item["block_id"]), "blockType": text(&item["block_type"]),
                    "name": text(&data["name"]), "unit": unit(&data["unit"]), "value": text(&data["value"]),
                    "originValue": text(&data["origin_value"]),
                })
            };
            let list: Vec<Value> = items(&block["subblock_detail"]).iter().map(one).collect();
            json!({"detailDataList": list, "advice": texts(&block["advice"])})
        };
        let ids = [&chart, &table].into_iter().flat_map(|b| items(&b["subblock_detail"]));
        let ids = distinct(ids.map(|item| text(&item["block_id"])).collect());
        n += ids.as_array().unwrap().len();
        let expected =
            json!({"blockIdList": ids, "chartData": part(&chart, true), "tableData": part(&table, false)});
        assert_eq!(body(&mut doc, "source/details/computeworkload", json!({})), expected, "{name}");
    }
    assert!(0 < n);
}

#[test]
fn memory_graph_has_numbers_and_truth_where_the_design_has_them() {
    let mut n = 0;
    for (name, bytes) in containers() {
        let mut doc = opened(&name, &bytes);
        let Some(graph) = quoted(&bytes, 8) else { continue };
        for core in items(&graph["core_memory_map"]) {
            n += 1;
            let busy = |name: &str| {
                let of = &core[name];
                json!({"cycle": text(&of["cycle"]), "totalCycles": text(&of["total_cycles"]), "ratio": text(&of["ratio"])})
            };
            let request = |unit: &Value| -> Value {
                let digits = text(&unit["request"]);
                serde_json::from_str(digits.as_str().unwrap()).unwrap_or_default()
            };
            let unit = |unit: &Value| {
                json!({
                    "request": request(unit), "requestSuffix": text(&unit["request_suffix"]),
                    "display": text(&unit["display"]) == "1", "peakRatio": text(&unit["peak_ratio"]),
                    "bandwidth": text(&unit["bandwidth"]), "bandwidthSuffix": text(&unit["bandwidth_suffix"]),
                    "memoryPath": text(&unit["memory_path"]),
                })
            };
            let cache = &core["L2cache"];
            let expected = json!({
                "advice": distinct(texts(&core["advice"])), "blockId": text(&core["core_no"]),
                "l2Cache": {"hitRatio": text(&cache["hit_ratio"]), "hit": text(&cache["hit"]),
                    "totalRequest": text(&cache["total_request"]), "miss": text(&cache["miss"])},
                "blockType": text(&core["op_type"]), "chipType": text(&core["soc"]),
                "memoryUnit": items(&core["memory_unit"]).iter().map(unit).collect::<Vec<_>>(),
                "vector": busy("Vector"), "vector1": busy("Vector1"), "cube": busy("Cube"),
            });
            assert!(expected["memoryUnit"][0]["request"].is_number());
            // The id as text, and as a number.
            let id = text(&core["core_no"]);
            let number = id.as_str().unwrap().parse::<u64>().map_or(id.clone(), |n| json!(n));
            for id in [id, number] {
                let params = json!({"blockId": id, "showAs": "request"});
                let answer = body(&mut doc, "source/details/memoryGraph", params);
                assert_eq!(answer, json!({"coreMemory": [expected]}), "{name}");
            }
        }
        let (code, message) = error(&mut doc, "source/details/memoryGraph", json!({"blockId": "77"}));
        assert!(code == "unknown-id" && message.contains("expected one of 0"), "{message}");
        assert_eq!(error(&mut doc, "source/details/memoryGraph", json!({})).0, "missing-parameter");
    }
    assert!(0 < n);
}

#[test]
fn both_spellings_of_the_memory_blocks_are_read() {
    let bytes = make_ascend::Container::default()
        .json(8, &json!({"core_memory_map": [{"core_no": 3, "core_type": "aic", "L2cache": ["hit", 13, "miss", 64],
            "memory_unit": [{"memory_path": 2, "request": "NA", "display": true, "requests_suffix": "(theoretical)"}]}]}))
        .json(9, &json!({"advice": ["both"], "table_per_block": [{"block_id": 3, "table_op_type": "aiv",
            "tables_detail": [{"table_name": "L1", "size": [1, 2], "header_name": ["", "a"], "row": []}]}]}))
        .0;
    let mut doc = opened("a.bin", &bytes);
    let answer = body(&mut doc, "source/details/memoryGraph", json!({"blockId": 3}));
    let core = &answer["coreMemory"][0];
    assert_eq!((&core["blockType"], &core["l2Cache"]["miss"]), (&json!("cube"), &json!("64")));
    let unit = &core["memoryUnit"][0];
    assert_eq!((&unit["request"], &unit["display"]), (&json!(null), &json!(true)));
    assert_eq!(unit["requestSuffix"], "(theoretical)");
    let answer = body(&mut doc, "source/details/memoryTable", json!({"blockId": "3"}));
    let table = json!({"headerName": ["", "a"], "tableName": "L1", "size": ["1", "2"], "row": []});
    let expected =
        json!({"advice": ["both"], "blockId": "3", "tableOpType": "vector", "tableDetail": [table]});
    assert_eq!(answer, json!({"memoryTable": [expected]}));
}

#[test]
fn memory_tables_have_every_row() {
    let mut n = 0;
    for (name, bytes) in containers() {
        let Some(tables) = quoted(&bytes, 9) else { continue };
        let mut doc = opened(&name, &bytes);
        for per_block in items(&tables["table_per_block"]) {
            let row = |row: &Value| json!({"name": text(&row["name"]), "value": texts(&row["value"])});
            let table = |table: &Value| {
                json!({
                    "headerName": texts(&table["header_name"]), "tableName": text(&table["table_name"]),
                    "size": texts(&table["size"]),
                    "row": items(&table["row"]).iter().map(row).collect::<Vec<_>>(),
                })
            };
            let expected = json!({
                "advice": distinct(texts(&per_block["advice"])), "blockId": text(&per_block["block_id"]),
                "tableOpType": text(&per_block["table_op_type"]),
                "tableDetail": items(&per_block["table_detail"]).iter().map(table).collect::<Vec<_>>(),
            });
            n += items(&per_block["table_detail"]).len();
            let params = json!({"blockId": text(&per_block["block_id"]), "showAs": "bandwidth"});
            let answer = body(&mut doc, "source/details/memoryTable", params);
            assert_eq!(answer, json!({"memoryTable": [expected]}), "{name}");
        }
    }
    assert!(0 < n);
}

#[test]
fn rooflines_cache_lines_and_stalls_are_those_of_the_blocks() {
    let mut found = [0; 3];
    for (name, bytes) in containers() {
        let mut doc = opened(&name, &bytes);
        if let Some(roofline) = quoted(&bytes, 0x0D) {
            let line = |line: &Value| {
                json!({
                    "bw": text(&line["bw"]), "bwName": text(&line["bw_name"]),
                    "computility": text(&line["computility"]), "computilityName": text(&line["computility_name"]),
                    "point": texts(&line["point"]), "ratio": text(&line["ratio"]),
                })
            };
            let chart = |chart: &Value| {
                let lines: Vec<Value> = items(&chart["rooflines"]).iter().map(line).collect();
                json!({"title": text(&chart["title"]), "rooflines": lines})
            };
            let charts: Vec<Value> = items(&roofline["multiple_rooflines"]).iter().map(chart).collect();
            found[0] += charts.len();
            let soc = text(&quoted(&bytes, 5).unwrap_or_default()["soc"]);
            let expected = json!({"soc": soc, "advice": text(&roofline["advice"]), "data": charts});
            assert_eq!(body(&mut doc, "source/details/roofline", json!({})), expected, "{name}");
        }
        if let Some(cache) = block(&bytes, 0x0E) {
            let events = |of: &Value| json!({"value": of["Value"], "addressRange": of["Address Range"]});
            let line = |line: &Value| json!({"cachelineId": line["Cacheline Id"], "hit": events(&line["Hit"]), "miss": events(&line["Miss"])});
            let lines: Vec<Value> = items(&cache["Cacheline Records"]).iter().map(line).collect();
            found[1] += lines.len();
            let answer = body(&mut doc, "source/cache/cachelineRecords", json!({}));
            assert_eq!(answer, json!({"cachelineRecords": lines}), "{name}");
        }
        if let Some(stalls) = block(&bytes, 0x0F) {
            let reasons = stalls["top_stall_reason_table"].as_object().unwrap();
            let answer = body(&mut doc, "source/queryTopWarpStallReason", json!({}));
            let told: std::collections::BTreeMap<&str, &Value> =
                items(&answer["data"]).iter().map(|r| (r["name"].as_str().unwrap(), &r["value"])).collect();
            assert_eq!(told, reasons.iter().map(|(name, n)| (name.as_str(), n)).collect(), "{name}");
            assert_eq!(answer["unit"], "count");
            found[2] += reasons.len();
        }
    }
    assert!(found.iter().all(|n| 0 < *n), "{found:?}");
}

/// int(10 / (1 + e^−z)) with the deviation of a sample, as spec 2.11 has it.
fn level(value: f64, all: &[f64]) -> String {
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let sigma = (all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (all.len() as f64 - 1.0)).sqrt();
    if all.len() < 2 || sigma < 1e-9 {
        return "0".to_owned();
    }
    ((10.0 / (1.0 + (-(value - mean) / sigma).exp())) as i64).to_string()
}

#[test]
fn occupancy_has_the_values_of_the_block_and_their_levels() {
    let mut n = 0;
    for (name, bytes) in containers() {
        let Some(block) = quoted(&bytes, 0x0C) else { continue };
        let is_folded = block["op_type"] == "vector"
            && items(&block["op_detail"]).iter().all(|core| items(&core["core_detail"]).len() == 1);
        if is_folded {
            continue;
        }
        let mut doc = opened(&name, &bytes);
        let answer = body(&mut doc, "source/details/interCoreLoadAnalysis", json!({}));
        assert_eq!((&answer["soc"], &answer["opType"]), (&block["soc"], &block["op_type"]), "{name}");
        assert_eq!(answer["advice"], text(&block["advice"]));
        // Negative numbers are taken as 0.
        let number = |value: &Value| text(value).as_str().unwrap().parse::<f64>().ok().map(|v| v.max(0.0));
        let subs = || items(&block["op_detail"]).iter().flat_map(|core| items(&core["core_detail"]));
        for core in items(&block["op_detail"]) {
            let told =
                items(&answer["opDetails"]).iter().find(|c| c["coreId"] == text(&core["core_id"])).unwrap();
            for sub in items(&core["core_detail"]) {
                let sub_name = format!(
                    "{}{}",
                    sub["subcore_type"].as_str().unwrap(),
                    text(&sub["subcore_id"]).as_str().unwrap()
                );
                let details = items(&told["subCoreDetails"]);
                let told = details.iter().find(|s| s["subCoreName"] == sub_name.as_str()).unwrap();
                for (key, ours) in
                    [("cycles", "cycles"), ("throughput", "throughput"), ("L2cache_hit_rate", "cacheHitRate")]
                {
                    let Some(value) = number(&sub[key]) else {
                        assert_eq!(
                            told[ours],
                            json!({"value": "NA", "level": "0"}),
                            "{name}: {sub_name} {key}"
                        );
                        continue;
                    };
                    let same_kind = subs().filter(|s| s["subcore_type"] == sub["subcore_type"]);
                    let all: Vec<f64> = same_kind.filter_map(|s| number(&s[key])).collect();
                    let expected = json!({"value": value.to_string(), "level": level(value, &all)});
                    assert_eq!(told[ours], expected, "{name}: {sub_name} {key}");
                    n += 1;
                }
            }
        }
    }
    assert!(0 < n);
}
