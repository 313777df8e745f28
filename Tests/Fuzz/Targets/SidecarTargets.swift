import Images
import Time

@testable import Catalog
@testable import Decoding

/// The JSON of Google Takeout.
enum TakeoutTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        let metadata = Sidecar.metadata(in: input, as: .takeout)
        precondition(sent(metadata) == metadata)
        precondition(metadata.place?.isOnEarth ?? true)
    }
}

/// Names of files: the dates in them, and the names that their sidecars may have.
enum FileNameTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        let name = String(decoding: input, as: UTF8.self)
        if let time = PictureTime(fileName: name, through: 2027) {
            precondition(1990...2027 ~= time.year && time.day != nil && time.zone ?? "Z" == "Z")
            precondition(PictureTime(time.text)?.text == time.text, "a date is stored as another one")
            precondition(PictureTime(fileName: name, through: time.year) == time)
        }
        let start = SidecarName.commonStart(of: input)
        var count = 0
        for format in SidecarFormat.allCases {
            let found: Bool? = SidecarName.first(format, of: input) { name in
                precondition(name.starts(with: start) && SidecarName.format(of: name) == format)
                count += 1
                return nil
            }
            precondition(found == nil)
        }
        precondition(count < 100)
    }
}
