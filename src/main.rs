//! The `mcplock` program; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcplock::cli::main()
}
