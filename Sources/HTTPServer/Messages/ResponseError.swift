/// Why a response cannot be sent. The client gets a 500; the log gets this.
public enum ResponseError: Error, Hashable, Sendable {
    /// A field's value holds a line break or a NUL: it would be a way to forge a response (RFC 9110 §5.5).
    case unsafeField(name: String)
    /// Not from 200 to 599: interim responses are the server's own.
    case invalidStatus(Int)
}
