import Glibc

/// A thread that exists before system calls are confined, like those of libraries' pools, and then does what it is
/// told.
final class OlderThread {
    private var thread = pthread_t()
    private let orders: (sending: Int32, receiving: Int32)

    init() {
        var ends = [Int32](repeating: -1, count: 2)
        pipe(&ends)
        orders = (ends[1], ends[0])
        // The result is an errno, cast to a pointer.
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { descriptor in
            var order: UInt8 = 0
            guard read(Int32(Int(bitPattern: descriptor)), &order, 1) == 1 else { return nil }
            let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            return UnsafeMutableRawPointer(bitPattern: made < 0 ? Int(errno) : 0)
        }
        pthread_create(&thread, nil, body, UnsafeMutableRawPointer(bitPattern: Int(orders.receiving)))
    }

    func makeSocket() throws(Refusal) {
        write(orders.sending, "x", 1)
        var result: UnsafeMutableRawPointer?
        pthread_join(thread, &result)
        let code = Int(bitPattern: result)
        if code != 0 { throw Refusal(code: Int32(code)) }
    }
}
