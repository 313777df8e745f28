import Catalog
import Encodings
import Images

/// The tables that the browser front shares with the server. The server inserts them into the page, so that each is
/// defined only once.
///
/// Public/catalog/server-tables.js documents the members.
enum PageTables {
    /// Marks the place in the page where the tables are inserted.
    static let element = #"<script id="server-tables" type="application/json">"#
    /// Marks the page's root element, which gets the default view as an attribute: the first script needs it before
    /// anything else is read.
    static let root = #"<html lang="en""#
    /// Marks the menu of sort orders, whose options are inserted.
    static let menu = #"<select id="sort" title="Sort by">"#

    /// Media types of originals that browsers can display. For other originals (HEIC, TIFF, raw), browsers get a
    /// rendition.
    static let displayable = ImageFormat.all.filter { $0.browserSupport != .none }.flatMap(\.mediaTypes)
    /// Media types of formats with several frames that browsers play as an animation.
    static let animatable = ImageFormat.all.filter { $0.browserSupport == .animated }.flatMap(\.mediaTypes)

    /// The sort orders in the sequence of the menu.
    static let sorts = View.Sort.all(seed: 0).map(\.traits)

    /// Inserts the tables and the menu's options into the page. A page without these elements is returned unchanged.
    ///
    /// Nothing that is inserted can end its element: whatever scripts the page then had, the policy would allow.
    ///
    /// - Parameter defaultView: The view of addresses that name none.
    static func complete(_ page: [UInt8], defaultView: View = .plain, sorts: [View.Sort.Traits] = sorts) -> [UInt8] {
        let json = String(decoding: json(sorts), as: UTF8.self).replacing("<", with: "\\u003c")
        let options = sorts.map { #"<option value="\#(escaped($0.name))">\#(escaped($0.label))</option>"# }.joined()
        let attribute = #" data-default-view="\#(escaped(defaultView.description))""#
        return [(root, attribute), (element, json), (menu, options)].reduce(page) { page, insertion in
            guard let place = page.firstRange(of: Array(insertion.0.utf8)) else { return page }
            return page[..<place.upperBound] + Array(insertion.1.utf8) + page[place.upperBound...]
        }
    }

    /// Text in HTML.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    private static func json(_ sorts: [View.Sort.Traits]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("steps") { json in
                json.list(Rendition.steps.filter { $0.longestSide != nil }) { json, step in
                    json.object { json in
                        json.member("name", step.rawValue)
                        json.member("pixels", step.longestSide)
                    }
                }
            }
            json.member("sent", byNumber(StreamRendition.self) { $0.rendition.rawValue })
            json.member("types", byNumber(RenditionHead.Format.self) { $0.mediaType })
            json.member("displayable", displayable)
            json.member("animatable", animatable)
            json.member("sorts") { json in
                json.list(sorts) { json, sort in
                    json.object { json in
                        json.member("name", sort.name)
                        json.member("ascending", sort.ascending)
                        json.member("descending", sort.descending)
                        json.member("beginsDescending", sort.beginsDescending)
                        json.member("hasMonths", sort.hasMonths)
                        json.member("isRandom", sort.isRandom)
                    }
                }
            }
        }
        return json.bytes
    }

    /// The names of the cases of an enumeration whose raw values are used in binary messages; the index is the raw
    /// value.
    private static func byNumber<Kind: CaseIterable & RawRepresentable<UInt8>>(
        _ kind: Kind.Type, _ name: (Kind) -> String
    ) -> [String] {
        let numbers = 0...(Kind.allCases.map(\.rawValue).max() ?? 0)
        return numbers.map { Kind(rawValue: $0).map(name) ?? "" }
    }
}
