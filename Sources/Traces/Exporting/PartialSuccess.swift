import FoundationEssentials

/// What a collector did not take of a batch that it took otherwise: `ExportTracePartialSuccess` of OTLP 1, in its JSON form
/// (OTLP specification, "Partial Success").
struct PartialSuccess: Hashable {
    /// At least 0.
    var rejectedSpans = 0
    /// Why, in words for people.
    var errorMessage = ""

    /// - Parameter answer: The body of a collector's answer; most say nothing, and all of the batch was taken.
    init(answer: [UInt8]) {
        struct Answer: Decodable { let partialSuccess: PartialSuccess? }
        let told = try? JSONDecoder().decode(Answer.self, from: Data(answer))
        self = told?.partialSuccess ?? self
    }
}

extension PartialSuccess: Decodable {
    private enum Field: CodingKey { case rejectedSpans, errorMessage }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        // Numbers of 64 bits are text, and whoever reads them takes numbers, too.
        let text = try? fields.decode(String.self, forKey: .rejectedSpans)
        let number = try text.flatMap(Int.init) ?? fields.decodeIfPresent(Int.self, forKey: .rejectedSpans)
        rejectedSpans = max(0, number ?? 0)
        errorMessage = try fields.decodeIfPresent(String.self, forKey: .errorMessage) ?? ""
    }
}
