@testable import Redis

/// A Redis server's output: the replies are the same for any splitting by the network, and within the limits.
enum RedisReplyTarget: FuzzTarget {
    private static let bounds = ReplyParser.Bounds(bytes: 600, elements: 40, depth: 4, line: 100)

    private struct Reading: Equatable {
        var replies: [RedisReply] = []
        var fault: ReplyError?
    }

    static func run(_ input: [UInt8]) {
        let pieces = Pieces(input)
        var (atOnce, inPieces) = (Reading(), Reading())
        var whole = ReplyParser(bounds: bounds)
        read(&whole, pieces.bytes[...], &atOnce)
        var cut = ReplyParser(bounds: bounds)
        pieces.forEach { piece in
            guard inPieces.fault == nil else { return }
            read(&cut, piece, &inPieces)
        }
        precondition(atOnce == inPieces, "the same bytes are read in two ways")
    }

    private static func read(_ parser: inout ReplyParser, _ bytes: ArraySlice<UInt8>, _ reading: inout Reading) {
        parser.append(bytes)
        do throws(ReplyError) {
            while let reply = try parser.next() {
                var elements = 0
                precondition(size(of: reply, depth: 0, &elements) <= bounds.bytes && elements <= bounds.elements)
                reading.replies.append(reply)
            }
        } catch {
            precondition(!error.description.isEmpty)
            reading.fault = error
        }
    }

    private static func size(of reply: RedisReply, depth: Int, _ elements: inout Int) -> Int {
        switch reply {
        case .nothing, .integer, .error: return 1
        case .bytes(let bytes): return bytes.count
        case .list(let list):
            precondition(list.isEmpty || depth < bounds.depth)
            elements += list.count
            return list.reduce(1) { $0 + size(of: $1, depth: depth + 1, &elements) }
        }
    }
}
