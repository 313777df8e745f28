import HTTPTypes

@testable import HTTPServer

/// Requests on one connection: the result is the same for any splitting by the network.
enum RequestTarget: FuzzTarget {
    /// Small, so that inputs of the length that a fuzzer makes reach the limits.
    private static let limits: RequestParser.Limits = {
        var limits = RequestParser.Limits()
        limits.requestLine = 256
        limits.fields = 512
        limits.fieldCount = 12
        limits.body = 1_024
        return limits
    }()

    private struct Reading: Equatable {
        var heads: [[UInt8]] = []
        var framings: [RequestHead.Framing] = []
        var bodies: [[UInt8]] = []
        var ends = 0
        var failure: RequestError?
    }

    static func run(_ input: [UInt8]) {
        let pieces = Pieces(input)
        var (whole, cut) = (RequestParser(limits: limits), RequestParser(limits: limits))
        var (atOnce, inPieces) = (Reading(), Reading())
        whole.append(pieces.bytes)
        read(&whole, into: &atOnce)
        pieces.forEach { piece in
            guard inPieces.failure == nil else { return }
            cut.append(Array(piece))
            read(&cut, into: &inPieces)
        }
        precondition(inPieces == atOnce, "the same bytes are read in two ways")
        precondition(atOnce.ends <= atOnce.heads.count && atOnce.heads.count <= atOnce.ends + 1)
        for body in atOnce.bodies { precondition(body.count <= Int(limits.body)) }
    }

    private static func read(_ parser: inout RequestParser, into reading: inout Reading) {
        do throws(RequestError) {
            while let event = try parser.next() {
                switch event {
                case .head(let head):
                    look(at: head)
                    reading.heads.append(head.bytes)
                    reading.framings.append(head.framing)
                    reading.bodies.append([])
                case .body(let bytes):
                    precondition(!bytes.isEmpty)
                    reading.bodies[reading.bodies.count - 1] += bytes
                case .end: reading.ends += 1
                }
            }
        } catch {
            reading.failure = error
            // After an error, only the same error follows.
            let again = Result { () throws(RequestError) in try parser.next() }
            guard case .failure(error) = again else { preconditionFailure("an error is forgotten") }
        }
    }

    private static func look(at head: RequestHead) {
        for range in [head.path, head.query, head.authority].compactMap({ $0 }) {
            precondition(head.bytes.indices.contains(range.lowerBound) || range.isEmpty)
            precondition(range.upperBound <= head.bytes.count)
        }
        precondition(head.fields <= head.bytes.count)
    }
}
