//! A fused attention kernel on a chip with one cube core and two vector cores for each block.
//!
//! The cube cores multiply queries with keys and probabilities with values; the vector cores turn scores into
//! probabilities. Twenty blocks run; the timeline was recorded on four of them.

use crate::blocks;
use crate::chip::{Chip, Done, Instruction, PIPES, Slice};
use crate::{Rect, Sample};

/// Blocks whose timeline is recorded.
pub(crate) const RECORDED: usize = 4;
/// Blocks of the operator.
pub(crate) const BLOCKS: usize = 20;
/// Tiles of keys that a block walks.
const TILES: usize = 7;

/// Paths of the sources.
pub(crate) const FILES: [&str; 2] =
    ["/work/attention/op_kernel/attention_cube.h", "/work/attention/op_kernel/attention_vector.h"];

/// What stands in them.
pub(crate) const SOURCES: [&str; 2] = [CUBE_SOURCE, VECTOR_SOURCE];

const CUBE_SOURCE: &str = r#"// Scores and outputs of fused attention: everything that is a product of matrices.
#pragma once
#include "kernel_operator.h"

template <typename T, int32_t TILE, int32_t DIM>
class AttentionCube {
public:
  __aicore__ inline void Init(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR scores, GM_ADDR probs);

  // One block walks all tiles of keys: scores are made two tiles ahead, while the vector cores
  // turn the last ones into probabilities.
  __aicore__ inline void Process() {
    LoadQuery();
    Scores(0);
    Scores(1);
    for (int32_t tile = 0; tile < tiles_; ++tile) {
      if (tile + 2 < tiles_) {
        Scores(tile + 2);
      }
      Outputs(tile);
    }
    FlushOutput();
  }

private:
  __aicore__ inline void LoadQuery() {
    DataCopy(queryL1_, queryGm_[block_ * TILE * DIM], queryShape_);
    SetFlag<HardEvent::MTE2_MTE1>(eventQuery_);
  }

  __aicore__ inline void Scores(int32_t tile) {
    LocalTensor<T> keys = keyQueue_.AllocTensor<T>();
    DataCopy(keys, keyGm_[tile * TILE * DIM], keyShape_);
    WaitFlag<HardEvent::MTE2_MTE1>(eventKey_[tile & 1]);
    for (int32_t part = 0; part < DIM / 64; ++part) {
      LoadData(l0a_[part & 1], queryL1_[part * TILE], loadQuery_);
      LoadData(l0b_[part & 1], keys[part * TILE], loadKey_);
      Mmad(scoresL0c_, l0a_[part & 1], l0b_[part & 1], scoreShape_);
    }
    Fixpipe(scoresGm_[tile * TILE * TILE], scoresL0c_, scoreFix_);
    CrossCoreSetFlag<0x2, PIPE_FIX>(SCORES_READY);
    keyQueue_.FreeTensor(keys);
  }

  __aicore__ inline void Outputs(int32_t tile) {
    LocalTensor<T> values = valueQueue_.AllocTensor<T>();
    DataCopy(values, valueGm_[tile * TILE * DIM], valueShape_);
    CrossCoreWaitFlag(PROBS_READY);
    DataCopy(probsL1_, probsGm_[tile * TILE * TILE], probShape_);
    for (int32_t part = 0; part < TILE / 64; ++part) {
      LoadData(l0a_[part & 1], probsL1_[part * TILE], loadProb_);
      LoadData(l0b_[part & 1], values[part * DIM], loadValue_);
      Mmad(outputL0c_, l0a_[part & 1], l0b_[part & 1], outputShape_);
    }
    Fixpipe(partialGm_[tile * TILE * DIM], outputL0c_, outputFix_);
    CrossCoreSetFlag<0x2, PIPE_FIX>(OUTPUT_READY);
    valueQueue_.FreeTensor(values);
  }
};
"#;

const VECTOR_SOURCE: &str = r#"// Probabilities of fused attention: the running maximum and sum of each row, kept across tiles.
#pragma once
#include "kernel_operator.h"

