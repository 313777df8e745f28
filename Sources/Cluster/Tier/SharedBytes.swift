import Images
import Loading
import Origins
import Renditions

/// The form in which renditions, and what is known of originals, are kept on the server.
///
/// What comes back is not believed: it may be of another program, or of somebody who wrote where he should not. Whatever is
/// no picture of the format that was asked for, or out of its bounds, is as if it were not there.
enum SharedBytes {
    static func bytes(of tile: RenditionBytes) -> [UInt8] {
        var writer = MessageWriter()
        writer.number(tile.version.rawValue)
        writer.number(Int64(tile.width))
        writer.number(Int64(tile.height))
        writer.optional(tile.modified) { $0.number($1) }
        writer.flag(tile.isIncomplete)
        writer.number(UInt32(clamping: tile.bytes.count))
        writer.raw(tile.bytes)
        return writer.bytes
    }

    /// Nil for what is no whole rendition of this name and version.
    static func tile(_ bytes: [UInt8], _ name: SharedName, version: ContentVersion) -> RenditionBytes? {
        var reader = MessageReader(bytes[...])
        do throws(MessageError) {
            let found = ContentVersion(rawValue: try reader.number(UInt64.self))
            let width = Int(try reader.number(Int64.self))
            let height = Int(try reader.number(Int64.self))
            let modified = try reader.optional { reader throws(MessageError) in try reader.number(Int64.self) }
            let isIncomplete = try reader.flag()
            let count = Int(try reader.number(UInt32.self))
            let picture = reader.rest
            guard found == version, picture.count == count,
                EncodedSize.isBelievable(bytes: count, width: width, height: height),
                let format = FileFormat(of: picture),
                format.suits(name.format), max(width, height) <= name.rendition.longestSide ?? 0
            else { return nil }
            return RenditionBytes(
                bytes: Array(picture), mediaType: format.mediaType, version: version, width: width, height: height,
                modified: modified, isIncomplete: isIncomplete)
        } catch {
            return nil
        }
    }

    /// Of an original, without its version, its freshness and its facts.
    static func bytes(of original: SharedOriginal) -> [UInt8] {
        var writer = MessageWriter()
        writer.optional(original.validators.entityTag) { $0.text($1) }
        writer.optional(original.validators.lastModified) { $0.text($1) }
        writer.number(original.length)
        writer.flag(original.mustRevalidate)
        return writer.bytes
    }

    static func bytes(of facts: ImageFacts) -> [UInt8] {
        var writer = MessageWriter()
        writer.facts(facts)
        return writer.bytes
    }

    static func original(
        _ bytes: [UInt8], facts: [UInt8]?, version: ContentVersion, freshUntil: Int64
    ) -> SharedOriginal? {
        var reader = MessageReader(bytes[...])
        do throws(MessageError) {
            let tag = try reader.optional { reader throws(MessageError) in try reader.text(upTo: 1_024, "entityTag") }
            let date = try reader.optional { reader throws(MessageError) in try reader.text(upTo: 1_024, "lastModified")
            }
            let length = try reader.integer(in: 0...Int64.max, "length")
            let mustRevalidate = try reader.flag()
            try reader.end()
            return SharedOriginal(
                version: version, validators: Validators(entityTag: tag, lastModified: date), length: length,
                freshUntil: freshUntil, mustRevalidate: mustRevalidate, facts: facts.flatMap(self.facts))
        } catch {
            return nil
        }
    }

    private static func facts(_ bytes: [UInt8]) -> ImageFacts? {
        var reader = MessageReader(bytes[...])
        guard let facts = try? reader.facts(), reader.isAtEnd else { return nil }
        return facts
    }
}
