extension TIFFDirectories {
    /// How the image has to be turned, 1 to 8; nil if the tag is absent or has any other value.
    package func orientation(in main: Directory) -> Int? {
        number(0x0112, in: main).map(Int.init).flatMap { (1...8).contains($0) ? $0 : nil }
    }

    /// The small JPEG that cameras put into the directory after the main one, as stored: not yet upright.
    package func thumbnail(after main: Directory) -> ArraySlice<UInt8>? {
        guard let second = directory(at: main.next),
            let offset = number(0x0201, in: second),
            let count = number(0x0202, in: second),
            let bytes = slice(at: offset, count: count),
            bytes.starts(with: JPEGSegment.signature)
        else { return nil }
        return bytes
    }
}
