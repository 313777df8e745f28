/// Encodes a command: an array of bulk strings (RESP2).
enum CommandBytes {
    static func of(_ words: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(words.reduce(16) { $0 + $1.count + 16 })
        bytes.append(contentsOf: "*\(words.count)\r\n".utf8)
        for word in words {
            bytes.append(contentsOf: "$\(word.count)\r\n".utf8)
            bytes.append(contentsOf: word)
            bytes.append(contentsOf: "\r\n".utf8)
        }
        return bytes
    }
}
