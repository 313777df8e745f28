import Encodings
import Images

/// One page of the gallery.
struct PageBody: JSONWritable {
    /// The canonical text of the view; absent for the default view.
    let view: String?
    let revision: Int
    let total: Int
    let offset: Int
    let images: [GalleryImage]
    /// The cursor of the next page; null on the last.
    let next: String?
    let paths: RenditionPath
    var showsTitles = true

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("view", view)
            json.member("revision", revision)
            json.member("total", total)
            json.member("offset", offset)
            json.member("images") { json in
                json.list(zip(offset..., images)) { json, place in
                    ImageBody(image: place.1, index: place.0, paths: paths, showsTitle: showsTitles).write(to: &json)
                }
            }
            json.member("next") { json in if let next { json.value(next) } else { json.null() } }
        }
    }
}
