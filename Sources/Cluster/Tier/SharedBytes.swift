import Images
import Loading
import Origins
import Renditions

/// The encoding of renditions, and of originals' metadata, in the shared tiers.
///
/// Decoding trusts nothing: the bytes may come from another program, or from anyone who can write to the store.
/// Anything that isn't an image in the requested format, or is out of bounds, counts as a miss.
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

    /// Nil unless the bytes are a complete rendition of this name and version.
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
                EncodedSize.isPlausible(bytes: count, width: width, height: height),
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

    /// An original's metadata without its version, freshness and facts, which are stored beside it.
    static func bytes(of original: SharedOriginal) -> [UInt8] {
        var writer = MessageWriter()
        writer.optional(original.validators.entityTag) { $0.text($1) }
        writer.optional(original.validators.lastModified) { $0.text($1) }
        writer.number(original.length)
        writer.flag(original.mustRevalidate)
        return writer.bytes
    }

    static func bytes(of metadata: ImageMetadata) -> [UInt8] {
        var writer = MessageWriter()
        writer.metadata(metadata)
        return writer.bytes
    }

    static func original(
        _ bytes: [UInt8], metadata: [UInt8]?, version: ContentVersion, freshUntil: Int64
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
                freshUntil: freshUntil, mustRevalidate: mustRevalidate, metadata: metadata.flatMap(self.metadata))
        } catch {
            return nil
        }
    }

    private static func metadata(_ bytes: [UInt8]) -> ImageMetadata? {
        var reader = MessageReader(bytes[...])
        guard let metadata = try? reader.metadata(), reader.isAtEnd else { return nil }
        return metadata
    }
}
