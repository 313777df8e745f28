import FileHeads
import Images

@testable import Decoding
@testable import Renditions

/// An EXIF block and, by its first byte, a colour profile.
enum EXIFTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        _ = ICCProfile(input)
        guard let exif = ExifMetadata(input) else { return }
        let metadata = reported(PictureMetadata(exif: exif))
        precondition((1...8).contains(metadata.orientation ?? 1))
        if let thumbnail = exif.thumbnail { precondition(thumbnail.count >= 3) }
    }
}

enum IPTCTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        _ = reported(PictureMetadata(iptc: IPTCRecord(input[...])))
    }
}

enum XMPTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        _ = reported(PictureMetadata(xmp: XMPPacket(input[...])))
    }
}

enum JPEGHeadTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        if let thumbnail = CameraThumbnail(head: input, atLeast: 64, atMost: 16 << 10) {
            precondition(thumbnail.width > 0 && thumbnail.height > 0 && JPEGSegments(thumbnail.file[...]) != nil)
            // It contains no thumbnail of its own, and nothing that it does not need.
            precondition(CameraThumbnail(head: thumbnail.file, atLeast: 64, atMost: 16 << 10) == nil)
        }
        guard let reader = try? SourceReader(.bytes(input), stop: RenderStop()) else { return }
        for range in MultiPictureIndex(reader)?.thumbnails ?? [] {
            precondition(!range.isEmpty && range.lowerBound > 0 && range.upperBound <= reader.length)
        }
        guard let head = JPEGHead(reader) else { return }
        precondition(head.width > 0 && head.height > 0)
        _ = reported(head.metadata)
    }
}

private func reported(_ embedded: PictureMetadata) -> ImageMetadata {
    var metadata = ImageMetadata()
    embedded.describe(&metadata)
    precondition(sent(metadata) == metadata, "what is told is something else")
    return metadata
}

/// A worker must be able to report any metadata: if the pool rejected its message, it would treat the worker as broken.
func sent(_ metadata: ImageMetadata) -> ImageMetadata {
    let answer = RenderResponseHead.splitting(RenderResult(metadata: metadata)).head
    let packet = WorkerMessage.ended(job: 1, .made(answer), memory: 0).packet
    do throws(MessageError) {
        guard case .ended(1, .made(let told), 0) = try WorkerMessage(packet[...]) else {
            preconditionFailure("an answer is read as something else")
        }
        return told.metadata
    } catch {
        preconditionFailure("a worker cannot tell what a picture says: \(error)")
    }
}
