import Encodings

/// Objects as text, one line each, in a part of a shared listing: size, time, key and entity tag. The last two are
/// percent-encoded, so that they can hold any bytes.
enum ObjectLines {
    /// Limits of a part: it is full at this many objects, or once it has this many bytes.
    static let maximumObjects = 4096
    static let maximumBytes = 512 << 10

    private static let (space, newline) = (UInt8(ascii: " "), UInt8(ascii: "\n"))

    static func line(of object: BucketObject) -> String {
        let key = PercentEncoding.encode(object.key, keeping: PercentEncoding.isPlainInPath)
        let tag = object.entityTag.map { " " + PercentEncoding.encode($0.utf8) } ?? ""
        return "\(object.size) \(object.modified) \(key)\(tag)\n"
    }

    /// - Returns: Nil if the text is not such a part, or has too many lines.
    static func objects(in text: String) -> [BucketObject]? {
        let lines = text.utf8.split(separator: newline)
        guard lines.count <= maximumObjects else { return nil }
        var objects: [BucketObject] = []
        objects.reserveCapacity(lines.count)
        for line in lines {
            let fields = line.split(separator: space, maxSplits: 3)
            guard fields.count >= 3, let size = Int64(String(decoding: fields[0], as: UTF8.self)), size >= 0,
                let modified = Int64(String(decoding: fields[1], as: UTF8.self)),
                let key = PercentEncoding.bytes(of: fields[2], plusIsSpace: true)
            else { return nil }
            var tag: String?
            if fields.count == 4 {
                guard let bytes = PercentEncoding.bytes(of: fields[3], plusIsSpace: true) else { return nil }
                tag = String(decoding: bytes, as: UTF8.self)
            }
            objects.append(BucketObject(key: key, size: size, modified: modified, entityTag: tag))
        }
        return objects
    }
}
