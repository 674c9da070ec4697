#![no_main]
#[path = "../kernels.rs"]
mod kernels;

libfuzzer_sys::fuzz_target!(|data: &[u8]| kernels::pieces(data));
