/// Objects as the lines of a part of a shared listing: size, time, key and entity tag, the last two percent-encoded, so that
/// any bytes may be in them.
enum ObjectLines {
    /// Objects and bytes in a part; a part has no more objects, and ends with the one by which it has so many bytes.
    static let most = 4096
    static let bytes = 512 << 10

    private static let (space, newline) = (UInt8(ascii: " "), UInt8(ascii: "\n"))

    static func line(of object: BucketObject) -> String {
        let key = URLCoding.encoded(object.key, keepsSlashes: true)
        let tag = object.entityTag.map { " " + URLCoding.encoded($0.utf8) } ?? ""
        return "\(object.size) \(object.modified) \(key)\(tag)\n"
    }

    /// - Returns: nil for what is no such text, or longer than one.
    static func objects(in text: String) -> [BucketObject]? {
        let lines = text.utf8.split(separator: newline)
        guard lines.count <= most else { return nil }
        var objects: [BucketObject] = []
        objects.reserveCapacity(lines.count)
        for line in lines {
            let fields = line.split(separator: space, maxSplits: 3)
            guard fields.count >= 3, let size = Int64(String(decoding: fields[0], as: UTF8.self)), size >= 0,
                let modified = Int64(String(decoding: fields[1], as: UTF8.self)),
                let key = URLCoding.decoded(Array(fields[2]))
            else { return nil }
            var tag: String?
            if fields.count == 4 {
                guard let bytes = URLCoding.decoded(Array(fields[3])) else { return nil }
                tag = String(decoding: bytes, as: UTF8.self)
            }
            objects.append(BucketObject(key: key, size: size, modified: modified, entityTag: tag))
        }
        return objects
    }
}
