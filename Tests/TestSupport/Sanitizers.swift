import Glibc
public import Testing

extension Trait where Self == ConditionTrait {
    /// For suites of plain values on one thread, without a pointer, that reckon for long: a sanitizer finds nothing there and
    /// makes them last ten times as long. They are counted as skipped; `unit` runs them. `Scripts/lint` looks after the
    /// mark.
    public static var unsanitized: Self {
        .enabled(if: getenv("TESSERA_SANITIZER") == nil, "plain values on one thread")
    }
}
