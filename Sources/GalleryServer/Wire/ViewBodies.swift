import Catalog
import Encodings
import Images

/// The months of a view.
struct TimelineBody: JSONWritable {
    let timeline: Timeline

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("revision", timeline.revision)
            json.member("total", timeline.total)
            json.member("months") { json in
                json.list(timeline.months) { json, month in
                    json.object { json in
                        json.member("month") { Self.write(month, to: &$0) }
                        json.member("first", month.first)
                        json.member("count", month.count)
                    }
                }
            }
        }
    }

    /// `2019-06`; null for images whose date is unknown.
    private static func write(_ month: Timeline.Month, to json: inout JSONWriter) {
        guard let year = month.year, let number = month.month else { return json.null() }
        let digits = String(year)
        json.value(
            String(repeating: "0", count: max(0, 4 - digits.count)) + digits + (number < 10 ? "-0" : "-")
                + String(number))
    }
}

/// The subfolders of a folder.
struct FoldersBody: JSONWritable {
    let parent: String
    let folders: [GalleryFolder]
    let paths: RenditionPath
    var showsTitles = true

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("parent", parent)
            json.member("folders") { json in
                json.list(folders) { json, folder in
                    json.object { json in
                        json.member("path", folder.path)
                        json.member("name", folder.name)
                        json.member("count", folder.count)
                        json.member("hasFolders", folder.hasFolders)
                        json.member(
                            "cover",
                            folder.cover.map { ImageBody(image: $0, index: nil, paths: paths, showsTitle: showsTitles) }
                        )
                    }
                }
            }
        }
    }
}

/// The position of an image in a view.
struct PositionBody: JSONWritable {
    /// The id that the image has now, if it was renamed.
    let image: PublicImageID?
    let index: Int
    let revision: UInt64

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("image", image?.description)
            json.member("index", index)
            json.member("revision", revision)
        }
    }
}

/// The sum of the images' aspect ratios in each block.
struct ShapeBody: JSONWritable {
    let shape: Shape

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("revision", shape.revision)
            json.member("total", shape.total)
            json.member("block", Shape.block)
            json.member("parts", shape.parts)
            json.member("sums", shape.sums.map { ($0 * 10).rounded() / 10 })
        }
    }
}
