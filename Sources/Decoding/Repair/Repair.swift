/// What a decoder is shown in place of a file that has faults on which no pixel depends.
struct Repair: Equatable {
    /// Bytes in place of others, by their positions in the file.
    var replacements: [Int64: UInt8] = [:]
    /// What follows the end of the file.
    var appended: [UInt8] = []
    /// The faults that show that pixels are missing in spite of the repair, as libvips names them.
    var faults = "truncated"
    /// Whether the file ends early, so that the picture is displayed as far as it goes if pixels are missing.
    var isTolerant = false

    /// Appends the marker that ends a JPEG (ITU-T T.81, B.1.1.3). libjpeg warns if it comes before the last pixel.
    static let endOfJPEG: Repair = {
        var repair = Repair()
        repair.appended = [0xff, 0xd9]
        repair.faults = "warning"
        return repair
    }()

    func apply(to reader: SourceReader) {
        reader.replace(replacements)
        reader.append(appended)
    }
}
