import CLinux
import Glibc
import Synchronization

let threadAttempts: [String: Attempt] = [
    "supervised": { beforehand throws(Refusal) in
        if !beforehand.isSupervised { throw Refusal(code: ENOSYS) }
        return "allowed"
    },
    "thread": { _ throws(Refusal) in
        var result: UnsafeMutableRawPointer?
        pthread_join(try makeThread { _ in UnsafeMutableRawPointer(bitPattern: 7) }, &result)
        return Int(bitPattern: result) == 7 ? "allowed" : "lost"
    },
    // Each makes way for the next.
    "many-threads-in-turn": { _ throws(Refusal) in
        for _ in 0..<200 { pthread_join(try makeThread { _ in nil }, nil) }
        return "allowed"
    },
    "too-many-threads": { _ throws(Refusal) in
        for _ in 0..<100 { _ = try makeThread(waiting) }
        return "allowed"
    },
    // As many as may be granted while others are being granted.
    "too-many-threads-from-threads": { _ throws(Refusal) in
        var makers: [pthread_t] = []
        for _ in 0..<8 {
            makers.append(
                try makeThread { _ in
                    while made.load(ordering: .relaxed) < 100, (try? makeThread(waiting)) != nil {
                        made.wrappingAdd(1, ordering: .relaxed)
                    }
                    return nil
                })
        }
        for maker in makers { pthread_join(maker, nil) }
        if made.load(ordering: .relaxed) < 2 * 24 { throw Refusal(code: EAGAIN) }
        return "allowed"
    },
    // CLONE_VM, CLONE_FS, CLONE_SIGHAND and CLONE_THREAD, but not CLONE_FILES.
    "thread-with-descriptors-of-its-own": { _ throws(Refusal) in
        _ = try call(CallNumber.clone, 0x10b00)
        return "allowed"
    },
]

private let made = Atomic<Int>(0)

private let waiting: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
    while true { sleep(60) }
}

private func makeThread(
    _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
) throws(Refusal) -> pthread_t {
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    // So small that the limit of memory allows them all.
    pthread_attr_setstacksize(&attributes, 128 << 10)
    let code = pthread_create(&thread, &attributes, body, nil)
    if code != 0 { throw Refusal(code: code) }
    return thread
}
