//! The command line of kselect.

fn main() {}