template <typename T, int32_t TILE, int32_t DIM>
class AttentionVector {
public:
  __aicore__ inline void Process() {
    Duplicate(rowMax_, LOWEST, TILE);
    CrossCoreWaitFlag(SCORES_READY);
    Softmax(0);
    for (int32_t tile = 0; tile < tiles_; ++tile) {
      if (tile + 1 < tiles_) {
        CrossCoreWaitFlag(SCORES_READY);
        Softmax(tile + 1);
      }
      CrossCoreWaitFlag(OUTPUT_READY);
      Rescale(tile);
    }
    DataCopy(outputGm_[offset_], output_, outputShape_);
  }

private:
  __aicore__ inline void Softmax(int32_t tile) {
    LocalTensor<float> scores = scoreQueue_.AllocTensor<float>();
    DataCopy(scores, scoresGm_[tile * TILE * TILE + half_], scoreShape_);
    Muls(scores, scores, scale_, TILE * TILE / 2);
    RowMax(newMax_, scores, rowMax_, shape_);
    Sub(scores, scores, newMax_, shape_);
    Exp(scores, scores, TILE * TILE / 2);
    RowSum(rowSum_, scores, shape_);
    Cast(probs_, scores, RoundMode::CAST_ROUND, TILE * TILE / 2);
    DataCopy(probsGm_[tile * TILE * TILE + half_], probs_, probShape_);
    CrossCoreSetFlag<0x2, PIPE_MTE3>(PROBS_READY);
    scoreQueue_.FreeTensor(scores);
  }

  __aicore__ inline void Rescale(int32_t tile) {
    DataCopy(partial_, partialGm_[tile * TILE * DIM + half_], partialShape_);
    Exp(factor_, difference_, TILE);
    Mul(output_, output_, factor_, outputRepeat_);
    Add(output_, output_, partial_, TILE * DIM / 2);
  }
};
"#;

/// Key of the model, file, words of the line, pipe, instruction, bytes. Scalar rows come before what they issue.
type Row = (&'static str, usize, &'static str, &'static str, &'static str, u32);

