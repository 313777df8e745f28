import Images

@testable import Renditions

/// Packets between the pool and its workers, neither of which trusts the other: the first byte selects the direction,
/// and the rest are packets with a length byte in front of each.
enum WorkerMessageTarget: FuzzTarget {
    private static let works: [RenderJob.Work] = [
        .readMetadata, .partialDecode(.webp), .make([.tile: .webp, .preview: .webp]),
        .encode(RenderJob.EncodingWork(width: 8, height: 8, format: .jpeg, quality: 80)),
        .readSidecars([.xmp, .takeout]),
    ]

    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        if first & 0x80 != 0 { return readByWorker(input.dropFirst()) }
        var assembly = ResponseAssembler()
        assembly.expect(works[Int(first) % works.count], job: 1, mayBeHeavy: first & 0x40 != 0)
        var rest = input.dropFirst()
        do throws(MessageError) {
            while let length = rest.popFirst() {
                let packet = rest.prefix(Int(length))
                rest = rest.dropFirst(Int(length))
                check(packet)
                _ = try assembly.take(packet)
            }
        } catch {
            precondition(!error.description.isEmpty)
        }
    }

    /// A parsed message is encoded to bytes that parse to the same message.
    private static func check(_ packet: ArraySlice<UInt8>) {
        guard let message = try? WorkerMessage(packet) else { return }
        precondition((try? WorkerMessage(message.packet[...])) == message, "a message changes as it is sent on")
    }

    private static func readByWorker(_ packet: ArraySlice<UInt8>) {
        guard let message = try? PoolMessage(packet) else { return }
        precondition((try? PoolMessage(message.bytes[...])) == message, "a message changes as it is sent on")
        precondition(message.bytes.count <= JobMessage.maximumLength)
    }
}
