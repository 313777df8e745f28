/// Why an original cannot be redacted. It must not be sent then.
public enum RedactionError: Error, Hashable, Sendable {
    /// Its format, or a part of it, is not one whose metadata can be found.
    case unsupported
    /// It is not what its format says.
    case malformed
    /// It has more metadata than any camera or program writes.
    case tooComplex
    /// It could not be read.
    case unreadable
}
