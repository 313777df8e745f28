import Dispatch
import Images
import Origins
import Scheduling
import Testing

@testable import Loading

@Suite struct OriginalVersionTests {
    private func version(_ tag: String?, _ date: String? = nil, _ length: Int64? = nil) -> ContentVersion? {
        ContentVersion(Validators(entityTag: tag, lastModified: date), length: length)
    }

    @Test func `a strong entity tag decides, then date and length, and nothing weaker`() {
        #expect(version("\"a\"") != nil && version("\"a\"") == version("\"a\"", "then", 5))
        #expect(version("\"a\"") != version("\"b\""))
        #expect(version("W/\"a\"") == nil && version(nil, "then") == nil && version(nil) == nil)
        #expect(version(nil, "then", 5) != version(nil, "then", 6))
        #expect(version("W/\"a\"", "then", 5) == version(nil, "then", 5))
    }
}

@Suite struct PictureSignatureTests {
    @Test func `pictures that browsers show are told by their first bytes, and nothing else`() {
        #expect(PictureSignature.mediaType(of: picture(20)) == "image/jpeg")
        #expect(PictureSignature.mediaType(of: Array("GIF89a..........".utf8)) == "image/gif")
        #expect(PictureSignature.mediaType(of: Array("RIFF....WEBPVP8 ".utf8)) == "image/webp")
        #expect(PictureSignature.mediaType(of: Array("\0\0\0 ftypavif\0\0\0\0".utf8)) == "image/avif")
        #expect(PictureSignature.mediaType(of: Array("<svg xmlns='http".utf8)) == nil)
        #expect(PictureSignature.mediaType(of: Array("<!doctype html> ".utf8)) == nil)
        #expect(PictureSignature.mediaType(of: [UInt8]()) == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct BlockingLaneTests {
    @Test func `work that has not begun can be taken out and moved`() async {
        let lane = BlockingLane(label: "test", threads: 1)
        let gate = DispatchSemaphore(value: 0)
        let ran = Recorder<Int>()
        let begun = Recorder<Bool>()
        lane.submit(1, priority: .background) {
            begun.record(true)
            gate.wait()
        }
        _ = await begun.element(0)
        for id in 2...5 as ClosedRange<UInt64> { lane.submit(id, priority: .background) { ran.record(Int(id)) } }
        lane.reprioritise(5, to: .visible(7))
        #expect(lane.cancel(3) && !lane.cancel(3) && !lane.cancel(1))
        gate.signal()
        #expect(await ran.first(3) == [5, 2, 4])
        #expect(lane.cancel(5) == false)
    }

    @Test func `threads end when the lane is stopped`() async {
        let lane = BlockingLane(label: "test", threads: 3)
        let ran = Recorder<Int>()
        for id in 1...3 as ClosedRange<UInt64> { lane.submit(id, priority: .background) { ran.record(Int(id)) } }
        _ = await ran.first(3)
        #expect(lane.threadCount > 0)
        lane.stop()
        #expect(lane.join(for: 10))
        #expect(lane.threadCount == 0)
    }

    @Test func `what hangs in some groups leaves the others their threads, however many hang`() async {
        let lane = BlockingLane(label: "test", threads: 16, threadsPerGroup: 2)
        let gate = DispatchSemaphore(value: 0)
        let begun = Recorder<Int>()
        // Ten pieces of work hang in each of seven groups, before the first thread has come to look.
        for group in 0..<7 {
            for _ in 0..<10 {
                lane.submit(BlockingLane.newWork(), in: group, priority: .background) {
                    begun.record(group)
                    gate.wait()
                }
            }
        }
        #expect(await begun.first(14).sorted() == (0..<7).flatMap { [$0, $0] })
        let ran = Recorder<Int>()
        for number in 0..<100 {
            lane.submit(BlockingLane.newWork(), in: 7, priority: .background) { ran.record(number) }
        }
        #expect(await ran.first(100).sorted() == Array(0..<100))
        #expect(begun.count == 14 && lane.threadCount <= 16)
        lane.stop()
        for _ in 0..<14 { gate.signal() }
        #expect(lane.join(for: 10))
    }

    @Test func `one group alone has no more threads than it may use`() async {
        let lane = BlockingLane(label: "test", threads: 64, threadsPerGroup: 2)
        let ran = Recorder<Int>()
        for number in 0..<500 {
            lane.submit(BlockingLane.newWork(), priority: .background) { ran.record(number) }
        }
        #expect(await ran.first(500).count == 500)
        #expect((1...2).contains(lane.threadCount))
    }
}