const PROGRAM: &[Row] = &[
    ("query", 0, "DataCopy(queryL1_", "SCALAR", "LD.b64 X4, [SP, #16]", 0),
    ("query", 0, "DataCopy(queryL1_", "SCALAR", "MADD.s64 X5, X4, X9, X12", 0),
    ("query", 0, "DataCopy(queryL1_", "MTE2", "MOV_OUT_TO_L1 [X8], [X5], X6", 32_768),
    ("tile", 0, "for (int32_t tile", "SCALAR", "ADD.s32 X2, X2, #1", 0),
    ("tile", 0, "for (int32_t tile", "SCALAR", "CMP.LT.s32 X2, X3", 0),
    ("tile", 0, "for (int32_t tile", "FLOWCTRL", "JUMPC.GE 0x1a98", 0),
    ("key", 0, "AllocTensor<T>();", "SCALAR", "LD.b64 X7, [SP, #48]", 0),
    ("key", 0, "DataCopy(keys", "SCALAR", "MADD.s64 X10, X2, X20, X16", 0),
    ("key", 0, "DataCopy(keys", "SCALAR", "AND.b32 X9, X2, #1", 0),
    ("key", 0, "DataCopy(keys", "MTE2", "MOV_OUT_TO_L1 [X9], [X10], X12", 32_768),
    ("score-a", 0, "LoadData(l0a_[part & 1], queryL1_", "SCALAR", "MADD.s64 X12, X4, X21, X17", 0),
    ("score-a", 0, "LoadData(l0a_[part & 1], queryL1_", "MTE1", "LOAD_L1_TO_L0A [X8], [X12], X13", 16_384),
    ("score-b", 0, "LoadData(l0b_[part & 1], keys", "MTE1", "LOAD_L1_TO_L0B [X9], [X10], X13", 16_384),
    ("score-m", 0, "Mmad(scoresL0c_", "SCALAR", "INSERT X14, X9, #8, #1", 0),
    ("score-m", 0, "Mmad(scoresL0c_", "SCALAR", "MOVK X15, #0x8000, LSL 16", 0),
    ("score-m", 0, "Mmad(scoresL0c_", "CUBE", "MMAD.f32 [X8], [X9], [X13], X15", 0),
    ("score-f", 0, "Fixpipe(scoresGm_", "SCALAR", "LD.b64 X18, [X0, #128]", 0),
    ("score-f", 0, "Fixpipe(scoresGm_", "FIXP", "FIX_L0C_TO_OUT [X18], [X8], X9", 65_536),
    ("score-s", 0, "CrossCoreSetFlag<0x2, PIPE_FIX>(SCORES", "FLOWCTRL", "SET_CROSS_CORE #2, #4", 0),
    ("value", 0, "DataCopy(values", "SCALAR", "MADD.s64 X11, X2, X20, X19", 0),
    ("value", 0, "DataCopy(values", "MTE2", "MOV_OUT_TO_L1 [X7], [X11], X12", 32_768),
    ("prob", 0, "CrossCoreWaitFlag(PROBS", "FLOWCTRL", "WAIT_CROSS_CORE #5", 0),
    ("prob", 0, "DataCopy(probsL1_", "SCALAR", "MADD.s64 X13, X2, X22, X23", 0),
    ("prob", 0, "DataCopy(probsL1_", "MTE2", "MOV_OUT_TO_L1 [X13], [X24], X6", 32_768),
    ("out-a", 0, "LoadData(l0a_[part & 1], probsL1_", "SCALAR", "MADD.s64 X12, X4, X21, X13", 0),
    ("out-a", 0, "LoadData(l0a_[part & 1], probsL1_", "MTE1", "LOAD_L1_TO_L0A [X8], [X12], X14", 16_384),
    ("out-b", 0, "LoadData(l0b_[part & 1], values", "MTE1", "LOAD_L1_TO_L0B [X9], [X11], X14", 16_384),
    ("out-m", 0, "Mmad(outputL0c_", "SCALAR", "ORR.b64 X15, X15, X14", 0),
    ("out-m", 0, "Mmad(outputL0c_", "CUBE", "MMAD.f32 [X25], [X9], [X13], X15", 0),
    ("out-f", 0, "Fixpipe(partialGm_", "SCALAR", "LD.b64 X18, [X0, #144]", 0),
    ("out-f", 0, "Fixpipe(partialGm_", "FIXP", "FIX_L0C_TO_OUT [X18], [X25], X9", 65_536),
    ("out-s", 0, "CrossCoreSetFlag<0x2, PIPE_FIX>(OUTPUT", "FLOWCTRL", "SET_CROSS_CORE #2, #6", 0),
    ("v-fill", 1, "Duplicate(rowMax_", "SCALAR", "MOVK X3, #0xff80, LSL 16", 0),
    ("v-fill", 1, "Duplicate(rowMax_", "VECTOR", "VDUP.f32 [X2], X3, #2", 0),
    ("v-load", 1, "CrossCoreWaitFlag(SCORES", "FLOWCTRL", "WAIT_CROSS_CORE #4", 0),
    ("v-load", 1, "DataCopy(scores", "SCALAR", "MADD.s64 X6, X2, X20, X17", 0),
    ("v-load", 1, "DataCopy(scores", "MTE2", "MOV_OUT_TO_UB [X8], [X6], X9", 32_768),
    ("v-muls", 1, "Muls(scores", "SCALAR", "LD.b32 X4, [SP, #24]", 0),
    ("v-muls", 1, "Muls(scores", "VECTOR", "VMULS.f32 [X8], [X8], X4, #128", 0),
    ("v-max", 1, "RowMax(newMax_", "VECTOR", "VCMAX.f32 [X10], [X8], #64", 0),
    ("v-sub", 1, "Sub(scores", "VECTOR", "VSUB.f32 [X8], [X8], [X10], #128", 0),
    ("v-exp", 1, "Exp(scores", "SCALAR", "INSERT X11, X5, #16, #8", 0),
    ("v-exp", 1, "Exp(scores", "VECTOR", "VEXP.f32 [X8], [X8], #128", 0),
    ("v-sum", 1, "RowSum(rowSum_", "VECTOR", "VCADD.f32 [X12], [X8], #64", 0),
    ("v-cast", 1, "Cast(probs_", "VECTOR", "VCONV_F32_TO_F16 [X13], [X8], #128", 0),
    ("v-store", 1, "DataCopy(probsGm_", "SCALAR", "MADD.s64 X14, X2, X20, X18", 0),
    ("v-store", 1, "DataCopy(probsGm_", "MTE3", "MOV_UB_TO_OUT [X14], [X13], X9", 16_384),
    ("v-set", 1, "CrossCoreSetFlag<0x2, PIPE_MTE3>", "FLOWCTRL", "SET_CROSS_CORE #2, #5", 0),
    ("v-part", 1, "CrossCoreWaitFlag(OUTPUT", "FLOWCTRL", "WAIT_CROSS_CORE #6", 0),
    ("v-part", 1, "DataCopy(partial_", "SCALAR", "MADD.s64 X15, X2, X21, X19", 0),
    ("v-part", 1, "DataCopy(partial_", "MTE2", "MOV_OUT_TO_UB [X16], [X15], X9", 32_768),
    ("v-fac", 1, "Exp(factor_", "VECTOR", "VEXP.f32 [X22], [X23], #2", 0),
    ("v-mul", 1, "Mul(output_", "VECTOR", "VMUL.f32 [X24], [X24], [X22], #128", 0),
    ("v-add", 1, "Add(output_", "VECTOR", "VADD.f32 [X24], [X24], [X16], #128", 0),
    ("v-out", 1, "DataCopy(outputGm_", "SCALAR", "LD.b64 X25, [X0, #160]", 0),
    ("v-out", 1, "DataCopy(outputGm_", "MTE3", "MOV_UB_TO_OUT [X25], [X24], X9", 32_768),
];

