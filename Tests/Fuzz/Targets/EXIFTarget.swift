import Images

@testable import Decoding
@testable import Renditions

/// An EXIF block and, by its first byte, a colour profile.
enum EXIFTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        _ = ICCProfile.isStandardRGB(input)
        guard let exif = ExifMetadata(input) else { return }
        let facts = told(PictureMetadata(exif: exif))
        precondition((1...8).contains(facts.orientation ?? 1))
        if let thumbnail = exif.thumbnail { precondition(thumbnail.count >= 3) }
    }
}

enum IPTCTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        _ = told(PictureMetadata(iptc: IPTCRecord(input[...])))
    }
}

enum XMPTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        _ = told(PictureMetadata(xmp: XMPPacket(input[...])))
    }
}

enum JPEGHeadTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let reader = try? SourceReader(.bytes(input), stop: RenderStop()) else { return }
        for range in MultiPictureIndex(reader)?.thumbnails ?? [] {
            precondition(!range.isEmpty && range.lowerBound > 0 && range.upperBound <= reader.length)
        }
        guard let head = JPEGHead(reader) else { return }
        precondition(head.width > 0 && head.height > 0)
        _ = told(head.metadata)
    }
}

/// What is learnt of a picture can be told by a worker: a pool that did not believe it would take the worker for one gone
/// mad.
private func told(_ metadata: PictureMetadata) -> ImageFacts {
    var facts = ImageFacts()
    metadata.describe(&facts)
    let answer = AnswerHead.splitting(RenderAnswer(facts: facts)).head
    let packet = WorkerMessage.ended(job: 1, .made(answer), memory: 0).packet
    do throws(MessageError) {
        guard case .ended(1, .made(let told), 0) = try WorkerMessage(packet[...]) else {
            preconditionFailure("an answer is read as something else")
        }
        precondition(told.facts == facts, "what is told is something else")
    } catch {
        preconditionFailure("a worker cannot tell what a picture says: \(error)")
    }
    return facts
}
