import CLinux
import CMemoryWatch
import Glibc
import Renditions

/// Ends the worker when an allocation fails, and reports that to the pool. A decoder whose allocation fails may
/// crash, run for very long, or draw blank areas; its result is useless in any case.
enum MemoryWatch {
    /// The packet, built while there is memory; its last eight bytes are the size of the allocation.
    nonisolated(unsafe) private static let packet: UnsafeMutableBufferPointer<UInt8> = {
        let bytes = WorkerMessage.refusedMemory(0).packet
        let packet = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = packet.initialize(from: bytes)
        return packet
    }()

    static func start() {
        _ = packet
        cmemorywatch_start { bytes in
            // Invariant: if two threads race, either of their numbers will do.
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