/// The sample of the welcome page.
pub(crate) fn sample() -> Sample {
    let program = program();
    let names = (0..RECORDED)
        .flat_map(|block| ["cubecore0", "veccore0", "veccore1"].map(|kind| format!("core{block}.{kind}")));
    let names: Vec<String> = names.collect();
    let mut chip = Chip::new(names.clone(), &FILES, &program);
    for block in 0..RECORDED {
        run_block(&mut chip, block * 3);
    }
    let picture = picture(&chip.slices);
    let bytes = blocks::file(&names, &program, chip);
    Sample {
        id: "attention",
        title: "Flash attention on Ascend 910B4",
        note: "20 blocks of one cube and two vector cores, with source",
        file: "flash_attention.bin",
        bytes,
        picture,
    }
}

fn program() -> Vec<Instruction> {
    let of_row = |(n, row): (usize, &Row)| {
        let (key, file, words, pipe, text, bytes) = *row;
        let line = SOURCES[file].lines().position(|line| line.contains(words));
        Instruction {
            key,
            pipe: PIPES.iter().position(|p| *p == pipe).unwrap_or(0),
            text: text.to_owned(),
            file,
            line: line.unwrap_or_else(|| panic!("no line holds {words}")) + 1,
            address: 0x1_9c0 + n as u32 * 4,
            bytes,
        }
    };
    PROGRAM.iter().enumerate().map(of_row).collect()
}

/// One block: the cube core at `first`, its vector cores behind it.
fn run_block(chip: &mut Chip, first: usize) {
    let cube = first;
    let query = chip.run(cube, "query", 410.0, &[]);
    for half in 1..=2 {
        chip.run(first + half, "v-fill", 60.0, &[]);
    }
    let mut scores = vec![run_scores(chip, cube, query), run_scores(chip, cube, query)];
    let mut last = [None; 2];
    let mut halves = [1, 2].map(|half| run_softmax(chip, first + half, scores[0]));
    for tile in 0..TILES {
        chip.run(cube, "tile", 10.0, &[]);
        if tile + 2 < TILES {
            scores.push(run_scores(chip, cube, query));
        }
        let partial = run_outputs(chip, cube, &halves);
        if let Some(next) = scores.get(tile + 1) {
            halves = [1, 2].map(|half| run_softmax(chip, first + half, *next));
        }
        for half in [1, 2] {
            last[half - 1] = Some(run_rescale(chip, first + half, partial));
        }
    }
    for half in [1, 2] {
        let needs: Vec<Done> = last[half - 1].into_iter().collect();
        chip.run(first + half, "v-out", 330.0, &needs);
    }
}

