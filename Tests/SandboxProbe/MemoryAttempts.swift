import Glibc

/// What the memory watch told last. One thread runs.
nonisolated(unsafe) var refusedBytes = 0

/// Lies where the optimiser has to expect readers, so that it cannot leave an allocation out.
nonisolated(unsafe) var allocated: UnsafeMutableRawPointer?

let memoryAttempts: [String: Attempt] = [
    "executable-mapping": { _ throws(Refusal) in
        let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        try Refusal.check(Int(bitPattern: memory))
        return "allowed"
    },
    "executable-afterwards": { _ throws(Refusal) in
        let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        try Refusal.check(Int(bitPattern: memory))
        try Refusal.check(mprotect(memory!, 4096, PROT_READ | PROT_EXEC))
        return "allowed"
    },
    "some-memory": { _ throws(Refusal) in try allocate(100 << 20) },
    "too-much-memory": { _ throws(Refusal) in try allocate(1 << 30) },
    "too-much-memory-for-a-library": { _ throws(Refusal) in
        // The C library allocates the buffer itself.
        guard fmemopen(nil, 1 << 40, "w+") == nil else { return "allowed" }
        return refusedBytes == 1 << 40 ? "told" : "not told"
    },
]

private func allocate(_ bytes: Int) throws(Refusal) -> String {
    allocated = malloc(bytes)
    guard let allocated else {
        if refusedBytes != bytes { return "not told" }
        throw Refusal(code: errno)
    }
    memset(allocated, 1, min(bytes, 1 << 20))
    return "allowed"
}
