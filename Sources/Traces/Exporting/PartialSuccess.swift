import Encodings

/// The part of an accepted batch that a collector rejected: `ExportTracePartialSuccess` of OTLP 1, in its JSON form
/// (OTLP specification, "Partial Success").
struct PartialSuccess: Hashable {
    /// At least 0.
    var rejectedSpans = 0
    /// The reason, in words for people.
    var errorMessage = ""

    /// - Parameter answer: The body of a collector's response. Most are empty, which means that it accepted the whole
    ///   batch.
    init(answer: [UInt8]) {
        guard let decoded = try? JSONField(answer)["partialSuccess"]?.unlessNull else { return }
        // The JSON encoding writes 64-bit numbers as strings, and requires readers to accept numbers as well.
        if let field = try? decoded["rejectedSpans"] {
            rejectedSpans = max(0, (try? field.text()).flatMap { Int($0) } ?? (try? field.integer()) ?? 0)
        }
        errorMessage = (try? decoded["errorMessage"]?.text()) ?? ""
    }
}
