import Glibc

/// One event of `inotify(7)`.
struct FolderEvent: Hashable {
    /// The number of the watch; -1 where the event is of none.
    let watch: Int32
    let mask: UInt32
    /// What it happened to within the folder; empty where it happened to the folder itself.
    let name: [UInt8]

    func has(_ flags: Int...) -> Bool { flags.contains { mask & UInt32(truncatingIfNeeded: $0) != 0 } }

    /// The events that the kernel put into a buffer, one behind the other. What is cut short is left out.
    static func events(in bytes: UnsafeRawBufferPointer) -> [FolderEvent] {
        var events: [FolderEvent] = []
        var start = 0
        let head = MemoryLayout<inotify_event>.size
        while start + head <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
            let end = start + head + Int(event.len)
            guard end <= bytes.count else { break }
            let name = bytes[(start + head)..<end].prefix { $0 != 0 }
            events.append(FolderEvent(watch: event.wd, mask: event.mask, name: Array(name)))
            start = end
        }
        return events
    }
}
