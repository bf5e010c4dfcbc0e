//! Corrected numbers of NNAPI marks, against numbers worked out by hand.

mod make;
mod points;
