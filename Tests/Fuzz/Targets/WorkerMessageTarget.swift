import Images

@testable import Renditions

/// Packets between the pool and its workers, which neither believes: the first byte says which way, and the rest is
/// packets with a byte of length before each.
enum WorkerMessageTarget: FuzzTarget {
    private static let works: [RenderJob.Work] = [
        .examine, .glimpse(.webp), .make([.tile: .webp, .preview: .webp]),
        .encode(RenderJob.EncodingWork(width: 8, height: 8, format: .jpeg, quality: 80)),
    ]

    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        if first & 0x80 != 0 { return readByWorker(input.dropFirst()) }
        var assembly = AnswerAssembly()
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

    /// What is read is written so that it is read as the same.
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
