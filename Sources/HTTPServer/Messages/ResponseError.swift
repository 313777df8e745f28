/// Why a response can't be sent. The client gets a 500, the log gets this.
public enum ResponseError: Error, Hashable, Sendable {
    /// A field's value contains a line break or a NUL, which would allow forging a response (RFC 9110 §5.5).
    case unsafeField(name: String)
    /// Not from 200 to 599: the server sends interim responses itself.
    case invalidStatus(Int)
}
