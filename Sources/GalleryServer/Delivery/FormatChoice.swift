import HTTPServer
import HTTPTypes
import Images
import Locking
import Renditions

/// Chooses a client's encoding by its `Accept` header. Browsers keep sending the same few long headers, so each is
/// parsed once.
final class FormatChoice: Sendable {
    /// How many headers are remembered, and their maximum length, since a client can send anything.
    private static let capacity = 128
    private static let maximumLength = 512

    private struct Heard: Sendable {
        let accept: [UInt8]
        var formats: [Rendition: OutputFormat] = [:]
    }

    /// Keyed by the hash of `accept`.
    private let heard = Guarded<[UInt64: Heard]>([:])

    /// The format for a plain request; nil if it asks for anything but the whole content from a cache (RFC 9110 §13.1
    /// and §14.2, RFC 9111 §5.2.1), or if it has several `Accept` lines.
    func format(for request: borrowing PlainRequest, _ rendition: Rendition) -> OutputFormat? {
        var isPlain = true
        var found: OutputFormat?
        request.forEachField { name, value in
            guard isPlain, let first = name.first else { return }
            switch first | 0x20 {
            case UInt8(ascii: "i"): isPlain = name.count < 3 || name[2] != UInt8(ascii: "-")
            case UInt8(ascii: "r"): isPlain = name.count != 5
            case UInt8(ascii: "c"): isPlain = name.count != 13
            case UInt8(ascii: "a") where name.elementsEqual("accept".utf8, by: { $0 | 0x20 == $1 }):
                isPlain = found == nil && value.count <= Self.maximumLength
                if isPlain { found = format(accept: value, rendition) }
            default: break
            }
        }
        guard isPlain else { return nil }
        return found ?? OutputFormat.negotiate(accept: nil, for: rendition)
    }

    private func format(accept: UnsafeRawBufferPointer, _ rendition: Rendition) -> OutputFormat {
        // FNV-1a; collisions are resolved by comparing the bytes.
        let hash = accept.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let known = heard.withLock { heard -> OutputFormat? in
            guard let entry = heard[hash], entry.accept.elementsEqual(accept) else { return nil }
            return entry.formats[rendition]
        }
        if let known { return known }
        let format = OutputFormat.negotiate(accept: String(decoding: accept, as: UTF8.self), for: rendition)
        heard.withLock { heard in
            if heard.count >= Self.capacity { heard.removeAll(keepingCapacity: true) }
            var entry = heard[hash] ?? Heard(accept: Array(accept))
            if !entry.accept.elementsEqual(accept) { entry = Heard(accept: Array(accept)) }
            entry.formats[rendition] = format
            heard[hash] = entry
        }
        return format
    }

    func format(for request: Request, _ rendition: Rendition) -> OutputFormat {
        guard var accept = request.headers[.accept], accept.utf8.count <= Self.maximumLength else {
            return OutputFormat.negotiate(accept: request.headers[.accept], for: rendition)
        }
        return accept.withUTF8 { format(accept: UnsafeRawBufferPointer($0), rendition) }
    }
}
