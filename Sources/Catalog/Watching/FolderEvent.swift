import Glibc

/// One event of `inotify(7)`.
struct FolderEvent: Hashable {
    /// The watch descriptor; -1 if the event belongs to none.
    let watch: Int32
    let mask: UInt32
    /// The name within the folder; empty if the event concerns the folder itself.
    let name: [UInt8]

    func has(_ flags: Int...) -> Bool { flags.contains { mask & UInt32(truncatingIfNeeded: $0) != 0 } }

    /// Parses the events that the kernel has written to a buffer. Skips a truncated one at the end.
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
