import Dispatch
import Encodings
import EventLoops
import HTTPServer
import HTTPTypes
import Testing

@testable import GalleryServer

/// Reading and writing JSON takes milliseconds, which is too long for an event loop.
@Suite struct JSONBodyTests {
    @Test func `JSON is encoded and decoded off the calling task's event loop`() async throws {
        let loop = Loop()
        let task = Task<Void, any Error>(executorPreference: loop) {
            #expect(Loop.isCurrent)
            let read = try await JSONBody.decode(Probe.self, from: Array("0".utf8))
            #expect(!read.wasReadOnLoop)
            let request = try Request(.get, "/", loop: EventLoop(label: "test"))
            guard case .bytes(let answered) = try await JSONBody.response(to: request, Probe()).body else {
                Issue.record("The answer has no body.")
                return
            }
            #expect(answered == Array("false".utf8))
            #expect(Loop.isCurrent)
        }
        try await task.value
    }

    @Test(arguments: ["null", "[]", "5", "\"text\"", "{"])
    func `a body that is not a JSON object is reported as such`(text: String) async {
        let problem = await #expect(throws: Problem.self) {
            try await JSONBody.decode(TokenRequestBody.self, from: Array(text.utf8))
        }
        #expect(problem?.detail?.hasPrefix("Send one JSON object") == true)
    }

    @Test(arguments: [
        (#"{"first":99999999999999999999,"count":1}"#, "first"), (#"{"first":1e400,"count":1}"#, "first"),
        (#"{"first":0,"count":-99999999999999999999}"#, "count"), (#"{"first":0.5,"count":1}"#, "first"),
        (#"{"slots":[{"slot":0,"image":"x"},{"slot":1e99,"image":"x"}]}"#, "slots[1].slot"),
        (#"{"slots":[{"slot":18446744073709551616,"image":"x"}]}"#, "slots[0].slot"),
    ])
    func `an invalid number is reported with its field`(text: String, field: String) async {
        let problem = await #expect(throws: Problem.self) {
            try await JSONBody.decode(TokenRequestBody.self, from: Array(text.utf8))
        }
        #expect(problem?.members["field"] == .string(field))
        #expect(problem?.detail?.hasPrefix("\(field) must be a whole number") == true)
    }

    /// Comparing or hashing a long text of combining marks takes seconds.
    @Test(arguments: ["session", "rendition", "purpose", "view"])
    func `a text that is too long is refused before anything is compared with it`(field: String) async {
        let marks = String(repeating: "\u{323}", count: 8_400)
        let problem = await #expect(throws: Problem.self) {
            try await JSONBody.decode(TokenRequestBody.self, from: Array(#"{"\#(field)":"\#(marks)"}"#.utf8))
        }
        #expect(problem?.members["field"] == .string(field))
    }

    /// Records where it was written and where it was read.
    private struct Probe: JSONWritable, JSONReadable {
        var wasReadOnLoop = true

        init() {}

        init(_ json: JSONField) { wasReadOnLoop = Loop.isCurrent }

        func write(to json: inout JSONWriter) { json.value(Loop.isCurrent) }
    }

    private final class Loop: TaskExecutor {
        private static let key = DispatchSpecificKey<Bool>()
        private let queue = DispatchQueue(label: "test.loop")

        init() { queue.setSpecific(key: Self.key, value: true) }

        static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}
