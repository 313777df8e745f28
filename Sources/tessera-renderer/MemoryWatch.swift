import CLinux
import CMemoryWatch
import Glibc
import Renditions

/// Ends the worker when it is refused memory, and tells the pool why. A decoder without the memory it asks for dies of it,
/// or goes on for long, or draws nothing where something should be: none of it is of use.
enum MemoryWatch {
    /// The packet, made while there is memory; its last eight bytes are the number.
    nonisolated(unsafe) private static let packet: UnsafeMutableBufferPointer<UInt8> = {
        let bytes = WorkerMessage.refusedMemory(0).packet
        let packet = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = packet.initialize(from: bytes)
        return packet
    }()

    static func start() {
        _ = packet
        cmemorywatch_start { bytes in
            // Invariant: whoever comes second, on another thread, writes a number as good as the first.
            let packet = MemoryWatch.packet
            let number = UInt64(Int64(clamping: bytes))
            for index in 0..<8 {
                packet[packet.count - 8 + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))
            }
            _ = clinux_send_packet(Program.channel, packet.baseAddress, packet.count, nil, 0)
            _exit(EX_OSERR)
        }
    }
}
