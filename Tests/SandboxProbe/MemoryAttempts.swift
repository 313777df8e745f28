import Glibc

/// The last size reported by the memory watch. Only one thread runs.
nonisolated(unsafe) var refusedBytes = 0

/// Visible to other code, so that the optimizer cannot remove an allocation.
nonisolated(unsafe) var allocated: UnsafeMutableRawPointer?

let memoryAttempts: [String: Attempt] = [
    "executable-mapping": { _ throws(Refusal) in
        _ = try map(4096, PROT_READ | PROT_WRITE | PROT_EXEC)
        return "allowed"
    },
    "executable-afterwards": { _ throws(Refusal) in
        try Refusal.check(mprotect(try map(4096), 4096, PROT_READ | PROT_EXEC))
        return "allowed"
    },
    // It would count no more, although it keeps its contents.
    "read-only-afterwards": { _ throws(Refusal) in
        try Refusal.check(mprotect(try map(4096), 4096, PROT_READ))
        return "allowed"
    },
    "growing-mapping": { _ throws(Refusal) in
        _ = try map(4096, PROT_READ | PROT_WRITE, MapFlag.growsDown)
        return "allowed"
    },
    "locked-mapping": { _ throws(Refusal) in
        _ = try map(4096, PROT_READ | PROT_WRITE, MapFlag.locked)
        return "allowed"
    },
    "shared-mapping": { _ throws(Refusal) in
        let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        try Refusal.check(Int(bitPattern: memory))
        return "allowed"
    },
    "shared-file": { beforehand throws(Refusal) in
        try Refusal.check(Int(bitPattern: mmap(nil, 4096, PROT_READ, MAP_SHARED, beforehand.input, 0)))
        return "allowed"
    },
    "mapping-over-another": { _ throws(Refusal) in
        let first = try map(4096)
        let second = mmap(first, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
        try Refusal.check(Int(bitPattern: second))
        return "allowed"
    },
    "memory-file": { _ throws(Refusal) in
        _ = try call(CallNumber.memoryFile, Int(bitPattern: strdup("name")))
        return "allowed"
    },
    "move-mapping-over-another": { _ throws(Refusal) in
        let (first, second) = (try map(4096), try map(4096))
        _ = try call(
            CallNumber.remap, Int(bitPattern: first), 4096, 4096, MapFlag.mayMove | MapFlag.moveTo,
            Int(bitPattern: second))
        return "allowed"
    },
    "advise-sequential-access": { _ throws(Refusal) in
        try Refusal.check(madvise(try map(4096), 4096, 2))
        return "allowed"
    },
    "memory-of-another-picture": { _ throws(Refusal) in
        for count in [24, 700, 5_000, 70_000, 400_000, 8 << 20] {
            for allocate in allocations where !isCleared(count, allocate) { return "not cleared" }
        }
        return "cleared"
    },
    "some-memory": { _ throws(Refusal) in try allocate(100 << 20) },
    "grow-memory": { _ throws(Refusal) in
        // Large blocks are mappings of their own, which realloc(3) moves.
        _ = try allocate(10 << 20)
        allocated = realloc(allocated, 50 << 20)
        if allocated == nil { throw Refusal(code: errno) }
        free(allocated)
        return "allowed"
    },
    "too-much-memory": { _ throws(Refusal) in try allocate(1 << 30) },
    "too-much-memory-for-a-library": { _ throws(Refusal) in
        // The C library allocates the buffer itself.
        guard fmemopen(nil, 1 << 40, "w+") == nil else { return "allowed" }
        return refusedBytes == 1 << 40 ? "told" : "not told"
    },

    // Memory that RLIMIT_DATA does not count, more than all limits together allow.
    "too-much-hidden-memory": { _ throws(Refusal) in
        let piece = 16 << 20
        for _ in 0..<24 {
            let memory = try map(piece)
            memset(memory, 1, piece)
            try Refusal.check(mprotect(memory, piece, PROT_NONE))
        }
        return "allowed"
    },
    "too-large-stack": { _ throws(Refusal) in
        var local = 0
        // Two pages down, the stack has been used already.
        let page = withUnsafeMutablePointer(to: &local) { Int(bitPattern: $0) & ~4095 - 2 * 4096 }
        _ = try call(CallNumber.remap, page, 4096, 384 << 20, MapFlag.mayMove)
        return "allowed"
    },
    // Reading it would take a page of page tables for every two megabytes.
    "too-many-page-tables": { _ throws(Refusal) in
        _ = try map(40 << 30, PROT_READ, MapFlag.noReserve)
        return "allowed"
    },
]

/// Flags of mmap(2) and mremap(2) that Swift does not name.
private enum MapFlag {
    static let growsDown: Int32 = 0x100
    static let locked: Int32 = 0x2000
    static let noReserve: Int32 = 0x4000
    static let mayMove = 1
    static let moveTo = 2
}

private func map(
    _ bytes: Int, _ rights: Int32 = PROT_READ | PROT_WRITE, _ flags: Int32 = 0
) throws(Refusal) -> UnsafeMutableRawPointer {
    let memory = mmap(nil, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0)
    guard let memory, memory != MAP_FAILED else { throw Refusal(code: errno) }
    return memory
}

private func allocate(_ bytes: Int) throws(Refusal) -> String {
    allocated = malloc(bytes)
    guard let allocated else {
        if refusedBytes != bytes { return "not told" }
        throw Refusal(code: errno)
    }
    memset(allocated, 1, min(bytes, 1 << 20))
    return "allowed"
}

/// What a library may call for memory, by number of bytes.
private let allocations: [@Sendable (Int) -> UnsafeMutableRawPointer?] = [
    { malloc($0) }, { realloc(nil, $0) }, { realloc(malloc($0 / 2), $0) }, { aligned_alloc(64, $0) },
    {
        var memory: UnsafeMutableRawPointer?
        return posix_memalign(&memory, 4_096, $0) == 0 ? memory : nil
    },
]

/// Whether memory holds nothing of what was written before it was freed and allocated again.
private func isCleared(_ count: Int, _ allocate: (Int) -> UnsafeMutableRawPointer?) -> Bool {
    for _ in 0..<8 {
        let blocks = (0..<4).map { _ in allocate(count) }
        defer { for block in blocks { free(block) } }
        for block in blocks {
            guard let block else { return false }
            allocated = block
            // Without a loop, which takes seconds in a debug build: each byte equals the one before.
            guard block.load(as: UInt8.self) == 0, memcmp(block, block + 1, count - 1) == 0 else { return false }
            memset(block, 0x5a, count)
        }
    }
    return true
}
