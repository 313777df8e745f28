import Glibc
public import Testing

extension Trait where Self == ConditionTrait {
    /// For long-running suites that compute plain values on one thread without pointers: a sanitizer finds nothing
    /// there, and makes them ten times slower. Under a sanitizer they count as skipped; the `unit` stage runs them.
    /// `Scripts/lint` checks where this trait is used.
    public static var unsanitized: Self {
        .enabled(if: getenv("TESSERA_SANITIZER") == nil, "plain values on one thread")
    }
}