fn run_scores(chip: &mut Chip, cube: usize, query: Done) -> Done {
    let keys = chip.run(cube, "key", 430.0, &[]);
    let mut product = None;
    for _ in 0..2 {
        let a = chip.run(cube, "score-a", 74.0, &[query]);
        let b = chip.run(cube, "score-b", 96.0, &[keys]);
        product = Some(chip.run(cube, "score-m", 262.0, &[a, b]));
    }
    let needs: Vec<Done> = product.into_iter().collect();
    let fixed = chip.run(cube, "score-f", 380.0, &needs);
    chip.run(cube, "score-s", 9.0, &[]);
    fixed
}

fn run_softmax(chip: &mut Chip, vector: usize, scores: Done) -> Done {
    let slow = if vector % 3 == 2 { 1.06 } else { 1.0 }; // the second half has the longer rows
    let loaded = chip.run(vector, "v-load", 395.0, &[scores]);
    chip.run(vector, "v-muls", 88.0 * slow, &[loaded]);
    for (key, nanos) in [("v-max", 121.0), ("v-sub", 92.0), ("v-exp", 214.0), ("v-sum", 118.0)] {
        chip.run(vector, key, nanos * slow, &[]);
    }
    let cast = chip.run(vector, "v-cast", 76.0 * slow, &[]);
    let stored = chip.run(vector, "v-store", 310.0, &[cast]);
    chip.run(vector, "v-set", 9.0, &[]);
    stored
}

fn run_outputs(chip: &mut Chip, cube: usize, probs: &[Done; 2]) -> Done {
    let values = chip.run(cube, "value", 425.0, &[]);
    let probs = chip.run(cube, "prob", 300.0, probs);
    let mut product = None;
    for _ in 0..2 {
        let a = chip.run(cube, "out-a", 80.0, &[probs]);
        let b = chip.run(cube, "out-b", 92.0, &[values]);
        product = Some(chip.run(cube, "out-m", 268.0, &[a, b]));
    }
    let needs: Vec<Done> = product.into_iter().collect();
    let fixed = chip.run(cube, "out-f", 365.0, &needs);
    chip.run(cube, "out-s", 9.0, &[]);
    fixed
}

fn run_rescale(chip: &mut Chip, vector: usize, partial: Done) -> Done {
    let loaded = chip.run(vector, "v-part", 352.0, &[partial]);
    chip.run(vector, "v-fac", 24.0, &[]);
    chip.run(vector, "v-mul", 101.0, &[]);
    chip.run(vector, "v-add", 97.0, &[loaded])
}

/// The first block between its second and fourth tile: seven lanes of 5 px.
fn picture(slices: &[Slice]) -> Vec<Rect> {
    let lanes: [(usize, usize, u8); 7] =
        [(0, 0, 9), (0, 2, 5), (0, 3, 2), (0, 4, 6), (0, 5, 1), (1, 6, 3), (1, 7, 4)];
    let (from, to) = (4_200.0, 10_800.0);
    let mut rects = Vec::new();
    for (y, (core, pipe, color)) in lanes.into_iter().enumerate() {
        let mut end = 0.0_f64;
        for slice in slices.iter().filter(|s| s.core == core && s.pipe == pipe && !s.is_wait) {
            let x = |t: f64| ((t - from) / (to - from) * 132.0).clamp(0.0, 132.0).round() as f32;
            let (a, b) = (x(slice.start), x(slice.start + slice.dur));
            if a < b && end <= f64::from(a) {
                let w = if 2.0 < b - a { b - a - 1.0 } else { b - a };
                rects.push((color, a, y as f32 * 6.0, w, 5.0));
                end = f64::from(b);
            }
        }
    }
    rects
}
