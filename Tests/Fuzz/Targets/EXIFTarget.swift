import Images

@testable import Decoding
@testable import Renditions

/// An EXIF block and, by its first byte, a colour profile. What is learnt of a picture can be told by a worker: a pool
/// that did not believe it would take the worker for one gone mad.
enum EXIFTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        _ = ICCProfile.isStandardRGB(input)
        guard let exif = ExifMetadata(input) else { return }
        var facts = ImageFacts()
        exif.describe(&facts)
        precondition((1...8).contains(facts.orientation ?? 1))
        if let thumbnail = exif.thumbnail { precondition(thumbnail.count >= 3) }

        let answer = AnswerHead.splitting(RenderAnswer(facts: facts)).head
        let packet = WorkerMessage.ended(job: 1, .made(answer), memory: 0).packet
        do throws(MessageError) {
            guard case .ended(1, .made(let told), 0) = try WorkerMessage(packet[...]) else {
                preconditionFailure("an answer is read as something else")
            }
            precondition(told.facts.orientation == facts.orientation && told.facts.place == facts.place)
        } catch {
            preconditionFailure("a worker cannot tell what a picture says: \(error)")
        }
    }
}
